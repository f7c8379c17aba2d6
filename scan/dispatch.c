/* dispatch - the public calls: checks the arguments and chooses the engine by size.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/kernel.h"
#include "scan/tuning.h"

#include <string.h>

/* Elements of up to ELEM_BYTES are kept on the stack; the lift of larger ones than the most would pass 32 bits. */
enum { ELEM_BYTES = 64, ELEM_BYTES_MOST = 1 << 30 };

static uint64_t tile_items_of(em_context *context, const em_monoid *monoid, uint64_t n, uint32_t n_threads)
{
    uint64_t n_bytes = em_context_knobs(context)->tile_bytes;
    if (n_bytes == 0) {
        const uint64_t most = em_context_cache_bytes(context) / SCAN_TILES_OF_CACHE, in_bytes = n * monoid->item_bytes;
        n_bytes = in_bytes / n_threads / SCAN_TILES_OF_THREAD;
        n_bytes = n_bytes < SCAN_TILE_BYTES_LEAST ? SCAN_TILE_BYTES_LEAST : n_bytes;
        n_bytes = n_bytes > most ? most : n_bytes;
        n_bytes = n_bytes > SCAN_TILE_BYTES_MOST ? SCAN_TILE_BYTES_MOST : n_bytes;
    }
    uint64_t items = n_bytes / monoid->item_bytes;
    if (items > EM_TILE_MOST_ITEMS)
        items = EM_TILE_MOST_ITEMS;
    if (items == 0)
        items = 1;
    return items < monoid->leaf_items ? monoid->leaf_items : scan_whole_leaves(monoid, items);
}

/* Multiplications where they could be divisions: a scan of a few items takes less than one of those. */
static bool pays_threads(em_context *context, const em_monoid *monoid, uint64_t n)
{
    const uint64_t knob = em_context_knobs(context)->serial_below;
    uint64_t work_ps;
    if (knob)
        return n >= knob - 1;
    return (__builtin_mul_overflow(n, (uint64_t)(monoid->item_ps ? monoid->item_ps : 1000), &work_ps) ||
            work_ps >= SCAN_THREADS_FROM_PS) &&
           em_context_threads(context) > 1;
}

/* *carry comes as what precedes the first item and leaves as all combined. n is over 0. */
static inline em_status run(em_context *context, const em_scan_call *call, const em_monoid *monoid, void *carry,
                            em_error *error)
{
    const bool threads =
        call->engine == EM_SCAN_AUTO ? pays_threads(context, monoid, call->n) : call->engine != EM_SCAN_SERIAL;
    scan_request request = {.monoid = monoid,
                            .in = call->in,
                            .out = call->out,
                            .n = call->n,
                            .tile_items = call->n,
                            .how = call->kind == EM_INCLUSIVE ? 0 : EM_TILE_EXCLUSIVE,
                            .n_threads = threads ? em_context_threads(context) : 1};
    /* In place the lines written are in the cache already: passing it by would cost, not save. */
    if (call->in != call->out && call->n * monoid->result_bytes >= SCAN_STREAM_FROM_BYTES)
        request.how |= EM_TILE_STREAM;
    if (!threads && !(request.how & EM_TILE_STREAM))
        return scan_in_cache(context, &request, carry, error);
    request.tile_items = tile_items_of(context, monoid, call->n, request.n_threads);
    if (!threads)
        return scan_serial(context, &request, carry, error);
    return call->engine == EM_SCAN_TILED ? scan_tiled(context, &request, carry, error)
                                         : scan_lookback(context, &request, carry, error);
}

/* --- what is refused ------------------------------------------------------------------------------------- */

typedef struct array {
    const void *at;
    uint64_t n;
    uint32_t bytes, align; /* of an element */
} array;

static em_status check_array(array of, em_error *error)
{
    uintptr_t n_bytes, end;
    if (of.n && !of.at)
        return em_fail(error, EM_USAGE, "scan: no array given for %llu elements", (unsigned long long)of.n);
    if ((uintptr_t)of.at & (of.align - 1))
        return em_fail(error, EM_USAGE, "scan: an array is not aligned to its elements");
    if (__builtin_mul_overflow(of.n, of.bytes, &n_bytes) || __builtin_add_overflow((uintptr_t)of.at, n_bytes, &end))
        return em_fail(error, EM_USAGE, "scan: %llu elements reach past the end of memory", (unsigned long long)of.n);
    return EM_OK;
}

static bool overlap(array a, array b)
{
    const uintptr_t from = (uintptr_t)a.at, to = (uintptr_t)b.at;
    return a.n && b.n && from < to + b.n * b.bytes && to < from + a.n * a.bytes;
}

/* The same array twice is fine where items and results are of one size. */
static em_status check_arrays(array in, array out, em_error *error)
{
    em_status status = check_array(in, error);
    if (status == EM_OK)
        status = check_array(out, error);
    if (status == EM_OK && overlap(in, out) && !(in.at == out.at && in.bytes == out.bytes))
        return em_fail(error, EM_USAGE, "scan: input and output overlap; they may be the same array or two apart");
    return status;
}

static bool is_power_of_two(uint32_t x)
{
    return x && !(x & (x - 1));
}

static em_status check_monoid(const em_monoid *of, em_error *error)
{
    if (of && of->is_whole)
        return EM_OK;
    if (!of)
        return em_fail(error, EM_USAGE, "scan: the operator is not defined for the type");
    if (!of->item_bytes || !of->elem_bytes || !of->result_bytes || !is_power_of_two(of->item_align) ||
        !is_power_of_two(of->elem_align) || !is_power_of_two(of->result_align) || !of->identity || !of->combine ||
        !of->lower || !of->reduce || !of->scan)
        return em_fail(error, EM_USAGE, "scan: the monoid %s has no size, alignment or function where it needs one",
                       of->name ? of->name : "without a name");
    if (of->elem_align > 64 || of->item_bytes % of->item_align || of->elem_bytes % of->elem_align ||
        of->result_bytes % of->result_align || of->elem_bytes > ELEM_BYTES_MOST || of->leaf_items > EM_TILE_MOST_ITEMS)
        return em_fail(error, EM_USAGE, "scan: the monoid %s has elements that cannot be aligned, or too large ones",
                       of->name ? of->name : "without a name");
    return EM_OK;
}

static em_status check_call(const em_scan_call *call, em_error *error)
{
    em_status status = check_monoid(call->monoid, error);
    if (status != EM_OK)
        return status;
    if ((unsigned)call->kind > EM_EXCLUSIVE_TOTAL || (unsigned)call->engine >= EM_N_SCAN_ENGINES)
        return em_fail(error, EM_USAGE, "scan: unknown kind %d or engine %d", (int)call->kind, (int)call->engine);
    if (call->kind == EM_EXCLUSIVE_TOTAL && call->n == UINT64_MAX)
        return em_fail(error, EM_USAGE, "scan: %llu items have no n + 1 results", (unsigned long long)call->n);
    const em_monoid *of = call->monoid;
    const array in = {call->in, call->n, of->item_bytes, of->item_align};
    const array out = {call->out, call->n + (call->kind == EM_EXCLUSIVE_TOTAL), of->result_bytes, of->result_align};
    const array heads = {call->heads, call->n, 1, 1};
    status = check_arrays(in, out, error);
    if (status == EM_OK && call->heads)
        status = check_array(heads, error);
    if (status == EM_OK && call->heads && scan_segmented_bytes(of) > UINT32_MAX)
        return em_fail(error, EM_USAGE, "scan: the monoid %s has too many lanes for segments",
                       of->name ? of->name : "without a name");
    if (status == EM_OK && call->heads && overlap(heads, out))
        return em_fail(error, EM_USAGE, "scan: the output overlaps the flags");
    return status;
}

/* --- the calls --------------------------------------------------------------------------------------------- */

static void put_start(const em_scan_call *call, void *carry)
{
    if (call->initial)
        memcpy(carry, call->initial, call->monoid->elem_bytes);
    else if (call->kind != EM_INCLUSIVE && call->monoid->starts_at_zero)
        memset(carry, 0, call->monoid->elem_bytes);
    else
        call->monoid->identity(call->monoid, carry);
}

/* *carry comes as what precedes the first item and each head. */
static em_status run_segments(em_context *context, const em_scan_call *call, void *carry, void *lifted, em_error *error)
{
    const scan_segments own = {call->monoid, call->in, call->heads, carry};
    const em_monoid segmented = scan_segmented(&own);
    memset(lifted, 0, segmented.elem_bytes);
    memcpy(lifted, carry, call->monoid->elem_bytes);
    const em_status status = run(context, call, &segmented, lifted, error);
    memcpy(carry, lifted, call->monoid->elem_bytes);
    return status;
}

/* With room for an element and for a lifted one. */
static em_status run_in(em_context *context, const em_scan_call *call, void *carry, void *lifted, em_error *error)
{
    em_status status = EM_OK;
    put_start(call, carry);
    if (call->n)
        status = call->heads ? run_segments(context, call, carry, lifted, error)
                             : run(context, call, call->monoid, carry, error);
    if (status != EM_OK)
        return status;
    if (call->kind == EM_EXCLUSIVE_TOTAL)
        call->monoid->lower(call->monoid, carry, (unsigned char *)call->out + call->n * call->monoid->result_bytes);
    if (call->total)
        memcpy(call->total, carry, call->monoid->elem_bytes);
    return EM_OK;
}

/* A scan of few items and no frills, of which nothing is wrong: summing 64 u32 takes 23 ns by a loop, and all that the
 * general path looks at 17 more; this one adds 10 to what the kernel takes. */
SCAN_INLINE bool is_small(em_context *context, const em_scan_call *call)
{
    enum { FEW = 4096 };
    const em_monoid *of = call->monoid;
    if (!of || !of->is_whole || call->n - 1 >= FEW || (unsigned)call->kind > EM_EXCLUSIVE || call->engine ||
        call->heads || call->initial || call->total || of->elem_bytes > ELEM_BYTES)
        return false;
    const uintptr_t from = (uintptr_t)call->in, to = (uintptr_t)call->out;
    const bool apart = from + call->n * of->item_bytes <= to || to + call->n * of->result_bytes <= from;
    return from && to && !(from & (of->item_align - 1)) && !(to & (of->result_align - 1)) &&
           (apart || (from == to && of->item_bytes == of->result_bytes)) && !pays_threads(context, of, call->n);
}

SCAN_INLINE em_status scan_small(em_context *context, const em_scan_call *call, em_error *error)
{
    const em_monoid *of = call->monoid;
    const em_tile none = {0}, tile = {call->in, call->out, call->n, NULL};
    const em_status status = em_context_check(context, error);
    _Alignas(64) unsigned char carry[ELEM_BYTES];
    if (status != EM_OK)
        return status;
    if (call->kind == EM_EXCLUSIVE && of->starts_at_zero)
        memset(carry, 0, sizeof carry);
    else
        of->identity(of, carry);
    of->scan(of, &tile, carry, &none, call->kind == EM_INCLUSIVE ? 0 : EM_TILE_EXCLUSIVE);
    return EM_OK;
}

static em_status scan_any(em_context *context, const em_scan_call *call, em_error *error)
{
    em_status status = check_call(call, error);
    if (status != EM_OK)
        return status;
    _Alignas(64) unsigned char small[2][ELEM_BYTES + 64];
    const uint64_t elem_bytes = call->heads ? scan_segmented_bytes(call->monoid) : call->monoid->elem_bytes;
    const uint64_t each = (elem_bytes + 63) / 64 * 64;
    if (elem_bytes <= sizeof small[0])
        return run_in(context, call, small[0], small[1], error);
    void *large;
    status = em_allocate(context, 2 * each, &large, error);
    if (status != EM_OK)
        return status;
    status = run_in(context, call, large, (unsigned char *)large + each, error);
    em_free(context, large, 2 * each);
    return status;
}

SCAN_INLINE em_status scan(em_context *context, const em_scan_call *call, em_error *error)
{
    return is_small(context, call) ? scan_small(context, call, error) : scan_any(context, call, error);
}

em_status em_scan(em_context *context, const em_scan_call *call, em_error *error)
{
    return scan(context, call, error);
}

em_status em_reduce(em_context *context, const em_monoid *monoid, const void *in, uint64_t n, void *total,
                    em_error *error)
{
    em_status status = check_monoid(monoid, error);
    if (status == EM_OK)
        status = check_array((array){in, n, monoid->item_bytes, monoid->item_align}, error);
    if (status != EM_OK)
        return status;
    if (!total || (uintptr_t)total % monoid->elem_align)
        return em_fail(error, EM_USAGE, "scan: no place, or none that is aligned, for the total");
    if (overlap((array){total, 1, monoid->elem_bytes, 1}, (array){in, n, monoid->item_bytes, 1}))
        return em_fail(error, EM_USAGE, "scan: the total lies in the input");
    monoid->identity(monoid, total);
    if (n == 0)
        return EM_OK;
    scan_request request = {.monoid = monoid, .in = in, .n = n};
    request.n_threads = pays_threads(context, monoid, n) ? em_context_threads(context) : 1;
    request.tile_items = tile_items_of(context, monoid, n, request.n_threads);
    return scan_reduce(context, &request, total, error);
}

em_status em_scan_sum(em_context *context, em_type type, em_scan_kind kind, const void *in, void *out, uint64_t n,
                      em_error *error)
{
    const em_scan_call call = {
        .monoid = em_monoid_of(context, EM_SUM, type), .kind = kind, .in = in, .out = out, .n = n};
    return scan(context, &call, error);
}

em_status em_scan_offsets(em_context *context, em_type count_type, const void *counts, uint64_t *offsets, uint64_t n,
                          em_error *error)
{
    if (count_type != EM_U32 && count_type != EM_U64)
        return em_fail(error, EM_USAGE, "scan: counts are u32 or u64");
    em_wide total = {0, 0};
    const em_scan_call call = {.monoid = em_monoid_of(context, EM_SUM_WIDE, count_type),
                               .kind = EM_EXCLUSIVE_TOTAL,
                               .in = counts,
                               .out = offsets,
                               .n = n,
                               .total = &total};
    const em_status status = em_scan(context, &call, error);
    if (status == EM_OK && total.high)
        return em_fail(error, EM_MALFORMED, "the counts of %llu rows add up to more than 2^64 - 1",
                       (unsigned long long)n);
    return status;
}
