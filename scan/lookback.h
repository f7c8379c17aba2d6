/* lookback - tile states and the decoupled look-back, one text for CPU threads and CUDA blocks.
 *
 * Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", NVR-2016-002. Tiles are handed out
 * in order. The owner of a tile publishes its aggregate as soon as it knows it, then looks back over its predecessors'
 * until it meets one whose inclusive prefix is known, and publishes its own. Each input is so read once from memory.
 *
 * Progress: tile 0 needs nobody, and the owner of a tile publishes an aggregate without waiting, so the wait for a
 * predecessor ends once its owner has run. Who gives up publishes TILE_ABORTED, which every waiter passes on.
 *
 * Status words are plain uint64_t, reached through ordered loads and stores (_Atomic compiles in neither g++ nor nvcc).
 * A payload is written before the release of the status that announces it and read after its acquire; aggregate and
 * inclusive prefix have places of their own, so nothing is written that might be being read.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_SCAN_LOOKBACK_H
#define EM_SCAN_LOOKBACK_H

#include <stdint.h>

#if defined(__CUDACC__)
#include <cuda/atomic>
#else
#include "scan/base/parallel.h"
#include "scan/tuning.h"
#include <sched.h>
#endif

enum { TILE_EMPTY = 0, TILE_AGGREGATE, TILE_INCLUSIVE, TILE_ABORTED };

/* No tile: somebody gave up. */
#define LOOKBACK_ABORTED UINT64_MAX

#if defined(__CUDACC__)
static __device__ __forceinline__ uint64_t load_relaxed(uint64_t *from)
{
    return cuda::atomic_ref<uint64_t, cuda::thread_scope_device>(*from).load(cuda::memory_order_relaxed);
}

static __device__ __forceinline__ uint64_t load_acquire(uint64_t *from)
{
    return cuda::atomic_ref<uint64_t, cuda::thread_scope_device>(*from).load(cuda::memory_order_acquire);
}

static __device__ __forceinline__ void store_release(uint64_t *to, uint64_t value)
{
    cuda::atomic_ref<uint64_t, cuda::thread_scope_device>(*to).store(value, cuda::memory_order_release);
}

static __device__ __forceinline__ void lookback_pause(uint32_t n_polls)
{
    if (n_polls > 0)
        __nanosleep(20);
}

#define LOOKBACK_INLINE static __device__ __forceinline__
#else
static inline uint64_t load_relaxed(uint64_t *from)
{
    return __atomic_load_n(from, __ATOMIC_RELAXED);
}

static inline uint64_t load_acquire(uint64_t *from)
{
    return __atomic_load_n(from, __ATOMIC_ACQUIRE);
}

static inline void store_release(uint64_t *to, uint64_t value)
{
    __atomic_store_n(to, value, __ATOMIC_RELEASE);
}

/* Spins briefly, then lets others run: the thread waited for may have lost its processor to the one that waits. */
static inline void lookback_pause(uint32_t n_polls)
{
    if (n_polls < SCAN_SPINS)
        em_pause();
    else
        sched_yield();
}

#define LOOKBACK_INLINE static inline
#endif

/* States lie `stride` bytes apart; each begins with its status word. */
LOOKBACK_INLINE uint64_t *lookback_status(void *states, uint64_t stride, uint64_t tile)
{
    return (uint64_t *)(void *)((unsigned char *)states + tile * stride);
}

/* The status of a tile once it is no longer empty. */
LOOKBACK_INLINE uint64_t lookback_await(uint64_t *status)
{
    uint64_t seen = load_relaxed(status);
    for (uint32_t n_polls = 0; seen == TILE_EMPTY; seen = load_relaxed(status))
        lookback_pause(n_polls += n_polls < UINT32_MAX);
    return load_acquire(status);
}

/* The nearest tile before `tile` (over 0) whose inclusive prefix is known; those between have their aggregates
 * published. What precedes `tile` is that prefix with these aggregates folded onto it from the left, which gives the
 * same bytes wherever the prefix was found. LOOKBACK_ABORTED where somebody gave up. */
LOOKBACK_INLINE uint64_t lookback_nearest(void *states, uint64_t stride, uint64_t tile)
{
    while (tile-- > 0) {
        const uint64_t seen = lookback_await(lookback_status(states, stride, tile));
        if (seen == TILE_INCLUSIVE)
            return tile;
        if (seen == TILE_ABORTED)
            break;
    }
    return LOOKBACK_ABORTED;
}

#endif
