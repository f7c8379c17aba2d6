/* expression_kernels - the loops of an expression, for each instruction set; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_STAGES_EXPRESSION_KERNELS_H
#define EM_STAGES_EXPRESSION_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    EM_LANES = 512,        /* arcs of a register: 4 KiB, so that a handful of them stays in L1 */
    EM_LANES_AT_ONCE = 64, /* one word of truth values */
    EM_LANE_BYTES = 8
};

typedef enum em_kernel {
    EM_KERNEL_ADD,
    EM_KERNEL_SUBTRACT,
    EM_KERNEL_MULTIPLY,
    EM_KERNEL_DIVIDE,
    EM_KERNEL_REMAINDER,
    EM_KERNEL_NEGATE,
    EM_KERNEL_ADD_FLOATS,
    EM_KERNEL_SUBTRACT_FLOATS,
    EM_KERNEL_MULTIPLY_FLOATS,
    EM_KERNEL_DIVIDE_FLOATS,
    EM_KERNEL_NEGATE_FLOATS,
    EM_KERNEL_TO_FLOATS,
    EM_KERNEL_LESS, /* truth values from here on */
    EM_KERNEL_LESS_EQUAL,
    EM_KERNEL_EQUAL,
    EM_KERNEL_LESS_FLOATS,
    EM_KERNEL_LESS_EQUAL_FLOATS,
    EM_KERNEL_EQUAL_FLOATS,
    EM_KERNEL_LESS_MIXED, /* a is of integers, b of floats */
    EM_KERNEL_LESS_EQUAL_MIXED,
    EM_KERNEL_EQUAL_MIXED,
    EM_KERNEL_GREATER_MIXED,
    EM_KERNEL_GREATER_EQUAL_MIXED,
    EM_N_KERNELS
} em_kernel;

/* n_words times EM_LANES_AT_ONCE lanes; operands advance by step_a and step_b lanes each time. Results that are truth
 * values take a bit. `to` is apart from the operands. True: an integer may have overflowed or been
 * divided by zero, in whatever lane; that lane holds anything, the others are right. */
typedef bool em_kernel_run(const void *a, uint32_t step_a, const void *b, uint32_t step_b, void *to, uint32_t n_words);

typedef struct em_expression_kernels {
    em_kernel_run *run[EM_N_KERNELS];
    /* n (a multiple of EM_LANES_AT_ONCE) arcs become registers; NULL: not wanted. */
    void (*take_4)(const void *pairs, uint32_t n, int64_t *sources, int64_t *targets);
    void (*take_8)(const void *pairs, uint32_t n, int64_t *sources, int64_t *targets);
    void (*take_i32)(const void *weights, uint32_t n, int64_t *into);
    void (*take_f32)(const void *weights, uint32_t n, double *into);
} em_expression_kernels;

extern const em_expression_kernels em_expression_kernels_scalar, em_expression_kernels_avx2,
    em_expression_kernels_avx512;

/* How an integer compares with a float, exactly: -1, 0, 1, or 2 where the float is no number. Rounding is monotone, so
 * that a rounded integer which differs from the float differs to the same side as the integer. */
static inline int em_compare_mixed(int64_t integer, double real)
{
    const double rounded = (double)integer;
    if (rounded < real)
        return -1;
    if (rounded > real)
        return 1;
    if (rounded != real)
        return 2;
    if (real >= 0x1p63)
        return -1;
    const int64_t exact = (int64_t)real;
    return (integer > exact) - (integer < exact);
}

#endif
