/* text_number - numbers in text, exactly: vertex ids and weights. Independent of the locale.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_IO_TEXT_NUMBER_H
#define EM_IO_TEXT_NUMBER_H

#include "scan/base/graph.h"

#include <string.h>

/* The largest vertex id there is: no id is a sentinel, and n = id + 1 still fits a signed 64-bit integer. */
#define EM_LARGEST_ID ((uint64_t)INT64_MAX - 1)

typedef enum em_number_status {
    EM_NUMBER_OK = 0,
    EM_NUMBER_BAD,        /* not a number */
    EM_NUMBER_NEGATIVE,   /* an id below 0 */
    EM_NUMBER_OVERFLOW,   /* too large for its type */
    EM_NUMBER_NOT_FINITE, /* inf, nan */
    EM_NUMBER_FRACTION    /* a point or an exponent where an integer is wanted */
} em_number_status;

typedef struct em_weight {
    union {
        int32_t i32;
        int64_t i64;
        float f32;
        double f64;
    } value;
    bool rounded; /* spelled as an integer, and its type cannot hold it */
    bool zeroed;  /* became 0 and was not */
} em_weight;

/* [at, end) as decimal digits only. */
em_number_status em_parse_id(const char *at, const char *end, uint64_t *id);

/* Whether [at, end) is spelled as an integer: an optional sign and digits. */
bool em_spelled_as_integer(const char *at, const char *end);

/* [at, end) as a decimal number of `kind`, rounded once. */
em_number_status em_parse_weight(const char *at, const char *end, em_weight_kind kind, em_weight *weight);

/* Whether f64 holds the integer as it is. */
static inline bool em_is_exact_f64(int64_t integer)
{
    const double rounded = (double)integer;
    return rounded < 0x1p63 && (int64_t)rounded == integer;
}

/* mantissa * 10^exponent, correctly rounded; |exponent| <= 19. */
double em_scale_f64(uint64_t mantissa, int exponent);
float em_scale_f32(uint64_t mantissa, int exponent);

extern const double em_exact_powers[23];     /* 10^0 … 10^22, all exact */
extern const uint64_t em_integer_powers[20]; /* 10^0 … 10^19 */

/* Up to 8 digits at once: `word` holds them right-aligned (last digit in the top byte), zero bytes in front. */
static inline uint32_t em_digits8(uint64_t word)
{
    word &= UINT64_C(0x0F0F0F0F0F0F0F0F);
    word = word * 2561 >> 8;
    word = (word & UINT64_C(0x00FF00FF00FF00FF)) * 6553601 >> 16;
    return (uint32_t)((word & UINT64_C(0x0000FFFF0000FFFF)) * 42949672960001 >> 32);
}

static inline uint64_t em_load8(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* n (1 to 16) digits; 8 bytes from `at` on must be readable. */
static inline uint64_t em_digits16(const char *at, uint32_t n)
{
    if (n <= 8)
        return em_digits8(em_load8(at) << (64 - 8 * n));
    return em_digits8(em_load8(at) << (128 - 8 * n)) * UINT64_C(100000000) + em_digits8(em_load8(at + n - 8));
}

#endif
