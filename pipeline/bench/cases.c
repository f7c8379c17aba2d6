/* cases - what is scanned: sums of six types, 2x2 matrices, CSR offsets.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/bench/bench.h"
#include "stages/random_words.h"

#include <string.h>

static const bench_case CASES[] = {
    {"u32", EM_SUM, EM_U32, false, 1},
    {"i32", EM_SUM, EM_I32, false, 1},
    {"u64", EM_SUM, EM_U64, false, 1},
    {"i64", EM_SUM, EM_I64, false, 1},
    {"f32", EM_SUM, EM_F32, false, 1},
    {"f64", EM_SUM, EM_F64, false, 1},
    {"mat2", EM_MAT2, EM_U32, false, 4},
    {"offsets-u32", EM_SUM_WIDE, EM_U32, true, 1},
    {"offsets-u64", EM_SUM_WIDE, EM_U64, true, 1},
};
enum { N_CASES = sizeof CASES / sizeof *CASES };

const bench_case *bench_case_at(uint32_t index)
{
    return index < N_CASES ? &CASES[index] : NULL;
}

const bench_case *bench_case_named(const char *name)
{
    for (uint32_t i = 0; i < N_CASES; i++)
        if (strcmp(CASES[i].name, name) == 0)
            return &CASES[i];
    return NULL;
}

/* Bits without a pattern that a predictor could learn. */
static uint64_t bits_of(uint64_t i)
{
    return em_word(0, i);
}

/* 0 to 3: a thousand million of them stay within 31 bits. */
#define FILL_SMALL(type)                                                                                               \
    for (uint64_t i = 0; i < n; i++)                                                                                   \
        ((type *)items)[i] = (type)(bits_of(i) >> 60 & 3);
/* Near 1, so that neither sums nor products leave the normal numbers. */
#define FILL_FLOAT(type)                                                                                               \
    for (uint64_t i = 0; i < n; i++)                                                                                   \
        ((type *)items)[i] = (type)(1 + ((double)(bits_of(i) >> 60) - 7.5) * 1e-6);
#define FILL_ARG(name, type)                                                                                           \
    for (uint64_t i = 0; i < n; i++)                                                                                   \
        ((em_arg_##name *)items)[i] = (em_arg_##name){(type)(bits_of(i) >> 40), i};
#define FILL_AFFINE(name, type)                                                                                        \
    for (uint64_t i = 0; i < n; i++)                                                                                   \
        ((em_affine_##name *)items)[i] = (em_affine_##name){(type)1, (type)(bits_of(i) >> 60)};

static void fill_numbers(em_type type, void *items, uint64_t n)
{
    if (type == EM_U32 || type == EM_I32)
        FILL_SMALL(uint32_t)
    else if (type == EM_U64 || type == EM_I64)
        FILL_SMALL(uint64_t)
    else if (type == EM_F32)
        FILL_FLOAT(float)
    else
        FILL_FLOAT(double)
}

static void fill_args(em_type type, void *items, uint64_t n)
{
    if (type == EM_U32)
        FILL_ARG(u32, uint32_t)
    else if (type == EM_I32)
        FILL_ARG(i32, int32_t)
    else if (type == EM_U64)
        FILL_ARG(u64, uint64_t)
    else if (type == EM_I64)
        FILL_ARG(i64, int64_t)
    else if (type == EM_F32)
        FILL_ARG(f32, float)
    else
        FILL_ARG(f64, double)
}

static void fill_affine(em_type type, void *items, uint64_t n)
{
    if (type == EM_U32)
        FILL_AFFINE(u32, uint32_t)
    else if (type == EM_U64)
        FILL_AFFINE(u64, uint64_t)
    else if (type == EM_F32)
        FILL_AFFINE(f32, float)
    else
        FILL_AFFINE(f64, double)
}

/* (1 1; 0 1) and (1 0; 1 1) generate freely: no product of them is shorter than it looks. */
static void fill_mat2(em_mat2 *items, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        const uint32_t upper = (uint32_t)(bits_of(i) >> 60 & 1);
        items[i] = (em_mat2){1, upper, 1 - upper, 1};
    }
}

void bench_fill(em_operator operation, em_type type, void *items, uint64_t n)
{
    switch (operation) {
    case EM_ARG_MIN:
    case EM_ARG_MAX:
        fill_args(type, items, n);
        break;
    case EM_AFFINE:
        fill_affine(type, items, n);
        break;
    case EM_MAT2:
    case EM_MAT2_PRIME:
        fill_mat2(items, n);
        break;
    default:
        fill_numbers(type, items, n);
    }
}
