/* use_close_gaps - parts of columns move down in place, on all threads. See select.h.
 *
 * A part's destination covers the end of the source before it as soon as that has moved by more than the gap between
 * them, so parts that wait for whole parts would move one after another. Instead they are cut in pieces, which are the
 * tiles of a chain (scan/chain.h): a piece is read into scratch and announced, and written once all pieces before it
 * are announced. Its destination ends at or before its own source's end, so everything it overwrites has been read.
 *
 * Cost: a read and a write of what moves; parts that stay where they are cost nothing. One thread moves parts by
 * memmove.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/base/parallel.h"
#include "scan/chain.h"
#include "scan/use_columns.h"

#include <string.h>

typedef struct closing {
    em_context *context;
    const em_gap_part *parts;
    uint64_t n_parts, n_items;
    uint64_t *first_pieces; /* first_pieces[n_parts + 1]: pieces of the parts before, which is a piece's number */
    select_ways ways;
    em_chain chain;
} closing;

static em_status check_parts(const em_gap_part *parts, uint64_t n_parts, em_error *error)
{
    uint64_t from = 0, to = 0; /* where the part before ends */
    for (uint64_t i = 0; i < n_parts; i++) {
        const em_gap_part *part = &parts[i];
        uint64_t end;
        if (part->to > part->from || part->from < from || part->to < to ||
            __builtin_add_overflow(part->from, part->n, &end))
            return em_fail(error, EM_USAGE, "close gaps: part %llu (%llu items from %llu to %llu) is out of order",
                           (unsigned long long)i, (unsigned long long)part->n, (unsigned long long)part->from,
                           (unsigned long long)part->to);
        from = end;
        to = part->to + part->n;
    }
    return EM_OK;
}

static bool moves(const em_gap_part *part)
{
    return part->n > 0 && part->from != part->to;
}

/* The part that a piece belongs to: the last one whose pieces begin at or before it, which has some, since those
 * without begin where the next one does. */
static uint64_t part_of(const closing *own, uint64_t piece)
{
    uint64_t begin = 0, end = own->n_parts;
    while (end - begin > 1) {
        const uint64_t middle = begin + (end - begin) / 2;
        if (own->first_pieces[middle] <= piece)
            begin = middle;
        else
            end = middle;
    }
    return begin;
}

static em_status move_pieces(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    (void)n_workers;
    closing *own = state;
    const select_ways *ways = &own->ways;
    const uint64_t n_pieces = own->first_pieces[own->n_parts];
    void *scratch;
    em_status status = em_allocate(own->context, ways->scratch_bytes, &scratch, error);
    for (uint64_t piece = em_chain_next(&own->chain); piece < n_pieces; piece = em_chain_next(&own->chain)) {
        const uint64_t index = part_of(own, piece);
        const em_gap_part *part = &own->parts[index];
        const uint64_t begin = (piece - own->first_pieces[index]) * ways->tile_items;
        const uint64_t n = part->n - begin < ways->tile_items ? part->n - begin : ways->tile_items;
        uint64_t n_before;
        if (status == EM_OK)
            status = select_report(own->context, "close gaps", worker, piece, n_pieces, error);
        if (status != EM_OK) {
            em_chain_give_up(&own->chain, piece);
            break;
        }
        for (uint32_t i = 0; i < ways->n; i++)
            memcpy((unsigned char *)scratch + ways->of[i].scratch_at,
                   ways->of[i].from + (part->from + begin) * ways->of[i].bytes, n * ways->of[i].bytes);
        if (!em_chain_wait(&own->chain, piece, n, &n_before))
            break;
        for (uint32_t i = 0; i < ways->n; i++)
            em_put(ways->of[i].to + (part->to + begin) * ways->of[i].bytes,
                   (unsigned char *)scratch + ways->of[i].scratch_at, n * ways->of[i].bytes, ways->stream);
    }
    em_free(own->context, scratch, ways->scratch_bytes);
    return status;
}

static em_status close_by_team(closing *own, em_error *error)
{
    const uint64_t n_words = own->n_parts + 1;
    void *words;
    em_status status = em_allocate_array(own->context, n_words, sizeof *own->first_pieces, &words, error);
    if (status != EM_OK)
        return status;
    own->first_pieces = words;
    uint64_t n_pieces = 0;
    for (uint64_t i = 0; i < own->n_parts; i++) {
        own->first_pieces[i] = n_pieces;
        n_pieces += moves(&own->parts[i]) ? select_n_tiles(&own->ways, own->parts[i].n) : 0;
    }
    own->first_pieces[own->n_parts] = n_pieces;
    status = em_chain_open(own->context, n_pieces, &own->chain, error);
    if (status == EM_OK && n_pieces > 0) {
        const uint32_t n_threads = em_context_threads(own->context);
        status =
            em_parallel(own->context, n_pieces < n_threads ? (uint32_t)n_pieces : n_threads, move_pieces, own, error);
    }
    em_chain_close(own->context, &own->chain);
    em_free(own->context, words, n_words * sizeof *own->first_pieces);
    return status;
}

static em_status close_alone(const closing *own, em_error *error)
{
    em_status status = EM_OK;
    for (uint64_t i = 0; i < own->n_parts && status == EM_OK; i++) {
        const em_gap_part *part = &own->parts[i];
        if (moves(part))
            for (uint32_t k = 0; k < own->ways.n; k++)
                memmove(own->ways.of[k].to + part->to * own->ways.of[k].bytes,
                        own->ways.of[k].from + part->from * own->ways.of[k].bytes, part->n * own->ways.of[k].bytes);
        status = em_context_check(own->context, error);
    }
    return status;
}

em_status em_close_gaps(em_context *context, const em_column *columns, uint32_t n_columns, const em_gap_part *parts,
                        uint64_t n_parts, em_error *error)
{
    em_status status = check_parts(parts, n_parts, error);
    if (status == EM_OK)
        status = select_check_columns("close gaps", columns, n_columns,
                                      n_parts ? parts[n_parts - 1].from + parts[n_parts - 1].n : 0, error);
    if (status != EM_OK)
        return status;
    closing own = {.context = context, .parts = parts, .n_parts = n_parts};
    for (uint64_t i = 0; i < n_parts; i++)
        own.n_items += moves(&parts[i]) ? parts[i].n : 0;
    own.ways = select_make_ways(context, columns, n_columns, own.n_items);
    status = em_context_report(context, "close gaps", 0, own.n_items, error);
    if (status != EM_OK || own.n_items == 0 || n_columns == 0)
        return status;
    return select_pays_threads(context, &own.ways, own.n_items) ? close_by_team(&own, error) : close_alone(&own, error);
}
