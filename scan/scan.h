/* scan - the core: where does each output go? Prefix scans and reductions of arrays by any associative operator.
 *
 * Every call gives the same bytes whatever runs it: any engine, number of threads, tile size and processor.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_SCAN_SCAN_H
#define EM_SCAN_SCAN_H

#include "scan/base/context.h"
#include "scan/monoid.h"

/* out[i] of in[0] to in[i] (inclusive), or to in[i - 1] (exclusive); EM_EXCLUSIVE_TOTAL adds out[n], of all of in. */
typedef enum em_scan_kind { EM_INCLUSIVE = 0, EM_EXCLUSIVE, EM_EXCLUSIVE_TOTAL } em_scan_kind;

/* EM_SCAN_AUTO: by size. SERIAL: the calling thread, one pass. TILED: reduces all tiles, scans their totals, rescans
 * (two reads of memory and one write). LOOKBACK: a chain of tiles, one read and one write. */
typedef enum em_scan_engine {
    EM_SCAN_AUTO = 0,
    EM_SCAN_SERIAL,
    EM_SCAN_TILED,
    EM_SCAN_LOOKBACK,
    EM_N_SCAN_ENGINES
} em_scan_engine;

/* A scan. All arrays are the caller's. */
typedef struct em_scan_call {
    const em_monoid *monoid;
    em_scan_kind kind;
    em_scan_engine engine;
    const void *in; /* items in[n] */
    void *out;      /* results out[n], or out[n + 1] with the total; may be in where they are of one size */
    uint64_t n;
    /* heads[n], or NULL: an item whose flag is not 0 begins a segment, in which nothing before it counts. It also
     * begins a leaf, so that a segment's floating-point grouping restarts at its head. */
    const uint8_t *heads;
    const void *initial; /* an element that precedes the first item, and each head; NULL: none */
    /* Receives the element of everything (of the last segment), initial value included; or NULL. Where a number in it
     * is NaN only that is specified, not which NaN; the result of it is one and the same (em_monoid.lower). */
    void *total;
} em_scan_call;

/* EM_USAGE for arrays that cannot be (overlapping other than in place, misaligned, past the end of memory) and for a
 * monoid that is not whole; EM_NO_MEMORY; EM_CANCELLED. After an error out holds anything. */
EM_API em_status em_scan(em_context *context, const em_scan_call *call, em_error *error);

/* *total = the element of in[n], grouped as a scan groups it; the identity for n = 0. */
EM_API em_status em_reduce(em_context *context, const em_monoid *monoid, const void *in, uint64_t n, void *total,
                           em_error *error);

/* out[i] = in[0] + … + in[i] (inclusive) or … + in[i - 1] (exclusive, out[0] = 0), integers wrapping. in[n], out[n]
 * of `type` (out[n + 1] for EM_EXCLUSIVE_TOTAL); out may be in, any other overlap is EM_USAGE. */
EM_API em_status em_scan_sum(em_context *context, em_type type, em_scan_kind kind, const void *in, void *out,
                             uint64_t n, em_error *error);

/* CSR offsets: offsets[n + 1] u64 from counts[n] of u32 or u64, exclusive, with the total at offsets[n]; one pass.
 * offsets may be counts only for u64, where the array has n + 1 elements. EM_MALFORMED where the total passes 2^64 - 1.
 */
EM_API em_status em_scan_offsets(em_context *context, em_type count_type, const void *counts, uint64_t *offsets,
                                 uint64_t n, em_error *error);

#endif
