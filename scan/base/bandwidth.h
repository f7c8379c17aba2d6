/* bandwidth - what this memory can move: the yardstick of every stage.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_SCAN_BASE_BANDWIDTH_H
#define EM_SCAN_BASE_BANDWIDTH_H

#include "scan/base/context.h"

/* Bytes read plus bytes written per second by the fastest of four copies of n_bytes: plain and non-temporal, by one
 * thread and by all of the context. Takes 2 * n_bytes of memory meanwhile; n_bytes should be well above the caches. */
EM_API em_status em_copy_bandwidth(em_context *context, uint64_t n_bytes, double *bytes_per_second, em_error *error);

/* The four copies by themselves, for benchmarks that interleave them with what they measure. */
typedef enum em_copy_kind {
    EM_COPY_PLAIN_ONE = 0,
    EM_COPY_PLAIN_ALL,
    EM_COPY_STREAM_ONE,
    EM_COPY_STREAM_ALL,
    EM_N_COPIES
} em_copy_kind;

/* Copies between arrays that do not overlap. */
EM_API em_status em_copy(em_context *context, em_copy_kind kind, const void *from, void *to, uint64_t n_bytes,
                         em_error *error);

#endif
