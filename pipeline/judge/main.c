/* edgemill-igraph - rebuilds the graph of a CSR file with igraph from the same input, and compares all of it.
 *
 * One pass over the inputs finds n, the number of arcs, the type of the weights and whether igraph can read the file
 * by itself; then the graph is built and judged, whole, or range by range of sources where memory would not do.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/judge/expression.h"
#include "pipeline/judge/rebuilt.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Measured peak of igraph_create on R-MAT lists, the list of 16 bytes an arc included: 58 bytes an arc; weights add 8,
 * and every cleaning step holds a second graph and the positions for a while. */
enum { ARC_BYTES = 58, WEIGHT_BYTES = 8, ENDS_BYTES = 16, CLEAN_FACTOR = 3, VERTEX_BYTES = 48 };
/* Ids are sparse where there are more than so many times as many vertices as arcs. */
enum { SPARSE = 8 };
/* A sample of K ranges is drawn from at least this many times K. */
enum { RANGES_PER_DRAWN = 8 };

struct range {
    uint64_t begin, end;
};

static uint64_t line_number(const char *path, const char *key)
{
    char line[256];
    uint64_t value = UINT64_MAX;
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, key, strlen(key)) == 0 && sscanf(line + strlen(key), "%" SCNu64, &value) == 1)
            break;
    }
    if (file)
        fclose(file);
    return value;
}

/* What may be used: nine tenths of what the system, or the control group, has left. */
static uint64_t memory_left(const struct options *options)
{
    if (options->memory_bytes)
        return options->memory_bytes;
    uint64_t kib = line_number("/proc/meminfo", "MemAvailable:");
    uint64_t left = kib == UINT64_MAX ? UINT64_MAX : kib * 1024;
    uint64_t limit = line_number("/sys/fs/cgroup/memory.max", ""),
             used = line_number("/sys/fs/cgroup/memory.current", "");
    if (limit != UINT64_MAX && used != UINT64_MAX && limit - used < left && used < limit)
        left = limit - used;
    return left / 10 * 9;
}

/* What a step on a source range alone could not know: degrees, components, ids of other rows. */
static bool needs_whole(const struct options *options)
{
    bool degrees = false;
    for (uint32_t i = 0; i < options->n_steps; i++) {
        if (options->steps[i].kind != STEP_FILTER)
            continue;
        struct expression *expression = expression_parse(options->steps[i].word);
        degrees |= expression_asks_degrees(expression);
        expression_free(expression);
    }
    return degrees || options->as_typed || has_step(options, STEP_MIN_DEGREE) || has_step(options, STEP_RELABEL) ||
           has_step(options, STEP_LARGEST_COMPONENT) || has_step(options, STEP_HEAD) ||
           has_step(options, STEP_SAMPLE) || has_step(options, STEP_DROP_ISOLATED);
}

/* Whether isolated vertices go in the end, so that igraph need not be given those that the input leaves out. */
static bool drops_vertices(const struct options *options)
{
    const struct step *last = options->n_steps ? &options->steps[options->n_steps - 1] : NULL;
    return last && !options->as_typed && last->kind == STEP_RELABEL &&
           (strcmp(last->word, "dense") == 0 || strcmp(last->word, "first") == 0);
}

/* In how many source ranges the graph must be judged to stay within memory. */
static uint64_t ranges_needed(const struct options *options, const struct reading *reading, enum weight_kind kind,
                              bool mirrors)
{
    uint64_t left = memory_left(options);
    uint64_t arc_bytes = ARC_BYTES + (kind != WEIGHT_NONE) * WEIGHT_BYTES;
    if (has_step(options, STEP_RELABEL))
        arc_bytes += ENDS_BYTES;
    arc_bytes *= (options->n_steps ? CLEAN_FACTOR : 1) * (has_step(options, STEP_SYMMETRIZE) || mirrors ? 2 : 1);
    uint64_t n = vertices_of(reading), fixed = VERTEX_BYTES * n;
    if (n > UINT64_MAX / 2 / VERTEX_BYTES || (left != UINT64_MAX && fixed + arc_bytes >= left))
        fail(EXIT_ENVIRONMENT,
             "%" PRIu64 " vertices alone need %" PRIu64 " times %d bytes in igraph, %" PRIu64 " are there", n, n,
             VERTEX_BYTES, left);
    unsigned __int128 needed = (unsigned __int128)reading->n_arcs * arc_bytes;
    return (uint64_t)(needed / (left - fixed)) + 1;
}

/* Cuts the sources into at most n_ranges with about equally many arcs each, by the file's offsets. */
static struct range *cut(const struct stored *stored, uint64_t n_vertices, uint64_t n_ranges, uint64_t *n_cut)
{
    struct range *ranges = allocate(n_ranges, sizeof *ranges);
    uint64_t held = 0, share = stored->n_arcs / n_ranges + 1, begin, end, n = 0;
    for (uint64_t v = 0; v < n_vertices; v++) {
        if (held == 0 && (n == 0 || v == ranges[n - 1].end) && n < n_ranges)
            ranges[n++].begin = v;
        if (v < stored->n_vertices) {
            stored_row(stored, v, &begin, &end);
            held += end - begin;
        }
        ranges[n - 1].end = v + 1;
        if (held >= share && n < n_ranges)
            held = 0;
    }
    *n_cut = n;
    return ranges;
}

/* Draws n of the ranges without repetition (Fisher-Yates, splitmix64). */
static void draw(struct range *ranges, uint64_t n_ranges, uint64_t n, uint64_t seed)
{
    for (uint64_t i = 0; i < n && i < n_ranges; i++) {
        uint64_t z = seed + (i + 1) * UINT64_C(0x9E3779B97F4A7C15);
        z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
        z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
        uint64_t other = i + (z ^ z >> 31) % (n_ranges - i);
        struct range drawn = ranges[other];
        ranges[other] = ranges[i];
        ranges[i] = drawn;
    }
}

/* Vertices without any arc, by the file and by igraph. */
static uint64_t compare_isolated(const struct stored *stored, const unsigned char *touched, uint64_t n_vertices,
                                 struct verdict *verdict)
{
    unsigned char *in_file = allocate(stored->n_vertices, 1);
    uint64_t begin, end, by_file = 0, by_igraph = 0, first = UINT64_MAX;
    for (uint64_t v = 0; v < stored->n_vertices; v++) {
        stored_row(stored, v, &begin, &end);
        in_file[v] |= begin < end;
        for (uint64_t arc = begin; arc < end; arc++) {
            uint64_t target = stored_target(stored, arc);
            if (target < stored->n_vertices)
                in_file[target] = 1;
        }
    }
    for (uint64_t v = 0; v < stored->n_vertices || v < n_vertices; v++) {
        bool file_has = v < stored->n_vertices && !in_file[v], igraph_has = v < n_vertices && !touched[v];
        by_file += file_has;
        by_igraph += igraph_has;
        if (file_has != igraph_has && first == UINT64_MAX)
            first = v;
    }
    if (first != UINT64_MAX)
        differ(verdict, "isolated vertices: %" PRIu64 ", igraph has %" PRIu64 "; the first to differ is %" PRIu64,
               by_file, by_igraph, first);
    free(in_file);
    return by_igraph;
}

static void compare_totals(const struct stored *stored, const struct rebuilt *rebuilt, struct verdict *verdict)
{
    uint64_t n = (uint64_t)igraph_vcount(&rebuilt->graph);
    if (stored->n_vertices != n)
        differ(verdict, "n: %" PRIu64 " vertices, igraph has %" PRIu64, stored->n_vertices, n);
    if (stored->kind != rebuilt->kind)
        differ(verdict, "weights: %s, igraph has %s", weight_names[stored->kind], weight_names[rebuilt->kind]);
}

static struct range *choose(const struct options *options, const struct reading *reading, const struct stored *stored,
                            enum weight_kind kind, uint64_t *n_ranges, uint64_t *n_judged)
{
    uint64_t n = vertices_of(reading), n_cut = ranges_needed(options, reading, kind, stored->symmetric);
    bool whole = needs_whole(options);
    if (whole && n_cut > 1)
        fail(EXIT_ENVIRONMENT,
             "igraph needs the whole graph for what was done to it, about %" PRIu64
             " times the memory there is: verify a smaller graph, or with self",
             n_cut);
    if (!whole && options->n_ranges && n_cut < options->n_ranges * RANGES_PER_DRAWN)
        n_cut = options->n_ranges * RANGES_PER_DRAWN;
    n_cut = n_cut < n ? n_cut : n;
    *n_ranges = *n_judged = 1;
    if (n_cut <= 1) {
        struct range *everything = allocate(1, sizeof *everything);
        everything->end = UINT64_MAX;
        return everything;
    }
    struct range *ranges = cut(stored, n, n_cut, n_ranges);
    *n_judged = *n_ranges;
    if (options->n_ranges && options->n_ranges < *n_ranges) {
        draw(ranges, *n_ranges, options->n_ranges, options->seed);
        *n_judged = options->n_ranges;
    }
    return ranges;
}

static int judge(const struct options *options, struct reading *reading, const struct input *inputs,
                 struct stored *stored)
{
    struct verdict verdict = {0};
    bool by_igraph = false;
    uint64_t n_ranges, n_judged, n_arcs = 0, n_isolated = 0;
    read_inputs(reading, inputs);
    enum weight_kind kind = kind_found(reading);
    if (drops_vertices(options) && reading->n_vertices / SPARSE > reading->n_arcs)
        find_ids(reading, inputs);
    uint64_t n_vertices = vertices_of(reading), n_read = reading->n_arcs;
    struct range *ranges = choose(options, reading, stored, kind, &n_ranges, &n_judged);
    unsigned char *touched = allocate(n_vertices, 1);
    if (stored->is_native)
        check_csr_sums(stored, &verdict);
    if (stored->shards)
        check_shards(stored, &verdict);
    stored_check(stored, &verdict);
    uint64_t *edge_ids = options->edge_ids ? read_edge_ids(options->edge_ids, stored->n_arcs, &verdict) : NULL;
    for (uint64_t i = 0; i < n_judged; i++) {
        struct rebuilt rebuilt;
        rebuild(&rebuilt, reading, inputs, kind, ranges[i].begin, ranges[i].end, stored->symmetric);
        if ((uint64_t)igraph_vcount(&rebuilt.graph) != n_vertices)
            fail(EXIT_ENVIRONMENT, "igraph reads other vertices than the judge, or the input has changed");
        clean(&rebuilt, reading);
        by_igraph |= rebuilt.by_igraph;
        n_vertices = (uint64_t)igraph_vcount(&rebuilt.graph);
        if (i == 0) {
            compare_totals(stored, &rebuilt, &verdict);
            if (options->map)
                compare_map(options->map, &rebuilt, reading, &verdict);
        }
        compare_rows(&rebuilt, stored, options, edge_ids, touched, &n_arcs, &verdict);
        kind = i + 1 == n_judged ? rebuilt.kind : kind;
        rebuilt_destroy(&rebuilt);
    }
    bool all = n_judged == n_ranges;
    if (!all && !options->n_steps)
        n_arcs = n_read;
    if ((all || !options->n_steps) && n_arcs != stored->n_arcs)
        differ(&verdict, "arcs: %" PRIu64 ", igraph has %" PRIu64, stored->n_arcs, n_arcs);
    if (all)
        n_isolated = compare_isolated(stored, touched, n_vertices, &verdict);
    if (verdict.n_differences > 10)
        fprintf(stderr, "… and %" PRIu64 " further differences\n", verdict.n_differences - 10);
    if (!verdict.n_differences) {
        printf("igraph agrees: %" PRIu64 " vertices, %" PRIu64 " arcs", n_vertices, stored->n_arcs);
        if (all)
            printf(", %" PRIu64 " isolated", n_isolated);
        printf(", weights %s; read by %s", weight_names[kind],
               by_igraph ? "igraph_read_graph_edgelist" : "the judge's own reader");
        if (reading->n_skipped)
            printf("; %" PRIu64 " malformed lines skipped", reading->n_skipped);
        if (!all)
            printf("; %" PRIu64 " of %" PRIu64 " source ranges judged", n_judged, n_ranges);
        else if (n_ranges > 1)
            printf("; judged in %" PRIu64 " source ranges", n_ranges);
        putchar('\n');
    }
    free(ranges);
    free(touched);
    free(edge_ids);
    return verdict.n_differences ? EXIT_DIFFERS : EXIT_EQUAL;
}

static void igraph_failed(const char *reason, const char *file, int line, igraph_error_t code)
{
    (void)file;
    (void)line;
    fail(EXIT_ENVIRONMENT, "igraph: %s: %s", igraph_strerror(code), reason);
}

int main(int argc, char **argv)
{
    struct options options;
    struct stored stored;
    parse_options(argc, argv, &options);
    igraph_set_error_handler(igraph_failed);
    if (options.n_steps)
        igraph_set_attribute_table(&igraph_cattribute_table);
    int file = open(options.candidate, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        fail(EXIT_ENVIRONMENT, "%s: open: %s", options.candidate, strerror(errno));
    stored_open(&stored, options.candidate, file);
    if (stored.is_coo || stored.by_column)
        fail(EXIT_MALFORMED, "%s: no CSR, but %s", options.candidate, stored.is_coo ? "COO" : "CSC");
    if (stored.n_targets)
        fail(EXIT_USAGE, "%s: a shard, of some rows of a graph; igraph judges whole graphs", options.candidate);
    struct input *inputs = open_inputs(&options);
    struct reading reading = {.options = &options, .kind = WEIGHT_AUTO};
    if (options.weights != WEIGHT_AUTO)
        reading.kind = options.weights;
    if (options.string_ids)
        reading.labels = labels_create();
    if (options.vertices_from)
        read_vertex_set(&reading);
    int status = judge(&options, &reading, inputs, &stored);
    stored_close(&stored);
    for (int i = 0; i < options.n_inputs; i++)
        close(inputs[i].file);
    free(inputs);
    free(reading.vertex_set);
    free(reading.ids);
    labels_free(reading.labels);
    free(options.steps);
    close(file);
    if (fflush(stdout) != 0)
        fail(EXIT_ENVIRONMENT, "standard output: %s", strerror(errno));
    return status;
}
