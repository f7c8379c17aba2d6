/* memory - the memory of a context: see context.h.
 *
 * Large blocks are made of huge pages (pages.c), small ones are malloc's. Accounting is one atomic add per call; blocks
 * are large, so calls are few.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/base/context_parts.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 };

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

static uint64_t memory_limit(const em_context *context)
{
    const uint64_t limit = context->options.memory_limit_bytes;
    return limit && limit < context->machine_bytes ? limit : context->machine_bytes;
}

static void raise(uint64_t *most, uint64_t value)
{
    uint64_t before = __atomic_load_n(most, __ATOMIC_RELAXED);
    while (value > before &&
           !__atomic_compare_exchange_n(most, &before, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

static bool account(em_context *context, uint64_t n_bytes)
{
    const uint64_t current = __atomic_add_fetch(&context->current_bytes, n_bytes, __ATOMIC_RELAXED);
    if (current > memory_limit(context)) {
        __atomic_sub_fetch(&context->current_bytes, n_bytes, __ATOMIC_RELAXED);
        return false;
    }
    raise(&context->peak_bytes, current);
    raise(&context->most_bytes, current);
    return true;
}

static uint64_t rounded(uint64_t n_bytes, uint64_t unit)
{
    return (n_bytes + unit - 1) & ~(unit - 1);
}

static uint64_t whole_pages(uint64_t n_bytes)
{
    return rounded(n_bytes, EM_HUGE_PAGE_BYTES);
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

/* Free huge pages give way, lest more be held than was ever in use; and where address space is short. */
static void *allocate_small(em_context *context, uint64_t n_bytes)
{
    const uint64_t most = __atomic_load_n(&context->most_bytes, __ATOMIC_RELAXED),
                   current = __atomic_load_n(&context->current_bytes, __ATOMIC_RELAXED);
    em_pages_limit(&context->pages, most > current ? most - current : 0);
    const uint64_t whole = rounded(n_bytes + !n_bytes, ALIGNMENT);
    void *const at = aligned_alloc(ALIGNMENT, whole);
    if (at)
        return at;
    em_pages_trim(&context->pages);
    return aligned_alloc(ALIGNMENT, whole);
}

/* *n_used: bytes at the front that may hold anything; the others are 0. */
static em_status allocate(em_context *context, uint64_t n_bytes, void **memory, uint64_t *n_used, em_error *error)
{
    *memory = NULL;
    *n_used = n_bytes;
    const em_status status = admit(context, n_bytes, error);
    if (status != EM_OK)
        return status;
    *memory = n_bytes >= EM_HUGE_PAGE_BYTES ? em_pages_take(&context->pages, whole_pages(n_bytes), n_used)
                                            : allocate_small(context, n_bytes);
    return *memory ? EM_OK : refused(context, n_bytes, error);
}

em_status em_allocate(em_context *context, uint64_t n_bytes, void **memory, em_error *error)
{
    uint64_t n_used;
    return allocate(context, n_bytes, memory, &n_used, error);
}

em_status em_allocate_zeroed(em_context *context, uint64_t n_bytes, void **memory, em_error *error)
{
    uint64_t n_used;
    const em_status status = allocate(context, n_bytes, memory, &n_used, error);
    if (*memory)
        memset(*memory, 0, n_used < n_bytes ? n_used : n_bytes);
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
    if (n_bytes >= EM_HUGE_PAGE_BYTES)
        em_pages_give(&context->pages, memory, whole_pages(n_bytes));
    else
        free(memory);
}

/* Both old and new size in huge pages: the old ones become the front of the new block. */
static em_status grow_huge(em_context *context, void **memory, uint64_t old_bytes, uint64_t n_bytes, em_error *error)
{
    const em_status status = admit(context, n_bytes - old_bytes, error);
    if (status != EM_OK)
        return status;
    void *const grown = em_pages_grow(&context->pages, *memory, whole_pages(old_bytes), whole_pages(n_bytes));
    if (!grown)
        return refused(context, n_bytes - old_bytes, error);
    *memory = grown;
    return EM_OK;
}

/* The same the other way: the pages behind the new end go. */
static void shrink_huge(em_context *context, void *memory, uint64_t old_bytes, uint64_t n_bytes)
{
    const uint64_t old_length = whole_pages(old_bytes), length = whole_pages(n_bytes);
    if (length < old_length)
        em_pages_give(&context->pages, (char *)memory + length, old_length - length);
    __atomic_sub_fetch(&context->current_bytes, old_bytes - n_bytes, __ATOMIC_RELAXED);
}

em_status em_resize(em_context *context, void **memory, uint64_t old_bytes, uint64_t n_bytes, em_error *error)
{
    if (*memory && n_bytes >= EM_HUGE_PAGE_BYTES && n_bytes <= old_bytes) {
        shrink_huge(context, *memory, old_bytes, n_bytes);
        return EM_OK;
    }
    if (*memory && old_bytes >= EM_HUGE_PAGE_BYTES && n_bytes >= old_bytes)
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
    if (em_pages_move(memory, EM_HUGE_PAGE_BYTES, into))
        __atomic_sub_fetch(&context->current_bytes, EM_HUGE_PAGE_BYTES, __ATOMIC_RELAXED);
    else
        em_free(context, memory, EM_HUGE_PAGE_BYTES);
}

void em_context_trim(em_context *context)
{
    em_pages_trim(&context->pages);
}
