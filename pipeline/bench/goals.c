/* goals - what the scan core is meant to reach, beside what was measured.
 *
 * A goal is a relation of two times and its limit. It falls short only when the whole 95 % interval lies beyond the
 * limit. Where a goal holds for a range of sizes the worst size measured is shown.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/bench/bench.h"
#include "pipeline/report.h"

#include <string.h>

typedef enum against { BEST_COPY, MEMCPY_ONE, SERIAL, BEST_LIBRARY, OMP_SIMD } against;

typedef struct goal {
    const char *cases; /* words */
    uint64_t from, to; /* sizes */
    const char *contender;
    against against;
    double limit;
} goal;

/* Twice as fast is 0.5; never slower than 0.95 of the serial engine's speed is 1 / 0.95. */
static const goal GOALS[] = {
    {"u32 i32 f32", 100000000, 100000000, "auto", BEST_COPY, 1.0},
    {"u64 i64", 100000000, 100000000, "auto", BEST_COPY, 1.15},
    {"f64", 100000000, 100000000, "auto", BEST_COPY, 1.35},
    {"mat2", 25000000, 25000000, "auto", BEST_COPY, 1.35},
    {"offsets-u32 offsets-u64", 100000000, 100000000, "auto", BEST_COPY, 1.2},
    {"u32 i32 u64 i64 f32 f64", 100000000, 100000000, "serial", MEMCPY_ONE, 1.05},
    {"u32 i32 u64 i64 f32 f64", 100000000, 100000000, "auto", BEST_LIBRARY, 0.5},
    {"u32 i32 u64 i64 f32 f64", 64, 300000, "auto", OMP_SIMD, 0.5},
    {"u32 i32 u64 i64 f32 f64 mat2 offsets-u32 offsets-u64", 64, 1000000000, "auto", SERIAL, 1 / 0.95},
};
enum { N_GOALS = sizeof GOALS / sizeof *GOALS };

static const char *const AGAINST[] = {[BEST_COPY] = "best copy",
                                      [MEMCPY_ONE] = "memcpy, 1 thread",
                                      [SERIAL] = "serial",
                                      [BEST_LIBRARY] = "libstdc++, TBB",
                                      [OMP_SIMD] = "omp simd"};

static bool has_word(const char *words, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = words; (at = strstr(at, word)) != NULL; at += length)
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

/* False: one of the two was not measured. */
static bool relate(const bench_result *result, const goal *of, bench_figure *figure)
{
    const em_scan_kind kind = result->of->offsets ? EM_EXCLUSIVE_TOTAL : EM_INCLUSIVE;
    const bench_contender *contender = bench_find(result, of->contender, kind), *to = NULL;
    if (of->against == MEMCPY_ONE)
        to = &result->contenders[EM_COPY_PLAIN_ONE];
    else if (of->against == SERIAL)
        to = bench_find(result, "serial", kind);
    else if (of->against == BEST_LIBRARY)
        to = bench_best_peer(result, kind, "omp simd");
    else if (of->against == OMP_SIMD)
        to = bench_find(result, "omp simd", kind);
    if (!contender || (!to && of->against != BEST_COPY))
        return false;
    *figure = bench_relation(result, contender, to);
    return true;
}

/* The title comes before the first goal that something was measured for. */
static void print_goal(const bench *run, const goal *of, const bench_case *one, bool *titled)
{
    const bench_result *worst = NULL;
    bench_figure figure = {0};
    char count[32], name[64];
    for (uint32_t i = 0; i < run->n_results; i++) {
        const bench_result *result = run->results[i];
        bench_figure now;
        if (result->of == one && result->n >= of->from && result->n <= of->to && relate(result, of, &now) &&
            (!worst || now.median > figure.median))
            worst = result, figure = now;
    }
    if (!worst)
        return;
    if (!*titled)
        fputs("\ngoals: the worst size measured; open: the limit lies within the interval\n", run->out);
    *titled = true;
    snprintf(name, sizeof name, "%s to %s", of->contender, AGAINST[of->against]);
    fprintf(run->out, "    %-12s %13s  %-26s %5.2f [%.2f %.2f]  goal %.2f  %s\n", one->name,
            em_report_count(count, worst->n), name, figure.median, figure.low, figure.high, of->limit,
            figure.median <= of->limit ? "reached"
            : figure.low <= of->limit  ? "open"
                                       : "missed");
}

static void print_goals(const bench *run)
{
    const bench_case *one;
    bool titled = false;
    for (int i = 0; i < N_GOALS; i++)
        for (uint32_t k = 0; (one = bench_case_at(k)); k++)
            if (has_word(GOALS[i].cases, one->name))
                print_goal(run, &GOALS[i], one, &titled);
}

/* Of the case, at that size or, where it was not measured, the largest; NULL: none. */
static const bench_result *find(const bench *run, const char *name, uint64_t n)
{
    const bench_result *found = NULL;
    for (uint32_t i = 0; i < run->n_results; i++) {
        const bench_result *result = run->results[i];
        if (strcmp(result->of->name, name) == 0 &&
            (!found || result->n == n || (found->n != n && result->n > found->n)))
            found = result;
    }
    return found;
}

static void print_headline(const bench *run, const bench_result *result)
{
    const em_scan_kind kind = result->of->offsets ? EM_EXCLUSIVE_TOTAL : EM_INCLUSIVE;
    const bench_contender *ours = bench_find(result, "auto", kind), *peer = bench_best_peer(result, kind, "");
    if (!ours)
        return;
    const bench_figure copy = bench_relation(result, ours, NULL);
    const double ns = bench_figure_of(ours->ns, result->n_pairs).median;
    char count[32], took[32];
    fprintf(run->out, "headline: %s, %s elements: %s, %.2f GB/s, %.2f [%.2f %.2f] of the best copy's time",
            result->of->name, em_report_count(count, result->n), bench_duration(took, ns), bench_gbps(result, ns),
            copy.median, copy.low, copy.high);
    if (peer) {
        const bench_figure figure = bench_relation(result, ours, peer);
        fprintf(run->out, ", %.2f [%.2f %.2f] of the best peer's (%s)", figure.median, figure.low, figure.high,
                peer->name);
    }
    fputc('\n', run->out);
}

/* i32 at 100 million and matrices at 25 million, or what is nearest to them. */
static void print_headlines(const bench *run)
{
    const bench_result *sums = find(run, "i32", 100000000), *matrices = find(run, "mat2", 25000000);
    fputc('\n', run->out);
    if (sums)
        print_headline(run, sums);
    if (matrices)
        print_headline(run, matrices);
    if (!sums && !matrices)
        print_headline(run, run->results[run->n_results - 1]);
}

void bench_print_end(const bench *run)
{
    char count[32];
    for (uint32_t i = 0; i < run->n_left_out; i++)
        fprintf(run->out, "%sleft out: %s, %s elements: %.1f GB is more than half of the memory available\n",
                i ? "" : "\n", run->left_out[i].of->name, em_report_count(count, run->left_out[i].n),
                1e-9 * (double)run->left_out[i].n_bytes);
    if (run->n_results == 0)
        return;
    print_goals(run);
    print_headlines(run);
}
