/* setup - contexts, memory and copies of a run of benchmarks.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/bench/bench.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Half of what the system says it can give; 1 GiB where it does not say. */
static uint64_t half_of_memory(void)
{
    char line[256];
    unsigned long long kib = 2 << 20;
    FILE *facts = fopen("/proc/meminfo", "re");
    while (facts && fgets(line, sizeof line, facts))
        if (sscanf(line, "MemAvailable: %llu kB", &kib) == 1)
            break;
    if (facts)
        fclose(facts);
    return kib * 1024 / 2;
}

em_status bench_begin(bench *run, em_error *error)
{
    const em_context_options all = {.n_threads = run->n_threads}, one = {.n_threads = 1};
    run->may_take_bytes = half_of_memory();
    em_status status = em_context_create(&all, &run->all, error);
    if (status == EM_OK)
        status = em_context_create(&one, &run->one, error);
    if (status == EM_OK)
        run->n_threads = em_context_threads(run->all);
    return status;
}

void bench_end(bench *run)
{
    for (uint32_t i = 0; i < run->n_results; i++)
        em_free(run->all, run->results[i], sizeof **run->results);
    em_free(run->all, run->results, run->n_results * sizeof *run->results);
    em_free(run->all, run->tiles, sizeof *run->tiles);
    em_free(run->all, run->tuning, sizeof *run->tuning);
    em_context_free(run->all);
    em_context_free(run->one);
    *run = (bench){0};
}

em_status bench_arrays_take(bench *run, uint64_t n_bytes, bench_arrays *arrays, em_error *error)
{
    *arrays = (bench_arrays){.n_bytes = n_bytes};
    em_status status = em_allocate(run->all, n_bytes, &arrays->in, error);
    if (status == EM_OK)
        status = em_allocate(run->all, n_bytes, &arrays->out, error);
    if (status != EM_OK) {
        bench_arrays_free(run, arrays);
        return status;
    }
    memset(arrays->in, 0, n_bytes);
    memset(arrays->out, 0, n_bytes);
    return EM_OK;
}

void bench_arrays_free(bench *run, bench_arrays *arrays)
{
    em_free(run->all, arrays->in, arrays->n_bytes);
    em_free(run->all, arrays->out, arrays->n_bytes);
    *arrays = (bench_arrays){0};
}

uint64_t bench_array_bytes(const bench *run, const bench_case *of, uint64_t n)
{
    const em_monoid *monoid = em_monoid_of(run->all, of->operation, of->type);
    const uint64_t each = monoid->item_bytes > monoid->result_bytes ? monoid->item_bytes : monoid->result_bytes;
    return (n + 1) * each;
}

uint64_t bench_largest_size(const bench *run)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < run->n_sizes; i++)
        most = run->sizes[i] > most ? run->sizes[i] : most;
    return most;
}

void bench_add_copies(bench *run, bench_result *result, const bench_arrays *arrays)
{
    static const struct {
        const char *name;
        bool one;
    } COPIES[EM_N_COPIES] = {[EM_COPY_PLAIN_ONE] = {"memcpy", true},
                             [EM_COPY_PLAIN_ALL] = {"memcpy", false},
                             [EM_COPY_STREAM_ONE] = {"non-temporal copy", true},
                             [EM_COPY_STREAM_ALL] = {"non-temporal copy", false}};
    for (int kind = 0; kind < EM_N_COPIES; kind++)
        result->contenders[result->n_contenders++] =
            (bench_contender){.name = COPIES[kind].name,
                              .who = BENCH_COPY,
                              .n_threads = COPIES[kind].one ? 1 : run->n_threads,
                              .context = run->all,
                              .copy = (em_copy_kind)kind,
                              .n_bytes = (result->bytes_in + result->bytes_out) / 2,
                              .call = {.in = arrays->in, .out = arrays->out}};
}

char *bench_processor(char *name, size_t n_bytes)
{
    char line[256];
    FILE *facts = fopen("/proc/cpuinfo", "re");
    snprintf(name, n_bytes, "unknown processor");
    while (facts && fgets(line, sizeof line, facts)) {
        const char *const colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon)
            continue;
        snprintf(name, n_bytes, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
        break;
    }
    if (facts)
        fclose(facts);
    return name;
}

const char *bench_isa_name(const bench *run)
{
    static const char *const NAMES[] = {
        [EM_ISA_SCALAR] = "scalar", [EM_ISA_NEON] = "NEON", [EM_ISA_AVX2] = "AVX2", [EM_ISA_AVX512] = "AVX-512"};
    return NAMES[em_context_isa(run->all)];
}
