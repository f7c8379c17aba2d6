/* tune - measures what scan/tuning.h and the operators say about this machine.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/bench/bench.h"
#include "scan/base/clock.h"

/* --- what an item costs ------------------------------------------------------------------------------------ */

/* Input and output together: about what a team is worth waking for, and so past the second-level cache. */
enum { ITEM_BYTES = 6 << 20 };

static em_status item_cost(bench *run, em_operator operation, em_type type, const bench_arrays *arrays, em_error *error)
{
    const em_monoid *monoid = em_monoid_of(run->one, operation, type);
    bench_tuning *tuning = run->tuning;
    if (!monoid)
        return EM_OK;
    const uint64_t n = ITEM_BYTES / (monoid->item_bytes + monoid->result_bytes);
    bench_contender contender = {
        .who = BENCH_OURS,
        .context = run->one,
        .call = {.monoid = monoid, .engine = EM_SCAN_SERIAL, .in = arrays->in, .out = arrays->out, .n = n}};
    bench_fill(operation, type, arrays->in, n);
    const em_status status = bench_interleave(&contender, 1, run->n_pairs, error);
    if (status != EM_OK)
        return status;
    for (uint32_t i = 0; i < run->n_pairs; i++)
        contender.ns[i] *= 1000.0 / (double)n;
    tuning->items[tuning->n_items++] = (bench_item_cost){monoid, em_operator_name(operation), em_type_name(type),
                                                         bench_figure_of(contender.ns, run->n_pairs)};
    return EM_OK;
}

static em_status item_costs(bench *run, em_error *error)
{
    bench_arrays arrays;
    em_status status = bench_arrays_take(run, ITEM_BYTES, &arrays, error);
    for (int operation = 0; operation < EM_N_OPERATORS; operation++)
        for (int type = 0; type < EM_N_TYPES && status == EM_OK; type++)
            status = item_cost(run, (em_operator)operation, (em_type)type, &arrays, error);
    bench_arrays_free(run, &arrays);
    return status;
}

/* --- from where threads pay --------------------------------------------------------------------------------- */

static em_status crossing(bench *run, em_operator operation, em_type type, uint64_t n, const bench_arrays *arrays,
                          em_error *error)
{
    bench_contender pair[2];
    for (int i = 0; i < 2; i++)
        pair[i] = (bench_contender){.who = BENCH_OURS,
                                    .context = run->all,
                                    .call = {.monoid = em_monoid_of(run->all, operation, type),
                                             .engine = i ? EM_SCAN_LOOKBACK : EM_SCAN_SERIAL,
                                             .in = arrays->in,
                                             .out = arrays->out,
                                             .n = n}};
    const em_status status = bench_interleave(pair, 2, run->n_pairs, error);
    if (status != EM_OK)
        return status;
    run->tuning->crossings[run->tuning->n_crossings++] =
        (bench_crossing){pair[0].call.monoid, n, bench_figure_of(pair[0].ns, run->n_pairs),
                         bench_ratio(pair[1].ns, pair[0].ns, run->n_pairs)};
    return EM_OK;
}

static em_status crossings(bench *run, em_error *error)
{
    static const struct {
        em_operator operation;
        em_type type;
        uint64_t least, most; /* both powers of two */
    } SWEEPS[] = {{EM_SUM, EM_U32, 1 << 14, 1 << 23},
                  {EM_SUM, EM_F64, 1 << 14, 1 << 22},
                  {EM_MAT2, EM_U32, 1 << 12, 1 << 20},
                  {EM_LOG_SUM_EXP, EM_F64, 1 << 10, 1 << 18}};
    em_status status = EM_OK;
    for (size_t i = 0; i < sizeof SWEEPS / sizeof *SWEEPS && status == EM_OK; i++) {
        const em_monoid *monoid = em_monoid_of(run->all, SWEEPS[i].operation, SWEEPS[i].type);
        bench_arrays arrays;
        status = bench_arrays_take(run, SWEEPS[i].most * monoid->item_bytes, &arrays, error);
        if (status != EM_OK)
            return status;
        bench_fill(SWEEPS[i].operation, SWEEPS[i].type, arrays.in, SWEEPS[i].most);
        const uint64_t asked = bench_largest_size(run);
        for (uint64_t n = SWEEPS[i].least; n <= SWEEPS[i].most && n <= asked && status == EM_OK; n *= 2) {
            status = crossing(run, SWEEPS[i].operation, SWEEPS[i].type, n, &arrays, error);
            if (status == EM_OK && n < SWEEPS[i].most)
                status = crossing(run, SWEEPS[i].operation, SWEEPS[i].type, n * 3 / 2, &arrays, error);
        }
        bench_arrays_free(run, &arrays);
    }
    return status;
}

/* --- from where stores should pass the caches by --------------------------------------------------------- */

/* Picoseconds an item of one kernel call; `how` as in em_tile. */
static double kernel_ps(const em_monoid *monoid, const bench_arrays *arrays, uint64_t n, unsigned how, uint64_t repeats)
{
    const em_tile tile = {arrays->in, arrays->out, n, NULL}, none = {0};
    _Alignas(64) unsigned char carry[64];
    const uint64_t begin_ns = em_clock_ns(CLOCK_MONOTONIC);
    for (uint64_t i = 0; i < repeats; i++) {
        monoid->identity(monoid, carry);
        monoid->scan(monoid, &tile, carry, &none, how);
    }
    return 1000.0 * (double)(em_clock_ns(CLOCK_MONOTONIC) - begin_ns) / (double)(repeats * n);
}

static void streaming(bench *run, em_type type, uint64_t n, const bench_arrays *arrays)
{
    enum { LEAST_ITEMS = 4 << 20 }; /* timed together: about a millisecond */
    const em_monoid *monoid = em_monoid_of(run->one, EM_SUM, type);
    const uint64_t repeats = n < LEAST_ITEMS ? LEAST_ITEMS / n : 1;
    double ps[2][BENCH_PAIRS];
    kernel_ps(monoid, arrays, n, 0, 1);
    for (uint32_t round = 0; round < run->n_pairs; round++)
        for (uint32_t i = 0; i < 2; i++) {
            const uint32_t streams = (round + i) % 2;
            ps[streams][round] = kernel_ps(monoid, arrays, n, streams ? EM_TILE_STREAM : 0, repeats);
        }
    run->tuning->streamings[run->tuning->n_streamings++] =
        (bench_streaming){monoid, n * monoid->result_bytes, bench_figure_of(ps[1], run->n_pairs),
                          bench_figure_of(ps[0], run->n_pairs), bench_ratio(ps[1], ps[0], run->n_pairs)};
}

static em_status streamings(bench *run, em_error *error)
{
    enum { LEAST_BYTES = 512 << 10, MOST_BYTES = 64 << 20 };
    static const em_type TYPES[] = {EM_U32, EM_F64};
    em_status status = EM_OK;
    for (int i = 0; i < 2 && status == EM_OK; i++) {
        const em_monoid *monoid = em_monoid_of(run->one, EM_SUM, TYPES[i]);
        bench_arrays arrays;
        status = bench_arrays_take(run, MOST_BYTES, &arrays, error);
        if (status != EM_OK)
            return status;
        bench_fill(EM_SUM, TYPES[i], arrays.in, MOST_BYTES / monoid->item_bytes);
        for (uint64_t n_bytes = LEAST_BYTES; n_bytes <= MOST_BYTES; n_bytes *= 2)
            streaming(run, TYPES[i], n_bytes / monoid->item_bytes, &arrays);
        bench_arrays_free(run, &arrays);
    }
    return status;
}

/* --- tiles --------------------------------------------------------------------------------------------------- */

static em_status tilings(bench *run, em_error *error)
{
    static const char *const NAMES[BENCH_SWEEPS] = {"u32", "u64"};
    enum { N_BYTES = 200000000, LEAST_BYTES = 16 << 10, MOST_BYTES = 4 << 20 };
    em_status status = EM_OK;
    for (int i = 0; i < BENCH_SWEEPS && status == EM_OK; i++) {
        bench_tiles *tiles = &run->tuning->tiles[run->tuning->n_tiles++];
        *tiles = (bench_tiles){.of = bench_case_named(NAMES[i])};
        tiles->n = N_BYTES / em_monoid_of(run->all, EM_SUM, tiles->of->type)->item_bytes;
        tiles->n = tiles->n < bench_largest_size(run) ? tiles->n : bench_largest_size(run);
        for (uint64_t n_bytes = LEAST_BYTES; n_bytes <= MOST_BYTES; n_bytes *= 2)
            tiles->tile_bytes[tiles->n_tilings++] = n_bytes;
        status = bench_sweep_tiles(run, tiles, error);
    }
    return status;
}

em_status bench_scan_tune(bench *run, em_error *error)
{
    void *made = NULL;
    em_status status = em_allocate_zeroed(run->all, sizeof *run->tuning, &made, error);
    run->tuning = made;
    if (status == EM_OK)
        status = item_costs(run, error);
    if (status == EM_OK)
        status = crossings(run, error);
    if (status == EM_OK)
        status = streamings(run, error);
    if (status == EM_OK)
        status = tilings(run, error);
    return status;
}
