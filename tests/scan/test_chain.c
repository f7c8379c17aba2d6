/* test_chain - a running total handed from tile to tile, and what everybody knows once it arrives.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support_uses.h"

#include <stdlib.h>
#include <string.h>

#include "scan/base/parallel.h"
#include "scan/chain.h"
#include "tests/reference.h"

static void hands_totals_on(void **state)
{
    (void)state;
    em_context *context = uses_team(1, 0, 0);
    const uint64_t kept[4] = {3, 0, 5, UINT64_C(1) << 40}, before[4] = {0, 3, 3, 8};
    em_chain chain = {0};
    assert_int_equal(em_chain_open(context, 4, &chain, NULL), EM_OK);
    for (uint64_t i = 0; i < 4; i++) {
        uint64_t n_before = 99;
        assert_int_equal(em_chain_next(&chain), i);
        assert_true(em_chain_wait(&chain, i, kept[i], &n_before));
        assert_int_equal(n_before, before[i]);
    }
    assert_true(em_chain_next(&chain) >= 4);
    assert_int_equal(em_chain_total(&chain), (UINT64_C(1) << 40) + 8);
    em_chain_close(context, &chain);
    assert_int_equal(em_context_memory(context).current_bytes, 0);
    em_chain_close(context, &chain); /* closed is as good as empty */
    assert_int_equal(em_chain_open(context, 0, &chain, NULL), EM_OK);
    assert_int_equal(em_chain_total(&chain), 0);
    em_chain_close(context, &chain);
    em_context_free(context);
}

static void refuses_more_states_than_memory_has(void **state)
{
    (void)state;
    em_context *context = uses_team(1, 0, 0);
    em_chain chain = {0};
    em_error error = {0};
    assert_int_equal(em_chain_open(context, UINT64_MAX / 8, &chain, &error), EM_NO_MEMORY);
    em_chain_close(context, &chain);
    assert_int_equal(em_chain_open(context, UINT64_MAX / 128, &chain, NULL), EM_NO_MEMORY);
    em_chain_close(context, &chain);
    em_context_free(context);
}

/* --- a team -------------------------------------------------------------------------------------------- */

typedef struct team {
    em_chain chain;
    uint64_t n_tiles, gives_up; /* the tile that is never done; n_tiles: none */
    const uint64_t *kept, *before;
    uint8_t *read; /* of each tile, whether it was read: plain bytes, so that the thread sanitizer sees missing order */
} team;

/* What is in place is safe to overwrite once em_chain_wait answers: all tiles before were announced as read, and it
 * shows. */
static em_status walk(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    (void)worker, (void)n_workers;
    team *own = state;
    for (uint64_t tile; (tile = em_chain_next(&own->chain)) < own->n_tiles;) {
        uint64_t n_before;
        own->read[tile] = 1;
        if (tile == own->gives_up) {
            em_chain_give_up(&own->chain, tile);
            return em_fail_at(error, EM_MALFORMED, tile, "tile %llu", (unsigned long long)tile);
        }
        if (!em_chain_wait(&own->chain, tile, own->kept[tile], &n_before))
            return tile > own->gives_up ? EM_OK : em_fail(error, EM_DIFFERS, "gave up before anybody did");
        if (n_before != own->before[tile])
            return em_fail(error, EM_DIFFERS, "tile %llu", (unsigned long long)tile);
        for (uint64_t i = tile; i-- > 0 && tile - i < 100;)
            if (!own->read[i])
                return em_fail(error, EM_DIFFERS, "tile %llu is not read", (unsigned long long)i);
    }
    return EM_OK;
}

static em_status try_team(em_context *context, uint64_t n_tiles, uint64_t gives_up, uint64_t seed, em_error *error)
{
    uint64_t *kept = malloc((n_tiles + 1) * 8), *before = malloc((n_tiles + 1) * 8);
    team own = {.n_tiles = n_tiles, .gives_up = gives_up, .kept = kept, .before = before, .read = calloc(n_tiles, 1)};
    before[0] = 0;
    for (uint64_t i = 0; i < n_tiles; i++) {
        kept[i] = ref_random(&seed) % 5000;
        before[i + 1] = before[i] + kept[i];
    }
    em_status status = em_chain_open(context, n_tiles, &own.chain, error);
    if (status == EM_OK)
        status = em_parallel(context, 0, walk, &own, error);
    if (status == EM_OK)
        assert_int_equal(em_chain_total(&own.chain), before[n_tiles]);
    em_chain_close(context, &own.chain);
    assert_int_equal(em_context_memory(context).current_bytes, 0);
    free(kept), free(before), free(own.read);
    return status;
}

static void every_tile_knows_what_precedes_it(void **state)
{
    (void)state;
    for (uint32_t n_threads = 1; n_threads <= 5; n_threads++) {
        em_context *context = uses_team(n_threads, 0, 0);
        for (uint64_t round = 0; round < 10; round++)
            assert_int_equal(try_team(context, 1 + round * 150, UINT64_MAX, round, NULL), EM_OK);
        em_context_free(context);
    }
}

static void who_gives_up_lets_everybody_end(void **state)
{
    (void)state;
    for (uint32_t n_threads = 1; n_threads <= 5; n_threads++) {
        em_context *context = uses_team(n_threads, 0, 0);
        for (uint64_t round = 0; round < 30; round++) {
            em_error error = {0};
            assert_int_equal(try_team(context, 200, round * 7 % 200, round, &error), EM_MALFORMED);
            assert_int_equal(error.position, round * 7 % 200);
        }
        em_context_free(context);
    }
}

static em_status walk_some(em_context *context, em_error *error)
{
    return try_team(context, 50, UINT64_MAX, 1, error);
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    uses_survives_failing_allocations(walk_some);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hands_totals_on),
        cmocka_unit_test(refuses_more_states_than_memory_has),
        cmocka_unit_test(every_tile_knows_what_precedes_it),
        cmocka_unit_test(who_gives_up_lets_everybody_end),
        cmocka_unit_test(survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
