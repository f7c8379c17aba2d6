/* engine_tiled - the three-phase scan: reduce all tiles, scan their totals, rescan the tiles.
 *
 * Two reads of memory and one write, but no tile waits for another: the engine of textbooks and the simplest that is
 * parallel. It also is the reduction, which is its first phase alone.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/base/parallel.h"
#include "scan/kernel.h"

#include <string.h>

typedef struct phases {
    em_context *context;
    const scan_request *request;
    uint64_t n_tiles, stride;  /* bytes of a tile's aggregates */
    unsigned char *aggregates; /* of all tiles */
    unsigned char *prefixes;   /* n_tiles elements */
} phases;

static em_status reduce_share(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    const phases *all = state;
    const em_monoid *monoid = all->request->monoid;
    em_status status = EM_OK;
    const uint64_t end = em_share(all->n_tiles, worker + 1, n_workers);
    for (uint64_t at = em_share(all->n_tiles, worker, n_workers); at < end && status == EM_OK; at++) {
        const em_tile tile = {scan_items_at(all->request, at), NULL, scan_n_items(all->request, at),
                              all->aggregates + at * all->stride};
        status = scan_report(all->context, worker, all->request, at, error);
        if (status == EM_OK)
            monoid->reduce(monoid, &tile);
    }
    return status;
}

static em_status scan_share(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    const phases *all = state;
    const em_monoid *monoid = all->request->monoid;
    const em_tile none = {0};
    em_status status = EM_OK;
    const uint64_t end = em_share(all->n_tiles, worker + 1, n_workers);
    for (uint64_t at = em_share(all->n_tiles, worker, n_workers); at < end && status == EM_OK; at++) {
        const em_tile tile = {scan_items_at(all->request, at), scan_results_at(all->request, at),
                              scan_n_items(all->request, at), all->aggregates + at * all->stride};
        status = scan_report(all->context, worker, all->request, at, error);
        if (status == EM_OK)
            monoid->scan(monoid, &tile, all->prefixes + at * monoid->elem_bytes, &none, all->request->how);
    }
    return status;
}

/* Leaves the prefix of each tile, if `keep`, and all combined in *carry. */
static void scan_totals(const phases *all, bool keep, void *carry)
{
    const em_monoid *monoid = all->request->monoid;
    for (uint64_t at = 0; at < all->n_tiles; at++) {
        if (keep)
            memcpy(all->prefixes + at * monoid->elem_bytes, carry, monoid->elem_bytes);
        scan_fold(monoid, carry, all->aggregates + at * all->stride,
                  scan_n_aggregates(monoid, scan_n_items(all->request, at)));
    }
}

static em_status run(em_context *context, const scan_request *request, bool rescan, void *carry, em_error *error)
{
    const em_monoid *monoid = request->monoid;
    phases all = {.context = context, .request = request, .n_tiles = scan_n_tiles(request)};
    all.stride = scan_n_aggregates(monoid, request->tile_items) * monoid->elem_bytes;
    void *aggregates = NULL, *prefixes = NULL;
    const uint32_t n_workers = all.n_tiles < request->n_threads ? (uint32_t)all.n_tiles : request->n_threads;
    em_status status = em_allocate_array(context, all.n_tiles, all.stride, &aggregates, error);
    if (status == EM_OK && rescan)
        status = em_allocate_array(context, all.n_tiles, monoid->elem_bytes, &prefixes, error);
    if (status != EM_OK)
        goto done;
    all.aggregates = aggregates, all.prefixes = prefixes;
    status = em_parallel(context, n_workers, reduce_share, &all, error);
    if (status != EM_OK)
        goto done;
    scan_totals(&all, rescan, carry);
    if (rescan)
        status = em_parallel(context, n_workers, scan_share, &all, error);
done:
    em_free(context, aggregates, all.n_tiles * all.stride);
    em_free(context, prefixes, all.n_tiles * monoid->elem_bytes);
    return status;
}

em_status scan_tiled(em_context *context, const scan_request *request, void *carry, em_error *error)
{
    return run(context, request, true, carry, error);
}

em_status scan_reduce(em_context *context, const scan_request *request, void *carry, em_error *error)
{
    const em_monoid *monoid = request->monoid;
    _Alignas(64) unsigned char few[512];
    const uint64_t n_aggregates = scan_n_aggregates(monoid, request->n);
    if (scan_n_tiles(request) == 1 && n_aggregates <= sizeof few / monoid->elem_bytes) {
        const em_tile tile = {request->in, NULL, request->n, few};
        monoid->reduce(monoid, &tile);
        scan_fold(monoid, carry, few, n_aggregates);
        return EM_OK;
    }
    return run(context, request, false, carry, error);
}
