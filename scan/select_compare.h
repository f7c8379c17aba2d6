/* select_compare - comparisons of numbers with a constant, as bits: one function for each type and relation.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_SCAN_SELECT_COMPARE_H
#define EM_SCAN_SELECT_COMPARE_H

#include "scan/monoids.h"
#include "scan/select.h"

/* Bit i % 64 of bits[i / 64] = items[i] RELATION *constant; bits past the n-th are 0. */
typedef void select_compare(const void *items, uint32_t n, const void *constant, uint64_t *bits);

/* The functions of a type, which select_compare.inc defines. */
#define SELECT_ROW(type)                                                                                               \
    {                                                                                                                  \
        less_##type, less_or_equal_##type, equal_##type, not_equal_##type, greater_or_equal_##type, greater_##type     \
    }

typedef select_compare *const select_compare_table[EM_N_TYPES][EM_N_RELATIONS];
extern const select_compare_table select_compare_scalar;
#if defined(__x86_64__)
extern const select_compare_table select_compare_avx2, select_compare_avx512;
#endif

#endif
