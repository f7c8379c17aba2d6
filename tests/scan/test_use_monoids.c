/* test_use_monoids - cut concatenation and intersection of intervals: laws, and scans against loops.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support_uses.h"

#include <string.h>

#include "scan/uses.h"
#include "tests/reference.h"

enum { N = 2000 };

/* --- concatenation ---------------------------------------------------------------------------------- */

static void texts_by_hand(em_context *context, void *state)
{
    (void)state;
    const em_first_bytes in[4] = {em_first_bytes_of("scan"), em_first_bytes_of(""), em_first_bytes_of(", in any order"),
                                  em_first_bytes_of(" that is associative")};
    static const char *const BEFORE[5] = {"", "scan", "scan", "scan, in any order", "scan, in any order that "};
    em_first_bytes out[5], expected[5];
    for (uint64_t i = 0; i < 5; i++)
        expected[i] = em_first_bytes_of(BEFORE[i]);
    const em_scan_call call = {
        .monoid = em_monoid_first_bytes(), .kind = EM_EXCLUSIVE_TOTAL, .in = in, .out = out, .n = 4};
    assert_int_equal(em_scan(context, &call, NULL), EM_OK);
    assert_memory_equal(out, expected, sizeof out);
}

static void texts_by_hand_in_every_context(void **state)
{
    uses_in_every_context(texts_by_hand, *state);
}

static void a_text_is_cut_and_clean(void **state)
{
    (void)state;
    const em_first_bytes cut = em_first_bytes_of("abcdefghijklmnopqrstuvwxyz"), none = em_first_bytes_of("");
    assert_int_equal(cut.n_bytes, 24);
    assert_memory_equal(cut.bytes, "abcdefghijklmnopqrstuvwx", 24);
    assert_int_equal(none.n_bytes, 0);
    const em_monoid *monoid = em_monoid_first_bytes();
    em_first_bytes dirty = cut, element;
    dirty.n_bytes = 200;
    monoid->lift(monoid, &dirty, &element);
    assert_memory_equal(&element, &cut, sizeof cut);
    dirty.n_bytes = 0;
    monoid->lift(monoid, &dirty, &element);
    assert_memory_equal(&element, &none, sizeof none);
}

typedef struct texts {
    em_first_bytes in[N], out[N], inclusive[N], exclusive[N];
    uint8_t heads[N];
} texts;

static void match_the_buffer(em_context *context, void *state)
{
    texts *own = state;
    em_scan_call call = {.monoid = em_monoid_first_bytes(), .in = own->in, .out = own->out, .n = N};
    call.heads = own->heads;
    assert_int_equal(em_scan(context, &call, NULL), EM_OK);
    assert_memory_equal(own->out, own->inclusive, sizeof own->out);
    memcpy(own->out, own->in, sizeof own->out);
    call.kind = EM_EXCLUSIVE, call.in = own->out; /* in place */
    assert_int_equal(em_scan(context, &call, NULL), EM_OK);
    assert_memory_equal(own->out, own->exclusive, sizeof own->out);
}

/* A swapped pair of arguments shows at once: every text differs from the next. */
static void texts_match_a_growing_buffer(void **state)
{
    (void)state;
    static texts own;
    static char buffer[16 * N + 1];
    uint64_t n_bytes = 0, seed = 5;
    for (uint64_t i = 0; i < N; i++) {
        char text[10] = "";
        const uint64_t n = ref_random(&seed) % (i % 500 < 30 ? 3 : 10);
        for (uint64_t k = 0; k < n; k++)
            text[k] = (char)('a' + ref_random(&seed) % 26);
        own.in[i] = em_first_bytes_of(text);
        own.heads[i] = i == 1 || i % 500 == 20;
        if (own.heads[i])
            n_bytes = 0, buffer[0] = 0;
        own.exclusive[i] = em_first_bytes_of(buffer);
        memcpy(buffer + n_bytes, text, n + 1);
        n_bytes += n;
        own.inclusive[i] = em_first_bytes_of(buffer);
    }
    uses_in_every_context(match_the_buffer, &own);
}

/* --- intervals ---------------------------------------------------------------------------------------- */

static void intervals_by_hand(em_context *context, void *state)
{
    (void)state;
    const em_interval in[4] = {{9, 17}, {8, 12}, {10, 20}, {12, 13}};
    const em_interval expected[4] = {{9, 17}, {9, 12}, {10, 12}, {12, 12}};
    em_interval out[4], all;
    const em_scan_call call = {.monoid = em_monoid_intervals(), .in = in, .out = out, .n = 4};
    assert_int_equal(em_scan(context, &call, NULL), EM_OK);
    assert_memory_equal(out, expected, sizeof out);
    assert_int_equal(em_reduce(context, em_monoid_intervals(), in, 3, &all, NULL), EM_OK);
    assert_memory_equal(&all, &expected[2], sizeof all);
    assert_int_equal(em_reduce(context, em_monoid_intervals(), in, 0, &all, NULL), EM_OK);
    assert_true(all.begin == INT64_MIN && all.end == INT64_MAX);
}

static void intervals_by_hand_in_every_context(void **state)
{
    uses_in_every_context(intervals_by_hand, *state);
}

typedef struct intervals {
    em_interval in[N], out[N], inclusive[N];
} intervals;

static void match_membership(em_context *context, void *state)
{
    intervals *own = state;
    const em_scan_call call = {.monoid = em_monoid_intervals(), .in = own->in, .out = own->out, .n = N};
    assert_int_equal(em_scan(context, &call, NULL), EM_OK);
    assert_memory_equal(own->out, own->inclusive, sizeof own->out);
}

/* A number is in the intersection exactly if it is in all. */
static void an_intersection_holds_what_all_hold(void **state)
{
    (void)state;
    static intervals own;
    uint64_t seed = 6;
    int64_t begin = INT64_MIN, end = INT64_MAX;
    for (uint64_t i = 0; i < N; i++) {
        own.in[i] = (em_interval){-(int64_t)(ref_random(&seed) >> (1 + i / 100)),
                                  (int64_t)(ref_random(&seed) >> (1 + i / 100)) - (i > N - 100 ? 1 << 20 : 0)};
        begin = own.in[i].begin > begin ? own.in[i].begin : begin;
        end = own.in[i].end < end ? own.in[i].end : end;
        own.inclusive[i] = (em_interval){begin, end};
    }
    uses_in_every_context(match_membership, &own);
    for (uint64_t i = 0; i < N; i += 7)
        for (int64_t x = -1; x <= 1; x++) {
            bool in_all = true;
            const int64_t at = own.inclusive[i].begin + x;
            for (uint64_t k = 0; k <= i; k++)
                in_all = in_all && own.in[k].begin <= at && at < own.in[k].end;
            assert_int_equal(own.inclusive[i].begin <= at && at < own.inclusive[i].end, in_all);
        }
}

/* --- laws ------------------------------------------------------------------------------------------------ */

static void check_laws(const em_monoid *of, const void *x, const void *y, const void *z)
{
    unsigned char a[64], b[64], none[64], left[64], right[64], with[64];
    of->lift(of, x, a);
    of->combine(of, a, y, left);
    of->combine(of, left, z, left);
    of->combine(of, y, z, right);
    of->combine(of, a, right, right);
    assert_memory_equal(left, right, of->elem_bytes);
    of->lift(of, y, b);
    of->identity(of, none);
    of->combine(of, none, b, with);
    assert_memory_equal(with, b, of->elem_bytes);
    of->combine(of, b, none, with);
    assert_memory_equal(with, b, of->elem_bytes);
}

static void both_are_associative_and_have_an_identity(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        "", "a", "bcd", "efghijklm", "nopqrstuvwxyzABCDEFGHIJ", "KLMNOPQRSTUVWXYZ012345678"};
    const em_interval some[] = {{0, 10}, {3, 5}, {5, 3}, {INT64_MIN, 0}, {7, INT64_MAX}, {INT64_MAX, INT64_MIN}};
    for (int i = 0; i < 6 * 6 * 6; i++) {
        const em_first_bytes x = em_first_bytes_of(TEXTS[i % 6]), y = em_first_bytes_of(TEXTS[i / 6 % 6]);
        const em_first_bytes z = em_first_bytes_of(TEXTS[i / 36]);
        check_laws(em_monoid_first_bytes(), &x, &y, &z);
        check_laws(em_monoid_intervals(), &some[i % 6], &some[i / 6 % 6], &some[i / 36]);
    }
}

static em_status scan_both(em_context *context, em_error *error)
{
    static em_first_bytes in[300], out[300];
    static em_interval some[300];
    const em_scan_call texts_call = {.monoid = em_monoid_first_bytes(), .in = in, .out = out, .n = 300};
    const em_scan_call call = {.monoid = em_monoid_intervals(), .in = some, .out = some, .n = 300};
    em_status status = em_scan(context, &texts_call, error);
    if (status == EM_OK)
        status = em_scan(context, &call, error);
    return status;
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    uses_survives_failing_allocations(scan_both);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_by_hand_in_every_context),
        cmocka_unit_test(a_text_is_cut_and_clean),
        cmocka_unit_test(texts_match_a_growing_buffer),
        cmocka_unit_test(intervals_by_hand_in_every_context),
        cmocka_unit_test(an_intersection_holds_what_all_hold),
        cmocka_unit_test(both_are_associative_and_have_an_identity),
        cmocka_unit_test(survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
