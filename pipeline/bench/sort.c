/* sort - sorts beside copies and other libraries, in one interleaved run.
 *
 * A sort finds its input in order if it is called twice, so each call gets a fresh copy, which is not timed; short ones
 * are repeated until they add up. Each contender is checked first: keys ascend, what has equal keys is in the order of
 * the input where the sort is stable, and nothing was lost.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/bench/sort.h"
#include "scan/base/clock.h"
#include "scan/sort.h"
#include "stages/random_words.h"

#include <string.h>

enum { LEAST_NS = 1000000, MOST_REPEATS = 1000 };

/* --- what is sorted ------------------------------------------------------------------------------------------ */

static void fill_u32(void *records, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        ((uint32_t *)records)[i] = (uint32_t)(em_word(0, i) >> 32);
}

static void fill_u64(void *records, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        ((uint64_t *)records)[i] = em_word(0, i);
}

/* R-MAT, .57 .19 .19 .05, of about 16 arcs a vertex: source << 32 | target. (Chakrabarti, Zhan, Faloutsos 2004.) */
static void fill_arcs(void *records, uint64_t n)
{
    uint32_t scale = 1;
    while (UINT64_C(16) << scale < n)
        scale++;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t source = 0, target = 0;
        for (uint32_t bit = 0; bit < scale; bit++) {
            const uint64_t of_100 = (em_word(0, i * 64 + bit) >> 32) * 100 >> 32;
            source = source << 1 | (of_100 >= 76);
            target = target << 1 | (of_100 >= 95 || (of_100 >= 57 && of_100 < 76));
        }
        ((uint64_t *)records)[i] = source << 32 | target;
    }
}

/* {u32 key, u32 place}. */
static void fill_pairs(void *records, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        ((uint64_t *)records)[i] = em_word(0, i) >> 32 | i << 32;
}

static const sort_type TYPES[SORT_TYPES] = {{"u32", 4, false, fill_u32},
                                            {"u64", 8, false, fill_u64},
                                            {"arcs", 8, true, fill_arcs},
                                            {"pairs", 8, true, fill_pairs}};

const sort_type *sort_type_at(uint32_t index)
{
    return index < SORT_TYPES ? &TYPES[index] : NULL;
}

em_status sort_parse_types(bench *run, const char *text, em_error *error)
{
    run->cases = 0;
    for (const char *at = text; at;) {
        const size_t length = strcspn(at, ",");
        uint32_t i = 0;
        while (i < SORT_TYPES && (strlen(TYPES[i].name) != length || strncmp(TYPES[i].name, at, length) != 0))
            i++;
        if (i == SORT_TYPES)
            return em_fail(error, EM_USAGE, "--types: bench sort has u32, u64, arcs and pairs, and not '%.*s'",
                           (int)(length < 32 ? length : 32), at);
        run->cases |= 1U << i;
        at = at[length] ? at + length + 1 : NULL;
    }
    return EM_OK;
}

static bool are_arcs(const sort_type *type)
{
    return strcmp(type->name, "arcs") == 0;
}

/* The first column has keys, or sources; the second payloads, or targets. */
static void prepare(const sort_call *own)
{
    const uint64_t *records = own->records;
    uint32_t *const first = own->work, *const second = first + own->n;
    if (own->peer || !own->type->columns) {
        memcpy(own->work, own->records, own->n * own->type->record_bytes);
        return;
    }
    const uint32_t of_first = are_arcs(own->type) ? 32 : 0;
    for (uint64_t i = 0; i < own->n; i++) {
        first[i] = (uint32_t)(records[i] >> of_first);
        second[i] = (uint32_t)(records[i] >> (32 - of_first));
    }
}

/* --- contenders ---------------------------------------------------------------------------------------------- */

static em_status run_ours(void *state, em_error *error)
{
    const sort_call *own = state;
    uint32_t *const first = own->work, *const second = first + own->n;
    if (!own->type->columns)
        return em_sort(own->context, own->type->record_bytes == 4 ? EM_U32 : EM_U64, own->work, own->n, error);
    if (are_arcs(own->type))
        return em_sort_arcs(own->context, 4, first, second, 0, NULL, own->n, 0, error);
    return em_sort_pairs(own->context, EM_U32, first, 4, second, own->n, error);
}

static em_status run_peer(void *state, em_error *error)
{
    (void)error;
    const sort_call *own = state;
    own->peer->run(own->work, own->n, own->n_threads);
    return EM_OK;
}

static void add(sort_result *result, bench_contender contender, sort_call call)
{
    if (result->n_contenders == SORT_CONTENDERS)
        return;
    const uint32_t i = result->n_contenders++;
    call.n_threads = contender.n_threads;
    result->calls[i] = call;
    contender.state = &result->calls[i];
    result->contenders[i] = contender;
}

static void add_all(bench *run, sort_result *result, const bench_arrays *arrays)
{
    const uint64_t n_bytes = result->n * result->type->record_bytes;
    sort_call call = {.type = result->type, .records = arrays->in, .work = arrays->out, .n = result->n};
    bench_result copies = {.bytes_in = n_bytes, .bytes_out = n_bytes};
    bench_add_copies(run, &copies, arrays);
    for (uint32_t i = 0; i < copies.n_contenders; i++)
        add(result, copies.contenders[i], call);
    call.context = run->all;
    add(result, (bench_contender){.name = "sort", .who = BENCH_OURS, .n_threads = run->n_threads, .work = run_ours},
        call);
    call.context = run->one;
    add(result, (bench_contender){.name = "sort, 1 thread", .who = BENCH_OURS, .n_threads = 1, .work = run_ours}, call);
    em_sort_peers_entry *entry;
    *(void **)&entry = bench_find_peers(run, EM_SORT_PEERS_SYMBOL); /* as POSIX says it */
    uint64_t n_peers = 0;
    const em_sort_peer *peers = entry ? entry(EM_PEERS_ABI, &n_peers) : NULL;
    for (uint64_t i = 0; peers && i < n_peers; i++) {
        call.peer = &peers[i];
        if (strcmp(peers[i].element, result->type->name) == 0)
            add(result,
                (bench_contender){.name = peers[i].name,
                                  .who = BENCH_PEER,
                                  .n_threads = peers[i].uses_threads ? run->n_threads : 1,
                                  .work = run_peer},
                call);
    }
}

/* --- measuring ----------------------------------------------------------------------------------------------- */

/* Record i of what a contender left, its key highest. */
static uint64_t ordered_at(const sort_call *own, uint64_t i)
{
    const uint32_t *const first = own->work, *const second = first + own->n;
    if (own->type->record_bytes == 4)
        return first[i];
    if (!own->peer && own->type->columns)
        return (uint64_t)first[i] << 32 | second[i];
    const uint64_t record = ((const uint64_t *)own->work)[i];
    return strcmp(own->type->name, "pairs") == 0 ? record << 32 | record >> 32 : record;
}

/* Places are payloads, so that keys with them ascend where a sort is stable. */
static em_status check(const sort_call *own, const char *name, uint64_t *sum, em_error *error)
{
    const uint32_t n_ignored = own->peer && !own->peer->is_stable && strcmp(own->type->name, "pairs") == 0 ? 32 : 0;
    uint64_t before = 0;
    *sum = 0;
    for (uint64_t i = 0; i < own->n; i++) {
        const uint64_t now = ordered_at(own, i);
        if (now >> n_ignored < before >> n_ignored)
            return em_fail(error, EM_DIFFERS, "bench: %s does not sort %llu %s", name, (unsigned long long)own->n,
                           own->type->name);
        before = now;
        *sum += em_word(0, now);
    }
    return EM_OK;
}

static em_status check_results(sort_result *result, em_error *error)
{
    uint64_t expected = 0;
    for (uint32_t i = EM_N_COPIES; i < result->n_contenders; i++) {
        const bench_contender *contender = &result->contenders[i];
        uint64_t sum = 0;
        prepare(&result->calls[i]);
        if (i == EM_N_COPIES) /* what is there before any sort */
            for (uint64_t k = 0; k < result->n; k++)
                expected += em_word(0, ordered_at(&result->calls[i], k));
        em_status status = bench_call(contender, error);
        if (status == EM_OK)
            status = check(&result->calls[i], contender->name, &sum, error);
        if (status != EM_OK)
            return status;
        if (sum != expected)
            return em_fail(error, EM_DIFFERS, "bench: %s loses some of %llu %s", contender->name,
                           (unsigned long long)result->n, result->type->name);
    }
    return EM_OK;
}

/* Nanoseconds of one call, of as many as it takes to be sure. */
static em_status timed(const sort_result *result, bench_contender *contender, double *ns, em_error *error)
{
    const sort_call *const call = contender->state;
    (void)result;
    uint64_t sum = 0;
    for (contender->repeats = 0; contender->repeats < MOST_REPEATS && sum < LEAST_NS; contender->repeats++) {
        if (contender->who != BENCH_COPY)
            prepare(call);
        const uint64_t begin_ns = em_clock_ns(CLOCK_MONOTONIC);
        const em_status status = bench_call(contender, error);
        sum += em_clock_ns(CLOCK_MONOTONIC) - begin_ns;
        if (status != EM_OK)
            return status;
    }
    *ns = (double)sum / (double)contender->repeats;
    return EM_OK;
}

static em_status interleave(sort_result *result, em_error *error)
{
    em_status status = EM_OK;
    for (uint32_t round = 0; round < result->n_pairs; round++) {
        for (uint32_t i = 0; i < result->n_contenders && status == EM_OK; i++) {
            bench_contender *const contender = &result->contenders[(round + i) % result->n_contenders];
            status = timed(result, contender, &contender->ns[round], error);
        }
        double least = result->contenders[0].ns[round];
        for (uint32_t i = 1; i < EM_N_COPIES; i++)
            least = result->contenders[i].ns[round] < least ? result->contenders[i].ns[round] : least;
        result->copy_ns[round] = least;
    }
    return status;
}

static em_status measure(sort_bench *of, const sort_type *type, uint64_t n, const bench_arrays *arrays, em_error *error)
{
    bench *run = of->run;
    void *grown = of->results, *made = NULL;
    em_status status = em_resize(run->all, &grown, of->n_results * sizeof *of->results,
                                 (of->n_results + 1) * sizeof *of->results, error);
    if (status != EM_OK)
        return status;
    of->results = grown;
    status = em_allocate_zeroed(run->all, sizeof **of->results, &made, error);
    sort_result *result = of->results[of->n_results++] = made; /* sort_free frees NULL as well */
    if (status != EM_OK)
        return status;
    result->type = type;
    result->n = n;
    result->n_pairs = run->n_pairs;
    type->fill(arrays->in, n);
    add_all(run, result, arrays);
    status = check_results(result, error);
    if (status == EM_OK)
        status = interleave(result, error);
    if (status == EM_OK)
        sort_print_result(run, result);
    return status;
}

/* Three arrays: the records, those that are sorted, and the scratch of ours. */
static em_status measure_type(sort_bench *of, const sort_type *type, em_error *error)
{
    bench *run = of->run;
    uint64_t largest = 0;
    for (uint32_t i = 0; i < run->n_sizes; i++) {
        const uint64_t n = run->sizes[i], n_bytes = 3 * n * type->record_bytes;
        if (n_bytes <= run->may_take_bytes && (n >> 32 == 0 || !type->columns))
            largest = n > largest ? n : largest;
        else
            fprintf(run->out, "left out: %s, %llu records of %u bytes\n", type->name, (unsigned long long)n,
                    type->record_bytes);
    }
    if (largest == 0)
        return EM_OK;
    bench_arrays arrays;
    em_status status = bench_arrays_take(run, largest * type->record_bytes, &arrays, error);
    if (status != EM_OK)
        return status;
    for (uint32_t i = 0; i < run->n_sizes && status == EM_OK; i++)
        if (run->sizes[i] <= largest)
            status = measure(of, type, run->sizes[i], &arrays, error);
    bench_arrays_free(run, &arrays);
    return status;
}

em_status sort_measure(sort_bench *of, em_error *error)
{
    em_status status = EM_OK;
    for (uint32_t i = 0; i < SORT_TYPES && status == EM_OK; i++)
        if (of->run->cases >> i & 1)
            status = measure_type(of, &TYPES[i], error);
    return status;
}

void sort_free(sort_bench *of)
{
    for (uint32_t i = 0; i < of->n_results; i++)
        em_free(of->run->all, of->results[i], sizeof **of->results);
    em_free(of->run->all, of->results, of->n_results * sizeof *of->results);
    of->results = NULL;
    of->n_results = 0;
}
