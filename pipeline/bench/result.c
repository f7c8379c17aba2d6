/* result - what the times of one case at one size say of each other.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/bench/bench.h"

#include <string.h>

const bench_contender *bench_find(const bench_result *result, const char *name, em_scan_kind kind)
{
    for (uint32_t i = 0; i < result->n_contenders; i++) {
        const bench_contender *contender = &result->contenders[i];
        if (contender->who != BENCH_COPY && contender->call.kind == kind && strcmp(contender->name, name) == 0)
            return contender;
    }
    return NULL;
}

const bench_contender *bench_serial_of(const bench_result *result, const bench_contender *contender)
{
    return contender->who == BENCH_COPY ? NULL : bench_find(result, "serial", contender->call.kind);
}

const bench_contender *bench_best_peer(const bench_result *result, em_scan_kind kind, const char *but)
{
    const bench_contender *best = NULL;
    double least = 0;
    for (uint32_t i = 0; i < result->n_contenders; i++) {
        const bench_contender *contender = &result->contenders[i];
        if (contender->who != BENCH_PEER || contender->call.kind != kind || strcmp(contender->name, but) == 0)
            continue;
        const double median = bench_figure_of(contender->ns, result->n_pairs).median;
        if (!best || median < least)
            best = contender, least = median;
    }
    return best;
}

bench_figure bench_relation(const bench_result *result, const bench_contender *contender, const bench_contender *to)
{
    return bench_ratio(contender->ns, to ? to->ns : result->copy_ns, result->n_pairs);
}

void bench_find_best_copies(bench_result *result)
{
    for (uint32_t round = 0; round < result->n_pairs; round++) {
        double least = result->contenders[0].ns[round];
        for (uint32_t i = 1; i < EM_N_COPIES; i++)
            least = result->contenders[i].ns[round] < least ? result->contenders[i].ns[round] : least;
        result->copy_ns[round] = least;
    }
}

double bench_gbps(const bench_result *result, double ns)
{
    return ns > 0 ? (double)(result->bytes_in + result->bytes_out) / ns : 0;
}

const char *bench_kind_name(em_scan_kind kind)
{
    static const char *const NAMES[] = {
        [EM_INCLUSIVE] = "inclusive", [EM_EXCLUSIVE] = "exclusive", [EM_EXCLUSIVE_TOTAL] = "exclusive, total"};
    return NAMES[kind];
}
