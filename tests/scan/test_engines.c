/* test_engines - every monoid of the table through every engine, kind, team, tile and set of instructions, against the
 * scan by definition.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support_scan.h"

enum { MOST = SUPPORT_MOST_ITEMS };

/* --- who is woken -------------------------------------------------------------------------------------------- */

static uint32_t n_tasks(void)
{
    DIR *tasks = opendir("/proc/self/task");
    assert_non_null(tasks);
    uint32_t n = 0;
    for (const struct dirent *task = readdir(tasks); task; task = readdir(tasks))
        n += task->d_name[0] != '.';
    closedir(tasks);
    return n;
}

/* Runs first: later there is a team that stays. */
static void small_scans_wake_nobody(void **state)
{
    (void)state;
    const uint32_t before = n_tasks();
    em_context_options options = {.n_threads = 4};
    em_context *context;
    assert_int_equal(em_context_create(&options, &context, NULL), EM_OK);
    enum { N = 10000 };
    static em_affine_f64 items[N], out[N]; /* larger than any item that is cheaper */
    _Alignas(64) unsigned char total[64];
    for (em_operator operation = EM_SUM; operation < EM_N_OPERATORS; operation++)
        for (em_type type = EM_U32; type <= EM_F64; type++) {
            const em_monoid *monoid = em_monoid_of(context, operation, type);
            if (!monoid)
                continue;
            const em_scan_call call = {
                .monoid = monoid, .in = items, .out = out, .n = monoid->item_ps > 10000 ? 1000 : N};
            assert_int_equal(em_scan(context, &call, NULL), EM_OK);
            assert_int_equal(em_reduce(context, monoid, items, call.n, total, NULL), EM_OK);
        }
    assert_int_equal(n_tasks(), before);
    assert_true(em_context_team(context)->n_started <= 1);
    const em_scan_call large = {.monoid = em_monoid_of(context, EM_AFFINE, EM_F64),
                                .engine = EM_SCAN_LOOKBACK,
                                .in = items,
                                .out = out,
                                .n = N};
    assert_int_equal(em_scan(context, &large, NULL), EM_OK);
    em_context_free(context);
}

/* --- the monoids of the table -------------------------------------------------------------------------------- */

static void try_operator(em_operator operation, em_type type, support_style style)
{
    support_subject own = {.hasty = style != SUPPORT_TAME};
    if (!support_find_forms(operation, type, &own))
        return;
    const em_monoid *monoid = own.forms[0];
    own.items = malloc((MOST + 5) * monoid->item_bytes);
    support_items(operation, type, style, 7 + (uint64_t)operation * 10 + type, own.items, MOST + 5);
    _Alignas(64) unsigned char initial[64];
    monoid->lift(monoid, (const char *)own.items + MOST * monoid->item_bytes, initial);
    for (uint64_t i = MOST + 1; i < MOST + 5; i++) {
        _Alignas(64) unsigned char more[64];
        monoid->lift(monoid, (const char *)own.items + i * monoid->item_bytes, more);
        monoid->combine(monoid, initial, more, initial);
    }
    own.initial = initial;
    support_try_subject(&own);
    free(own.items);
}

static void every_engine_gives_the_bytes_of_the_definition(void **state)
{
    (void)state;
    for (em_operator operation = EM_SUM; operation < EM_N_OPERATORS; operation++)
        for (em_type type = EM_U32; type <= EM_F64; type++)
            try_operator(operation, type, SUPPORT_TAME);
}

static void extreme_values_give_the_same_bytes_everywhere(void **state)
{
    (void)state;
    for (em_operator operation = EM_SUM; operation < EM_N_OPERATORS; operation++)
        for (em_type type = EM_U32; type <= EM_F64; type++) {
            try_operator(operation, type, SUPPORT_WILD);
            if (type >= EM_F32)
                try_operator(operation, type, SUPPORT_ZEROS);
        }
}

/* --- results past the caches --------------------------------------------------------------------------------- */

/* Apart, results of this many bytes are streamed; in place they are not, and that is what is compared with. */
static void try_streaming(const em_monoid *scalar, const em_monoid *form, em_isa isa, const void *items, uint64_t n)
{
    unsigned char *expected = malloc((n + 1) * scalar->result_bytes), *out = malloc((n + 9) * scalar->result_bytes);
    em_context *context = support_scan_context((support_setting){.isa = isa, .n_threads = 3});
    for (em_scan_kind kind = EM_INCLUSIVE; kind <= EM_EXCLUSIVE; kind++) {
        const bool in_place = scalar->item_bytes == scalar->result_bytes;
        em_scan_call call = {.monoid = scalar, .kind = kind, .engine = EM_SCAN_SERIAL, .in = items, .n = n};
        if (in_place) {
            memcpy(expected, items, n * scalar->item_bytes);
            call.in = expected;
        }
        call.out = expected;
        assert_int_equal(em_scan(context, &call, NULL), EM_OK);
        call.monoid = form, call.in = items;
        for (call.engine = EM_SCAN_SERIAL; call.engine < EM_N_SCAN_ENGINES; call.engine++) {
            const uint64_t shift = (uint64_t)call.engine * 3 % 8;
            call.out = out + shift * scalar->result_bytes;
            memset(out, 0, n * scalar->result_bytes);
            assert_int_equal(em_scan(context, &call, NULL), EM_OK);
            if (memcmp(call.out, expected, n * scalar->result_bytes) != 0)
                fail_msg("%s, kind %d, engine %d, isa %d", scalar->name, (int)kind, (int)call.engine, (int)isa);
        }
    }
    em_context_free(context);
    free(expected), free(out);
}

static void streamed_results_are_the_same(void **state)
{
    (void)state;
    const uint64_t least_bytes = (UINT64_C(8) << 20) + 10000;
    if (SUPPORT_SANITIZED)
        skip();
    for (em_operator operation = EM_SUM; operation < EM_N_OPERATORS; operation++)
        for (em_type type = EM_U32; type <= EM_F64; type++) {
            support_subject own;
            if (!support_find_forms(operation, type, &own))
                continue;
            const uint64_t n = least_bytes / own.forms[0]->result_bytes;
            void *items = malloc(n * own.forms[0]->item_bytes);
            support_items(operation, type, SUPPORT_TAME, 5, items, n);
            for (em_isa isa = EM_ISA_NEON; isa <= EM_ISA_AVX512; isa++)
                if (own.forms[isa])
                    try_streaming(own.forms[0], own.forms[isa], isa, items, n);
            free(items);
        }
}

/* --- reductions ---------------------------------------------------------------------------------------------- */

static void try_reduction(const em_monoid *scalar, const em_monoid *form, const void *items, em_isa isa)
{
    static const uint64_t LENGTHS[] = {0, 1, 65, 1000, MOST};
    for (uint32_t i = 0; i < 5; i++) {
        _Alignas(64) unsigned char last[256] = {0}, total[256] = {0}, results[2][64] = {{0}};
        void *out = malloc((LENGTHS[i] + 1) * scalar->result_bytes);
        support_scan_slowly(&(support_scan){scalar, EM_INCLUSIVE, items, NULL, NULL, LENGTHS[i]}, out, last);
        for (uint32_t n_threads = 1; n_threads < 6; n_threads += 2)
            for (uint32_t serial = 0; serial < 2; serial++) {
                const uint64_t tile_bytes = (i + 1) * n_threads * 100;
                em_context *context =
                    support_scan_context((support_setting){isa, n_threads, tile_bytes, EM_SCAN_AUTO, serial});
                assert_int_equal(em_reduce(context, form, items, LENGTHS[i], total, NULL), EM_OK);
                scalar->lower(scalar, last, results[0]);
                scalar->lower(scalar, total, results[1]);
                if (memcmp(results[0], results[1], scalar->result_bytes) != 0)
                    fail_msg("%s of %llu", scalar->name, (unsigned long long)LENGTHS[i]);
                if (LENGTHS[i] > 0)
                    assert_memory_equal(results[0], (const char *)out + (LENGTHS[i] - 1) * scalar->result_bytes,
                                        scalar->result_bytes);
                assert_int_equal(em_context_memory(context).current_bytes, 0);
                em_context_free(context);
            }
        free(out);
    }
}

static void a_reduction_is_the_last_of_the_scan(void **state)
{
    (void)state;
    for (em_operator operation = EM_SUM; operation < EM_N_OPERATORS; operation++)
        for (em_type type = EM_U32; type <= EM_F64; type++)
            for (support_style style = SUPPORT_TAME; style < SUPPORT_N_STYLES; style++) {
                support_subject own;
                if (!support_find_forms(operation, type, &own))
                    continue;
                void *items = malloc(MOST * own.forms[0]->item_bytes);
                support_items(operation, type, style, 70 + (uint64_t)type, items, MOST);
                for (em_isa isa = EM_ISA_SCALAR; isa <= EM_ISA_AVX512; isa++)
                    if (own.forms[isa])
                        try_reduction(own.forms[0], own.forms[isa], items, isa);
                free(items);
            }
}

static void an_initial_value_counts_once(void **state)
{
    (void)state;
    enum { N = 1000 };
    uint64_t ones[N], out[N + 1], total;
    for (uint64_t i = 0; i < N; i++)
        ones[i] = 1;
    for (em_scan_engine engine = EM_SCAN_AUTO; engine < EM_N_SCAN_ENGINES; engine++)
        for (uint64_t tile = 8; tile < 3000; tile *= 5) {
            em_context *context = support_scan_context((support_setting){.n_threads = 4, .tile_bytes = tile});
            em_scan_call call = {.monoid = em_monoid_of(context, EM_SUM, EM_U64),
                                 .kind = EM_EXCLUSIVE_TOTAL,
                                 .engine = engine,
                                 .in = ones,
                                 .out = out,
                                 .n = N,
                                 .initial = &(uint64_t){1000000},
                                 .total = &total};
            assert_int_equal(em_scan(context, &call, NULL), EM_OK);
            for (uint64_t i = 0; i <= N; i++)
                assert_int_equal(out[i], 1000000 + i);
            assert_int_equal(total, 1000000 + N);
            call.n = 0;
            assert_int_equal(em_scan(context, &call, NULL), EM_OK);
            assert_int_equal(out[0], 1000000);
            assert_int_equal(total, 1000000);
            em_context_free(context);
        }
}

int main(int argc, char **argv)
{
    (void)argc;
    support_wait_asleep(argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_scans_wake_nobody),
        cmocka_unit_test(every_engine_gives_the_bytes_of_the_definition),
        cmocka_unit_test(extreme_values_give_the_same_bytes_everywhere),
        cmocka_unit_test(streamed_results_are_the_same),
        cmocka_unit_test(a_reduction_is_the_last_of_the_scan),
        cmocka_unit_test(an_initial_value_counts_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
