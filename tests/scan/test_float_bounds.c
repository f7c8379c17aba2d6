/* test_float_bounds - the error bounds that monoids.h states, at every output, against exact sums of input that is as
 * bad as it can be; and whether sums of what is not negative ever decrease.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scan/monoids.h"
#include "tests/reference.h"
#include "tests/support_exact.h"
#include "tests/support_scan.h"

enum { N = 5 * 4096 + 77 };

typedef enum shape { PEAKS = 0, ALTERNATING, WIDE, MIRRORED, TINY, POSITIVE, CREEPING, N_SHAPES } shape;

static double any_size(int spread, uint64_t *seed)
{
    const int exponent = (int)(ref_random(seed) % (2 * (uint64_t)spread)) - spread;
    return ldexp(1 + (double)(ref_random(seed) >> 12) * 0x1p-52, exponent);
}

static double item_of(shape which, bool narrow, uint64_t i, uint64_t *seed)
{
    const double sign = ref_random(seed) >> 63 ? 1 : -1;
    const int spread = narrow ? 60 : 480;
    switch (which) {
    case PEAKS: /* 1e16 1 -1e16 1 … */
        return i % 2 ? 1 : (i % 4 ? -1 : 1) * (narrow ? 1e8 : 1e16);
    case ALTERNATING:
        return (i % 2 ? 1 : -1) * (1e6 + any_size(20, seed) * 1e-6);
    case WIDE:
        return sign * any_size(spread, seed);
    case TINY:
        return sign * any_size(3, seed) * (narrow ? 0x1p-147 : 0x1p-1072);
    case POSITIVE:
        return any_size(spread, seed);
    case CREEPING: /* each item is about half a unit in the last place of what precedes it */
        return i == 0 ? 1 : any_size(2, seed) * (narrow ? 0x1p-24 : 0x1p-53);
    default:
        return sign * any_size(30, seed);
    }
}

/* Items as doubles, which an f32 one is as well. */
static void put_items(shape which, bool narrow, double *items)
{
    uint64_t seed = 11 + (uint64_t)which;
    for (uint64_t i = 0; i < N; i++) {
        items[i] = item_of(which, narrow, i, &seed);
        if (which == MIRRORED && i >= N / 2 && i < N / 2 * 2) /* the second half takes back the first */
            items[i] = -items[N / 2 * 2 - 1 - i];
        if (narrow)
            items[i] = (float)items[i];
    }
}

static void scan_items(em_operator operation, bool narrow, const double *items, double *results)
{
    em_context *context =
        support_scan_context((support_setting){.isa = EM_ISA_AVX512, .n_threads = 2, .tile_bytes = 1});
    static float narrow_items[N], narrow_results[N];
    for (uint64_t i = 0; i < N; i++)
        narrow_items[i] = (float)items[i];
    const em_scan_call call = {.monoid = em_monoid_of(context, operation, narrow ? EM_F32 : EM_F64),
                               .in = narrow ? (const void *)narrow_items : items,
                               .out = narrow ? (void *)narrow_results : results,
                               .n = N};
    assert_int_equal(em_scan(context, &call, NULL), EM_OK);
    for (uint64_t i = 0; narrow && i < N; i++)
        results[i] = narrow_results[i];
    em_context_free(context);
}

/* d u / (1 - d u) of monoids.h for a sum of n items. */
static long double gamma_of(uint64_t n, long double unit)
{
    const int fixed = 3 + SCAN_LEAF / SCAN_ROW + 2;
    const long double d = fixed + (long double)n / SCAN_LEAF;
    return d * unit / (1 - d * unit);
}

typedef long double bound(uint64_t n, long double sum, long double magnitude);

static long double of_f32(uint64_t n, long double sum, long double magnitude)
{
    (void)sum;
    return gamma_of(n, 0x1p-24L) * magnitude;
}

static long double of_f64(uint64_t n, long double sum, long double magnitude)
{
    (void)sum;
    return gamma_of(n, 0x1p-53L) * magnitude;
}

static long double of_wide(uint64_t n, long double sum, long double magnitude)
{
    const long double in_f64 = gamma_of(n, 0x1p-53L) * magnitude;
    return in_f64 + 0x1p-24L * (sum + in_f64);
}

static long double of_compensated_f64(uint64_t n, long double sum, long double magnitude)
{
    const long double lost = gamma_of(n, 0x1p-53L), carried = 2 * lost * lost * magnitude;
    return carried + 0x1p-53L * (sum + carried);
}

static long double of_compensated_f32(uint64_t n, long double sum, long double magnitude)
{
    const long double in_f64 = of_compensated_f64(n, sum, magnitude);
    return in_f64 + 0x1p-24L * (sum + in_f64);
}

/* The worst error as a share of its bound; and how often results fell. */
static long double check_sums(em_operator operation, bool narrow, shape which, bound *allowed, uint64_t *n_falls)
{
    static double items[N], results[N];
    put_items(which, narrow, items);
    scan_items(operation, narrow, items, results);
    support_exact exact = {{0}};
    long double magnitude = 0, worst = 0;
    const long double least = narrow ? 0x1p-150L : 0; /* half of the least float, which a wider sum is rounded to */
    *n_falls = 0;
    for (uint64_t i = 0; i < N; i++) {
        support_exact_add(&exact, items[i]);
        magnitude += fabsl((long double)items[i]);
        const long double off = support_exact_off(&exact, results[i]), sum = support_exact_off(&exact, 0);
        const long double most = allowed(i + 1, sum, magnitude * (1 + 1e-12L)) + least;
        if (!(off <= most))
            fail_msg("operator %d, shape %d, result %d: off by %Lg, allowed %Lg", (int)operation, (int)which, (int)i,
                     off, most);
        worst = most > 0 && off / most > worst ? off / most : worst;
        *n_falls += i > 0 && results[i] < results[i - 1];
    }
    return worst;
}

static void keeps_its_bound(em_operator operation, bool narrow, bound *allowed)
{
    for (shape which = PEAKS; which < N_SHAPES; which++) {
        uint64_t n_falls;
        check_sums(operation, narrow, which, allowed, &n_falls);
    }
}

static void sums_keep_their_bound(void **state)
{
    (void)state;
    keeps_its_bound(EM_SUM, true, of_f32);
    keeps_its_bound(EM_SUM, false, of_f64);
}

static void sums_in_wider_numbers_keep_their_bound(void **state)
{
    (void)state;
    keeps_its_bound(EM_SUM_WIDE, true, of_wide);
}

static void compensated_sums_keep_their_bound(void **state)
{
    (void)state;
    keeps_its_bound(EM_SUM_COMPENSATED, true, of_compensated_f32);
    keeps_its_bound(EM_SUM_COMPENSATED, false, of_compensated_f64);
}

/* What a plain sum loses altogether: nothing is left of 1 beside 1e16, and all of it with what was lost. */
static void a_compensated_sum_keeps_what_a_plain_one_loses(void **state)
{
    (void)state;
    enum { PEAK = 4 };
    static double items[N], results[N];
    put_items(PEAKS, false, items);
    scan_items(EM_SUM_COMPENSATED, false, items, results);
    for (uint64_t i = PEAK - 1; i < N; i += PEAK)
        assert_true(results[i] == (double)(i + 1) / 2);
    scan_items(EM_SUM, false, items, results);
    const uint64_t whole = N / PEAK * PEAK;
    assert_true(results[whole - 1] != (double)whole / 2);
}

/* The nearest double to the exact sum is given almost always; mirrored halves must end in zero. */
static void cancellation_ends_in_zero(void **state)
{
    (void)state;
    static double items[N], results[N];
    put_items(MIRRORED, false, items);
    scan_items(EM_SUM_COMPENSATED, false, items, results);
    assert_true(fabs(results[N / 2 * 2 - 1]) <= 0x1p-60);
    put_items(MIRRORED, true, items);
    scan_items(EM_SUM_COMPENSATED, true, items, results);
    assert_true(fabs(results[N / 2 * 2 - 1]) <= 0x1p-60);
}

static void products_keep_their_bound(void **state)
{
    (void)state;
    static double items[N], results[N];
    for (uint64_t narrow = 0; narrow < 2; narrow++) {
        uint64_t seed = 21;
        for (uint64_t i = 0; i < N; i++) { /* each second one takes back most of the first */
            items[i] = i % 2 ? -1 / items[i - 1] : any_size(3, &seed);
            items[i] = narrow ? (float)items[i] : items[i];
        }
        scan_items(EM_PRODUCT, narrow, items, results);
        long double product = 1;
        const long double unit = narrow ? 0x1p-24L : 0x1p-53L;
        for (uint64_t i = 0; i < N; i++) {
            product *= items[i];
            const long double d = (long double)(i + 1), most = d * unit / (1 - d * unit) + d * 0x1p-63L;
            assert_true(fabsl(results[i] - product) <= most * fabsl(product));
        }
    }
}

/* For compensated sums nothing proves it. */
static void sums_of_what_is_not_negative_never_decrease(void **state)
{
    (void)state;
    uint64_t n_falls;
    static const shape SHAPES[] = {POSITIVE, CREEPING};
    for (uint32_t i = 0; i < 2; i++) {
        check_sums(EM_SUM, true, SHAPES[i], of_f32, &n_falls);
        assert_int_equal(n_falls, 0);
        check_sums(EM_SUM, false, SHAPES[i], of_f64, &n_falls);
        assert_int_equal(n_falls, 0);
        check_sums(EM_SUM_WIDE, true, SHAPES[i], of_wide, &n_falls);
        assert_int_equal(n_falls, 0);
        check_sums(EM_SUM_COMPENSATED, true, SHAPES[i], of_compensated_f32, &n_falls);
        assert_int_equal(n_falls, 0);
        check_sums(EM_SUM_COMPENSATED, false, SHAPES[i], of_compensated_f64, &n_falls);
        assert_int_equal(n_falls, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_keep_their_bound),
        cmocka_unit_test(sums_in_wider_numbers_keep_their_bound),
        cmocka_unit_test(compensated_sums_keep_their_bound),
        cmocka_unit_test(a_compensated_sum_keeps_what_a_plain_one_loses),
        cmocka_unit_test(cancellation_ends_in_zero),
        cmocka_unit_test(products_keep_their_bound),
        cmocka_unit_test(sums_of_what_is_not_negative_never_decrease),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
