/* uses - what scans are for: small functions, each one scan and little else, and each with an example beside it.
 *
 * compact        where do the kept items go, and move them there      scan/examples/compact.c
 * partition      tasks of known weights cut in parts of like weight   scan/examples/partition.c
 * balance        rows of a CSR shared by threads, hubs cut            scan/examples/balance.c
 * recurrences    Fibonacci numbers, linear congruential numbers,      scan/examples/fibonacci.c, random.c, filter.c
 *                recursive filters: each value depends on the one before it, and still all threads work
 * custom monoids strings and intervals                                scan/examples/strings.c, intervals.c
 *
 * Arrays are the caller's and begin at a multiple of their elements' size; what is named differently must not overlap
 * unless said otherwise (EM_USAGE). All give the same bytes for any number of threads. After an error outputs hold
 * anything. As everywhere, one thread at a time calls with one context.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_SCAN_USES_H
#define EM_SCAN_USES_H

#include "scan/scan.h"

/* --- stream compaction ---------------------------------------------------------------------------------- */

/* positions[n + 1]: how many of keep[0] to keep[i - 1] are not 0, which is where item i goes if it is kept; the number
 * of all that are kept at positions[n]. One pass: reads a byte and writes eight an item. */
EM_API em_status em_compact_positions(em_context *context, const uint8_t *keep, uint64_t n, uint64_t *positions,
                                      em_error *error);

/* The same for one bit an item: item i is kept if bit i % 64 of bits[i / 64] is 1, the lowest bit being number 0.
 * bits[ceil(n / 64)]; bits past the n-th count for nothing. */
EM_API em_status em_compact_positions_of_bits(em_context *context, const uint64_t *bits, uint64_t n,
                                              uint64_t *positions, em_error *error);

/* Moves the items of in[n] whose keep[n] is not 0 to the beginning of out, in their order, and says how many they are
 * (*n_kept, or NULL). An item is item_bytes (over 0) of anything at any address. out has room for n items; only kept
 * ones are written. One pass, without an array of positions: each item is moved by the scan itself, as soon as its
 * tile knows what precedes it. */
EM_API em_status em_compact(em_context *context, uint64_t item_bytes, const void *in, const uint8_t *keep, uint64_t n,
                            void *out, uint64_t *n_kept, em_error *error);

/* --- weighted partition --------------------------------------------------------------------------------- */

/* Tasks of weights[n] (EM_U32 or EM_U64) in n_parts (over 0) parts of consecutive tasks: part q has tasks begins[q] to
 * begins[q + 1] - 1, begins[n_parts + 1]. With W the sum of the weights it begins at the first task whose predecessors
 * weigh ceil(q W / n_parts) or more; so every part's weight differs from W / n_parts by less than the heaviest task,
 * and a part may be empty. EM_MALFORMED where W is over 2^64 - 1. One pass, n + 1 words of scratch, and a binary search
 * for each part. */
EM_API em_status em_partition_tasks(em_context *context, em_type weight_type, const void *weights, uint64_t n,
                                    uint64_t n_parts, uint64_t *begins, em_error *error);

/* The same where the sums of predecessors are known: offsets[n + 1] does not decrease (not checked), and task i weighs
 * offsets[i + 1] - offsets[i]. Reads about n_parts log2 n offsets. */
EM_API em_status em_partition_offsets(const uint64_t *offsets, uint64_t n, uint64_t n_parts, uint64_t *begins,
                                      em_error *error);

/* One of these begins, for a thread that looks for its own part. part <= n_parts; n_parts is over 0. */
EM_API uint64_t em_part_begin(const uint64_t *offsets, uint64_t n, uint64_t part, uint64_t n_parts);

/* --- rows of a CSR over threads --------------------------------------------------------------------------- */

/* Whole rows: part q has rows begins[q] to begins[q + 1] - 1, begins[n_parts + 1], of offsets[n_rows + 1]. A row costs
 * 1 + its arcs, since a loop over rows spends time on empty ones, too; a part's cost differs from the mean by less than
 * the costliest row. Reads about n_parts log2 n_rows offsets. */
EM_API em_status em_balance_rows(const uint64_t *offsets, uint64_t n_rows, uint64_t n_parts, uint64_t *begins,
                                 em_error *error);

/* One of these begins. part <= n_parts; n_parts is over 0. */
EM_API uint64_t em_row_begin(const uint64_t *offsets, uint64_t n_rows, uint64_t part, uint64_t n_parts);

/* A place between two steps of a walk through all rows and arcs: `arc` is the next arc (an index of targets) and `row`
 * the row that it belongs to, or whose end is the next step. */
typedef struct em_row_arc {
    uint64_t row, arc;
} em_row_arc;

/* Parts that cut within rows: points[n_parts + 1], part q walks from points[q] to points[q + 1]. Rows points[q].row to
 * points[q + 1].row - 1 end in it; of row points[q + 1].row it has the arcs up to points[q + 1].arc, if any, and leaves
 * the rest. Costs (arcs, and ends of rows) of any two parts differ by one at most, whatever the largest row.
 * (Merrill and Garland, Merge-based parallel sparse matrix-vector multiplication, SC 2016.) */
EM_API em_status em_balance_arcs(const uint64_t *offsets, uint64_t n_rows, uint64_t n_parts, em_row_arc *points,
                                 em_error *error);

/* One of these points. part <= n_parts; n_parts is over 0. */
EM_API em_row_arc em_merge_point(const uint64_t *offsets, uint64_t n_rows, uint64_t part, uint64_t n_parts);

/* --- linear recurrences ----------------------------------------------------------------------------------- */

/* out[i] = F(i) modulo `modulus` (2 or more), out[n]; F(0) = 0, F(1) = 1, F(i) = F(i - 1) + F(i - 2). Writes memory
 * once and reads nothing: a tile's product is a power of one matrix. */
EM_API em_status em_fibonacci(em_context *context, uint32_t modulus, uint64_t n, uint32_t *out, em_error *error);

/* The n numbers that follow `seed` in x -> factor * x + term modulo 2^32: out[0] = factor * seed + term, out[n]. Writes
 * memory once and reads nothing. */
EM_API em_status em_congruential(em_context *context, uint32_t factor, uint32_t term, uint32_t seed, uint64_t n,
                                 uint32_t *out, em_error *error);
/* The number that many steps after `seed`, in about 2 log2 n_steps multiplications. */
EM_API uint32_t em_congruential_jump(uint32_t factor, uint32_t term, uint32_t seed, uint64_t n_steps);

/* A recursive filter of first order: y[i] = factor * y[i - 1] + x[i], where y[-1] is `before`. x[n], y[n]; y may be x.
 *
 * Grouping is fixed. A leaf of EM_FILTER_LEAF items is an affine map of what precedes it; maps of leaves are combined
 * from the left, and within a leaf the recurrence runs as it is written: up to the first EM_FILTER_LEAF results are
 * those of the serial loop, bit for bit. Let S be the recurrence of the magnitudes of factor, x and before; then the
 * error of y[i] is below d u / (1 - d u) S[i] with d = 2 (i + 1) and u half a unit in the last place of 1, which is
 * also the bound for the serial loop, provided that no product of the factors of a leaf overflows or underflows. NaNs
 * are written as one quiet NaN. Reads memory once and writes it once. */
EM_API em_status em_filter_f32(em_context *context, float factor, float before, const float *x, float *y, uint64_t n,
                               em_error *error);
EM_API em_status em_filter_f64(em_context *context, double factor, double before, const double *x, double *y,
                               uint64_t n, em_error *error);
/* y[i] = factors[i] * y[i - 1] + x[i]; factors[n]. */
EM_API em_status em_recurrence_f32(em_context *context, const float *factors, float before, const float *x, float *y,
                                   uint64_t n, em_error *error);
EM_API em_status em_recurrence_f64(em_context *context, const double *factors, double before, const double *x,
                                   double *y, uint64_t n, em_error *error);
enum { EM_FILTER_LEAF = 512 };

/* --- custom monoids --------------------------------------------------------------------------------------- */

/* The beginning of a text. Bytes from n_bytes on are 0. */
enum { EM_FIRST_BYTES = 24 };
typedef struct em_first_bytes {
    uint8_t n_bytes;
    char bytes[EM_FIRST_BYTES];
} em_first_bytes;

/* Concatenation, cut after EM_FIRST_BYTES bytes: associative, not commutative. Items, elements and results are
 * em_first_bytes; an item's n_bytes over EM_FIRST_BYTES counts as that many. */
EM_API const em_monoid *em_monoid_first_bytes(void);
EM_API em_first_bytes em_first_bytes_of(const char *text); /* NUL-terminated */

/* Numbers from begin to end - 1; none where begin >= end. */
typedef struct em_interval {
    int64_t begin, end;
} em_interval;

/* Intersection: commutative. Items, elements and results are em_interval; the identity is INT64_MIN to INT64_MAX. */
EM_API const em_monoid *em_monoid_intervals(void);

#endif
