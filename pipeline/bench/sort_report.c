/* sort_report - the figures of `bench sort`: the table as it grows, and JSON.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/bench/sort.h"
#include "pipeline/json_value.h"
#include "pipeline/report.h"

const bench_contender *sort_best_peer(const sort_result *result)
{
    const bench_contender *best = NULL;
    double least = 0;
    for (uint32_t i = EM_N_COPIES; i < result->n_contenders; i++) {
        const bench_contender *peer = &result->contenders[i];
        const double median = bench_figure_of(peer->ns, result->n_pairs).median;
        if (peer->who == BENCH_PEER && (!best || median < least))
            best = peer, least = median;
    }
    return best;
}

static bench_figure to_copy(const sort_result *result, const bench_contender *contender)
{
    return bench_ratio(contender->ns, result->copy_ns, result->n_pairs);
}

/* Millions of records a second. */
static double rate(const sort_result *result, const bench_contender *contender)
{
    const double ns = bench_figure_of(contender->ns, result->n_pairs).median;
    return ns > 0 ? 1e3 * (double)result->n / ns : 0;
}

static void print_contender(FILE *out, const sort_result *result, const bench_contender *contender)
{
    const bench_contender *peer = sort_best_peer(result);
    const bench_figure copy = to_copy(result, contender);
    char name[64], took[32], interval[64];
    snprintf(name, sizeof name, "%s%s", contender->who == BENCH_OURS ? "edgemill " : "", contender->name);
    snprintf(interval, sizeof interval, "%.2f [%.2f %.2f]", copy.median, copy.low, copy.high);
    fprintf(out, "    %-28s %7u %10s %8.1f  %20s", name, contender->n_threads,
            bench_duration(took, bench_figure_of(contender->ns, result->n_pairs).median), rate(result, contender),
            interval);
    if (contender->who != BENCH_COPY && peer)
        fprintf(out, "  %9.2f", bench_ratio(contender->ns, peer->ns, result->n_pairs).median);
    fputc('\n', out);
}

void sort_print_result(const bench *run, const sort_result *result)
{
    char count[32];
    fprintf(run->out, "\n%s, %s records of %u bytes\n", result->type->name, em_report_count(count, result->n),
            result->type->record_bytes);
    fprintf(run->out, "    %-28s %7s %10s %8s  %20s  %9s\n", "", "threads", "time", "M/s", "to best copy", "to peer");
    for (uint32_t i = 0; i < result->n_contenders; i++)
        print_contender(run->out, result, &result->contenders[i]);
    fflush(run->out);
}

/* --- JSON ------------------------------------------------------------------------------------------------------ */

static json_t *contender_value(const sort_result *result, const bench_contender *of, bool *failed)
{
    static const char *const WHO[] = {[BENCH_COPY] = "copy", [BENCH_OURS] = "edgemill", [BENCH_PEER] = "peer"};
    const bench_contender *peer = of->who == BENCH_COPY ? NULL : sort_best_peer(result);
    json_t *object = json_object(), *times = json_array();
    em_json_put(object, "name", json_string(of->name), failed);
    em_json_put(object, "who", json_string(WHO[of->who]), failed);
    em_json_put(object, "threads", em_json_count(of->n_threads), failed);
    em_json_put(object, "ns", bench_json_figure(bench_figure_of(of->ns, result->n_pairs), failed), failed);
    em_json_put(object, "million_per_s", json_real(rate(result, of)), failed);
    em_json_put(object, "to_best_copy", bench_json_figure(to_copy(result, of), failed), failed);
    if (peer)
        em_json_put(object, "to_best_peer", bench_json_figure(bench_ratio(of->ns, peer->ns, result->n_pairs), failed),
                    failed);
    em_json_put(object, "repeats", em_json_count(of->repeats), failed);
    for (uint32_t i = 0; i < result->n_pairs; i++)
        em_json_append(times, json_real(of->ns[i]), failed);
    em_json_put(object, "rounds_ns", times, failed);
    return object;
}

static json_t *result_value(const sort_result *result, bool *failed)
{
    json_t *object = json_object(), *contenders = json_array();
    em_json_put(object, "type", json_string(result->type->name), failed);
    em_json_put(object, "n", em_json_count(result->n), failed);
    em_json_put(object, "record_bytes", em_json_count(result->type->record_bytes), failed);
    em_json_put(object, "best_copy_ns", bench_json_figure(bench_figure_of(result->copy_ns, result->n_pairs), failed),
                failed);
    if (sort_best_peer(result))
        em_json_put(object, "best_peer", json_string(sort_best_peer(result)->name), failed);
    for (uint32_t i = 0; i < result->n_contenders; i++)
        em_json_append(contenders, contender_value(result, &result->contenders[i], failed), failed);
    em_json_put(object, "contenders", contenders, failed);
    return object;
}

em_status sort_json(const sort_bench *of, em_output *output, em_error *error)
{
    bool failed = false;
    json_t *root = json_object(), *results = json_array();
    em_json_put(root, "format", json_string("edgemill-bench-sort"), &failed);
    em_json_put(root, "version", json_integer(1), &failed);
    em_json_put(root, "machine", bench_json_machine(of->run, &failed), &failed);
    em_json_put(root, "pairs", em_json_count(of->run->n_pairs), &failed);
    em_json_put(root, "peers", json_boolean(bench_find_peers(of->run, EM_SORT_PEERS_SYMBOL) != NULL), &failed);
    for (uint32_t i = 0; i < of->n_results; i++)
        em_json_append(results, result_value(of->results[i], &failed), &failed);
    em_json_put(root, "results", results, &failed);
    return em_json_write(root, failed, 1, output, error);
}
