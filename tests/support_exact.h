/* support_exact - sums of doubles without any rounding.
 *
 * A fixed-point number from 2^-1074, the least double, to past 2^1086: more than 2^60 of the largest doubles fit.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_TESTS_SUPPORT_EXACT_H
#define EM_TESTS_SUPPORT_EXACT_H

#include <stdint.h>

enum { SUPPORT_EXACT_LIMBS = 34 };

/* Two's complement, the least limb first. Starts as {0}. */
typedef struct support_exact {
    uint64_t limbs[SUPPORT_EXACT_LIMBS];
} support_exact;

void support_exact_add(support_exact *sum, double finite);
/* |sum - finite|, rounded to a long double. */
long double support_exact_off(const support_exact *sum, double finite);

#endif
