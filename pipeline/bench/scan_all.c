/* scan_all - every case at every size: copies, our engines, peers, in one interleaved run.
 *
 * A benchmark of wrong results measures nothing, so each contender runs once on a spoilt output first: ours must give
 * the bytes of the serial engine, peers too where the element is exact.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/bench/bench.h"

#include <string.h>
#include <xxhash.h>

typedef struct entry {
    const char *name;
    em_scan_engine engine;
    bool alone; /* on one thread */
} entry;

static const entry ENTRIES[] = {
    {"serial", EM_SCAN_SERIAL, true},         {"tiled", EM_SCAN_TILED, false},
    {"lookback", EM_SCAN_LOOKBACK, false},    {"auto", EM_SCAN_AUTO, false},
    {"tiled, 1 thread", EM_SCAN_TILED, true}, {"lookback, 1 thread", EM_SCAN_LOOKBACK, true},
    {"auto, 1 thread", EM_SCAN_AUTO, true},
};
enum { N_ENTRIES = sizeof ENTRIES / sizeof *ENTRIES };

static void add_ours(bench *run, bench_result *result, em_scan_kind kind, const bench_arrays *arrays)
{
    for (int i = 0; i < N_ENTRIES && result->n_contenders < BENCH_CONTENDERS; i++) {
        em_context *context = ENTRIES[i].alone ? run->one : run->all;
        result->contenders[result->n_contenders++] =
            (bench_contender){.name = ENTRIES[i].name,
                              .who = BENCH_OURS,
                              .n_threads = ENTRIES[i].alone ? 1 : run->n_threads,
                              .context = context,
                              .call = {.monoid = em_monoid_of(context, result->of->operation, result->of->type),
                                       .kind = kind,
                                       .engine = ENTRIES[i].engine,
                                       .in = arrays->in,
                                       .out = arrays->out,
                                       .n = result->n}};
    }
}

static void add_peers(bench *run, bench_result *result, const bench_arrays *arrays)
{
    for (uint64_t i = 0; i < run->n_peers && result->n_contenders < BENCH_CONTENDERS; i++) {
        const em_peer *peer = &run->peers[i];
        if (strcmp(peer->element, result->of->name) == 0)
            result->contenders[result->n_contenders++] = (bench_contender){
                .name = peer->name,
                .who = BENCH_PEER,
                .n_threads = peer->uses_threads ? run->n_threads : 1,
                .peer = peer,
                .call = {.kind = (em_scan_kind)peer->kind, .in = arrays->in, .out = arrays->out, .n = result->n}};
    }
}

/* Floating-point peers group as they like. */
static bool is_exact(const bench_contender *contender, em_type type)
{
    return contender->who == BENCH_OURS || (type != EM_F32 && type != EM_F64);
}

static em_status check_results(bench_result *result, em_error *error)
{
    enum { N_KINDS = EM_EXCLUSIVE_TOTAL + 1 };
    uint64_t expected[N_KINDS] = {0};
    for (uint32_t i = 0; i < result->n_contenders; i++) {
        const bench_contender *contender = &result->contenders[i];
        const em_scan_call *call = &contender->call;
        if (contender->who == BENCH_COPY || !is_exact(contender, result->of->type))
            continue;
        memset(call->out, 0xA5, result->bytes_out);
        const em_status status = bench_call(contender, error);
        if (status != EM_OK)
            return status;
        const uint64_t hash = XXH3_64bits(call->out, result->bytes_out);
        if (strcmp(contender->name, "serial") == 0)
            expected[call->kind] = hash;
        else if (hash != expected[call->kind])
            return em_fail(error, EM_DIFFERS, "bench: %s of %llu %s (%s) is not what the serial engine gives",
                           contender->name, (unsigned long long)result->n, result->of->name,
                           bench_kind_name(call->kind));
    }
    return EM_OK;
}

static em_status measure(bench *run, const bench_case *of, uint64_t n, const bench_arrays *arrays, em_error *error)
{
    const em_monoid *monoid = em_monoid_of(run->all, of->operation, of->type);
    void *grown = run->results, *made = NULL;
    em_status status = em_resize(run->all, &grown, run->n_results * sizeof *run->results,
                                 (run->n_results + 1) * sizeof *run->results, error);
    if (status != EM_OK)
        return status;
    run->results = grown;
    status = em_allocate_zeroed(run->all, sizeof **run->results, &made, error);
    bench_result *result = run->results[run->n_results] = made;
    run->n_results++; /* bench_end frees NULL as well */
    if (status != EM_OK)
        return status;
    *result = (bench_result){.of = of,
                             .n = n,
                             .bytes_in = n * monoid->item_bytes,
                             .bytes_out = (n + of->offsets) * monoid->result_bytes,
                             .n_pairs = run->n_pairs};
    bench_add_copies(run, result, arrays);
    add_ours(run, result, of->offsets ? EM_EXCLUSIVE_TOTAL : EM_INCLUSIVE, arrays);
    if (!of->offsets)
        add_ours(run, result, EM_EXCLUSIVE, arrays);
    add_peers(run, result, arrays);
    status = check_results(result, error);
    if (status == EM_OK)
        status = bench_interleave(result->contenders, result->n_contenders, run->n_pairs, error);
    if (status != EM_OK)
        return status;
    bench_find_best_copies(result);
    bench_print_result(run, result);
    return EM_OK;
}

/* What a size of the list is for a case; 0: nothing. */
static uint64_t size_for(const bench *run, const bench_case *of, uint64_t size)
{
    return run->sizes_given ? size : size / of->items_per_row;
}

static em_status scan_case(bench *run, const bench_case *of, em_error *error)
{
    uint64_t largest = 0;
    for (uint32_t i = 0; i < run->n_sizes; i++) {
        const uint64_t n = size_for(run, of, run->sizes[i]), n_bytes = 2 * bench_array_bytes(run, of, n);
        if (n_bytes <= run->may_take_bytes)
            largest = n > largest ? n : largest;
        else if (run->n_left_out < BENCH_LEFT_OUT)
            run->left_out[run->n_left_out++] = (bench_left_out){of, n, n_bytes};
    }
    if (largest == 0)
        return EM_OK;
    bench_arrays arrays;
    em_status status = bench_arrays_take(run, bench_array_bytes(run, of, largest), &arrays, error);
    if (status != EM_OK)
        return status;
    bench_fill(of->operation, of->type, arrays.in, largest);
    for (uint32_t i = 0; i < run->n_sizes && status == EM_OK; i++) {
        const uint64_t n = size_for(run, of, run->sizes[i]);
        if (n > 0 && n <= largest)
            status = measure(run, of, n, &arrays, error);
    }
    bench_arrays_free(run, &arrays);
    return status;
}

em_status bench_scan_all(bench *run, em_error *error)
{
    em_status status = EM_OK;
    const bench_case *of;
    for (uint32_t i = 0; (of = bench_case_at(i)) && status == EM_OK; i++)
        if (run->cases >> i & 1)
            status = scan_case(run, of, error);
    return status;
}
