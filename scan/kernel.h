/* kernel - the monoids there are, as the engines and the public calls find them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_SCAN_KERNEL_H
#define EM_SCAN_KERNEL_H

#include "scan/monoid.h"
#include "scan/monoids.h"
#include "scan/scan.h"

#define TEMPLATE "scan/monoid_declare.inc"
#include "scan/monoid_list.inc"
#undef TEMPLATE

/* By operator and type; NULL where there is none. A set of instructions adds what it does better than the one before
 * (em_isa) and leaves out the rest. */
typedef const em_monoid *scan_table[EM_N_OPERATORS][EM_N_TYPES];
extern const scan_table scan_table_scalar;
#if defined(__x86_64__)
extern const scan_table scan_table_avx2, scan_table_avx512;
#elif defined(__aarch64__)
extern const scan_table scan_table_neon;
#endif

/* A scan whose arguments were found to be right. */
typedef struct scan_request {
    const em_monoid *monoid;
    const void *in;
    void *out;
    uint64_t n, tile_items; /* both over 0; tile_items is whole leaves */
    unsigned how;
    uint32_t n_threads;
} scan_request;

/* The engines. *carry comes as what precedes the first item and leaves as all combined. */
em_status scan_serial(em_context *context, const scan_request *request, void *carry, em_error *error);
em_status scan_tiled(em_context *context, const scan_request *request, void *carry, em_error *error);
em_status scan_lookback(em_context *context, const scan_request *request, void *carry, em_error *error);
/* Only the reduction: *carry leaves as all combined. */
em_status scan_reduce(em_context *context, const scan_request *request, void *carry, em_error *error);

/* Item bytes of a tile of the request are at scan_items_at; the place of its results at scan_results_at. */
static inline const void *scan_items_at(const scan_request *request, uint64_t tile)
{
    return (const unsigned char *)request->in + tile * request->tile_items * request->monoid->item_bytes;
}

static inline void *scan_results_at(const scan_request *request, uint64_t tile)
{
    return (unsigned char *)request->out + tile * request->tile_items * request->monoid->result_bytes;
}

static inline uint64_t scan_n_tiles(const scan_request *request)
{
    return (request->n - 1) / request->tile_items + 1;
}

/* Items of a tile; 0 past the last one. */
static inline uint64_t scan_n_items(const scan_request *request, uint64_t tile)
{
    const uint64_t begin = tile * request->tile_items;
    if (tile >= scan_n_tiles(request))
        return 0;
    return request->n - begin < request->tile_items ? request->n - begin : request->tile_items;
}

/* Between tiles the calling thread reports, so that the caller can cancel; the others notice. */
static inline em_status scan_report(em_context *context, uint32_t worker, const scan_request *request, uint64_t tile,
                                    em_error *error)
{
    return worker == 0 ? em_context_report(context, "scan", tile * request->tile_items, request->n, error)
                       : em_context_check(context, error);
}

/* n, over 0 and no less than a leaf, rounded down to leaves. */
static inline uint64_t scan_whole_leaves(const em_monoid *monoid, uint64_t n)
{
    return monoid->leaf_items ? n / monoid->leaf_items * monoid->leaf_items : n;
}

/* One call of the kernel by the calling thread, or a few where there are more items than one may have. */
static inline em_status scan_in_cache(em_context *context, const scan_request *request, void *carry, em_error *error)
{
    const em_monoid *monoid = request->monoid;
    const em_tile none = {0};
    em_tile now = {request->in, request->out, request->n, NULL};
    em_status status = em_context_check(context, error);
    for (uint64_t left = request->n; status == EM_OK; status = em_context_check(context, error)) {
        now.n = left < EM_TILE_MOST_ITEMS ? left : scan_whole_leaves(monoid, EM_TILE_MOST_ITEMS);
        monoid->scan(monoid, &now, carry, &none, request->how);
        left -= now.n;
        if (left == 0)
            break;
        now.in = (const unsigned char *)now.in + now.n * monoid->item_bytes;
        now.out = (unsigned char *)now.out + now.n * monoid->result_bytes;
    }
    return status;
}

/* Aggregates that `reduce` writes for n items. */
static inline uint64_t scan_n_aggregates(const em_monoid *monoid, uint64_t n)
{
    if (monoid->leaf_items)
        return (n + monoid->leaf_items - 1) / monoid->leaf_items;
    return monoid->lanes ? monoid->lanes : 1;
}

/* Folds them onto *prefix. */
static inline void scan_fold(const em_monoid *monoid, void *prefix, const void *aggregates, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        monoid->combine(monoid, prefix, (const unsigned char *)aggregates + i * monoid->elem_bytes, prefix);
}

/* The segmented lift: a monoid whose element is one of `of` (at its beginning) and a flag. */
typedef struct scan_segments {
    const em_monoid *of;
    const unsigned char *items; /* of the whole array: flags are found by an item's distance from it */
    const uint8_t *heads;
    const void *initial; /* of `of`: precedes each head */
} scan_segments;
em_monoid scan_segmented(const scan_segments *own); /* own must live as long as the monoid */
uint64_t scan_segmented_bytes(const em_monoid *of); /* of its elements; below 2^32 where scan_segmented is called */

#endif
