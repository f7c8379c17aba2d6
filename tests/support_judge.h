/* support_judge - CSR files made byte by byte from their documented layouts, and runs of the judge on them.
 *
 * Nothing of the library is used: what the judge is shown must not depend on what it judges.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SUPPORT_JUDGE_H
#define SUPPORT_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { JUDGE_ARCS = 256 };
enum { PLAIN = 0, I32, I64, F32, F64 };                      /* weight kinds as a .csr numbers them */
enum { SORTED = 1, UNIQUE = 2, NO_LOOPS = 4, MIRRORED = 8 }; /* flags of a .csr */

struct judge_csr {
    uint64_t n, m;
    uint64_t offsets[JUDGE_ARCS + 2];
    uint64_t targets[JUDGE_ARCS];
    uint64_t weights[JUDGE_ARCS]; /* bits of the kind */
    uint64_t positions[JUDGE_ARCS];
    int kind;
    uint64_t flags;
    bool has_positions;
};

/* An arc list in input order. */
struct judge_arc {
    uint64_t source, target, weight, position;
};
/* The CSR of an arc list by insertion: rows by (target, position), or by position alone. */
void judge_fixture(struct judge_csr *, uint64_t n, const struct judge_arc *, uint64_t n_arcs, int kind,
                   bool input_order);

void judge_put(const char *path, const void *bytes, size_t n);
void judge_put_text(const char *path, const char *text);
void judge_put_csr(const char *path, const struct judge_csr *);
void judge_put_npz(const char *path, const struct judge_csr *, bool wide);

/* A folder of its own, entered; left and removed again. */
int judge_enter(void **state);
int judge_leave(void **state);

bool judge_is_built(void);
const char *judge_path(void); /* beside this test program, whether it is there or not */
/* Runs the judge with blank-separated words; its exit status, and what it printed on both streams. */
int judge_run(const char *words, char *printed, size_t n_printed);

/* For main: the tests, in a folder of their own; none where there is no judge. */
struct CMUnitTest;
int judge_run_tests(const struct CMUnitTest *tests, size_t n);

uint64_t judge_f32_bits(float);
uint64_t judge_f64_bits(double);

#endif
