/* lookback - what the states of tiles hold and how they are reached; the protocol itself is lookback.inc.
 *
 * Status words are plain uint64_t, reached through ordered loads and stores (_Atomic compiles in neither g++ nor nvcc).
 * Everything that several threads touch goes through the names below, so that a checker can bring its own: it defines
 * LOOKBACK_ACCESSES as the header that has them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_SCAN_LOOKBACK_H
#define EM_SCAN_LOOKBACK_H

#include <stdbool.h>
#include <stdint.h>

enum { TILE_EMPTY = 0, TILE_AGGREGATE, TILE_INCLUSIVE, TILE_ABORTED };

/* No tile: somebody gave up. */
#define LOOKBACK_ABORTED UINT64_MAX

#if defined(__CUDACC__)
#define LOOKBACK_INLINE static __device__ __forceinline__
#else
#define LOOKBACK_INLINE static inline
#endif

#if defined(LOOKBACK_ACCESSES)
#include LOOKBACK_ACCESSES
#elif defined(__CUDACC__)
#include <cuda/atomic>

LOOKBACK_INLINE uint64_t load_relaxed(uint64_t *from)
{
    return cuda::atomic_ref<uint64_t, cuda::thread_scope_device>(*from).load(cuda::memory_order_relaxed);
}

LOOKBACK_INLINE uint64_t load_acquire(uint64_t *from)
{
    return cuda::atomic_ref<uint64_t, cuda::thread_scope_device>(*from).load(cuda::memory_order_acquire);
}

LOOKBACK_INLINE void store_release(uint64_t *to, uint64_t value)
{
    cuda::atomic_ref<uint64_t, cuda::thread_scope_device>(*to).store(value, cuda::memory_order_release);
}

LOOKBACK_INLINE uint64_t fetch_increment(uint64_t *counter)
{
    return cuda::atomic_ref<uint64_t, cuda::thread_scope_device>(*counter).fetch_add(1, cuda::memory_order_relaxed);
}

LOOKBACK_INLINE void lookback_pause(uint32_t n_polls)
{
    if (n_polls > 1)
        __nanosleep(20);
}
#else
#include "scan/base/parallel.h"
#include "scan/tuning.h"
#include <sched.h>
#include <string.h>

LOOKBACK_INLINE uint64_t load_relaxed(uint64_t *from)
{
    return __atomic_load_n(from, __ATOMIC_RELAXED);
}

LOOKBACK_INLINE uint64_t load_acquire(uint64_t *from)
{
    return __atomic_load_n(from, __ATOMIC_ACQUIRE);
}

LOOKBACK_INLINE void store_release(uint64_t *to, uint64_t value)
{
    __atomic_store_n(to, value, __ATOMIC_RELEASE);
}

LOOKBACK_INLINE uint64_t fetch_increment(uint64_t *counter)
{
    return __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

/* A payload, which is no atomic access: the status word orders it. */
LOOKBACK_INLINE void copy_payload(void *to, const void *from, uint64_t n_bytes)
{
    memcpy(to, from, n_bytes);
}

/* Spins briefly, then lets others run: the thread waited for may have lost its processor to the one that waits. */
LOOKBACK_INLINE void lookback_pause(uint32_t n_polls)
{
    if (n_polls < SCAN_SPINS)
        em_pause();
    else
        sched_yield();
}
#endif

#endif
