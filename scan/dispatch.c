/* dispatch - the public calls: checks the arguments and chooses kernel and engine by processor and size.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/scan.h"

#include "scan/kernel.h"
#include "scan/tuning.h"

#include <string.h>

typedef em_status engine(em_context *context, const scan_request *request, void *total, em_error *error);

/* One operator as seen from here: sizes, kernels by em_isa (NULL: that of the path before), its engine. */
typedef struct operation {
    uint32_t item_bytes, elem_bytes, result_bytes, leaf;
    const scan_kernel *kernels[3];
    engine *openmp;
} operation;

#if defined(__x86_64__)
#define WITH_AVX2(kernel)   &kernel##_avx2
#define WITH_AVX512(kernel) &kernel##_avx512
#else
#define WITH_AVX2(kernel)   NULL
#define WITH_AVX512(kernel) NULL
#endif

#define OPERATION(monoid, avx2, avx512)                                                                                \
    {                                                                                                                  \
        sizeof(monoid##_item), sizeof(monoid##_elem), sizeof(monoid##_result), monoid##_leaf,                          \
            {&monoid##_scalar, avx2, avx512}, monoid##_openmp                                                          \
    }

/* By em_type. A wrapping sum has the same bits signed or not. Rows of floats are one AVX2 register (two for f64), so
 * wider ones would have to join two steps of a chain: nothing to win. */
static const operation SUMS[] = {
    [EM_U32] = OPERATION(sum_u32, WITH_AVX2(sum_u32), WITH_AVX512(sum_u32)),
    [EM_I32] = OPERATION(sum_i32, WITH_AVX2(sum_u32), WITH_AVX512(sum_u32)),
    [EM_U64] = OPERATION(sum_u64, WITH_AVX2(sum_u64), WITH_AVX512(sum_u64)),
    [EM_I64] = OPERATION(sum_i64, WITH_AVX2(sum_u64), WITH_AVX512(sum_u64)),
    [EM_F32] = OPERATION(sum_f32, WITH_AVX2(sum_f32), NULL),
    [EM_F64] = OPERATION(sum_f64, WITH_AVX2(sum_f64), NULL),
};
static const operation COUNT_U32 = OPERATION(count_u32, WITH_AVX2(count_u32), WITH_AVX512(count_u32));
static const operation COUNT_U64 = OPERATION(count_u64, WITH_AVX2(count_u64), WITH_AVX512(count_u64));

static const scan_kernel *kernel_of(const operation *of, em_isa isa)
{
    while (!of->kernels[isa])
        isa--;
    return of->kernels[isa];
}

static uint64_t tile_items_of(em_context *context, const operation *of)
{
    uint64_t items = em_knob(em_context_knobs(context)->tile_bytes, SCAN_TILE_BYTES) / of->item_bytes;
    if (items > SCAN_MOST_ITEMS)
        items = SCAN_MOST_ITEMS;
    if (items == 0)
        items = 1;
    return of->leaf ? (items + of->leaf - 1) / of->leaf * of->leaf : items;
}

static bool wants_threads(em_context *context, uint64_t n)
{
    const uint64_t knob = em_context_knobs(context)->serial_below;
    if (knob)
        return n >= knob - 1;
    return n >= SCAN_SERIAL_BELOW && em_context_threads(context) > 1;
}

/* On the calling thread alone: no memory, no tiles. Calls are cut at leaves, and where a kernel demands it. */
static em_status run_serial(em_context *context, const operation *of, const scan_request *request, void *carry,
                            em_error *error)
{
    const char *in = request->in;
    char *out = request->out;
    for (uint64_t begin = 0; begin < request->n; begin += SCAN_MOST_ITEMS) {
        const uint64_t left = request->n - begin, n = left < SCAN_MOST_ITEMS ? left : SCAN_MOST_ITEMS;
        const em_status status = em_context_check(context, error);
        if (status != EM_OK)
            return status;
        request->kernel->scan(in + begin * of->item_bytes, out + begin * of->result_bytes, n, carry, NULL, 0, NULL,
                              request->how);
    }
#if defined(__x86_64__)
    if (request->how & SCAN_STREAM)
        __builtin_ia32_sfence();
#endif
    return EM_OK;
}

/* *carry comes as the identity and leaves as the total. */
static em_status run(em_context *context, const operation *of, unsigned how, const void *in, void *out, uint64_t n,
                     void *carry, em_error *error)
{
    if (n == 0)
        return EM_OK;
    /* In place the lines written are in the cache already: passing it by would cost, not save. */
    if (in != out && n * of->result_bytes >= SCAN_STREAM_FROM_BYTES)
        how |= SCAN_STREAM;
    const scan_request request = {.kernel = kernel_of(of, em_context_isa(context)),
                                  .in = in,
                                  .out = out,
                                  .n = n,
                                  .tile_items = tile_items_of(context, of),
                                  .how = how};
    if (wants_threads(context, n))
        return of->openmp(context, &request, carry, error);
    return run_serial(context, of, &request, carry, error);
}

/* Refuses arrays that cannot be: no address, past the address space, misaligned, or overlapping in any way but being
 * the same. `same` says that the same address is fine. */
static em_status check_arrays(const void *in, uint64_t n_in, uint32_t in_bytes, const void *out, uint64_t n_out,
                              uint32_t out_bytes, bool same, em_error *error)
{
    const uintptr_t from = (uintptr_t)in, to = (uintptr_t)out;
    if ((n_in && !in) || (n_out && !out))
        return em_fail(error, EM_USAGE, "scan: no array given for %llu elements", (unsigned long long)n_in);
    if (from % in_bytes || to % out_bytes)
        return em_fail(error, EM_USAGE, "scan: an array is not aligned to its elements");
    if (n_in > (UINTPTR_MAX - from) / in_bytes || n_out > (UINTPTR_MAX - to) / out_bytes)
        return em_fail(error, EM_USAGE, "scan: %llu elements reach past the end of memory", (unsigned long long)n_in);
    if (same && from == to)
        return EM_OK;
    if (from < to + n_out * out_bytes && to < from + n_in * in_bytes)
        return em_fail(error, EM_USAGE, "scan: input and output overlap; they may be the same array or two apart");
    return EM_OK;
}

em_status em_scan_sum(em_context *context, em_type type, em_scan_kind kind, const void *in, void *out, uint64_t n,
                      em_error *error)
{
    if ((unsigned)type > EM_F64 || (kind != EM_INCLUSIVE && kind != EM_EXCLUSIVE))
        return em_fail(error, EM_USAGE, "scan: unknown element type %d or kind %d", (int)type, (int)kind);
    const operation *of = &SUMS[type];
    em_status status = check_arrays(in, n, of->item_bytes, out, n, of->result_bytes, true, error);
    if (status != EM_OK || n == 0)
        return status;
    union {
        uint64_t bits;
        float f32;
        double f64;
    } carry = {0};
    if (type == EM_F32)
        carry.f32 = sum_f32_identity();
    else if (type == EM_F64)
        carry.f64 = sum_f64_identity();
    status = run(context, of, kind == EM_EXCLUSIVE ? SCAN_EXCLUSIVE : 0, in, out, n, &carry, error);
    if (status == EM_OK && kind == EM_EXCLUSIVE)
        memset(out, 0, of->result_bytes); /* the identity of float sums is -0; nothing added up reads better as +0 */
    return status;
}

em_status em_scan_offsets(em_context *context, em_type count_type, const void *counts, uint64_t *offsets, uint64_t n,
                          em_error *error)
{
    if (count_type != EM_U32 && count_type != EM_U64)
        return em_fail(error, EM_USAGE, "scan: counts are u32 or u64");
    const bool wide = count_type == EM_U64;
    if (n == UINT64_MAX)
        return em_fail(error, EM_USAGE, "scan: %llu counts have no n + 1 offsets", (unsigned long long)n);
    em_status status = check_arrays(counts, n, wide ? 8 : 4, offsets, n + 1, 8, wide, error);
    if (status != EM_OK)
        return status;
    count_elem total = {0, 0};
    status = run(context, wide ? &COUNT_U64 : &COUNT_U32, SCAN_EXCLUSIVE, counts, offsets, n, &total, error);
    if (status != EM_OK)
        return status;
    if (total.high)
        return em_fail(error, EM_MALFORMED, "the counts of %llu rows add up to more than 2^64 - 1",
                       (unsigned long long)n);
    offsets[n] = total.low;
    return EM_OK;
}
