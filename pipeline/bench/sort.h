/* sort - what `bench sort` measures: keys, arcs and keys with payloads, beside copies and other libraries.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_PIPELINE_BENCH_SORT_H
#define EM_PIPELINE_BENCH_SORT_H

#include "pipeline/bench/bench.h"

enum { SORT_CONTENDERS = 12, SORT_TYPES = 4 };

/* What is sorted. Records of 4 or 8 bytes, key lowest, for other libraries; arcs and pairs are columns for ours. */
typedef struct sort_type {
    const char *name; /* "u32", "u64", "arcs", "pairs" */
    uint32_t record_bytes;
    bool columns;
    void (*fill)(void *records, uint64_t n);
} sort_type;

/* NULL past the last. */
const sort_type *sort_type_at(uint32_t index);
/* "u32,arcs" to the bits of run->cases. */
em_status sort_parse_types(bench *run, const char *text, em_error *error);

/* One contender's call: sorts what prepare put into `work`. */
typedef struct sort_call {
    em_context *context; /* of ours */
    const em_sort_peer *peer;
    const sort_type *type;
    const void *records; /* as they were */
    void *work;
    uint64_t n;
    uint32_t n_threads;
} sort_call;

/* One type and size. Copies come first, of as many bytes as the records have. */
typedef struct sort_result {
    const sort_type *type;
    uint64_t n;
    uint32_t n_pairs, n_contenders;
    double copy_ns[BENCH_PAIRS]; /* of the fastest copy of each round */
    bench_contender contenders[SORT_CONTENDERS];
    sort_call calls[SORT_CONTENDERS];
} sort_result;

typedef struct sort_bench {
    bench *run;
    sort_result **results; /* from em_allocate of run->all */
    uint32_t n_results;
} sort_bench;

/* All types of run->cases at all sizes. EM_DIFFERS: a wrong result. */
em_status sort_measure(sort_bench *of, em_error *error);
void sort_free(sort_bench *of);

/* Of other libraries the one with the least median; NULL: none. */
const bench_contender *sort_best_peer(const sort_result *result);

void sort_print_result(const bench *run, const sort_result *result);
em_status sort_json(const sort_bench *of, em_output *output, em_error *error);

#endif
