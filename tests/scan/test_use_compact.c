/* test_use_compact - positions of kept items and their move against a loop.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support_uses.h"

#include <stdlib.h>
#include <string.h>

#include "scan/uses.h"
#include "tests/reference.h"

/* --- by hand -------------------------------------------------------------------------------------- */

static void keeps_four_of_eight(em_context *context, void *state)
{
    (void)state;
    const uint8_t keep[8] = {0, 1, 0, 0, 9, 1, 255, 0};
    const uint64_t bits = 0xFF00 | 0x72, expected[9] = {0, 0, 1, 1, 1, 2, 3, 4, 4}; /* 0x72: bits 1, 4, 5 and 6 */
    uint64_t positions[9], n_kept = 77;
    assert_int_equal(em_compact_positions(context, keep, 8, positions, NULL), EM_OK);
    assert_memory_equal(positions, expected, sizeof expected);
    memset(positions, 7, sizeof positions);
    assert_int_equal(em_compact_positions_of_bits(context, &bits, 8, positions, NULL), EM_OK);
    assert_memory_equal(positions, expected, sizeof expected);
    char out[9] = "........";
    assert_int_equal(em_compact(context, 1, "abcdefgh", keep, 8, out, &n_kept, NULL), EM_OK);
    assert_int_equal(n_kept, 4);
    assert_string_equal(out, "befg....");
    assert_int_equal(em_compact(context, 1, "abcdefgh", keep, 8, out, NULL, NULL), EM_OK);
}

static void keeps_four_of_eight_in_every_context(void **state)
{
    uses_in_every_context(keeps_four_of_eight, *state);
}

static void nothing_has_one_position(void **state)
{
    (void)state;
    em_context *context = uses_team(2, 1, 0);
    uint64_t position = 5, n_kept = 5;
    assert_int_equal(em_compact_positions(context, NULL, 0, &position, NULL), EM_OK);
    assert_int_equal(position, 0);
    position = 5;
    assert_int_equal(em_compact_positions_of_bits(context, NULL, 0, &position, NULL), EM_OK);
    assert_int_equal(position, 0);
    assert_int_equal(em_compact(context, 4, NULL, NULL, 0, NULL, &n_kept, NULL), EM_OK);
    assert_int_equal(n_kept, 0);
    em_context_free(context);
}

/* --- random ---------------------------------------------------------------------------------------- */

typedef struct choice {
    uint64_t n, item_bytes, n_kept;
    uint8_t *keep;
    uint64_t *bits, *positions, *got;
    unsigned char *in, *kept, *out;
} choice;

static void matches_the_loop(em_context *context, void *state)
{
    const choice *own = state;
    const uint64_t n_bytes = own->n * own->item_bytes, n_kept_bytes = own->n_kept * own->item_bytes;
    assert_int_equal(em_compact_positions(context, own->keep, own->n, own->got, NULL), EM_OK);
    assert_memory_equal(own->got, own->positions, (own->n + 1) * 8);
    memset(own->got, 0xAB, (own->n + 1) * 8);
    assert_int_equal(em_compact_positions_of_bits(context, own->bits, own->n, own->got, NULL), EM_OK);
    assert_memory_equal(own->got, own->positions, (own->n + 1) * 8);
    uint64_t n_kept = 0;
    memset(own->out, 0xAB, n_bytes);
    assert_int_equal(em_compact(context, own->item_bytes, own->in, own->keep, own->n, own->out, &n_kept, NULL), EM_OK);
    assert_int_equal(n_kept, own->n_kept);
    assert_memory_equal(own->out, own->kept, n_kept_bytes);
    for (uint64_t i = n_kept_bytes; i < n_bytes; i++)
        assert_int_equal(own->out[i], 0xAB); /* nothing past what is kept is written */
}

/* One in `one_in` is kept; 0: none. Arrays are of exactly their size, at odd addresses where that is allowed. */
static void try_choice(uint64_t n, uint64_t item_bytes, uint64_t one_in, uint64_t seed)
{
    const uint64_t n_bytes = n * item_bytes;
    choice own = {.n = n, .item_bytes = item_bytes, .keep = malloc(n + 1), .bits = calloc(n / 64 + 1, 8)};
    own.positions = malloc((n + 1) * 8), own.got = malloc((n + 1) * 8);
    unsigned char *in = malloc(n_bytes + 1), *out = malloc(n_bytes + 1);
    own.in = in + 1, own.out = out + 1, own.kept = malloc(n_bytes + 1);
    for (uint64_t i = 0; i < n_bytes; i++)
        own.in[i] = (unsigned char)ref_random(&seed);
    for (uint64_t i = 0; i < n; i++) {
        own.keep[i] = one_in && ref_random(&seed) % one_in == 0 ? (uint8_t)(1 + ref_random(&seed) % 255) : 0;
        own.bits[i / 64] |= (uint64_t)(own.keep[i] != 0) << i % 64;
        own.positions[i] = own.n_kept;
        if (own.keep[i])
            memcpy(own.kept + own.n_kept++ * item_bytes, own.in + i * item_bytes, item_bytes);
    }
    own.positions[n] = own.n_kept;
    if (n % 64)
        own.bits[n / 64] |= ~UINT64_C(0) << n % 64; /* what lies past the end counts for nothing */
    uses_in_every_context(matches_the_loop, &own);
    free(own.keep), free(own.bits), free(own.positions), free(own.got), free(in), free(out), free(own.kept);
}

static void compaction_matches_a_loop(void **state)
{
    (void)state;
    static const uint64_t LENGTHS[] = {1, 2, 63, 64, 65, 127, 128, 257, 1000, 3001},
                          BYTES[] = {4, 1, 2, 8, 16, 12, 3, 24, 32};
    for (uint64_t i = 0; i < 10; i++)
        for (uint64_t one_in = 0; one_in <= 3; one_in++)
            try_choice(LENGTHS[i], BYTES[(i + one_in) % 9], one_in, i);
    for (uint64_t i = 0; i < 9; i++)
        try_choice(1500, BYTES[i], 2 + i % 2 * 7, i);
    try_choice(300, 1000, 2, 1);
}

/* Positions of 8 MiB and more pass the caches by. */
static void many_positions_match_a_loop(void **state)
{
    (void)state;
    enum { MANY = 1100003 };
    uint8_t *keep = malloc(MANY);
    uint64_t *bits = calloc(MANY / 64 + 1, 8), *positions = malloc((MANY + 1) * 8), seed = 9;
    for (uint64_t i = 0; i < MANY; i++) {
        keep[i] = ref_random(&seed) % 300 < i % 256 ? 255 : 0;
        bits[i / 64] |= (uint64_t)(keep[i] != 0) << i % 64;
    }
    for (uint32_t n_threads = 0; n_threads <= 3; n_threads++) {
        em_context *context = n_threads ? uses_team(n_threads, 0, 0) : uses_serial();
        for (int by_bits = 0; by_bits < 2; by_bits++) {
            memset(positions, 1, (MANY + 1) * 8);
            assert_int_equal(by_bits ? em_compact_positions_of_bits(context, bits, MANY, positions, NULL)
                                     : em_compact_positions(context, keep, MANY, positions, NULL),
                             EM_OK);
            uint64_t n_kept = 0;
            for (uint64_t i = 0; i <= MANY; i++) {
                if (positions[i] != n_kept)
                    fail_msg("position %llu", (unsigned long long)i);
                n_kept += i < MANY && keep[i];
            }
        }
        em_context_free(context);
    }
    free(keep), free(bits), free(positions);
}

/* --- what is refused, what fails -------------------------------------------------------------------- */

static void refuses_arrays_that_cannot_be(void **state)
{
    (void)state;
    em_context *context = uses_team(2, 0, 0);
    uint64_t words[64] = {0}, n_kept;
    uint8_t *bytes = (uint8_t *)words;
    assert_int_equal(em_compact(context, 0, words, bytes, 4, words + 32, &n_kept, NULL), EM_USAGE);
    assert_int_equal(em_compact(context, 8, words, bytes + 256, 4, words, &n_kept, NULL), EM_USAGE); /* in place */
    assert_int_equal(em_compact(context, 8, words, bytes + 256, 4, words + 3, &n_kept, NULL), EM_USAGE);
    assert_int_equal(em_compact(context, 8, words, bytes + 40, 4, words + 4, &n_kept, NULL), EM_USAGE);
    assert_int_equal(em_compact(context, 8, words, bytes + 64, 4, words + 4, &n_kept, NULL), EM_OK);
    assert_int_equal(em_compact(context, 8, NULL, bytes, 4, words + 4, &n_kept, NULL), EM_USAGE);
    assert_int_equal(em_compact(context, 8, words, NULL, 4, words + 4, &n_kept, NULL), EM_USAGE);
    assert_int_equal(em_compact(context, 8, words, bytes, 4, NULL, &n_kept, NULL), EM_USAGE);
    assert_int_equal(em_compact(context, UINT64_MAX / 2, words, bytes, 4, words + 4, &n_kept, NULL), EM_USAGE);
    assert_int_equal(em_compact_positions(context, bytes, 4, words, NULL), EM_USAGE);
    assert_int_equal(em_compact_positions(context, bytes + 41, 4, words, NULL), EM_OK);
    assert_int_equal(em_compact_positions(context, bytes, UINT64_MAX, words, NULL), EM_USAGE);
    assert_int_equal(em_compact_positions_of_bits(context, words, 65, words, NULL), EM_USAGE);
    assert_int_equal(em_compact_positions_of_bits(context, words + 9, 8, words, NULL), EM_OK);
    assert_int_equal(em_compact_positions_of_bits(context, words + 8, 8, words, NULL), EM_USAGE);
    assert_int_equal(em_compact_positions_of_bits(context, (uint64_t *)(void *)(bytes + 84), 8, words, NULL), EM_USAGE);
    assert_int_equal(em_compact_positions_of_bits(context, words, UINT64_MAX, words, NULL), EM_USAGE);
    em_context_free(context);
}

static em_status compact_some(em_context *context, em_error *error)
{
    static uint64_t in[1000], out[1000], positions[1001];
    static const uint8_t keep[1000] = {1, 1};
    em_status status = em_compact(context, 8, in, keep, 1000, out, NULL, error);
    if (status == EM_OK)
        status = em_compact_positions(context, keep, 1000, positions, error);
    if (status == EM_OK)
        status = em_compact_positions_of_bits(context, in, 1000, positions, error);
    return status;
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    uses_survives_failing_allocations(compact_some);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_four_of_eight_in_every_context),
        cmocka_unit_test(nothing_has_one_position),
        cmocka_unit_test(compaction_matches_a_loop),
        cmocka_unit_test(many_positions_match_a_loop),
        cmocka_unit_test(refuses_arrays_that_cannot_be),
        cmocka_unit_test(survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
