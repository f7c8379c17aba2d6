/* test_folds - scans by every operator against references that share nothing with it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support_scan.h"

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 uwide;

enum { N = 1000 };

/* --- folds against references ----------------------------------------------------------------------------------- */

typedef struct fold {
    em_operator operation;
    em_type type;
    const em_monoid *monoid;
    unsigned char *items, *results;
} fold;

static wide number_at(const fold *of, const unsigned char *at)
{
    uint64_t bits = 0;
    const size_t size = of->type == EM_U32 || of->type == EM_I32 ? 4 : 8;
    memcpy(&bits, at, size);
    if (of->type == EM_I32)
        return (int32_t)bits;
    return of->type == EM_I64 ? (wide)(int64_t)bits : (wide)bits;
}

static double float_at(const fold *of, const unsigned char *at)
{
    float narrow;
    double number;
    memcpy(&narrow, at, sizeof narrow);
    if (of->type == EM_F32)
        return narrow;
    memcpy(&number, at, sizeof number);
    return number;
}

/* A whole number that orders as min and max order floats, NaN aside. */
static int64_t order_of(double number)
{
    int64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits < 0 ? INT64_MIN - bits - 1 : bits;
}

static const unsigned char *item_at(const fold *of, uint64_t i)
{
    return of->items + i * of->monoid->item_bytes;
}

static const unsigned char *result_at(const fold *of, uint64_t i)
{
    return of->results + i * of->monoid->result_bytes;
}

static wide by_hand(em_operator operation, wide so_far, wide item)
{
    switch (operation) {
    case EM_PRODUCT:
        return (wide)((uwide)so_far * (uwide)item);
    case EM_MIN:
        return item < so_far ? item : so_far;
    case EM_MAX:
        return item > so_far ? item : so_far;
    case EM_AND:
        return so_far & item;
    case EM_OR:
        return so_far | item;
    case EM_XOR:
        return so_far ^ item;
    default:
        return (wide)((uwide)so_far + (uwide)item);
    }
}

static void check_whole_numbers(const fold *of)
{
    wide so_far = number_at(of, item_at(of, 0));
    for (uint64_t i = 0; i < N; i++) {
        if (i > 0)
            so_far = by_hand(of->operation, so_far, number_at(of, item_at(of, i)));
        assert_memory_equal(result_at(of, i), &so_far, of->monoid->result_bytes);
    }
}

static void check_float_order(const fold *of)
{
    const bool least = of->operation == EM_MIN;
    double best = float_at(of, item_at(of, 0));
    for (uint64_t i = 0; i < N; i++) {
        const double item = float_at(of, item_at(of, i));
        if (item != item || best != best)
            best = (double)NAN;
        else if (least ? order_of(item) < order_of(best) : order_of(item) > order_of(best))
            best = item;
        const float narrow = (float)best;
        assert_memory_equal(result_at(of, i), of->type == EM_F32 ? (const void *)&narrow : &best,
                            of->monoid->result_bytes);
    }
}

/* Sums and products of ordinary numbers, nearly. */
static void check_float_folds(const fold *of)
{
    const bool product = of->operation == EM_PRODUCT;
    const long double unit = of->type == EM_F32 ? 0x1p-24L : 0x1p-53L;
    long double so_far = product, magnitude = product;
    for (uint64_t i = 0; i < N; i++) {
        const long double item = float_at(of, item_at(of, i)), size = fabsl(item);
        so_far = product ? so_far * item : so_far + item;
        magnitude = product ? magnitude * size : magnitude + size;
        const long double least = of->type == EM_F32 ? 0x1p-149L : 0x1p-1074L; /* where products vanish */
        assert_true(fabsl(so_far - float_at(of, result_at(of, i))) <= magnitude * unit * (i + 4) + N * least);
    }
}

static void check_log_sums(const fold *of)
{
    long double sum = 0;
    for (uint64_t i = 0; i < N; i++) {
        sum += expl(float_at(of, item_at(of, i)));
        assert_true(fabsl(logl(sum) - float_at(of, result_at(of, i))) <= (of->type == EM_F32 ? 1e-6L : 1e-14L));
    }
}

/* By its definition: the first item that none beats. */
static void check_places(const fold *of)
{
    const size_t size = of->monoid->item_bytes - sizeof(uint64_t);
    const bool floats = of->type == EM_F32 || of->type == EM_F64, least = of->operation == EM_ARG_MIN;
    uint64_t best = 0;
    for (uint64_t i = 0; i < N; i++) {
        bool beats;
        if (floats) {
            const double item = float_at(of, item_at(of, i)), so_far = float_at(of, item_at(of, best));
            beats = so_far == so_far &&
                    (item != item || (least ? order_of(item) < order_of(so_far) : order_of(item) > order_of(so_far)));
        } else {
            const wide item = number_at(of, item_at(of, i)), so_far = number_at(of, item_at(of, best));
            beats = least ? item < so_far : item > so_far;
        }
        best = beats ? i : best;
        assert_memory_equal(result_at(of, i), item_at(of, best), size);
        assert_memory_equal(result_at(of, i) + size, &best, sizeof best);
    }
}

/* Two points go through the maps one after another: a line is known by them. */
static void check_whole_maps(const fold *of)
{
    const size_t size = of->monoid->item_bytes / 2;
    uwide of_zero = 0, of_one = 1;
    for (uint64_t i = 0; i < N; i++) {
        const uwide factor = (uwide)number_at(of, item_at(of, i)), term = (uwide)number_at(of, item_at(of, i) + size);
        of_zero = factor * of_zero + term;
        of_one = factor * of_one + term;
        const uwide slope = of_one - of_zero;
        assert_memory_equal(result_at(of, i), &slope, size);
        assert_memory_equal(result_at(of, i) + size, &of_zero, size);
    }
}

static void check_float_maps(const fold *of)
{
    const size_t size = of->monoid->item_bytes / 2;
    const long double unit = of->type == EM_F32 ? 0x1p-24L : 0x1p-53L, least = of->type == EM_F32 ? 1e-40L : 1e-300L;
    long double factors = 1, of_zero = 0, magnitude = 0;
    for (uint64_t i = 0; i < N; i++) {
        const long double factor = float_at(of, item_at(of, i)), term = float_at(of, item_at(of, i) + size);
        factors *= factor;
        of_zero = factor * of_zero + term;
        magnitude = fabsl(factor) * magnitude + fabsl(term);
        const long double bound = unit * 4 * (long double)(i + 4);
        assert_true(fabsl(factors - float_at(of, result_at(of, i))) <= bound * fabsl(factors) + least);
        assert_true(fabsl(of_zero - float_at(of, result_at(of, i) + size)) <= bound * magnitude + least);
    }
}

/* Row vectors go through the matrices one after another. */
static void check_matrices(const fold *of)
{
    const uint64_t modulus = of->operation == EM_MAT2_PRIME ? 2147483647 : UINT64_C(1) << 32;
    uint64_t rows[2][2] = {{1, 0}, {0, 1}};
    for (uint64_t i = 0; i < N; i++) {
        em_mat2 item, result;
        memcpy(&item, item_at(of, i), sizeof item);
        memcpy(&result, result_at(of, i), sizeof result);
        for (uint32_t k = 0; k < 2; k++) {
            const uwide x = rows[k][0], y = rows[k][1];
            rows[k][0] = (uint64_t)((x * item.a + y * item.c) % modulus);
            rows[k][1] = (uint64_t)((x * item.b + y * item.d) % modulus);
        }
        assert_true(result.a == rows[0][0] && result.b == rows[0][1]);
        assert_true(result.c == rows[1][0] && result.d == rows[1][1]);
    }
}

static void check_fold(const fold *of, support_style style)
{
    const bool floats = of->type == EM_F32 || of->type == EM_F64;
    if (of->operation >= EM_MAT2)
        check_matrices(of);
    else if (of->operation == EM_ARG_MIN || of->operation == EM_ARG_MAX)
        check_places(of);
    else if (floats && (of->operation == EM_MIN || of->operation == EM_MAX))
        check_float_order(of);
    else if (floats && style == SUPPORT_WILD)
        return; /* sums of infinities are no numbers: by hand above, and in test_float_bounds */
    else if (of->operation == EM_AFFINE)
        (floats ? check_float_maps : check_whole_maps)(of);
    else if (of->operation == EM_LOG_SUM_EXP)
        check_log_sums(of);
    else
        (floats ? check_float_folds : check_whole_numbers)(of);
}

static void folds_as_the_reference(em_context *context, em_operator operation, em_type type)
{
    const em_monoid *monoid = em_monoid_of(context, operation, type);
    fold of = {operation, type, monoid, malloc(N * monoid->item_bytes), malloc(N * monoid->result_bytes)};
    for (support_style style = SUPPORT_TAME; style < SUPPORT_N_STYLES; style++)
        for (uint64_t seed = 1; seed < 20; seed++) {
            support_items(operation, type, style, seed, of.items, N);
            const em_scan_call call = {.monoid = monoid, .in = of.items, .out = of.results, .n = N};
            assert_int_equal(em_scan(context, &call, NULL), EM_OK);
            check_fold(&of, style);
        }
    free(of.items), free(of.results);
}

static void scans_match_the_references(void **state)
{
    (void)state;
    em_context *context = support_scan_context((support_setting){0});
    for (em_operator operation = EM_SUM; operation < EM_N_OPERATORS; operation++)
        for (em_type type = EM_U32; type <= EM_F64; type++)
            if (em_monoid_of(context, operation, type))
                folds_as_the_reference(context, operation, type);
    em_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scans_match_the_references),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
