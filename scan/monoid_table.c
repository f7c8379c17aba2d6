/* monoid_table - finds an operator's monoid by its type and by what the processor can do.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/kernel.h"

const scan_table scan_table_scalar = {
#define TEMPLATE "scan/monoid_row.inc"
#include "scan/monoid_list.inc"
#undef TEMPLATE
};

static const scan_table *const TABLES[] = {
    [EM_ISA_SCALAR] = &scan_table_scalar,
#if defined(__aarch64__)
    [EM_ISA_NEON] = &scan_table_neon,
#elif defined(__x86_64__)
    [EM_ISA_AVX2] = &scan_table_avx2,
    [EM_ISA_AVX512] = &scan_table_avx512,
#endif
};

const em_monoid *em_monoid_of(const em_context *context, em_operator operation, em_type type)
{
    if ((unsigned)operation >= EM_N_OPERATORS || (unsigned)type >= EM_N_TYPES)
        return NULL;
    int isa = (int)em_context_isa(context);
    while (isa > EM_ISA_SCALAR && !(TABLES[isa] && (*TABLES[isa])[operation][type]))
        isa--;
    return (*TABLES[isa])[operation][type];
}

const char *em_operator_name(em_operator operation)
{
    static const char *const NAMES[EM_N_OPERATORS] = {
        [EM_SUM] = "sum",
        [EM_PRODUCT] = "product",
        [EM_MIN] = "min",
        [EM_MAX] = "max",
        [EM_AND] = "and",
        [EM_OR] = "or",
        [EM_XOR] = "xor",
        [EM_SUM_WIDE] = "wide-sum",
        [EM_SUM_COMPENSATED] = "compensated-sum",
        [EM_LOG_SUM_EXP] = "log-sum-exp",
        [EM_ARG_MIN] = "arg-min",
        [EM_ARG_MAX] = "arg-max",
        [EM_AFFINE] = "affine",
        [EM_MAT2] = "mat2",
        [EM_MAT2_PRIME] = "mat2-prime",
    };
    return (unsigned)operation < EM_N_OPERATORS ? NAMES[operation] : NULL;
}

const char *em_type_name(em_type type)
{
    static const char *const NAMES[EM_N_TYPES] = {"u32", "i32", "u64", "i64", "f32", "f64"};
    return (unsigned)type < EM_N_TYPES ? NAMES[type] : NULL;
}
