/* pages - see pages.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/base/pages.h"

#include "scan/base/clock.h"
#include "scan/base/context.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>

#if defined(__SANITIZE_THREAD__)
#define EM_MEMORY_STAYS /* the thread sanitizer does not follow memory that moves */
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define EM_MEMORY_STAYS
#endif
#endif

enum {
    SLOW_NS = 1000000,       /* for a huge page: some 50 us clear it */
    PROBE_BYTES = 128 << 10, /* of small pages */
    RETRY_BYTES = 512 << 20, /* of small pages, until huge ones are tried again: doubled each time */
    RETRY_MOST = 1 << 30,    /* up to this */
    PORTION_BYTES = 8 << 20, /* of a mapping, of which one page is tried */
    PORTIONS_MOST = 64
};

/* Linux moves what lies in several mappings at once from 6.17 on. Older ones refuse that, after they took away what lay
 * at the target, where another thread's memory may come to lie before anything is put back. */
static bool moves_mappings(void)
{
    struct utsname names;
    char *end;
    if (uname(&names) != 0 || strcmp(names.sysname, "Linux") != 0)
        return false;
    const long major = strtol(names.release, &end, 10);
    return major > 6 || (major == 6 && *end == '.' && strtol(end + 1, NULL, 10) >= 17);
}

void em_pages_open(em_pages *pages)
{
    pages->moves_mappings = moves_mappings();
    pages->n_spare = 0;
    pages->small_bytes = 0;
    pages->retry_bytes = RETRY_BYTES;
    pthread_mutex_init(&pages->lock, NULL);
}

void em_pages_trim(em_pages *pages)
{
    pthread_mutex_lock(&pages->lock);
    for (; pages->n_spare; pages->n_spare--)
        munmap(pages->spare[pages->n_spare - 1].at, pages->spare[pages->n_spare - 1].length);
    pthread_mutex_unlock(&pages->lock);
}

void em_pages_limit(em_pages *pages, uint64_t n_bytes)
{
    uint64_t sum = 0;
    pthread_mutex_lock(&pages->lock);
    for (uint32_t i = 0; i < pages->n_spare; i++)
        sum += pages->spare[i].length;
    while (sum > n_bytes) {
        const uint32_t last = pages->n_spare - 1;
        const uint64_t over = (sum - n_bytes + EM_HUGE_PAGE_BYTES - 1) & ~(uint64_t)(EM_HUGE_PAGE_BYTES - 1),
                       length = pages->spare[last].length, n = over < length ? over : length;
        munmap(pages->spare[last].at + (length - n), n);
        pages->spare[last].length -= n;
        pages->n_spare -= n == length;
        sum -= n;
    }
    pthread_mutex_unlock(&pages->lock);
}

void em_pages_close(em_pages *pages)
{
    em_pages_trim(pages);
    pthread_mutex_destroy(&pages->lock);
}

/* --- fresh memory ---------------------------------------------------------------------------------------------- */

/* Maps one huge page more than asked, then gives the unaligned ends back. Not MAP_NORESERVE: what the machine can
 * never hold is to be refused here, not to end in a killed process once it is touched. */
static char *try_map(uint64_t length)
{
    if (length > SIZE_MAX - EM_HUGE_PAGE_BYTES)
        return NULL;
    char *const base =
        mmap(NULL, length + EM_HUGE_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED)
        return NULL;
    const uint64_t before = -(uintptr_t)base % EM_HUGE_PAGE_BYTES;
    if (before)
        munmap(base, before);
    munmap(base + before + length, EM_HUGE_PAGE_BYTES - before);
    return base + before;
}

/* Where address space is short, what is free makes room. */
static char *map(em_pages *pages, uint64_t length)
{
    char *const at = try_map(length);
    if (at || length > SIZE_MAX - EM_HUGE_PAGE_BYTES)
        return at;
    em_pages_trim(pages);
    return try_map(length);
}

#ifdef MADV_HUGEPAGE
static uint64_t touch(char *at, uint64_t n_bytes, uint64_t step)
{
    const uint64_t begin = em_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    for (uint64_t i = 0; i < n_bytes; i += step)
        *(volatile char *)(at + i) = 0;
    return em_clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
}

/* As long as it takes for small pages of a huge page's size. */
static uint64_t small_pages_ns(void)
{
    enum { SMALL_PAGE = 4096 };
    char *const at = mmap(NULL, PROBE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return UINT64_MAX;
    madvise(at, PROBE_BYTES, MADV_NOHUGEPAGE);
    const uint64_t took = touch(at, PROBE_BYTES, SMALL_PAGE) * (EM_HUGE_PAGE_BYTES / PROBE_BYTES);
    munmap(at, PROBE_BYTES);
    return took;
}

static bool wants_small(em_pages *pages, uint64_t length)
{
    uint64_t left = __atomic_load_n(&pages->small_bytes, __ATOMIC_RELAXED);
    while (left && !__atomic_compare_exchange_n(&pages->small_bytes, &left, left > length ? left - length : 0, true,
                                                __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    return left != 0;
}

/* Chooses the pages of a portion that nothing was written to, by how long its first huge page takes. */
static void choose_portion(em_pages *pages, char *at, uint64_t length)
{
    if (wants_small(pages, length)) {
        madvise(at, length, MADV_NOHUGEPAGE);
        return;
    }
    madvise(at, length, MADV_HUGEPAGE);
    const uint64_t took = touch(at, 1, 1);
    if (took < SLOW_NS || took / 2 < small_pages_ns()) {
        __atomic_store_n(&pages->retry_bytes, RETRY_BYTES, __ATOMIC_RELAXED);
        return;
    }
    const uint64_t retry = __atomic_load_n(&pages->retry_bytes, __ATOMIC_RELAXED);
    __atomic_store_n(&pages->small_bytes, retry, __ATOMIC_RELAXED);
    __atomic_store_n(&pages->retry_bytes, retry < RETRY_MOST ? 2 * retry : retry, __ATOMIC_RELAXED);
    if (length > EM_HUGE_PAGE_BYTES)
        madvise(at + EM_HUGE_PAGE_BYTES, length - EM_HUGE_PAGE_BYTES, MADV_NOHUGEPAGE);
}

/* A large mapping may get pages that are quick first, and slow ones then: it is looked at in portions. */
static void choose_pages(em_pages *pages, char *at, uint64_t length)
{
    const uint64_t share = length / PORTIONS_MOST & ~(uint64_t)(EM_HUGE_PAGE_BYTES - 1),
                   portion = share > PORTION_BYTES ? share : PORTION_BYTES;
    for (uint64_t begin = 0; begin < length; begin += portion)
        choose_portion(pages, at + begin, length - begin < portion ? length - begin : portion);
}
#else
static void choose_pages(em_pages *pages, char *at, uint64_t length)
{
    (void)pages, (void)at, (void)length;
}
#endif

/* --- blocks ---------------------------------------------------------------------------------------------------- */

/* Where the system refuses, it may have taken away what lay at `into`: that is put back. */
bool em_pages_move(void *from, uint64_t length, void *into)
{
#ifndef EM_MEMORY_STAYS
    if (mremap(from, length, length, MREMAP_MAYMOVE | MREMAP_FIXED, into) == into)
        return true;
    (void)mmap(into, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
#else
    (void)from, (void)length, (void)into;
#endif
    return false;
}

/* Moves a block that may consist of several mappings; how far that went. A huge page always lies in one. */
static uint64_t move_all(const em_pages *pages, char *from, uint64_t length, char *into)
{
    const uint64_t step = pages->moves_mappings ? length : EM_HUGE_PAGE_BYTES;
    uint64_t n_moved = 0;
    while (n_moved < length && em_pages_move(from + n_moved, step, into + n_moved))
        n_moved += step;
    return n_moved;
}

static void drop_spare(em_pages *pages, uint32_t i)
{
    pages->spare[i] = pages->spare[--pages->n_spare];
}

/* The smallest spare block of at least that length, or if there is none the largest one. */
static uint32_t best_spare(const em_pages *pages, uint64_t length)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < pages->n_spare; i++) {
        const uint64_t a = pages->spare[i].length, b = pages->spare[best].length;
        if (b < length ? a > b : a >= length && a < b)
            best = i;
    }
    return best;
}

/* The front of a spare block becomes somebody's. */
static char *cut_spare(em_pages *pages, uint32_t i, uint64_t length)
{
    char *const at = pages->spare[i].at;
    pages->spare[i].at += length;
    pages->spare[i].length -= length;
    if (pages->spare[i].length == 0)
        drop_spare(pages, i);
    return at;
}

/* Moves spare pages to a block that nothing was written to, until there are none; how far that went. */
static uint64_t fill(em_pages *pages, char *at, uint64_t length)
{
    uint64_t n_filled = 0;
    pthread_mutex_lock(&pages->lock);
    while (n_filled < length && pages->n_spare) {
        const uint32_t i = best_spare(pages, length - n_filled);
        const uint64_t left = length - n_filled, n = pages->spare[i].length < left ? pages->spare[i].length : left;
        const uint64_t n_moved = move_all(pages, pages->spare[i].at, n, at + n_filled);
        (void)cut_spare(pages, i, n_moved);
        n_filled += n_moved;
        if (n_moved < n)
            break;
    }
    pthread_mutex_unlock(&pages->lock);
    return n_filled;
}

void *em_pages_take(em_pages *pages, uint64_t length, uint64_t *n_used)
{
    char *at = NULL;
    pthread_mutex_lock(&pages->lock);
    if (pages->n_spare) {
        const uint32_t best = best_spare(pages, length);
        if (pages->spare[best].length >= length)
            at = cut_spare(pages, best, length);
    }
    pthread_mutex_unlock(&pages->lock);
    *n_used = length;
    if (!at && (at = map(pages, length))) {
        *n_used = fill(pages, at, length);
        if (*n_used < length)
            choose_pages(pages, at + *n_used, length - *n_used);
    }
    return at;
}

void em_pages_give(em_pages *pages, void *block, uint64_t length)
{
#ifndef EM_MEMORY_STAYS
    char *at = block;
    pthread_mutex_lock(&pages->lock);
    for (uint32_t i = 0; i < pages->n_spare;) { /* neighbours become one */
        const bool before = pages->spare[i].at + pages->spare[i].length == at,
                   behind = at + length == pages->spare[i].at;
        if (!before && !behind) {
            i++;
            continue;
        }
        at = before ? pages->spare[i].at : at;
        length += pages->spare[i].length;
        drop_spare(pages, i);
    }
    if (pages->n_spare == EM_SPARE_BLOCKS) {
        munmap(at, length);
    } else {
        pages->spare[pages->n_spare].at = at;
        pages->spare[pages->n_spare++].length = length;
    }
    pthread_mutex_unlock(&pages->lock);
#else
    (void)pages;
    munmap(block, length);
#endif
}

void *em_pages_grow(em_pages *pages, void *block, uint64_t old_length, uint64_t length)
{
    char *const old = block, *const grown = map(pages, length);
    if (!grown)
        return NULL;
    const uint64_t n_moved = move_all(pages, old, old_length, grown);
    if (n_moved < old_length) {
        memcpy(grown + n_moved, old + n_moved, old_length - n_moved);
        munmap(old + n_moved, old_length - n_moved);
    }
    const uint64_t filled = old_length + fill(pages, grown + old_length, length - old_length);
    if (filled < length)
        choose_pages(pages, grown + filled, length - filled);
    return grown;
}
