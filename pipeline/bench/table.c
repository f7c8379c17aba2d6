/* table - the figures as text, as they come.
 *
 * Every relation is a time divided by a time of the same round: below 1 is faster.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/bench/bench.h"
#include "pipeline/report.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_COLUMNS = 34 };

void bench_print_machine(const bench *run)
{
    char name[128];
    fprintf(run->out, "%s, %s, %u threads, %llu KiB of second-level cache; median of %u rounds [95 %%]\n",
            bench_processor(name, sizeof name), bench_isa_name(run), run->n_threads,
            (unsigned long long)em_context_cache_bytes(run->all) / 1024, run->n_pairs);
    if (run->n_peers)
        fprintf(run->out, "peers: %s\n", run->peers_file);
    else
        fputs("peers: not built ('make bench' builds edgemill-peers.so: libstdc++, TBB, omp simd)\n", run->out);
    double load;
    if (getloadavg(&load, 1) == 1 && load > 0.5)
        fprintf(run->out, "load average %.1f: other programs are running, and the figures will scatter\n", load);
    fputs("times are divided by those of the same round: below 1 is faster; GB/s are bytes in and out\n", run->out);
}

const char *bench_duration(char text[32], double ns)
{
    static const char *const UNITS[] = {"ns", "us", "ms", "s"};
    int unit = 0;
    for (; unit < 3 && ns >= 1000; unit++)
        ns /= 1000;
    snprintf(text, 32, ns < 10 ? "%.2f %s" : ns < 100 ? "%.1f %s" : "%.0f %s", ns, UNITS[unit]);
    return text;
}

/* 12.3 KB, 12.3 MB: 1000-based, as counts are. */
static const char *bytes(char text[32], double n)
{
    static const char *const UNITS[] = {"bytes", "KB", "MB", "GB", "TB"};
    int unit = 0;
    for (; unit < 4 && n >= 999.5; unit++)
        n /= 1000;
    snprintf(text, 32, "%.3g %s", n, UNITS[unit]);
    return text;
}

/* As many digits as mean something. */
static const char *ratio(char text[32], double of)
{
    snprintf(text, 32, of < 100 ? "%.2f" : "%.0f", of);
    return text;
}

static void print_relation(FILE *out, const bench_result *result, const bench_contender *contender,
                           const bench_contender *to, bool interval)
{
    const bench_figure of = bench_relation(result, contender, to);
    char text[128], median[32], low[32], high[32];
    if (interval)
        snprintf(text, sizeof text, "%s [%s %s]", ratio(median, of.median), ratio(low, of.low), ratio(high, of.high));
    else
        snprintf(text, sizeof text, "%s", ratio(median, of.median));
    fprintf(out, interval ? "  %18s" : "  %9s", text);
}

static void print_contender(FILE *out, const bench_result *result, const bench_contender *contender)
{
    const double ns = bench_figure_of(contender->ns, result->n_pairs).median;
    const bench_contender *serial = bench_serial_of(result, contender);
    const bench_contender *peer =
        contender->who == BENCH_COPY ? NULL : bench_best_peer(result, contender->call.kind, "");
    char name[64], took[32];
    snprintf(name, sizeof name, "%s%s", contender->who == BENCH_OURS ? "edgemill " : "", contender->name);
    fprintf(out, "    %-*s %7u %10s %8.2f", NAME_COLUMNS, name, contender->n_threads, bench_duration(took, ns),
            bench_gbps(result, ns));
    print_relation(out, result, contender, NULL, true);
    if (serial)
        print_relation(out, result, contender, serial, false);
    if (peer)
        print_relation(out, result, contender, peer, false);
    fputc('\n', out);
}

void bench_print_result(const bench *run, const bench_result *result)
{
    char count[32], moved[32];
    FILE *out = run->out;
    const bench_contender *best[EM_EXCLUSIVE_TOTAL + 1];
    fprintf(out, "\n%s, %s elements, %s in and out\n", result->of->name, em_report_count(count, result->n),
            bytes(moved, (double)(result->bytes_in + result->bytes_out)));
    fprintf(out, "    %-*s %7s %10s %8s  %18s  %9s  %9s\n", NAME_COLUMNS, "", "threads", "time", "GB/s", "to best copy",
            "to serial", "to peer");
    for (int kind = -1; kind <= (int)EM_EXCLUSIVE_TOTAL; kind++) {
        bool titled = false;
        if (kind >= 0)
            best[kind] = bench_best_peer(result, (em_scan_kind)kind, "");
        for (uint32_t i = 0; i < result->n_contenders; i++) {
            const bench_contender *contender = &result->contenders[i];
            const int own = contender->who == BENCH_COPY ? -1 : (int)contender->call.kind;
            if (own != kind)
                continue;
            if (!titled && kind >= 0)
                fprintf(out, "  %s%s%s\n", bench_kind_name((em_scan_kind)kind), best[kind] ? "; best peer: " : "",
                        best[kind] ? best[kind]->name : "");
            titled = true;
            print_contender(out, result, contender);
        }
    }
    fflush(out);
}

void bench_print_stalls(const bench *run)
{
    char count[32], median[32], most[32], longest[32];
    if (run->n_stalls == 0)
        return;
    fputs("\nstalls: i32 scans one by one; a waiting thread without a core of its own shows in the longest\n",
          run->out);
    fprintf(run->out, "    %-12s %12s %7s %6s %10s %10s %10s %16s\n", "", "elements", "threads", "scans", "median",
            "99 %", "longest", "beyond median");
    for (uint32_t i = 0; i < run->n_stalls; i++) {
        const bench_stall *of = &run->stalls[i];
        char beyond[32];
        fprintf(run->out, "    %-12s %12s %7u %6u %10s %10s %10s %16s%s\n", of->name, em_report_count(count, of->n),
                of->n_threads, of->n_scans, bench_duration(median, of->median), bench_duration(most, of->most_of_99),
                bench_duration(longest, of->longest), bench_duration(beyond, of->longest - of->median),
                of->longest - of->median > 1e6 ? "  over 1 ms" : "");
    }
}

void bench_print_tilings(FILE *out, const bench_tiles *tiles)
{
    char count[32], took[32];
    fprintf(out, "    %10s %14s %10s %8s %18s\n", "tile KiB", "tiles a core", "time", "GB/s", "to best copy");
    for (uint32_t i = 0; i < tiles->n_tilings; i++) {
        const bench_figure of = tiles->to_copy[i];
        char relation[64];
        snprintf(relation, sizeof relation, "%.2f [%.2f %.2f]", of.median, of.low, of.high);
        fprintf(out, "    %10.5g %14s %10s %8.2f %18s\n", (double)tiles->tile_bytes[i] / 1024,
                em_report_count(count, (uint64_t)(tiles->tiles_per_core[i] + 0.5)),
                bench_duration(took, tiles->ns[i].median), tiles->gbps[i], relation);
    }
}

void bench_print_tiles(const bench *run)
{
    char count[32];
    fprintf(run->out, "\ntiles: look-back over %s elements of %s by %u threads\n",
            em_report_count(count, run->tiles->n), run->tiles->of->name, run->n_threads);
    bench_print_tilings(run->out, run->tiles);
}
