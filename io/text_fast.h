/* text_fast - the hot loop of reading: plain lines, many a microsecond.
 *
 * A plain line is `id separator id [separator weight]`, blanks around the parts, CR allowed before the newline, and
 * with `extra` anything behind. The loop takes plain lines as long as they come and stops in front of the first other
 * one, which then goes to text_line.h; what the two accept agrees, so where the loop stops changes nothing but the
 * speed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_IO_TEXT_FAST_H
#define EM_IO_TEXT_FAST_H

#include "io/text_number.h"

/* A batch being filled. Pairs have room for `capacity` arcs, weights too when there are any. */
typedef struct em_text_batch {
    void *pairs; /* u32 pairs, or u64 pairs when `wide` */
    void *weights;
    uint32_t n_arcs, capacity;
    uint32_t base; /* taken off every id */
    /* Of the batch so far. Where an id was below the base, one of the first two is UINT64_MAX. */
    uint64_t largest_source, largest_target, smallest;
    em_weight_kind weight_kind;
    char separator;
    bool wide;
    bool extra;       /* lines may go on with columns that nothing uses */
    uint64_t n_extra; /* lines that did */
} em_text_batch;

/* Which of 64 bytes are of which class, a bit each: what the vector loops look at. */
typedef struct em_classes {
    uint64_t digit, blank, newline, separator, cr, point, forbidden;
} em_classes;

enum { EM_FAST_ROOM = 16 }; /* arcs that must fit before the loop goes on */

/* Parses plain lines of [at, end) into the batch until it has less than EM_FAST_ROOM places left or another line comes.
 * Returns where it stopped, always at the begin of a line. 64 bytes behind `end` must be readable. */
typedef const char *em_text_fast(const char *at, const char *end, em_text_batch *batch);

em_text_fast em_text_fast_scalar, em_text_fast_avx2, em_text_fast_avx512;

/* Stores a weight of `n_fraction` digits behind the point, all digits in `mantissa` (below 10^19). False: the careful
 * path must decide. */
static inline bool em_store_weight(em_weight_kind kind, void *weights, uint32_t index, uint64_t mantissa,
                                   uint32_t n_fraction)
{
    switch (kind) {
    case EM_WEIGHT_I32:
        ((int32_t *)weights)[index] = (int32_t)mantissa;
        return n_fraction == 0 && mantissa <= INT32_MAX;
    case EM_WEIGHT_I64:
        ((int64_t *)weights)[index] = (int64_t)mantissa;
        return n_fraction == 0 && mantissa <= INT64_MAX;
    case EM_WEIGHT_F32:
        if (n_fraction == 0 && mantissa > UINT64_C(1) << 24)
            return false;
        ((float *)weights)[index] = n_fraction <= 10 && mantissa <= UINT64_C(1) << 24
                                        ? (float)mantissa / (float)em_exact_powers[n_fraction]
                                        : em_scale_f32(mantissa, -(int)n_fraction);
        return true;
    case EM_WEIGHT_F64:
        if (mantissa <= UINT64_C(1) << 53) {
            ((double *)weights)[index] = (double)mantissa / em_exact_powers[n_fraction];
            return true;
        }
        ((double *)weights)[index] = em_scale_f64(mantissa, -(int)n_fraction);
        return n_fraction != 0;
    default:
        return false;
    }
}

#endif
