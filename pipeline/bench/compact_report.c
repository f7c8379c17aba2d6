/* compact_report - the figures of `bench compact`: the table as it grows, the goals, and JSON.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/bench/compact.h"
#include "pipeline/json_value.h"
#include "pipeline/report.h"

#include <string.h>

enum { GOAL_ITEMS = 100000000 };

/* Of GOAL_ITEMS u32 by all threads, to the best copy of as many bytes. */
static const struct {
    uint32_t percent;
    double most;
} GOALS[COMPACT_SHARES] = {{10, 0.9}, {50, 1.2}, {90, 1.5}};

const bench_contender *compact_find(const compact_result *result, const char *name)
{
    for (uint32_t i = EM_N_COPIES; i < result->n_contenders; i++)
        if (strcmp(result->contenders[i].name, name) == 0)
            return &result->contenders[i];
    return NULL;
}

const bench_contender *compact_best_peer(const compact_result *result)
{
    const bench_contender *best = NULL;
    double least = 0;
    for (uint32_t i = EM_N_COPIES; i < result->n_contenders; i++) {
        const bench_contender *peer = &result->contenders[i];
        const double median = bench_figure_of(peer->ns, result->n_pairs).median;
        if (peer->who == BENCH_PEER && strcmp(peer->name, "loop") != 0 && (!best || median < least))
            best = peer, least = median;
    }
    return best;
}

bench_figure compact_to_copy(const compact_result *result, const bench_contender *contender)
{
    return bench_ratio(contender->ns, result->copy_ns, result->n_pairs);
}

static bench_figure relation(const compact_result *result, const bench_contender *contender, const bench_contender *to)
{
    return bench_ratio(contender->ns, to->ns, result->n_pairs);
}

/* Bytes read and written, which for a selection are all items and those that are kept. */
static double gbps(const compact_result *result, const bench_contender *contender)
{
    const double ns = bench_figure_of(contender->ns, result->n_pairs).median;
    const uint64_t n_out = contender->who == BENCH_COPY ? result->n : result->n_kept;
    return ns > 0 ? (double)((result->n + n_out) * result->item_bytes) / ns : 0;
}

/* --- table ------------------------------------------------------------------------------------------------------- */

static void print_contender(FILE *out, const compact_result *result, const bench_contender *contender)
{
    const bench_contender *loop = compact_find(result, "loop"), *peer = compact_best_peer(result);
    const bench_figure copy = compact_to_copy(result, contender);
    char name[64], took[32], interval[64];
    snprintf(name, sizeof name, "%s%s", contender->who == BENCH_OURS ? "edgemill " : "", contender->name);
    snprintf(interval, sizeof interval, "%.2f [%.2f %.2f]", copy.median, copy.low, copy.high);
    fprintf(out, "    %-28s %7u %10s %8.2f  %18s", name, contender->n_threads,
            bench_duration(took, bench_figure_of(contender->ns, result->n_pairs).median), gbps(result, contender),
            interval);
    if (contender->who != BENCH_COPY)
        fprintf(out, "  %9.2f", relation(result, contender, loop).median);
    if (contender->who != BENCH_COPY && peer)
        fprintf(out, "  %9.2f", relation(result, contender, peer).median);
    fputc('\n', out);
}

void compact_print_result(const bench *run, const compact_result *result)
{
    char count[32], kept[32];
    fprintf(run->out, "\n%s, %s items, %u %% kept (%s)\n", result->name, em_report_count(count, result->n),
            result->percent, em_report_count(kept, result->n_kept));
    fprintf(run->out, "    %-28s %7s %10s %8s  %18s  %9s  %9s\n", "", "threads", "time", "GB/s", "to best copy",
            "to loop", "to peer");
    for (uint32_t i = 0; i < result->n_contenders; i++)
        print_contender(run->out, result, &result->contenders[i]);
    fflush(run->out);
}

static void print_goals(const compact_bench *of)
{
    bool titled = false;
    for (uint32_t i = 0; i < of->n_results; i++)
        for (int k = 0; k < COMPACT_SHARES; k++) {
            const compact_result *result = of->results[i];
            const bench_contender *ours = compact_find(result, "select");
            if (result->type != EM_U32 || result->n != GOAL_ITEMS || result->percent != GOALS[k].percent || !ours)
                continue;
            const bench_figure figure = compact_to_copy(result, ours);
            if (!titled)
                fputs("\ngoals: u32 to the best copy; open: the limit lies within the interval\n", of->run->out);
            titled = true;
            fprintf(of->run->out, "    %2u %% kept  %5.2f [%.2f %.2f]  goal %.2f  %s\n", result->percent, figure.median,
                    figure.low, figure.high, GOALS[k].most,
                    figure.median <= GOALS[k].most ? "reached"
                    : figure.low <= GOALS[k].most  ? "open"
                                                   : "missed");
        }
}

void compact_print_end(const compact_bench *of)
{
    char count[32];
    const bench *run = of->run;
    for (uint32_t i = 0; i < run->n_left_out; i++)
        fprintf(run->out, "%sleft out: %s, %s items: %.1f GB is more than half of the memory available\n",
                i ? "" : "\n", run->left_out[i].of->name, em_report_count(count, run->left_out[i].n),
                1e-9 * (double)run->left_out[i].n_bytes);
    print_goals(of);
}

/* --- JSON ----------------------------------------------------------------------------------------------------------
 */

static json_t *contender_value(const compact_result *result, const bench_contender *of, bool *failed)
{
    static const char *const WHO[] = {[BENCH_COPY] = "copy", [BENCH_OURS] = "edgemill", [BENCH_PEER] = "peer"};
    const bench_contender *peer = of->who == BENCH_COPY ? NULL : compact_best_peer(result);
    json_t *object = json_object(), *times = json_array();
    em_json_put(object, "name", json_string(of->name), failed);
    em_json_put(object, "who", json_string(WHO[of->who]), failed);
    em_json_put(object, "threads", em_json_count(of->n_threads), failed);
    em_json_put(object, "ns", bench_json_figure(bench_figure_of(of->ns, result->n_pairs), failed), failed);
    em_json_put(object, "gb_per_s", json_real(gbps(result, of)), failed);
    em_json_put(object, "to_best_copy", bench_json_figure(compact_to_copy(result, of), failed), failed);
    if (of->who != BENCH_COPY)
        em_json_put(object, "to_loop", bench_json_figure(relation(result, of, compact_find(result, "loop")), failed),
                    failed);
    if (peer)
        em_json_put(object, "to_best_peer", bench_json_figure(relation(result, of, peer), failed), failed);
    em_json_put(object, "repeats", em_json_count(of->repeats), failed);
    for (uint32_t i = 0; i < result->n_pairs; i++)
        em_json_append(times, json_real(of->ns[i]), failed);
    em_json_put(object, "rounds_ns", times, failed);
    return object;
}

static json_t *result_value(const compact_result *result, bool *failed)
{
    json_t *object = json_object(), *contenders = json_array();
    em_json_put(object, "type", json_string(result->name), failed);
    em_json_put(object, "n", em_json_count(result->n), failed);
    em_json_put(object, "percent", em_json_count(result->percent), failed);
    em_json_put(object, "n_kept", em_json_count(result->n_kept), failed);
    em_json_put(object, "best_copy_ns", bench_json_figure(bench_figure_of(result->copy_ns, result->n_pairs), failed),
                failed);
    if (compact_best_peer(result))
        em_json_put(object, "best_peer", json_string(compact_best_peer(result)->name), failed);
    for (uint32_t i = 0; i < result->n_contenders; i++)
        em_json_append(contenders, contender_value(result, &result->contenders[i], failed), failed);
    em_json_put(object, "contenders", contenders, failed);
    return object;
}

em_status compact_json(const compact_bench *of, em_output *output, em_error *error)
{
    bool failed = false;
    json_t *root = json_object(), *results = json_array();
    em_json_put(root, "format", json_string("edgemill-bench-compact"), &failed);
    em_json_put(root, "version", json_integer(1), &failed);
    em_json_put(root, "machine", bench_json_machine(of->run, &failed), &failed);
    em_json_put(root, "pairs", em_json_count(of->run->n_pairs), &failed);
    em_json_put(root, "peers", json_boolean(bench_find_peers(of->run, EM_COMPACT_PEERS_SYMBOL) != NULL), &failed);
    for (uint32_t i = 0; i < of->n_results; i++)
        em_json_append(results, result_value(of->results[i], &failed), &failed);
    em_json_put(root, "results", results, &failed);
    return em_json_write(root, failed, 1, output, error);
}
