/* support_sort - see support_sort.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support_sort.h"

#include <stdlib.h>
#include <string.h>

#include "tests/reference.h"
#include "tests/support_turns.h"

/* --- keys --------------------------------------------------------------------------------------------- */

/* The low and the high half of key i. */
static void key_of(sort_kind kind, uint64_t i, uint64_t n, uint64_t *seed, uint64_t half[2])
{
    const uint64_t a = ref_random(seed), b = ref_random(seed);
    const uint32_t bits = (uint32_t)(a >> 32) % 128;
    half[0] = a, half[1] = b;
    switch (kind) {
    case SORT_EQUAL:
        half[0] = half[1] = UINT64_C(0x123456789ABCDEF);
        break;
    case SORT_TWO:
        half[0] = half[1] = a >> 40 & 1 ? UINT64_C(0x8000000080000001) : 1;
        break;
    case SORT_ASCENDING:
        half[0] = i * 3, half[1] = 0;
        break;
    case SORT_DESCENDING:
        half[0] = (n - i) * 3, half[1] = 0;
        break;
    case SORT_HEAVY:
        if (a >> 20 & 7)
            half[0] = half[1] = 77;
        break;
    case SORT_LEVELS:
        half[0] = bits < 64 ? b >> bits : 0, half[1] = bits < 64 ? a : a >> (bits - 64);
        half[0] |= half[0] << 32 >> (bits & 31);
        break;
    case SORT_GAP:
        half[0] = (a & 7) | (a >> 40 & 3) << 29 | (a >> 50 & 7) << 61, half[1] = b & UINT64_C(0xC000000000000003);
        break;
    case SORT_FEW:
        half[0] = a >> 54, half[1] = 0;
        break;
    default:
        break;
    }
}

void sort_fill(sort_kind kind, void *keys, uint64_t n, uint64_t key_bytes, uint64_t stride, uint64_t seed)
{
    for (uint64_t i = 0; i < n; i++) {
        uint64_t half[2];
        key_of(kind, i, n, &seed, half);
        memcpy((char *)keys + i * stride, half, key_bytes);
    }
}

/* --- order ---------------------------------------------------------------------------------------------- */

typedef struct entry {
    uint64_t high, low, place;
} entry;

static int compare(const void *left, const void *right)
{
    const entry *a = left, *b = right;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

static uint64_t cut(uint64_t word, uint32_t first, uint32_t low, uint32_t high)
{
    uint64_t kept = 0;
    for (uint32_t i = 0; i < 64; i++)
        if (first + i >= low && first + i < high)
            kept |= word & UINT64_C(1) << i;
    return kept;
}

uint64_t *sort_reference(const void *keys, uint64_t n, uint64_t key_bytes, uint64_t stride, uint32_t low, uint32_t high)
{
    entry *entries = malloc((n + 1) * sizeof *entries);
    uint64_t *places = malloc((n + 1) * sizeof *places);
    const uint64_t low_mask = cut(UINT64_MAX, 0, low, high), high_mask = cut(UINT64_MAX, 64, low, high);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t half[2] = {0};
        memcpy(half, (const char *)keys + i * stride, key_bytes);
        entries[i] = (entry){half[1] & high_mask, half[0] & low_mask, i};
    }
    qsort(entries, n, sizeof *entries, compare);
    for (uint64_t i = 0; i < n; i++)
        places[i] = entries[i].place;
    free(entries);
    return places;
}

/* --- contexts ------------------------------------------------------------------------------------------- */

static em_context *sort_limited_team(uint32_t n_threads, uint64_t bucket_bytes, uint64_t fail, em_isa isa_at_most)
{
    em_context_options options = {.n_threads = n_threads};
    options.knobs.sort_bucket_bytes = bucket_bytes;
    options.knobs.serial_below = 1;
    options.knobs.fail_allocation = fail;
    options.knobs.isa_at_most = isa_at_most;
    options.knobs.isa_limited = true;
    em_context *context = NULL;
    assert_int_equal(em_context_create(&options, &context, NULL), EM_OK);
    return context;
}

em_context *sort_team(uint32_t n_threads, uint64_t bucket_bytes, uint64_t fail)
{
    return sort_limited_team(n_threads, bucket_bytes, fail, EM_ISA_AVX512);
}

void sort_in_every_context(void (*check)(em_context *context, void *state), void *state)
{
    static const struct {
        uint64_t bucket_bytes;
        uint32_t n_threads;
        em_isa isa_at_most;
    } TEAMS[] = {{0, 1, EM_ISA_AVX512},   {100, 1, EM_ISA_AVX2}, {1000, 2, EM_ISA_AVX512},
                 {300, 3, EM_ISA_SCALAR}, {0, 4, EM_ISA_AVX2},   {3000, 5, EM_ISA_AVX512}};
    static uint64_t turn;
    for (size_t i = 0; i < sizeof TEAMS / sizeof *TEAMS; i++) {
        if (!support_turn(&turn))
            continue;
        em_context *context = sort_limited_team(TEAMS[i].n_threads, TEAMS[i].bucket_bytes, 0, TEAMS[i].isa_at_most);
        check(context, state);
        assert_int_equal(em_context_memory(context).current_bytes, 0);
        em_context_free(context);
    }
}
