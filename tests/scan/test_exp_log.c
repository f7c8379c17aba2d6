/* test_exp_log - exp, log and log-sum-exp against the long double ones of the C library.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scan/monoids.h"
#include "tests/reference.h"
#include "tests/support_scan.h"

/* |got - exact| in units in the last place of the exact number. */
static double ulps(double got, long double exact)
{
    int exponent;
    frexpl(exact, &exponent);
    return (double)(fabsl(got - exact) / ldexpl(1, exponent - 53));
}

typedef struct worst {
    double ulps, at;
} worst;

static void note(worst *of, double error, double at)
{
    if (!(error <= of->ulps))
        *of = (worst){error, at};
}

static void try_exp(worst *of, double x)
{
    note(of, ulps(scan_exp(x), expl(x)), x);
}

static void try_log(worst *of, double x)
{
    if (x != 1)
        note(of, ulps(scan_log(x), logl(x)), x);
}

static double random_between(double low, double high, uint64_t *seed)
{
    return low + (high - low) * ((double)(ref_random(seed) >> 11) * 0x1p-53);
}

static void exp_is_within_a_unit(void **state)
{
    (void)state;
    worst of = {0, 0};
    uint64_t seed = 1;
    for (int32_t i = 0; i < 362480; i++)
        try_exp(&of, fmin(0, -707.99 + i * 0x1.0001p-9));
    for (int32_t k = 0; k < 1021; k++) /* where the power of two changes */
        for (int32_t off = -4; off <= 4; off++)
            try_exp(&of, fmax(-707.9, -(k + 0.5) * 0.69314718055994530942 + off * 0x1p-42));
    for (int32_t exponent = -1074; exponent <= 9; exponent++)
        for (uint32_t i = 0; i < 100; i++)
            try_exp(&of, fmax(-707.9, -ldexp(random_between(1, 2, &seed), exponent)));
    for (uint32_t i = 0; i < 300000; i++)
        try_exp(&of, random_between(-708, 0, &seed));
    for (uint32_t i = 0; i < 300000; i++)
        try_exp(&of, random_between(-1, 0, &seed));
    if (!(of.ulps <= 1))
        fail_msg("exp(%a) is off by %g ulp", of.at, of.ulps);
}

static void exp_has_edges(void **state)
{
    (void)state;
    assert_true(scan_exp(0) == 1);
    assert_true(scan_exp(-0.0) == 1);
    assert_true(scan_exp(-DBL_MIN) == 1);
    assert_true(scan_exp(-0x1p-1074) == 1);
    assert_true(scan_exp(nextafter(-708, 0)) >= DBL_MIN);
    assert_true(scan_exp(-708) == 0);
    assert_true(scan_exp(-1e300) == 0);
    assert_true(scan_exp(-(double)INFINITY) == 0);
    assert_true(scan_exp((double)NAN) == 0); /* never asked for: combine looks for NaN before */
}

static void log_is_within_a_unit_and_a_half(void **state)
{
    (void)state;
    worst of = {0, 0};
    uint64_t seed = 2;
    for (uint32_t i = 1; i < 1000000; i++)
        try_log(&of, 1 + i * 0x1.1p-17);
    for (uint32_t i = 1; i < 2000; i++) /* where log is small */
        try_log(&of, 1 + i * DBL_EPSILON);
    for (uint32_t i = 0; i < 300000; i++)
        try_log(&of, 1 + ldexp(random_between(1, 2, &seed), -(int)(ref_random(&seed) % 52)));
    for (int32_t exponent = 0; exponent < 1024; exponent++)
        for (uint32_t i = 0; i < 100; i++)
            try_log(&of, ldexp(random_between(1, 2, &seed), exponent));
    for (uint32_t i = 0; i < 2000; i++) { /* around the root of a half, where the exponent changes */
        const double root = ldexp(0x1.6a09e667f3bcdp0 + (i - 1000.0) * DBL_EPSILON, (int)(i % 1000));
        try_log(&of, root);
    }
    if (!(of.ulps <= 1.5))
        fail_msg("log(%a) is off by %g ulp", of.at, of.ulps);
    assert_true(scan_log(1) == 0);
    assert_true(ulps(scan_log(DBL_MAX), logl(DBL_MAX)) <= 1.5);
    assert_true(ulps(scan_log(nextafter(1, 2)), logl(nextafter(1, 2))) <= 1.5);
}

/* --- log-sum-exp ------------------------------------------------------------------------------------------------ */

static void scan_log_sums(em_type type, const void *items, uint64_t n, void *out)
{
    em_context *context = support_scan_context((support_setting){.n_threads = 2, .tile_bytes = 1});
    const em_scan_call call = {.monoid = em_monoid_of(context, EM_LOG_SUM_EXP, type), .in = items, .out = out, .n = n};
    assert_int_equal(em_scan(context, &call, NULL), EM_OK);
    em_context_free(context);
}

/* max + log(sum of exp(x - max)), the maximum being known. */
static void check_log_sums(double shift, double spread)
{
    enum { N = 9000 };
    static double items[N], out[N];
    uint64_t seed = 5;
    for (uint32_t i = 0; i < N; i++)
        items[i] = shift + random_between(-spread, spread, &seed);
    scan_log_sums(EM_F64, items, N, out);
    long double sum = 0, largest = -INFINITY;
    for (uint32_t i = 0; i < N; i++) {
        const long double item = items[i];
        sum = item > largest ? sum * expl(largest - item) + 1 : sum + expl(item - largest);
        largest = item > largest ? item : largest;
        const long double exact = largest + logl(sum), off = fabsl(out[i] - exact);
        const int fixed = 3 + SCAN_LEAF / SCAN_ROW + 2;
        const long double d = fixed + (long double)i / SCAN_LEAF;
        assert_true(off <= 2 * fabsl(exact) * 0x1p-53L + (4 * d + 3) * 0x1p-53L);
    }
}

static void log_sums_match_long_doubles(void **state)
{
    (void)state;
    check_log_sums(0, 1);
    check_log_sums(0, 700);
    check_log_sums(-1e5, 30);
    check_log_sums(1e300, 1e290);
    check_log_sums(-1e300, 1e300);
    check_log_sums(0, 1e-10);
    check_log_sums(5, 0);
    check_log_sums(0, 0x1p-1070);
}

static void log_sums_have_edges(void **state)
{
    (void)state;
    const double inf = INFINITY, nan = (double)NAN;
    const double items[12] = {-inf, -inf, 1e308, -1e308, -inf, inf, 3, inf, nan, -inf, 5, inf};
    const double expected[12] = {-inf, -inf, 1e308, 1e308, 1e308, inf, inf, inf, nan, nan, nan, nan};
    double out[12];
    scan_log_sums(EM_F64, items, 12, out);
    assert_memory_equal(out, expected, sizeof out);
    const float narrow[6] = {-INFINITY, FLT_MAX, FLT_MAX, 0, INFINITY, -NAN};
    const float sums[6] = {-INFINITY, FLT_MAX, FLT_MAX, FLT_MAX, INFINITY, NAN};
    float written[6];
    scan_log_sums(EM_F32, narrow, 6, written);
    assert_memory_equal(written, sums, sizeof written);
    const double largest[3] = {DBL_MAX, DBL_MAX, -DBL_MAX}, same[3] = {DBL_MAX, DBL_MAX, DBL_MAX};
    scan_log_sums(EM_F64, largest, 3, out);
    assert_memory_equal(out, same, sizeof same);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exp_is_within_a_unit),
        cmocka_unit_test(exp_has_edges),
        cmocka_unit_test(log_is_within_a_unit_and_a_half),
        cmocka_unit_test(log_sums_match_long_doubles),
        cmocka_unit_test(log_sums_have_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
