/* support_explorer_accesses - lookback.h's accesses as the explorer carries them out.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support_explorer.h"

#include <string.h>

static inline uint64_t load_relaxed(uint64_t *from)
{
    return explore_load(from, EXPLORE_RELAXED);
}

static inline uint64_t load_acquire(uint64_t *from)
{
    return explore_load(from, EXPLORE_ACQUIRE);
}

static inline void store_release(uint64_t *to, uint64_t value)
{
    explore_store(to, value, EXPLORE_RELEASE);
}

static inline uint64_t fetch_increment(uint64_t *counter)
{
    return explore_increment(counter);
}

/* Word by word: between any two of them others may come. */
static inline uint64_t load_payload(const uint64_t *from)
{
    return explore_is_shared(from) ? explore_load(from, EXPLORE_PLAIN) : *from;
}

static inline void store_payload(uint64_t *to, uint64_t value)
{
    if (explore_is_shared(to))
        explore_store(to, value, EXPLORE_PLAIN);
    else
        *to = value;
}

static inline void copy_payload(void *to, const void *from, uint64_t n_bytes)
{
    for (uint64_t i = 0; i < n_bytes / sizeof(uint64_t); i++)
        store_payload((uint64_t *)to + i, load_payload((const uint64_t *)from + i));
}

static inline void lookback_pause(uint32_t n_polls)
{
    (void)n_polls;
    explore_pause();
}
