/* test_select - compaction by a predicate, of one array and of columns, against loops.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support_uses.h"

#include <stdlib.h>
#include <string.h>

#include "scan/select.h"
#include "tests/reference.h"
#include "tests/support_turns.h"

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
    const choice *own = state;
    if (memcmp(items, own->in + first_index * own->item_bytes, n * own->item_bytes) != 0)
        return em_fail(error, EM_DIFFERS, "item %llu was overwritten", (unsigned long long)first_index);
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
    if (worker >= 5)
        return em_fail(error, EM_DIFFERS, "worker %u", worker);
    return is_chosen(state, own->out + first_index * own->item_bytes, first_index, n, bits, error);
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

/* --- columns ------------------------------------------------------------------------------------------------ */

enum { N_COLUMNS = 5 };
static const uint64_t COLUMN_BYTES[N_COLUMNS] = {8, 4, 16, 4, 8};

typedef struct table {
    uint64_t n, n_kept;
    uint8_t *keep;
    unsigned char *columns[N_COLUMNS], *kept[N_COLUMNS], *work[N_COLUMNS];
} table;

static em_status is_chosen_in_table(const void *state, uint32_t worker, uint64_t first_index, uint32_t n,
                                    uint64_t *bits, em_error *error)
{
    (void)worker;
    const table *own = state;
    for (int i = 0; i < N_COLUMNS; i++)
        if (memcmp(own->work[i] + first_index * COLUMN_BYTES[i], own->columns[i] + first_index * COLUMN_BYTES[i],
                   n * COLUMN_BYTES[i]) != 0)
            return em_fail(error, EM_DIFFERS, "row %llu was overwritten", (unsigned long long)first_index);
    memset(bits, 0, (n + 63) / 64 * 8);
    for (uint32_t i = 0; i < n; i++)
        bits[i / 64] |= (uint64_t)own->keep[first_index + i] << i % 64;
    return EM_OK;
}

static void selects_rows_like_a_loop(em_context *context, void *state)
{
    const table *own = state;
    for (uint32_t n_columns = 0; n_columns <= N_COLUMNS; n_columns++) {
        em_column columns[N_COLUMNS];
        uint64_t n_kept = 0;
        for (int i = 0; i < N_COLUMNS; i++) {
            memcpy(own->work[i], own->columns[i], own->n * COLUMN_BYTES[i]);
            columns[i] = (em_column){own->work[i], COLUMN_BYTES[i]};
        }
        assert_int_equal(em_select_columns(context, columns, n_columns, own->n, is_chosen_in_table, own, &n_kept, NULL),
                         EM_OK);
        assert_int_equal(n_kept, own->n_kept);
        for (uint32_t i = 0; i < n_columns; i++)
            assert_memory_equal(own->work[i], own->kept[i], n_kept * COLUMN_BYTES[i]);
    }
}

static table make_table(uint64_t n, uint64_t of_8, uint64_t seed)
{
    table own = {.n = n, .keep = malloc(n + 1)};
    for (uint64_t i = 0; i < n; i++) {
        own.keep[i] = ref_random(&seed) % 8 < of_8;
        own.n_kept += own.keep[i];
    }
    for (int k = 0; k < N_COLUMNS; k++) {
        const uint64_t bytes = COLUMN_BYTES[k];
        own.columns[k] = malloc(n * bytes + 1), own.kept[k] = malloc(n * bytes + 1);
        own.work[k] = malloc(n * bytes + 1);
        uint64_t n_kept = 0;
        for (uint64_t i = 0; i < n * bytes; i += 4) {
            const uint32_t word = (uint32_t)ref_random(&seed);
            memcpy(own.columns[k] + i, &word, 4);
        }
        for (uint64_t i = 0; i < n; i++)
            if (own.keep[i])
                memcpy(own.kept[k] + n_kept++ * bytes, own.columns[k] + i * bytes, bytes);
    }
    return own;
}

static void free_table(table *own)
{
    for (int i = 0; i < N_COLUMNS; i++)
        free(own->columns[i]), free(own->kept[i]), free(own->work[i]);
    free(own->keep);
}

static void columns_are_packed_by_one_mask(void **state)
{
    (void)state;
    static const uint64_t LENGTHS[] = {0, 1, 64, 129, 400, 2500};
    for (uint64_t i = 0; i < 6; i++) {
        table own = make_table(LENGTHS[i], i * 3 % 9, i);
        uses_in_every_context(selects_rows_like_a_loop, &own);
        free_table(&own);
    }
}

/* 8 MiB and more pass the caches by; tiles are of their usual size. */
static void many_rows_are_packed_by_one_mask(void **state)
{
    (void)state;
    uint64_t turn = 0;
    for (uint64_t of_8 = 1; of_8 <= 7; of_8 += 3) {
        table own = make_table(300001, of_8, of_8);
        for (uint32_t n_threads = 0; n_threads <= 3; n_threads++) {
            if (!support_turn(&turn))
                continue;
            em_context *context = n_threads ? uses_team(n_threads, 0, 0) : uses_serial();
            selects_rows_like_a_loop(context, &own);
            em_context_free(context);
        }
        free_table(&own);
    }
}

/* --- comparisons: every type, relation and set of instructions -------------------------------------------- */

#define DEFINE_CHECK(name, number, type, wide)                                                                         \
    static void check_##name(em_context *context, const void *items, uint64_t n, const void *constant)                 \
    {                                                                                                                  \
        const number *x = items, c = *(const number *)constant;                                                        \
        number *expected = malloc((n + 1) * sizeof *expected), *out = malloc((n + 1) * sizeof *out);                   \
        for (int relation = 0; relation < (int)EM_N_RELATIONS; relation++) {                                           \
            uint64_t n_expected = 0, n_kept = 0;                                                                       \
            for (uint64_t i = 0; i < n; i++) {                                                                         \
                const bool holds[] = {x[i]<c, x[i] <= c, x[i] == c, x[i] != c, x[i] >= c, x[i]> c};                    \
                if (holds[relation])                                                                                   \
                    expected[n_expected++] = x[i];                                                                     \
            }                                                                                                          \
            assert_int_equal(em_select_compare(context, type, x, n, (em_relation)relation, &c, out, &n_kept, NULL),    \
                             EM_OK);                                                                                   \
            assert_int_equal(n_kept, n_expected);                                                                      \
            assert_memory_equal(out, expected, n_expected * sizeof *out);                                              \
        }                                                                                                              \
        free(expected), free(out);                                                                                     \
    }                                                                                                                  \
    static void compare_##name(em_context *context)                                                                    \
    {                                                                                                                  \
        number x[331];                                                                                                 \
        uint64_t seed = 3;                                                                                             \
        for (int i = 0; i < 331; i++) {                                                                                \
            const uint64_t bits = ref_random(&seed);                                                                   \
            x[i] = wide[i % (sizeof(wide) / sizeof *(wide))];                                                          \
            if (i % 3 == 0)                                                                                            \
                memcpy(&x[i], &bits, sizeof x[i]);                                                                     \
        }                                                                                                              \
        for (int i = 0; i < 12; i++)                                                                                   \
            for (uint64_t n = 0; n <= 331; n = n < 60 ? n + 20 : n + 91)                                               \
                check_##name(context, x, n, &x[i]);                                                                    \
    }
static const uint32_t U32S[] = {0, 5, UINT32_MAX, 1u << 31, (1u << 31) - 1};
static const int32_t I32S[] = {0, 5, INT32_MIN, INT32_MAX, -1};
static const uint64_t U64S[] = {0, 5, UINT64_MAX, UINT64_C(1) << 63, UINT32_MAX};
static const int64_t I64S[] = {0, 5, INT64_MIN, INT64_MAX, -1};
static const float F32S[] = {0.f, -0.f, __builtin_nanf(""), __builtin_inff(), -1.5f};
static const double F64S[] = {0., -0., __builtin_nan(""), __builtin_inf(), -1.5};
DEFINE_CHECK(u32, uint32_t, EM_U32, U32S)
DEFINE_CHECK(i32, int32_t, EM_I32, I32S)
DEFINE_CHECK(u64, uint64_t, EM_U64, U64S)
DEFINE_CHECK(i64, int64_t, EM_I64, I64S)
DEFINE_CHECK(f32, float, EM_F32, F32S)
DEFINE_CHECK(f64, double, EM_F64, F64S)

static void comparisons_match_a_loop(void **state)
{
    (void)state;
    for (int isa = 0; isa <= (int)EM_ISA_AVX512; isa++) {
        const em_context_options options = {.n_threads = 1, .knobs = {.isa_at_most = isa, .isa_limited = true}};
        em_context *context = NULL;
        assert_int_equal(em_context_create(&options, &context, NULL), EM_OK);
        compare_u32(context), compare_i32(context), compare_u64(context);
        compare_i64(context), compare_f32(context), compare_f64(context);
        em_context_free(context);
    }
}

static void many_numbers_are_compared_by_all_threads(void **state)
{
    (void)state;
    enum { MANY = 2500003 };
    uint32_t *in = malloc(MANY * sizeof *in), *out = malloc(MANY * sizeof *out);
    uint64_t seed = 1, turn = 0;
    for (uint64_t i = 0; i < MANY; i++)
        in[i] = (uint32_t)ref_random(&seed) % 1000;
    for (uint32_t n_threads = 0; n_threads <= 4; n_threads++)
        for (uint32_t least = 100; least <= 900; least += 400) {
            if (!support_turn(&turn))
                continue;
            em_context *context = n_threads ? uses_team(n_threads, 0, 0) : uses_serial();
            uint64_t n_kept = 0, n_seen = 0;
            assert_int_equal(
                em_select_compare(context, EM_U32, in, MANY, EM_GREATER_OR_EQUAL, &least, out, &n_kept, NULL), EM_OK);
            for (uint64_t i = 0; i < MANY; i++)
                if (in[i] >= least && out[n_seen++] != in[i])
                    fail_msg("item %llu", (unsigned long long)i);
            assert_int_equal(n_kept, n_seen);
            em_context_free(context);
        }
    free(in), free(out);
}

/* --- what is refused, what fails ------------------------------------------------------------------------------ */

static void refuses_arrays_that_cannot_be(void **state)
{
    (void)state;
    em_context *context = uses_team(2, 0, 0);
    uint32_t words[64] = {0};
    const uint32_t c = 1;
    unsigned char *const odd = (unsigned char *)words + 2;
    uint64_t n_kept;
    assert_int_equal(em_select(context, 12, words, 4, is_odd, NULL, words, &n_kept, NULL), EM_USAGE);
    assert_int_equal(em_select(context, 0, words, 4, is_odd, NULL, words, &n_kept, NULL), EM_USAGE);
    assert_int_equal(em_select(context, 4, words, 4, is_odd, NULL, words + 3, &n_kept, NULL), EM_USAGE);
    assert_int_equal(em_select(context, 4, words + 3, 4, is_odd, NULL, words, &n_kept, NULL), EM_USAGE);
    assert_int_equal(em_select(context, 4, words + 4, 4, is_odd, NULL, words, &n_kept, NULL), EM_OK);
    assert_int_equal(em_select(context, 4, NULL, 4, is_odd, NULL, words, &n_kept, NULL), EM_USAGE);
    assert_int_equal(em_select(context, 4, words, 4, is_odd, NULL, NULL, &n_kept, NULL), EM_USAGE);
    assert_int_equal(em_select(context, 4, odd, 4, is_odd, NULL, words + 32, &n_kept, NULL), EM_USAGE);
    assert_int_equal(em_select(context, 4, words + 32, 4, is_odd, NULL, odd, &n_kept, NULL), EM_USAGE);
    assert_int_equal(em_select(context, 4, words, UINT64_MAX / 2, is_odd, NULL, words, &n_kept, NULL), EM_USAGE);
    assert_int_equal(em_select_compare(context, (em_type)9, words, 4, EM_LESS, &c, words, NULL, NULL), EM_USAGE);
    assert_int_equal(em_select_compare(context, EM_U32, words, 4, EM_N_RELATIONS, &c, words, NULL, NULL), EM_USAGE);
    em_context_free(context);
}

static void refuses_columns_that_cannot_be(void **state)
{
    (void)state;
    em_context *context = uses_team(2, 0, 0);
    uint64_t words[64] = {0};
    const em_column apart[2] = {{words, 8}, {words + 8, 8}}, over[2] = {{words, 8}, {words + 7, 8}};
    const em_column odd[1] = {{(unsigned char *)words + 4, 8}}, three[1] = {{words, 3}}, none[1] = {{NULL, 8}};
    const em_gap_part part = {1, 0, 7};
    assert_int_equal(em_close_gaps(context, apart, 2, &part, 1, NULL), EM_OK);
    assert_int_equal(em_close_gaps(context, over, 2, &part, 1, NULL), EM_USAGE);
    assert_int_equal(em_close_gaps(context, odd, 1, &part, 1, NULL), EM_USAGE);
    assert_int_equal(em_close_gaps(context, three, 1, &part, 1, NULL), EM_USAGE);
    assert_int_equal(em_close_gaps(context, none, 1, &part, 1, NULL), EM_USAGE);
    assert_int_equal(em_close_gaps(context, apart, EM_MOST_COLUMNS + 1, &part, 1, NULL), EM_USAGE);
    assert_int_equal(em_select_columns(context, over, 2, 8, is_chosen_in_table, NULL, NULL, NULL), EM_USAGE);
    assert_int_equal(em_select_columns(context, over, 2, 0, is_chosen_in_table, NULL, NULL, NULL), EM_OK);
    em_context_free(context);
}

/* Fails at two places; the first one is told. */
static em_status fails_twice(const void *state, const void *items, uint64_t first_index, uint32_t n, uint64_t *bits,
                             em_error *error)
{
    (void)items;
    const uint64_t *at = state;
    memset(bits, 0, (n + 63) / 64 * 8);
    for (uint64_t i = first_index; i < first_index + n; i++)
        if (i == at[0] || i == at[1])
            return em_fail_at(error, EM_MALFORMED, i, "item %llu", (unsigned long long)i);
    return EM_OK;
}

static void the_first_failure_is_told(em_context *context, void *state)
{
    uint32_t *items = state;
    for (uint64_t i = 0; i < 900; i += 37) {
        const uint64_t at[2] = {i, i + 20};
        em_error error = {0};
        assert_int_equal(em_select(context, 4, items, 1000, fails_twice, at, items, NULL, &error), EM_MALFORMED);
        assert_int_equal(error.position, i);
    }
}

static void a_failing_predicate_ends_everything(void **state)
{
    (void)state;
    uint32_t items[1000] = {0};
    uses_in_every_context(the_first_failure_is_told, items);
}

static bool cancel_at_once(void *state, const char *stage, uint64_t done, uint64_t total)
{
    (void)state, (void)stage, (void)done, (void)total;
    return false;
}

static void a_cancelled_selection_ends(void **state)
{
    (void)state;
    static uint64_t items[20000];
    for (uint32_t n_threads = 1; n_threads <= 3; n_threads++)
        for (uint64_t serial_below = 1; serial_below; serial_below = serial_below == 1 ? UINT64_MAX : 0) {
            em_context_options options = {.n_threads = n_threads, .progress = cancel_at_once};
            options.knobs.tile_bytes = 1000, options.knobs.serial_below = serial_below;
            em_context *context = NULL;
            const uint64_t c = 1;
            assert_int_equal(em_context_create(&options, &context, NULL), EM_OK);
            assert_int_equal(em_select_compare(context, EM_U64, items, 20000, EM_LESS, &c, items, NULL, NULL),
                             EM_CANCELLED);
            assert_int_equal(em_context_memory(context).current_bytes, 0);
            em_context_free(context);
        }
}

static em_status move_some(em_context *context, em_error *error)
{
    static uint64_t items[1000], more[1000];
    const uint64_t c = 1;
    const em_gap_part parts[2] = {{10, 0, 400}, {600, 400, 400}};
    const em_column columns[2] = {{items, 8}, {more, 8}};
    em_status status = em_select_compare(context, EM_U64, items, 1000, EM_LESS, &c, more, NULL, error);
    if (status == EM_OK)
        status = em_close_gaps(context, columns, 2, parts, 2, error);
    return status;
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    uses_survives_failing_allocations(move_some);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_odd_numbers_in_every_context),
        cmocka_unit_test(selection_matches_a_loop),
        cmocka_unit_test(columns_are_packed_by_one_mask),
        cmocka_unit_test(many_rows_are_packed_by_one_mask),
        cmocka_unit_test(comparisons_match_a_loop),
        cmocka_unit_test(many_numbers_are_compared_by_all_threads),
        cmocka_unit_test(refuses_arrays_that_cannot_be),
        cmocka_unit_test(refuses_columns_that_cannot_be),
        cmocka_unit_test(a_failing_predicate_ends_everything),
        cmocka_unit_test(a_cancelled_selection_ends),
        cmocka_unit_test(survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
