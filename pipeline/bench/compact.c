/* compact - selections beside copies, a loop and other libraries, in one interleaved run.
 *
 * Numbers are uniform, so the share that is kept is where the constant lies, and no branch on one is foretold. Each
 * contender runs once before, and gives the bytes of the loop.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/bench/compact.h"
#include "scan/select.h"
#include "stages/random_words.h"

#include <string.h>
#include <xxhash.h>

static const uint32_t PERCENTS[COMPACT_SHARES] = {10, 50, 90};

static void fill(em_type type, void *items, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t word = em_word(0, i);
        if (type == EM_U64)
            ((uint64_t *)items)[i] = word;
        else
            ((uint32_t *)items)[i] = (uint32_t)(word >> 32);
    }
}

/* What of all numbers of the type lies below it is so many per cent. */
static uint64_t least_of(em_type type, uint32_t percent)
{
    const uint64_t most = type == EM_U64 ? UINT64_MAX : UINT32_MAX;
    return most / 100 * percent;
}

/* --- contenders ------------------------------------------------------------------------------------------------ */

static em_status run_ours(void *state, em_error *error)
{
    compact_call *own = state;
    return em_select_compare(own->context, own->type, own->in, own->n, EM_LESS, &own->least, own->out, &own->n_kept,
                             error);
}

static em_status run_peer(void *state, em_error *error)
{
    (void)error;
    compact_call *own = state;
    own->n_kept = own->peer->run(own->in, own->out, own->n, &own->least, own->n_threads);
    return EM_OK;
}

/* Every item is written, and the place moves on if it was kept: what one would write by hand. */
#define LOOP(number)                                                                                                   \
    static uint64_t loop_##number(const compact_call *own)                                                             \
    {                                                                                                                  \
        const number *in = own->in, least = (number)own->least;                                                        \
        number *out = own->out;                                                                                        \
        uint64_t n_kept = 0;                                                                                           \
        for (uint64_t i = 0; i < own->n; i++) {                                                                        \
            out[n_kept] = in[i];                                                                                       \
            n_kept += in[i] < least;                                                                                   \
        }                                                                                                              \
        return n_kept;                                                                                                 \
    }
LOOP(uint32_t)
LOOP(uint64_t)

static em_status run_loop(void *state, em_error *error)
{
    (void)error;
    compact_call *own = state;
    own->n_kept = own->type == EM_U64 ? loop_uint64_t(own) : loop_uint32_t(own);
    return EM_OK;
}

static void add(compact_result *result, bench_contender contender, compact_call call)
{
    if (result->n_contenders == COMPACT_CONTENDERS)
        return;
    const uint32_t i = result->n_contenders++;
    call.n_threads = contender.n_threads;
    result->calls[i] = call;
    contender.state = &result->calls[i];
    result->contenders[i] = contender;
}

static void add_all(bench *run, compact_result *result, const bench_arrays *arrays)
{
    const compact_call call = {.type = result->type,
                               .in = arrays->in,
                               .out = arrays->out,
                               .n = result->n,
                               .least = least_of(result->type, result->percent)};
    bench_result copies = {.bytes_in = result->n * result->item_bytes, .bytes_out = result->n * result->item_bytes};
    bench_add_copies(run, &copies, arrays);
    for (uint32_t i = 0; i < copies.n_contenders; i++)
        add(result, copies.contenders[i], call);
    add(result, (bench_contender){.name = "loop", .who = BENCH_PEER, .n_threads = 1, .work = run_loop}, call);
    compact_call ours = call;
    ours.context = run->all;
    add(result, (bench_contender){.name = "select", .who = BENCH_OURS, .n_threads = run->n_threads, .work = run_ours},
        ours);
    ours.context = run->one;
    add(result, (bench_contender){.name = "select, 1 thread", .who = BENCH_OURS, .n_threads = 1, .work = run_ours},
        ours);
    em_compact_peers_entry *entry;
    *(void **)&entry = bench_find_peers(run, EM_COMPACT_PEERS_SYMBOL); /* as POSIX says it */
    uint64_t n_peers = 0;
    const em_compact_peer *peers = entry ? entry(EM_PEERS_ABI, &n_peers) : NULL;
    for (uint64_t i = 0; peers && i < n_peers; i++) {
        compact_call theirs = call;
        theirs.peer = &peers[i];
        if (strcmp(peers[i].element, result->name) == 0)
            add(result,
                (bench_contender){.name = peers[i].name,
                                  .who = BENCH_PEER,
                                  .n_threads = peers[i].uses_threads ? run->n_threads : 1,
                                  .work = run_peer},
                theirs);
    }
}

/* --- measuring ------------------------------------------------------------------------------------------------- */

static em_status check_results(compact_result *result, em_error *error)
{
    uint64_t expected = 0;
    for (uint32_t i = EM_N_COPIES; i < result->n_contenders; i++) {
        const bench_contender *contender = &result->contenders[i];
        compact_call *call = &result->calls[i];
        memset(call->out, 0xA5, result->n * result->item_bytes);
        const em_status status = bench_call(contender, error);
        if (status != EM_OK)
            return status;
        const uint64_t hash = XXH3_64bits(call->out, call->n_kept * result->item_bytes);
        if (i == EM_N_COPIES) /* the loop */
            expected = hash, result->n_kept = call->n_kept;
        else if (hash != expected || call->n_kept != result->n_kept)
            return em_fail(error, EM_DIFFERS, "bench: %s of %llu %s is not what a loop gives", contender->name,
                           (unsigned long long)result->n, result->name);
    }
    return EM_OK;
}

static void find_best_copies(compact_result *result)
{
    for (uint32_t round = 0; round < result->n_pairs; round++) {
        double least = result->contenders[0].ns[round];
        for (uint32_t i = 1; i < EM_N_COPIES; i++)
            least = result->contenders[i].ns[round] < least ? result->contenders[i].ns[round] : least;
        result->copy_ns[round] = least;
    }
}

static em_status measure(compact_bench *of, const bench_case *type, uint64_t n, uint32_t percent,
                         const bench_arrays *arrays, em_error *error)
{
    bench *run = of->run;
    void *grown = of->results, *made = NULL;
    em_status status = em_resize(run->all, &grown, of->n_results * sizeof *of->results,
                                 (of->n_results + 1) * sizeof *of->results, error);
    if (status != EM_OK)
        return status;
    of->results = grown;
    status = em_allocate_zeroed(run->all, sizeof **of->results, &made, error);
    compact_result *result = of->results[of->n_results++] = made; /* compact_free frees NULL as well */
    if (status != EM_OK)
        return status;
    result->name = type->name;
    result->type = type->type;
    result->n = n;
    result->item_bytes = type->type == EM_U64 ? sizeof(uint64_t) : sizeof(uint32_t);
    result->percent = percent;
    result->n_pairs = run->n_pairs;
    add_all(run, result, arrays);
    status = check_results(result, error);
    if (status == EM_OK)
        status = bench_interleave(result->contenders, result->n_contenders, run->n_pairs, error);
    if (status != EM_OK)
        return status;
    find_best_copies(result);
    compact_print_result(run, result);
    return EM_OK;
}

static em_status measure_type(compact_bench *of, const bench_case *type, em_error *error)
{
    bench *run = of->run;
    uint64_t largest = 0;
    for (uint32_t i = 0; i < run->n_sizes; i++) {
        const uint64_t n = run->sizes[i], n_bytes = 2 * bench_array_bytes(run, type, n);
        if (n_bytes <= run->may_take_bytes)
            largest = n > largest ? n : largest;
        else if (run->n_left_out < BENCH_LEFT_OUT)
            run->left_out[run->n_left_out++] = (bench_left_out){type, n, n_bytes};
    }
    if (largest == 0)
        return EM_OK;
    bench_arrays arrays;
    em_status status = bench_arrays_take(run, bench_array_bytes(run, type, largest), &arrays, error);
    if (status != EM_OK)
        return status;
    fill(type->type, arrays.in, largest);
    for (uint32_t i = 0; i < run->n_sizes; i++)
        for (int k = 0; k < COMPACT_SHARES && run->sizes[i] <= largest && status == EM_OK; k++)
            status = measure(of, type, run->sizes[i], PERCENTS[k], &arrays, error);
    bench_arrays_free(run, &arrays);
    return status;
}

em_status compact_measure(compact_bench *of, em_error *error)
{
    em_status status = EM_OK;
    const bench_case *type;
    for (uint32_t i = 0; (type = bench_case_at(i)) && status == EM_OK; i++)
        if (of->run->cases >> i & 1 && (strcmp(type->name, "u32") == 0 || strcmp(type->name, "u64") == 0))
            status = measure_type(of, type, error);
    return status;
}

void compact_free(compact_bench *of)
{
    for (uint32_t i = 0; i < of->n_results; i++)
        em_free(of->run->all, of->results[i], sizeof **of->results);
    em_free(of->run->all, of->results, of->n_results * sizeof *of->results);
    of->results = NULL;
    of->n_results = 0;
}
