/* statistics - medians and how far they can be trusted.
 *
 * The 95 % interval of a median is the percentile bootstrap's in its exact form: of all resamples of n values, the
 * median is at most the k-th smallest value with the probability that a binomial(n, k / n) count reaches (n + 1) / 2
 * (Efron, "Bootstrap methods", Annals of Statistics 7, 1979, section 3). No random numbers, so the same times give the
 * same interval. Cost n^2.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/bench/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void bench_sort(double *values, uint64_t n)
{
    qsort(values, n, sizeof *values, by_value);
}

double bench_quantile(const double *sorted, uint64_t n, double part)
{
    const double at = ceil(part * (double)n);
    if (n == 0)
        return 0;
    return sorted[at < 1 ? 0 : at > (double)n ? n - 1 : (uint64_t)at - 1];
}

/* That a resample's median is one of the k smallest of n values. */
static double chance_of_median_within(uint32_t k, uint32_t n)
{
    const double p = (double)k / n;
    double chance = 0;
    if (k >= n)
        return 1;
    for (uint32_t hits = (n + 1) / 2; hits <= n; hits++)
        chance +=
            exp(lgamma(n + 1.0) - lgamma(hits + 1.0) - lgamma(n - hits + 1.0) + hits * log(p) + (n - hits) * log1p(-p));
    return chance;
}

bench_figure bench_figure_of(const double *values, uint32_t n)
{
    double sorted[BENCH_PAIRS];
    uint32_t low = 1, high = 1;
    if (n == 0 || n > BENCH_PAIRS)
        return (bench_figure){0};
    memcpy(sorted, values, n * sizeof *values);
    bench_sort(sorted, n);
    while (chance_of_median_within(low, n) < 0.025)
        low++;
    high = low;
    while (chance_of_median_within(high, n) < 0.975)
        high++;
    return (bench_figure){sorted[n / 2], sorted[low - 1], sorted[high - 1]};
}

bench_figure bench_ratio(const double *values, const double *to, uint32_t n)
{
    double ratios[BENCH_PAIRS];
    for (uint32_t i = 0; i < n && i < BENCH_PAIRS; i++)
        ratios[i] = to[i] > 0 ? values[i] / to[i] : 0;
    return bench_figure_of(ratios, n);
}
