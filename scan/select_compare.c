/* select_compare - numbers in a relation to a constant: the call, and kernels that need no instructions of their own.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/select_compare.h"
#include "scan/use_arrays.h"

#undef FN
#define FN(name) SCAN_PASTE(name, TYPE)
#define SELECT_SCALAR

#define TYPE   u32
#define NUMBER uint32_t
#include "scan/select_compare.inc"
#undef TYPE
#undef NUMBER

#define TYPE   i32
#define NUMBER int32_t
#include "scan/select_compare.inc"
#undef TYPE
#undef NUMBER

#define TYPE   u64
#define NUMBER uint64_t
#include "scan/select_compare.inc"
#undef TYPE
#undef NUMBER

#define TYPE   i64
#define NUMBER int64_t
#include "scan/select_compare.inc"
#undef TYPE
#undef NUMBER

#define TYPE   f32
#define NUMBER float
#include "scan/select_compare.inc"
#undef TYPE
#undef NUMBER

#define TYPE   f64
#define NUMBER double
#include "scan/select_compare.inc"
#undef TYPE
#undef NUMBER

const select_compare_table select_compare_scalar = {
    [EM_U32] = SELECT_ROW(u32), [EM_I32] = SELECT_ROW(i32), [EM_U64] = SELECT_ROW(u64),
    [EM_I64] = SELECT_ROW(i64), [EM_F32] = SELECT_ROW(f32), [EM_F64] = SELECT_ROW(f64)};

static const select_compare_table *table_of(const em_context *context)
{
    switch (em_context_isa(context)) {
#if defined(__x86_64__)
    case EM_ISA_AVX512:
        return &select_compare_avx512;
    case EM_ISA_AVX2:
        return &select_compare_avx2;
#endif
    default:
        return &select_compare_scalar;
    }
}

typedef struct comparison {
    select_compare *compare;
    const void *constant;
} comparison;

static em_status compare_items(const void *state, const void *items, uint64_t first_index, uint32_t n, uint64_t *bits,
                               em_error *error)
{
    (void)first_index, (void)error;
    const comparison *own = state;
    own->compare(items, n, own->constant, bits);
    return EM_OK;
}

em_status em_select_compare(em_context *context, em_type type, const void *in, uint64_t n, em_relation relation,
                            const void *constant, void *out, uint64_t *n_kept, em_error *error)
{
    if ((int)type < 0 || (int)type >= EM_N_TYPES || (int)relation < 0 || (int)relation >= (int)EM_N_RELATIONS)
        return em_fail(error, EM_USAGE, "select: no such type or relation (%d, %d)", (int)type, (int)relation);
    const bool small = type == EM_U32 || type == EM_I32 || type == EM_F32;
    const comparison own = {(*table_of(context))[type][relation], constant};
    return em_select(context, small ? 4 : 8, in, n, compare_items, &own, out, n_kept, error);
}
