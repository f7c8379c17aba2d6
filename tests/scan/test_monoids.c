/* test_monoids - the operators themselves: which there are, by hand, and their laws.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scan/monoids.h"
#include "tests/reference.h"
#include "tests/support_scan.h"

enum { N = 1000, ELEM_BYTES = 64 };

/* Calls `check` with every monoid that there is, in the scalar form. */
static void for_each(void (*check)(em_context *context, em_operator operation, em_type type, const em_monoid *monoid))
{
    em_context *context = support_scan_context((support_setting){0});
    for (em_operator operation = EM_SUM; operation < EM_N_OPERATORS; operation++)
        for (em_type type = EM_U32; type <= EM_F64; type++)
            if (em_monoid_of(context, operation, type))
                check(context, operation, type, em_monoid_of(context, operation, type));
    em_context_free(context);
}

/* --- what there is ------------------------------------------------------------------------------------------- */

static void there_are_operators_for_these_types_and_no_others(void **state)
{
    (void)state;
    enum { U32 = 1, I32 = 2, U64 = 4, I64 = 8, F32 = 16, F64 = 32, WHOLE = 15, ALL = 63 };
    static const uint32_t DEFINED[EM_N_OPERATORS] = {[EM_SUM] = ALL,
                                                     [EM_PRODUCT] = ALL,
                                                     [EM_MIN] = ALL,
                                                     [EM_MAX] = ALL,
                                                     [EM_AND] = WHOLE,
                                                     [EM_OR] = WHOLE,
                                                     [EM_XOR] = WHOLE,
                                                     [EM_SUM_WIDE] = U32 | I32 | U64 | F32,
                                                     [EM_SUM_COMPENSATED] = F32 | F64,
                                                     [EM_LOG_SUM_EXP] = F32 | F64,
                                                     [EM_ARG_MIN] = ALL,
                                                     [EM_ARG_MAX] = ALL,
                                                     [EM_AFFINE] = U32 | U64 | F32 | F64,
                                                     [EM_MAT2] = U32,
                                                     [EM_MAT2_PRIME] = U32};
    for (em_isa isa = EM_ISA_SCALAR; isa <= EM_ISA_AVX512; isa++) {
        em_context *context = support_scan_context((support_setting){.isa = isa});
        for (em_operator operation = EM_SUM; operation < EM_N_OPERATORS; operation++)
            for (em_type type = EM_U32; type <= EM_F64; type++)
                assert_int_equal(em_monoid_of(context, operation, type) != NULL, DEFINED[operation] >> type & 1);
        assert_null(em_monoid_of(context, EM_N_OPERATORS, EM_U32));
        assert_null(em_monoid_of(context, (em_operator)-1, EM_U32));
        assert_null(em_monoid_of(context, EM_SUM, (em_type)EM_N_TYPES));
        assert_null(em_monoid_of(context, EM_SUM, (em_type)-1));
        em_context_free(context);
    }
}

/* A faster form is the same monoid: only lanes, speed and kernels may differ. */
static void is_one_monoid_in_every_form(em_context *context, em_operator operation, em_type type, const em_monoid *of)
{
    (void)context;
    support_subject subject;
    assert_true(support_find_forms(operation, type, &subject));
    for (em_isa isa = EM_ISA_NEON; isa <= EM_ISA_AVX512; isa++) {
        const em_monoid *form = subject.forms[isa];
        if (!form)
            continue;
        assert_int_equal(form->item_bytes, of->item_bytes);
        assert_int_equal(form->elem_bytes, of->elem_bytes);
        assert_int_equal(form->result_bytes, of->result_bytes);
        assert_int_equal(form->leaf_items, of->leaf_items);
        assert_int_equal(form->starts_at_zero, of->starts_at_zero);
        assert_true(form->identity && form->lift && form->combine && form->lower && form->reduce && form->scan);
    }
}

static void every_form_is_the_same_monoid(void **state)
{
    (void)state;
    for_each(is_one_monoid_in_every_form);
}

static void every_operator_and_type_has_a_name_of_its_own(void **state)
{
    (void)state;
    for (em_operator a = EM_SUM; a < EM_N_OPERATORS; a++)
        for (em_operator b = EM_SUM; b < a; b++)
            assert_string_not_equal(em_operator_name(a), em_operator_name(b));
    for (em_type a = EM_U32; a <= EM_F64; a++)
        for (em_type b = EM_U32; b < a; b++)
            assert_string_not_equal(em_type_name(a), em_type_name(b));
    assert_null(em_operator_name(EM_N_OPERATORS));
    assert_null(em_operator_name((em_operator)-1));
    assert_null(em_type_name((em_type)EM_N_TYPES));
    assert_null(em_type_name((em_type)-1));
}

/* --- by hand -------------------------------------------------------------------------------------------------- */

static void give(em_operator operation, em_type type, uint64_t n, const void *items, const void *expected)
{
    for (em_isa isa = EM_ISA_SCALAR; isa <= EM_ISA_AVX512; isa++) {
        em_context *context = support_scan_context((support_setting){.isa = isa});
        const em_monoid *monoid = em_monoid_of(context, operation, type);
        unsigned char out[1024];
        assert_true(n * monoid->result_bytes <= sizeof out);
        const em_scan_call call = {.monoid = monoid, .in = items, .out = out, .n = n};
        assert_int_equal(em_scan(context, &call, NULL), EM_OK);
        assert_memory_equal(out, expected, n * monoid->result_bytes);
        em_context_free(context);
    }
}
#define LIST(...)                                                                                                      \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }
#define GIVE(operation, type, n, item, in, expected) give(operation, type, n, (const item[])in, (const item[])expected)

static void integers_wrap(void **state)
{
    (void)state;
    GIVE(EM_SUM, EM_I32, 3, int32_t, LIST(INT32_MAX, 1, -1), LIST(INT32_MAX, INT32_MIN, INT32_MAX));
    GIVE(EM_SUM, EM_U64, 2, uint64_t, LIST(UINT64_MAX, 3), LIST(UINT64_MAX, 2));
    GIVE(EM_PRODUCT, EM_I32, 3, int32_t, LIST(65536, 32768, 2), LIST(65536, INT32_MIN, 0));
    GIVE(EM_PRODUCT, EM_I64, 2, int64_t, LIST(INT64_MIN, -1), LIST(INT64_MIN, INT64_MIN));
    GIVE(EM_MIN, EM_I32, 4, int32_t, LIST(3, -1, 2, INT32_MIN), LIST(3, -1, -1, INT32_MIN));
    GIVE(EM_MAX, EM_U32, 4, uint32_t, LIST(3, 1, 0x80000000, 2), LIST(3, 3, 0x80000000, 0x80000000));
    GIVE(EM_AND, EM_U32, 3, uint32_t, LIST(14, 7, 5), LIST(14, 6, 4));
    GIVE(EM_OR, EM_I64, 3, int64_t, LIST(8, 4, -16), LIST(8, 12, -4));
    GIVE(EM_XOR, EM_U32, 3, uint32_t, LIST(9, 5, 12), LIST(9, 12, 0));
}

static void wide_sums_do_not(void **state)
{
    (void)state;
    give(EM_SUM_WIDE, EM_U32, 3, (const uint32_t[]){UINT32_MAX, UINT32_MAX, 2},
         (const uint64_t[]){UINT32_MAX, UINT64_C(0x1FFFFFFFE), UINT64_C(0x200000000)});
    give(EM_SUM_WIDE, EM_I32, 3, (const int32_t[]){INT32_MIN, INT32_MIN, 5},
         (const int64_t[]){INT32_MIN, INT64_C(-0x100000000), INT64_C(-0xFFFFFFFB)});
    give(EM_SUM_WIDE, EM_F32, 4, (const float[]){0x1p24f, 1, 1, -0x1p24f},
         (const float[]){0x1p24f, 0x1p24f, 0x1p24f + 2, 2});
    em_context *context = support_scan_context((support_setting){0});
    const uint64_t items[3] = {UINT64_MAX, UINT64_MAX, 2};
    em_wide total;
    assert_int_equal(em_reduce(context, em_monoid_of(context, EM_SUM_WIDE, EM_U64), items, 3, &total, NULL), EM_OK);
    assert_int_equal(total.low, 0);
    assert_int_equal(total.high, 2);
    em_context_free(context);
}

static void floats_know_two_zeros_and_one_nan(void **state)
{
    (void)state;
    const float odd = -NAN, nan = NAN;
    GIVE(EM_SUM, EM_F32, 3, float, LIST(-0.0f, -0.0f, 0.0f), LIST(-0.0f, -0.0f, 0.0f));
    GIVE(EM_SUM, EM_F32, 3, float, LIST(1, odd, 2), LIST(1, nan, nan));
    GIVE(EM_SUM, EM_F64, 2, double, LIST(INFINITY, -INFINITY), LIST(INFINITY, (double)NAN));
    GIVE(EM_PRODUCT, EM_F64, 3, double, LIST(-0.0, 2, -1), LIST(-0.0, -0.0, 0.0));
    GIVE(EM_MIN, EM_F32, 4, float, LIST(0.0f, -0.0f, 0.0f, odd), LIST(0.0f, -0.0f, -0.0f, nan));
    GIVE(EM_MAX, EM_F64, 4, double, LIST(-0.0, 0.0, -0.0, -1), LIST(-0.0, 0.0, 0.0, 0.0));
    GIVE(EM_MIN, EM_F64, 3, double, LIST(INFINITY, (double)odd, -INFINITY), LIST(INFINITY, (double)NAN, (double)NAN));
    GIVE(EM_SUM_COMPENSATED, EM_F64, 4, double, LIST(1, 1e100, 1, -1e100), LIST(1, 1e100, 1e100, 2));
    GIVE(EM_SUM_COMPENSATED, EM_F64, 3, double, LIST(INFINITY, 1, -INFINITY), LIST(INFINITY, INFINITY, (double)NAN));
    GIVE(EM_LOG_SUM_EXP, EM_F64, 3, double, LIST(-INFINITY, 1000, -INFINITY), LIST(-INFINITY, 1000, 1000));
    GIVE(EM_LOG_SUM_EXP, EM_F64, 2, double, LIST(0, 0), LIST(0, 0x1.62e42fefa39efp-1));
    GIVE(EM_LOG_SUM_EXP, EM_F32, 4, float, LIST(INFINITY, INFINITY, odd, 0), LIST(INFINITY, INFINITY, nan, nan));
}

static void the_first_of_equals_is_the_place(void **state)
{
    (void)state;
    GIVE(EM_ARG_MAX, EM_I32, 4, em_arg_i32, LIST({-5, 0}, {3, 1}, {3, 2}, {4, 3}),
         LIST({-5, 0}, {3, 1}, {3, 1}, {4, 3}));
    GIVE(EM_ARG_MIN, EM_U64, 3, em_arg_u64, LIST({7, 9}, {7, 4}, {2, 1}), LIST({7, 9}, {7, 9}, {2, 1}));
    GIVE(EM_ARG_MAX, EM_U32, 2, em_arg_u32, LIST({0, 7}, {0, 8}), LIST({0, 7}, {0, 7}));
    GIVE(EM_ARG_MIN, EM_F64, 3, em_arg_f64, LIST({0.0, 0}, {-0.0, 1}, {0.0, 2}), LIST({0.0, 0}, {-0.0, 1}, {-0.0, 1}));
    GIVE(EM_ARG_MAX, EM_F32, 4, em_arg_f32, LIST({INFINITY, 0}, {NAN, 1}, {-NAN, 2}, {INFINITY, 3}),
         LIST({INFINITY, 0}, {NAN, 1}, {NAN, 1}, {NAN, 1}));
}

static void maps_and_matrices_go_from_left_to_right(void **state)
{
    (void)state;
    GIVE(EM_AFFINE, EM_U32, 3, em_affine_u32, LIST({2, 1}, {3, 0}, {1, 5}), LIST({2, 1}, {6, 3}, {6, 8}));
    GIVE(EM_AFFINE, EM_F64, 2, em_affine_f64, LIST({0.5, 4}, {-2, 1}), LIST({0.5, 4}, {-1, -7}));
    GIVE(EM_AFFINE, EM_F32, 2, em_affine_f32, LIST({2, 0}, {INFINITY, 1}), LIST({2, 0}, {INFINITY, 1}));
    GIVE(EM_MAT2, EM_U32, 3, em_mat2, LIST({1, 1, 0, 1}, {1, 0, 1, 1}, {1, 1, 0, 1}),
         LIST({1, 1, 0, 1}, {2, 1, 1, 1}, {2, 3, 1, 2}));
    em_mat2 fibonacci[100], total;
    for (uint32_t i = 0; i < 100; i++)
        fibonacci[i] = (em_mat2){1, 1, 1, 0};
    em_context *context = support_scan_context((support_setting){0});
    const em_monoid *prime = em_monoid_of(context, EM_MAT2_PRIME, EM_U32);
    assert_int_equal(em_reduce(context, prime, fibonacci, 100, &total, NULL), EM_OK);
    assert_int_equal(total.b, 759934303u); /* the hundredth, 354224848179261915075 */
    assert_int_equal(em_reduce(context, em_monoid_of(context, EM_MAT2, EM_U32), fibonacci, 100, &total, NULL), EM_OK);
    assert_int_equal(total.b, 3314859971u);
    em_context_free(context);
    GIVE(EM_MAT2_PRIME, EM_U32, 1, em_mat2,
         LIST({UINT32_MAX, EM_MAT2_MODULUS, EM_MAT2_MODULUS - 1, EM_MAT2_MODULUS + 1}),
         LIST({1, 0, EM_MAT2_MODULUS - 1, 1}));
}

/* --- laws ------------------------------------------------------------------------------------------------------ */

/* elements[n] that are products of one, two, three … items. */
static void some_elements(em_operator operation, em_type type, support_style style, const em_monoid *monoid,
                          unsigned char *elements, uint64_t n)
{
    unsigned char *items = malloc(4 * n * monoid->item_bytes);
    support_items(operation, type, style, (uint64_t)style + 1, items, 4 * n);
    for (uint64_t i = 0; i < n; i++) {
        unsigned char *element = elements + i * monoid->elem_bytes;
        monoid->lift(monoid, items + 4 * i * monoid->item_bytes, element);
        for (uint64_t k = 1; k <= i % 4; k++) {
            _Alignas(64) unsigned char one[ELEM_BYTES];
            monoid->lift(monoid, items + (4 * i + k) * monoid->item_bytes, one);
            monoid->combine(monoid, element, one, element);
        }
    }
    free(items);
}

static void assert_stand_for_the_same(const em_monoid *monoid, const void *a, const void *b)
{
    unsigned char results[2][ELEM_BYTES];
    if (!monoid->leaf_items && memcmp(a, b, monoid->elem_bytes) != 0)
        fail_msg("%s: elements differ", monoid->name);
    monoid->lower(monoid, a, results[0]);
    monoid->lower(monoid, b, results[1]);
    if (memcmp(results[0], results[1], monoid->result_bytes) != 0)
        fail_msg("%s: results differ", monoid->name);
}

static bool is_nan(em_type type, const void *element)
{
    float narrow = 0;
    double number = 0;
    if (type == EM_F32)
        memcpy(&narrow, element, sizeof narrow);
    if (type == EM_F64)
        memcpy(&number, element, sizeof number);
    return narrow != narrow || number != number;
}

static void has_a_neutral_element(em_context *context, em_operator operation, em_type type, const em_monoid *monoid)
{
    (void)context;
    const uint64_t elem_bytes = monoid->elem_bytes;
    _Alignas(64) unsigned char identity[ELEM_BYTES], left[ELEM_BYTES], right[ELEM_BYTES];
    unsigned char *elements = malloc(N * elem_bytes);
    monoid->identity(monoid, identity);
    for (support_style style = SUPPORT_TAME; style < SUPPORT_N_STYLES; style++) {
        some_elements(operation, type, style, monoid, elements, N);
        for (uint64_t i = 0; i < N; i++) {
            const unsigned char *element = elements + i * elem_bytes;
            monoid->combine(monoid, identity, element, left);
            monoid->combine(monoid, element, identity, right);
            assert_stand_for_the_same(monoid, left, right);
            if ((operation != EM_MIN && operation != EM_MAX) || !is_nan(type, element)) /* one NaN for all of them */
                assert_stand_for_the_same(monoid, left, element);
        }
    }
    monoid->combine(monoid, identity, identity, left);
    assert_stand_for_the_same(monoid, left, identity);
    free(elements);
}

static void every_identity_is_neutral_on_both_sides(void **state)
{
    (void)state;
    for_each(has_a_neutral_element);
}

static void is_associative(em_context *context, em_operator operation, em_type type, const em_monoid *monoid)
{
    (void)context;
    if (monoid->leaf_items)
        return;
    const uint64_t elem_bytes = monoid->elem_bytes;
    _Alignas(64) unsigned char left[ELEM_BYTES], right[ELEM_BYTES];
    unsigned char *elements = malloc(N * elem_bytes);
    uint64_t seed = 3;
    for (support_style style = SUPPORT_TAME; style < SUPPORT_N_STYLES; style++) {
        some_elements(operation, type, style, monoid, elements, N);
        monoid->identity(monoid, elements);
        for (uint64_t i = 0; i < 20 * N; i++) {
            const unsigned char *a = elements + ref_random(&seed) % N * elem_bytes;
            const unsigned char *b = elements + ref_random(&seed) % N * elem_bytes;
            const unsigned char *c = elements + ref_random(&seed) % N * elem_bytes;
            monoid->combine(monoid, a, b, left);
            monoid->combine(monoid, left, c, left);
            monoid->combine(monoid, b, c, right);
            monoid->combine(monoid, a, right, right);
            assert_stand_for_the_same(monoid, left, right);
        }
    }
    free(elements);
}

static void operators_of_any_grouping_are_associative(void **state)
{
    (void)state;
    for_each(is_associative);
}

/* All words of ten letters over the two generators: 1024 products, no two of them equal, so that any two letters
 * swapped, and so any arguments swapped, would show. */
static void matrix_words_are_all_different(void **state)
{
    (void)state;
    enum { LETTERS = 10, WORDS = 1 << LETTERS };
    static em_mat2 products[WORDS];
    const em_mat2 letters[2] = {{1, 1, 0, 1}, {1, 0, 1, 1}};
    em_context *context = support_scan_context((support_setting){.tile_bytes = 32, .isa = EM_ISA_AVX512});
    for (uint32_t operation = EM_MAT2; operation <= EM_MAT2_PRIME; operation++) {
        const em_monoid *monoid = em_monoid_of(context, (em_operator)operation, EM_U32);
        for (uint32_t word = 0; word < WORDS; word++) {
            em_mat2 items[LETTERS];
            for (uint32_t i = 0; i < LETTERS; i++)
                items[i] = letters[word >> i & 1];
            assert_int_equal(em_reduce(context, monoid, items, LETTERS, &products[word], NULL), EM_OK);
            for (uint32_t other = 0; other < word; other++)
                assert_memory_not_equal(&products[word], &products[other], sizeof(em_mat2));
        }
    }
    em_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_are_operators_for_these_types_and_no_others),
        cmocka_unit_test(every_form_is_the_same_monoid),
        cmocka_unit_test(every_operator_and_type_has_a_name_of_its_own),
        cmocka_unit_test(integers_wrap),
        cmocka_unit_test(wide_sums_do_not),
        cmocka_unit_test(floats_know_two_zeros_and_one_nan),
        cmocka_unit_test(the_first_of_equals_is_the_place),
        cmocka_unit_test(maps_and_matrices_go_from_left_to_right),
        cmocka_unit_test(every_identity_is_neutral_on_both_sides),
        cmocka_unit_test(operators_of_any_grouping_are_associative),
        cmocka_unit_test(matrix_words_are_all_different),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
