/* use_share - shares of a total, and where prefix sums reach them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_SCAN_USE_SHARE_H
#define EM_SCAN_USE_SHARE_H

#include "scan/use_arrays.h"

/* Of arcs and rows together, which may be more than 2^64. */
__extension__ typedef unsigned __int128 use_total;

/* ceil(part * total / n_parts) for part <= n_parts. total = k * n_parts + rest, so that no product passes 128 bits:
 * part * k <= total, and part and rest are below 2^64. */
static inline use_total use_share(use_total total, uint64_t part, uint64_t n_parts)
{
    const use_total each = total / n_parts, rest = (use_total)part * (uint64_t)(total % n_parts);
    return part * each + rest / n_parts + (rest % n_parts != 0);
}

/* The first i whose offsets[i] - offsets[0] + i * per_row is `least` or more; n where that is none of 0 to n - 1. */
static inline uint64_t use_first_reaching(const uint64_t *offsets, uint64_t n, uint64_t per_row, use_total least)
{
    uint64_t begin = 0, end = n;
    while (begin < end) {
        const uint64_t middle = begin + (end - begin) / 2;
        if ((use_total)(offsets[middle] - offsets[0]) + (use_total)middle * per_row >= least)
            end = middle;
        else
            begin = middle + 1;
    }
    return begin;
}

static inline em_status use_check_count(const char *use, uint64_t n, uint64_t n_parts, em_error *error)
{
    if (n_parts == 0)
        return em_fail(error, EM_USAGE, "%s: there must be at least one part", use);
    if (n == UINT64_MAX || n_parts == UINT64_MAX)
        return em_fail(error, EM_USAGE, "%s: more than 2^64 - 2 elements or parts", use);
    return EM_OK;
}

/* offsets[n + 1] and an output of n_parts + 1 elements, each of some words. */
static inline em_status use_check_parts(const char *use, const uint64_t *offsets, uint64_t n, uint64_t n_parts,
                                        const void *out, uint64_t out_bytes, em_error *error)
{
    const em_status status = use_check_count(use, n, n_parts, error);
    if (status != EM_OK)
        return status;
    const use_array read = {offsets, n + 1, sizeof *offsets, _Alignof(uint64_t)};
    const use_array written = {out, n_parts + 1, out_bytes, _Alignof(uint64_t)};
    return use_check_apart(use, read, written, error);
}

#endif
