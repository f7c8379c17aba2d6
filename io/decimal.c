/* decimal - see decimal.h.
 *
 * Integers: two digits a division. Floats: Schubfach (R. Giulietti, "The Schubfach way to render doubles", 2020): the
 * rounding interval of a float, scaled by a power of ten to a length between 1 and 10 units, holds the answer among the
 * two or four integers around the scaled value; three 126-bit products decide, with no loop and no big number. The
 * 617 powers are made when needed (10 KB, 0.1 ms) rather than kept as a table in the source.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/decimal.h"

#include <string.h>

static const char PAIRS[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
                            "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
                            "8081828384858687888990919293949596979899";

static uint32_t count_digits(uint64_t value)
{
    uint32_t n = 1;
    for (; value >= 10000; value /= 10000)
        n += 4;
    return n + (value >= 10) + (value >= 100) + (value >= 1000);
}

static void put_digits(char *into, uint64_t value, uint32_t n)
{
    char *at = into + n;
    for (; value > UINT32_MAX; value /= 100) {
        at -= 2;
        memcpy(at, PAIRS + value % 100 * 2, 2);
    }
    uint32_t rest = (uint32_t)value;
    for (; rest >= 100; rest /= 100) {
        at -= 2;
        memcpy(at, PAIRS + rest % 100 * 2, 2);
    }
    if (rest >= 10)
        memcpy(at - 2, PAIRS + rest * 2, 2);
    else
        at[-1] = (char)('0' + rest);
}

char *em_put_u64(char *into, uint64_t value)
{
    const uint32_t n = count_digits(value);
    put_digits(into, value, n);
    return into + n;
}

char *em_put_i64(char *into, int64_t value)
{
    if (value >= 0)
        return em_put_u64(into, (uint64_t)value);
    *into = '-';
    return em_put_u64(into + 1, 0 - (uint64_t)value);
}

/* --- powers of ten -------------------------------------------------------------------------------- */

enum { LEAST_POWER = -292, MOST_POWER = 324, N_POWERS = MOST_POWER - LEAST_POWER + 1 };

typedef struct wide {
    uint64_t high, low; /* high * 2^63 + low, each below 2^63 */
} wide;

struct em_powers_of_ten {
    wide of[N_POWERS];
};

/* A whole number of LIMBS 32-bit digits, least first. 10^324 has 1,077 bits; 2^1152 / 10^292 keeps 182. */
enum { LIMBS = 37, ONE_AT = 36 };

/* floor(number / 2^s) + 1, where s leaves 126 bits. */
static wide top_126(const uint32_t number[LIMBS])
{
    int top = LIMBS - 1;
    while (number[top] == 0)
        top--;
    const int n_bits = 32 * top + 32 - __builtin_clz(number[top]);
    unsigned __int128 kept = 0;
    for (int i = 0; i < 126; i++) {
        const int bit = n_bits - 1 - i;
        kept = kept << 1 | (bit >= 0 ? number[bit / 32] >> bit % 32 & 1 : 0);
    }
    kept++;
    return (wide){(uint64_t)(kept >> 63), (uint64_t)kept & INT64_MAX};
}

em_status em_powers_of_ten_make(em_context *context, em_powers_of_ten **powers, em_error *error)
{
    void *memory = NULL;
    *powers = NULL;
    const em_status status = em_allocate(context, sizeof **powers, &memory, error);
    if (status != EM_OK)
        return status;
    em_powers_of_ten *made = memory;
    uint32_t number[LIMBS] = {1};
    for (int k = 0; k <= MOST_POWER; k++) {
        made->of[k - LEAST_POWER] = top_126(number);
        uint64_t carry = 0;
        for (int i = 0; i < LIMBS; i++) {
            carry += (uint64_t)number[i] * 10;
            number[i] = (uint32_t)carry;
            carry >>= 32;
        }
    }
    memset(number, 0, sizeof number);
    number[ONE_AT] = 1; /* 2^1152; floor(floor(x / 10) / 10) = floor(x / 100), so nothing is lost */
    for (int k = -1; k >= LEAST_POWER; k--) {
        uint64_t rest = 0;
        for (int i = LIMBS; i-- > 0;) {
            rest = rest << 32 | number[i];
            number[i] = (uint32_t)(rest / 10);
            rest %= 10;
        }
        made->of[k - LEAST_POWER] = top_126(number);
    }
    *powers = made;
    return EM_OK;
}

void em_powers_of_ten_free(em_context *context, em_powers_of_ten *powers)
{
    em_free(context, powers, sizeof *powers);
}

/* --- floats --------------------------------------------------------------------------------------- */

/* digits * 10^exponent */
typedef struct decimal {
    uint64_t digits;
    int32_t exponent;
} decimal;

/* floor(log10(2^e)), floor(log10(3/4 * 2^e)), floor(log2(10^e)), for |e| up to some thousands: the constants are
 * log10(2), log10(3/4), log2(10) as fixed-point numbers. */
static int32_t floor_log10_pow2(int32_t e)
{
    return (int32_t)(e * INT64_C(661971961083) >> 41);
}
static int32_t floor_log10_three_quarters_pow2(int32_t e)
{
    return (int32_t)((e * INT64_C(661971961083) - INT64_C(274743187321)) >> 41);
}
static int32_t floor_log2_pow10(int32_t e)
{
    return (int32_t)(e * INT64_C(913124641741) >> 38);
}

/* g * cp / 2^127 rounded to odd: the last bit is set where anything was cut off. */
static uint64_t round_to_odd(wide g, uint64_t cp)
{
    const uint64_t x1 = (uint64_t)((unsigned __int128)g.low * cp >> 64);
    const unsigned __int128 y = (unsigned __int128)g.high * cp;
    const uint64_t z = ((uint64_t)y >> 1) + x1;
    const uint64_t w = (uint64_t)(y >> 64) + (z >> 63);
    return w | (((z & INT64_MAX) + INT64_MAX) >> 63);
}

/* The shortest decimal in the rounding interval of c * 2^q; `regular`: the interval is symmetric. */
static decimal shortest(uint64_t c, int32_t q, bool regular, const em_powers_of_ten *powers)
{
    const uint64_t out = c & 1, cb = c << 2, cb_right = cb + 2, cb_left = cb - (regular ? 2 : 1);
    const int32_t k = regular ? floor_log10_pow2(q) : floor_log10_three_quarters_pow2(q);
    const int32_t h = q + floor_log2_pow10(-k) + 2;
    const wide g = powers->of[-k - LEAST_POWER];
    const uint64_t vb = round_to_odd(g, cb << h);
    const uint64_t left = round_to_odd(g, cb_left << h) + out, right = round_to_odd(g, cb_right << h);
    const uint64_t s = vb >> 2, t = s + 1;
    if (s >= 10) { /* one digit less? */
        const uint64_t s10 = s / 10 * 10, t10 = s10 + 10;
        const bool s_in = left <= s10 << 2, t_in = (t10 << 2) + out <= right;
        if (s_in != t_in)
            return (decimal){s_in ? s10 : t10, k};
    }
    const bool s_in = left <= s << 2, t_in = (t << 2) + out <= right;
    if (s_in != t_in)
        return (decimal){s_in ? s : t, k};
    const uint64_t middle = (s + t) << 1;
    return (decimal){vb < middle || (vb == middle && (s & 1) == 0) ? s : t, k};
}

/* 0.001 to 1e16 as plain decimals, the others with an exponent. */
static char *put_decimal(char *into, decimal value)
{
    while (value.digits % 10 == 0) {
        value.digits /= 10;
        value.exponent++;
    }
    const int32_t n = (int32_t)count_digits(value.digits), point = n + value.exponent; /* digits before the point */
    char digits[EM_U64_DIGITS] = {0};
    put_digits(digits, value.digits, (uint32_t)n);
    if (point > 16 || point < -2) {
        *into++ = digits[0];
        if (n > 1) {
            *into++ = '.';
            memcpy(into, digits + 1, (size_t)n - 1);
            into += n - 1;
        }
        *into++ = 'e';
        return em_put_i64(into, point - 1);
    }
    if (point <= 0) {
        memset(into, '0', 5);
        into[1] = '.';
        into += 2 - point;
        memcpy(into, digits, (size_t)n);
        return into + n;
    }
    const int32_t whole = n < point ? n : point;
    memcpy(into, digits, (size_t)whole);
    memset(into + whole, '0', (size_t)(point - whole));
    into += point;
    *into++ = '.';
    if (n <= point) {
        *into++ = '0';
        return into;
    }
    memcpy(into, digits + point, (size_t)(n - point));
    return into + n - point;
}

/* A number of `p` significand bits: `fraction` without the hidden one, biased exponent, that of the smallest one. */
static char *put_float(char *into, bool negative, uint64_t fraction, int32_t biased, int32_t p, int32_t least_q,
                       const em_powers_of_ten *powers)
{
    if (negative)
        *into++ = '-';
    if (biased == 0 && fraction == 0) {
        *into++ = '0';
        *into++ = '.';
        *into++ = '0';
        return into;
    }
    const uint64_t hidden = UINT64_C(1) << (p - 1);
    const uint64_t c = biased ? hidden | fraction : fraction;
    const int32_t q = least_q + (biased ? biased - 1 : 0);
    return put_decimal(into, shortest(c, q, fraction != 0 || biased <= 1, powers));
}

char *em_put_f64(char *into, double value, const em_powers_of_ten *powers)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return put_float(into, bits >> 63, bits & ((UINT64_C(1) << 52) - 1), (int32_t)(bits >> 52 & 2047), 53, -1074,
                     powers);
}

char *em_put_f32(char *into, float value, const em_powers_of_ten *powers)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return put_float(into, bits >> 31, bits & ((1u << 23) - 1), (int32_t)(bits >> 23 & 255), 24, -149, powers);
}
