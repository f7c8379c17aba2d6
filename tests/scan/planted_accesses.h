/* planted_accesses - lookback.h's accesses with an order left out: ACQUIRE or RELEASE is defined as __ATOMIC_RELAXED.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdint.h>
#include <string.h>

#include "scan/base/parallel.h"

#ifndef ACQUIRE
#define ACQUIRE __ATOMIC_ACQUIRE
#endif
#ifndef RELEASE
#define RELEASE __ATOMIC_RELEASE
#endif

static inline uint64_t load_relaxed(uint64_t *from)
{
    return __atomic_load_n(from, __ATOMIC_RELAXED);
}

static inline uint64_t load_acquire(uint64_t *from)
{
    return __atomic_load_n(from, ACQUIRE);
}

static inline void store_release(uint64_t *to, uint64_t value)
{
    __atomic_store_n(to, value, RELEASE);
}

static inline uint64_t fetch_increment(uint64_t *counter)
{
    return __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

static inline void copy_payload(void *to, const void *from, uint64_t n_bytes)
{
    memcpy(to, from, n_bytes);
}

static inline void lookback_pause(uint32_t n_polls)
{
    (void)n_polls;
    em_pause();
}
