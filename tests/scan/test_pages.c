/* test_pages - free pages serve the next blocks, and what a block holds stays whole whatever moves.
 *
 * Before 6.17 Linux moved one mapping at a time, and took away what lay at the target before it refused more: mremap
 * here does the same where a test asks for it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support.h"

#include "scan/base/context.h"
#include "scan/base/pages.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static const uint64_t PAGE = EM_HUGE_PAGE_BYTES;

static bool is_old_system;
static uint64_t n_refused; /* moves, by the old system */

static bool lies_in_one_mapping(uint64_t at, uint64_t length)
{
    FILE *const maps = fopen("/proc/self/maps", "re");
    assert_non_null(maps);
    unsigned long begin, end;
    bool found = false;
    while (!found && fscanf(maps, "%lx-%lx%*[^\n]", &begin, &end) == 2)
        found = at >= begin && at + length <= end;
    fclose(maps);
    return found;
}

void *mremap(void *from, size_t old_length, size_t length, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    // NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized)
    void *const into = flags & MREMAP_FIXED ? va_arg(rest, void *) : NULL;
    va_end(rest);
    if (is_old_system && into && !lies_in_one_mapping((uintptr_t)from, old_length)) {
        n_refused++;
        munmap(into, length);
        errno = EFAULT;
        return MAP_FAILED;
    }
    return (void *)(uintptr_t)syscall(SYS_mremap, from, old_length, length, flags, into);
}

static em_pages *open_pages(void)
{
    static em_pages pages;
    em_pages_open(&pages);
    return &pages;
}

static uint64_t spare_bytes(const em_pages *pages)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < pages->n_spare; i++)
        sum += pages->spare[i].length;
    return sum;
}

/* Some words of each page: enough to see it was moved or mixed up. */
static void mark(char *at, uint64_t length, uint64_t what)
{
    for (uint64_t i = 0; i < length; i += PAGE / 4)
        memcpy(at + i, &(uint64_t){what + i}, sizeof what);
}

static void check_marks(const char *at, uint64_t length, uint64_t what)
{
    for (uint64_t i = 0; i < length; i += PAGE / 4) {
        uint64_t found;
        memcpy(&found, at + i, sizeof found);
        assert_int_equal(found, what + i);
    }
}

static void check_zero(const char *at, uint64_t begin, uint64_t end)
{
    for (uint64_t i = begin; i < end; i += PAGE / 4)
        assert_int_equal(at[i], 0);
}

static char *take(em_pages *pages, uint64_t n_pages, uint64_t *n_used)
{
    char *const at = em_pages_take(pages, n_pages * PAGE, n_used);
    assert_non_null(at);
    assert_int_equal((uintptr_t)at % PAGE, 0);
    check_zero(at, *n_used, n_pages * PAGE);
    return at;
}

/* Under the thread sanitizer nothing is kept. */
static void skip_where_memory_stays(em_pages *pages)
{
    uint64_t n_used;
    em_pages_give(pages, take(pages, 1, &n_used), PAGE);
    if (pages->n_spare == 0) {
        em_pages_close(pages);
        skip();
    }
    em_pages_trim(pages);
}

static void a_free_block_serves_the_next_one(void **state)
{
    (void)state;
    em_pages *const pages = open_pages();
    skip_where_memory_stays(pages);
    uint64_t n_used;
    char *const first = take(pages, 4, &n_used);
    assert_int_equal(n_used, 0);
    mark(first, 4 * PAGE, 1);
    em_pages_give(pages, first, 4 * PAGE);
    char *const same = take(pages, 4, &n_used);
    assert_ptr_equal(same, first);
    assert_int_equal(n_used, 4 * PAGE);
    assert_int_equal(spare_bytes(pages), 0);
    em_pages_give(pages, same, 4 * PAGE);
    char *const front = take(pages, 1, &n_used), *const rest = take(pages, 3, &n_used);
    assert_ptr_equal(front, first);
    assert_ptr_equal(rest, first + PAGE);
    em_pages_give(pages, rest, 3 * PAGE);
    em_pages_give(pages, front, PAGE);
    em_pages_close(pages);
}

static void a_larger_block_gets_all_free_pages_in_front(void **state)
{
    (void)state;
    em_pages *const pages = open_pages();
    skip_where_memory_stays(pages);
    uint64_t n_used;
    char *const a = take(pages, 2, &n_used), *const between = take(pages, 1, &n_used),
                *const b = take(pages, 3, &n_used);
    mark(a, 2 * PAGE, 100);
    mark(b, 3 * PAGE, 200);
    em_pages_give(pages, a, 2 * PAGE);
    em_pages_give(pages, b, 3 * PAGE);
    char *const large = take(pages, 9, &n_used);
    assert_int_equal(n_used, 5 * PAGE);
    check_marks(large, 3 * PAGE, 200);
    check_marks(large + 3 * PAGE, 2 * PAGE, 100);
    assert_int_equal(pages->n_spare, 0);
    em_pages_give(pages, large, 9 * PAGE);
    em_pages_give(pages, between, PAGE);
    em_pages_close(pages);
}

static void parts_given_back_one_by_one_become_one_block_again(void **state)
{
    (void)state;
    em_pages *const pages = open_pages();
    skip_where_memory_stays(pages);
    uint64_t n_used;
    char *const all = take(pages, 5, &n_used);
    static const uint32_t order[] = {3, 0, 4, 2, 1};
    for (int i = 0; i < 5; i++)
        em_pages_give(pages, all + order[i] * PAGE, PAGE);
    assert_int_equal(pages->n_spare, 1);
    assert_ptr_equal(take(pages, 5, &n_used), all);
    em_pages_give(pages, all, 5 * PAGE);
    em_pages_close(pages);
}

static void growing_keeps_the_front_and_takes_free_pages_behind(void **state)
{
    (void)state;
    em_pages *const pages = open_pages();
    skip_where_memory_stays(pages);
    uint64_t n_used;
    char *const block = take(pages, 2, &n_used), *const spare = take(pages, 2, &n_used);
    mark(block, 2 * PAGE, 10);
    em_pages_give(pages, spare, 2 * PAGE);
    char *const grown = em_pages_grow(pages, block, 2 * PAGE, 6 * PAGE);
    assert_non_null(grown);
    check_marks(grown, 2 * PAGE, 10);
    assert_int_equal(spare_bytes(pages), 0);
    em_pages_give(pages, grown, 6 * PAGE);
    em_pages_close(pages);
}

static void more_free_blocks_than_there_is_room_for_go_back(void **state)
{
    (void)state;
    em_pages *const pages = open_pages();
    skip_where_memory_stays(pages);
    uint64_t n_used;
    char *const all = take(pages, 2 * EM_SPARE_BLOCKS + 4, &n_used); /* never written to */
    for (uint64_t i = 0; i < EM_SPARE_BLOCKS + 2; i++)
        em_pages_give(pages, all + 2 * i * PAGE, PAGE);
    assert_int_equal(pages->n_spare, EM_SPARE_BLOCKS);
    for (uint64_t i = 0; i < EM_SPARE_BLOCKS + 2; i++)
        em_pages_give(pages, all + (2 * i + 1) * PAGE, PAGE);
    em_pages_close(pages);
}

static void check_blocks(em_pages *pages, uint64_t n_steps)
{
    enum { BLOCKS = 12, MOST = 6 };
    struct {
        char *at;
        uint64_t n_pages, what;
    } blocks[BLOCKS] = {0};
    uint64_t random = 7, in_use = 0, peak = 0, n_used;
    for (uint64_t step = 1; step <= n_steps; step++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        const uint32_t i = (uint32_t)(random >> 33) % BLOCKS;
        const uint64_t n = 1 + (random >> 50) % MOST;
        if (!blocks[i].at) {
            blocks[i].at = take(pages, n, &n_used);
            in_use += blocks[i].n_pages = n;
        } else if (random >> 60 < 5) {
            check_marks(blocks[i].at, blocks[i].n_pages * PAGE, blocks[i].what);
            const uint64_t old = blocks[i].n_pages, what = blocks[i].what;
            blocks[i].at = em_pages_grow(pages, blocks[i].at, old * PAGE, (old + n) * PAGE);
            check_marks(blocks[i].at, old * PAGE, what);
            blocks[i].n_pages += n;
            in_use += n;
        } else {
            check_marks(blocks[i].at, blocks[i].n_pages * PAGE, blocks[i].what);
            em_pages_give(pages, blocks[i].at, blocks[i].n_pages * PAGE);
            blocks[i].at = NULL;
            in_use -= blocks[i].n_pages;
        }
        if (blocks[i].at)
            mark(blocks[i].at, blocks[i].n_pages * PAGE, blocks[i].what = step << 32);
        peak = in_use > peak ? in_use : peak;
        if (in_use + spare_bytes(pages) / PAGE > peak)
            fail_msg("step %llu: more is held than was ever in use", (unsigned long long)step);
    }
    for (uint32_t i = 0; i < BLOCKS; i++)
        if (blocks[i].at)
            em_pages_give(pages, blocks[i].at, blocks[i].n_pages * PAGE);
    em_pages_close(pages);
}

static void blocks_stay_whole_whatever_is_taken_and_given(void **state)
{
    (void)state;
    em_pages *const pages = open_pages();
    skip_where_memory_stays(pages);
    check_blocks(pages, 3000);
}

static void blocks_stay_whole_where_the_system_moves_one_mapping_at_a_time(void **state)
{
    (void)state;
    em_pages *const pages = open_pages();
    skip_where_memory_stays(pages);
    pages->moves_mappings = false;
    is_old_system = true;
    n_refused = 0;
    check_blocks(pages, 1000);
    is_old_system = false;
    assert_int_equal(n_refused, 0);
}

static void zeroed_memory_is_zero_where_pages_were_used(void **state)
{
    (void)state;
    em_context *context;
    void *memory;
    assert_int_equal(em_context_create(NULL, &context, NULL), EM_OK);
    assert_int_equal(em_allocate(context, 3 * PAGE, &memory, NULL), EM_OK);
    mark(memory, 3 * PAGE, 1);
    em_free(context, memory, 3 * PAGE);
    assert_int_equal(em_allocate_zeroed(context, 5 * PAGE - 9, &memory, NULL), EM_OK);
    check_zero(memory, 0, 5 * PAGE - 9);
    em_free(context, memory, 5 * PAGE - 9);
    em_context_trim(context);
    em_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_free_block_serves_the_next_one),
        cmocka_unit_test(a_larger_block_gets_all_free_pages_in_front),
        cmocka_unit_test(parts_given_back_one_by_one_become_one_block_again),
        cmocka_unit_test(growing_keeps_the_front_and_takes_free_pages_behind),
        cmocka_unit_test(more_free_blocks_than_there_is_room_for_go_back),
        cmocka_unit_test(blocks_stay_whole_whatever_is_taken_and_given),
        cmocka_unit_test(blocks_stay_whole_where_the_system_moves_one_mapping_at_a_time),
        cmocka_unit_test(zeroed_memory_is_zero_where_pages_were_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
