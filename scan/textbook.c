/* textbook - see textbook.h.
 *
 * Hillis and Steele (Data Parallel Algorithms, CACM 29(12), 1986): after the round of distance d cell i holds the
 * combination of the 2 d items that end at i. The later cell of a combine is also the earlier one of another, so a
 * round reads one array and writes a second. log2 n rounds, and in the round of distance d n - d combines.
 *
 * Blelloch (Prefix Sums and Their Applications, CMU-CS-90-190, 1990): a tree over the cells, each node kept in the last
 * cell of its range. Going up every node becomes the sum of its range. Going down every node becomes the prefix of its
 * range: the left child has its parent's prefix, the right one prefix (+) sum of the left, in this order, which is all
 * that a monoid which does not commute needs. The n - 1 places where two neighbouring items are in different halves of
 * a node are combined once on each way: 2 (n - 1), whatever the padding.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/textbook.h"

#include <string.h>

/* The cells of one call, and what was noted of the round under way. */
typedef struct work {
    em_context *context;
    const em_textbook *scan;
    em_textbook_cost *cost;
    unsigned char *cells;
    uint64_t n_cells;
    em_textbook_change *changes; /* NULL where nobody watches */
    uint64_t n_changes, n_combines;
} work;

static em_status begin(work *w, em_context *context, const em_textbook *scan, uint64_t n_cells, em_textbook_cost *cost,
                       em_error *error)
{
    *w = (work){.context = context, .scan = scan, .cost = cost, .n_cells = n_cells};
    const em_monoid *of = scan->monoid;
    if (!of || !of->elem_bytes || !of->item_bytes || !of->identity || !of->lift || !of->combine)
        return em_fail(error, EM_USAGE, "scan: the operator is not defined for the type, or its monoid is not whole");
    if (scan->n && !scan->items)
        return em_fail(error, EM_USAGE, "scan: no array given for %llu elements", (unsigned long long)scan->n);
    if (!scan->observe)
        return EM_OK;
    void *changes;
    const em_status status = em_allocate_array(context, n_cells, sizeof *w->changes, &changes, error);
    w->changes = status == EM_OK ? changes : NULL;
    return status;
}

static void end(work *w)
{
    em_free(w->context, w->changes, w->n_cells * sizeof *w->changes);
}

static void *cell(const work *w, uint64_t i)
{
    return w->cells + i * w->scan->monoid->elem_bytes;
}

static void note(work *w, uint64_t to, uint64_t earlier, uint64_t later)
{
    if (w->changes)
        w->changes[w->n_changes++] = (em_textbook_change){to, earlier, later};
}

/* Cell `to` becomes the combination of two cells, each of which may be itself. */
static void combine(work *w, uint64_t to, uint64_t earlier, uint64_t later)
{
    w->scan->monoid->combine(w->scan->monoid, cell(w, earlier), cell(w, later), cell(w, to));
    w->n_combines++;
    note(w, to, earlier, later);
}

static void lift(const work *w, uint64_t item, void *element)
{
    const em_monoid *of = w->scan->monoid;
    of->lift(of, (const unsigned char *)w->scan->items + item * of->item_bytes, element);
}

/* What an exclusive scan begins with. */
static void put_start(const em_textbook *scan, void *element)
{
    if (scan->start)
        memcpy(element, scan->start, scan->monoid->elem_bytes);
    else if (scan->monoid->starts_at_zero)
        memset(element, 0, scan->monoid->elem_bytes);
    else
        scan->monoid->identity(scan->monoid, element);
}

/* Counts the round and shows it. */
static em_status done(work *w, em_textbook_phase phase, uint64_t distance, em_error *error)
{
    if (w->cost) {
        w->cost->n_combines += w->n_combines;
        w->cost->depth += w->n_combines > 0;
    }
    const em_textbook_round round = {phase,      distance,   w->cells,     w->scan->n,
                                     w->n_cells, w->changes, w->n_changes, w->n_combines};
    w->n_combines = 0;
    w->n_changes = 0;
    if (w->scan->observe) {
        const em_status status = w->scan->observe(w->scan->state, &round, error);
        if (status != EM_OK)
            return status;
    }
    return em_context_check(w->context, error);
}

/* The items, lifted into the first cells, and what precedes them. */
static em_status lift_items(work *w, bool with_start, em_error *error)
{
    const em_monoid *of = w->scan->monoid;
    for (uint64_t i = 0; i < w->scan->n; i++)
        lift(w, i, cell(w, i));
    for (uint64_t i = w->scan->n; i < w->n_cells; i++)
        of->identity(of, cell(w, i));
    em_status status = done(w, EM_PHASE_ITEMS, 0, error);
    if (status == EM_OK && with_start && w->scan->start && w->scan->n) {
        of->combine(of, w->scan->start, cell(w, 0), cell(w, 0));
        w->n_combines++;
        note(w, 0, EM_NO_CELL, 0);
        status = done(w, EM_PHASE_START, 0, error);
    }
    return status;
}

em_status em_textbook_fold(em_context *context, const em_textbook *scan, void *elements, em_textbook_cost *cost,
                           em_error *error)
{
    work w;
    em_status status = begin(&w, context, scan, scan->n, cost, error);
    w.cells = elements;
    if (status == EM_OK)
        status = lift_items(&w, true, error);
    for (uint64_t i = 1; i < scan->n && status == EM_OK; i++) {
        combine(&w, i, i - 1, i);
        status = done(&w, EM_PHASE_FOLD, 1, error);
    }
    end(&w);
    return status;
}

/* One round, from the cells into `next`. */
static void double_cells(work *w, uint64_t distance, unsigned char *next)
{
    const em_monoid *of = w->scan->monoid;
    memcpy(next, w->cells, distance * of->elem_bytes);
    for (uint64_t i = distance; i < w->n_cells; i++) {
        of->combine(of, cell(w, i - distance), cell(w, i), next + i * of->elem_bytes);
        w->n_combines++;
        note(w, i, i - distance, i);
    }
}

em_status em_hillis_steele(em_context *context, const em_textbook *scan, void *elements, em_textbook_cost *cost,
                           em_error *error)
{
    work w;
    void *second = NULL;
    em_status status = begin(&w, context, scan, scan->n, cost, error);
    if (status == EM_OK)
        status = em_allocate_array(context, scan->n, scan->monoid->elem_bytes, &second, error);
    if (status != EM_OK)
        goto done;
    w.cells = elements;
    unsigned char *next = second;
    status = lift_items(&w, true, error);
    for (uint64_t distance = 1; distance < scan->n && status == EM_OK; distance *= 2) {
        double_cells(&w, distance, next);
        unsigned char *const before = w.cells;
        w.cells = next;
        next = before;
        status = done(&w, EM_PHASE_DOUBLE, distance, error);
    }
    if (status == EM_OK && scan->n && w.cells != elements)
        memcpy(elements, w.cells, scan->n * scan->monoid->elem_bytes);
done:
    if (second)
        em_free(context, second, scan->n * scan->monoid->elem_bytes);
    end(&w);
    return status;
}

/* Nodes whose halves have `half` cells, each kept in the last cell of its range. A half that begins past the last item
 * is padding. */
static void sweep_up(work *w, uint64_t half)
{
    const uint64_t elem_bytes = w->scan->monoid->elem_bytes;
    for (uint64_t i = 2 * half - 1; i - (2 * half - 1) < w->scan->n; i += 2 * half) {
        const uint64_t left = i - half;
        if (left + 1 < w->scan->n) {
            combine(w, i, left, i);
        } else {
            memcpy(cell(w, i), cell(w, left), elem_bytes);
            note(w, i, left, EM_NO_CELL);
        }
    }
}

static void sweep_down(work *w, uint64_t half, void *sum_of_left)
{
    const em_monoid *of = w->scan->monoid;
    for (uint64_t i = 2 * half - 1; i - (2 * half - 1) < w->scan->n; i += 2 * half) {
        const uint64_t left = i - half;
        memcpy(sum_of_left, cell(w, left), of->elem_bytes);
        memcpy(cell(w, left), cell(w, i), of->elem_bytes);
        note(w, left, i, EM_NO_CELL);
        if (left + 1 < w->scan->n) {
            of->combine(of, cell(w, i), sum_of_left, cell(w, i));
            w->n_combines++;
            note(w, i, i, left);
        }
    }
}

static em_status sweep(work *w, void *sum_of_left, em_error *error)
{
    em_status status = lift_items(w, false, error);
    uint64_t half = 1;
    for (; half < w->n_cells && status == EM_OK; half *= 2) {
        sweep_up(w, half);
        status = done(w, EM_PHASE_UP, half, error);
    }
    if (status != EM_OK || !w->n_cells)
        return status;
    put_start(w->scan, cell(w, w->n_cells - 1));
    note(w, w->n_cells - 1, EM_NO_CELL, EM_NO_CELL);
    status = done(w, EM_PHASE_ROOT, 0, error);
    while ((half /= 2) > 0 && status == EM_OK) {
        sweep_down(w, half, sum_of_left);
        status = done(w, EM_PHASE_DOWN, half, error);
    }
    return status;
}

static uint64_t next_power_of_two(uint64_t n)
{
    uint64_t power = 1;
    while (power < n)
        power *= 2;
    return n ? power : 0;
}

em_status em_blelloch(em_context *context, const em_textbook *scan, void *elements, em_textbook_cost *cost,
                      em_error *error)
{
    if (scan->n > UINT64_C(1) << 48)
        return em_fail(error, EM_NO_MEMORY, "out of memory: cells for %llu items", (unsigned long long)scan->n);
    work w;
    void *cells = NULL;
    const uint64_t n_cells = next_power_of_two(scan->n);
    em_status status = begin(&w, context, scan, n_cells, cost, error);
    if (status == EM_OK) /* and one for a sum on its way from left to right */
        status = em_allocate_array(context, n_cells + 1, scan->monoid->elem_bytes, &cells, error);
    if (status != EM_OK)
        goto done;
    w.cells = cells;
    status = sweep(&w, cell(&w, n_cells), error);
    if (status == EM_OK && scan->n)
        memcpy(elements, cells, scan->n * scan->monoid->elem_bytes);
done:
    if (cells)
        em_free(context, cells, (n_cells + 1) * scan->monoid->elem_bytes);
    end(&w);
    return status;
}

em_status em_exclusive_from_inclusive(em_context *context, const em_textbook *scan, void *elements,
                                      em_textbook_cost *cost, em_error *error)
{
    work w;
    em_status status = begin(&w, context, scan, scan->n, cost, error);
    if (status == EM_OK && scan->n) {
        w.cells = elements;
        memmove(cell(&w, 1), elements, (scan->n - 1) * scan->monoid->elem_bytes);
        put_start(scan, elements);
        for (uint64_t i = 0; i < scan->n; i++)
            note(&w, i, i ? i - 1 : EM_NO_CELL, EM_NO_CELL);
        status = done(&w, EM_PHASE_SHIFT, 1, error);
    }
    end(&w);
    return status;
}

em_status em_inclusive_from_exclusive(em_context *context, const em_textbook *scan, void *elements,
                                      em_textbook_cost *cost, em_error *error)
{
    work w;
    void *own = NULL;
    em_status status = begin(&w, context, scan, scan->n, cost, error);
    if (status == EM_OK)
        status = em_allocate(context, scan->monoid->elem_bytes, &own, error);
    if (status != EM_OK)
        goto done;
    w.cells = elements;
    for (uint64_t i = 0; i < scan->n; i++) {
        lift(&w, i, own);
        scan->monoid->combine(scan->monoid, cell(&w, i), own, cell(&w, i));
        w.n_combines++;
        note(&w, i, i, i);
    }
    if (scan->n)
        status = done(&w, EM_PHASE_INCLUDE, 0, error);
done:
    if (own)
        em_free(context, own, scan->monoid->elem_bytes);
    end(&w);
    return status;
}

em_textbook_cost em_textbook_fold_cost(uint64_t n)
{
    return (em_textbook_cost){n ? n - 1 : 0, n ? n - 1 : 0};
}

em_textbook_cost em_hillis_steele_cost(uint64_t n)
{
    em_textbook_cost cost = {0};
    for (uint64_t distance = 1; distance < n; distance *= 2, cost.depth++)
        cost.n_combines += n - distance;
    return cost;
}

em_textbook_cost em_blelloch_cost(uint64_t n)
{
    em_textbook_cost cost = {n ? 2 * (n - 1) : 0, 0};
    for (uint64_t half = 1; half < n; half *= 2)
        cost.depth += 2;
    return cost;
}

const char *em_textbook_phase_name(em_textbook_phase phase)
{
    static const char *const NAMES[EM_N_PHASES] = {"items", "start", "fold",  "double", "up",
                                                   "root",  "down",  "shift", "include"};
    return (unsigned)phase < EM_N_PHASES ? NAMES[phase] : NULL;
}
