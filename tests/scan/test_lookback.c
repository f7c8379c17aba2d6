/* test_lookback - the look-back by hand, under waiting threads, and when a worker gives up.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "scan/lookback.h"
#include "scan/scan.h"

enum { N_TILES = 6 };

typedef struct sum_state {
    uint64_t status, aggregate, inclusive;
} sum_state;

static uint64_t *sum_status_of(sum_state *tiles, uint64_t at)
{
    return &tiles[at].status;
}

static void sum_begin(sum_state *tiles, uint64_t *prefix)
{
    (void)tiles;
    *prefix = 1000;
}

static void sum_get_inclusive(sum_state *tiles, uint64_t at, uint64_t *prefix)
{
    *prefix = tiles[at].inclusive;
}

static void sum_fold_aggregate(sum_state *tiles, uint64_t at, uint64_t *prefix)
{
    *prefix += tiles[at].aggregate;
}

static void sum_put_inclusive(sum_state *tiles, uint64_t at, const uint64_t *prefix)
{
    tiles[at].inclusive = *prefix + tiles[at].aggregate;
}

#define FN(name) sum_##name
#define CHAIN    sum_state *
#define PREFIX   uint64_t *
#include "scan/lookback.inc"

static void finds_the_nearest_inclusive_prefix(void **state)
{
    (void)state;
    sum_state tiles[N_TILES] = {{TILE_INCLUSIVE, 0, 0}, {TILE_AGGREGATE, 0, 0}, {TILE_INCLUSIVE, 0, 0},
                                {TILE_AGGREGATE, 0, 0}, {TILE_AGGREGATE, 0, 0}, {TILE_EMPTY, 0, 0}};
    assert_int_equal(sum_nearest(tiles, 5), 2);
    assert_int_equal(sum_nearest(tiles, 3), 2);
    assert_int_equal(sum_nearest(tiles, 2), 0);
    assert_int_equal(sum_nearest(tiles, 1), 0);
}

static void folds_aggregates_onto_the_prefix_it_found(void **state)
{
    (void)state;
    sum_state tiles[N_TILES] = {{TILE_AGGREGATE, 1, 7},
                                {TILE_INCLUSIVE, 2, 30},
                                {TILE_AGGREGATE, 4, 7},
                                {TILE_AGGREGATE, 8, 7},
                                {TILE_EMPTY, 16, 0}};
    uint64_t prefix;
    assert_true(sum_resolve(tiles, 4, &prefix));
    assert_int_equal(prefix, 30 + 4 + 8);
    assert_int_equal(tiles[4].status, TILE_INCLUSIVE);
    assert_int_equal(tiles[4].inclusive, 30 + 4 + 8 + 16);
    assert_true(sum_resolve(tiles, 0, &prefix));
    assert_int_equal(prefix, 1000);
    assert_int_equal(tiles[0].inclusive, 1001);
}

static void passes_on_that_somebody_gave_up(void **state)
{
    (void)state;
    sum_state tiles[N_TILES] = {
        {TILE_INCLUSIVE, 0, 0}, {TILE_ABORTED, 0, 0}, {TILE_AGGREGATE, 0, 0}, {TILE_AGGREGATE, 0, 0}};
    uint64_t prefix;
    assert_true(sum_nearest(tiles, 4) == LOOKBACK_ABORTED);
    assert_int_equal(sum_nearest(tiles, 1), 0);
    assert_false(sum_resolve(tiles, 4, &prefix));
    assert_int_equal(tiles[4].status, TILE_ABORTED);
}

typedef struct chain {
    sum_state tiles[4000];
    uint64_t n_taken;
} chain;

/* Takes tiles in turn, each worth its number. */
static em_status follow(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    (void)worker, (void)n_workers;
    chain *all = state;
    for (;;) {
        const uint64_t at = fetch_increment(&all->n_taken);
        if (at >= sizeof all->tiles / sizeof *all->tiles)
            return EM_OK;
        uint64_t prefix;
        all->tiles[at].aggregate = at;
        if (!sum_resolve(all->tiles, at, &prefix) || prefix != 1000 + at * (at - 1) / 2)
            return em_fail(error, EM_DIFFERS, "tile %d", (int)at);
    }
}

static void waiting_threads_see_what_was_published(void **state)
{
    (void)state;
    static chain all;
    for (uint32_t n_threads = 1; n_threads <= 5; n_threads++) {
        em_context *context;
        assert_int_equal(em_context_create(&(em_context_options){.n_threads = n_threads}, &context, NULL), EM_OK);
        memset(&all, 0, sizeof all);
        assert_int_equal(em_parallel(context, 0, follow, &all, NULL), EM_OK);
        for (uint64_t i = 0; i < sizeof all.tiles / sizeof *all.tiles; i++)
            assert_int_equal(all.tiles[i].inclusive, 1000 + i * (i + 1) / 2);
        em_context_free(context);
    }
}

/* --- a scan cancelled while it runs ---------------------------------------------------------------- */

static bool refuse(void *state, const char *stage, uint64_t done, uint64_t total)
{
    (void)state, (void)stage, (void)done, (void)total;
    return false;
}

typedef struct race {
    em_context *context;
    uint32_t *in, *out;
    uint64_t n;
    uint64_t delay;
    em_status status;
} race;

/* One thread scans by a team of its own, the other cancels at some time. */
static em_status scan_or_cancel(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    (void)n_workers, (void)error;
    race *own = state;
    if (worker == 0) {
        own->status = em_scan_sum(own->context, EM_U32, EM_INCLUSIVE, own->in, own->out, own->n, NULL);
        return EM_OK;
    }
    for (uint64_t i = 0; i < own->delay; i++)
        em_pause();
    em_context_report(own->context, "scan", 0, 0, NULL);
    return EM_OK;
}

static void a_scan_cancelled_midway_ends(void **state)
{
    (void)state;
    enum { N = 20000 };
    static uint32_t in[N], out[N];
    for (uint64_t delay = 0; delay < 40000; delay = delay * 2 + 100) {
        em_context_options options = {.n_threads = 3, .progress = refuse};
        options.knobs.tile_bytes = 64;
        options.knobs.serial_below = 1;
        em_context *outer, *inner;
        assert_int_equal(em_context_create(&(em_context_options){.n_threads = 2}, &outer, NULL), EM_OK);
        assert_int_equal(em_context_create(&options, &inner, NULL), EM_OK);
        race own = {inner, in, out, N, delay, EM_OK};
        assert_int_equal(em_parallel(outer, 2, scan_or_cancel, &own, NULL), EM_OK);
        assert_true(own.status == EM_OK || own.status == EM_CANCELLED);
        assert_int_equal(em_context_memory(inner).current_bytes, 0);
        em_context_free(inner);
        em_context_free(outer);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_nearest_inclusive_prefix),
        cmocka_unit_test(folds_aggregates_onto_the_prefix_it_found),
        cmocka_unit_test(passes_on_that_somebody_gave_up),
        cmocka_unit_test(waiting_threads_see_what_was_published),
        cmocka_unit_test(a_scan_cancelled_midway_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
