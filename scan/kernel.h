/* kernel - what an engine asks of the inner loops: reduce a tile, scan a tile.
 *
 * An engine knows tiles, threads and prefixes; a kernel knows items and registers. Kernels are reached through pointers
 * (one call per tile), which is what lets the processor choose them at run time, and later a user bring their own.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_SCAN_KERNEL_H
#define EM_SCAN_KERNEL_H

#include "scan/base/context.h"
#include "scan/monoids.h"

/* How a tile is written. */
enum {
    SCAN_EXCLUSIVE = 1, /* else inclusive */
    SCAN_STREAM = 2     /* past the caches, by non-temporal stores; fenced by whoever joins the threads */
};

/* Most items of one call. It lets kernels of counts prove from the bits of 64-bit items that a tile's sum fits. */
enum { SCAN_MOST_ITEMS = 1 << 24 };

/* A tile begins at a leaf where the monoid has leaves. An array of aggregates has one element for each leaf of its
 * tile, the last of which may be cut short; without leaves it has one element, the aggregate of the tile. */
typedef struct scan_kernel {
    void (*reduce)(const void *in, uint64_t n, void *aggregates);
    /* Writes the scan of in[n], which *carry precedes, to out[n], where out may be in; *carry becomes the prefix that
     * precedes what follows. Meanwhile reduces next[n_next], the tile after this one, so that its reads overlap with
     * these writes. n_next may be 0; in and next do not overlap. */
    void (*scan)(const void *in, void *out, uint64_t n, void *carry, const void *next, uint64_t n_next,
                 void *next_aggregates, unsigned how);
} scan_kernel;

/* A scan that the OpenMP engine is to run. `tile_items` is whole leaves. */
typedef struct scan_request {
    const scan_kernel *kernel;
    const void *in;
    void *out;
    uint64_t n, tile_items; /* both over 0 */
    unsigned how;
} scan_request;

/* serial.c and openmp.c define these for every monoid of the list. *total is a M_elem: all of in[n] combined. */
#define SCAN_DECLARE(monoid)                                                                                           \
    extern const scan_kernel monoid##_scalar;                                                                          \
    em_status monoid##_openmp(em_context *context, const scan_request *request, void *total, em_error *error);

SCAN_DECLARE(sum_u32)
SCAN_DECLARE(sum_i32)
SCAN_DECLARE(sum_u64)
SCAN_DECLARE(sum_i64)
SCAN_DECLARE(sum_f32)
SCAN_DECLARE(sum_f64)
SCAN_DECLARE(count_u32)
SCAN_DECLARE(count_u64)

#if defined(__x86_64__)
extern const scan_kernel sum_u32_avx2, sum_u64_avx2, sum_f32_avx2, sum_f64_avx2, count_u32_avx2, count_u64_avx2;
extern const scan_kernel sum_u32_avx512, sum_u64_avx512, count_u32_avx512, count_u64_avx512;
#endif

#endif
