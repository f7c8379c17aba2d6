/* test_use_recurrence - Fibonacci and congruential numbers and filters of first order against their serial loops.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support_uses.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scan/uses.h"
#include "tests/reference.h"

/* --- Fibonacci -------------------------------------------------------------------------------------- */

typedef struct numbers {
    uint64_t n;
    uint32_t modulus, factor, term, seed;
    const uint32_t *expected;
    uint32_t *out;
} numbers;

static void matches_fibonacci(em_context *context, void *state)
{
    const numbers *own = state;
    memset(own->out, 0xAB, own->n * 4 + 4);
    assert_int_equal(em_fibonacci(context, own->modulus, own->n, own->out, NULL), EM_OK);
    assert_memory_equal(own->out, own->expected, own->n * 4);
    assert_int_equal(own->out[own->n], 0xABABABAB);
}

static void fibonacci_numbers_match_a_loop(void **state)
{
    (void)state;
    enum { N = 6000 };
    static const uint32_t MODULI[] = {2, 3, 10, 97, 65536, 1000000007, 2147483648, 4294967291, 4294967295};
    static uint32_t expected[N], out[N + 1];
    for (uint64_t k = 0; k < sizeof MODULI / sizeof *MODULI; k++) {
        numbers own = {.modulus = MODULI[k], .expected = expected, .out = out};
        for (uint64_t i = 0; i < N; i++)
            expected[i] = i < 2 ? (uint32_t)i : (uint32_t)(((uint64_t)expected[i - 1] + expected[i - 2]) % MODULI[k]);
        for (own.n = k; own.n <= N; own.n = own.n * 9 + 1)
            uses_in_every_context(matches_fibonacci, &own);
    }
}

static void the_thirtieth_fibonacci_number_is_832040(void **state)
{
    (void)state;
    em_context *context = uses_team(3, 1, 0);
    uint32_t out[91];
    assert_int_equal(em_fibonacci(context, UINT32_MAX, 91, out, NULL), EM_OK);
    assert_int_equal(out[30], 832040);
    assert_int_equal(out[90], UINT64_C(2880067194370816120) % UINT32_MAX);
    assert_int_equal(em_fibonacci(context, 1, 91, out, NULL), EM_USAGE);
    assert_int_equal(em_fibonacci(context, 0, 91, out, NULL), EM_USAGE);
    assert_int_equal(em_fibonacci(context, 2, 91, NULL, NULL), EM_USAGE);
    assert_int_equal(em_fibonacci(context, 2, 0, NULL, NULL), EM_OK);
    em_context_free(context);
}

/* --- congruential ------------------------------------------------------------------------------------- */

static void matches_congruential(em_context *context, void *state)
{
    const numbers *own = state;
    memset(own->out, 0xAB, own->n * 4 + 4);
    assert_int_equal(em_congruential(context, own->factor, own->term, own->seed, own->n, own->out, NULL), EM_OK);
    assert_memory_equal(own->out, own->expected, own->n * 4);
    assert_int_equal(own->out[own->n], 0xABABABAB);
}

static void congruential_numbers_match_a_loop(void **state)
{
    (void)state;
    enum { N = 6000 };
    static uint32_t expected[N], out[N + 1];
    static const uint32_t CASES[][3] = {{1664525, 1013904223, 0},    {69069, 1, 42}, {1, 1, 5}, {0, 7, 9},
                                        {UINT32_MAX, UINT32_MAX, 1}, {2, 0, 1}};
    for (uint64_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        numbers own = {.factor = CASES[k][0], .term = CASES[k][1], .seed = CASES[k][2], .expected = expected};
        own.out = out;
        uint32_t x = own.seed;
        for (uint64_t i = 0; i < N; i++) {
            expected[i] = x = own.factor * x + own.term;
            assert_int_equal(em_congruential_jump(own.factor, own.term, own.seed, i + 1), x);
        }
        assert_int_equal(em_congruential_jump(own.factor, own.term, own.seed, 0), own.seed);
        for (own.n = k; own.n <= N; own.n = own.n * 9 + 1)
            uses_in_every_context(matches_congruential, &own);
    }
    /* A full period comes back to where it began. */
    assert_int_equal(em_congruential_jump(1664525, 1013904223, 12345, UINT64_C(1) << 32), 12345);
}

/* --- filters -------------------------------------------------------------------------------------------- */

enum { N_FILTER = 60000 };

/* Bytes from every context are those of the first; `of` is the one that makes it. */
typedef struct filter {
    uint64_t n;
    bool constant;
    float factor_f32, before_f32;
    double factor_f64, before_f64;
    const float *factors_f32, *x_f32;
    const double *factors_f64, *x_f64;
    float *y_f32, *got_f32;
    double *y_f64, *got_f64;
} filter;

static void run_f32(em_context *context, const filter *own, const float *x, float *y)
{
    if (own->constant)
        assert_int_equal(em_filter_f32(context, own->factor_f32, own->before_f32, x, y, own->n, NULL), EM_OK);
    else
        assert_int_equal(em_recurrence_f32(context, own->factors_f32, own->before_f32, x, y, own->n, NULL), EM_OK);
}

static void run_f64(em_context *context, const filter *own, const double *x, double *y)
{
    if (own->constant)
        assert_int_equal(em_filter_f64(context, own->factor_f64, own->before_f64, x, y, own->n, NULL), EM_OK);
    else
        assert_int_equal(em_recurrence_f64(context, own->factors_f64, own->before_f64, x, y, own->n, NULL), EM_OK);
}

static void gives_the_same_bytes(em_context *context, void *state)
{
    const filter *own = state;
    memset(own->got_f32, 1, own->n * 4 + 4), memset(own->got_f64, 1, own->n * 8 + 8);
    run_f32(context, own, own->x_f32, own->got_f32);
    assert_memory_equal(own->got_f32, own->y_f32, own->n * 4);
    run_f64(context, own, own->x_f64, own->got_f64);
    assert_memory_equal(own->got_f64, own->y_f64, own->n * 8);
    memcpy(own->got_f32, own->x_f32, own->n * 4), memcpy(own->got_f64, own->x_f64, own->n * 8);
    run_f32(context, own, own->got_f32, own->got_f32); /* in place */
    assert_memory_equal(own->got_f32, own->y_f32, own->n * 4);
    run_f64(context, own, own->got_f64, own->got_f64);
    assert_memory_equal(own->got_f64, own->y_f64, own->n * 8);
}

static filter make_filter(uint64_t n, bool constant)
{
    static float factors_f32[N_FILTER], x_f32[N_FILTER], y_f32[N_FILTER + 1], got_f32[N_FILTER + 1];
    static double factors_f64[N_FILTER], x_f64[N_FILTER], y_f64[N_FILTER + 1], got_f64[N_FILTER + 1];
    uint64_t seed = n;
    for (uint64_t i = 0; i < n; i++) {
        x_f64[i] = (double)(int64_t)ref_random(&seed) * 0x1p-63;
        x_f32[i] = (float)x_f64[i];
        factors_f64[i] = (double)(int64_t)ref_random(&seed) * 0x1.02p-63; /* to a bit above 1 */
        factors_f32[i] = (float)factors_f64[i];
    }
    return (filter){n,     constant,    0.97f, 3.25f, -0.9991, 1e3,   factors_f32,
                    x_f32, factors_f64, x_f64, y_f32, got_f32, y_f64, got_f64};
}

/* |y - exact| <= d u / (1 - d u) S, all in a wider type, whose own error is the summand; and the serial loop. */
static void check_bounds(const filter *own)
{
    long double exact_f32 = own->before_f32, exact_f64 = own->before_f64, s_f32 = own->before_f32;
    long double s_f64 = own->before_f64;
    volatile float serial_f32 = own->before_f32; /* neither fused nor kept wide */
    volatile double serial_f64 = own->before_f64;
    for (uint64_t i = 0; i < own->n; i++) {
        const float a_f32 = own->constant ? own->factor_f32 : own->factors_f32[i];
        const double a_f64 = own->constant ? own->factor_f64 : own->factors_f64[i];
        exact_f32 = a_f32 * exact_f32 + own->x_f32[i];
        exact_f64 = a_f64 * exact_f64 + own->x_f64[i];
        s_f32 = fabsl((long double)a_f32) * s_f32 + fabsl((long double)own->x_f32[i]);
        s_f64 = fabsl((long double)a_f64) * s_f64 + fabsl((long double)own->x_f64[i]);
        const long double d = 2.0L * (long double)(i + 1), u_f32 = 0x1p-24L, u_f64 = 0x1p-53L;
        const long double bound_f32 = d * u_f32 / (1 - d * u_f32) * s_f32;
        const long double bound_f64 = (d * u_f64 / (1 - d * u_f64) + d * 0x1p-63L) * s_f64;
        volatile float product_f32 = a_f32 * serial_f32;
        volatile double product_f64 = a_f64 * serial_f64;
        serial_f32 = product_f32 + own->x_f32[i];
        serial_f64 = product_f64 + own->x_f64[i];
        assert_true(fabsl(own->y_f32[i] - exact_f32) <= bound_f32);
        assert_true(fabsl(own->y_f64[i] - exact_f64) <= bound_f64);
        assert_true(fabsl((long double)own->y_f32[i] - serial_f32) <= 2 * bound_f32);
        assert_true(fabsl((long double)own->y_f64[i] - serial_f64) <= 2 * bound_f64);
        if (i < EM_FILTER_LEAF) { /* the serial loop, bit for bit */
            const float first_f32 = serial_f32;
            const double first_f64 = serial_f64;
            assert_memory_equal(&own->y_f32[i], &first_f32, sizeof first_f32);
            assert_memory_equal(&own->y_f64[i], &first_f64, sizeof first_f64);
        }
    }
}

static void filters_are_the_same_everywhere_and_close(void **state)
{
    (void)state;
    static const uint64_t LENGTHS[] = {1, 2, 511, 512, 513, 1024, 4095, 4096, 4097, 5000, 12345};
    for (uint64_t i = 0; i < 2 * sizeof LENGTHS / sizeof *LENGTHS; i++) {
        filter own = make_filter(LENGTHS[i / 2], i % 2);
        em_context *first = uses_team(1, 0, 0);
        run_f32(first, &own, own.x_f32, own.y_f32);
        run_f64(first, &own, own.x_f64, own.y_f64);
        em_context_free(first);
        check_bounds(&own);
        uses_in_every_context(gives_the_same_bytes, &own);
    }
    filter own = make_filter(N_FILTER, true);
    em_context *first = uses_team(4, 0, 0);
    run_f32(first, &own, own.x_f32, own.y_f32);
    run_f64(first, &own, own.x_f64, own.y_f64);
    check_bounds(&own);
    em_context_free(first);
}

static void a_filter_by_hand(void **state)
{
    (void)state;
    em_context *context = uses_team(2, 1, 0);
    const float x[4] = {1, 2, 3, 4}, factors[4] = {2, 0, -1, 0.5f}, expected[4] = {3, 3.5f, 4.75f, 6.375f};
    const double wide[4] = {1, 2, 3, 4}, wide_factors[4] = {2, 0, -1, 0.5}, by_array[4] = {9, 2, 1, 4.5};
    float y[4];
    double z[4];
    assert_int_equal(em_filter_f32(context, 0.5f, 4, x, y, 4, NULL), EM_OK);
    assert_memory_equal(y, expected, sizeof y);
    assert_int_equal(em_recurrence_f64(context, wide_factors, 4, wide, z, 4, NULL), EM_OK);
    assert_memory_equal(z, by_array, sizeof z);
    assert_int_equal(em_recurrence_f32(context, factors, 4, x, y, 0, NULL), EM_OK);
    em_context_free(context);
}

/* A sum is the filter of factor 1: small integers are exact, whatever the grouping. */
static void a_filter_of_factor_one_is_a_sum(void **state)
{
    (void)state;
    filter own = make_filter(20000, true);
    float *x = malloc(20000 * 4);
    double *wide = malloc(20000 * 8);
    own.factor_f32 = 1, own.factor_f64 = 1, own.before_f32 = -5, own.before_f64 = -5, own.x_f32 = x, own.x_f64 = wide;
    int64_t sum = -5;
    for (uint64_t i = 0; i < own.n; i++) {
        wide[i] = (double)(i % 17) - 8, x[i] = (float)wide[i];
        sum += (int64_t)(i % 17) - 8;
        own.y_f64[i] = (double)sum, own.y_f32[i] = (float)sum;
    }
    uses_in_every_context(gives_the_same_bytes, &own);
    free(x), free(wide);
}

/* Factors whose product over a leaf overflows lose nothing as long as there is nothing to multiply. */
static void odd_numbers_give_the_same_bytes_everywhere(void **state)
{
    (void)state;
    filter own = make_filter(9000, false);
    static float factors[9000], x[9000];
    static double wide_factors[9000], wide[9000];
    static const float ODD[] = {0, -0.0f, INFINITY, -INFINITY, NAN, 1e38f, -3, 1e-45f};
    own.factors_f32 = factors, own.factors_f64 = wide_factors, own.x_f32 = x, own.x_f64 = wide;
    for (uint64_t kinds = 2; kinds <= 8; kinds += 3) {
        uint64_t seed = kinds;
        for (uint64_t i = 0; i < own.n; i++) {
            factors[i] = ODD[ref_random(&seed) % 8], x[i] = ODD[ref_random(&seed) % kinds];
            wide_factors[i] = factors[i], wide[i] = x[i];
        }
        em_context *first = uses_team(1, 0, 0);
        run_f32(first, &own, x, own.y_f32);
        run_f64(first, &own, wide, own.y_f64);
        em_context_free(first);
        for (uint64_t i = 0; i < own.n; i++) {
            const float quiet = NAN;
            if (own.y_f32[i] != own.y_f32[i])
                assert_memory_equal(&own.y_f32[i], &quiet, sizeof quiet);
        }
        uses_in_every_context(gives_the_same_bytes, &own);
    }
    own.constant = true, own.factor_f32 = 2, own.factor_f64 = 1e300, own.before_f32 = 0, own.before_f64 = 0;
    memset(x, 0, sizeof x), memset(wide, 0, sizeof wide);
    memset(own.y_f32, 0, own.n * 4), memset(own.y_f64, 0, own.n * 8);
    uses_in_every_context(gives_the_same_bytes, &own);
}

static void refuses_arrays_that_cannot_be(void **state)
{
    (void)state;
    em_context *context = uses_team(2, 0, 0);
    float f[24] = {0};
    double d[24] = {0};
    assert_int_equal(em_filter_f32(context, 1, 0, f, f + 1, 8, NULL), EM_USAGE);
    assert_int_equal(em_filter_f64(context, 1, 0, NULL, d, 8, NULL), EM_USAGE);
    assert_int_equal(em_recurrence_f32(context, f, 0, f + 8, f, 8, NULL), EM_USAGE); /* factors lie where y goes */
    assert_int_equal(em_recurrence_f32(context, f + 7, 0, f + 16, f, 8, NULL), EM_USAGE);
    assert_int_equal(em_recurrence_f32(context, f + 8, 0, f + 8, f, 8, NULL), EM_OK); /* both may be one array */
    assert_int_equal(em_recurrence_f64(context, NULL, 0, d, d + 8, 8, NULL), EM_USAGE);
    assert_int_equal(em_recurrence_f64(context, d, 0, d + 8, NULL, 8, NULL), EM_USAGE);
    assert_int_equal(em_recurrence_f64(context, d, 0, d + 8, d + 16, UINT64_MAX, NULL), EM_USAGE);
    em_context_free(context);
}

static em_status recur(em_context *context, em_error *error)
{
    static float x[9000], y[9000];
    static uint32_t out[1000];
    em_status status = em_filter_f32(context, 0.5f, 1, x, y, 9000, error);
    if (status == EM_OK)
        status = em_fibonacci(context, 10, 1000, out, error);
    if (status == EM_OK)
        status = em_congruential(context, 5, 1, 1, 1000, out, error);
    return status;
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    uses_survives_failing_allocations(recur);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fibonacci_numbers_match_a_loop),
        cmocka_unit_test(the_thirtieth_fibonacci_number_is_832040),
        cmocka_unit_test(congruential_numbers_match_a_loop),
        cmocka_unit_test(a_filter_by_hand),
        cmocka_unit_test(a_filter_of_factor_one_is_a_sum),
        cmocka_unit_test(filters_are_the_same_everywhere_and_close),
        cmocka_unit_test(odd_numbers_give_the_same_bytes_everywhere),
        cmocka_unit_test(refuses_arrays_that_cannot_be),
        cmocka_unit_test(survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
