/* support_sort - keys of many kinds, contexts in which sorts of a few records use every path, and a sort by comparison.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_TESTS_SUPPORT_SORT_H
#define EM_TESTS_SUPPORT_SORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scan/base/context.h"

/* What keys look like. */
typedef enum sort_kind {
    SORT_SPREAD = 0, /* all bits random */
    SORT_EQUAL,
    SORT_TWO, /* two values */
    SORT_ASCENDING,
    SORT_DESCENDING,
    SORT_HEAVY,  /* nine of ten are one value */
    SORT_LEVELS, /* each power of two as often as the next: every digit is skewed */
    SORT_GAP,    /* some low and some high bits */
    SORT_FEW,    /* the 10 lowest bits */
    SORT_N_KINDS
} sort_kind;

/* key_bytes at a time into every stride-th byte. */
void sort_fill(sort_kind kind, void *keys, uint64_t n, uint64_t key_bytes, uint64_t stride, uint64_t seed);

/* Places in stable order of the little-endian keys of key_bytes at each stride-th byte, by bits low to high - 1. The
 * caller frees them. */
uint64_t *sort_reference(const void *keys, uint64_t n, uint64_t key_bytes, uint64_t stride, uint32_t low,
                         uint32_t high);

/* Wakes a team of n_threads for any size; buckets have bucket_bytes (0: the default); the allocation number `fail` and
 * those after it fail (0: none). */
em_context *sort_team(uint32_t n_threads, uint64_t bucket_bytes, uint64_t fail);

/* Calls `check` with teams of 1 to 5, each instruction set and buckets of a few bytes to the default, and sees that all
 * memory came back. */
void sort_in_every_context(void (*check)(em_context *context, void *state), void *state);

#endif
