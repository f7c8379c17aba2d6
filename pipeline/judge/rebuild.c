/* rebuild - the inputs as an igraph graph.
 *
 * igraph_read_graph_edgelist pairs integers across lines, knows no comments and takes weights for vertices; so it is
 * used only where every line of a plain file is exactly two integers. Everything else goes through the judge's own
 * readers into igraph_create, which numbers edges in the order given.
 * Memory: 16 bytes an arc for the list, 32 for igraph_t, 8 for a weight, and what igraph_create needs to index.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/judge/rebuilt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void check(igraph_error_t code)
{
    if (code != IGRAPH_SUCCESS)
        fail(EXIT_ENVIRONMENT, "igraph: %s", igraph_strerror(code));
}

struct collector {
    struct rebuilt *rebuilt;
    const struct reading *reading;
    igraph_vector_int_t edges;
    uint64_t weight_capacity, n_arcs, n_taken, number_capacity;
    bool whole;
    bool by_source, by_target; /* which end must be in the range */
};

/* The vertex that an id is in igraph: where ids are sparse, its rank among them. */
static igraph_integer_t vertex_of(const struct reading *reading, uint64_t id)
{
    if (!reading->ids)
        return (igraph_integer_t)id;
    uint64_t low = 0, end = reading->n_ids;
    while (end - low > 1) {
        uint64_t middle = low + (end - low) / 2;
        *(reading->ids[middle] <= id ? &low : &end) = middle;
    }
    return (igraph_integer_t)low;
}

static void collect(void *state, uint64_t source, uint64_t target, uint64_t weight)
{
    struct collector *collector = state;
    struct rebuilt *rebuilt = collector->rebuilt;
    uint64_t number = collector->n_arcs++;
    bool source_in = source >= rebuilt->begin && source < rebuilt->end;
    bool target_in = target >= rebuilt->begin && target < rebuilt->end;
    if (!(source_in && collector->by_source) && !(target_in && collector->by_target))
        return;
    check(igraph_vector_int_push_back(&collector->edges, vertex_of(collector->reading, source)));
    check(igraph_vector_int_push_back(&collector->edges, vertex_of(collector->reading, target)));
    if (!collector->whole) {
        if (collector->n_taken == collector->number_capacity) {
            collector->number_capacity += collector->number_capacity / 2 + 1024;
            rebuilt->numbers = grow(rebuilt->numbers, collector->number_capacity, sizeof *rebuilt->numbers);
        }
        rebuilt->numbers[collector->n_taken++] = number;
    }
    if (rebuilt->kind == WEIGHT_NONE)
        return;
    if (rebuilt->n_weights == collector->weight_capacity) {
        collector->weight_capacity += collector->weight_capacity / 2 + 1024;
        rebuilt->weights = grow(rebuilt->weights, collector->weight_capacity, sizeof *rebuilt->weights);
    }
    rebuilt->weights[rebuilt->n_weights++] = weight;
}

static bool igraph_can_read(const struct reading *reading, const struct input *inputs)
{
    const struct options *options = reading->options;
    return options->n_inputs == 1 && inputs[0].format == FORMAT_EL && !inputs[0].compressed && reading->all_pairs &&
           !reading->ids && reading->n_arcs > 0 && reading->n_skipped == 0 && options->base == 0 &&
           options->header_lines == 0 && !options->columns && !options->vertices_from &&
           (options->separator == 0 || options->separator == ' ');
}

static void read_by_igraph(struct rebuilt *rebuilt, const struct reading *reading, const struct input *input)
{
    int file = dup(input->file);
    FILE *stream = file < 0 || lseek(file, 0, SEEK_SET) != 0 ? NULL : fdopen(file, "r");
    if (!stream)
        fail(EXIT_ENVIRONMENT, "%s: open: %s", input->path, strerror(errno));
    uint64_t n = reading->options->has_vertices ? reading->options->n_vertices : 0;
    check(igraph_read_graph_edgelist(&rebuilt->graph, stream, (igraph_integer_t)n, IGRAPH_DIRECTED));
    fclose(stream);
    rebuilt->by_igraph = true;
}

void rebuild(struct rebuilt *rebuilt, struct reading *reading, const struct input *inputs, enum weight_kind kind,
             uint64_t begin, uint64_t end, bool mirrors)
{
    const struct options *options = reading->options;
    bool whole = begin == 0 && end == UINT64_MAX;
    *rebuilt = (struct rebuilt){.kind = kind, .begin = begin, .end = end, .ids = reading->ids};
    if (whole && igraph_can_read(reading, inputs)) {
        read_by_igraph(rebuilt, reading, &inputs[0]);
        return;
    }
    bool both = mirrors || has_step(options, STEP_SYMMETRIZE), transposed = has_step(options, STEP_TRANSPOSE);
    struct collector collector = {.rebuilt = rebuilt,
                                  .reading = reading,
                                  .whole = whole,
                                  .by_source = both || !transposed,
                                  .by_target = both || transposed};
    check(igraph_vector_int_init(&collector.edges, 0));
    if (whole) {
        check(igraph_vector_int_reserve(&collector.edges, (igraph_integer_t)(2 * reading->n_arcs)));
        if (kind != WEIGHT_NONE) {
            collector.weight_capacity = reading->n_arcs;
            rebuilt->weights = allocate(reading->n_arcs, sizeof *rebuilt->weights);
        }
    }
    reading->sink = (struct sink){collect, &collector};
    reading->kind = kind;
    read_inputs(reading, inputs);
    reading->sink = (struct sink){0};
    check(igraph_create(&rebuilt->graph, &collector.edges, (igraph_integer_t)vertices_of(reading), IGRAPH_DIRECTED));
    igraph_vector_int_destroy(&collector.edges);
}

void rebuilt_destroy(struct rebuilt *rebuilt)
{
    if (rebuilt->moved)
        igraph_vector_destroy(&rebuilt->slots);
    igraph_destroy(&rebuilt->graph);
    free(rebuilt->weights);
    free(rebuilt->numbers);
    free(rebuilt->ends);
    free(rebuilt->origins);
}

uint64_t slot_of(const struct rebuilt *rebuilt, igraph_integer_t edge)
{
    return rebuilt->moved ? (uint64_t)VECTOR(rebuilt->slots)[edge] : (uint64_t)edge;
}

uint64_t number_of(const struct rebuilt *rebuilt, uint64_t slot)
{
    return rebuilt->numbers ? rebuilt->numbers[slot] : slot;
}

uint64_t origin_of(const struct rebuilt *rebuilt, uint64_t vertex)
{
    return rebuilt->origins ? rebuilt->origins[vertex] : vertex;
}

uint64_t name_of(const struct rebuilt *rebuilt, uint64_t vertex)
{
    uint64_t origin = origin_of(rebuilt, vertex);
    return rebuilt->ids ? rebuilt->ids[origin] : origin;
}
