/* compact - what `bench compact` measures: selections of numbers below a constant, by how many are kept.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_PIPELINE_BENCH_COMPACT_H
#define EM_PIPELINE_BENCH_COMPACT_H

#include "pipeline/bench/bench.h"

enum { COMPACT_CONTENDERS = 12, COMPACT_SHARES = 3 };

/* One contender's call. */
typedef struct compact_call {
    em_context *context; /* of ours */
    const em_compact_peer *peer;
    em_type type;
    const void *in;
    void *out;
    uint64_t n, n_kept; /* n_kept: of the last call */
    uint64_t least;     /* the constant: a number of the type is at its beginning */
    uint32_t n_threads;
} compact_call;

/* One type, size and share of items that are kept. Copies come first, of as many bytes as the input has. */
typedef struct compact_result {
    const char *name; /* of the type */
    em_type type;
    uint64_t n, item_bytes, n_kept;
    uint32_t percent, n_pairs, n_contenders;
    double copy_ns[BENCH_PAIRS]; /* of the fastest copy of each round */
    bench_contender contenders[COMPACT_CONTENDERS];
    compact_call calls[COMPACT_CONTENDERS];
} compact_result;

typedef struct compact_bench {
    bench *run;
    compact_result **results; /* from em_allocate of run->all */
    uint32_t n_results;
} compact_bench;

/* All types of run->cases (u32 and u64 only) at all sizes. EM_DIFFERS: a wrong result. */
em_status compact_measure(compact_bench *of, em_error *error);
void compact_free(compact_bench *of);

/* The contender of that name, or of other libraries the one with the least median; NULL: none. */
const bench_contender *compact_find(const compact_result *result, const char *name);
const bench_contender *compact_best_peer(const compact_result *result);
bench_figure compact_to_copy(const compact_result *result, const bench_contender *contender);

void compact_print_result(const bench *run, const compact_result *result);
void compact_print_end(const compact_bench *of); /* what was left out, and the goals */
em_status compact_json(const compact_bench *of, em_output *output, em_error *error);

#endif
