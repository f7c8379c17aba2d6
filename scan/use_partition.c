/* use_partition - tasks of known weights cut in parts of like weight.
 *
 * Part q of P begins at the first task whose predecessors weigh at least ceil(q W / P). That task's predecessors weigh
 * less than q W / P + the heaviest task, so both ends of a part are off by less than one task, in the same direction:
 * every part is within one task of W / P. With the prefix sums at hand a part is found by binary search, without a look
 * at the others.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/use_arrays.h"
#include "scan/use_share.h"
#include "scan/uses.h"

uint64_t em_part_begin(const uint64_t *offsets, uint64_t n, uint64_t part, uint64_t n_parts)
{
    return part < n_parts ? use_first_reaching(offsets, n, 0, use_share(offsets[n] - offsets[0], part, n_parts)) : n;
}

em_status em_partition_offsets(const uint64_t *offsets, uint64_t n, uint64_t n_parts, uint64_t *begins, em_error *error)
{
    const em_status status = use_check_parts("partition", offsets, n, n_parts, begins, sizeof *begins, error);
    if (status != EM_OK)
        return status;
    for (uint64_t part = 0; part <= n_parts; part++)
        begins[part] = em_part_begin(offsets, n, part, n_parts);
    return EM_OK;
}

static em_status check_tasks(em_type type, const void *weights, uint64_t n, uint64_t n_parts, const uint64_t *begins,
                             em_error *error)
{
    if (type != EM_U32 && type != EM_U64)
        return em_fail(error, EM_USAGE, "partition: weights are u32 or u64");
    const em_status status = use_check_count("partition", n, n_parts, error);
    if (status != EM_OK)
        return status;
    const uint64_t bytes = type == EM_U32 ? sizeof(uint32_t) : sizeof(uint64_t);
    const use_array in = {weights, n, bytes, bytes}, out = {begins, n_parts + 1, sizeof *begins, sizeof *begins};
    return use_check_apart("partition", in, out, error);
}

em_status em_partition_tasks(em_context *context, em_type weight_type, const void *weights, uint64_t n,
                             uint64_t n_parts, uint64_t *begins, em_error *error)
{
    void *offsets = NULL;
    em_wide total = {0};
    em_status status = check_tasks(weight_type, weights, n, n_parts, begins, error);
    if (status == EM_OK)
        status = em_allocate_array(context, n + 1, sizeof(uint64_t), &offsets, error);
    if (status != EM_OK)
        return status;
    const em_scan_call call = {.monoid = em_monoid_of(context, EM_SUM_WIDE, weight_type),
                               .kind = EM_EXCLUSIVE_TOTAL,
                               .in = weights,
                               .out = offsets,
                               .n = n,
                               .total = &total};
    status = em_scan(context, &call, error);
    if (status == EM_OK && total.high)
        status = em_fail(error, EM_MALFORMED, "partition: the weights of %llu tasks add up to more than 2^64 - 1",
                         (unsigned long long)n);
    if (status == EM_OK)
        status = em_partition_offsets(offsets, n, n_parts, begins, error);
    em_free(context, offsets, (n + 1) * sizeof(uint64_t));
    return status;
}
