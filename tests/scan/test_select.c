/* test_select - compaction by a predicate, of one array and of columns, and parts that move down, against loops.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support_uses.h"

#include <stdlib.h>
#include <string.h>

#include "scan/select.h"
#include "tests/reference.h"

/* --- by hand ------------------------------------------------------------------------------------------ */

static em_status is_odd(const void *state, const void *items, uint64_t first_index, uint32_t n, uint64_t *bits,
                        em_error *error)
{
    (void)state, (void)first_index, (void)error;
    const uint32_t *numbers = items;
    for (uint32_t i = 0; i < n; i++) {
        if (i % 64 == 0)
            bits[i / 64] = ~UINT64_C(0) << 1; /* past the end counts for nothing */
        bits[i / 64] &= ~(UINT64_C(1) << i % 64);
        bits[i / 64] |= (uint64_t)(numbers[i] & 1) << i % 64;
    }
    return EM_OK;
}

static void keeps_odd_numbers(em_context *context, void *state)
{
    (void)state;
    uint32_t in[8] = {3, 1, 4, 1, 5, 9, 2, 6}, out[8] = {0};
    const uint32_t expected[8] = {3, 1, 1, 5, 9, 0, 0, 0};
    uint64_t n_kept = 77;
    assert_int_equal(em_select(context, 4, in, 8, is_odd, NULL, out, &n_kept, NULL), EM_OK);
    assert_int_equal(n_kept, 5);
    assert_memory_equal(out, expected, sizeof out); /* nothing past what is kept is written */
    assert_int_equal(em_select(context, 4, in, 8, is_odd, NULL, in, &n_kept, NULL), EM_OK);
    assert_int_equal(n_kept, 5);
    assert_memory_equal(in, expected, 20);
    assert_int_equal(em_select(context, 4, NULL, 0, is_odd, NULL, NULL, &n_kept, NULL), EM_OK);
    assert_int_equal(n_kept, 0);
    assert_int_equal(em_select(context, 4, in, 8, is_odd, NULL, in, NULL, NULL), EM_OK);
}

static void keeps_odd_numbers_in_every_context(void **state)
{
    uses_in_every_context(keeps_odd_numbers, *state);
}

/* --- random: bits that were drawn before ------------------------------------------------------------- */

typedef struct choice {
    uint64_t n, item_bytes, n_kept;
    uint8_t *keep;
    unsigned char *in, *kept, *out;
} choice;

static em_status is_chosen(const void *state, const void *items, uint64_t first_index, uint32_t n, uint64_t *bits,
                           em_error *error)
{
    (void)error;
    const choice *own = state;
    if (items != own->out) /* in place items have moved meanwhile, elsewhere only */
        assert_memory_equal(items, own->in + first_index * own->item_bytes, n * own->item_bytes);
    memset(bits, 0xFF, (n + 63) / 64 * 8);
    for (uint32_t i = 0; i < n; i++)
        if (!own->keep[first_index + i])
            bits[i / 64] &= ~(UINT64_C(1) << i % 64);
    return EM_OK;
}

static em_status is_chosen_row(const void *state, uint32_t worker, uint64_t first_index, uint32_t n, uint64_t *bits,
                               em_error *error)
{
    const choice *own = state;
    assert_true(worker < 5);
    return is_chosen(state, own->in + first_index * own->item_bytes, first_index, n, bits, error);
}

static void matches_the_loop(em_context *context, void *state)
{
    const choice *own = state;
    const uint64_t n_bytes = own->n * own->item_bytes, n_kept_bytes = own->n_kept * own->item_bytes;
    uint64_t n_kept = 0;
    memset(own->out, 0xAB, n_bytes);
    assert_int_equal(em_select(context, own->item_bytes, own->in, own->n, is_chosen, own, own->out, &n_kept, NULL),
                     EM_OK);
    assert_int_equal(n_kept, own->n_kept);
    assert_memory_equal(own->out, own->kept, n_kept_bytes);
    for (uint64_t i = n_kept_bytes; i < n_bytes; i++)
        assert_int_equal(own->out[i], 0xAB);
    memcpy(own->out, own->in, n_bytes);
    assert_int_equal(em_select(context, own->item_bytes, own->out, own->n, is_chosen, own, own->out, &n_kept, NULL),
                     EM_OK);
    assert_int_equal(n_kept, own->n_kept);
    assert_memory_equal(own->out, own->kept, n_kept_bytes);
    memcpy(own->out, own->in, n_bytes);
    const em_column column = {own->out, own->item_bytes};
    assert_int_equal(em_select_columns(context, &column, 1, own->n, is_chosen_row, own, &n_kept, NULL), EM_OK);
    assert_int_equal(n_kept, own->n_kept);
    assert_memory_equal(own->out, own->kept, n_kept_bytes);
}

/* `of_8` items of 8 are kept. */
static void try_choice(uint64_t n, uint64_t item_bytes, uint64_t of_8, uint64_t seed)
{
    const uint64_t n_bytes = n * item_bytes;
    choice own = {.n = n, .item_bytes = item_bytes, .keep = malloc(n + 1)};
    own.in = malloc(n_bytes + 1), own.out = malloc(n_bytes + 1), own.kept = malloc(n_bytes + 1);
    for (uint64_t i = 0; i < n_bytes; i++)
        own.in[i] = (unsigned char)ref_random(&seed);
    for (uint64_t i = 0; i < n; i++) {
        own.keep[i] = ref_random(&seed) % 8 < of_8;
        if (own.keep[i])
            memcpy(own.kept + own.n_kept++ * item_bytes, own.in + i * item_bytes, item_bytes);
    }
    uses_in_every_context(matches_the_loop, &own);
    free(own.keep), free(own.in), free(own.out), free(own.kept);
}

static void selection_matches_a_loop(void **state)
{
    (void)state;
    static const uint64_t LENGTHS[] = {1, 2, 15, 63, 64, 65, 127, 300, 1000, 5000}, KEPT[] = {0, 1, 4, 7, 8};
    for (uint64_t i = 0; i < 10; i++)
        for (uint64_t k = 0; k < 5; k++)
            try_choice(LENGTHS[i], UINT64_C(4) << (i + k) % 3, KEPT[k], i);
}

/* --- parts that move down -------------------------------------------------------------------------------- */

typedef struct gaps {
    em_gap_part *parts;
    uint64_t n_parts, n;
    unsigned char *columns[3], *work[3], *expected[3];
} gaps;
static const uint64_t GAP_BYTES[3] = {4, 8, 16};

static void closes_like_a_loop(em_context *context, void *state)
{
    const gaps *own = state;
    em_column columns[3];
    for (int i = 0; i < 3; i++) {
        memcpy(own->work[i], own->columns[i], own->n * GAP_BYTES[i]);
        columns[i] = (em_column){own->work[i], GAP_BYTES[i]};
    }
    assert_int_equal(em_close_gaps(context, columns, 3, own->parts, own->n_parts, NULL), EM_OK);
    for (int i = 0; i < 3; i++)
        for (uint64_t p = 0; p < own->n_parts; p++)
            assert_memory_equal(own->work[i] + own->parts[p].to * GAP_BYTES[i],
                                own->expected[i] + own->parts[p].to * GAP_BYTES[i], own->parts[p].n * GAP_BYTES[i]);
}

/* Parts of up to `most` items and gaps of up to `most_gap`; where they go gaps may be left, too. */
static void try_gaps(uint64_t n_parts, uint64_t most, uint64_t most_gap, uint64_t seed)
{
    gaps own = {.parts = malloc((n_parts + 1) * sizeof *own.parts), .n_parts = n_parts};
    uint64_t to = 0;
    for (uint64_t p = 0; p < n_parts; p++) {
        const uint64_t gap = ref_random(&seed) % (most_gap + 1), drift = own.n + gap - to;
        to += ref_random(&seed) % 4 == 0 ? ref_random(&seed) % (drift + 1) : 0;
        own.parts[p] = (em_gap_part){own.n + gap, to, ref_random(&seed) % (most + 1)};
        own.n += gap + own.parts[p].n;
        to += own.parts[p].n;
    }
    for (int i = 0; i < 3; i++) {
        own.columns[i] = malloc(own.n * GAP_BYTES[i] + 1), own.work[i] = malloc(own.n * GAP_BYTES[i] + 1);
        own.expected[i] = malloc(own.n * GAP_BYTES[i] + 1);
        for (uint64_t k = 0; k < own.n * GAP_BYTES[i]; k++)
            own.columns[i][k] = (unsigned char)ref_random(&seed);
        for (uint64_t p = 0; p < n_parts; p++)
            memcpy(own.expected[i] + own.parts[p].to * GAP_BYTES[i], own.columns[i] + own.parts[p].from * GAP_BYTES[i],
                   own.parts[p].n * GAP_BYTES[i]);
    }
    uses_in_every_context(closes_like_a_loop, &own);
    for (int i = 0; i < 3; i++)
        free(own.columns[i]), free(own.work[i]), free(own.expected[i]);
    free(own.parts);
}

static void gaps_close_like_a_loop(void **state)
{
    (void)state;
    try_gaps(0, 1, 1, 0);
    for (uint64_t i = 0; i < 12; i++) {
        try_gaps(1 + i, 100, i % 4, i);
        try_gaps(30, 10, 1, i);
        try_gaps(1 + i % 3, 2000, 1 + i % 2 * 40, i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_odd_numbers_in_every_context),
        cmocka_unit_test(selection_matches_a_loop),
        cmocka_unit_test(gaps_close_like_a_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
