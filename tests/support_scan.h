/* support_scan - what tests of the scan core share: items of every operator, slow scans by definition, and one check
 * that sends a call through every engine.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_TESTS_SUPPORT_SCAN_H
#define EM_TESTS_SUPPORT_SCAN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scan/scan.h"

/* 1 in the builds that are slow. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SUPPORT_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SUPPORT_SANITIZED 1
#endif
#endif
#if !defined(SUPPORT_SANITIZED)
#define SUPPORT_SANITIZED 0
#endif

/* First of all in main: starts the program anew so that OpenMP's threads sleep between teams. More of them than
 * processors would else spend most of the time waiting for one another. */
void support_wait_asleep(char **argv);

/* What goes into a context, and into the calls made with it. */
typedef struct support_setting {
    em_isa isa; /* at most */
    uint32_t n_threads;
    uint64_t tile_bytes; /* 0: by size */
    em_scan_engine engine;
    bool serial; /* EM_SCAN_AUTO wakes nobody; else it always does */
} support_setting;
em_context *support_scan_context(support_setting with);

/* Ordinary numbers; extremes, NaNs of all kinds and infinities among them; or mostly zeros of both signs. */
typedef enum support_style { SUPPORT_TAME = 0, SUPPORT_WILD, SUPPORT_ZEROS, SUPPORT_N_STYLES } support_style;

/* items[n] of the operator; the arg ones are numbered from 0. */
void support_items(em_operator operation, em_type type, support_style style, uint64_t seed, void *items, uint64_t n);

/* A scan as it is defined, one element after another: what every engine must give. */
typedef struct support_scan {
    const em_monoid *monoid;
    em_scan_kind kind;
    const void *in, *initial;
    const uint8_t *heads;
    uint64_t n;
} support_scan;
/* results[n + 1] (the last one only with the total) and the element of everything. */
void support_scan_slowly(const support_scan *of, void *results, void *total);

/* Calls under the setting with `of`, apart and in place where that is possible, and compares bytes with `expected` and
 * `total`. The monoid is that of the call, which may be a faster one than that of `of`. */
void support_scan_matches(support_setting with, em_context *context, const em_monoid *monoid, const support_scan *of,
                          const void *expected, const void *total);

enum { SUPPORT_MOST_ITEMS = 3 * 4096 + 17, SUPPORT_FORMS = 6 };

/* A monoid in all its forms, with items, and what scans of them must give. */
typedef struct support_subject {
    const em_monoid *forms[EM_ISA_AVX512 + 1]; /* by set of instructions; NULL where it is that of the one before */
    void *items;                               /* SUPPORT_MOST_ITEMS */
    const void *initial;
    const uint8_t *heads;              /* of all items, or NULL */
    bool hasty;                        /* fewer teams and tiles */
    support_scan scans[SUPPORT_FORMS]; /* three kinds, with and without initial value */
    void *expected[SUPPORT_FORMS];
    _Alignas(64) unsigned char totals[SUPPORT_FORMS][256];
} support_subject;
/* The forms that em_monoid_of knows; false where there are none. */
bool support_find_forms(em_operator operation, em_type type, support_subject *subject);
/* Every form by every engine, for lengths from 0 to all items, with teams of 1 to 16 and tiles of 1 item and more. */
void support_try_subject(support_subject *subject);

/* Exclusive or of elements of one byte: the smallest monoid there is. */
const em_monoid *support_xor_bytes(void);

#endif
