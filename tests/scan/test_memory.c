/* test_memory - the allocator where many threads use it at once, and where the system has nothing more to give.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support.h"

#include "scan/base/context.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { THREADS = 8, BLOCKS = 6, MIB = 1 << 20 };

static em_context *make_context(void)
{
    em_context *context;
    assert_int_equal(em_context_create(NULL, &context, NULL), EM_OK);
    return context;
}

/* --- threads -------------------------------------------------------------------------------------------------- */

typedef struct seat {
    em_context *context;
    uint64_t number, n_wrong;
} seat;

typedef struct block {
    void *at;
    uint64_t n_bytes, what;
} block;

static void mark(const block *own)
{
    for (uint64_t i = 0; i + 8 <= own->n_bytes; i += MIB / 4) {
        const uint64_t word = own->what + i;
        memcpy((char *)own->at + i, &word, sizeof word);
    }
}

static uint64_t count_wrong(const block *own, uint64_t n_bytes)
{
    uint64_t n_wrong = 0;
    for (uint64_t i = 0; i + 8 <= n_bytes; i += MIB / 4) {
        const uint64_t word = own->what + i;
        n_wrong += memcmp((char *)own->at + i, &word, sizeof word) != 0;
    }
    return n_wrong;
}

/* Takes, resizes and frees blocks of up to 16 MiB, half of them small. */
static void *use_memory(void *state)
{
    seat *const own = state;
    block blocks[BLOCKS] = {0};
    uint64_t random = own->number;
    for (uint64_t step = 1; step <= 400; step++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        block *const it = &blocks[(random >> 33) % BLOCKS];
        const uint64_t n_bytes = 8 + (random >> 40) % ((random >> 20 & 1) ? 16 * MIB : MIB), old_bytes = it->n_bytes;
        own->n_wrong += it->at ? count_wrong(it, old_bytes) : 0;
        if (it->at && random >> 62 == 0) {
            own->n_wrong += em_resize(own->context, &it->at, old_bytes, n_bytes, NULL) != EM_OK;
            own->n_wrong += count_wrong(it, old_bytes < n_bytes ? old_bytes : n_bytes);
            it->n_bytes = n_bytes;
        } else {
            em_free(own->context, it->at, old_bytes);
            own->n_wrong += em_allocate(own->context, n_bytes, &it->at, NULL) != EM_OK;
            it->n_bytes = n_bytes;
        }
        it->what = own->number << 48 | step << 32;
        mark(it);
    }
    for (int i = 0; i < BLOCKS; i++) {
        own->n_wrong += blocks[i].at ? count_wrong(&blocks[i], blocks[i].n_bytes) : 0;
        em_free(own->context, blocks[i].at, blocks[i].n_bytes);
    }
    return NULL;
}

static void blocks_of_many_threads_never_meet(void **state)
{
    (void)state;
    em_context *const context = make_context();
    pthread_t threads[THREADS];
    seat seats[THREADS];
    for (uint64_t i = 0; i < THREADS; i++) {
        seats[i] = (seat){context, i + 1, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, use_memory, &seats[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(seats[i].n_wrong, 0);
    }
    assert_int_equal(em_context_memory(context).current_bytes, 0);
    em_context_free(context);
}

/* --- where the system refuses ----------------------------------------------------------------------------------- */

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* they need address space of their own */
static void *allocate(em_context *context, uint64_t n_bytes)
{
    void *memory;
    em_error error = {0};
    if (em_allocate(context, n_bytes, &memory, &error) != EM_OK)
        fail_msg("%s", error.message);
    return memory;
}

static uint64_t address_space_bytes(void)
{
    unsigned long n_pages = 0;
    FILE *const facts = fopen("/proc/self/statm", "re");
    assert_non_null(facts);
    assert_int_equal(fscanf(facts, "%lu", &n_pages), 1);
    fclose(facts);
    return n_pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static struct rlimit limit_address_space(uint64_t more_bytes)
{
    struct rlimit before, limit;
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    limit = before;
    limit.rlim_cur = address_space_bytes() + more_bytes;
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
    return before;
}

/* 64 MiB that are free, in two pieces. */
static void leave_free_pages(em_context *context)
{
    void *const a = allocate(context, 32 * MIB), *const between = allocate(context, 2 * MIB),
                *const b = allocate(context, 32 * MIB);
    em_free(context, a, 32 * MIB);
    em_free(context, b, 32 * MIB);
    em_free(context, between, 2 * MIB);
}

static void free_pages_make_room_for_a_large_block(void **state)
{
    (void)state;
    em_context *const context = make_context();
    leave_free_pages(context);
    const struct rlimit before = limit_address_space(16 * MIB);
    void *memory = NULL;
    const em_status status = em_allocate(context, 76 * MIB, &memory, NULL);
    void *grown = memory;
    const em_status too_much = em_resize(context, &grown, 76 * MIB, 150 * MIB, NULL);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_int_equal(status, EM_OK);
    assert_int_equal(too_much, EM_NO_MEMORY);
    assert_ptr_equal(grown, memory);
    assert_int_equal(em_context_memory(context).current_bytes, 76 * MIB);
    memset(memory, 1, 76 * MIB);
    em_free(context, memory, 76 * MIB);
    em_context_free(context);
}

static void small_blocks_and_free_pages_are_no_more_than_was_in_use(void **state)
{
    (void)state;
    enum { N = 40 };
    em_context *const context = make_context();
    const uint64_t before_bytes = address_space_bytes();
    leave_free_pages(context);
    em_context_reset_peak(context);
    void *blocks[N];
    for (int i = 0; i < N; i++)
        blocks[i] = allocate(context, 3 * MIB / 2);
    const uint64_t held_bytes = address_space_bytes() - before_bytes;
    if (held_bytes > 66 * MIB + 2 * EM_HUGE_PAGE_BYTES)
        fail_msg("%llu bytes are held", (unsigned long long)held_bytes);
    for (int i = 0; i < N; i++)
        em_free(context, blocks[i], 3 * MIB / 2);
    assert_int_equal(em_context_memory(context).current_bytes, 0);
    em_context_free(context);
}

static void free_pages_make_room_for_small_blocks(void **state)
{
    (void)state;
    enum { N = 24 };
    em_context *const context = make_context();
    leave_free_pages(context);
    const struct rlimit before = limit_address_space(4 * MIB);
    void *blocks[N] = {0};
    int n_made = 0;
    while (n_made < N && em_allocate(context, 3 * MIB / 2, &blocks[n_made], NULL) == EM_OK)
        n_made++;
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_int_equal(n_made, N);
    for (int i = 0; i < N; i++)
        em_free(context, blocks[i], 3 * MIB / 2);
    em_context_free(context);
}

/* Every other page of a stretch gets other rights until the system grants no further mapping. */
static void what_cannot_be_moved_is_copied_where_mappings_run_out(void **state)
{
    (void)state;
    enum { SMALL = 4096, MOST = 200000 };
    em_context *const context = make_context();
    void *kept = allocate(context, 8 * MIB), *const into = allocate(context, 8 * MIB),
         *const page = allocate(context, EM_HUGE_PAGE_BYTES);
    memset(kept, 7, 8 * MIB);
    leave_free_pages(context);
    char *const stretch = mmap(NULL, (size_t)MOST * SMALL, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(stretch != MAP_FAILED);
    int i = 1;
    while (i < MOST && mprotect(stretch + (size_t)i * SMALL, SMALL, PROT_READ) == 0)
        i += 2;
    em_donate(context, page, (char *)into + EM_HUGE_PAGE_BYTES);
    memset(into, 1, 8 * MIB);
    void *more = NULL;
    const em_status taken = em_allocate(context, 80 * MIB, &more, NULL);
    if (taken == EM_OK)
        memset(more, 1, 80 * MIB);
    const em_status grown = em_resize(context, &kept, 8 * MIB, 16 * MIB, NULL);
    for (uint64_t k = 0; k < 8 * MIB; k += SMALL)
        if (((char *)kept)[k] != 7)
            fail_msg("byte %llu is lost", (unsigned long long)k);
    munmap(stretch, (size_t)MOST * SMALL);
    em_free(context, into, 8 * MIB);
    em_free(context, more, 80 * MIB);
    em_free(context, kept, (grown == EM_OK ? 16 : 8) * MIB);
    assert_int_equal(em_context_memory(context).current_bytes, 0);
    em_context_free(context);
    if (i >= MOST)
        skip();
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_of_many_threads_never_meet),
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
        cmocka_unit_test(free_pages_make_room_for_a_large_block),
        cmocka_unit_test(small_blocks_and_free_pages_are_no_more_than_was_in_use),
        cmocka_unit_test(free_pages_make_room_for_small_blocks),
        cmocka_unit_test(what_cannot_be_moved_is_copied_where_mappings_run_out),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
