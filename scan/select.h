/* select - stream compaction by a predicate: what is kept of an array, or of columns, in its order.
 *
 * One pass: a tile is judged and packed while it is in the cache, learns how much the tiles before it keep
 * (scan/chain.h), and is written where it belongs. Each item is read from memory once and only what is kept is written;
 * there is neither an array of flags nor one of positions. (Billeter, Olsson and Assarsson, Efficient stream compaction
 * on wide SIMD many-core architectures, HPG 2009; on one chained scan it is CUB's DeviceSelect.)
 *
 * All give the same bytes for any number of threads. After an error outputs hold anything, also those that are inputs.
 * As everywhere, one thread at a time calls with one context. uses.h has compaction by flags that lie in memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_SCAN_SELECT_H
#define EM_SCAN_SELECT_H

#include "scan/base/context.h"
#include "scan/monoid.h"

/* Items that a predicate judges at a time, at most: they and their bits stay in the first-level cache. */
enum { EM_SELECT_BLOCK = 4096 };

/* Judges items[n], the first of which is number first_index: bit i % 64 of bits[i / 64] is 1 if item i is kept. It
 * writes all ceil(n / 64) words; bits past the n-th count for nothing. Called by several threads at a time, each with
 * items of its own; n is 1 to EM_SELECT_BLOCK. A failure ends the call. Of several the one with the smallest position
 * is told (em_fail_at): blocks before one that fails are all judged. */
typedef em_status em_predicate(const void *state, const void *items, uint64_t first_index, uint32_t n, uint64_t *bits,
                               em_error *error);

/* Moves what the predicate keeps of in[n] to the beginning of out, in its order, and says how many items these are
 * (*n_kept, or NULL). item_bytes is 4, 8 or 16. out may be in, where items past those kept then hold anything; else the
 * two lie apart and nothing is written past what is kept. out has room for n items. Scratch: a tile a thread. */
EM_API em_status em_select(em_context *context, uint64_t item_bytes, const void *in, uint64_t n,
                           em_predicate *predicate, const void *state, void *out, uint64_t *n_kept, em_error *error);

typedef enum em_relation {
    EM_LESS = 0,
    EM_LESS_OR_EQUAL,
    EM_EQUAL,
    EM_NOT_EQUAL,
    EM_GREATER_OR_EQUAL,
    EM_GREATER,
    EM_N_RELATIONS
} em_relation;

/* Keeps the numbers x of `type` for which x RELATION constant, as C compares them: NaN is not equal to anything and in
 * no other relation. *constant is a number of the type. Otherwise as em_select. */
EM_API em_status em_select_compare(em_context *context, em_type type, const void *in, uint64_t n, em_relation relation,
                                   const void *constant, void *out, uint64_t *n_kept, em_error *error);

/* --- columns: several arrays of as many items, packed in place by one mask ----------------------------------- */

enum { EM_MOST_COLUMNS = 8 };

typedef struct em_column {
    void *at;            /* the caller's */
    uint64_t item_bytes; /* 4, 8 or 16 */
} em_column;

/* As em_predicate, of item numbers: reads whatever it likes of the columns at first_index to first_index + n - 1, and
 * nothing of them elsewhere. `worker` is below em_context_threads, for scratch of its own. */
typedef em_status em_row_predicate(const void *state, uint32_t worker, uint64_t first_index, uint32_t n, uint64_t *bits,
                                   em_error *error);

/* Packs columns[n_columns] (at most EM_MOST_COLUMNS, apart from each other) of n items each in place: what is kept
 * moves to the beginning of each column, in its order; items past the *n_kept hold anything. */
EM_API em_status em_select_columns(em_context *context, const em_column *columns, uint32_t n_columns, uint64_t n,
                                   em_row_predicate *predicate, const void *state, uint64_t *n_kept, em_error *error);

/* Items from `from` on that move down to `to`, n of them. */
typedef struct em_gap_part {
    uint64_t from, to, n;
} em_gap_part;

/* Moves parts[n_parts] of each column down in place. Sources come in order and apart, so do destinations, and none is
 * above its source (EM_USAGE otherwise): from[p] + n[p] <= from[p + 1], to[p] + n[p] <= to[p + 1], to[p] <= from[p].
 * All threads take pieces of parts, however large those are. */
EM_API em_status em_close_gaps(em_context *context, const em_column *columns, uint32_t n_columns,
                               const em_gap_part *parts, uint64_t n_parts, em_error *error);

#endif
