/* page_pool - pages of a store that is read up become pages of the result; not installed.
 *
 * A page that the kernel hands out is cleared first, which takes longer than all that is done to the arcs on it. A page
 * that moves keeps what it holds and costs a change of the page table.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_STAGES_PAGE_POOL_H
#define EM_STAGES_PAGE_POOL_H

#include "scan/base/buffer.h"

#include <pthread.h>

/* The pages of one result. {0} takes none. */
typedef struct em_page_slots {
    char *base;
    uint64_t n_slots;
    uint8_t *settled; /* n_slots: nothing may be moved there any more */
} em_page_slots;

typedef struct em_page_pool {
    em_context *context;
    pthread_mutex_t lock;
    void *first; /* of the pages at hand; each begins with the address of the next */
} em_page_pool;

void em_page_pool_open(em_page_pool *pool, em_context *context);
void em_page_pool_close(em_page_pool *pool); /* frees what is left; {0} is fine */
/* Takes over a block of EM_HUGE_PAGE_BYTES from em_allocate. */
void em_page_pool_put(em_page_pool *pool, void *page);

/* The pages of a fresh buffer; a small one has none. */
em_status em_page_slots_open(em_context *context, const em_buffer *buffer, em_page_slots *slots, em_error *error);
void em_page_slots_close(em_context *context, em_page_slots *slots);
/* Before bytes [begin, end) of the buffer are written: pages at hand move to where none is yet. Any thread. */
void em_page_pool_settle(em_page_pool *pool, em_page_slots *slots, uint64_t begin, uint64_t end);

#endif
