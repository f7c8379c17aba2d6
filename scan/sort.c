/* sort - what callers give becomes a job: the shape of their arrays, the bits that count.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/sort.h"
#include "scan/sort_shape.h"
#include "scan/use_arrays.h"

/* The shapes for the processor at hand. */
typedef struct shapes {
    sort_shape_of *records, *pairs;
    sort_arcs_shape_of *arcs;
} shapes;

static shapes shapes_for(const em_context *context)
{
#if defined(__x86_64__)
    if (em_context_isa(context) >= EM_ISA_AVX2)
        return (shapes){sort_shape_of_records_avx2, sort_shape_of_pairs_avx2, sort_shape_of_arcs_avx2};
#endif
    (void)context;
    return (shapes){sort_shape_of_records, sort_shape_of_pairs, sort_shape_of_arcs};
}

static em_status run_keys(sort_job *job, em_error *error)
{
    bool stray;
    return sort_run(job, &stray, error);
}

em_status em_sort_records(em_context *context, const em_sort_layout *layout, void *records, uint64_t n, em_error *error)
{
    const sort_shape *const shape = shapes_for(context).records(layout->key_bytes, layout->payload_bytes);
    if (!shape)
        return em_fail(error, EM_USAGE, "sort: records of a key of %u bytes and a payload of %u", layout->key_bytes,
                       layout->payload_bytes);
    const uint32_t high = layout->low || layout->high ? layout->high : shape->key_bits;
    if (layout->low > high || high > shape->key_bits)
        return em_fail(error, EM_USAGE, "sort: bits %u to %u of a key of %u", layout->low, high, shape->key_bits);
    const uint64_t align = layout->key_bytes < 8 || layout->payload_bytes == 4 ? 4 : 8;
    const em_status status = use_check_array("sort", (use_array){records, n, shape->record_bytes, align}, error);
    if (status != EM_OK)
        return status;
    sort_job job = {.context = context,
                    .shape = shape,
                    .columns = {records},
                    .n = n,
                    .mask = sort_below(high) & ~sort_below(layout->low)};
    return run_keys(&job, error);
}

/* 0: no key. */
static uint32_t key_bytes(em_type type)
{
    return type == EM_U32 ? 4 : type == EM_U64 ? 8 : 0;
}

static em_status refuse_type(em_error *error)
{
    return em_fail(error, EM_USAGE, "sort: keys are u32 or u64");
}

em_status em_sort(em_context *context, em_type type, void *keys, uint64_t n, em_error *error)
{
    const em_sort_layout layout = {.key_bytes = key_bytes(type)};
    if (!layout.key_bytes)
        return refuse_type(error);
    return em_sort_records(context, &layout, keys, n, error);
}

/* All of them can be, and lie apart. */
static em_status check_columns(const use_array *columns, int n_columns, em_error *error)
{
    em_status status = EM_OK;
    for (int i = 0; i < n_columns; i++)
        for (int k = i + 1; k < n_columns && status == EM_OK; k++)
            status = use_check_apart("sort", columns[i], columns[k], error);
    return status;
}

em_status em_sort_pairs(em_context *context, em_type key_type, void *keys, uint32_t payload_bytes, void *payloads,
                        uint64_t n, em_error *error)
{
    const uint32_t bytes = key_bytes(key_type);
    const sort_shape *const shape = shapes_for(context).pairs(bytes, payload_bytes);
    if (!bytes)
        return refuse_type(error);
    if (!shape)
        return em_fail(error, EM_USAGE, "sort: payloads of %u bytes, not 4 or 8", payload_bytes);
    const use_array columns[] = {{keys, n, bytes, bytes}, {payloads, n, payload_bytes, payload_bytes}};
    const em_status status = check_columns(columns, 2, error);
    if (status != EM_OK)
        return status;
    sort_job job = {
        .context = context, .shape = shape, .columns = {keys, payloads}, .n = n, .mask = sort_below(shape->key_bits)};
    return run_keys(&job, error);
}

/* --- arcs ------------------------------------------------------------------------------------------------------ */

enum { SAMPLE_RUN = 16, SAMPLE_RUNS = 64 };

static uint64_t or_of(uint32_t id_bytes, const void *ids, uint64_t begin, uint64_t end)
{
    uint64_t any = 0;
    if (id_bytes == 4)
        for (uint64_t i = begin; i < end; i++)
            any |= ((const uint32_t *)ids)[i];
    else
        for (uint64_t i = begin; i < end; i++)
            any |= ((const uint64_t *)ids)[i];
    return any;
}

/* The same of a sample: runs, lest its steps keep time with the ids. */
static uint64_t or_of_some(uint32_t id_bytes, const void *ids, uint64_t n)
{
    const uint64_t step = n / SAMPLE_RUNS + 1;
    uint64_t any = 0;
    for (uint64_t i = 0; i < n; i += step)
        any |= or_of(id_bytes, ids, i, n - i < SAMPLE_RUN ? n : i + SAMPLE_RUN);
    return any;
}

static void shape_arcs(sort_job *job, uint32_t id_bytes, uint32_t weight_bytes, uint32_t source_bits,
                       uint32_t target_bits)
{
    const bool wide = source_bits + target_bits > 64 || target_bits == 64;
    job->shape = shapes_for(job->context).arcs(id_bytes, weight_bytes, wide ? 16 : 8);
    job->target_bits = wide ? 64 : target_bits;
    job->id_bits = source_bits + target_bits;
    job->mask = sort_below(job->shape->key_bits);
}

uint64_t em_sort_arcs_bytes(em_context *context, uint32_t id_bytes, uint32_t weight_bytes, uint64_t n,
                            uint64_t n_vertices)
{
    const uint32_t bits = n_vertices ? sort_top(n_vertices - 1) : 8 * id_bytes;
    sort_job job = {.context = context, .n = n};
    if (n < 2 || !sort_shape_of_arcs(id_bytes, weight_bytes, 8))
        return 0;
    shape_arcs(&job, id_bytes, weight_bytes, bits, bits);
    const uint64_t said = sort_scratch_bytes(&job);
    if (n_vertices)
        return said;
    shape_arcs(&job, id_bytes, weight_bytes, 32, 32); /* less to sort, but more parts */
    const uint64_t narrower = sort_scratch_bytes(&job);
    return said > narrower ? said : narrower;
}

em_status em_sort_arcs(em_context *context, uint32_t id_bytes, void *sources, void *targets, uint32_t weight_bytes,
                       void *weights, uint64_t n, uint64_t n_vertices, em_error *error)
{
    if (!sort_shape_of_arcs(id_bytes, weight_bytes, 8))
        return em_fail(error, EM_USAGE, "sort: arcs of ids of %u bytes and weights of %u", id_bytes, weight_bytes);
    const uint32_t along = weight_bytes ? weight_bytes : 1;
    const use_array columns[] = {{sources, n, id_bytes, id_bytes},
                                 {targets, n, id_bytes, id_bytes},
                                 {weights, weight_bytes ? n : 0, along, along}};
    em_status status = check_columns(columns, 3, error);
    if (status != EM_OK)
        return status;
    sort_job job = {.context = context, .columns = {sources, targets, weights}, .n = n};
    bool stray;
    uint32_t source_bits = sort_top(n_vertices ? n_vertices - 1 : or_of_some(id_bytes, sources, n)),
             target_bits = sort_top(n_vertices ? n_vertices - 1 : or_of_some(id_bytes, targets, n));
    shape_arcs(&job, id_bytes, weight_bytes, source_bits, target_bits);
    status = sort_run(&job, &stray, error);
    if (status != EM_OK || !stray)
        return status;
    source_bits = sort_top(or_of(id_bytes, sources, 0, n));
    target_bits = sort_top(or_of(id_bytes, targets, 0, n));
    shape_arcs(&job, id_bytes, weight_bytes, source_bits, target_bits);
    return sort_run(&job, &stray, error);
}
