/* pages - blocks of huge pages, kept for the next block once they are free; not installed.
 *
 * Memory that the system hands out must be cleared and, in a virtual machine, got back from the host first: writing to
 * a fresh page costs several times what writing to memory does. A free block's pages therefore serve the next ones, as
 * they lie where they are enough, or moved to the front of a larger block by their page tables. Fresh pages are taken
 * only when no free ones are left, so that what is held never exceeds the most that was in use at once.
 *
 * Fresh pages are huge, unless these turn out to be slow: a virtual machine that gives free memory back to its host
 * does so by huge pages, and may wait for one 20 times as long as for small pages of the same size, which it kept.
 *
 * Lengths are multiples of EM_HUGE_PAGE_BYTES. Any thread may call these.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_SCAN_BASE_PAGES_H
#define EM_SCAN_BASE_PAGES_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum { EM_SPARE_BLOCKS = 64 };

typedef struct em_pages {
    uint64_t small_bytes; /* so much more is to be had in small pages before huge ones are tried again; atomic */
    uint64_t retry_bytes; /* and so much the next time that these are slow; atomic */
    bool moves_mappings;  /* several at once: see pages.c */
    pthread_mutex_t lock;
    uint32_t n_spare;
    struct {
        char *at;
        uint64_t length;
    } spare[EM_SPARE_BLOCKS];
} em_pages;

void em_pages_open(em_pages *pages);
void em_pages_close(em_pages *pages);

/* A block, or NULL. *n_used: its first bytes, which may hold anything; the others are 0. */
void *em_pages_take(em_pages *pages, uint64_t length, uint64_t *n_used);
/* Takes a block back, or a part of one. */
void em_pages_give(em_pages *pages, void *at, uint64_t length);
/* A longer block with the bytes of this one in front; the old one is gone. NULL: it stays. */
void *em_pages_grow(em_pages *pages, void *at, uint64_t old_length, uint64_t length);
/* Gives what is free back to the system. */
void em_pages_trim(em_pages *pages);
/* The same, until no more than so much is free. */
void em_pages_limit(em_pages *pages, uint64_t n_bytes);

/* Moves a block, which lies in one mapping, over a part of another one, whose contents are lost. False: nothing
 * happened, but that these may be lost as well. */
bool em_pages_move(void *from, uint64_t length, void *into);

#endif
