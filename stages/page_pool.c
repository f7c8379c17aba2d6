/* page_pool - see page_pool.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/page_pool.h"

/* Every page that moves is a mapping of its own, and a process may have some 65,000. */
enum { SLOTS_MOST = 1 << 13 };

void em_page_pool_open(em_page_pool *pool, em_context *context)
{
    *pool = (em_page_pool){.context = context, .lock = PTHREAD_MUTEX_INITIALIZER};
}

void em_page_pool_close(em_page_pool *pool)
{
    if (!pool->context)
        return;
    while (pool->first) {
        void *const page = pool->first;
        pool->first = *(void **)page;
        em_free(pool->context, page, EM_HUGE_PAGE_BYTES);
    }
    pthread_mutex_destroy(&pool->lock);
    *pool = (em_page_pool){0};
}

void em_page_pool_put(em_page_pool *pool, void *page)
{
    pthread_mutex_lock(&pool->lock);
    *(void **)page = pool->first;
    pool->first = page;
    pthread_mutex_unlock(&pool->lock);
}

em_status em_page_slots_open(em_context *context, const em_buffer *buffer, em_page_slots *slots, em_error *error)
{
    *slots = (em_page_slots){0};
    const uint64_t n_slots = buffer->n_bytes / EM_HUGE_PAGE_BYTES;
    if (n_slots == 0 || n_slots > SLOTS_MOST)
        return EM_OK;
    void *memory;
    const em_status status = em_allocate_zeroed(context, n_slots, &memory, error);
    if (status == EM_OK)
        *slots = (em_page_slots){.base = buffer->at, .n_slots = n_slots, .settled = memory};
    return status;
}

void em_page_slots_close(em_context *context, em_page_slots *slots)
{
    em_free(context, slots->settled, slots->n_slots);
    *slots = (em_page_slots){0};
}

void em_page_pool_settle(em_page_pool *pool, em_page_slots *slots, uint64_t begin, uint64_t end)
{
    if (begin == end)
        return;
    const uint64_t last = (end - 1) / EM_HUGE_PAGE_BYTES;
    pthread_mutex_lock(&pool->lock);
    for (uint64_t slot = begin / EM_HUGE_PAGE_BYTES; slot <= last && slot < slots->n_slots; slot++) {
        if (slots->settled[slot])
            continue;
        slots->settled[slot] = 1;
        if (!pool->first)
            continue;
        void *const page = pool->first;
        pool->first = *(void **)page;
        em_donate(pool->context, page, slots->base + slot * EM_HUGE_PAGE_BYTES);
    }
    pthread_mutex_unlock(&pool->lock);
}
