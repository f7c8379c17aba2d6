/* stalls - many scans one by one, with as many threads as cores and with twice as many.
 *
 * A thread that waits for one that has no core may wait for a whole turn of the scheduler, several milliseconds: rare
 * enough to leave every median alone. So the longest scan is printed beside the median. The serial engine shows what
 * the machine does by itself.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/bench/bench.h"

enum { SCANS = 300, WARM_UP = 3 };

typedef struct kind {
    const char *name;
    em_scan_engine engine;
    uint32_t times_threads; /* 0: one */
} kind;
static const kind KINDS[] = {
    {"serial", EM_SCAN_SERIAL, 0}, {"lookback", EM_SCAN_LOOKBACK, 1}, {"lookback", EM_SCAN_LOOKBACK, 2}};
enum { N_KINDS = sizeof KINDS / sizeof *KINDS };

static em_status measure(bench *run, const kind *of, uint64_t n, const bench_arrays *arrays, em_error *error)
{
    const uint32_t n_threads = of->times_threads ? of->times_threads * run->n_threads : 1;
    const em_context_options options = {.n_threads = n_threads};
    bench_contender contender = {.who = BENCH_OURS,
                                 .call = {.engine = of->engine, .in = arrays->in, .out = arrays->out, .n = n}};
    double ns[SCANS];
    em_status status = em_context_create(&options, &contender.context, error);
    if (status == EM_OK) {
        contender.call.monoid = em_monoid_of(contender.context, EM_SUM, EM_I32);
        status = bench_each(&contender, ns, WARM_UP, error);
    }
    if (status == EM_OK)
        status = bench_each(&contender, ns, SCANS, error);
    em_context_free(contender.context);
    if (status != EM_OK)
        return status;
    bench_sort(ns, SCANS);
    run->stalls[run->n_stalls++] = (bench_stall){.name = of->name,
                                                 .n = n,
                                                 .n_threads = n_threads,
                                                 .n_scans = SCANS,
                                                 .median = bench_quantile(ns, SCANS, 0.5),
                                                 .most_of_99 = bench_quantile(ns, SCANS, 0.99),
                                                 .longest = ns[SCANS - 1]};
    return EM_OK;
}

/* One and ten million i32, or as many as were measured where that is less. */
em_status bench_scan_stalls(bench *run, em_error *error)
{
    static const uint64_t SIZES[] = {1000000, 10000000};
    uint64_t largest = 0;
    for (uint32_t i = 0; i < run->n_results; i++)
        largest = run->results[i]->n > largest ? run->results[i]->n : largest;
    largest = largest < SIZES[1] ? largest : SIZES[1];
    if (largest == 0)
        return EM_OK;
    bench_arrays arrays;
    em_status status = bench_arrays_take(run, largest * sizeof(int32_t), &arrays, error);
    if (status != EM_OK)
        return status;
    bench_fill(EM_SUM, EM_I32, arrays.in, largest);
    for (int i = 0; i < 2 && status == EM_OK; i++)
        for (int k = 0; k < N_KINDS && status == EM_OK; k++)
            if (i == 0 || largest > SIZES[0])
                status = measure(run, &KINDS[k], SIZES[i] < largest ? SIZES[i] : largest, &arrays, error);
    bench_arrays_free(run, &arrays);
    return status;
}
