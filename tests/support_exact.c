/* support_exact - see support_exact.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support_exact.h"

#include <math.h>
#include <string.h>

enum { LIMBS = SUPPORT_EXACT_LIMBS };

static void negate(support_exact *of)
{
    uint64_t carry = 1;
    for (uint32_t i = 0; i < LIMBS; i++) {
        of->limbs[i] = ~of->limbs[i] + carry;
        carry = carry && of->limbs[i] == 0;
    }
}

void support_exact_add(support_exact *sum, double finite)
{
    uint64_t bits;
    memcpy(&bits, &finite, sizeof bits);
    const uint64_t exponent = bits >> 52 & 2047, fraction = bits & (UINT64_MAX >> 12);
    const uint64_t mantissa = exponent ? fraction | UINT64_C(1) << 52 : fraction, shift = exponent ? exponent - 1 : 0;
    support_exact number = {{0}};
    number.limbs[shift / 64] = mantissa << shift % 64;
    number.limbs[shift / 64 + 1] = shift % 64 ? mantissa >> (64 - shift % 64) : 0;
    if (bits >> 63)
        negate(&number);
    uint64_t carry = 0;
    for (uint32_t i = 0; i < LIMBS; i++) {
        const uint64_t partial = sum->limbs[i] + number.limbs[i], both = partial + carry;
        carry = (partial < number.limbs[i]) | (both < partial);
        sum->limbs[i] = both;
    }
}

long double support_exact_off(const support_exact *sum, double finite)
{
    support_exact off = *sum;
    support_exact_add(&off, -finite);
    if (off.limbs[LIMBS - 1] >> 63)
        negate(&off);
    long double value = 0;
    for (uint32_t i = LIMBS; i-- > 0;)
        value = value * 0x1p64L + off.limbs[i];
    return ldexpl(value, -1074);
}
