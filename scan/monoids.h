/* monoids - every operator that comes with the library: what is read, what is combined, what is written.
 *
 * A monoid M is a set of names, all static inline, so that every engine inlines them:
 *     M_item                what the input holds
 *     M_elem                what is combined; M_identity() is its neutral element
 *     M_result              what the output holds
 *     M_lift(item)          the element of one item
 *     M_combine(earlier, later)   associative; never assumed to be commutative
 *     M_lower(element)      what is written for it
 *     M_leaf                0 where any grouping gives the same bytes; else the grouping is specified: see below
 *     M_starts_at_zero      1: an exclusive scan without initial value begins with all bits 0, not with the identity
 *     M_item_ps             about how long the serial loop takes for an item, in picoseconds
 * The text compiles as C17, as C++ and with nvcc (where the functions run on both sides).
 *
 * Specified grouping. Floating-point addition is not associative, so its grouping is part of the result: rows of
 * SCAN_ROW items are scanned by one tree (Sklansky: the second half of 2, 4, 8 items takes the last of the first half);
 * the rows of a leaf of M_leaf items fold left; leaves fold left. What is written at i is prefix of the leaf (+)
 * (prefix of the row in the leaf (+) place in the row). All three steps are monotone, so sums of what is not negative
 * never decrease, and no step depends on where tiles were cut, who ran them, or how wide the registers are.
 *
 * So a sum of n items passes through d = 3 + SCAN_LEAF / SCAN_ROW + n / SCAN_LEAF + 2 additions at most, and its error
 * is below d u / (1 - d u) times the sum of their magnitudes, u being half a unit in the last place of 1 (Higham,
 * Accuracy and Stability of Numerical Algorithms, section 4.2). A product of n items is n - 1 multiplications however
 * they are grouped, so its relative error is below n u / (1 - n u), unless it leaves the range of normal numbers.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_SCAN_MONOIDS_H
#define EM_SCAN_MONOIDS_H

#include "scan/elements.h"

#include <math.h>
#include <stdint.h>

#define SCAN_PASTE2(left, right) left##_##right
#define SCAN_PASTE(left, right)  SCAN_PASTE2(left, right)
#define SCAN_STRING2(name)       #name
#define SCAN_STRING(name)        SCAN_STRING2(name)

enum { SCAN_ROW = 8, SCAN_LEAF = 4096 };

#include "scan/exp_log.h"

/* A monoid from its expressions: lift has `item`, combine has `earlier` and `later`, lower has `element`. */
#define SCAN_DEFINE(name, item_type, elem_type, result_type, leaf_items, at_zero, ps, identity, lift, combine, lower)  \
    typedef item_type name##_item;                                                                                     \
    typedef elem_type name##_elem;                                                                                     \
    typedef result_type name##_result;                                                                                 \
    enum { name##_leaf = leaf_items, name##_starts_at_zero = at_zero, name##_item_ps = ps };                           \
    SCAN_INLINE elem_type name##_identity(void)                                                                        \
    {                                                                                                                  \
        return identity;                                                                                               \
    }                                                                                                                  \
    SCAN_INLINE elem_type name##_lift(item_type item)                                                                  \
    {                                                                                                                  \
        return lift;                                                                                                   \
    }                                                                                                                  \
    SCAN_INLINE elem_type name##_combine(elem_type earlier, elem_type later)                                           \
    {                                                                                                                  \
        return combine;                                                                                                \
    }                                                                                                                  \
    SCAN_INLINE result_type name##_lower(elem_type element)                                                            \
    {                                                                                                                  \
        return lower;                                                                                                  \
    }

/* Items, elements and results of one type; any grouping does. */
#define SCAN_DEFINE_PLAIN(name, type, ps, identity, combine)                                                           \
    SCAN_DEFINE(name, type, type, type, 0, 0, ps, identity, item, combine, element)

/* --- integers: they wrap, so the signed ones are added and multiplied as unsigned ------------------ */

#define SCAN_DEFINE_INTEGER(name, type, wrapping, least, most)                                                         \
    SCAN_DEFINE_PLAIN(sum_##name, type, 400, 0, (type)((wrapping)earlier + (wrapping)later))                           \
    SCAN_DEFINE_PLAIN(product_##name, type, 1000, 1, (type)((wrapping)earlier * (wrapping)later))                      \
    SCAN_DEFINE_PLAIN(min_##name, type, 1000, most, later < earlier ? later : earlier)                                 \
    SCAN_DEFINE_PLAIN(max_##name, type, 1000, least, later > earlier ? later : earlier)                                \
    SCAN_DEFINE_PLAIN(and_##name, type, 400, (type)(~(wrapping)0), (type)((wrapping)earlier & (wrapping)later))        \
    SCAN_DEFINE_PLAIN(or_##name, type, 400, 0, (type)((wrapping)earlier | (wrapping)later))                            \
    SCAN_DEFINE_PLAIN(xor_##name, type, 400, 0, (type)((wrapping)earlier ^ (wrapping)later))

SCAN_DEFINE_INTEGER(u32, uint32_t, uint32_t, 0, UINT32_MAX)
SCAN_DEFINE_INTEGER(i32, int32_t, uint32_t, INT32_MIN, INT32_MAX)
SCAN_DEFINE_INTEGER(u64, uint64_t, uint64_t, 0, UINT64_MAX)
SCAN_DEFINE_INTEGER(i64, int64_t, uint64_t, INT64_MIN, INT64_MAX)

/* --- floating point -------------------------------------------------------------------------------- */

/* Which NaN an operation on NaNs gives depends on the order of operands that a compiler is free to swap: one quiet NaN
 * is written for all of them. The identity of a sum is -0, since -0 + x is x for every x, while +0 + -0 is +0. */
#define SCAN_QUIET(type, x) ((x) == (x) ? (x) : (type)NAN)

/* Of two numbers that compare equal only zeros differ: -0 is the lesser one. */
#define SCAN_DEFINE_FLOAT_ORDER(name, type)                                                                            \
    SCAN_INLINE type scan_min_##name(type earlier, type later)                                                         \
    {                                                                                                                  \
        if (earlier != earlier || later != later)                                                                      \
            return (type)NAN;                                                                                          \
        if (earlier == later)                                                                                          \
            return earlier == 0 ? -(-earlier - later) : earlier;                                                       \
        return later < earlier ? later : earlier;                                                                      \
    }                                                                                                                  \
    SCAN_INLINE type scan_max_##name(type earlier, type later)                                                         \
    {                                                                                                                  \
        if (earlier != earlier || later != later)                                                                      \
            return (type)NAN;                                                                                          \
        if (earlier == later)                                                                                          \
            return earlier == 0 ? earlier + later : earlier;                                                           \
        return later > earlier ? later : earlier;                                                                      \
    }

#define SCAN_DEFINE_FLOAT(name, type)                                                                                  \
    SCAN_DEFINE_FLOAT_ORDER(name, type)                                                                                \
    SCAN_DEFINE(sum_##name, type, type, type, SCAN_LEAF, 1, 700, (type)-0.0, item, earlier + later,                    \
                SCAN_QUIET(type, element))                                                                             \
    SCAN_DEFINE(product_##name, type, type, type, SCAN_LEAF, 0, 3000, 1, item, earlier *later,                         \
                SCAN_QUIET(type, element))                                                                             \
    SCAN_DEFINE(min_##name, type, type, type, 0, 0, 3000, (type)INFINITY, item, scan_min_##name(earlier, later),       \
                element)                                                                                               \
    SCAN_DEFINE(max_##name, type, type, type, 0, 0, 3000, (type)-INFINITY, item, scan_max_##name(earlier, later),      \
                element)

SCAN_DEFINE_FLOAT(f32, float)
SCAN_DEFINE_FLOAT(f64, double)

/* --- accumulators wider than the items --------------------------------------------------------------- */

/* 128 bits are combined and 64 written, so that an overflow shows in the total. */
SCAN_INLINE em_wide scan_wide(uint64_t low, uint64_t high)
{
    const em_wide both = {low, high};
    return both;
}

SCAN_INLINE em_wide scan_add_wide(em_wide earlier, em_wide later)
{
    const uint64_t low = earlier.low + later.low;
    return scan_wide(low, earlier.high + later.high + (low < earlier.low));
}

SCAN_DEFINE(wide_u32, uint32_t, em_wide, uint64_t, 0, 0, 500, scan_wide(0, 0), scan_wide(item, 0),
            scan_add_wide(earlier, later), element.low)
SCAN_DEFINE(wide_u64, uint64_t, em_wide, uint64_t, 0, 0, 600, scan_wide(0, 0), scan_wide(item, 0),
            scan_add_wide(earlier, later), element.low)
SCAN_DEFINE(wide_i32, int32_t, int64_t, int64_t, 0, 0, 670, 0, item, (int64_t)((uint64_t)earlier + (uint64_t)later),
            element)
/* The error of the sum in doubles, as above, and one rounding of it to a float. */
SCAN_DEFINE(wide_f32, float, double, float, SCAN_LEAF, 1, 2900, -0.0, item, earlier + later,
            SCAN_QUIET(float, (float)element))

/* Each addition is error-free (Knuth's two-sum) and what it loses, at most d u times the sum of the magnitudes in all,
 * is summed beside it by two additions a level: so the error is below u |sum| + 2 g^2 times that sum, g being d u / (1
 * - d u). (Ogita, Rump and Oishi, Accurate sum and dot product, 2005.) f32 items are summed in doubles and
 * rounded once more. No input is known for which a sum of what is not negative decreases, but nothing rules it out: the
 * two parts are not monotone by themselves. A sum of zeros is +0. */
SCAN_INLINE em_compensated scan_compensated(double sum)
{
    const em_compensated exact = {sum, 0};
    return exact;
}

SCAN_INLINE em_compensated scan_add_compensated(em_compensated earlier, em_compensated later)
{
    const double sum = earlier.sum + later.sum, of_later = sum - earlier.sum, of_earlier = sum - of_later;
    const em_compensated both = {sum,
                                 earlier.lost + later.lost + ((earlier.sum - of_earlier) + (later.sum - of_later))};
    return both;
}

/* Once a sum is infinite what it lost is no number. */
SCAN_INLINE double scan_lower_compensated(em_compensated element)
{
    const double value = element.sum + element.lost;
    return value == value ? value : SCAN_QUIET(double, element.sum);
}

SCAN_DEFINE(compensated_f32, float, em_compensated, float, SCAN_LEAF, 0, 6000, scan_compensated(0),
            scan_compensated(item), scan_add_compensated(earlier, later), (float)scan_lower_compensated(element))
SCAN_DEFINE(compensated_f64, double, em_compensated, double, SCAN_LEAF, 0, 6000, scan_compensated(0),
            scan_compensated(item), scan_add_compensated(earlier, later), scan_lower_compensated(element))

/* --- log-sum-exp: sums of exponentials relative to the largest so far -------------------------------- */

/* Each of d combines rounds twice, besides an exp that is off by up to 2 u; so the scaled sum is within (4 d + 3) u of
 * itself, and the result within as much, no longer times anything, and 2 u times the result. */
SCAN_INLINE em_log_sum scan_log_sum(double largest, double scaled)
{
    const em_log_sum sum = {largest, scaled};
    return sum;
}

SCAN_INLINE em_log_sum scan_add_log_sum(em_log_sum earlier, em_log_sum later)
{
    if (later.scaled == 0 || earlier.largest != earlier.largest)
        return earlier;
    if (earlier.scaled == 0 || later.largest != later.largest)
        return later;
    if (earlier.largest == later.largest)
        return scan_log_sum(earlier.largest, earlier.scaled + later.scaled);
    if (earlier.largest > later.largest)
        return scan_log_sum(earlier.largest, earlier.scaled + later.scaled * scan_exp(later.largest - earlier.largest));
    return scan_log_sum(later.largest, earlier.scaled * scan_exp(earlier.largest - later.largest) + later.scaled);
}

SCAN_INLINE double scan_lower_log_sum(em_log_sum element)
{
    if (element.scaled == 0)
        return -(double)INFINITY;
    const double value = element.largest + scan_log(element.scaled);
    return SCAN_QUIET(double, value);
}

#define SCAN_DEFINE_LOG_SUM_EXP(name, type)                                                                            \
    SCAN_DEFINE(log_sum_exp_##name, type, em_log_sum, type, SCAN_LEAF, 0, 50000, scan_log_sum(-(double)INFINITY, 0),   \
                scan_log_sum(item, item == -(type)INFINITY ? 0 : 1), scan_add_log_sum(earlier, later),                 \
                (type)scan_lower_log_sum(element))

SCAN_DEFINE_LOG_SUM_EXP(f32, float)
SCAN_DEFINE_LOG_SUM_EXP(f64, double)

/* --- the place of the extreme value -------------------------------------------------------------------- */

/* The earlier item is kept unless the later one beats it, so the first of equals wins. No item has index UINT64_MAX:
 * it marks the identity, whatever values there are. */
#define SCAN_DEFINE_ARG(operator, name, type, beats, is_nan)                                                           \
    SCAN_INLINE em_arg_##name scan_##operator##_none_##name(void)                                                      \
    {                                                                                                                  \
        const em_arg_##name none = {0, UINT64_MAX};                                                                    \
        return none;                                                                                                   \
    }                                                                                                                  \
    SCAN_INLINE em_arg_##name scan_##operator##_##name(em_arg_##name earlier, em_arg_##name later)                     \
    {                                                                                                                  \
        if (earlier.index == UINT64_MAX)                                                                               \
            return later;                                                                                              \
        if (later.index == UINT64_MAX || is_nan(earlier.value))                                                        \
            return earlier;                                                                                            \
        return is_nan(later.value) || beats(later.value, earlier.value) ? later : earlier;                             \
    }                                                                                                                  \
    SCAN_DEFINE(operator##_##name, em_arg_##name, em_arg_##name, em_arg_##name, 0, 0, 1200,                            \
                scan_##operator##_none_##name(), item, scan_##operator##_##name(earlier, later), element)

#define SCAN_NEVER(x)                   0
#define SCAN_IS_NAN(x)                  ((x) != (x))
#define SCAN_LESS(later, earlier)       ((later) < (earlier))
#define SCAN_MORE(later, earlier)       ((later) > (earlier))
#define SCAN_LESS_FLOAT(later, earlier) ((later) < (earlier) || ((later) == (earlier) && 1 / (later) < 1 / (earlier)))
#define SCAN_MORE_FLOAT(later, earlier) ((later) > (earlier) || ((later) == (earlier) && 1 / (later) > 1 / (earlier)))

SCAN_DEFINE_ARG(arg_min, u32, uint32_t, SCAN_LESS, SCAN_NEVER)
SCAN_DEFINE_ARG(arg_min, i32, int32_t, SCAN_LESS, SCAN_NEVER)
SCAN_DEFINE_ARG(arg_min, u64, uint64_t, SCAN_LESS, SCAN_NEVER)
SCAN_DEFINE_ARG(arg_min, i64, int64_t, SCAN_LESS, SCAN_NEVER)
SCAN_DEFINE_ARG(arg_min, f32, float, SCAN_LESS_FLOAT, SCAN_IS_NAN)
SCAN_DEFINE_ARG(arg_min, f64, double, SCAN_LESS_FLOAT, SCAN_IS_NAN)
SCAN_DEFINE_ARG(arg_max, u32, uint32_t, SCAN_MORE, SCAN_NEVER)
SCAN_DEFINE_ARG(arg_max, i32, int32_t, SCAN_MORE, SCAN_NEVER)
SCAN_DEFINE_ARG(arg_max, u64, uint64_t, SCAN_MORE, SCAN_NEVER)
SCAN_DEFINE_ARG(arg_max, i64, int64_t, SCAN_MORE, SCAN_NEVER)
SCAN_DEFINE_ARG(arg_max, f32, float, SCAN_MORE_FLOAT, SCAN_IS_NAN)
SCAN_DEFINE_ARG(arg_max, f64, double, SCAN_MORE_FLOAT, SCAN_IS_NAN)

/* --- affine maps: the later one is applied to what the earlier one gives --------------------------------- */

/* A term of zero stays zero under any factor, infinite ones too: else x -> x would be no identity for floats. It is
 * added all the same, since +0 must outlive the -0 of an identity that comes later. */
#define SCAN_DEFINE_AFFINE(name, type, leaf_items, ps, zero, quiet)                                                    \
    SCAN_INLINE em_affine_##name scan_affine_##name(type factor, type term)                                            \
    {                                                                                                                  \
        const em_affine_##name map = {factor, term};                                                                   \
        return map;                                                                                                    \
    }                                                                                                                  \
    SCAN_DEFINE(affine_##name, em_affine_##name, em_affine_##name, em_affine_##name, leaf_items, 0, ps,                \
                scan_affine_##name(1, zero), item,                                                                     \
                scan_affine_##name(earlier.factor *later.factor,                                                       \
                                   (earlier.term == 0 ? earlier.term : later.factor * earlier.term) + later.term),     \
                scan_affine_##name(quiet(type, element.factor), quiet(type, element.term)))

#define SCAN_AS_IT_IS(type, x) (x)
SCAN_DEFINE_AFFINE(u32, uint32_t, 0, 1300, 0, SCAN_AS_IT_IS)
SCAN_DEFINE_AFFINE(u64, uint64_t, 0, 1300, 0, SCAN_AS_IT_IS)
SCAN_DEFINE_AFFINE(f32, float, SCAN_LEAF, 4300, -0.0f, SCAN_QUIET)
SCAN_DEFINE_AFFINE(f64, double, SCAN_LEAF, 4300, -0.0, SCAN_QUIET)

/* --- 2x2 matrices: linear recurrences -------------------------------------------------------------------- */

SCAN_INLINE em_mat2 scan_mat2(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    const em_mat2 matrix = {a, b, c, d};
    return matrix;
}

SCAN_INLINE em_mat2 scan_multiply_mat2(em_mat2 x, em_mat2 y)
{
    return scan_mat2(x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d);
}

/* x modulo 2^31 - 1: since 2^31 is 1 there, the bits above the 31st are added to those below. */
SCAN_INLINE uint32_t scan_modulo_prime(uint64_t x)
{
    const uint32_t prime = 2147483647;
    x = (x & prime) + (x >> 31); /* below 2^34 */
    x = (x & prime) + (x >> 31); /* at most 2^31 + 6 */
    return (uint32_t)(x >= prime ? x - prime : x);
}

/* Sums of two products of numbers below 2^31 fit 63 bits. */
SCAN_INLINE em_mat2 scan_multiply_mat2_prime(em_mat2 x, em_mat2 y)
{
    return scan_mat2(scan_modulo_prime((uint64_t)x.a * y.a + (uint64_t)x.b * y.c),
                     scan_modulo_prime((uint64_t)x.a * y.b + (uint64_t)x.b * y.d),
                     scan_modulo_prime((uint64_t)x.c * y.a + (uint64_t)x.d * y.c),
                     scan_modulo_prime((uint64_t)x.c * y.b + (uint64_t)x.d * y.d));
}

SCAN_DEFINE(mat2, em_mat2, em_mat2, em_mat2, 0, 0, 3000, scan_mat2(1, 0, 0, 1), item,
            scan_multiply_mat2(earlier, later), element)
SCAN_DEFINE(mat2_prime, em_mat2, em_mat2, em_mat2, 0, 0, 9800, scan_mat2(1, 0, 0, 1),
            scan_mat2(scan_modulo_prime(item.a), scan_modulo_prime(item.b), scan_modulo_prime(item.c),
                      scan_modulo_prime(item.d)),
            scan_multiply_mat2_prime(earlier, later), element)

#endif
