/* monoids - every operator a scan can use: what is read, what is combined, what is written.
 *
 * A monoid M is a set of names, all static inline, so that every engine inlines them:
 *     M_item                what the input holds
 *     M_elem                what is combined; M_identity() is its neutral element
 *     M_result              what the output holds
 *     M_lift(item)          the element of one item
 *     M_combine(earlier, later)   associative; never assumed to be commutative
 *     M_lower(element)      what is written for it
 *     M_leaf                0 where any grouping gives the same bytes; else the grouping is specified: see below
 * The text compiles as C17, as C++ and with nvcc (where the functions run on both sides).
 *
 * Specified grouping. Floating-point addition is not associative, so its grouping is part of the result: rows of
 * SCAN_ROW items are scanned by one tree (Sklansky: the second half of 2, 4, 8 items takes the last of the first half);
 * the rows of a leaf of M_leaf items fold left; leaves fold left. What is written at i is prefix of the leaf (+)
 * (prefix of the row in the leaf (+) place in the row). All three steps are monotone, so sums of what is not negative
 * never decrease, and no step depends on where tiles were cut, who ran them, or how wide the registers are.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_SCAN_MONOIDS_H
#define EM_SCAN_MONOIDS_H

#include <math.h>
#include <stdint.h>

#if defined(__CUDACC__)
#define SCAN_INLINE static __host__ __device__ __forceinline__
#else
#define SCAN_INLINE static inline __attribute__((always_inline))
#endif

#define SCAN_PASTE2(left, right) left##_##right
#define SCAN_PASTE(left, right)  SCAN_PASTE2(left, right)

enum { SCAN_ROW = 8, SCAN_LEAF = 4096 };

/* --- sums: integers wrap, so the signed ones are added as unsigned ------------------------------ */

#define SCAN_DEFINE_INTEGER_SUM(name, type, wrapping)                                                                  \
    typedef type name##_item;                                                                                          \
    typedef type name##_elem;                                                                                          \
    typedef type name##_result;                                                                                        \
    enum { name##_leaf = 0 };                                                                                          \
    SCAN_INLINE type name##_identity(void)                                                                             \
    {                                                                                                                  \
        return 0;                                                                                                      \
    }                                                                                                                  \
    SCAN_INLINE type name##_lift(type item)                                                                            \
    {                                                                                                                  \
        return item;                                                                                                   \
    }                                                                                                                  \
    SCAN_INLINE type name##_combine(type earlier, type later)                                                          \
    {                                                                                                                  \
        return (type)((wrapping)earlier + (wrapping)later);                                                            \
    }                                                                                                                  \
    SCAN_INLINE type name##_lower(type element)                                                                        \
    {                                                                                                                  \
        return element;                                                                                                \
    }

SCAN_DEFINE_INTEGER_SUM(sum_u32, uint32_t, uint32_t)
SCAN_DEFINE_INTEGER_SUM(sum_i32, int32_t, uint32_t)
SCAN_DEFINE_INTEGER_SUM(sum_u64, uint64_t, uint64_t)
SCAN_DEFINE_INTEGER_SUM(sum_i64, int64_t, uint64_t)

/* The identity is -0, since -0 + x is x for every x, while +0 + -0 is +0. Which NaN a sum of NaNs gives depends on the
 * order of operands that a compiler is free to swap: one quiet NaN is written for all of them. */
#define SCAN_DEFINE_FLOAT_SUM(name, type)                                                                              \
    typedef type name##_item;                                                                                          \
    typedef type name##_elem;                                                                                          \
    typedef type name##_result;                                                                                        \
    enum { name##_leaf = SCAN_LEAF };                                                                                  \
    SCAN_INLINE type name##_identity(void)                                                                             \
    {                                                                                                                  \
        return (type)-0.0;                                                                                             \
    }                                                                                                                  \
    SCAN_INLINE type name##_lift(type item)                                                                            \
    {                                                                                                                  \
        return item;                                                                                                   \
    }                                                                                                                  \
    SCAN_INLINE type name##_combine(type earlier, type later)                                                          \
    {                                                                                                                  \
        return earlier + later;                                                                                        \
    }                                                                                                                  \
    SCAN_INLINE type name##_lower(type element)                                                                        \
    {                                                                                                                  \
        return element == element ? element : (type)NAN;                                                               \
    }

SCAN_DEFINE_FLOAT_SUM(sum_f32, float)
SCAN_DEFINE_FLOAT_SUM(sum_f64, double)

/* --- counts to offsets: 128 bits are combined and 64 written, so that an overflow shows in the total --- */

typedef struct count_elem {
    uint64_t low, high;
} count_elem;

#define SCAN_DEFINE_COUNT(name, type)                                                                                  \
    typedef type name##_item;                                                                                          \
    typedef count_elem name##_elem;                                                                                    \
    typedef uint64_t name##_result;                                                                                    \
    enum { name##_leaf = 0 };                                                                                          \
    SCAN_INLINE count_elem name##_identity(void)                                                                       \
    {                                                                                                                  \
        const count_elem zero = {0, 0};                                                                                \
        return zero;                                                                                                   \
    }                                                                                                                  \
    SCAN_INLINE count_elem name##_lift(type item)                                                                      \
    {                                                                                                                  \
        const count_elem one = {item, 0};                                                                              \
        return one;                                                                                                    \
    }                                                                                                                  \
    SCAN_INLINE count_elem name##_combine(count_elem earlier, count_elem later)                                        \
    {                                                                                                                  \
        count_elem both = {earlier.low + later.low, earlier.high + later.high};                                        \
        both.high += both.low < earlier.low;                                                                           \
        return both;                                                                                                   \
    }                                                                                                                  \
    SCAN_INLINE uint64_t name##_lower(count_elem element)                                                              \
    {                                                                                                                  \
        return element.low;                                                                                            \
    }

SCAN_DEFINE_COUNT(count_u32, uint32_t)
SCAN_DEFINE_COUNT(count_u64, uint64_t)

#endif
