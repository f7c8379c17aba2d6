/* bench - what the benchmarks share: figures, contenders, rounds, results.
 *
 * A benchmark is a list of contenders that do the same work on the same arrays. They are timed in turn, round after
 * round, so that whatever else the machine does hits all of them; what is reported are medians of the ratios within a
 * round.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_PIPELINE_BENCH_BENCH_H
#define EM_PIPELINE_BENCH_BENCH_H

#include "io/publish.h"
#include "pipeline/bench/peer.h"
#include "scan/base/bandwidth.h"
#include "scan/scan.h"

#include <stdio.h>

/* --- statistics ------------------------------------------------------------------------------------------ */

enum { BENCH_PAIRS = 255 }; /* most rounds; always an odd number, so that a median is one of them */

/* A median and its 95 % interval. All 0: not measured. */
typedef struct bench_figure {
    double median, low, high;
} bench_figure;

/* Of values[n], n odd and at most BENCH_PAIRS. */
bench_figure bench_figure_of(const double *values, uint32_t n);
/* Of the n ratios values[i] / to[i]. */
bench_figure bench_ratio(const double *values, const double *to, uint32_t n);
void bench_sort(double *values, uint64_t n);
/* The value below which `part` (0 to 1) of sorted values[n] lie: one of them. */
double bench_quantile(const double *sorted, uint64_t n, double part);

/* --- cases: what is scanned --------------------------------------------------------------------------- */

typedef struct bench_case {
    const char *name;
    em_operator operation;
    em_type type;
    bool offsets;           /* counts to CSR offsets: exclusive with the total, out one longer */
    uint32_t items_per_row; /* of the default sizes: 16-byte items take a quarter of them */
} bench_case;

/* NULL past the last. */
const bench_case *bench_case_at(uint32_t index);
const bench_case *bench_case_named(const char *name);
/* Items for em_scan: small enough that sums neither overflow nor leave the range of normal numbers. */
void bench_fill(em_operator operation, em_type type, void *items, uint64_t n);

/* --- contenders ------------------------------------------------------------------------------------------ */

typedef enum bench_who { BENCH_COPY = 0, BENCH_OURS, BENCH_PEER } bench_who;

/* What a contender does that is no scan. */
typedef em_status bench_work(void *state, em_error *error);

typedef struct bench_contender {
    const char *name;
    bench_who who;
    uint32_t n_threads;
    em_context *context; /* of copies and ours */
    em_copy_kind copy;   /* copies take n_bytes from call.in to call.out */
    uint64_t n_bytes;
    em_scan_call call; /* ours; for peers kind, in, out, n */
    const em_peer *peer;
    bench_work *work;       /* NULL: what `who` and `call` say */
    void *state;            /* of `work` */
    uint64_t repeats;       /* calls that are timed together */
    double ns[BENCH_PAIRS]; /* of one call, round after round */
} bench_contender;

em_status bench_call(const bench_contender *contender, em_error *error);
/* Finds how many calls take long enough to be timed; also warms up. */
em_status bench_calibrate(bench_contender *contender, em_error *error);
/* n_pairs rounds of contenders[n], each round beginning with another one. */
em_status bench_interleave(bench_contender *contenders, uint32_t n, uint32_t n_pairs, em_error *error);
/* Nanoseconds of n calls one by one. */
em_status bench_each(const bench_contender *contender, double *ns, uint32_t n, em_error *error);

/* --- results --------------------------------------------------------------------------------------------- */

enum { BENCH_CONTENDERS = 48 };

/* One case at one size. Copies come first, then ours (the serial engine first of each kind), then peers. */
typedef struct bench_result {
    const bench_case *of;
    uint64_t n, bytes_in, bytes_out;
    uint32_t n_pairs, n_contenders;
    double copy_ns[BENCH_PAIRS]; /* of the fastest copy of each round */
    bench_contender contenders[BENCH_CONTENDERS];
} bench_result;

/* The contender of that name and kind, or NULL. */
const bench_contender *bench_find(const bench_result *result, const char *name, em_scan_kind kind);
/* The serial engine of the contender's kind, and the peer of a kind with the least median, the one called `but` (or "")
 * left out; NULL: none. */
const bench_contender *bench_serial_of(const bench_result *result, const bench_contender *contender);
const bench_contender *bench_best_peer(const bench_result *result, em_scan_kind kind, const char *but);
/* The contender's time in relation to another's, or to the best copy where `to` is NULL. */
bench_figure bench_relation(const bench_result *result, const bench_contender *contender, const bench_contender *to);
/* Fills copy_ns, once the copies are timed. */
void bench_find_best_copies(bench_result *result);
double bench_gbps(const bench_result *result, double ns);
const char *bench_kind_name(em_scan_kind kind);

/* --- the other measurements -------------------------------------------------------------------------- */

enum { BENCH_TILINGS = 16 };

/* The look-back engine with tiles of several sizes. */
typedef struct bench_tiles {
    const bench_case *of;
    uint64_t n;
    uint32_t n_tilings;
    uint64_t tile_bytes[BENCH_TILINGS]; /* of input */
    double tiles_per_core[BENCH_TILINGS], gbps[BENCH_TILINGS];
    bench_figure ns[BENCH_TILINGS], to_copy[BENCH_TILINGS];
} bench_tiles;

/* Many scans one by one, so that a stall shows: nanoseconds. */
typedef struct bench_stall {
    const char *name;
    uint64_t n;
    uint32_t n_threads, n_scans;
    double median, most_of_99, longest;
} bench_stall;
enum { BENCH_STALLS = 8 };

typedef struct bench_item_cost {
    const em_monoid *monoid;
    const char *operation, *type;
    bench_figure ps;
} bench_item_cost;

/* The team beside the serial engine, at one size. */
typedef struct bench_crossing {
    const em_monoid *monoid;
    uint64_t n;
    bench_figure serial_ns, to_serial;
} bench_crossing;

/* One thread that writes past the caches and one that does not, at one size of the results. */
typedef struct bench_streaming {
    const em_monoid *monoid;
    uint64_t out_bytes;
    bench_figure streamed_ps, plain_ps, to_plain; /* of an item */
} bench_streaming;

enum { BENCH_ITEM_COSTS = EM_N_OPERATORS * EM_N_TYPES, BENCH_CROSSINGS = 128, BENCH_STREAMINGS = 32, BENCH_SWEEPS = 2 };

typedef struct bench_tuning {
    bench_item_cost items[BENCH_ITEM_COSTS];
    bench_crossing crossings[BENCH_CROSSINGS]; /* of one monoid after another, each by size */
    bench_streaming streamings[BENCH_STREAMINGS];
    bench_tiles tiles[BENCH_SWEEPS];
    uint32_t n_items, n_crossings, n_streamings, n_tiles;
} bench_tuning;

/* --- a run ------------------------------------------------------------------------------------------------ */

enum { BENCH_SIZES = 64, BENCH_LEFT_OUT = 256 };

typedef struct bench_left_out {
    const bench_case *of;
    uint64_t n, n_bytes; /* that it would have taken */
} bench_left_out;

/* What is asked for, and what came out. */
typedef struct bench {
    /* asked */
    uint32_t n_threads; /* 0: what the affinity allows */
    uint32_t n_pairs;
    uint32_t cases; /* bits by bench_case_at */
    uint64_t sizes[BENCH_SIZES];
    uint32_t n_sizes;
    bool sizes_given;       /* by the user: taken as they are by every case */
    const char *peers_path; /* NULL: where they are looked for */
    FILE *out;              /* the table, as it grows */
    /* found */
    em_context *all, *one;
    uint64_t may_take_bytes; /* half of what is available */
    char peers_file[4096];   /* empty: none */
    void *peers_handle;
    const em_peer *peers;
    uint64_t n_peers;
    /* measured */
    bench_result **results; /* from em_allocate of `all` */
    uint32_t n_results;
    bench_left_out left_out[BENCH_LEFT_OUT];
    uint32_t n_left_out;
    bench_stall stalls[BENCH_STALLS];
    uint32_t n_stalls;
    bench_tiles *tiles;   /* NULL: not asked for */
    bench_tuning *tuning; /* NULL: not asked for */
} bench;

/* Contexts, memory and peers; the fields that are asked are set. bench_end also after a failure. */
em_status bench_begin(bench *run, em_error *error);
void bench_end(bench *run);
/* Finds and loads the peers: from peers_path, or beside the program, or in libexec, where their absence is no error. */
em_status bench_load_peers(bench *run, em_error *error);

/* Another table of the object that bench_load_peers loaded; NULL where there is none. */
void *bench_find_peers(const bench *run, const char *symbol);

/* Two arrays, touched. */
typedef struct bench_arrays {
    void *in, *out;
    uint64_t n_bytes; /* of each */
} bench_arrays;
em_status bench_arrays_take(bench *run, uint64_t n_bytes, bench_arrays *arrays, em_error *error);
void bench_arrays_free(bench *run, bench_arrays *arrays);
/* Bytes of each of two arrays in which n items of the case are scanned and as many bytes are copied. */
uint64_t bench_array_bytes(const bench *run, const bench_case *of, uint64_t n);
/* Of run->sizes; 0 where there is none. */
uint64_t bench_largest_size(const bench *run);
/* The four copies of as many bytes in and out as a result says, into contenders[4]. */
void bench_add_copies(bench *run, bench_result *result, const bench_arrays *arrays);

em_status bench_scan_all(bench *run, em_error *error);    /* all cases and sizes; EM_DIFFERS: a wrong result */
em_status bench_scan_stalls(bench *run, em_error *error); /* more threads than cores */
em_status bench_scan_tiles(bench *run, em_error *error);  /* 1 to 64 tiles a core, at the largest size */
/* The same for tiles->tile_bytes[n_tilings] of tiles->of at tiles->n. */
em_status bench_sweep_tiles(bench *run, bench_tiles *tiles, em_error *error);
em_status bench_scan_tune(bench *run, em_error *error);

/* Text, on run->out unless it is returned. */
const char *bench_duration(char text[32], double ns); /* 12.3 ns, 12.3 us, 12.3 ms, 12.3 s */
void bench_print_machine(const bench *run);
void bench_print_result(const bench *run, const bench_result *result);
void bench_print_end(const bench *run); /* what was left out, the headline and the goals */
void bench_print_stalls(const bench *run);
void bench_print_tiles(const bench *run);
void bench_print_tilings(FILE *out, const bench_tiles *tiles);
void bench_print_tuning(const bench *run);
/* The processor's name. Returns `name`. */
char *bench_processor(char *name, size_t n_bytes);
const char *bench_isa_name(const bench *run);

/* Parts of all JSON documents of figures. */
struct json_t;
struct json_t *bench_json_figure(bench_figure of, bool *failed);
struct json_t *bench_json_machine(const bench *run, bool *failed);

/* Files: whole or not at all. */
em_status bench_json(const bench *run, em_output *output, em_error *error);
em_status bench_svg(const bench *run, em_output *output, em_error *error);

#endif
