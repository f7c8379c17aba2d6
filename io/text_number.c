/* text_number - see text_number.h.
 *
 * Most decimals have at most 19 digits and a small exponent: then mantissa and power of ten are integers of 64 bits,
 * their product or quotient is exact in 128 bits (with one sticky bit for the remainder), and converting that integer
 * rounds once. Everything else goes to the C library in the C locale.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/text_number.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>

const uint64_t em_integer_powers[20] = {
    1,
    10,
    100,
    1000,
    10000,
    100000,
    1000000,
    10000000,
    100000000,
    1000000000,
    10000000000,
    100000000000,
    1000000000000,
    10000000000000,
    100000000000000,
    1000000000000000,
    10000000000000000,
    100000000000000000,
    1000000000000000000,
    UINT64_C(10000000000000000000),
};

const double em_exact_powers[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

em_number_status em_parse_id(const char *at, const char *end, uint64_t *id)
{
    if (at < end && *at == '-' && at + 1 < end) {
        for (const char *digit = at + 1; digit < end; digit++)
            if (*digit < '0' || *digit > '9')
                return EM_NUMBER_BAD;
        return EM_NUMBER_NEGATIVE;
    }
    uint64_t value = 0;
    bool overflow = false;
    const char *digit = at;
    for (; digit < end && *digit >= '0' && *digit <= '9'; digit++)
        overflow |= __builtin_mul_overflow(value, UINT64_C(10), &value) |
                    __builtin_add_overflow(value, (uint64_t)(*digit - '0'), &value);
    if (digit == at || digit < end)
        return EM_NUMBER_BAD;
    if (overflow || value > EM_LARGEST_ID)
        return EM_NUMBER_OVERFLOW;
    *id = value;
    return EM_NUMBER_OK;
}

/* floor(mantissa * 2^shift / divisor) with at least 62 significant bits and the remainder or-ed into the last one. */
static uint64_t quotient(uint64_t mantissa, uint64_t divisor, int *shift)
{
    const int up = __builtin_clzll(mantissa), down = __builtin_clzll(divisor);
    mantissa <<= up;
    divisor <<= down;
    const unsigned __int128 dividend = (unsigned __int128)mantissa << 63;
    const uint64_t q = (uint64_t)(dividend / divisor);
    *shift = down - up - 63;
    return q | ((unsigned __int128)q * divisor != dividend);
}

double em_scale_f64(uint64_t mantissa, int exponent)
{
    if (mantissa == 0)
        return 0;
    if (exponent >= 0)
        return (double)((unsigned __int128)mantissa * em_integer_powers[exponent]);
    int shift;
    const uint64_t q = quotient(mantissa, em_integer_powers[-exponent], &shift);
    return ldexp((double)q, shift);
}

float em_scale_f32(uint64_t mantissa, int exponent)
{
    if (mantissa == 0)
        return 0;
    if (exponent >= 0)
        return (float)((unsigned __int128)mantissa * em_integer_powers[exponent]);
    int shift;
    const uint64_t q = quotient(mantissa, em_integer_powers[-exponent], &shift);
    return ldexpf((float)q, shift);
}

/* A decimal number taken apart. */
typedef struct decimal {
    bool negative, integer, nonzero;
    bool exact;        /* mantissa and exponent say it all */
    uint64_t mantissa; /* the first 19 significant digits */
    int64_t exponent;
} decimal;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void take_digit(decimal *number, int *n_digits, char digit, bool behind_point)
{
    if (number->mantissa != 0 || digit != '0') {
        number->nonzero = true;
        if (*n_digits < 19) {
            number->mantissa = number->mantissa * 10 + (uint64_t)(digit - '0');
            ++*n_digits;
        } else {
            number->exact &= digit == '0';
            number->exponent += !behind_point;
            return;
        }
    }
    number->exponent -= behind_point;
}

/* [sign] digits [. digits] [e [sign] digits], with a digit on at least one side of the point. */
static em_number_status take_apart(const char *at, const char *end, decimal *number)
{
    *number = (decimal){.integer = true, .exact = true};
    if (at < end && (*at == '-' || *at == '+'))
        number->negative = *at++ == '-';
    if (end - at >= 3 && (strncasecmp(at, "inf", 3) == 0 || strncasecmp(at, "nan", 3) == 0)) {
        const size_t n = (size_t)(end - at);
        return n == 3 || (n == 8 && strncasecmp(at, "infinity", 8) == 0) ? EM_NUMBER_NOT_FINITE : EM_NUMBER_BAD;
    }
    int n_digits = 0;
    const char *const first = at;
    for (; at < end && is_digit(*at); at++)
        take_digit(number, &n_digits, *at, false);
    ptrdiff_t n_seen = at - first;
    if (at < end && *at == '.') {
        number->integer = false;
        const char *const point = at++;
        for (; at < end && is_digit(*at); at++)
            take_digit(number, &n_digits, *at, true);
        n_seen += at - point - 1;
    }
    if (n_seen == 0)
        return EM_NUMBER_BAD;
    if (at < end && (*at == 'e' || *at == 'E')) {
        number->integer = false;
        at++;
        const bool down = at < end && *at == '-';
        if (at < end && (*at == '-' || *at == '+'))
            at++;
        if (at == end)
            return EM_NUMBER_BAD;
        int64_t exponent = 0;
        for (; at < end && is_digit(*at); at++)
            if (exponent < 1000000000)
                exponent = exponent * 10 + (*at - '0');
        number->exponent += down ? -exponent : exponent;
    }
    return at == end ? EM_NUMBER_OK : EM_NUMBER_BAD;
}

bool em_spelled_as_integer(const char *at, const char *end)
{
    decimal number;
    return take_apart(at, end, &number) == EM_NUMBER_OK && number.integer;
}

static em_number_status as_integer(const decimal *number, int64_t least, int64_t most, int64_t *value)
{
    /* the magnitude is complete when no digit went past the nineteenth */
    const uint64_t bound = number->negative ? (uint64_t)0 - (uint64_t)least : (uint64_t)most;
    if (number->exponent > 0 || number->mantissa > bound)
        return EM_NUMBER_OVERFLOW;
    *value = number->negative ? (int64_t)((uint64_t)0 - number->mantissa) : (int64_t)number->mantissa;
    return EM_NUMBER_OK;
}

/* The C library's conversion of a token that is known to be a decimal number. */
static double slow_f64(const char *at, const char *end, bool single)
{
    char short_text[128], *text = short_text;
    const size_t n = (size_t)(end - at);
    if (n >= sizeof short_text && !(text = malloc(n + 1)))
        return NAN;
    memcpy(text, at, n);
    text[n] = 0;
    const locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    const double value = single ? (double)strtof_l(text, NULL, c_locale) : strtod_l(text, NULL, c_locale);
    freelocale(c_locale);
    if (text != short_text)
        free(text);
    return value;
}

static bool small_exponent(const decimal *number)
{
    return number->exact && number->exponent >= -19 && number->exponent <= 19;
}

/* Whether the integer is changed by becoming `value`. */
static bool changed(const decimal *number, double value)
{
    if (!number->integer || value == 0)
        return false;
    if (number->exponent > 0 || !number->exact)
        return true; /* beyond 19 digits: not worth deciding, and worth a warning */
    return value >= 0x1p64 || (uint64_t)value != number->mantissa;
}

em_number_status em_parse_weight(const char *at, const char *end, em_weight_kind kind, em_weight *weight)
{
    *weight = (em_weight){0};
    decimal number;
    const em_number_status status = take_apart(at, end, &number);
    if (status != EM_NUMBER_OK)
        return status;
    if (kind == EM_WEIGHT_I32 || kind == EM_WEIGHT_I64) {
        if (!number.integer)
            return EM_NUMBER_FRACTION;
        const bool wide = kind == EM_WEIGHT_I64;
        int64_t value = 0;
        if (as_integer(&number, wide ? INT64_MIN : INT32_MIN, wide ? INT64_MAX : INT32_MAX, &value) != EM_NUMBER_OK)
            return EM_NUMBER_OVERFLOW;
        if (wide)
            weight->value.i64 = value;
        else
            weight->value.i32 = (int32_t)value;
        return EM_NUMBER_OK;
    }
    const bool single = kind == EM_WEIGHT_F32;
    double magnitude;
    if (!small_exponent(&number))
        magnitude = fabs(slow_f64(at, end, single));
    else if (single)
        magnitude = (double)em_scale_f32(number.mantissa, (int)number.exponent);
    else
        magnitude = em_scale_f64(number.mantissa, (int)number.exponent);
    if (isinf(magnitude) || isnan(magnitude))
        return EM_NUMBER_OVERFLOW;
    weight->rounded = changed(&number, magnitude);
    weight->zeroed = magnitude == 0 && number.nonzero;
    const double value = number.negative ? -magnitude : magnitude;
    if (single)
        weight->value.f32 = (float)value;
    else
        weight->value.f64 = value;
    return EM_NUMBER_OK;
}
