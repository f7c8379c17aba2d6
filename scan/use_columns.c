/* use_columns - see use_columns.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/use_columns.h"

/* Bytes of a tile, all columns together: what is packed of it lies in the second-level cache until its place is known.
 * 50 M u32, one thread, 50 % kept, to the best copy, by tile: 32 KiB 1.15, 64 KiB 1.17, 128 KiB 1.18, 256 KiB 1.17, 512
 * KiB 1.16; 10 % kept: 0.97, 0.93, 0.93, 0.92, 0.91. So a tile is large enough for its state (64 bytes) and the wait
 * for its place to cost nothing, and no larger. */
#define TILE_BYTES       (UINT64_C(128) << 10)
#define TILE_BYTES_LEAST (UINT64_C(32) << 10)
enum { TILES_OF_THREAD = 8 };

/* Picoseconds to judge, pack and write an item, half of them kept, and what each of its bytes adds. One thread, u32:
 * 165 in the cache, 200 to 280 past it. */
enum { ITEM_PS = 100, BYTE_PS = 35 };

em_status select_check_columns(const char *use, const em_column *columns, uint32_t n_columns, uint64_t n,
                               em_error *error)
{
    if (n_columns > EM_MOST_COLUMNS)
        return em_fail(error, EM_USAGE, "%s: %u columns are more than %d", use, n_columns, (int)EM_MOST_COLUMNS);
    for (uint32_t i = 0; i < n_columns; i++) {
        const uint64_t bytes = columns[i].item_bytes;
        if (bytes != 4 && bytes != 8 && bytes != 16)
            return em_fail(error, EM_USAGE, "%s: items of %llu bytes; they are of 4, 8 or 16", use,
                           (unsigned long long)bytes);
        const use_array own = {columns[i].at, n, bytes, bytes < 8 ? bytes : 8};
        em_status status = use_check_array(use, own, error);
        for (uint32_t k = 0; k < i && status == EM_OK; k++)
            status = use_check_apart(use, own, (use_array){columns[k].at, n, columns[k].item_bytes, 1}, error);
        if (status != EM_OK)
            return status;
    }
    return EM_OK;
}

static uint64_t tile_bytes_of(const em_context *context, uint64_t n_bytes)
{
    const uint64_t knob = em_context_knobs(context)->tile_bytes;
    if (knob)
        return knob;
    const uint64_t share = n_bytes / em_context_threads(context) / TILES_OF_THREAD;
    return share < TILE_BYTES_LEAST ? TILE_BYTES_LEAST : share < TILE_BYTES ? share : TILE_BYTES;
}

void select_plan_ways(em_context *context, select_ways *ways, uint64_t n)
{
    enum { LINE_ITEMS = 64 }; /* whole words of bits, and whole lines of scratch, where there are as many */
    ways->row_bytes = 0;
    for (uint32_t i = 0; i < ways->n; i++)
        ways->row_bytes += ways->of[i].bytes;
    ways->tile_items = tile_bytes_of(context, n * ways->row_bytes) / (ways->row_bytes + !ways->row_bytes);
    if (ways->tile_items > LINE_ITEMS)
        ways->tile_items = ways->tile_items / LINE_ITEMS * LINE_ITEMS;
    ways->tile_items += !ways->tile_items;
    ways->scratch_bytes = 0;
    for (uint32_t i = 0; i < ways->n; i++) {
        const uint64_t n_bytes = ways->tile_items * ways->of[i].bytes;
        ways->of[i].scratch_at = ways->scratch_bytes;
        ways->of[i].pack = em_packer_ahead_of(context, ways->of[i].bytes);
        ways->scratch_bytes += (n_bytes + SELECT_LINE_BYTES - 1) / SELECT_LINE_BYTES * SELECT_LINE_BYTES;
    }
    ways->stream = n * ways->row_bytes >= SCAN_STREAM_FROM_BYTES;
}

select_ways select_make_ways(em_context *context, const em_column *columns, uint32_t n_columns, uint64_t n)
{
    select_ways ways = {.n = n_columns};
    for (uint32_t i = 0; i < n_columns; i++)
        ways.of[i] = (select_way){.from = columns[i].at, .to = columns[i].at, .bytes = columns[i].item_bytes};
    select_plan_ways(context, &ways, n);
    return ways;
}

bool select_pays_threads(const em_context *context, const select_ways *ways, uint64_t n)
{
    const uint64_t knob = em_context_knobs(context)->serial_below;
    if (knob)
        return n >= knob - 1;
    return em_context_threads(context) > 1 && n >= SCAN_THREADS_FROM_PS / (ITEM_PS + ways->row_bytes * BYTE_PS);
}
