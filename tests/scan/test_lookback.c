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

typedef struct tile {
    uint64_t status, payload;
} tile;

static void finds_the_nearest_inclusive_prefix(void **state)
{
    (void)state;
    tile tiles[N_TILES] = {{TILE_INCLUSIVE, 0}, {TILE_AGGREGATE, 0}, {TILE_INCLUSIVE, 0},
                           {TILE_AGGREGATE, 0}, {TILE_AGGREGATE, 0}, {TILE_EMPTY, 0}};
    assert_int_equal(lookback_nearest(tiles, sizeof(tile), 5), 2);
    assert_int_equal(lookback_nearest(tiles, sizeof(tile), 3), 2);
    assert_int_equal(lookback_nearest(tiles, sizeof(tile), 2), 0);
    assert_int_equal(lookback_nearest(tiles, sizeof(tile), 1), 0);
}

static void passes_on_that_somebody_gave_up(void **state)
{
    (void)state;
    tile tiles[N_TILES] = {{TILE_INCLUSIVE, 0}, {TILE_ABORTED, 0}, {TILE_AGGREGATE, 0}, {TILE_AGGREGATE, 0}};
    assert_true(lookback_nearest(tiles, sizeof(tile), 4) == LOOKBACK_ABORTED);
    assert_int_equal(lookback_nearest(tiles, sizeof(tile), 1), 0);
}

typedef struct chain {
    tile tiles[4000];
    uint64_t n_taken;
} chain;

/* Takes tiles in turn, each worth its number, checking that what precedes it was published with it. */
static em_status follow(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    (void)worker, (void)n_workers;
    chain *all = state;
    for (;;) {
        const uint64_t at = __atomic_fetch_add(&all->n_taken, 1, __ATOMIC_RELAXED);
        if (at >= sizeof all->tiles / sizeof *all->tiles)
            return EM_OK;
        uint64_t sum = at;
        if (at > 0) {
            const uint64_t nearest = lookback_nearest(all->tiles, sizeof(tile), at);
            if (nearest != at - 1) /* every tile is published at once as inclusive */
                return em_fail(error, EM_DIFFERS, "tile %d", (int)at);
            sum += all->tiles[nearest].payload;
        }
        all->tiles[at].payload = sum;
        store_release(&all->tiles[at].status, TILE_INCLUSIVE);
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
            assert_int_equal(all.tiles[i].payload, i * (i + 1) / 2);
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
        cmocka_unit_test(passes_on_that_somebody_gave_up),
        cmocka_unit_test(waiting_threads_see_what_was_published),
        cmocka_unit_test(a_scan_cancelled_midway_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
