/* context - see context.h.
 *
 * Large blocks come straight from mmap, aligned to 2 MiB and advised to be huge pages: touching fresh 4 KiB pages
 * runs at about 1 GB/s, a fraction of what memory can do. Accounting is one atomic add per call; blocks are
 * large, so calls are few.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/base/context.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#if defined(__SANITIZE_THREAD__)
#define EM_MEMORY_STAYS /* the thread sanitizer does not follow memory that moves */
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define EM_MEMORY_STAYS
#endif
#endif

enum { ALIGNMENT = 64 };
static const uint64_t HUGE_PAGE_BYTES = EM_HUGE_PAGE_BYTES;

struct em_context {
    em_context_options options;
    em_isa isa;
    uint64_t cache_bytes;
    uint64_t machine_bytes;                            /* memory and swap; UINT64_MAX: unknown */
    uint64_t current_bytes, peak_bytes, n_allocations; /* atomic */
    em_team team;
    int cancelled; /* atomic */
    struct {
        void *at;
        uint64_t n_bytes;
    } slots[EM_N_SLOTS];
};

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

em_memory_use em_context_memory(const em_context *context)
{
    return (em_memory_use){
        .current_bytes = __atomic_load_n(&context->current_bytes, __ATOMIC_RELAXED),
        .peak_bytes = __atomic_load_n(&context->peak_bytes, __ATOMIC_RELAXED),
        .n_allocations = __atomic_load_n(&context->n_allocations, __ATOMIC_RELAXED),
    };
}

void em_context_reset_peak(em_context *context)
{
    __atomic_store_n(&context->peak_bytes, __atomic_load_n(&context->current_bytes, __ATOMIC_RELAXED),
                     __ATOMIC_RELAXED);
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

/* --- memory ------------------------------------------------------------------------------------ */

static uint64_t memory_limit(const em_context *context)
{
    const uint64_t limit = context->options.memory_limit_bytes;
    return limit && limit < context->machine_bytes ? limit : context->machine_bytes;
}

static bool account(em_context *context, uint64_t n_bytes)
{
    const uint64_t current = __atomic_add_fetch(&context->current_bytes, n_bytes, __ATOMIC_RELAXED);
    if (current > memory_limit(context)) {
        __atomic_sub_fetch(&context->current_bytes, n_bytes, __ATOMIC_RELAXED);
        return false;
    }
    uint64_t peak = __atomic_load_n(&context->peak_bytes, __ATOMIC_RELAXED);
    while (current > peak &&
           !__atomic_compare_exchange_n(&context->peak_bytes, &peak, current, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    return true;
}

static uint64_t rounded(uint64_t n_bytes, uint64_t unit)
{
    return (n_bytes + unit - 1) & ~(unit - 1);
}

/* Maps one huge page more than asked, then gives the unaligned ends back. Not MAP_NORESERVE: what the machine can
 * never hold is to be refused here, not to end in a killed process once it is touched. */
static void *map_huge(uint64_t n_bytes)
{
    const uint64_t length = rounded(n_bytes, HUGE_PAGE_BYTES);
    if (length < n_bytes || length > SIZE_MAX - HUGE_PAGE_BYTES)
        return NULL;
    char *base = mmap(NULL, length + HUGE_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED)
        return NULL;
    char *start = (char *)rounded((uintptr_t)base, HUGE_PAGE_BYTES);
    if (start > base)
        munmap(base, (size_t)(start - base));
    if (start + length < base + length + HUGE_PAGE_BYTES)
        munmap(start + length, (size_t)(base + HUGE_PAGE_BYTES - start));
#ifdef MADV_HUGEPAGE
    madvise(start, length, MADV_HUGEPAGE);
#endif
    return start;
}

/* Counts the allocation, lets it fail where a test wants that, and accounts n_bytes more. */
static em_status admit(em_context *context, uint64_t n_bytes, em_error *error)
{
    const uint64_t number = __atomic_add_fetch(&context->n_allocations, 1, __ATOMIC_RELAXED);
    const uint64_t fail_from = context->options.knobs.fail_allocation;
    if (fail_from && number >= fail_from)
        return em_fail(error, EM_NO_MEMORY, "out of memory: %llu bytes (allocation %llu made to fail)",
                       (unsigned long long)n_bytes, (unsigned long long)number);
    if (n_bytes > SIZE_MAX / 2 || !account(context, n_bytes))
        return em_fail(error, EM_NO_MEMORY,
                       "out of memory: %llu bytes more than the %llu in use would pass the %s of %llu bytes",
                       (unsigned long long)n_bytes, (unsigned long long)em_context_memory(context).current_bytes,
                       memory_limit(context) == context->machine_bytes ? "machine's memory" : "limit",
                       (unsigned long long)memory_limit(context));
    return EM_OK;
}

static em_status refused(em_context *context, uint64_t n_bytes, em_error *error)
{
    __atomic_sub_fetch(&context->current_bytes, n_bytes, __ATOMIC_RELAXED);
    return em_fail(error, EM_NO_MEMORY, "out of memory: the system refused %llu bytes", (unsigned long long)n_bytes);
}

em_status em_allocate(em_context *context, uint64_t n_bytes, void **memory, em_error *error)
{
    *memory = NULL;
    const em_status status = admit(context, n_bytes, error);
    if (status != EM_OK)
        return status;
    *memory = n_bytes >= HUGE_PAGE_BYTES ? map_huge(n_bytes)
                                         : aligned_alloc(ALIGNMENT, rounded(n_bytes + !n_bytes, ALIGNMENT));
    return *memory ? EM_OK : refused(context, n_bytes, error);
}

em_status em_allocate_zeroed(em_context *context, uint64_t n_bytes, void **memory, em_error *error)
{
    const em_status status = em_allocate(context, n_bytes, memory, error);
    if (status == EM_OK && n_bytes < HUGE_PAGE_BYTES) /* fresh mappings are zero */
        memset(*memory, 0, n_bytes);
    return status;
}

em_status em_allocate_array(em_context *context, uint64_t n, uint64_t size, void **memory, em_error *error)
{
    uint64_t n_bytes;
    *memory = NULL;
    if (__builtin_mul_overflow(n, size, &n_bytes))
        return em_fail(error, EM_NO_MEMORY, "out of memory: %llu elements of %llu bytes", (unsigned long long)n,
                       (unsigned long long)size);
    return em_allocate(context, n_bytes, memory, error);
}

void em_free(em_context *context, void *memory, uint64_t n_bytes)
{
    if (!memory)
        return;
    __atomic_sub_fetch(&context->current_bytes, n_bytes, __ATOMIC_RELAXED);
    if (n_bytes >= HUGE_PAGE_BYTES)
        munmap(memory, rounded(n_bytes, HUGE_PAGE_BYTES));
    else
        free(memory);
}

/* Moves pages to `into`, over mapped memory that nothing was written to. Where the system refuses, it may have taken
 * away what lay there: that is put back. */
static bool move_pages(void *from, uint64_t length, void *into)
{
    if (mremap(from, length, length, MREMAP_MAYMOVE | MREMAP_FIXED, into) == into)
        return true;
    (void)mmap(into, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    return false;
}

/* Both old and new size in huge pages: the old ones become the front of the new block. */
static em_status grow_huge(em_context *context, void **memory, uint64_t old_bytes, uint64_t n_bytes, em_error *error)
{
    const em_status status = admit(context, n_bytes - old_bytes, error);
    if (status != EM_OK)
        return status;
    void *const fresh = map_huge(n_bytes);
    if (!fresh)
        return refused(context, n_bytes - old_bytes, error);
    const uint64_t old_length = rounded(old_bytes, HUGE_PAGE_BYTES);
    if (!move_pages(*memory, old_length, fresh)) {
        memcpy(fresh, *memory, old_bytes);
        munmap(*memory, old_length);
    }
    *memory = fresh;
    return EM_OK;
}

/* The same the other way: the pages behind the new end go. */
static void shrink_huge(em_context *context, void *memory, uint64_t old_bytes, uint64_t n_bytes)
{
    const uint64_t old_length = rounded(old_bytes, HUGE_PAGE_BYTES), length = rounded(n_bytes, HUGE_PAGE_BYTES);
    if (length < old_length)
        munmap((char *)memory + length, old_length - length);
    __atomic_sub_fetch(&context->current_bytes, old_bytes - n_bytes, __ATOMIC_RELAXED);
}

em_status em_resize(em_context *context, void **memory, uint64_t old_bytes, uint64_t n_bytes, em_error *error)
{
    if (*memory && n_bytes >= HUGE_PAGE_BYTES && n_bytes <= old_bytes) {
        shrink_huge(context, *memory, old_bytes, n_bytes);
        return EM_OK;
    }
    if (*memory && old_bytes >= HUGE_PAGE_BYTES && n_bytes >= old_bytes)
        return grow_huge(context, memory, old_bytes, n_bytes, error);
    void *fresh;
    const em_status status = em_allocate(context, n_bytes, &fresh, error);
    if (status != EM_OK)
        return status;
    if (*memory)
        memcpy(fresh, *memory, old_bytes < n_bytes ? old_bytes : n_bytes);
    em_free(context, *memory, old_bytes);
    *memory = fresh;
    return EM_OK;
}

void em_donate(em_context *context, void *memory, void *into)
{
#ifndef EM_MEMORY_STAYS
    if (move_pages(memory, HUGE_PAGE_BYTES, into)) {
        __atomic_sub_fetch(&context->current_bytes, HUGE_PAGE_BYTES, __ATOMIC_RELAXED);
        return;
    }
#else
    (void)into;
#endif
    em_free(context, memory, HUGE_PAGE_BYTES);
}
