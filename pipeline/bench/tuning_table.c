/* tuning_table - what was measured for scan/tuning.h and the operators, as lines to paste, beside the present ones.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/bench/bench.h"
#include "scan/tuning.h"

static void print_items(const bench *run)
{
    const bench_tuning *tuning = run->tuning;
    uint32_t n_off = 0;
    fputs("\nitem_ps (the operators, scan/monoids.h and the kernels): the serial engine on 6 MiB\n", run->out);
    fprintf(run->out, "    %-16s %-5s %-26s %10s %10s %8s\n", "operator", "type", "monoid", "measured", "present",
            "ratio");
    for (uint32_t i = 0; i < tuning->n_items; i++) {
        const bench_item_cost *of = &tuning->items[i];
        const double present = of->monoid->item_ps ? of->monoid->item_ps : 1000, times = of->ps.median / present;
        const bool off = times > 2 || times < 0.5;
        n_off += off;
        fprintf(run->out, "    %-16s %-5s %-26s %10.0f %10.0f %8.2f%s\n", of->operation, of->type, of->monoid->name,
                of->ps.median, present, times, off ? "  off by more than 2" : "");
    }
    fprintf(run->out, "    %u of %u are off by more than 2\n", n_off, tuning->n_items);
}

/* The least n from which on the team is faster at every size tried; NULL: none. */
static const bench_crossing *crossing_of(const bench_tuning *tuning, uint32_t begin, uint32_t end)
{
    const bench_crossing *found = NULL;
    for (uint32_t i = end; i-- > begin && tuning->crossings[i].to_serial.median < 1;)
        found = &tuning->crossings[i];
    return found;
}

static void print_crossings(const bench *run)
{
    const bench_tuning *tuning = run->tuning;
    char text[32];
    double most_ps = 0;
    fprintf(run->out, "\nfrom where %u threads pay: time of the look-back engine to the serial one\n", run->n_threads);
    for (uint32_t begin = 0, end; begin < tuning->n_crossings; begin = end) {
        const em_monoid *monoid = tuning->crossings[begin].monoid;
        for (end = begin; end < tuning->n_crossings && tuning->crossings[end].monoid == monoid; end++) {
            const bench_crossing *of = &tuning->crossings[end];
            snprintf(text, sizeof text, "%s", end == begin ? monoid->name : "");
            fprintf(run->out, "    %-26s %10llu %12.1f us serial %8.2f [%.2f %.2f]\n", text, (unsigned long long)of->n,
                    1e-3 * of->serial_ns.median, of->to_serial.median, of->to_serial.low, of->to_serial.high);
        }
        const bench_crossing *found = crossing_of(tuning, begin, end);
        if (!found) {
            fprintf(run->out, "    %-26s threads do not pay up to the largest size\n", "");
            continue;
        }
        /* What dispatch will make of n; the measured time is beside it. */
        const double ps = (double)found->n * (monoid->item_ps ? monoid->item_ps : 1000);
        most_ps = ps > most_ps ? ps : most_ps;
        fprintf(run->out, "    %-26s pays from %llu: %.0f us by item_ps, %.0f us as measured\n", "",
                (unsigned long long)found->n, 1e-6 * ps, 1e-3 * found->serial_ns.median);
    }
    if (most_ps > 0)
        fprintf(run->out, "#define SCAN_THREADS_FROM_PS UINT64_C(%.0f) /* present: %llu */\n", most_ps,
                (unsigned long long)SCAN_THREADS_FROM_PS);
    else
        fprintf(run->out, "    no size from which threads always pay; SCAN_THREADS_FROM_PS is %llu at present\n",
                (unsigned long long)SCAN_THREADS_FROM_PS);
}

static void print_streamings(const bench *run)
{
    const bench_tuning *tuning = run->tuning;
    uint64_t from[2] = {0, 0};
    int which = -1;
    const em_monoid *last = NULL;
    fputs("\nstores past the caches, one thread: ps an item, streamed and plain\n", run->out);
    for (uint32_t i = 0; i < tuning->n_streamings; i++) {
        const bench_streaming *of = &tuning->streamings[i];
        which += of->monoid != last;
        fprintf(run->out, "    %-26s %8llu KiB %8.0f %8.0f  ratio %.2f [%.2f %.2f]\n",
                of->monoid != last ? of->monoid->name : "", (unsigned long long)of->out_bytes / 1024,
                of->streamed_ps.median, of->plain_ps.median, of->to_plain.median, of->to_plain.low, of->to_plain.high);
        last = of->monoid;
        if (of->to_plain.median >= 1)
            from[which & 1] = 0;
        else if (from[which & 1] == 0)
            from[which & 1] = of->out_bytes;
    }
    const uint64_t most = from[0] > from[1] ? from[0] : from[1];
    if (from[0] && from[1])
        fprintf(run->out, "#define SCAN_STREAM_FROM_BYTES (UINT64_C(%llu) << 10) /* present: %llu << 10 */\n",
                (unsigned long long)most / 1024, (unsigned long long)SCAN_STREAM_FROM_BYTES / 1024);
    else
        fprintf(run->out,
                "    no size from which streaming always pays; SCAN_STREAM_FROM_BYTES is %llu << 10 at present\n",
                (unsigned long long)SCAN_STREAM_FROM_BYTES / 1024);
}

static void print_tile_sweeps(const bench *run)
{
    for (uint32_t i = 0; i < run->tuning->n_tiles; i++) {
        const bench_tiles *tiles = &run->tuning->tiles[i];
        uint32_t best = 0;
        fprintf(run->out, "\ntile bytes: look-back over %llu elements of %s\n", (unsigned long long)tiles->n,
                tiles->of->name);
        bench_print_tilings(run->out, tiles);
        for (uint32_t k = 1; k < tiles->n_tilings; k++)
            best = tiles->to_copy[k].median < tiles->to_copy[best].median ? k : best;
        const uint64_t cache = em_context_cache_bytes(run->all), of_cache = cache / tiles->tile_bytes[best];
        fprintf(run->out,
                "#define SCAN_TILES_OF_CACHE %llu /* tiles of %llu KiB are best for %s; present: %d, at least %llu and "
                "at most %llu KiB */\n",
                (unsigned long long)(of_cache ? of_cache : 1), (unsigned long long)tiles->tile_bytes[best] / 1024,
                tiles->of->name, SCAN_TILES_OF_CACHE, (unsigned long long)SCAN_TILE_BYTES_LEAST / 1024,
                (unsigned long long)SCAN_TILE_BYTES_MOST / 1024);
    }
}

void bench_print_tuning(const bench *run)
{
    print_items(run);
    print_crossings(run);
    print_streamings(run);
    print_tile_sweeps(run);
}
