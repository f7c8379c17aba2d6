/* test_lookback_orders - the look-back engine itself, run by simulated threads in every order.
 *
 * engine_lookback.c is included as it stands; only its accesses, its memory and its team are the explorer's. Tiles are
 * of one item, a letter, and the operator writes letters one after another, so a prefix shows what was folded, in which
 * order, and what was read too early. Which worker takes which tile is part of what is explored, and so is where a
 * worker gives up.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define LOOKBACK_ACCESSES  "tests/support_explorer_accesses.h"
#define em_allocate        explored_allocate
#define em_allocate_zeroed explored_allocate_zeroed
#define em_free            explored_free
#define em_context_check   explored_check
#define em_context_report  explored_report
#define em_parallel        explored_parallel
#define scan_lookback      explored_lookback
#include "scan/base/parallel.h"
#include "scan/engine_lookback.c" /* NOLINT(bugprone-suspicious-include): with the accesses above */

enum { MOST_TILES = 4, MOST_ELEM_WORDS = 2 };

/* One run. Pieces are handed out from the arena, all of it at once taken back by the next run. */
typedef struct run {
    _Alignas(64) unsigned char arena[2048];
    uint64_t n_used;
    em_work *work;
    void *work_state;
    uint32_t n_tiles, n_workers, n_words; /* of an element */
    em_status statuses[MOST_TILES];
    uint32_t n_failures; /* workers that found something wrong */
    bool whole;          /* not given up because what follows is known */
} run;

static run own; /* what the functions below, which the engine calls, belong to */

/* --- the engine's surroundings --------------------------------------------------------------------- */

em_status em_allocate_zeroed(em_context *context, uint64_t n_bytes, void **memory, em_error *error)
{
    (void)context, (void)error;
    *memory = own.arena + own.n_used;
    own.n_used += (n_bytes + 63) / 64 * 64;
    assert_true(own.n_used <= sizeof own.arena);
    return EM_OK;
}

static bool fails(void)
{
    const bool now = explore_fails();
    own.n_failures += now;
    return now;
}

/* A worker without its memory gives up before its tile has an aggregate. */
em_status em_allocate(em_context *context, uint64_t n_bytes, void **memory, em_error *error)
{
    return fails() ? EM_NO_MEMORY : em_allocate_zeroed(context, n_bytes, memory, error);
}

void em_free(em_context *context, void *memory, uint64_t n_bytes)
{
    (void)context, (void)memory, (void)n_bytes;
}

em_status em_context_check(em_context *context, em_error *error)
{
    (void)context, (void)error;
    return fails() ? EM_CANCELLED : EM_OK;
}

em_status em_context_report(em_context *context, const char *stage, uint64_t done, uint64_t total, em_error *error)
{
    (void)stage, (void)done, (void)total;
    return em_context_check(context, error);
}

static void sit(void *state, uint32_t worker)
{
    run *all = state;
    all->statuses[worker] = all->work(all->work_state, worker, all->n_workers, NULL);
}

em_status em_parallel(em_context *context, uint32_t n_workers, em_work *share, void *state, em_error *error)
{
    (void)context, (void)n_workers, (void)error;
    pass *all = state;
    own.work = share, own.work_state = state;
    own.whole = explore_team(own.n_workers, sit, &own, (uint64_t *)(void *)all->states,
                             all->n_tiles * all->stride / sizeof(uint64_t), &all->n_taken);
    em_status status = EM_OK;
    uint32_t n_errors = 0;
    for (uint32_t i = 0; i < own.n_workers; i++)
        if (own.statuses[i] != EM_OK) {
            status = own.statuses[i];
            n_errors++;
        }
    if (own.whole)
        explore_expect(n_errors == own.n_failures, "an error is not its worker's own");
    for (uint64_t tile = 0; own.whole && tile < all->n_tiles && status == EM_OK; tile++)
        explore_expect(explore_load(chain_status_of(all, tile), EXPLORE_RELAXED) == TILE_INCLUSIVE,
                       "a tile was not published");
    return status;
}

/* --- letters --------------------------------------------------------------------------------------- */

/* One after another in 7 bits each, the first in the highest; the same in each word of an element. */
static void write_letters(const em_monoid *monoid, const void *earlier, const void *later, void *both)
{
    for (uint32_t i = 0; i < monoid->elem_bytes / sizeof(uint64_t); i++) {
        uint64_t text = load_payload((const uint64_t *)earlier + i);
        const uint64_t behind = load_payload((const uint64_t *)later + i);
        for (uint64_t left = behind; left; left >>= 7)
            text <<= 7;
        store_payload((uint64_t *)both + i, text | behind);
    }
}

static void reduce_letter(const em_monoid *monoid, const em_tile *tile)
{
    for (uint32_t i = 0; i < monoid->elem_bytes / sizeof(uint64_t); i++)
        store_payload((uint64_t *)tile->aggregates + i, *(const uint8_t *)tile->in);
}

static void scan_letter(const em_monoid *monoid, const em_tile *tile, void *carry, const em_tile *next, unsigned how)
{
    (void)how;
    uint64_t element[MOST_ELEM_WORDS];
    for (uint32_t i = 0; i < monoid->elem_bytes / sizeof(uint64_t); i++)
        element[i] = *(const uint8_t *)tile->in;
    write_letters(monoid, carry, element, carry);
    copy_payload(tile->out, carry, monoid->elem_bytes);
    if (next->n)
        reduce_letter(monoid, next);
}

static void scan_once(void *state)
{
    (void)state;
    enum { FIRST = '*' };
    const uint32_t elem_bytes = own.n_words * (uint32_t)sizeof(uint64_t);
    const em_monoid letters = {.item_bytes = 1,
                               .elem_bytes = elem_bytes,
                               .result_bytes = elem_bytes,
                               .elem_align = 8,
                               .combine = write_letters,
                               .reduce = reduce_letter,
                               .scan = scan_letter};
    static const uint8_t in[MOST_TILES] = {'a', 'b', 'c', 'd'};
    uint64_t out[MOST_TILES * MOST_ELEM_WORDS] = {0}, carry[MOST_ELEM_WORDS] = {FIRST, FIRST};
    const scan_request request = {
        .monoid = &letters, .in = in, .out = out, .n = own.n_tiles, .tile_items = 1, .n_threads = own.n_workers};
    own.n_used = own.n_failures = 0;
    const em_status status = scan_lookback(NULL, &request, carry, NULL);
    if (!own.whole)
        return;
    uint64_t expected = FIRST;
    for (uint32_t tile = 0; tile < own.n_tiles; tile++) {
        expected = expected << 7 | in[tile];
        for (uint32_t i = 0; i < own.n_words; i++) {
            const uint64_t found = out[tile * own.n_words + i];
            explore_expect(found == expected || (status != EM_OK && found == 0), "a prefix is wrong");
        }
    }
    for (uint32_t i = 0; i < own.n_words && status == EM_OK; i++)
        explore_expect(carry[i] == expected, "the total is wrong");
}

/* --- what is explored ------------------------------------------------------------------------------ */

static const char *const memory_names[] = {"sequential", "store buffers", "stale loads"};

static explore_result explore(const explore_options *options, uint32_t n_tiles, uint32_t n_workers, uint32_t n_words)
{
    own.n_tiles = n_tiles, own.n_workers = n_workers, own.n_words = n_words;
    const explore_result result = explore_all(options, scan_once, NULL);
    print_message("%s, %u tiles of %u words, %u workers, %u may give up: ", memory_names[options->memory], n_tiles,
                  n_words, n_workers, options->n_failures);
    if (result.wrong)
        print_message("%s in run %llu\n", result.wrong, (unsigned long long)result.n_runs);
    else
        print_message("%.0f schedules through %llu states in %llu runs\n", result.n_schedules,
                      (unsigned long long)result.n_states, (unsigned long long)result.n_runs);
    return result;
}

static void expect_right(explore_options options, uint32_t n_tiles, uint32_t n_workers, uint32_t n_words)
{
    const explore_result result = explore(&options, n_tiles, n_workers, n_words);
    if (result.wrong)
        fail_msg("%s\n%s", result.wrong, result.trace);
}

static void every_order_gives_the_right_prefixes(void **state)
{
    (void)state;
    expect_right((explore_options){0}, 2, 2, 1);
    expect_right((explore_options){0}, 3, 2, 1);
    expect_right((explore_options){0}, 4, 2, 1);
    expect_right((explore_options){0}, 3, 3, 1);
}

static void elements_of_several_words_are_never_torn(void **state)
{
    (void)state;
    expect_right((explore_options){0}, 2, 2, 2);
    expect_right((explore_options){0}, 3, 2, 2);
}

static void who_gives_up_leaves_nobody_waiting(void **state)
{
    (void)state;
    expect_right((explore_options){.n_failures = 1}, 2, 2, 1);
    expect_right((explore_options){.n_failures = 3}, 3, 2, 1);
    expect_right((explore_options){.n_failures = 1}, 3, 3, 1);
}

static void stores_may_reach_memory_in_any_order(void **state)
{
    (void)state;
    const explore_options options = {.memory = EXPLORE_STORE_BUFFERS};
    expect_right(options, 2, 2, 1);
    expect_right(options, 2, 2, 2);
    expect_right(options, 3, 2, 1);
    expect_right((explore_options){.memory = EXPLORE_STORE_BUFFERS, .n_failures = 1}, 2, 2, 1);
}

static void loads_may_find_what_is_old(void **state)
{
    (void)state;
    const explore_options options = {.memory = EXPLORE_STALE_LOADS};
    expect_right(options, 2, 2, 1);
    expect_right(options, 2, 2, 2);
    expect_right(options, 3, 2, 1);
    expect_right(options, 4, 2, 1);
    expect_right(options, 3, 3, 1);
    expect_right((explore_options){.memory = EXPLORE_STALE_LOADS, .n_failures = 1}, 2, 2, 1);
}

static void expect_found(explore_options options)
{
    const explore_result result = explore(&options, 2, 2, 1);
    assert_non_null(result.wrong);
    assert_string_equal(result.wrong, "a prefix is wrong");
}

static void a_missing_release_is_found(void **state)
{
    (void)state;
    expect_right((explore_options){.plain_release = true}, 2, 2, 1); /* one access after another hides it */
    expect_found((explore_options){.memory = EXPLORE_STORE_BUFFERS, .plain_release = true});
    expect_found((explore_options){.memory = EXPLORE_STALE_LOADS, .plain_release = true});
}

static void a_missing_acquire_is_found(void **state)
{
    (void)state;
    expect_found((explore_options){.memory = EXPLORE_STALE_LOADS, .plain_acquire = true});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_order_gives_the_right_prefixes),
        cmocka_unit_test(elements_of_several_words_are_never_torn),
        cmocka_unit_test(who_gives_up_leaves_nobody_waiting),
        cmocka_unit_test(stores_may_reach_memory_in_any_order),
        cmocka_unit_test(loads_may_find_what_is_old),
        cmocka_unit_test(a_missing_release_is_found),
        cmocka_unit_test(a_missing_acquire_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
