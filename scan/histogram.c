/* histogram - how often each value of a few bits of the keys occurs.
 *
 * Counting costs one load, add and store a key, and the next load of the same counter waits for that store; several
 * tables in turn keep keys that are alike apart. Threads take shares of the keys, so small that 32-bit counters hold
 * them. Cost: one pass of reading.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/base/parallel.h"
#include "scan/sort.h"
#include "scan/tuning.h"
#include "scan/use_arrays.h"

#include <string.h>

enum {
    SHARE = 1 << 20,
    TABLES = 8,
    TABLES_BITS = 9, /* most bits of which so many tables stay in the first cache */
    APART = 64       /* counters between those of two threads: processors fetch lines by pairs */
};

typedef struct state {
    em_context *context;
    em_type type;
    const void *keys;
    uint64_t n, n_values;
    uint32_t shift, bits;
    uint64_t *sums;     /* [n_threads][n_values] */
    uint32_t *counters; /* [n_threads][TABLES or 1][n_values], APART between two threads' */
    uint64_t next;      /* atomic */
} state;

/* n_tables is a constant where this is used, and for a byte of a key so are n_values and shift: a byte is loaded as it
 * lies. What is in `own` is read before: for all that is known counters might be it. */
#define DEFINE_COUNT(name, type)                                                                                       \
    static inline __attribute__((always_inline)) void name(const type *keys, uint64_t n, uint32_t *counters,           \
                                                           const uint64_t n_tables, const uint64_t n_values,           \
                                                           const uint32_t shift)                                       \
    {                                                                                                                  \
        const uint64_t last = n_values - 1;                                                                            \
        enum { AT_ONCE = 64 / sizeof(type) }; /* a line */                                                             \
        uint64_t i = 0;                                                                                                \
        for (; n - i >= AT_ONCE; i += AT_ONCE) {                                                                       \
            __builtin_prefetch((const char *)(keys + i) + SORT_AHEAD_BYTES);                                           \
            _Pragma("GCC unroll 16") for (uint64_t k = 0; k < AT_ONCE; k++)                                            \
                counters[k % n_tables * n_values + (keys[i + k] >> shift & last)]++;                                   \
        }                                                                                                              \
        for (; i < n; i++)                                                                                             \
            counters[keys[i] >> shift & last]++;                                                                       \
    }
DEFINE_COUNT(count_u32, uint32_t)
DEFINE_COUNT(count_u64, uint64_t)

static uint64_t n_tables_of(uint32_t bits)
{
    return bits <= TABLES_BITS ? TABLES : 1;
}

#define COUNT_BYTE(name, byte)                                                                                         \
    case 8 * (byte):                                                                                                   \
        name(keys, n, counters, TABLES, 256, 8 * (byte));                                                              \
        return
#define DEFINE_COUNT_ANY(name, type, more_bytes)                                                                       \
    static void name##_any(const state *own, const type *keys, uint64_t n, uint32_t *counters)                         \
    {                                                                                                                  \
        const uint64_t n_values = own->n_values;                                                                       \
        const uint32_t shift = own->shift;                                                                             \
        switch (own->bits == 8 ? shift : UINT32_MAX) {                                                                 \
            COUNT_BYTE(name, 0);                                                                                       \
            COUNT_BYTE(name, 1);                                                                                       \
            COUNT_BYTE(name, 2);                                                                                       \
            COUNT_BYTE(name, 3);                                                                                       \
            more_bytes                                                                                                 \
        }                                                                                                              \
        if (n_tables_of(own->bits) > 1)                                                                                \
            name(keys, n, counters, TABLES, n_values, shift);                                                          \
        else                                                                                                           \
            name(keys, n, counters, 1, n_values, shift);                                                               \
    }
DEFINE_COUNT_ANY(count_u32, uint32_t, )
DEFINE_COUNT_ANY(count_u64, uint64_t, COUNT_BYTE(count_u64, 4); COUNT_BYTE(count_u64, 5); COUNT_BYTE(count_u64, 6);
                 COUNT_BYTE(count_u64, 7);)

static void count_share(const state *own, uint64_t begin, uint64_t n, uint32_t *counters, uint64_t *sums)
{
    const uint64_t n_tables = n_tables_of(own->bits);
    memset(counters, 0, n_tables * own->n_values * sizeof *counters);
    if (own->type == EM_U32)
        count_u32_any(own, (const uint32_t *)own->keys + begin, n, counters);
    else
        count_u64_any(own, (const uint64_t *)own->keys + begin, n, counters);
    for (uint64_t k = 0; k < n_tables; k++)
        for (uint64_t value = 0; value < own->n_values; value++)
            sums[value] += counters[k * own->n_values + value];
}

static em_status count_shares(void *shared, uint32_t worker, uint32_t n_workers, em_error *error)
{
    state *const own = shared;
    uint64_t *const sums = own->sums + worker * own->n_values;
    uint32_t *const counters = own->counters + worker * (own->n_values * n_tables_of(own->bits) + APART);
    em_status status = EM_OK;
    (void)n_workers;
    for (uint64_t share; status == EM_OK;) {
        if ((share = __atomic_fetch_add(&own->next, 1, __ATOMIC_RELAXED)) >= own->n / SHARE + 1)
            break;
        const uint64_t begin = share * SHARE;
        count_share(own, begin, own->n - begin < SHARE ? own->n - begin : SHARE, counters, sums);
        status = em_context_check(own->context, error);
    }
    return status;
}

em_status em_histogram(em_context *context, em_type type, const void *keys, uint64_t n, uint32_t shift, uint32_t bits,
                       uint64_t *counts, em_error *error)
{
    const uint32_t key_bits = type == EM_U32 ? 32 : 64;
    void *sums = NULL, *counters = NULL;
    if ((type != EM_U32 && type != EM_U64) || bits < 1 || bits > 16 || shift >= key_bits)
        return em_fail(error, EM_USAGE, "histogram: u32 or u64 keys and 1 to 16 of their bits, not %u from %u on", bits,
                       shift);
    const uint64_t n_values = UINT64_C(1) << bits;
    const use_array given = {keys, n, key_bits / 8, key_bits / 8}, counted = {counts, n_values, 8, 8};
    em_status status = use_check_apart("histogram", given, counted, error);
    if (status != EM_OK)
        return status;
    const em_knobs *const knobs = em_context_knobs(context);
    const uint64_t serial_below = knobs->serial_below ? knobs->serial_below - 1 : HISTOGRAM_THREADS_FROM;
    const uint32_t n_threads = n < serial_below ? 1 : em_context_threads(context);
    const uint64_t counters_bytes = n_threads * (n_tables_of(bits) * n_values + APART) * sizeof(uint32_t);
    status = em_allocate_zeroed(context, n_threads * n_values * sizeof *counts, &sums, error);
    if (status == EM_OK)
        status = em_allocate(context, counters_bytes, &counters, error);
    state own = {context, type, keys, n, n_values, shift, bits, sums, counters, 0};
    if (status == EM_OK)
        status = em_parallel(context, n_threads, count_shares, &own, error);
    for (uint64_t value = 0; value < n_values && status == EM_OK; value++) {
        counts[value] = 0;
        for (uint32_t i = 0; i < n_threads; i++)
            counts[value] += own.sums[i * n_values + value];
    }
    em_free(context, counters, counters_bytes);
    em_free(context, sums, n_threads * n_values * sizeof *counts);
    return status;
}
