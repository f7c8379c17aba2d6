/* numbers - one id or one weight of a text.
 *
 * Weights go through strtod and strtof, which round once and correctly (the program never calls setlocale, so the
 * decimal point is a point). An integer is what is spelled as one: no point, no exponent.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/judge/judge.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Ids above 2^63 - 2 are errors, so that n fits a signed number. */
static const uint64_t largest_id = INT64_MAX - 1;

const char *parse_id(const char *token, size_t n, uint64_t base, uint64_t *id)
{
    if (n == 0)
        return "an id is missing";
    if (token[0] == '-')
        return "negative id";
    for (size_t i = 0; i < n; i++) {
        if (token[i] < '0' || token[i] > '9')
            return "an id is no number";
    }
    if (!parse_natural(token, n, id))
        return "id too large";
    if (*id < base)
        return "id 0 with base 1";
    *id -= base;
    return *id > largest_id ? "id too large" : NULL;
}

static bool spelled_as_integer(const char *token, size_t n)
{
    size_t sign = n > 0 && (token[0] == '-' || token[0] == '+');
    if (sign == n)
        return false;
    for (size_t i = sign; i < n; i++) {
        if (token[i] < '0' || token[i] > '9')
            return false;
    }
    return true;
}

/* strtod knows more spellings than edge lists do: hexadecimal, nan(...), leading blanks. */
static const char *check_real(const char *token, size_t n)
{
    char *end;
    if (n == 0)
        return "weight missing";
    if (memchr(token, 'x', n) || memchr(token, 'X', n) || memchr(token, '(', n))
        return "weight is no number";
    double real = strtod(token, &end);
    if (end != token + n)
        return "weight is no number";
    if (strchr("0123456789.", token[token[0] == '-' || token[0] == '+']) == NULL)
        return "weight is not finite";
    return isfinite(real) ? NULL : "weight too large";
}

static const char *parse_integer(const char *token, enum weight_kind kind, uint64_t *bits)
{
    errno = 0;
    long long whole = strtoll(token, NULL, 10);
    if (errno == ERANGE)
        return "integer weight wider than i64";
    if (kind == WEIGHT_I32 && (whole < INT32_MIN || whole > INT32_MAX))
        return "integer weight wider than i32";
    *bits = kind == WEIGHT_I32 ? (uint32_t)whole : (uint64_t)whole;
    return NULL;
}

const char *parse_weight(const char *token, size_t n, enum weight_kind kind, bool auto_kind, uint64_t *bits,
                         bool *integer)
{
    *bits = 0;
    *integer = spelled_as_integer(token, n);
    if (*integer && auto_kind) { /* an integer first of all, so -0 is 0 among floats, too */
        const char *why = parse_integer(token, WEIGHT_I64, bits);
        if (!why && kind == WEIGHT_F64) {
            double wide = (double)(int64_t)*bits;
            memcpy(bits, &wide, sizeof wide);
        }
        return why;
    }
    if (*integer && (kind == WEIGHT_I64 || kind == WEIGHT_I32))
        return parse_integer(token, kind, bits);
    const char *why = check_real(token, n);
    if (why)
        return why;
    if (kind == WEIGHT_F32) {
        float narrow = strtof(token, NULL);
        if (!isfinite(narrow))
            return "weight too large for f32";
        memcpy(bits, &narrow, sizeof narrow);
    } else if (kind == WEIGHT_F64 || kind == WEIGHT_AUTO) {
        double wide = strtod(token, NULL);
        memcpy(bits, &wide, sizeof wide);
    } else {
        return "weight is no integer";
    }
    return NULL;
}
