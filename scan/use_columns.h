/* use_columns - what selecting and closing gaps share: columns, their tiles, and scratch for one tile.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_SCAN_USE_COLUMNS_H
#define EM_SCAN_USE_COLUMNS_H

#include "scan/pack.h"
#include "scan/select.h"
#include "scan/tuning.h"
#include "scan/use_arrays.h"

enum { SELECT_LINE_BYTES = 64 };

/* A column on its way; `to` may be `from`. */
typedef struct select_way {
    const unsigned char *from;
    unsigned char *to;
    uint64_t bytes; /* of an item */
    em_pack_ahead *pack;
    uint64_t scratch_at; /* where its items of a tile begin in a worker's scratch */
} select_way;

typedef struct select_ways {
    select_way of[EM_MOST_COLUMNS];
    uint32_t n;
    uint64_t row_bytes; /* of an item of all columns */
    uint64_t tile_items, scratch_bytes;
    bool stream; /* results pass the caches by */
} select_ways;

/* `use` begins messages. Columns in place: each an array that can be, all apart from each other. */
em_status select_check_columns(const char *use, const em_column *columns, uint32_t n_columns, uint64_t n,
                               em_error *error);
/* Of columns that were found right; n items will be moved in all. */
select_ways select_make_ways(em_context *context, const em_column *columns, uint32_t n_columns, uint64_t n);
/* Tiles, scratch and stores for n items, once of[n] have from, to and bytes. */
void select_plan_ways(em_context *context, select_ways *ways, uint64_t n);
/* Whether n items are worth a team. */
bool select_pays_threads(const em_context *context, const select_ways *ways, uint64_t n);

static inline uint64_t select_n_tiles(const select_ways *ways, uint64_t n)
{
    return n / ways->tile_items + (n % ways->tile_items != 0);
}

/* Between tiles the calling thread reports, so that the caller can cancel; the others notice. */
static inline em_status select_report(em_context *context, const char *stage, uint32_t worker, uint64_t done,
                                      uint64_t total, em_error *error)
{
    return worker == 0 ? em_context_report(context, stage, done, total, error) : em_context_check(context, error);
}

#endif
