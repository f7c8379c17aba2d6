/* clean - what convert does to the arcs, repeated with igraph's functions.
 *
 * Every edge carries its slot as an igraph attribute through the steps; weights and input arc numbers stay outside, by
 * slot, in their own type. A step is a row of `steps`: to add one, write it on the igraph graph and list it there.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/judge/expression.h"
#include "pipeline/judge/rebuilt.h"

#include <stdlib.h>
#include <string.h>

const char slot_attribute[] = "slot";

/* Deletes the edges that are marked. */
static void delete_marked(struct rebuilt *rebuilt, const unsigned char *marked)
{
    igraph_vector_int_t gone;
    check(igraph_vector_int_init(&gone, 0));
    for (igraph_integer_t e = 0; e < igraph_ecount(&rebuilt->graph); e++) {
        if (marked[e])
            check(igraph_vector_int_push_back(&gone, e));
    }
    check(igraph_delete_edges(&rebuilt->graph, igraph_ess_vector(&gone)));
    igraph_vector_int_destroy(&gone);
}

static void out_degrees(const struct rebuilt *rebuilt, igraph_vector_int_t *degrees)
{
    check(igraph_vector_int_init(degrees, 0));
    check(igraph_degree(&rebuilt->graph, degrees, igraph_vss_all(), IGRAPH_OUT, IGRAPH_LOOPS));
}

/* The id that a vertex has at this step. Where igraph has ranks instead of sparse ids, nothing was relabeled before. */
static uint64_t id_of(const struct rebuilt *rebuilt, uint64_t vertex)
{
    return rebuilt->ids ? name_of(rebuilt, vertex) : vertex;
}

static void filter(struct rebuilt *rebuilt, const struct reading *reading, const struct step *step)
{
    (void)reading;
    igraph_integer_t n = igraph_ecount(&rebuilt->graph);
    unsigned char *marked = allocate((uint64_t)n, 1);
    struct expression *expression = expression_parse(step->word);
    igraph_vector_int_t degrees;
    out_degrees(rebuilt, &degrees);
    for (igraph_integer_t e = 0; e < n; e++) {
        igraph_integer_t source = IGRAPH_FROM(&rebuilt->graph, e), target = IGRAPH_TO(&rebuilt->graph, e);
        uint64_t slot = slot_of(rebuilt, e);
        struct arc_seen arc = {.number = number_of(rebuilt, slot),
                               .source = (int64_t)id_of(rebuilt, (uint64_t)source),
                               .target = (int64_t)id_of(rebuilt, (uint64_t)target),
                               .kind = rebuilt->kind,
                               .weight = rebuilt->weights ? rebuilt->weights[slot] : 0,
                               .source_degree = VECTOR(degrees)[source],
                               .target_degree = VECTOR(degrees)[target]};
        marked[e] = !expression_holds(expression, &arc);
    }
    delete_marked(rebuilt, marked);
    igraph_vector_int_destroy(&degrees);
    expression_free(expression);
    free(marked);
}

static void drop_loops(struct rebuilt *rebuilt, const struct reading *reading, const struct step *step)
{
    (void)reading, (void)step;
    check(igraph_simplify(&rebuilt->graph, false, true, NULL));
}

static void transpose(struct rebuilt *rebuilt, const struct reading *reading, const struct step *step)
{
    (void)reading, (void)step;
    check(igraph_reverse_edges(&rebuilt->graph, igraph_ess_all(IGRAPH_EDGEORDER_ID)));
}

/* Of two edges in one slot, the one that was there before stays in front: `sources` by slot. Each gets its own. */
static void part_slots(struct rebuilt *rebuilt, const uint64_t *sources)
{
    uint64_t n_edges = (uint64_t)igraph_ecount(&rebuilt->graph);
    uint64_t *first = allocate(rebuilt->n_slots + 1, sizeof *first), *numbers = allocate(n_edges, sizeof *numbers),
             *weights = rebuilt->weights ? allocate(n_edges, sizeof *weights) : NULL;
    check(EANV(&rebuilt->graph, slot_attribute, &rebuilt->slots));
    for (uint64_t e = 0; e < n_edges; e++)
        first[(uint64_t)VECTOR(rebuilt->slots)[e] + 1]++;
    for (uint64_t slot = 0; slot < rebuilt->n_slots; slot++)
        first[slot + 1] += first[slot];
    for (uint64_t e = 0; e < n_edges; e++) {
        uint64_t slot = (uint64_t)VECTOR(rebuilt->slots)[e];
        uint64_t to = first[slot] + (sources[slot] != (uint64_t)IGRAPH_FROM(&rebuilt->graph, (igraph_integer_t)e));
        numbers[to] = number_of(rebuilt, slot);
        if (weights)
            weights[to] = rebuilt->weights[slot];
        VECTOR(rebuilt->slots)[e] = (double)to;
    }
    check(SETEANV(&rebuilt->graph, slot_attribute, &rebuilt->slots));
    free(first);
    free(rebuilt->numbers);
    free(rebuilt->weights);
    rebuilt->numbers = numbers;
    rebuilt->weights = weights;
    rebuilt->n_weights = weights ? n_edges : 0;
    rebuilt->n_slots = n_edges;
}

/* igraph doubles loops, too; the second of each two is taken out again. */
static void symmetrize(struct rebuilt *rebuilt, const struct reading *reading, const struct step *step)
{
    (void)reading, (void)step;
    igraph_t *graph = &rebuilt->graph;
    igraph_integer_t n_before = igraph_ecount(graph);
    uint64_t *sources = allocate(rebuilt->n_slots, sizeof *sources);
    for (igraph_integer_t e = 0; e < n_before; e++)
        sources[slot_of(rebuilt, e)] = (uint64_t)IGRAPH_FROM(graph, e);
    check(igraph_to_undirected(graph, IGRAPH_TO_UNDIRECTED_EACH, NULL));
    check(igraph_to_directed(graph, IGRAPH_TO_DIRECTED_MUTUAL));
    check(EANV(graph, slot_attribute, &rebuilt->slots));
    if (igraph_vector_size(&rebuilt->slots) != 2 * n_before)
        fail(EXIT_ENVIRONMENT, "igraph: mutual edges lost their attributes");
    unsigned char *seen = allocate(rebuilt->n_slots, 1), *marked = allocate(2 * (uint64_t)n_before, 1);
    for (igraph_integer_t e = 0; e < 2 * n_before; e++) {
        uint64_t slot = (uint64_t)VECTOR(rebuilt->slots)[e];
        marked[e] = IGRAPH_FROM(graph, e) == IGRAPH_TO(graph, e) && seen[slot];
        seen[slot] = 1;
    }
    delete_marked(rebuilt, marked);
    part_slots(rebuilt, sources);
    free(seen);
    free(marked);
    free(sources);
}

/* Keeps the edges between vertices that are marked; the vertices stay. */
static void keep_between(struct rebuilt *rebuilt, const unsigned char *kept)
{
    igraph_integer_t n = igraph_ecount(&rebuilt->graph);
    unsigned char *marked = allocate((uint64_t)n, 1);
    for (igraph_integer_t e = 0; e < n; e++)
        marked[e] = !kept[IGRAPH_FROM(&rebuilt->graph, e)] || !kept[IGRAPH_TO(&rebuilt->graph, e)];
    delete_marked(rebuilt, marked);
    free(marked);
}

/* Labels are those of the input; numbers are the ids of the moment. */
static void among(struct rebuilt *rebuilt, const struct reading *reading, const struct step *step)
{
    uint64_t n = (uint64_t)igraph_vcount(&rebuilt->graph), n_listed;
    uint64_t *listed = read_id_list(reading, step->word, false, &n_listed);
    unsigned char *kept = allocate(n, 1);
    for (uint64_t v = 0; v < n; v++)
        kept[v] = is_listed(reading->labels ? name_of(rebuilt, v) : id_of(rebuilt, v), listed, n_listed);
    keep_between(rebuilt, kept);
    free(kept);
    free(listed);
}

static void min_degree(struct rebuilt *rebuilt, const struct reading *reading, const struct step *step)
{
    (void)reading;
    uint64_t n = (uint64_t)igraph_vcount(&rebuilt->graph);
    unsigned char *kept = allocate(n, 1);
    igraph_vector_int_t degrees;
    out_degrees(rebuilt, &degrees);
    for (uint64_t v = 0; v < n; v++)
        kept[v] = (uint64_t)VECTOR(degrees)[v] >= step->number;
    keep_between(rebuilt, kept);
    igraph_vector_int_destroy(&degrees);
    free(kept);
}

/* igraph numbers components by their smallest vertex; nothing hangs on that: the first vertex of a largest one wins. */
static void largest_component(struct rebuilt *rebuilt, const struct reading *reading, const struct step *step)
{
    (void)reading, (void)step;
    uint64_t n = (uint64_t)igraph_vcount(&rebuilt->graph);
    igraph_vector_int_t membership, sizes;
    check(igraph_vector_int_init(&membership, 0));
    check(igraph_vector_int_init(&sizes, 0));
    check(igraph_connected_components(&rebuilt->graph, &membership, &sizes, NULL, IGRAPH_WEAK));
    unsigned char *kept = allocate(n, 1);
    igraph_integer_t largest = n ? igraph_vector_int_max(&sizes) : 0, chosen = -1;
    for (uint64_t v = 0; v < n; v++) {
        igraph_integer_t component = VECTOR(membership)[v];
        if (chosen < 0 && VECTOR(sizes)[component] == largest)
            chosen = component;
    }
    for (uint64_t v = 0; v < n; v++)
        kept[v] = VECTOR(membership)[v] == chosen;
    keep_between(rebuilt, kept);
    igraph_vector_int_destroy(&membership);
    igraph_vector_int_destroy(&sizes);
    free(kept);
}

/* One arc of each pair of a symmetric graph. */
static void undirect(struct rebuilt *rebuilt, const struct reading *reading, const struct step *step)
{
    (void)reading, (void)step;
    igraph_integer_t n = igraph_ecount(&rebuilt->graph);
    unsigned char *marked = allocate((uint64_t)n, 1);
    for (igraph_integer_t e = 0; e < n; e++)
        marked[e] = IGRAPH_FROM(&rebuilt->graph, e) > IGRAPH_TO(&rebuilt->graph, e);
    delete_marked(rebuilt, marked);
    free(marked);
}

/* Keeps edges by their number in the list, which is in the order of slots. */
static void keep_numbers(struct rebuilt *rebuilt, bool (*is_kept)(uint64_t number, const void *state),
                         const void *state)
{
    igraph_integer_t n = igraph_ecount(&rebuilt->graph);
    uint64_t number = 0;
    unsigned char *marked = allocate((uint64_t)n, 1);
    uint64_t *edges = allocate(rebuilt->n_slots, sizeof *edges); /* by slot: edge + 1 */
    for (igraph_integer_t e = 0; e < n; e++)
        edges[slot_of(rebuilt, e)] = (uint64_t)e + 1;
    for (uint64_t slot = 0; slot < rebuilt->n_slots; slot++) {
        if (edges[slot])
            marked[edges[slot] - 1] = !is_kept(number++, state);
    }
    delete_marked(rebuilt, marked);
    free(edges);
    free(marked);
}

static bool is_below(uint64_t number, const void *limit)
{
    return number < *(const uint64_t *)limit;
}

static void head(struct rebuilt *rebuilt, const struct reading *reading, const struct step *step)
{
    (void)reading;
    keep_numbers(rebuilt, is_below, &step->number);
}

static uint64_t mix(uint64_t word)
{
    word = (word ^ word >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    word = (word ^ word >> 27) * UINT64_C(0x94D049BB133111EB);
    return word ^ word >> 31;
}

struct drawing {
    uint64_t stream;
    double share;
};

/* Arc i stays where word i of splitmix64, its 53 high bits as a fraction, is below the share. */
static bool is_drawn(uint64_t number, const void *state)
{
    const struct drawing *drawing = state;
    uint64_t word = mix(drawing->stream + (number + 1) * UINT64_C(0x9E3779B97F4A7C15));
    return (double)(word >> 11) * 0x1p-53 < drawing->share;
}

static void sample(struct rebuilt *rebuilt, const struct reading *reading, const struct step *step)
{
    (void)reading;
    uint64_t seed = 1;
    char *end;
    struct drawing drawing = {.share = strtod(step->word, &end)};
    if (end == step->word || (*end && (*end != ':' || !parse_natural(end + 1, strlen(end + 1), &seed))) ||
        !(drawing.share >= 0 && drawing.share <= 1))
        fail(EXIT_USAGE, "--sample=%s: P or P:SEED is expected", step->word);
    drawing.stream = mix(seed);
    keep_numbers(rebuilt, is_drawn, &drawing);
}

static step_run *const steps[N_STEP_KINDS] = {
    [STEP_FILTER] = filter,
    [STEP_DROP_LOOPS] = drop_loops,
    [STEP_TRANSPOSE] = transpose,
    [STEP_SYMMETRIZE] = symmetrize,
    [STEP_DEDUP] = dedup,
    [STEP_AMONG] = among,
    [STEP_MIN_DEGREE] = min_degree,
    [STEP_UNDIRECT] = undirect,
    [STEP_LARGEST_COMPONENT] = largest_component,
    [STEP_HEAD] = head,
    [STEP_SAMPLE] = sample,
    [STEP_DROP_ISOLATED] = drop_isolated,
    [STEP_RELABEL] = relabel,
};

static void begin(struct rebuilt *rebuilt, const struct options *options)
{
    igraph_integer_t n = igraph_ecount(&rebuilt->graph);
    check(igraph_vector_init(&rebuilt->slots, n));
    for (igraph_integer_t e = 0; e < n; e++)
        VECTOR(rebuilt->slots)[e] = (double)e;
    check(SETEANV(&rebuilt->graph, slot_attribute, &rebuilt->slots));
    rebuilt->moved = true;
    rebuilt->n_slots = (uint64_t)n;
    if (!has_step(options, STEP_RELABEL))
        return;
    rebuilt->ends = allocate(2 * (uint64_t)n, sizeof *rebuilt->ends);
    for (igraph_integer_t e = 0; e < n; e++) {
        rebuilt->ends[2 * e] = (uint64_t)IGRAPH_FROM(&rebuilt->graph, e);
        rebuilt->ends[2 * e + 1] = (uint64_t)IGRAPH_TO(&rebuilt->graph, e);
    }
}

void clean(struct rebuilt *rebuilt, const struct reading *reading)
{
    const struct options *options = reading->options;
    rebuilt->n_origins = (uint64_t)igraph_vcount(&rebuilt->graph);
    if (options->n_steps)
        begin(rebuilt, options);
    for (uint32_t i = 0; i < options->n_steps; i++) {
        steps[options->steps[i].kind](rebuilt, reading, &options->steps[i]);
        check(EANV(&rebuilt->graph, slot_attribute, &rebuilt->slots));
    }
}
