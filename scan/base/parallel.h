/* parallel - the thread team: the only place that knows OpenMP.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_SCAN_BASE_PARALLEL_H
#define EM_SCAN_BASE_PARALLEL_H

#include "scan/base/context.h"

/* One worker's share. Worker 0 runs on the calling thread; n_workers is the real team size, which may be
 * smaller than what was asked for. */
typedef em_status em_work(void *state, uint32_t worker, uint32_t n_workers, em_error *error);

/* Runs `work` on a team of n_workers (0: the context's threads) and returns once all are done. The error kept is the
 * one with the smallest position. Non-temporal stores of the workers are visible afterwards. */
EM_API em_status em_parallel(em_context *context, uint32_t n_workers, em_work *work, void *state, em_error *error);

/* First element of part `part` of n elements cut into n_parts nearly equal parts; part == n_parts gives n. */
static inline uint64_t em_share(uint64_t n, uint32_t part, uint32_t n_parts)
{
    return (uint64_t)(__extension__(unsigned __int128) n * part / n_parts);
}

/* Items [begin, end) of a worker's share. */
typedef em_status em_portion(void *state, uint32_t worker, uint64_t begin, uint64_t end, em_error *error);

/* Items 0 … n - 1, a share a worker, each from its first item on in portions of EM_PORTION_ITEMS. Between portions
 * progress is reported as of `stage` and cancellation heeded. Few items wake nobody. */
enum { EM_PORTION_ITEMS = 1 << 16 };
EM_API em_status em_each_share(em_context *context, const char *stage, uint64_t n, em_portion *portion, void *state,
                               em_error *error);

/* Parts 0 … n - 1 that workers take as they go, in ascending order. */
typedef struct em_parts {
    em_context *context;
    const char *stage; /* that progress is reported of */
    uint64_t n, next;
} em_parts;
/* The next part for `worker`, while *status is EM_OK; false: no more, or *status says what is wrong. Of parts that fail
 * the first one does so whoever runs it, as all before it are somebody's. */
EM_API bool em_next_part(em_parts *parts, uint32_t worker, uint64_t *part, em_status *status, em_error *error);

/* A hint that the caller spins. */
static inline void em_pause(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

#endif
