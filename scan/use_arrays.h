/* use_arrays - what the uses of scans refuse about arrays that em_scan does not see.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_SCAN_USE_ARRAYS_H
#define EM_SCAN_USE_ARRAYS_H

#include "scan/base/status.h"

typedef struct use_array {
    const void *at;
    uint64_t n, bytes; /* of an element; over 0 */
    uint64_t align;    /* a power of two */
} use_array;

/* `use` begins the message. */
static inline em_status use_check_array(const char *use, use_array of, em_error *error)
{
    uintptr_t n_bytes, end;
    if (of.n && !of.at)
        return em_fail(error, EM_USAGE, "%s: no array given for %llu elements", use, (unsigned long long)of.n);
    if ((uintptr_t)of.at & (of.align - 1))
        return em_fail(error, EM_USAGE, "%s: an array is not aligned to its elements", use);
    if (__builtin_mul_overflow(of.n, of.bytes, &n_bytes) || __builtin_add_overflow((uintptr_t)of.at, n_bytes, &end))
        return em_fail(error, EM_USAGE, "%s: %llu elements reach past the end of memory", use,
                       (unsigned long long)of.n);
    return EM_OK;
}

/* Both are arrays that can be, and lie apart. */
static inline em_status use_check_apart(const char *use, use_array a, use_array b, em_error *error)
{
    em_status status = use_check_array(use, a, error);
    if (status == EM_OK)
        status = use_check_array(use, b, error);
    if (status != EM_OK)
        return status;
    const uintptr_t from = (uintptr_t)a.at, to = (uintptr_t)b.at;
    if (from < to + b.n * b.bytes && to < from + a.n * a.bytes)
        return em_fail(error, EM_USAGE, "%s: an output overlaps an input", use);
    return EM_OK;
}

#endif
