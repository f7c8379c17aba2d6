/* exp_log - exp and log of the arguments that log-sum-exp needs, from operations that every machine rounds alike.
 *
 * A C library's exp may differ from the next one's, or from itself with fused multiply-add, in the last bit; these are
 * additions, multiplications and divisions of doubles alone, so processors and devices agree. Errors stay below 1 unit
 * in the last place for exp and 1.5 for log (measured: 0.95 and 1.11).
 *
 * exp: x = k log 2 + r with |r| <= 0.35, a Taylor series of 13 terms in r (the next is below 2^-57), times 2^k. log: x
 * = 2^e m with m in [sqrt 1/2, sqrt 2), log m = 2 artanh f by its odd series to the 23rd power, f being (m - 1) / (m +
 * 1); its first term 2 f is written t - f t, where t = m - 1 is exact, so that what rounds is small.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_SCAN_EXP_LOG_H
#define EM_SCAN_EXP_LOG_H

#include "scan/elements.h"

#include <stdint.h>
#include <string.h>

/* log 2 in two parts: the first has zeros enough at its end for k * SCAN_LN2_HIGH to be exact. */
#define SCAN_LN2_HIGH 0x1.62e42fefa0000p-1
#define SCAN_LN2_LOW  0x1.cf79abc9e3b3ap-40

SCAN_INLINE uint64_t scan_bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

SCAN_INLINE double scan_of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* exp(x) for x <= 0; 0 below -708, where it would be no normal number. */
SCAN_INLINE double scan_exp(double x)
{
    const double round = 0x1.8p52; /* adding it leaves the nearest integer in the low bits */
    if (!(x > -708))
        return 0;
    const double shifted = x * 0x1.71547652b82fep0 + round, k = shifted - round;
    const double r = (x - k * SCAN_LN2_HIGH) - k * SCAN_LN2_LOW;
    double series = 1.0 / 6227020800.0;
    series = series * r + 1.0 / 479001600.0;
    series = series * r + 1.0 / 39916800.0;
    series = series * r + 1.0 / 3628800.0;
    series = series * r + 1.0 / 362880.0;
    series = series * r + 1.0 / 40320.0;
    series = series * r + 1.0 / 5040.0;
    series = series * r + 1.0 / 720.0;
    series = series * r + 1.0 / 120.0;
    series = series * r + 1.0 / 24.0;
    series = series * r + 1.0 / 6.0;
    series = series * r + 0.5;
    series = 1.0 + (r + r * r * series);
    return series * scan_of_bits((scan_bits_of(shifted) + 1023) << 52);
}

/* log(x) for normal x >= 1. */
SCAN_INLINE double scan_log(double x)
{
    const uint64_t bits = scan_bits_of(x), sqrt_half = 0x3fe6a09e667f3bcd;
    const int64_t e = (int64_t)(bits - sqrt_half) >> 52;
    const double m = scan_of_bits(bits - ((uint64_t)e << 52));
    const double t = m - 1, f = t / (t + 2), s = f * f;
    double series = 1.0 / 23;
    series = series * s + 1.0 / 21;
    series = series * s + 1.0 / 19;
    series = series * s + 1.0 / 17;
    series = series * s + 1.0 / 15;
    series = series * s + 1.0 / 13;
    series = series * s + 1.0 / 11;
    series = series * s + 1.0 / 9;
    series = series * s + 1.0 / 7;
    series = series * s + 1.0 / 5;
    series = series * s + 1.0 / 3;
    const double of_m = t - f * (t - 2 * s * series);
    return (double)e * SCAN_LN2_HIGH + (of_m + (double)e * SCAN_LN2_LOW);
}

#endif
