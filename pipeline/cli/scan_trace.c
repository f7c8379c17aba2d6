/* scan_trace - a scan recorded round by round and printed as a table; what the engines do to each tile.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/cli/scan.h"
#include "scan/kernel.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *const em_scan_algorithm_names[EM_N_ALGORITHMS + 1] = {
    "auto", "serial", "hillis-steele", "blelloch", "tiled", "lookback", NULL,
};

/* --- the record --------------------------------------------------------------------------------------------- */

static em_status copy(em_context *context, const void *from, uint64_t n_bytes, void **to, em_error *error)
{
    const em_status status = em_allocate(context, n_bytes, to, error);
    if (status == EM_OK && n_bytes)
        memcpy(*to, from, n_bytes);
    return status;
}

/* The words of all cells, one after another. */
static em_status put_words(const em_scan_job *job, const em_textbook_round *round, em_scan_row *row, char *text,
                           em_error *error)
{
    uint32_t n_bytes = 0;
    for (uint64_t i = 0; i < round->n_cells; i++) {
        row->begins[i] = n_bytes;
        const unsigned char *element = (const unsigned char *)round->elements + i * job->words.monoid->elem_bytes;
        n_bytes = (uint32_t)(em_scan_put_element(&job->words, element, text + n_bytes) - text);
    }
    row->begins[round->n_cells] = n_bytes;
    void *words;
    const em_status status = copy(job->context, text, n_bytes, &words, error);
    row->text = status == EM_OK ? words : NULL;
    return status;
}

static em_status take_round(void *state, const em_textbook_round *round, em_error *error)
{
    em_scan_record *record = state;
    const em_scan_job *job = record->job;
    if (record->n_rows == record->room)
        return em_fail(error, EM_NO_MEMORY, "out of memory for round %" PRIu64, record->n_rows);
    em_scan_row *row = &record->rows[record->n_rows];
    *row = (em_scan_row){.phase = round->phase,
                         .distance = round->distance,
                         .n_combines = round->n_combines,
                         .n_changes = round->n_changes,
                         .n_cells = round->n_cells};
    record->n_cells = round->n_cells > record->n_cells ? round->n_cells : record->n_cells;
    record->n_rows++;
    void *changes = NULL, *begins = NULL, *text = NULL;
    const uint64_t text_bytes = round->n_cells * EM_SCAN_WORD_BYTES;
    em_status status = copy(job->context, round->changes, round->n_changes * sizeof *round->changes, &changes, error);
    row->changes = changes;
    if (status == EM_OK)
        status = em_allocate_array(job->context, round->n_cells + 1, sizeof *row->begins, &begins, error);
    row->begins = begins;
    if (status == EM_OK)
        status = em_allocate(job->context, text_bytes, &text, error);
    if (status == EM_OK)
        status = put_words(job, round, row, text, error);
    em_free(job->context, text, text_bytes);
    return status;
}

em_status em_scan_run_textbook(const em_scan_job *job, em_scan_record *record, void *elements, em_error *error)
{
    const em_textbook scan = {.monoid = job->words.monoid,
                              .items = job->items,
                              .n = job->n,
                              .start = job->initial,
                              .observe = record ? take_round : NULL,
                              .state = record};
    em_textbook_cost *cost = record ? &record->scan : NULL, *step = record ? &record->step : NULL;
    em_status status;
    switch (job->algorithm) {
    case EM_ALGORITHM_HILLIS_STEELE:
        status = em_hillis_steele(job->context, &scan, elements, cost, error);
        break;
    case EM_ALGORITHM_BLELLOCH:
        status = em_blelloch(job->context, &scan, elements, cost, error);
        if (status == EM_OK && !job->exclusive)
            status = em_inclusive_from_exclusive(job->context, &scan, elements, step, error);
        return status;
    default:
        status = em_textbook_fold(job->context, &scan, elements, cost, error);
    }
    if (status == EM_OK && job->exclusive)
        status = em_exclusive_from_inclusive(job->context, &scan, elements, step, error);
    return status;
}

em_status em_scan_record_make(em_scan_record *record, const em_scan_job *job, em_error *error)
{
    enum { ROUNDS = 2 * 64 + 4 }; /* of the longest Blelloch scan; a fold has one for each item */
    void *rows = NULL, *elements = NULL;
    *record = (em_scan_record){.job = job, .room = job->n + ROUNDS};
    em_status status = em_allocate_array(job->context, record->room, sizeof *record->rows, &rows, error);
    record->rows = rows;
    if (status == EM_OK)
        status = em_allocate_array(job->context, job->n, job->words.monoid->elem_bytes, &elements, error);
    if (status == EM_OK)
        status = em_scan_run_textbook(job, record, elements, error);
    em_free(job->context, elements, job->n * job->words.monoid->elem_bytes);
    return status;
}

void em_scan_record_free(em_scan_record *record)
{
    for (uint64_t i = 0; i < record->n_rows; i++) {
        em_scan_row *row = &record->rows[i];
        if (row->text)
            em_free(record->job->context, row->text, row->begins[row->n_cells]);
        em_free(record->job->context, row->begins, (row->n_cells + 1) * sizeof *row->begins);
        em_free(record->job->context, row->changes, row->n_changes * sizeof *row->changes);
    }
    if (record->job)
        em_free(record->job->context, record->rows, record->room * sizeof *record->rows);
    *record = (em_scan_record){0};
}

/* --- the table of rounds ------------------------------------------------------------------------------------ */

static int count_digits(uint64_t n)
{
    return snprintf(NULL, 0, "%" PRIu64, n);
}

static void print_title(em_scan_out *out, const em_scan_job *job)
{
    em_scan_printf(out, "%s: %s %s of %s, %" PRIu64 " item%s", em_scan_algorithm_names[job->algorithm],
                   job->exclusive ? "exclusive" : "inclusive", em_operator_name(job->words.operation),
                   em_type_name(job->words.type), job->n, job->n == 1 ? "" : "s");
}

static const char *rounds(uint64_t n)
{
    return n == 1 ? "round" : "rounds";
}

static void print_cost(em_scan_out *out, const char *name, em_textbook_cost cost)
{
    em_scan_printf(out, " %s %" PRIu64 " in %" PRIu64 " %s", name, cost.n_combines, cost.depth, rounds(cost.depth));
}

static void print_costs(em_scan_out *out, const em_scan_record *record)
{
    const em_scan_job *job = record->job;
    em_scan_printf(out, "combines %" PRIu64 ", depth %" PRIu64 "\n", record->scan.n_combines, record->scan.depth);
    if (record->step.n_combines)
        em_scan_printf(out, "inclusive from exclusive: %" PRIu64 " combines more, depth %" PRIu64 " more\n",
                       record->step.n_combines, record->step.depth);
    const char *separator = "";
    em_scan_printf(out, "for comparison:");
    for (int i = EM_ALGORITHM_SERIAL; i <= EM_ALGORITHM_BLELLOCH; i++)
        if (i != (int)job->algorithm) {
            em_scan_printf(out, "%s", separator);
            print_cost(out, em_scan_algorithm_names[i],
                       i == EM_ALGORITHM_SERIAL     ? em_textbook_fold_cost(job->n)
                       : i == EM_ALGORITHM_BLELLOCH ? em_blelloch_cost(job->n)
                                                    : em_hillis_steele_cost(job->n));
            separator = ",";
        }
    em_scan_printf(out, "\n");
}

static void print_row(em_scan_out *out, const em_scan_row *row, uint64_t n, int width)
{
    em_scan_printf(out, "%-8s", em_textbook_phase_name(row->phase));
    if (row->distance)
        em_scan_printf(out, "%8" PRIu64, row->distance);
    else
        em_scan_printf(out, "%8s", "-");
    em_scan_printf(out, " ");
    for (uint64_t i = 0; i < n; i++)
        em_scan_printf(out, "%*.*s", width, (int)(row->begins[i + 1] - row->begins[i]), row->text + row->begins[i]);
    if (row->n_combines)
        em_scan_printf(out, "%10" PRIu64 "\n", row->n_combines);
    else
        em_scan_printf(out, "%10s\n", "-");
}

void em_scan_print_table(em_scan_out *out, const em_scan_record *record)
{
    const uint64_t n = record->job->n;
    int width = 3 + count_digits(n ? n - 1 : 0);
    for (uint64_t r = 0; r < record->n_rows; r++)
        for (uint64_t i = 0; i < n; i++) {
            const int wide = 2 + (int)(record->rows[r].begins[i + 1] - record->rows[r].begins[i]);
            width = wide > width ? wide : width;
        }
    print_title(out, record->job);
    if (record->n_cells > n)
        em_scan_printf(out, ", padded to %" PRIu64 " cells with the identity (not shown)", record->n_cells);
    em_scan_printf(out, "\n%-8s%8s ", "phase", "distance");
    for (uint64_t i = 0; i < n; i++)
        em_scan_printf(out, "%*s%" PRIu64 "]", width - count_digits(i) - 1, "[", i);
    em_scan_printf(out, "%10s\n", "combines");
    for (uint64_t r = 0; r < record->n_rows; r++)
        print_row(out, &record->rows[r], n, width);
    print_costs(out, record);
}

/* --- tiles --------------------------------------------------------------------------------------------------- */

/* The tiles of a job, as an engine cuts them. */
typedef struct tiles {
    const em_scan_job *job;
    uint64_t n, n_items;              /* of a full one */
    unsigned char *totals, *prefixes; /* totals[n], prefixes[n + 1]: the last is of everything */
    void *scratch, *results, *carry;  /* aggregates and results of one tile, an element */
    uint64_t scratch_bytes;
} tiles;

static uint64_t begin_of(const tiles *all, uint64_t tile)
{
    return tile * all->n_items;
}

static uint64_t size_of(const tiles *all, uint64_t tile)
{
    const uint64_t left = all->job->n - begin_of(all, tile);
    return left < all->n_items ? left : all->n_items;
}

static void print_element(em_scan_out *out, const em_scan_job *job, const void *element, int width)
{
    char word[EM_SCAN_WORD_BYTES];
    const char *end = em_scan_put_element(&job->words, element, word);
    em_scan_printf(out, "%*.*s", width, (int)(end - word), word);
}

static em_status make_tiles(tiles *all, const em_scan_job *job, em_error *error)
{
    const em_monoid *of = job->words.monoid;
    enum { TILE_ITEMS = 4 };
    *all = (tiles){.job = job, .n_items = job->tile_items ? job->tile_items : TILE_ITEMS};
    if (of->leaf_items)
        all->n_items = (all->n_items + of->leaf_items - 1) / of->leaf_items * of->leaf_items;
    all->n = job->n ? (job->n - 1) / all->n_items + 1 : 0;
    all->scratch_bytes = scan_n_aggregates(of, all->n_items) * of->elem_bytes;
    void *totals = NULL, *prefixes = NULL;
    em_status status = em_allocate_array(job->context, all->n, of->elem_bytes, &totals, error);
    all->totals = totals;
    if (status == EM_OK)
        status = em_allocate_array(job->context, all->n + 1, of->elem_bytes, &prefixes, error);
    all->prefixes = prefixes;
    if (status == EM_OK)
        status = em_allocate(job->context, all->scratch_bytes, &all->scratch, error);
    if (status == EM_OK)
        status = em_allocate_array(job->context, all->n_items, of->result_bytes, &all->results, error);
    if (status == EM_OK)
        status = em_allocate(job->context, of->elem_bytes, &all->carry, error);
    return status;
}

static void free_tiles(tiles *all)
{
    em_context *context = all->job->context;
    const em_monoid *of = all->job->words.monoid;
    em_free(context, all->totals, all->n * of->elem_bytes);
    em_free(context, all->prefixes, (all->n + 1) * of->elem_bytes);
    em_free(context, all->scratch, all->scratch_bytes);
    em_free(context, all->results, all->n_items * of->result_bytes);
    em_free(context, all->carry, of->elem_bytes);
}

/* Reduces every tile by the monoid's own kernel, and scans the totals: what the engines do. */
static void reduce_tiles(const tiles *all)
{
    const em_scan_job *job = all->job;
    const em_monoid *of = job->words.monoid;
    if (job->initial)
        memcpy(all->carry, job->initial, of->elem_bytes);
    else if (job->exclusive && of->starts_at_zero)
        memset(all->carry, 0, of->elem_bytes);
    else
        of->identity(of, all->carry);
    for (uint64_t t = 0; t < all->n; t++) {
        const em_tile tile = {(const unsigned char *)job->items + begin_of(all, t) * of->item_bytes, NULL,
                              size_of(all, t), all->scratch};
        void *total = all->totals + t * of->elem_bytes;
        of->reduce(of, &tile);
        of->identity(of, total);
        scan_fold(of, total, all->scratch, scan_n_aggregates(of, tile.n));
        memcpy(all->prefixes + t * of->elem_bytes, all->carry, of->elem_bytes);
        scan_fold(of, all->carry, all->scratch, scan_n_aggregates(of, tile.n));
    }
    memcpy(all->prefixes + all->n * of->elem_bytes, all->carry, of->elem_bytes);
}

static void print_results(em_scan_out *out, const tiles *all, uint64_t t)
{
    const em_scan_job *job = all->job;
    const em_monoid *of = job->words.monoid;
    const em_tile none = {0};
    const em_tile tile = {(const unsigned char *)job->items + begin_of(all, t) * of->item_bytes, all->results,
                          size_of(all, t), NULL};
    memcpy(all->carry, all->prefixes + t * of->elem_bytes, of->elem_bytes);
    of->scan(of, &tile, all->carry, &none, job->exclusive ? EM_TILE_EXCLUSIVE : 0);
    em_scan_printf(out, " ");
    for (uint64_t i = 0; i < tile.n; i++) {
        char word[EM_SCAN_WORD_BYTES];
        const char *end =
            em_scan_put_result(&job->words, (const unsigned char *)all->results + i * of->result_bytes, word);
        em_scan_printf(out, " %.*s", (int)(end - word), word);
    }
    em_scan_printf(out, "\n");
}

static int widest(const tiles *all, int least)
{
    char word[EM_SCAN_WORD_BYTES];
    int width = least;
    for (uint64_t t = 0; t <= 2 * all->n; t++) {
        const unsigned char *of = t < all->n ? all->totals : all->prefixes;
        const uint64_t at = t < all->n ? t : t - all->n;
        const char *end = em_scan_put_element(&all->job->words, of + at * all->job->words.monoid->elem_bytes, word);
        width = end - word > width ? (int)(end - word) : width;
    }
    return width + 2;
}

static void print_tile(em_scan_out *out, const tiles *all, uint64_t t)
{
    char range[48];
    snprintf(range, sizeof range, "%" PRIu64 "-%" PRIu64, begin_of(all, t), begin_of(all, t) + size_of(all, t) - 1);
    em_scan_printf(out, "%4" PRIu64 "  %-9s", t, range);
}

static void print_tiled(em_scan_out *out, const tiles *all)
{
    const uint32_t elem_bytes = all->job->words.monoid->elem_bytes;
    const int width = widest(all, 6);
    em_scan_printf(out,
                   "\n1. all tiles are reduced to totals; 2. the totals are scanned, exclusive: prefixes; 3. all tiles "
                   "are scanned from their prefixes\n%4s  %-9s%*s%*s  results\n",
                   "tile", "items", width, "total", width, "prefix");
    for (uint64_t t = 0; t < all->n; t++) {
        print_tile(out, all, t);
        print_element(out, all->job, all->totals + t * elem_bytes, width);
        print_element(out, all->job, all->prefixes + t * elem_bytes, width);
        print_results(out, all, t);
    }
    em_scan_printf(out, "each item is read twice, each result written once; no tile waits for another\n");
}

/* Workers in step: as many tiles as there are workers publish their totals, then look back, then publish their
 * inclusive prefixes. Tile 0 waits for nobody and has its inclusive prefix at once. So a tile meets the totals of those
 * before it in its group and stops at the last of the group before. */
static void print_lookback(em_scan_out *out, const tiles *all)
{
    const em_scan_job *job = all->job;
    const em_monoid *of = job->words.monoid;
    const int width = widest(all, 9);
    em_scan_printf(
        out,
        "\nsimulated: %u worker%s in step, so that every run shows the same; each takes a tile, publishes its "
        "aggregate, looks back\n%4s  %-9s%*s  %-10s%11s%*s%*s  results\n",
        job->n_workers, job->n_workers == 1 ? "" : "s", "tile", "items", width, "aggregate", "aggregates", "stopped at",
        width, "prefix", width, "inclusive");
    for (uint64_t t = 0; t < all->n; t++) {
        const uint64_t group = t / job->n_workers * job->n_workers, stop = t == 0 ? 0 : group ? group - 1 : 0;
        print_tile(out, all, t);
        print_element(out, job, all->totals + t * of->elem_bytes, width);
        if (t == 0)
            em_scan_printf(out, "  %-10s%11s", "-", "-");
        else
            em_scan_printf(out, "  %-10" PRIu64 "%11" PRIu64, t - 1 - stop, stop);
        print_element(out, job, all->prefixes + t * of->elem_bytes, width);
        print_element(out, job, all->prefixes + (t + 1) * of->elem_bytes, width);
        print_results(out, all, t);
    }
    em_scan_printf(out, "aggregates: how many were met before an inclusive prefix ended the look-back\n"
                        "each item is read from memory once, each result written once\n");
}

em_status em_scan_print_tiles(em_scan_out *out, const em_scan_job *job, em_error *error)
{
    tiles all;
    const em_status status = make_tiles(&all, job, error);
    if (status == EM_OK) {
        reduce_tiles(&all);
        print_title(out, job);
        em_scan_printf(out, " in %" PRIu64 " tile%s of %" PRIu64, all.n, all.n == 1 ? "" : "s", all.n_items);
        if (job->words.monoid->leaf_items)
            em_scan_printf(out, " (whole leaves: the grouping of floats is specified)");
        if (job->algorithm == EM_ALGORITHM_TILED)
            print_tiled(out, &all);
        else
            print_lookback(out, &all);
    }
    free_tiles(&all);
    return status;
}
