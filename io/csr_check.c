/* csr_check - is this CSR what it says it is, and what is in it?
 *
 * Workers take blocks of rows. Offsets and targets are one pass. A symmetric flag is checked by looking every arc's
 * reverse up by binary search, m log(degree) steps; rows that are not sorted are sorted in a copy first.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/read.h"
#include "scan/base/parallel.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK_ROWS = 4096 };

typedef struct rows {
    em_context *context;
    const em_csr *csr;
    const char *path;
    void *sorted; /* targets with every row in order; the CSR's own where they are */
    uint8_t *has_in_arc;
    em_csr_summary *summary; /* its counts are atomic */
    uint64_t next;           /* atomic */
    em_status (*visit)(struct rows *all, uint64_t begin, uint64_t end, em_error *error);
} rows;

static em_status visit_blocks(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    rows *all = state;
    const uint64_t n = all->csr->n_vertices;
    (void)n_workers;
    for (;;) {
        const uint64_t begin = __atomic_fetch_add(&all->next, 1, __ATOMIC_RELAXED) * BLOCK_ROWS;
        if (begin >= n)
            return EM_OK;
        em_status status = all->visit(all, begin, n - begin < BLOCK_ROWS ? n : begin + BLOCK_ROWS, error);
        if (status == EM_OK)
            status = worker == 0 ? em_context_report(all->context, "check", begin, n, error)
                                 : em_context_check(all->context, error);
        if (status != EM_OK)
            return status;
    }
}

static em_status visit_all(rows *all, em_status (*visit)(rows *, uint64_t, uint64_t, em_error *), em_error *error)
{
    all->visit = visit;
    all->next = 0;
    return em_parallel(all->context, all->csr->n_vertices > BLOCK_ROWS ? 0 : 1, visit_blocks, all, error);
}

static const uint64_t *offsets_of(const rows *all)
{
    return all->csr->offsets.at;
}

static uint64_t target_at(const rows *all, uint64_t arc)
{
    return em_id_at(all->csr->targets.at, all->csr->id_bytes, arc);
}

/* --- rows in order -------------------------------------------------------------------------------- */

static int compare_narrow(const void *a, const void *b)
{
    const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

static int compare_wide(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static bool row_is_sorted(const void *ids, uint8_t id_bytes, uint64_t begin, uint64_t end)
{
    for (uint64_t i = begin + 1; i < end; i++)
        if (em_id_at(ids, id_bytes, i) < em_id_at(ids, id_bytes, i - 1))
            return false;
    return true;
}

static em_status sort_rows(rows *all, uint64_t begin, uint64_t end, em_error *error)
{
    const uint64_t *offsets = offsets_of(all);
    const uint8_t id_bytes = all->csr->id_bytes;
    (void)error;
    char *into = (char *)all->sorted + offsets[begin] * id_bytes;
    memcpy(into, (const char *)all->csr->targets.at + offsets[begin] * id_bytes,
           (offsets[end] - offsets[begin]) * id_bytes);
    for (uint64_t row = begin; row < end; row++)
        if (!row_is_sorted(all->sorted, id_bytes, offsets[row], offsets[row + 1]))
            qsort((char *)all->sorted + offsets[row] * id_bytes, offsets[row + 1] - offsets[row], id_bytes,
                  id_bytes == 4 ? compare_narrow : compare_wide);
    return EM_OK;
}

/* all->sorted := the targets with ordered rows; end with free_sorted. */
static em_status sort_copy(rows *all, em_error *error)
{
    all->sorted = NULL;
    const em_status status = em_allocate_array(all->context, all->csr->n_arcs, all->csr->id_bytes, &all->sorted, error);
    return status == EM_OK ? visit_all(all, sort_rows, error) : status;
}

static void free_sorted(rows *all)
{
    if (all->sorted != all->csr->targets.at)
        em_free(all->context, all->sorted, all->csr->n_arcs * all->csr->id_bytes);
    all->sorted = NULL;
}

/* --- checking ------------------------------------------------------------------------------------- */

static em_status check_offsets(rows *all, uint64_t begin, uint64_t end, em_error *error)
{
    const uint64_t *offsets = offsets_of(all);
    for (uint64_t row = begin; row < end; row++)
        if (offsets[row + 1] < offsets[row] || offsets[row + 1] > all->csr->n_arcs)
            return em_fail_at(error, EM_MALFORMED, row,
                              "%s: offsets are wrong: row %llu goes from %llu to %llu, of %llu arcs", all->path,
                              (unsigned long long)row, (unsigned long long)offsets[row],
                              (unsigned long long)offsets[row + 1], (unsigned long long)all->csr->n_arcs);
    return EM_OK;
}

static em_status refuse_row(const rows *all, uint64_t row, uint64_t target, const char *what, em_error *error)
{
    return em_fail_at(error, EM_MALFORMED, row, "%s: row %llu, target %llu: %s", all->path, (unsigned long long)row,
                      (unsigned long long)target, what);
}

static em_status check_targets(rows *all, uint64_t begin, uint64_t end, em_error *error)
{
    const uint64_t *offsets = offsets_of(all), n = em_csr_n_targets(all->csr), facts = all->csr->facts;
    for (uint64_t row = begin; row < end; row++)
        for (uint64_t arc = offsets[row]; arc < offsets[row + 1]; arc++) {
            const uint64_t target = target_at(all, arc);
            if (target >= n)
                return refuse_row(all, row, target, "no such vertex", error);
            if (facts & EM_NO_LOOPS && target == all->csr->first_vertex + row)
                return refuse_row(all, row, target, "a loop, although the flags say there is none", error);
            if (facts & EM_SORTED && arc > offsets[row] && target < target_at(all, arc - 1))
                return refuse_row(all, row, target, "after a larger one, although the flags say rows are sorted",
                                  error);
        }
    return EM_OK;
}

static em_status check_unique(rows *all, uint64_t begin, uint64_t end, em_error *error)
{
    const uint64_t *offsets = offsets_of(all);
    const uint8_t id_bytes = all->csr->id_bytes;
    for (uint64_t row = begin; row < end; row++)
        for (uint64_t arc = offsets[row] + 1; arc < offsets[row + 1]; arc++)
            if (em_id_at(all->sorted, id_bytes, arc) == em_id_at(all->sorted, id_bytes, arc - 1))
                return refuse_row(all, row, em_id_at(all->sorted, id_bytes, arc),
                                  "twice, although the flags say no arc is", error);
    return EM_OK;
}

/* First arc of `row`, in sorted order, whose target is not below `target`. */
static uint64_t lower_bound(const rows *all, uint64_t row, uint64_t target)
{
    uint64_t low = offsets_of(all)[row], high = offsets_of(all)[row + 1];
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (em_id_at(all->sorted, all->csr->id_bytes, middle) < target)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static em_status check_symmetric(rows *all, uint64_t begin, uint64_t end, em_error *error)
{
    const uint64_t *offsets = offsets_of(all);
    for (uint64_t row = begin; row < end; row++)
        for (uint64_t arc = offsets[row], after; arc < offsets[row + 1]; arc = after) {
            const uint64_t target = em_id_at(all->sorted, all->csr->id_bytes, arc);
            after = arc + 1;
            while (after < offsets[row + 1] && em_id_at(all->sorted, all->csr->id_bytes, after) == target)
                after++;
            const uint64_t reverse = lower_bound(all, target, row), reverse_end = lower_bound(all, target, row + 1);
            if (reverse_end - reverse != after - arc)
                return refuse_row(all, row, target, "its reverse is not there as often, although the flags say so",
                                  error);
        }
    return EM_OK;
}

em_status em_csr_check(em_context *context, const em_csr *csr, const char *path, em_error *error)
{
    rows all = {.context = context, .csr = csr, .path = path};
    const uint64_t *offsets = csr->offsets.at;
    if (offsets[0] != 0 || offsets[csr->n_vertices] != csr->n_arcs)
        return em_fail(error, EM_MALFORMED, "%s: offsets are wrong: they go from %llu to %llu, of %llu arcs", path,
                       (unsigned long long)offsets[0], (unsigned long long)offsets[csr->n_vertices],
                       (unsigned long long)csr->n_arcs);
    if (!em_csr_is_whole(csr) && csr->facts & EM_SYMMETRIC)
        return em_fail(error, EM_MALFORMED, "%s: a shard cannot tell that the reverses of its arcs are there", path);
    em_status status = visit_all(&all, check_offsets, error);
    if (status == EM_OK)
        status = visit_all(&all, check_targets, error);
    if (status != EM_OK || !(csr->facts & (EM_UNIQUE | EM_SYMMETRIC)))
        return status;
    if (csr->facts & EM_SORTED)
        all.sorted = csr->targets.at;
    else
        status = sort_copy(&all, error);
    if (status == EM_OK && csr->facts & EM_UNIQUE)
        status = visit_all(&all, check_unique, error);
    if (status == EM_OK && csr->facts & EM_SYMMETRIC)
        status = visit_all(&all, check_symmetric, error);
    free_sorted(&all);
    return status;
}

/* --- facts ---------------------------------------------------------------------------------------- */

static void mark_in_arc(const rows *all, uint64_t vertex)
{
    uint8_t *byte = &all->has_in_arc[vertex / 8];
    const uint8_t bit = (uint8_t)(1 << vertex % 8);
    if (!(__atomic_load_n(byte, __ATOMIC_RELAXED) & bit)) /* most are marked already: no bus traffic for them */
        __atomic_fetch_or(byte, bit, __ATOMIC_RELAXED);
}

static em_status count_duplicates(const rows *all, uint64_t row, uint64_t *n, em_error *error)
{
    const uint64_t begin = offsets_of(all)[row], n_arcs = offsets_of(all)[row + 1] - begin;
    const uint8_t id_bytes = all->csr->id_bytes;
    void *copy = NULL;
    const em_status status = em_allocate_array(all->context, n_arcs, id_bytes, &copy, error);
    if (status != EM_OK)
        return status;
    memcpy(copy, (const char *)all->csr->targets.at + begin * id_bytes, n_arcs * id_bytes);
    qsort(copy, n_arcs, id_bytes, id_bytes == 4 ? compare_narrow : compare_wide);
    for (uint64_t i = 1; i < n_arcs; i++)
        *n += em_id_at(copy, id_bytes, i) == em_id_at(copy, id_bytes, i - 1);
    em_free(all->context, copy, n_arcs * id_bytes);
    return EM_OK;
}

static em_status look_at_row(const rows *all, uint64_t row, em_csr_summary *found, em_error *error)
{
    const em_csr *csr = all->csr;
    const uint64_t begin = offsets_of(all)[row], end = offsets_of(all)[row + 1], source = csr->first_vertex + row;
    bool sorted = true;
    uint64_t n_equal = 0;
    for (uint64_t arc = begin; arc < end; arc++) {
        const uint64_t target = target_at(all, arc), before = arc > begin ? target_at(all, arc - 1) : 0;
        found->n_loops += target == source;
        found->arc_checksum += em_arc_hash(source, target, em_weight_bits(csr->weight_kind, csr->weights.at, arc));
        if (target != source) /* an arc and its reverse cancel */
            found->asymmetry += source < target ? em_arc_hash(source, target, 0) : -em_arc_hash(target, source, 0);
        n_equal += arc > begin && target == before;
        sorted &= target >= before;
        mark_in_arc(all, target);
    }
    if (end - begin > found->largest_degree)
        found->largest_degree = end - begin;
    found->n_without_out_arcs += begin == end;
    if (sorted) {
        found->n_duplicates += n_equal;
        return EM_OK;
    }
    found->sorted = false;
    return count_duplicates(all, row, &found->n_duplicates, error);
}

static em_status look_at_rows(rows *all, uint64_t begin, uint64_t end, em_error *error)
{
    em_csr_summary found = {.sorted = true}, *into = all->summary;
    for (uint64_t row = begin; row < end; row++) {
        const em_status status = look_at_row(all, row, &found, error);
        if (status != EM_OK)
            return status;
    }
    __atomic_fetch_add(&into->n_loops, found.n_loops, __ATOMIC_RELAXED);
    __atomic_fetch_add(&into->n_duplicates, found.n_duplicates, __ATOMIC_RELAXED);
    __atomic_fetch_add(&into->n_without_out_arcs, found.n_without_out_arcs, __ATOMIC_RELAXED);
    __atomic_fetch_add(&into->arc_checksum, found.arc_checksum, __ATOMIC_RELAXED);
    __atomic_fetch_add(&into->asymmetry, found.asymmetry, __ATOMIC_RELAXED);
    uint64_t largest = __atomic_load_n(&into->largest_degree, __ATOMIC_RELAXED);
    while (largest < found.largest_degree &&
           !__atomic_compare_exchange_n(&into->largest_degree, &largest, found.largest_degree, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
        ;
    if (!found.sorted)
        __atomic_store_n(&into->sorted, false, __ATOMIC_RELAXED);
    return EM_OK;
}

static em_status count_isolated(rows *all, uint64_t begin, uint64_t end, em_error *error)
{
    uint64_t n = 0;
    (void)error;
    for (uint64_t row = begin, vertex = all->csr->first_vertex + begin; row < end; row++, vertex++)
        n += offsets_of(all)[row] == offsets_of(all)[row + 1] && !(all->has_in_arc[vertex / 8] >> vertex % 8 & 1);
    __atomic_fetch_add(&all->summary->n_isolated, n, __ATOMIC_RELAXED);
    return EM_OK;
}

em_status em_csr_summarize(em_context *context, const em_csr *csr, em_csr_summary *summary, em_error *error)
{
    *summary = (em_csr_summary){.sorted = true};
    rows all = {.context = context, .csr = csr, .summary = summary};
    const uint64_t n_bytes = em_csr_n_targets(csr) / 8 + 1;
    void *memory = NULL;
    em_status status = em_allocate_zeroed(context, n_bytes, &memory, error);
    if (status != EM_OK)
        return status;
    all.has_in_arc = memory;
    status = visit_all(&all, look_at_rows, error);
    if (status == EM_OK)
        status = visit_all(&all, count_isolated, error);
    em_free(context, memory, n_bytes);
    return status;
}
