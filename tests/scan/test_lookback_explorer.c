/* test_lookback_explorer - the explorer finds what each memory model allows, no more and no less.
 *
 * Programs of two threads whose outcomes are in every textbook (Sorin, Hill and Wood, "A Primer on Memory Consistency
 * and Cache Coherence"), and some whose schedules are counted by hand.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support_explorer.h"

enum { X = 0, Y, N_WORDS };

/* A program: what its two threads do, and which outcomes were met, a bit each. */
typedef struct program {
    void (*body)(void *state, uint32_t thread);
    uint64_t words[N_WORDS], counter;
    uint64_t first, second; /* what the program's loads found */
    uint32_t met;
    uint32_t n_threads;
} program;

static void once(void *state)
{
    program *all = state;
    if (explore_team(all->n_threads ? all->n_threads : 2, all->body, all, all->words, N_WORDS, &all->counter))
        all->met |= 1u << (all->first << 1 | all->second);
}

static explore_result explore(program *of, explore_options options)
{
    return explore_all(&options, once, of);
}

static uint32_t outcomes(void (*body)(void *, uint32_t), explore_options options)
{
    program all = {.body = body};
    const explore_result result = explore(&all, options);
    assert_null(result.wrong);
    return all.met;
}

/* Bits of the outcomes (first, second). */
enum { OUTCOME_00 = 1, OUTCOME_01 = 2, OUTCOME_10 = 4, OUTCOME_11 = 8 };

static void two_loads_each(void *state, uint32_t thread)
{
    (void)thread;
    program *all = state;
    explore_load(&all->words[X], EXPLORE_RELAXED);
    explore_load(&all->words[Y], EXPLORE_RELAXED);
}

static void schedules_are_counted(void **state)
{
    (void)state;
    program all = {.body = two_loads_each};
    explore_result result = explore(&all, (explore_options){0});
    assert_null(result.wrong);
    assert_true(result.n_schedules == 6); /* 4 over 2 */
    all.n_threads = 3;
    result = explore(&all, (explore_options){0});
    assert_true(result.n_schedules == 90); /* 6! / 2!^3 */
}

/* Store buffering: may both miss the other's store? */
static void both_store_then_load(void *state, uint32_t thread)
{
    program *all = state;
    explore_store(&all->words[thread ? Y : X], 1, EXPLORE_RELAXED);
    *(thread ? &all->second : &all->first) = explore_load(&all->words[thread ? X : Y], EXPLORE_RELAXED);
}

static void stores_are_delayed_only_where_there_are_buffers(void **state)
{
    (void)state;
    const uint32_t in_order = OUTCOME_01 | OUTCOME_10 | OUTCOME_11;
    assert_int_equal(outcomes(both_store_then_load, (explore_options){0}), in_order);
    assert_int_equal(outcomes(both_store_then_load, (explore_options){.memory = EXPLORE_STORE_BUFFERS}),
                     in_order | OUTCOME_00);
    assert_int_equal(outcomes(both_store_then_load, (explore_options){.memory = EXPLORE_STALE_LOADS}),
                     in_order | OUTCOME_00);
}

/* Message passing: may the flag be seen without the message? first is the flag, second the message. */
static void pass_message(program *all, uint32_t thread, explore_order store, explore_order load)
{
    if (thread == 0) {
        explore_store(&all->words[X], 1, EXPLORE_PLAIN);
        explore_store(&all->words[Y], 1, store);
    } else {
        all->first = explore_load(&all->words[Y], load);
        all->second = explore_load(&all->words[X], EXPLORE_PLAIN);
    }
}

static void pass_released(void *state, uint32_t thread)
{
    pass_message(state, thread, EXPLORE_RELEASE, EXPLORE_ACQUIRE);
}

static void pass_without_release(void *state, uint32_t thread)
{
    pass_message(state, thread, EXPLORE_RELAXED, EXPLORE_ACQUIRE);
}

static void pass_without_acquire(void *state, uint32_t thread)
{
    pass_message(state, thread, EXPLORE_RELEASE, EXPLORE_RELAXED);
}

static void a_message_arrives_with_its_flag_only_by_release_and_acquire(void **state)
{
    (void)state;
    const uint32_t in_order = OUTCOME_00 | OUTCOME_01 | OUTCOME_11;
    const explore_options sequential = {0}, buffers = {.memory = EXPLORE_STORE_BUFFERS},
                          stale = {.memory = EXPLORE_STALE_LOADS};
    assert_int_equal(outcomes(pass_without_release, sequential), in_order);
    assert_int_equal(outcomes(pass_released, buffers), in_order);
    assert_int_equal(outcomes(pass_released, stale), in_order);
    assert_int_equal(outcomes(pass_without_release, buffers), in_order | OUTCOME_10);
    assert_int_equal(outcomes(pass_without_release, stale), in_order | OUTCOME_10);
    assert_int_equal(outcomes(pass_without_acquire, buffers), in_order); /* its loads are in order */
    assert_int_equal(outcomes(pass_without_acquire, stale), in_order | OUTCOME_10);
    assert_int_equal(outcomes(pass_released, (explore_options){.memory = EXPLORE_STORE_BUFFERS, .plain_release = true}),
                     in_order | OUTCOME_10);
    assert_int_equal(outcomes(pass_released, (explore_options){.memory = EXPLORE_STALE_LOADS, .plain_acquire = true}),
                     in_order | OUTCOME_10);
}

/* Coherence: one word never goes back, whatever the model. */
static void store_twice(void *state, uint32_t thread)
{
    program *all = state;
    if (thread == 0) {
        explore_store(&all->words[X], 1, EXPLORE_RELAXED);
        explore_store(&all->words[X], 0, EXPLORE_RELAXED);
        explore_store(&all->words[X], 1, EXPLORE_RELAXED);
    } else {
        all->first = explore_load(&all->words[X], EXPLORE_RELAXED);
        all->second = explore_load(&all->words[X], EXPLORE_RELAXED);
    }
}

static void store_once(void *state, uint32_t thread)
{
    program *all = state;
    if (thread == 0) {
        explore_store(&all->words[X], 1, EXPLORE_RELAXED);
        explore_expect(explore_load(&all->words[X], EXPLORE_RELAXED) == 1, "its own store is not seen");
    } else {
        all->first = explore_load(&all->words[X], EXPLORE_RELAXED);
        all->second = explore_load(&all->words[X], EXPLORE_RELAXED);
    }
}

static void one_word_keeps_its_order(void **state)
{
    (void)state;
    for (uint32_t memory = EXPLORE_SEQUENTIAL; memory <= EXPLORE_STALE_LOADS; memory++) {
        const explore_options options = {.memory = (explore_memory)memory};
        assert_int_equal(outcomes(store_once, options), OUTCOME_00 | OUTCOME_01 | OUTCOME_11);
        assert_int_equal(outcomes(store_twice, options), OUTCOME_00 | OUTCOME_01 | OUTCOME_10 | OUTCOME_11);
    }
}

static void await(uint64_t *word)
{
    while (explore_load(word, EXPLORE_RELAXED) == 0)
        explore_pause();
}

static void wait_for_each_other(void *state, uint32_t thread)
{
    program *all = state;
    await(&all->words[thread ? X : Y]);
    explore_store(&all->words[thread ? Y : X], 1, EXPLORE_RELEASE);
}

static void wait_for_the_first(void *state, uint32_t thread)
{
    program *all = state;
    if (thread == 0)
        explore_store(&all->words[X], 1, EXPLORE_RELAXED);
    else
        await(&all->words[X]);
}

static void waiting_for_ever_is_noticed(void **state)
{
    (void)state;
    for (uint32_t memory = EXPLORE_SEQUENTIAL; memory <= EXPLORE_STALE_LOADS; memory++) {
        const explore_options options = {.memory = (explore_memory)memory};
        program all = {.body = wait_for_each_other};
        assert_string_equal(explore(&all, options).wrong, "somebody waits for ever");
        all.body = wait_for_the_first;
        assert_null(explore(&all, options).wrong);
    }
}

static void increment_twice(void *state, uint32_t thread)
{
    program *all = state;
    const uint64_t found = explore_increment(&all->counter);
    *(thread ? &all->second : &all->first) = found;
}

static void an_increment_is_undivided(void **state)
{
    (void)state;
    for (uint32_t memory = EXPLORE_SEQUENTIAL; memory <= EXPLORE_STALE_LOADS; memory++)
        assert_int_equal(outcomes(increment_twice, (explore_options){.memory = (explore_memory)memory}),
                         OUTCOME_01 | OUTCOME_10);
}

static void store_to_one_word(void *state, uint32_t thread)
{
    (void)thread;
    program *all = state;
    explore_store(&all->words[X], 1, EXPLORE_RELAXED);
}

static void two_writers_of_a_word_are_noticed(void **state)
{
    (void)state;
    program all = {.body = store_to_one_word};
    assert_string_equal(explore(&all, (explore_options){0}).wrong, "a word has two writers");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schedules_are_counted),
        cmocka_unit_test(stores_are_delayed_only_where_there_are_buffers),
        cmocka_unit_test(a_message_arrives_with_its_flag_only_by_release_and_acquire),
        cmocka_unit_test(one_word_keeps_its_order),
        cmocka_unit_test(waiting_for_ever_is_noticed),
        cmocka_unit_test(an_increment_is_undivided),
        cmocka_unit_test(two_writers_of_a_word_are_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
