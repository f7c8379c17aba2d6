/* compare - every row of the file against igraph's edges.
 *
 * igraph tells the edges of a vertex; the row they must form is sorted here by (target, slot), or by slot
 * alone for rows in input order, so that nothing hangs on the order in which igraph lists them. The flags of a .csr are
 * held against igraph, too: duplicates and loops by its own tests, symmetry by its in- and out-neighbours.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/judge/rebuilt.h"

#include <inttypes.h>
#include <stdlib.h>

struct entry {
    uint64_t target, slot;
};

static int by_target(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->target != y->target)
        return x->target < y->target ? -1 : 1;
    return (x->slot > y->slot) - (x->slot < y->slot);
}

static int by_slot(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return (x->slot > y->slot) - (x->slot < y->slot);
}

void stored_row(const struct stored *stored, uint64_t vertex, uint64_t *begin, uint64_t *end)
{
    *begin = stored_offset(stored, vertex);
    *end = stored_offset(stored, vertex + 1);
    if (*end > stored->n_arcs)
        *end = stored->n_arcs;
    if (*begin > *end)
        *begin = *end;
}

static void compare_entry(const struct rebuilt *rebuilt, const struct stored *stored, const uint64_t *edge_ids,
                          uint64_t row, uint64_t index, uint64_t arc, const struct entry *entry, bool *same,
                          struct verdict *verdict)
{
    uint64_t target = stored_target(stored, arc), weight = stored_weight(stored, arc);
    *same = false;
    if (target != entry->target) {
        differ(verdict, "row %" PRIu64 ": entry %" PRIu64 " is %" PRIu64 ", igraph has %" PRIu64, row, index, target,
               entry->target);
        return;
    }
    uint64_t expected = rebuilt->weights ? rebuilt->weights[entry->slot] : 0;
    if (stored->kind == rebuilt->kind && weight != expected) {
        if (stored->kind == WEIGHT_I64 || stored->kind == WEIGHT_I32)
            differ(verdict,
                   "row %" PRIu64 ": entry %" PRIu64 " (to %" PRIu64 ") weighs %" PRId64 ", igraph has %" PRId64, row,
                   index, target, stored->kind == WEIGHT_I32 ? (int32_t)(uint32_t)weight : (int64_t)weight,
                   stored->kind == WEIGHT_I32 ? (int32_t)(uint32_t)expected : (int64_t)expected);
        else
            differ(verdict, "row %" PRIu64 ": entry %" PRIu64 " (to %" PRIu64 ") weighs %.17g, igraph has %.17g", row,
                   index, target, weight_real(stored->kind, weight), weight_real(stored->kind, expected));
        return;
    }
    uint64_t number = number_of(rebuilt, entry->slot);
    if (stored->positions && little_endian(stored->positions + 8 * arc, 8) != number) {
        differ(verdict,
               "row %" PRIu64 ": entry %" PRIu64 " (to %" PRIu64 ") is input arc %" PRIu64 ", igraph has %" PRIu64, row,
               index, target, little_endian(stored->positions + 8 * arc, 8), number);
        return;
    }
    if (edge_ids && edge_ids[arc] != number) {
        differ(verdict,
               "row %" PRIu64 ": entry %" PRIu64 " (to %" PRIu64 ") is arc %" PRIu64
               " among the edge ids, igraph has %" PRIu64,
               row, index, target, edge_ids[arc], number);
        return;
    }
    *same = true;
}

static void compare_row(const struct rebuilt *rebuilt, const struct stored *stored, const uint64_t *edge_ids,
                        uint64_t row, const struct entry *entries, uint64_t n, struct verdict *verdict)
{
    uint64_t begin, end;
    bool same = true;
    stored_row(stored, row, &begin, &end);
    if (end - begin != n) {
        differ(verdict, "row %" PRIu64 ": %" PRIu64 " entries, igraph has %" PRIu64, row, end - begin, n);
        return;
    }
    for (uint64_t i = 0; i < n && same; i++)
        compare_entry(rebuilt, stored, edge_ids, row, i, begin + i, &entries[i], &same, verdict);
    for (uint64_t arc = begin + 1; stored->sorted && arc < end; arc++) {
        if (stored_target(stored, arc) < stored_target(stored, arc - 1)) {
            differ(verdict, "row %" PRIu64 ": not ordered by target at entry %" PRIu64 ", but the file says sorted",
                   row, arc - begin);
            return;
        }
    }
}

static void compare_symmetry(const struct rebuilt *rebuilt, uint64_t row, igraph_vector_int_t *out,
                             igraph_vector_int_t *in, struct verdict *verdict)
{
    check(igraph_neighbors(&rebuilt->graph, out, (igraph_integer_t)row, IGRAPH_OUT));
    check(igraph_neighbors(&rebuilt->graph, in, (igraph_integer_t)row, IGRAPH_IN));
    igraph_vector_int_sort(out);
    igraph_vector_int_sort(in);
    if (!igraph_vector_int_all_e(out, in))
        differ(verdict, "row %" PRIu64 ": arcs without their reverse, but the file says symmetric", row);
}

static void compare_flags(const struct rebuilt *rebuilt, const struct stored *stored, struct verdict *verdict)
{
    igraph_bool_t found = false;
    if (stored->unique) {
        check(igraph_has_multiple(&rebuilt->graph, &found));
        if (found)
            differ(verdict, "the file says that no arc is there twice, igraph finds one");
    }
    if (stored->no_loops) {
        check(igraph_has_loop(&rebuilt->graph, &found));
        if (found)
            differ(verdict, "the file says that there are no loops, igraph finds one");
    }
}

static void mark_touched(const struct rebuilt *rebuilt, unsigned char *touched)
{
    igraph_vector_int_t degrees;
    check(igraph_vector_int_init(&degrees, 0));
    check(igraph_degree(&rebuilt->graph, &degrees, igraph_vss_all(), IGRAPH_ALL, IGRAPH_LOOPS));
    for (igraph_integer_t v = 0; v < igraph_vector_int_size(&degrees); v++)
        touched[v] |= VECTOR(degrees)[v] > 0;
    igraph_vector_int_destroy(&degrees);
}

void compare_rows(const struct rebuilt *rebuilt, const struct stored *stored, const struct options *options,
                  const uint64_t *edge_ids, unsigned char *touched, uint64_t *n_arcs, struct verdict *verdict)
{
    const igraph_t *graph = &rebuilt->graph;
    uint64_t n = (uint64_t)igraph_vcount(graph), end = rebuilt->end < n ? rebuilt->end : n, capacity = 0;
    igraph_vector_int_t edges, in;
    struct entry *entries = NULL;
    check(igraph_vector_int_init(&edges, 0));
    check(igraph_vector_int_init(&in, 0));
    for (uint64_t row = rebuilt->begin; row < end; row++) {
        check(igraph_incident(graph, &edges, (igraph_integer_t)row, IGRAPH_OUT));
        uint64_t degree = (uint64_t)igraph_vector_int_size(&edges);
        *n_arcs += degree;
        if (degree > capacity)
            entries = grow(entries, capacity = 2 * degree, sizeof *entries);
        for (uint64_t i = 0; i < degree; i++) {
            igraph_integer_t edge = VECTOR(edges)[i];
            entries[i] = (struct entry){(uint64_t)IGRAPH_TO(graph, edge), slot_of(rebuilt, edge)};
        }
        if (degree)
            qsort(entries, degree, sizeof *entries, options->input_order ? by_slot : by_target);
        if (row < stored->n_vertices)
            compare_row(rebuilt, stored, edge_ids, row, entries, degree, verdict);
        if (stored->symmetric)
            compare_symmetry(rebuilt, row, &edges, &in, verdict);
    }
    compare_flags(rebuilt, stored, verdict);
    mark_touched(rebuilt, touched);
    igraph_vector_int_destroy(&edges);
    igraph_vector_int_destroy(&in);
    free(entries);
}
