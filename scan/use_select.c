/* use_select - see select.h.
 *
 * A tile is judged in blocks that stay in the first-level cache, and packed into scratch that stays in the second.
 * Packing asks for what is judged some blocks later; blocks are so small that memory is not left idle while one is
 * judged (100 M u32, two threads, 10 % kept, to the best copy: 16 KiB 0.93, 8 KiB 0.90, 4 KiB two blocks ahead 0.85).
 * Few items are packed block by block on the stack, without a team or memory.
 *
 * Cost: a read of all items, a write of those kept, and 64 bytes a tile.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/base/parallel.h"
#include "scan/chain.h"
#include "scan/use_columns.h"

#include <string.h>

enum { WORD_BITS = 64, BLOCK_WORDS = EM_SELECT_BLOCK / WORD_BITS, BLOCK_BYTES = 4 << 10, AHEAD_BLOCKS = 2 };

typedef struct selection {
    em_context *context;
    em_row_predicate *predicate;
    const void *state;
    uint64_t n, block_items;
    select_ways ways;
    em_chain chain;
} selection;

/* What is judged and packed at a time: the most items, a multiple of a word of bits, of which all columns take
 * BLOCK_BYTES. */
static uint64_t block_items_of(uint64_t row_bytes)
{
    const uint64_t items = row_bytes ? BLOCK_BYTES / row_bytes / WORD_BITS * WORD_BITS : EM_SELECT_BLOCK;
    return items < WORD_BITS ? WORD_BITS : items > EM_SELECT_BLOCK ? EM_SELECT_BLOCK : items;
}

/* Bits past the last item are the predicate's to leave as they come. */
static inline em_status judge(const selection *own, uint32_t worker, uint64_t begin, uint64_t n, uint64_t *bits,
                              em_error *error)
{
    const em_status status = own->predicate(own->state, worker, begin, (uint32_t)n, bits, error);
    if (n % WORD_BITS)
        bits[n / WORD_BITS] &= (UINT64_C(1) << n % WORD_BITS) - 1;
    return status;
}

static inline uint64_t count(const uint64_t *bits, uint64_t n)
{
    uint64_t n_kept = 0;
    for (uint64_t i = 0; i * WORD_BITS < n; i++)
        n_kept += (uint64_t)__builtin_popcountll(bits[i]);
    return n_kept;
}

/* --- a team ------------------------------------------------------------------------------------------------- */

typedef struct range {
    uint64_t begin, end;
} range;

/* Empty past the last tile. */
static range tile_at(const selection *own, uint64_t tile)
{
    const uint64_t items = own->ways.tile_items;
    if (tile >= select_n_tiles(&own->ways, own->n))
        return (range){own->n, own->n};
    const uint64_t begin = tile * items;
    return (range){begin, own->n - begin < items ? own->n : begin + items};
}

/* Packs a tile into scratch; *n_kept receives how many items are kept. */
static em_status pack_tile(const selection *own, uint32_t worker, range tile, unsigned char *scratch, uint64_t *n_kept,
                           em_error *error)
{
    const select_ways *ways = &own->ways;
    uint64_t bits[BLOCK_WORDS], n;
    *n_kept = 0;
    for (uint64_t begin = tile.begin; begin < tile.end; begin += n) {
        n = tile.end - begin < own->block_items ? tile.end - begin : own->block_items;
        const uint64_t ahead = tile.end - begin >= (AHEAD_BLOCKS + 1) * n ? begin + AHEAD_BLOCKS * n : begin;
        const em_status status = judge(own, worker, begin, n, bits, error);
        if (status != EM_OK)
            return status;
        uint64_t n_block = ways->n ? 0 : count(bits, n);
        for (uint32_t i = 0; i < ways->n; i++) {
            const select_way *way = &ways->of[i];
            n_block = way->pack(way->from + begin * way->bytes, bits, n,
                                scratch + way->scratch_at + *n_kept * way->bytes, way->from + ahead * way->bytes);
        }
        *n_kept += n_block;
    }
    return EM_OK;
}

/* Writes a packed tile, and asks for the first blocks of the next meanwhile. */
static void put_tile(const selection *own, const unsigned char *scratch, uint64_t n_before, uint64_t n_kept, range next)
{
    const uint64_t n_next = next.end - next.begin < AHEAD_BLOCKS * own->block_items ? next.end - next.begin
                                                                                    : AHEAD_BLOCKS * own->block_items;
    for (uint32_t i = 0; i < own->ways.n; i++) {
        const select_way *way = &own->ways.of[i];
        em_put_ahead(way->to + n_before * way->bytes, scratch + way->scratch_at, n_kept * way->bytes, own->ways.stream,
                     way->from + next.begin * way->bytes, n_next * way->bytes);
    }
}

static em_status select_tiles(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    (void)n_workers;
    selection *own = state;
    void *scratch;
    em_status status = em_allocate(own->context, own->ways.scratch_bytes, &scratch, error);
    uint64_t at = em_chain_next(&own->chain);
    range tile = tile_at(own, at);
    while (tile.begin < tile.end) {
        uint64_t n_kept = 0, n_before;
        if (status == EM_OK)
            status = select_report(own->context, "select", worker, tile.begin, own->n, error);
        if (status == EM_OK)
            status = pack_tile(own, worker, tile, scratch, &n_kept, error);
        if (status != EM_OK)
            em_chain_give_up(&own->chain, at);
        if (status != EM_OK || !em_chain_wait(&own->chain, at, n_kept, &n_before)) /* who gave up first says why */
            break;
        at = em_chain_next(&own->chain);
        tile = tile_at(own, at);
        put_tile(own, scratch, n_before, n_kept, tile);
    }
    em_free(own->context, scratch, own->ways.scratch_bytes);
    return status;
}

static em_status select_by_team(selection *own, uint64_t *n_kept, em_error *error)
{
    const uint64_t n_tiles = select_n_tiles(&own->ways, own->n);
    em_status status = em_chain_open(own->context, n_tiles, &own->chain, error);
    if (status == EM_OK) {
        const uint32_t n_threads = em_context_threads(own->context);
        status =
            em_parallel(own->context, n_tiles < n_threads ? (uint32_t)n_tiles : n_threads, select_tiles, own, error);
    }
    if (status == EM_OK)
        *n_kept = em_chain_total(&own->chain);
    em_chain_close(own->context, &own->chain);
    return status;
}

/* --- one thread ---------------------------------------------------------------------------------------------- */

/* By the calling thread. Blocks come in order, so where they go is known; they go by way of the stack, since a packer
 * stores whole registers and nothing past what is kept is to be written. In place that does not matter. */
static em_status select_alone(const selection *own, uint64_t *n_kept, em_error *error)
{
    enum { REPORT_ITEMS = 1 << 20 };
    const select_ways *ways = &own->ways;
    uint64_t bits[BLOCK_WORDS], total = 0, n;
    _Alignas(SELECT_LINE_BYTES) unsigned char packed[BLOCK_BYTES];
    em_status status = EM_OK;
    for (uint64_t begin = 0; begin < own->n; begin += n) {
        n = own->n - begin < own->block_items ? own->n - begin : own->block_items;
        const uint64_t next = own->n - begin >= (AHEAD_BLOCKS + 1) * n ? begin + AHEAD_BLOCKS * n : begin;
        if (begin > 0 && begin % REPORT_ITEMS < own->block_items)
            status = em_context_report(own->context, "select", begin, own->n, error);
        if (status == EM_OK)
            status = judge(own, 0, begin, n, bits, error);
        if (status != EM_OK)
            return status;
        uint64_t n_block = ways->n ? 0 : count(bits, n);
        for (uint32_t i = 0; i < ways->n; i++) {
            const select_way *way = &ways->of[i];
            const unsigned char *from = way->from + begin * way->bytes;
            unsigned char *to = way->to + total * way->bytes;
            const bool apart = way->from != way->to;
            n_block = way->pack(from, bits, n, apart ? packed : to, way->from + next * way->bytes);
            if (apart)
                em_put(to, packed, n_block * way->bytes, ways->stream);
        }
        total += n_block;
    }
    *n_kept = total;
    return EM_OK;
}

static em_status run(selection *own, uint64_t *n_kept, em_error *error)
{
    uint64_t total = 0;
    own->block_items = block_items_of(own->ways.row_bytes);
    em_status status = em_context_report(own->context, "select", 0, own->n, error);
    if (status == EM_OK && own->n > 0)
        status = select_pays_threads(own->context, &own->ways, own->n) ? select_by_team(own, &total, error)
                                                                       : select_alone(own, &total, error);
    if (status == EM_OK && n_kept)
        *n_kept = total;
    return status;
}

/* --- the calls ------------------------------------------------------------------------------------------------- */

typedef struct items_judge {
    em_predicate *predicate;
    const void *state;
    const unsigned char *in;
    uint64_t item_bytes;
} items_judge;

static em_status judge_items(const void *state, uint32_t worker, uint64_t first_index, uint32_t n, uint64_t *bits,
                             em_error *error)
{
    (void)worker;
    const items_judge *own = state;
    return own->predicate(own->state, own->in + first_index * own->item_bytes, first_index, n, bits, error);
}

em_status em_select(em_context *context, uint64_t item_bytes, const void *in, uint64_t n, em_predicate *predicate,
                    const void *state, void *out, uint64_t *n_kept, em_error *error)
{
    const em_column column = {out, item_bytes};
    em_status status = select_check_columns("select", &column, 1, n, error);
    if (status == EM_OK && in != out)
        status = use_check_apart("select", (use_array){in, n, item_bytes, item_bytes < 8 ? item_bytes : 8},
                                 (use_array){out, n, item_bytes, 1}, error);
    if (status != EM_OK)
        return status;
    const items_judge items = {predicate, state, in, item_bytes};
    selection own = {.context = context,
                     .predicate = judge_items,
                     .state = &items,
                     .n = n,
                     .ways = select_make_ways(context, &column, 1, n)};
    own.ways.of[0].from = in;
    return run(&own, n_kept, error);
}

em_status em_select_columns(em_context *context, const em_column *columns, uint32_t n_columns, uint64_t n,
                            em_row_predicate *predicate, const void *state, uint64_t *n_kept, em_error *error)
{
    const em_status status = select_check_columns("select", columns, n_columns, n, error);
    if (status != EM_OK)
        return status;
    selection own = {.context = context,
                     .predicate = predicate,
                     .state = state,
                     .n = n,
                     .ways = select_make_ways(context, columns, n_columns, n)};
    return run(&own, n_kept, error);
}
