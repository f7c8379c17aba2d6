/* test_textbook - every round of the scans that are taught, worked out by hand; then any n against the plain fold.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "scan/monoids.h"
#include "scan/textbook.h"

enum { MOST = 70, ELEM_BYTES = 32 };

static em_context *context;

static int set_up(void **state)
{
    (void)state;
    const em_context_options options = {.n_threads = 1};
    return em_context_create(&options, &context, NULL) == EM_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    assert_int_equal(em_context_memory(context).current_bytes, 0);
    em_context_free(context);
    return 0;
}

/* --- rounds as text ---------------------------------------------------------------------------------------- */

typedef struct transcript {
    char text[4096];
    size_t length;
    uint32_t last[16]; /* the cells of the last round */
} transcript;

/* "up 1: 3 4 7 7 (2); " of u32, and checks what a round says of its changes. */
static em_status write_down(void *state, const em_textbook_round *round, em_error *error)
{
    (void)error;
    transcript *seen = state;
    const uint32_t *cells = round->elements;
    size_t at = seen->length;
    at += (size_t)sprintf(seen->text + at, "%s", em_textbook_phase_name(round->phase));
    if (round->distance)
        at += (size_t)sprintf(seen->text + at, " %llu", (unsigned long long)round->distance);
    for (uint64_t i = 0; i < round->n; i++)
        at += (size_t)sprintf(seen->text + at, "%s%u", i ? " " : ": ", cells[i]);
    if (round->n_combines)
        at += (size_t)sprintf(seen->text + at, " (%llu)", (unsigned long long)round->n_combines);
    at += (size_t)sprintf(seen->text + at, "\n");
    seen->length = at;
    memcpy(seen->last, cells, round->n * sizeof *cells);
    return EM_OK;
}

typedef em_status (*scan_function)(em_context *, const em_textbook *, void *, em_textbook_cost *, em_error *);

static void expect_rounds(scan_function run, const uint32_t *items, uint64_t n, const char *rounds,
                          em_textbook_cost expected)
{
    transcript seen = {0};
    uint32_t elements[16];
    em_textbook_cost cost = {0};
    const em_textbook scan = {
        .monoid = em_monoid_of(context, EM_SUM, EM_U32), .items = items, .n = n, .observe = write_down, .state = &seen};
    assert_int_equal(run(context, &scan, elements, &cost, NULL), EM_OK);
    assert_string_equal(seen.text, rounds);
    assert_int_equal(cost.n_combines, expected.n_combines);
    assert_int_equal(cost.depth, expected.depth);
    assert_memory_equal(elements, seen.last, n * sizeof *elements);
}

static const uint32_t EIGHT[8] = {3, 1, 7, 0, 4, 2, 1, 6};

static void hillis_steele_doubles_the_distance_of_each_round(void **state)
{
    (void)state;
    expect_rounds(em_hillis_steele, EIGHT, 8,
                  "items: 3 1 7 0 4 2 1 6\n"
                  "double 1: 3 4 8 7 4 6 3 7 (7)\n"
                  "double 2: 3 4 11 11 12 13 7 13 (6)\n"
                  "double 4: 3 4 11 11 15 17 18 24 (4)\n",
                  (em_textbook_cost){17, 3});
}

static void blelloch_sums_upwards_and_hands_prefixes_down(void **state)
{
    (void)state;
    expect_rounds(em_blelloch, EIGHT, 8,
                  "items: 3 1 7 0 4 2 1 6\n"
                  "up 1: 3 4 7 7 4 6 1 7 (4)\n"
                  "up 2: 3 4 7 11 4 6 1 13 (2)\n"
                  "up 4: 3 4 7 11 4 6 1 24 (1)\n"
                  "root: 3 4 7 11 4 6 1 0\n"
                  "down 4: 3 4 7 0 4 6 1 11 (1)\n"
                  "down 2: 3 0 7 4 4 11 1 17 (2)\n"
                  "down 1: 0 3 4 11 11 15 17 18 (4)\n",
                  (em_textbook_cost){14, 6});
}

static void the_fold_takes_one_item_after_another(void **state)
{
    (void)state;
    expect_rounds(em_textbook_fold, EIGHT, 4,
                  "items: 3 1 7 0\n"
                  "fold 1: 3 4 7 0 (1)\n"
                  "fold 1: 3 4 11 0 (1)\n"
                  "fold 1: 3 4 11 11 (1)\n",
                  (em_textbook_cost){3, 3});
}

/* Cells 5 to 7 are not shown. Nodes 5 and 7 have padding for their later halves, so the 4 goes up to them unchanged;
 * at the root cell 7 becomes 11 + 4 and then 0, and the prefix 11 comes down through it. */
static void five_items_are_padded_to_eight_and_shown_in_five_columns(void **state)
{
    (void)state;
    expect_rounds(em_blelloch, EIGHT, 5,
                  "items: 3 1 7 0 4\n"
                  "up 1: 3 4 7 7 4 (2)\n"
                  "up 2: 3 4 7 11 4 (1)\n"
                  "up 4: 3 4 7 11 4 (1)\n"
                  "root: 3 4 7 11 4\n"
                  "down 4: 3 4 7 0 4 (1)\n"
                  "down 2: 3 0 7 4 4 (1)\n"
                  "down 1: 0 3 4 11 11 (2)\n",
                  (em_textbook_cost){8, 6});
    expect_rounds(em_hillis_steele, EIGHT, 5,
                  "items: 3 1 7 0 4\n"
                  "double 1: 3 4 8 7 4 (4)\n"
                  "double 2: 3 4 11 11 12 (3)\n"
                  "double 4: 3 4 11 11 15 (1)\n",
                  (em_textbook_cost){8, 3});
}

static void nothing_and_one_item_need_no_combine(void **state)
{
    (void)state;
    expect_rounds(em_blelloch, NULL, 0, "items\n", (em_textbook_cost){0, 0});
    expect_rounds(em_hillis_steele, NULL, 0, "items\n", (em_textbook_cost){0, 0});
    expect_rounds(em_textbook_fold, NULL, 0, "items\n", (em_textbook_cost){0, 0});
    expect_rounds(em_exclusive_from_inclusive, NULL, 0, "", (em_textbook_cost){0, 0});
    expect_rounds(em_inclusive_from_exclusive, NULL, 0, "", (em_textbook_cost){0, 0});
    expect_rounds(em_blelloch, EIGHT, 1, "items: 3\nroot: 0\n", (em_textbook_cost){0, 0});
    expect_rounds(em_hillis_steele, EIGHT, 1, "items: 3\n", (em_textbook_cost){0, 0});
    expect_rounds(em_textbook_fold, EIGHT, 1, "items: 3\n", (em_textbook_cost){0, 0});
}

static void two_and_three_items_by_hand(void **state)
{
    (void)state;
    expect_rounds(em_blelloch, EIGHT, 2, "items: 3 1\nup 1: 3 4 (1)\nroot: 3 0\ndown 1: 0 3 (1)\n",
                  (em_textbook_cost){2, 2});
    expect_rounds(em_hillis_steele, EIGHT, 2, "items: 3 1\ndouble 1: 3 4 (1)\n", (em_textbook_cost){1, 1});
    expect_rounds(em_blelloch, EIGHT, 3,
                  "items: 3 1 7\n"
                  "up 1: 3 4 7 (1)\n"
                  "up 2: 3 4 7 (1)\n"
                  "root: 3 4 7\n"
                  "down 2: 3 0 7 (1)\n"
                  "down 1: 0 3 4 (1)\n",
                  (em_textbook_cost){4, 4});
    expect_rounds(em_hillis_steele, EIGHT, 3, "items: 3 1 7\ndouble 1: 3 4 8 (2)\ndouble 2: 3 4 11 (1)\n",
                  (em_textbook_cost){3, 2});
}

static void seven_items_by_hand(void **state)
{
    (void)state;
    expect_rounds(em_blelloch, EIGHT, 7,
                  "items: 3 1 7 0 4 2 1\n"
                  "up 1: 3 4 7 7 4 6 1 (3)\n"
                  "up 2: 3 4 7 11 4 6 1 (2)\n"
                  "up 4: 3 4 7 11 4 6 1 (1)\n"
                  "root: 3 4 7 11 4 6 1\n"
                  "down 4: 3 4 7 0 4 6 1 (1)\n"
                  "down 2: 3 0 7 4 4 11 1 (2)\n"
                  "down 1: 0 3 4 11 11 15 17 (3)\n",
                  (em_textbook_cost){12, 6});
    expect_rounds(em_hillis_steele, EIGHT, 7,
                  "items: 3 1 7 0 4 2 1\n"
                  "double 1: 3 4 8 7 4 6 3 (6)\n"
                  "double 2: 3 4 11 11 12 13 7 (5)\n"
                  "double 4: 3 4 11 11 15 17 18 (3)\n",
                  (em_textbook_cost){14, 3});
}

static void work_is_told_beforehand_and_kept(void **state)
{
    (void)state;
    /* n, Hillis-Steele's combines (9: 8 + 7 + 5 + 1; 13: 12 + 11 + 9 + 5) and rounds, Blelloch's */
    static const struct {
        uint64_t n;
        em_textbook_cost hillis_steele, blelloch;
    } BY_HAND[] = {{0, {0, 0}, {0, 0}},    {1, {0, 0}, {0, 0}},   {2, {1, 1}, {2, 2}},   {3, {3, 2}, {4, 4}},
                   {5, {8, 3}, {8, 6}},    {7, {14, 3}, {12, 6}}, {8, {17, 3}, {14, 6}}, {9, {21, 4}, {16, 8}},
                   {13, {37, 4}, {24, 8}}, {16, {49, 4}, {30, 8}}};
    uint32_t items[16] = {0}, elements[16];
    for (size_t i = 0; i < sizeof BY_HAND / sizeof *BY_HAND; i++) {
        const em_textbook scan = {.monoid = em_monoid_of(context, EM_SUM, EM_U32), .items = items, .n = BY_HAND[i].n};
        em_textbook_cost cost = {0}, told = em_hillis_steele_cost(scan.n);
        assert_int_equal(em_hillis_steele(context, &scan, elements, &cost, NULL), EM_OK);
        assert_memory_equal(&cost, &BY_HAND[i].hillis_steele, sizeof cost);
        assert_memory_equal(&told, &cost, sizeof cost);
        cost = (em_textbook_cost){0};
        told = em_blelloch_cost(scan.n);
        assert_int_equal(em_blelloch(context, &scan, elements, &cost, NULL), EM_OK);
        assert_memory_equal(&cost, &BY_HAND[i].blelloch, sizeof cost);
        assert_memory_equal(&told, &cost, sizeof cost);
    }
    assert_int_equal(em_hillis_steele_cost(1 << 20).n_combines, 20 * (1 << 20) - ((1 << 20) - 1));
    assert_int_equal(em_blelloch_cost(1 << 20).n_combines, 2 * ((1 << 20) - 1));
    assert_int_equal(em_textbook_fold_cost(1 << 20).depth, (1 << 20) - 1);
}

static void inclusive_and_exclusive_are_a_step_apart(void **state)
{
    (void)state;
    uint32_t elements[8] = {0, 3, 4, 11, 11, 15, 17, 18};
    const uint32_t exclusive[8] = {0, 3, 4, 11, 11, 15, 17, 18}, inclusive[8] = {3, 4, 11, 11, 15, 17, 18, 24};
    transcript seen = {0};
    em_textbook_cost cost = {0};
    const em_textbook scan = {
        .monoid = em_monoid_of(context, EM_SUM, EM_U32), .items = EIGHT, .n = 8, .observe = write_down, .state = &seen};
    assert_int_equal(em_inclusive_from_exclusive(context, &scan, elements, &cost, NULL), EM_OK);
    assert_memory_equal(elements, inclusive, sizeof inclusive);
    assert_int_equal(cost.n_combines, 8);
    assert_int_equal(cost.depth, 1);
    assert_int_equal(em_exclusive_from_inclusive(context, &scan, elements, &cost, NULL), EM_OK);
    assert_memory_equal(elements, exclusive, sizeof exclusive);
    assert_int_equal(cost.n_combines, 8);
    assert_int_equal(cost.depth, 1);
    assert_string_equal(seen.text, "include: 3 4 11 11 15 17 18 24 (8)\nshift 1: 0 3 4 11 11 15 17 18\n");
}

static void a_start_precedes_the_first_item(void **state)
{
    (void)state;
    const uint32_t start = 100;
    const uint32_t inclusive[8] = {103, 104, 111, 111, 115, 117, 118, 124};
    const uint32_t exclusive[8] = {100, 103, 104, 111, 111, 115, 117, 118};
    uint32_t elements[8];
    const em_textbook scan = {.monoid = em_monoid_of(context, EM_SUM, EM_U32), .items = EIGHT, .n = 8, .start = &start};
    assert_int_equal(em_blelloch(context, &scan, elements, NULL, NULL), EM_OK);
    assert_memory_equal(elements, exclusive, sizeof exclusive);
    em_textbook_cost cost = {0};
    assert_int_equal(em_hillis_steele(context, &scan, elements, &cost, NULL), EM_OK);
    assert_memory_equal(elements, inclusive, sizeof inclusive);
    assert_int_equal(cost.n_combines, 18);
    assert_int_equal(em_exclusive_from_inclusive(context, &scan, elements, NULL, NULL), EM_OK);
    assert_memory_equal(elements, exclusive, sizeof exclusive);
    assert_int_equal(em_textbook_fold(context, &scan, elements, NULL, NULL), EM_OK);
    assert_memory_equal(elements, inclusive, sizeof inclusive);
}

static void an_exclusive_sum_of_floats_begins_with_plus_zero(void **state)
{
    (void)state;
    const double items[2] = {1.5, 2}, zero = 0;
    double elements[2];
    const em_textbook scan = {.monoid = em_monoid_of(context, EM_SUM, EM_F64), .items = items, .n = 2};
    assert_int_equal(em_blelloch(context, &scan, elements, NULL, NULL), EM_OK);
    assert_memory_equal(elements, &zero, sizeof zero);
    assert_true(elements[1] == 1.5);
    assert_int_equal(em_hillis_steele(context, &scan, elements, NULL, NULL), EM_OK);
    assert_int_equal(em_exclusive_from_inclusive(context, &scan, elements, NULL, NULL), EM_OK);
    assert_memory_equal(elements, &zero, sizeof zero);
}

/* --- order ------------------------------------------------------------------------------------------------------ */

/* Products of A = (1,1;0,1) and B = (1,0;1,1): AB = (2,1;1,1), ABB = (3,1;2,1), ABBA = (3,4;2,3). */
static void matrices_are_multiplied_in_order(void **state)
{
    (void)state;
    const em_mat2 a = {1, 1, 0, 1}, b = {1, 0, 1, 1};
    const em_mat2 items[4] = {a, b, b, a};
    const em_mat2 exclusive[4] = {{1, 0, 0, 1}, a, {2, 1, 1, 1}, {3, 1, 2, 1}};
    const em_mat2 inclusive[4] = {a, {2, 1, 1, 1}, {3, 1, 2, 1}, {3, 4, 2, 3}};
    em_mat2 elements[4];
    const em_textbook scan = {.monoid = em_monoid_of(context, EM_MAT2, EM_U32), .items = items, .n = 4};
    assert_int_equal(em_blelloch(context, &scan, elements, NULL, NULL), EM_OK);
    assert_memory_equal(elements, exclusive, sizeof exclusive);
    assert_int_equal(em_inclusive_from_exclusive(context, &scan, elements, NULL, NULL), EM_OK);
    assert_memory_equal(elements, inclusive, sizeof inclusive);
    assert_int_equal(em_hillis_steele(context, &scan, elements, NULL, NULL), EM_OK);
    assert_memory_equal(elements, inclusive, sizeof inclusive);
}

/* x -> 2x + 1, then 3x + 2, then x + 5: 6x + 5, 6x + 10. */
static void the_earlier_map_is_applied_first(void **state)
{
    (void)state;
    const em_affine_u64 items[3] = {{2, 1}, {3, 2}, {1, 5}}, expected[3] = {{2, 1}, {6, 5}, {6, 10}};
    em_affine_u64 elements[3];
    const em_textbook scan = {.monoid = em_monoid_of(context, EM_AFFINE, EM_U64), .items = items, .n = 3};
    assert_int_equal(em_hillis_steele(context, &scan, elements, NULL, NULL), EM_OK);
    assert_memory_equal(elements, expected, sizeof expected);
}

static void of_equal_maxima_the_first_is_named(void **state)
{
    (void)state;
    const em_arg_i32 items[6] = {{5, 0}, {9, 1}, {9, 2}, {3, 3}, {9, 4}, {10, 5}};
    const uint64_t expected[6] = {0, 1, 1, 1, 1, 5};
    em_arg_i32 elements[6];
    const em_textbook scan = {.monoid = em_monoid_of(context, EM_ARG_MAX, EM_I32), .items = items, .n = 6};
    assert_int_equal(em_hillis_steele(context, &scan, elements, NULL, NULL), EM_OK);
    for (int i = 0; i < 6; i++)
        assert_true(elements[i].index == expected[i]);
    assert_int_equal(em_blelloch(context, &scan, elements, NULL, NULL), EM_OK);
    assert_true(elements[0].index == UINT64_MAX);
    for (int i = 1; i < 6; i++)
        assert_true(elements[i].index == expected[i - 1]);
}

/* --- any n, any monoid ---------------------------------------------------------------------------------------- */

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

static void fill(const em_monoid *of, em_operator operation, unsigned char *items)
{
    uint64_t seed = 88172645463325252 + of->item_bytes;
    static const em_mat2 generators[2] = {{1, 1, 0, 1}, {1, 0, 1, 1}};
    for (uint64_t i = 0; i < MOST; i++) {
        unsigned char *item = items + i * of->item_bytes;
        const uint64_t random = next_random(&seed);
        if (operation == EM_MAT2 || operation == EM_MAT2_PRIME)
            memcpy(item, &generators[random >> 40 & 1], of->item_bytes);
        else
            for (uint32_t b = 0; b < of->item_bytes; b++)
                item[b] = (unsigned char)(next_random(&seed) >> 32);
        if (operation == EM_ARG_MIN || operation == EM_ARG_MAX)
            memcpy(item + of->item_bytes - sizeof i, &i, sizeof i);
    }
}

static void expect_the_fold(const em_monoid *of, const void *items, uint64_t n)
{
    _Alignas(64) unsigned char expected[(MOST + 1) * ELEM_BYTES], elements[MOST * ELEM_BYTES], own[ELEM_BYTES];
    const size_t n_bytes = n * of->elem_bytes;
    const em_textbook scan = {.monoid = of, .items = items, .n = n};
    of->identity(of, expected);
    for (uint64_t i = 0; i < n; i++) {
        of->lift(of, (const unsigned char *)items + i * of->item_bytes, own);
        of->combine(of, expected + i * of->elem_bytes, own, expected + (i + 1) * of->elem_bytes);
    }
    em_textbook_cost cost = {0}, told;
    assert_int_equal(em_blelloch(context, &scan, elements, &cost, NULL), EM_OK);
    assert_memory_equal(elements, expected, n_bytes);
    told = em_blelloch_cost(n);
    assert_memory_equal(&cost, &told, sizeof cost);
    assert_int_equal(em_inclusive_from_exclusive(context, &scan, elements, NULL, NULL), EM_OK);
    assert_memory_equal(elements, expected + of->elem_bytes, n_bytes);
    cost = (em_textbook_cost){0};
    assert_int_equal(em_hillis_steele(context, &scan, elements, &cost, NULL), EM_OK);
    assert_memory_equal(elements, expected + of->elem_bytes, n_bytes);
    told = em_hillis_steele_cost(n);
    assert_memory_equal(&cost, &told, sizeof cost);
    assert_int_equal(em_exclusive_from_inclusive(context, &scan, elements, NULL, NULL), EM_OK);
    assert_memory_equal(elements, expected, n_bytes);
    assert_int_equal(em_textbook_fold(context, &scan, elements, NULL, NULL), EM_OK);
    assert_memory_equal(elements, expected + of->elem_bytes, n_bytes);
}

static void every_exact_monoid_gives_the_plain_fold_for_every_n(void **state)
{
    (void)state;
    _Alignas(64) unsigned char items[MOST * ELEM_BYTES];
    uint64_t n_monoids = 0;
    for (int operation = 0; operation < EM_N_OPERATORS; operation++)
        for (int type = 0; type < EM_F32; type++) {
            const em_monoid *of = em_monoid_of(context, (em_operator)operation, (em_type)type);
            if (!of || of->leaf_items)
                continue;
            assert_true(of->elem_bytes <= ELEM_BYTES);
            fill(of, (em_operator)operation, items);
            for (uint64_t n = 0; n <= MOST; n++)
                expect_the_fold(of, items, n);
            n_monoids++;
        }
    assert_true(n_monoids >= 40);
}

/* Small integers, so that every grouping of the sums is exact. */
static void floats_that_round_nowhere_give_the_plain_fold(void **state)
{
    (void)state;
    double items[MOST];
    uint64_t seed = 7;
    for (int i = 0; i < MOST; i++)
        items[i] = (double)(next_random(&seed) >> 44) - 500000;
    for (uint64_t n = 0; n <= MOST; n++) {
        double elements[MOST], sum = 0;
        const em_textbook scan = {.monoid = em_monoid_of(context, EM_SUM, EM_F64), .items = items, .n = n};
        assert_int_equal(em_blelloch(context, &scan, elements, NULL, NULL), EM_OK);
        for (uint64_t i = 0; i < n; i++) {
            assert_true(elements[i] == sum);
            sum += items[i];
        }
        assert_int_equal(em_hillis_steele(context, &scan, elements, NULL, NULL), EM_OK);
        assert_true(!n || elements[n - 1] == sum);
    }
}

/* --- what a round says ------------------------------------------------------------------------------------------ */

typedef struct replay {
    uint64_t before[128], n_rounds;
    const uint64_t *items;
    bool failed;
} replay;

/* A round's changes, applied to the cells before it, give the cells after it. */
static em_status follow(void *state, const em_textbook_round *round, em_error *error)
{
    (void)error;
    replay *own = state;
    const uint64_t *after = round->elements;
    uint64_t expected[128], n_combines = 0;
    memcpy(expected, own->n_rounds++ ? own->before : after, round->n_cells * sizeof *after);
    for (uint64_t i = 0; i < round->n_changes; i++) {
        const em_textbook_change *change = &round->changes[i];
        const uint64_t earlier = change->earlier == EM_NO_CELL ? 0 : own->before[change->earlier];
        uint64_t later = 0;
        if (change->later != EM_NO_CELL)
            later = round->phase == EM_PHASE_INCLUDE ? own->items[change->later] : own->before[change->later];
        expected[change->to] = earlier + later;
        n_combines += change->later != EM_NO_CELL;
    }
    own->failed |= memcmp(expected, after, round->n_cells * sizeof *after) != 0 || n_combines != round->n_combines;
    memcpy(own->before, after, round->n_cells * sizeof *after);
    return EM_OK;
}

static void changes_tell_all_that_a_round_did(void **state)
{
    (void)state;
    uint64_t items[MOST], elements[MOST], seed = 3;
    for (int i = 0; i < MOST; i++)
        items[i] = next_random(&seed);
    for (uint64_t n = 0; n <= MOST; n++) {
        static const scan_function functions[] = {em_hillis_steele, em_blelloch, em_textbook_fold};
        for (int f = 0; f < 3; f++) {
            replay own = {.items = items};
            const em_textbook scan = {
                .monoid = em_monoid_of(context, EM_SUM, EM_U64), .items = items, .n = n, .observe = follow, &own};
            assert_int_equal(functions[f](context, &scan, elements, NULL, NULL), EM_OK);
            assert_false(own.failed);
            assert_int_equal((f == 1 ? em_inclusive_from_exclusive : em_exclusive_from_inclusive)(context, &scan,
                                                                                                  elements, NULL, NULL),
                             EM_OK);
            assert_false(own.failed);
        }
    }
}

static em_status refuse_the_third(void *state, const em_textbook_round *round, em_error *error)
{
    (void)round;
    return ++*(int *)state == 3 ? em_fail(error, EM_ENVIRONMENT, "the pen is empty") : EM_OK;
}

static void who_watches_can_stop_a_scan(void **state)
{
    (void)state;
    static const scan_function functions[] = {em_hillis_steele, em_blelloch, em_textbook_fold};
    for (int f = 0; f < 3; f++) {
        int n_seen = 0;
        uint32_t elements[8];
        em_error error = {0};
        const em_textbook scan = {.monoid = em_monoid_of(context, EM_SUM, EM_U32),
                                  .items = EIGHT,
                                  .n = 8,
                                  .observe = refuse_the_third,
                                  .state = &n_seen};
        assert_int_equal(functions[f](context, &scan, elements, NULL, &error), EM_ENVIRONMENT);
        assert_string_equal(error.message, "the pen is empty");
        assert_int_equal(n_seen, 3);
    }
}

static void monoids_that_are_not_whole_are_refused(void **state)
{
    (void)state;
    uint32_t elements[8];
    em_monoid half = *em_monoid_of(context, EM_SUM, EM_U32);
    half.lift = NULL;
    const em_textbook cases[] = {{.monoid = NULL, .items = EIGHT, .n = 8},
                                 {.monoid = &half, .items = EIGHT, .n = 8},
                                 {.monoid = em_monoid_of(context, EM_SUM, EM_U32), .items = NULL, .n = 8}};
    static const scan_function functions[] = {em_hillis_steele, em_blelloch, em_textbook_fold,
                                              em_exclusive_from_inclusive, em_inclusive_from_exclusive};
    for (int c = 0; c < 3; c++)
        for (int f = 0; f < 5; f++)
            assert_int_equal(functions[f](context, &cases[c], elements, NULL, NULL), EM_USAGE);
    const em_textbook endless = {.monoid = em_monoid_of(context, EM_SUM, EM_U32), .items = EIGHT, .n = UINT64_MAX};
    assert_int_equal(em_blelloch(context, &endless, elements, NULL, NULL), EM_NO_MEMORY);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    static const scan_function functions[] = {em_hillis_steele, em_blelloch, em_textbook_fold,
                                              em_exclusive_from_inclusive, em_inclusive_from_exclusive};
    for (int f = 0; f < 5; f++) {
        em_status status = EM_NO_MEMORY;
        for (uint64_t at = 1; status != EM_OK; at++) {
            assert_true(at < 10);
            const em_context_options options = {.n_threads = 1, .knobs.fail_allocation = at};
            em_context *failing;
            assert_int_equal(em_context_create(&options, &failing, NULL), EM_OK);
            transcript seen = {0};
            uint32_t elements[8] = {0};
            const em_textbook scan = {.monoid = em_monoid_of(context, EM_SUM, EM_U32),
                                      .items = EIGHT,
                                      .n = 8,
                                      .observe = write_down,
                                      .state = &seen};
            status = functions[f](failing, &scan, elements, NULL, NULL);
            assert_true(status == EM_OK || status == EM_NO_MEMORY);
            assert_int_equal(em_context_memory(failing).current_bytes, 0);
            em_context_free(failing);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hillis_steele_doubles_the_distance_of_each_round),
        cmocka_unit_test(blelloch_sums_upwards_and_hands_prefixes_down),
        cmocka_unit_test(the_fold_takes_one_item_after_another),
        cmocka_unit_test(five_items_are_padded_to_eight_and_shown_in_five_columns),
        cmocka_unit_test(nothing_and_one_item_need_no_combine),
        cmocka_unit_test(two_and_three_items_by_hand),
        cmocka_unit_test(seven_items_by_hand),
        cmocka_unit_test(work_is_told_beforehand_and_kept),
        cmocka_unit_test(inclusive_and_exclusive_are_a_step_apart),
        cmocka_unit_test(a_start_precedes_the_first_item),
        cmocka_unit_test(an_exclusive_sum_of_floats_begins_with_plus_zero),
        cmocka_unit_test(matrices_are_multiplied_in_order),
        cmocka_unit_test(the_earlier_map_is_applied_first),
        cmocka_unit_test(of_equal_maxima_the_first_is_named),
        cmocka_unit_test(every_exact_monoid_gives_the_plain_fold_for_every_n),
        cmocka_unit_test(floats_that_round_nowhere_give_the_plain_fold),
        cmocka_unit_test(changes_tell_all_that_a_round_did),
        cmocka_unit_test(who_watches_can_stop_a_scan),
        cmocka_unit_test(monoids_that_are_not_whole_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
