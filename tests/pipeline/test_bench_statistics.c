/* test_bench_statistics - medians and intervals, by hand and against resampling.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pipeline/bench/bench.h"

static void takes_the_middle_of_an_odd_number_of_values(void **state)
{
    (void)state;
    const double values[] = {5, 1, 4, 2, 3};
    const bench_figure of = bench_figure_of(values, 5);
    assert_true(of.median == 3);
    assert_true(values[0] == 5); /* untouched */
    assert_true(bench_figure_of(values, 1).median == 5);
    assert_true(bench_figure_of(values, 1).low == 5 && bench_figure_of(values, 1).high == 5);
    assert_true(bench_figure_of(values, 0).median == 0);
    assert_true(bench_figure_of(values, BENCH_PAIRS + 1).median == 0);
}

/* Of three values the median of a resample is the smallest in 7 of 27 cases, and at most the second in 20 of 27. */
static void says_nothing_narrower_than_the_range_of_three_values(void **state)
{
    (void)state;
    const double values[] = {2, 3, 1};
    const bench_figure of = bench_figure_of(values, 3);
    assert_true(of.median == 2 && of.low == 1 && of.high == 3);
}

static uint64_t next(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    return *seed >> 33;
}

/* The bootstrap as it is usually done: 20,000 resamples with replacement, the 2.5 % and 97.5 % of their medians. */
static void agrees_with_resampling(void **state)
{
    (void)state;
    enum { RESAMPLES = 20000 };
    static double medians[RESAMPLES];
    uint64_t seed = 1;
    for (uint32_t n = 5; n <= 41; n += 6) {
        double values[41], sample[41];
        for (uint32_t i = 0; i < n; i++)
            values[i] = (double)(i * i);
        for (int k = 0; k < RESAMPLES; k++) {
            for (uint32_t i = 0; i < n; i++)
                sample[i] = values[next(&seed) % n];
            bench_sort(sample, n);
            medians[k] = sample[n / 2];
        }
        bench_sort(medians, RESAMPLES);
        const bench_figure of = bench_figure_of(values, n);
        /* Neighbours may swap where their chance is near the limit: then a slightly wider part holds it. */
        assert_true(of.low >= bench_quantile(medians, RESAMPLES, 0.02));
        assert_true(of.low <= bench_quantile(medians, RESAMPLES, 0.03));
        assert_true(of.high >= bench_quantile(medians, RESAMPLES, 0.97));
        assert_true(of.high <= bench_quantile(medians, RESAMPLES, 0.98));
    }
}

/* The third and the ninth of eleven: binomial(11, 3/11) reaches 6 with 4 %, binomial(11, 2/11) with 0.6 %. */
static void gives_the_third_and_the_ninth_of_eleven(void **state)
{
    (void)state;
    double values[11];
    for (int i = 0; i < 11; i++)
        values[i] = (i * 7) % 11;
    const bench_figure of = bench_figure_of(values, 11);
    assert_true(of.median == 5 && of.low == 2 && of.high == 8);
}

static void divides_within_a_round(void **state)
{
    (void)state;
    /* Rounds of a machine that is now fast, now slow; the ratio is 2 in all of them. */
    const double values[] = {2, 20, 200, 4, 40}, to[] = {1, 10, 100, 2, 20}, none[] = {0, 0, 0, 0, 0};
    const bench_figure of = bench_ratio(values, to, 5);
    assert_true(of.median == 2 && of.low == 2 && of.high == 2);
    assert_true(bench_ratio(values, none, 5).median == 0);
}

static void finds_quantiles_among_the_values(void **state)
{
    (void)state;
    const double sorted[] = {1, 2, 3, 4};
    assert_true(bench_quantile(sorted, 4, 0.5) == 2);
    assert_true(bench_quantile(sorted, 4, 0.51) == 3);
    assert_true(bench_quantile(sorted, 4, 0.99) == 4);
    assert_true(bench_quantile(sorted, 4, 0) == 1);
    assert_true(bench_quantile(sorted, 4, 1) == 4);
    assert_true(bench_quantile(sorted, 0, 0.5) == 0);
}

static void is_exact_for_the_most_rounds(void **state)
{
    (void)state;
    double values[BENCH_PAIRS];
    for (int i = 0; i < BENCH_PAIRS; i++)
        values[i] = i;
    const bench_figure of = bench_figure_of(values, BENCH_PAIRS);
    assert_true(of.median == 127 && of.low < 127 && of.low > 100 && of.high > 127 && of.high < 155);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_the_middle_of_an_odd_number_of_values),
        cmocka_unit_test(says_nothing_narrower_than_the_range_of_three_values),
        cmocka_unit_test(agrees_with_resampling),
        cmocka_unit_test(gives_the_third_and_the_ninth_of_eleven),
        cmocka_unit_test(divides_within_a_round),
        cmocka_unit_test(finds_quantiles_among_the_values),
        cmocka_unit_test(is_exact_for_the_most_rounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
