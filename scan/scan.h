/* scan - the core: where does each output go? Inclusive and exclusive prefix sums over arrays.
 *
 * One algorithm text per engine (serial.inc, openmp.inc) is instantiated for every operator of monoid_list.inc.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_SCAN_SCAN_H
#define EM_SCAN_SCAN_H

#include "scan/base/context.h"

typedef enum em_type { EM_U32 = 0, EM_I32, EM_U64, EM_I64, EM_F32, EM_F64 } em_type;
typedef enum em_scan_kind { EM_INCLUSIVE = 0, EM_EXCLUSIVE } em_scan_kind;

/* out[i] = in[0] + … + in[i] (inclusive) or … + in[i - 1] (exclusive, out[0] = 0), integers wrapping. in[n], out[n]
 * of `type`; out may be in, any other overlap is EM_USAGE. Chooses the engine by size. */
EM_API em_status em_scan_sum(em_context *context, em_type type, em_scan_kind kind, const void *in, void *out,
                             uint64_t n, em_error *error);

/* CSR offsets: offsets[n + 1] u64 from counts[n] of u32 or u64, exclusive, with the total at offsets[n]; one pass.
 * offsets may be counts only for u64, where the array has n + 1 elements. EM_MALFORMED where the total passes 2^64 - 1.
 */
EM_API em_status em_scan_offsets(em_context *context, em_type count_type, const void *counts, uint64_t *offsets,
                                 uint64_t n, em_error *error);

#endif
