/* tiles - the look-back engine with tiles of several sizes, beside the best copy.
 *
 * Tiles that do not fit the cache are read from memory twice; small ones cost a look-back each.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/bench/bench.h"

/* A contender for each tiling, each with a context of its own. */
static em_status add_tilings(bench *run, const bench_tiles *tiles, bench_result *result, const bench_arrays *arrays,
                             em_error *error)
{
    em_status status = EM_OK;
    for (uint32_t i = 0; i < tiles->n_tilings && status == EM_OK; i++) {
        const em_context_options options = {.n_threads = run->n_threads, .knobs = {.tile_bytes = tiles->tile_bytes[i]}};
        bench_contender *contender = &result->contenders[result->n_contenders];
        *contender = (bench_contender){.name = "lookback",
                                       .who = BENCH_OURS,
                                       .n_threads = run->n_threads,
                                       .call = {.monoid = em_monoid_of(run->all, tiles->of->operation, tiles->of->type),
                                                .engine = EM_SCAN_LOOKBACK,
                                                .in = arrays->in,
                                                .out = arrays->out,
                                                .n = tiles->n}};
        status = em_context_create(&options, &contender->context, error);
        result->n_contenders += status == EM_OK;
    }
    return status;
}

static void conclude(const bench *run, bench_result *result, bench_tiles *tiles)
{
    bench_find_best_copies(result);
    for (uint32_t i = 0; i < tiles->n_tilings; i++) {
        const bench_contender *contender = &result->contenders[EM_N_COPIES + i];
        tiles->tiles_per_core[i] = (double)result->bytes_in / (double)tiles->tile_bytes[i] / run->n_threads;
        tiles->ns[i] = bench_figure_of(contender->ns, result->n_pairs);
        tiles->to_copy[i] = bench_relation(result, contender, NULL);
        tiles->gbps[i] = bench_gbps(result, tiles->ns[i].median);
    }
}

em_status bench_sweep_tiles(bench *run, bench_tiles *tiles, em_error *error)
{
    const em_monoid *monoid = em_monoid_of(run->all, tiles->of->operation, tiles->of->type);
    bench_arrays arrays = {0};
    void *made = NULL;
    em_status status = em_allocate_zeroed(run->all, sizeof(bench_result), &made, error);
    bench_result *const result = made;
    if (status == EM_OK)
        status = bench_arrays_take(run, bench_array_bytes(run, tiles->of, tiles->n), &arrays, error);
    if (status != EM_OK)
        goto done;
    bench_fill(tiles->of->operation, tiles->of->type, arrays.in, tiles->n);
    *result = (bench_result){.of = tiles->of,
                             .n = tiles->n,
                             .bytes_in = tiles->n * monoid->item_bytes,
                             .bytes_out = tiles->n * monoid->result_bytes,
                             .n_pairs = run->n_pairs};
    bench_add_copies(run, result, &arrays);
    status = add_tilings(run, tiles, result, &arrays, error);
    if (status == EM_OK)
        status = bench_interleave(result->contenders, result->n_contenders, run->n_pairs, error);
    if (status == EM_OK)
        conclude(run, result, tiles);
done:
    for (uint32_t i = EM_N_COPIES; result && i < result->n_contenders; i++)
        em_context_free(result->contenders[i].context);
    bench_arrays_free(run, &arrays);
    em_free(run->all, result, sizeof *result);
    return status;
}

/* The first case asked for that is no offsets, at the largest size that fits. */
static bool choose(const bench *run, bench_tiles *tiles)
{
    const bench_case *of;
    for (uint32_t i = 0; (of = bench_case_at(i)) && !tiles->of; i++)
        if ((run->cases >> i & 1) && !of->offsets)
            tiles->of = of;
    for (uint32_t i = 0; i < run->n_sizes && tiles->of; i++) {
        const uint64_t n = run->sizes_given ? run->sizes[i] : run->sizes[i] / tiles->of->items_per_row;
        if (n > tiles->n && 2 * bench_array_bytes(run, tiles->of, n) <= run->may_take_bytes)
            tiles->n = n;
    }
    return tiles->n > 0;
}

em_status bench_scan_tiles(bench *run, em_error *error)
{
    enum { MOST_TILES_PER_CORE = 64 };
    void *made = NULL;
    em_status status = em_allocate_zeroed(run->all, sizeof *run->tiles, &made, error);
    if (status != EM_OK)
        return status;
    bench_tiles *const tiles = run->tiles = made;
    if (!choose(run, tiles))
        return em_fail(error, EM_USAGE, "bench: --tiles needs a type other than offsets, and a size that fits memory");
    const em_monoid *monoid = em_monoid_of(run->all, tiles->of->operation, tiles->of->type);
    for (uint64_t per_core = 1; per_core <= MOST_TILES_PER_CORE; per_core *= 2) {
        uint64_t items = (tiles->n - 1) / (per_core * run->n_threads) + 1;
        items = items > EM_TILE_MOST_ITEMS ? (uint64_t)EM_TILE_MOST_ITEMS : items; /* as the engine does */
        tiles->tile_bytes[tiles->n_tilings++] = items * monoid->item_bytes;
    }
    return bench_sweep_tiles(run, tiles, error);
}
