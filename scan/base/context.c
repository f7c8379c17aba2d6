/* context - see context.h; memory.c has its memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/base/context_parts.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/sysinfo.h>
#include <unistd.h>

static uint32_t allowed_processors(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    const int count = CPU_COUNT(&set);
    return count > 0 ? (uint32_t)count : 1;
}

static em_isa detect_isa(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("bmi2"))
        return EM_ISA_AVX512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2"))
        return EM_ISA_AVX2;
#elif defined(__aarch64__)
    return EM_ISA_NEON;
#endif
    return EM_ISA_SCALAR;
}

static uint64_t cache_bytes(void)
{
    const long found = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return found > 0 ? (uint64_t)found : UINT64_C(512) << 10;
}

/* What is handed out gets written sooner or later, and the system promises more than it has: asking for what cannot be
 * there would end in its killing some process, this one or another. */
static uint64_t machine_bytes(void)
{
    struct sysinfo info;
    if (sysinfo(&info) != 0)
        return UINT64_MAX;
    return ((uint64_t)info.totalram + info.totalswap) * info.mem_unit;
}

em_status em_context_create(const em_context_options *options, em_context **context, em_error *error)
{
    *context = NULL;
    em_context *made = calloc(1, sizeof *made);
    if (!made)
        return em_fail(error, EM_NO_MEMORY, "out of memory: %zu bytes for a context", sizeof *made);
    if (options)
        made->options = *options;
    if (made->options.n_threads == 0)
        made->options.n_threads = allowed_processors();
    em_pages_open(&made->pages);
    made->isa = detect_isa();
    made->cache_bytes = cache_bytes();
    made->machine_bytes = machine_bytes();
    if (made->options.knobs.isa_limited && made->isa > made->options.knobs.isa_at_most)
        made->isa = made->options.knobs.isa_at_most;
    *context = made;
    return EM_OK;
}

void em_context_free(em_context *context)
{
    for (int slot = 0; context && slot < EM_N_SLOTS; slot++)
        em_context_slot_set(context, (em_context_slot)slot, NULL, 0);
    if (context)
        em_pages_close(&context->pages);
    free(context);
}

void *em_context_slot_at(const em_context *context, em_context_slot slot)
{
    return context->slots[slot].at;
}

void em_context_slot_set(em_context *context, em_context_slot slot, void *at, uint64_t n_bytes)
{
    em_free(context, context->slots[slot].at, context->slots[slot].n_bytes);
    context->slots[slot].at = at;
    context->slots[slot].n_bytes = n_bytes;
}

uint32_t em_context_threads(const em_context *context)
{
    return context->options.n_threads;
}

em_team *em_context_team(em_context *context)
{
    return &context->team;
}

const em_knobs *em_context_knobs(const em_context *context)
{
    return &context->options.knobs;
}

em_isa em_context_isa(const em_context *context)
{
    return context->isa;
}

uint64_t em_context_cache_bytes(const em_context *context)
{
    return context->cache_bytes;
}

em_status em_context_check(em_context *context, em_error *error)
{
    if (__atomic_load_n(&context->cancelled, __ATOMIC_RELAXED))
        return em_fail(error, EM_CANCELLED, "cancelled");
    return EM_OK;
}

em_status em_context_report(em_context *context, const char *stage, uint64_t done, uint64_t total, em_error *error)
{
    if (context->options.progress && !context->options.progress(context->options.progress_state, stage, done, total))
        __atomic_store_n(&context->cancelled, 1, __ATOMIC_RELAXED);
    return em_context_check(context, error);
}
