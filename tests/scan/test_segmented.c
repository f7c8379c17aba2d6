/* test_segmented - scans that begin anew at heads: by hand, each segment against a scan of it alone, and every monoid
 * through every engine against the definition.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scan/monoids.h"
#include "tests/reference.h"
#include "tests/support_scan.h"

enum { MOST = SUPPORT_MOST_ITEMS };

typedef enum pattern { NONE = 0, ALL, FIRST, LAST, RARE, OFTEN, BORDERS, BESIDE, N_PATTERNS } pattern;

/* Any flag but 0 is a head. */
static void put_heads(pattern which, uint8_t *heads, uint64_t n)
{
    uint64_t seed = 40 + (uint64_t)which;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t random = ref_random(&seed);
        const bool border = i % 4096 == 0 || i % 1000 == 0 || i % 64 == 0;
        const bool beside = i % 4096 == 4095 || i % 1000 == 1 || i % 64 == 63 || i % 8 == 7;
        const bool is[N_PATTERNS] = {false,           true,   i == 0, i == n - 1, random % 1500 == 0,
                                     random % 3 == 0, border, beside};
        heads[i] = (uint8_t)(is[which] ? 1 + (random >> 32) % 255 : 0);
    }
}

/* --- by hand -------------------------------------------------------------------------------------------------- */

static void sums_of_segments_by_hand(void **state)
{
    (void)state;
    const uint32_t in[8] = {3, 1, 7, 0, 4, 2, 1, 6};
    const uint8_t heads[8] = {0, 0, 255, 0, 128, 1, 0, 0};
    const uint32_t inclusive[8] = {3, 4, 7, 7, 4, 2, 3, 9}, exclusive[9] = {0, 3, 0, 7, 0, 0, 2, 3, 9};
    const uint32_t initial = 100, from_initial[9] = {100, 103, 100, 107, 100, 100, 102, 103, 109};
    for (em_scan_engine engine = EM_SCAN_AUTO; engine < EM_N_SCAN_ENGINES; engine++)
        for (uint64_t tile = 4; tile < 40; tile += 4) {
            em_context *context = support_scan_context((support_setting){.n_threads = 2, .tile_bytes = tile});
            uint32_t out[9], total;
            em_scan_call call = {.monoid = em_monoid_of(context, EM_SUM, EM_U32),
                                 .engine = engine,
                                 .in = in,
                                 .out = out,
                                 .n = 8,
                                 .heads = heads,
                                 .total = &total};
            assert_int_equal(em_scan(context, &call, NULL), EM_OK);
            assert_memory_equal(out, inclusive, sizeof inclusive);
            assert_int_equal(total, 9);
            call.kind = EM_EXCLUSIVE_TOTAL;
            assert_int_equal(em_scan(context, &call, NULL), EM_OK);
            assert_memory_equal(out, exclusive, sizeof exclusive);
            call.initial = &initial;
            assert_int_equal(em_scan(context, &call, NULL), EM_OK);
            assert_memory_equal(out, from_initial, sizeof from_initial);
            assert_int_equal(total, 109);
            em_context_free(context);
        }
}

static void an_exclusive_sum_of_floats_is_plus_zero_at_heads(void **state)
{
    (void)state;
    const float in[6] = {-0.0f, -0.0f, 1, NAN, -0.0f, -0.0f}, zeros[6] = {0};
    const uint8_t heads[6] = {1, 1, 1, 1, 1, 1}, two[6] = {0, 0, 1, 0, 1, 0};
    const float minus_zeros[6] = {-0.0f, -0.0f, -0.0f, -0.0f, -0.0f, -0.0f},
                sums[6] = {-0.0f, -0.0f, 1, NAN, -0.0f, -0.0f};
    em_context *context = support_scan_context((support_setting){.n_threads = 2});
    float out[6];
    em_scan_call call = {.monoid = em_monoid_of(context, EM_SUM, EM_F32),
                         .kind = EM_EXCLUSIVE,
                         .in = in,
                         .out = out,
                         .n = 6,
                         .heads = heads};
    assert_int_equal(em_scan(context, &call, NULL), EM_OK);
    assert_memory_equal(out, zeros, sizeof zeros);
    call.initial = &minus_zeros[0];
    assert_int_equal(em_scan(context, &call, NULL), EM_OK);
    assert_memory_equal(out, minus_zeros, sizeof minus_zeros);
    call.kind = EM_INCLUSIVE, call.initial = NULL, call.heads = two;
    assert_int_equal(em_scan(context, &call, NULL), EM_OK);
    assert_memory_equal(out, sums, sizeof sums);
    em_context_free(context);
}

static void a_total_is_that_of_the_last_segment(void **state)
{
    (void)state;
    static uint64_t ones[1000], out[1001];
    static uint8_t heads[1000];
    for (uint64_t i = 0; i < 1000; i++)
        ones[i] = 1;
    for (uint64_t head = 0; head < 1000; head += 37)
        for (em_scan_engine engine = EM_SCAN_AUTO; engine < EM_N_SCAN_ENGINES; engine++) {
            em_context *context = support_scan_context((support_setting){.n_threads = 3, .tile_bytes = 8 * head});
            const em_scan_call call = {.monoid = em_monoid_of(context, EM_SUM, EM_U64),
                                       .kind = EM_EXCLUSIVE_TOTAL,
                                       .engine = engine,
                                       .in = ones,
                                       .out = out,
                                       .n = 1000,
                                       .heads = heads};
            heads[head] = 7;
            assert_int_equal(em_scan(context, &call, NULL), EM_OK);
            assert_int_equal(out[1000], 1000 - head);
            assert_int_equal(out[head], 0);
            heads[head] = 0;
            em_context_free(context);
        }
}

/* --- against scans of single segments ----------------------------------------------------------------------------- */

static uint64_t end_of_segment(const uint8_t *heads, uint64_t begin, uint64_t n)
{
    uint64_t end = begin + 1;
    while (end < n && !heads[end])
        end++;
    return end;
}

/* In one call, and in one call for each segment. */
static void try_segments(em_context *context, const em_monoid *monoid, em_scan_call call)
{
    unsigned char *together = malloc(call.n * monoid->result_bytes + 1),
                  *alone = malloc(call.n * monoid->result_bytes + 1);
    call.out = together;
    assert_int_equal(em_scan(context, &call, NULL), EM_OK);
    const uint8_t *heads = call.heads;
    em_scan_call one = call;
    one.heads = NULL;
    for (uint64_t begin = 0; begin < call.n; begin += one.n) {
        one.n = end_of_segment(heads, begin, call.n) - begin;
        one.in = (const unsigned char *)call.in + begin * monoid->item_bytes;
        one.out = alone + begin * monoid->result_bytes;
        assert_int_equal(em_scan(context, &one, NULL), EM_OK);
    }
    if (memcmp(together, alone, call.n * monoid->result_bytes) != 0)
        fail_msg("%s, kind %d", monoid->name, (int)call.kind);
    free(together), free(alone);
}

/* Where grouping is free; or where segments lie within leaves that begin with them. */
static void every_segment_is_scanned_as_if_alone(void **state)
{
    (void)state;
    enum { N = 3000 };
    static uint8_t heads[N];
    _Alignas(64) unsigned char initial[64];
    for (em_operator operation = EM_SUM; operation < EM_N_OPERATORS; operation++)
        for (em_type type = EM_U32; type <= EM_F64; type++) {
            em_context *context = support_scan_context((support_setting){.isa = EM_ISA_AVX512, .serial = true});
            const em_monoid *monoid = em_monoid_of(context, operation, type);
            unsigned char *items = monoid ? malloc(N * monoid->item_bytes) : NULL;
            for (pattern which = NONE; monoid && which < N_PATTERNS; which++) {
                put_heads(which, heads, N);
                support_items(operation, type, which % 2 ? SUPPORT_WILD : SUPPORT_TAME, which, items, N);
                monoid->lift(monoid, items, initial);
                for (em_scan_kind kind = EM_INCLUSIVE; kind <= EM_EXCLUSIVE; kind++) {
                    em_scan_call call = {.monoid = monoid, .kind = kind, .in = items, .n = N, .heads = heads};
                    try_segments(context, monoid, call);
                    call.initial = initial;
                    try_segments(context, monoid, call);
                }
            }
            free(items);
            em_context_free(context);
        }
}

/* --- against the definition -------------------------------------------------------------------------------------- */

static void try_pattern(em_operator operation, em_type type, pattern which, bool hasty)
{
    static uint8_t heads[MOST];
    _Alignas(64) unsigned char initial[64];
    support_subject subject = {.heads = heads, .initial = initial, .hasty = hasty};
    if (!support_find_forms(operation, type, &subject))
        return;
    const em_monoid *monoid = subject.forms[0];
    put_heads(which, heads, MOST);
    subject.items = malloc((MOST + 1) * monoid->item_bytes);
    support_items(operation, type, which % 2 ? SUPPORT_ZEROS : SUPPORT_TAME, which, subject.items, MOST + 1);
    monoid->lift(monoid, (const char *)subject.items + MOST * monoid->item_bytes, initial);
    support_try_subject(&subject);
    free(subject.items);
}

static void every_engine_begins_anew_at_every_head(void **state)
{
    (void)state;
    for (em_operator operation = EM_SUM; operation < EM_N_OPERATORS; operation++)
        for (em_type type = EM_U32; type <= EM_F64; type++) {
            try_pattern(operation, type, (pattern)((operation + (uint32_t)type) % N_PATTERNS), true);
            try_pattern(operation, type, operation % 2 ? RARE : OFTEN, true);
        }
}

static void heads_may_lie_anywhere(void **state)
{
    (void)state;
    for (pattern which = NONE; which < N_PATTERNS; which++) {
        try_pattern(EM_SUM, EM_U32, which, which != BESIDE);
        try_pattern(EM_SUM, EM_F32, which, which != BORDERS);
        try_pattern(EM_SUM_COMPENSATED, EM_F64, which, true);
        try_pattern(EM_SUM_WIDE, EM_U32, which, true);
        try_pattern(EM_MAT2, EM_U32, which, true);
        try_pattern(EM_ARG_MAX, EM_U64, which, true);
    }
}

int main(int argc, char **argv)
{
    (void)argc;
    support_wait_asleep(argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_segments_by_hand),
        cmocka_unit_test(an_exclusive_sum_of_floats_is_plus_zero_at_heads),
        cmocka_unit_test(a_total_is_that_of_the_last_segment),
        cmocka_unit_test(every_segment_is_scanned_as_if_alone),
        cmocka_unit_test(every_engine_begins_anew_at_every_head),
        cmocka_unit_test(heads_may_lie_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
