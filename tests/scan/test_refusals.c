/* test_refusals - arrays, reductions and monoids that no scan takes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "tests/support_scan.h"

/* --- what is refused ----------------------------------------------------------------------------------------- */

static void refuse_call(em_context *context, em_scan_call call)
{
    em_error error = {0};
    assert_int_equal(em_scan(context, &call, &error), EM_USAGE);
    assert_int_equal(error.status, EM_USAGE);
    assert_int_equal(strncmp(error.message, "scan: ", 6), 0);
}

static void refuses_every_overlap_but_in_place(void **state)
{
    (void)state;
    em_context *context = support_scan_context((support_setting){.n_threads = 2});
    _Alignas(64) unsigned char at[1024] = {0};
    const em_scan_call plain = {.monoid = em_monoid_of(context, EM_SUM, EM_U32), .in = at + 256, .n = 16};
    for (uint32_t begin = 128; begin < 400; begin += 4)
        for (em_scan_kind kind = EM_INCLUSIVE; kind <= EM_EXCLUSIVE_TOTAL; kind++) {
            em_scan_call call = plain;
            call.kind = kind, call.out = at + begin;
            const uint32_t end = begin + 64 + 4 * (kind == EM_EXCLUSIVE_TOTAL);
            if (begin == 256 || end <= 256 || begin >= 256 + 64)
                assert_int_equal(em_scan(context, &call, NULL), EM_OK);
            else
                refuse_call(context, call);
        }
    /* results that are larger than items, or smaller */
    em_scan_call wider = plain;
    wider.monoid = em_monoid_of(context, EM_SUM_WIDE, EM_U32), wider.out = at + 256;
    refuse_call(context, wider);
    wider.out = at + 128;
    assert_int_equal(em_scan(context, &wider, NULL), EM_OK);
    wider.out = at + 136;
    refuse_call(context, wider);
    /* flags under the results */
    em_scan_call flagged = plain;
    flagged.out = at + 512, flagged.heads = at + 512 + 63;
    refuse_call(context, flagged);
    flagged.heads = at + 512 - 15;
    refuse_call(context, flagged);
    flagged.heads = at + 512 - 16;
    assert_int_equal(em_scan(context, &flagged, NULL), EM_OK);
    flagged.out = at + 256, flagged.heads = at + 256;
    refuse_call(context, flagged);
    /* nothing overlaps with no items, wherever they are said to be */
    em_scan_call none = plain;
    none.kind = EM_EXCLUSIVE_TOTAL, none.n = 0;
    none.monoid = em_monoid_of(context, EM_SUM_WIDE, EM_U32), none.in = at + 260, none.out = at + 256;
    assert_int_equal(em_scan(context, &none, NULL), EM_OK);
    em_context_free(context);
}

static void refuses_arrays_that_are_not(void **state)
{
    (void)state;
    em_context *context = support_scan_context((support_setting){.n_threads = 2});
    _Alignas(64) unsigned char at[1024] = {0};
    const em_scan_call plain = {.monoid = em_monoid_of(context, EM_SUM, EM_U64), .in = at, .out = at + 512, .n = 16};
    em_scan_call call = plain;
    call.in = NULL, refuse_call(context, call);
    call = plain, call.out = NULL, refuse_call(context, call);
    call = plain, call.in = at + 1, refuse_call(context, call);
    call = plain, call.out = at + 516, refuse_call(context, call);
    call = plain, call.n = UINT64_MAX / 8, refuse_call(context, call);
    call = plain, call.n = UINT64_MAX, refuse_call(context, call);
    call = plain, call.n = UINT64_MAX, call.kind = EM_EXCLUSIVE_TOTAL, refuse_call(context, call);
    call = plain, call.n = UINT64_MAX, call.monoid = support_xor_bytes(), refuse_call(context, call);
    call = plain, call.kind = (em_scan_kind)-1, refuse_call(context, call);
    call = plain, call.kind = (em_scan_kind)3, refuse_call(context, call);
    call = plain, call.engine = EM_N_SCAN_ENGINES, refuse_call(context, call);
    call = plain, call.n = 0, call.out = NULL, call.kind = EM_EXCLUSIVE_TOTAL, refuse_call(context, call);
    call = plain, call.n = 0, call.out = NULL, call.in = NULL;
    assert_int_equal(em_scan(context, &call, NULL), EM_OK);
    em_context_free(context);
}

static void refuses_reductions_without_a_place(void **state)
{
    (void)state;
    em_context *context = support_scan_context((support_setting){.n_threads = 2});
    const em_monoid *monoid = em_monoid_of(context, EM_SUM, EM_U64);
    uint64_t at[17] = {[0] = 5, [3] = 6, [16] = 7}, total = 0;
    assert_int_equal(em_reduce(context, monoid, at, 16, NULL, NULL), EM_USAGE);
    assert_int_equal(em_reduce(context, monoid, at, 8, (char *)at + 68, NULL), EM_USAGE);
    assert_int_equal(em_reduce(context, monoid, NULL, 16, &total, NULL), EM_USAGE);
    assert_int_equal(em_reduce(context, monoid, (char *)at + 1, 8, &total, NULL), EM_USAGE);
    assert_int_equal(em_reduce(context, NULL, at, 16, &total, NULL), EM_USAGE);
    /* a total within what is being summed would be read as an item */
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal(em_reduce(context, monoid, at, 16, &at[i], NULL), EM_USAGE);
    assert_int_equal(at[0], 5);
    assert_int_equal(em_reduce(context, monoid, at, 16, &at[16], NULL), EM_OK);
    assert_int_equal(at[16], 11);
    em_context_free(context);
}

static void refuse_monoid(em_context *context, em_monoid broken)
{
    uint64_t in[8] = {0}, out[8] = {0}, total;
    refuse_call(context, (em_scan_call){.monoid = &broken, .in = in, .out = out, .n = 4});
    broken.name = NULL;
    refuse_call(context, (em_scan_call){.monoid = &broken, .in = in, .out = out, .n = 0});
    assert_int_equal(em_reduce(context, &broken, in, 4, &total, NULL), EM_USAGE);
}

static void refuses_monoids_that_are_not_whole(void **state)
{
    (void)state;
    em_context *context = support_scan_context((support_setting){.n_threads = 2});
    em_monoid whole = *em_monoid_of(context, EM_SUM, EM_U64);
    whole.is_whole = false;
    em_monoid broken = whole;
    refuse_call(context, (em_scan_call){.monoid = NULL, .n = 0});
    broken.item_bytes = 0, refuse_monoid(context, broken);
    broken = whole, broken.elem_bytes = 0, refuse_monoid(context, broken);
    broken = whole, broken.result_bytes = 0, refuse_monoid(context, broken);
    broken = whole, broken.item_align = 0, refuse_monoid(context, broken);
    broken = whole, broken.elem_align = 3, refuse_monoid(context, broken);
    broken = whole, broken.result_align = 0, refuse_monoid(context, broken);
    broken = whole, broken.elem_align = 128, broken.elem_bytes = 128, refuse_monoid(context, broken);
    broken = whole, broken.elem_bytes = 12, refuse_monoid(context, broken);
    broken = whole, broken.item_bytes = 12, refuse_monoid(context, broken);
    broken = whole, broken.result_bytes = 12, refuse_monoid(context, broken);
    broken = whole, broken.elem_bytes = UINT32_MAX - 7, refuse_monoid(context, broken);
    broken = whole, broken.leaf_items = EM_TILE_MOST_ITEMS + 1, refuse_monoid(context, broken);
    broken = whole, broken.identity = NULL, refuse_monoid(context, broken);
    broken = whole, broken.combine = NULL, refuse_monoid(context, broken);
    broken = whole, broken.lower = NULL, refuse_monoid(context, broken);
    broken = whole, broken.reduce = NULL, refuse_monoid(context, broken);
    broken = whole, broken.scan = NULL, refuse_monoid(context, broken);
    uint64_t in[4] = {0}, out[4] = {0};
    const uint8_t heads[4] = {0};
    broken = whole, broken.lanes = UINT32_MAX;
    refuse_call(context, (em_scan_call){.monoid = &broken, .in = in, .out = out, .n = 4, .heads = heads});
    em_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_every_overlap_but_in_place),
        cmocka_unit_test(refuses_arrays_that_are_not),
        cmocka_unit_test(refuses_reductions_without_a_place),
        cmocka_unit_test(refuses_monoids_that_are_not_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
