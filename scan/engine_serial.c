/* engine_serial - one pass by the calling thread.
 *
 * What fits the caches is one call of the kernel. Beyond them a kernel that scans several lanes of a tile at once reads
 * and writes several streams, which memory answers faster than one; for that it must know what precedes each lane, so
 * a tile is reduced while the one before it is scanned, as the look-back engine does.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/kernel.h"

enum { SCRATCH_BYTES = 2048 };

static em_status scan_in_lanes(em_context *context, const scan_request *request, void *carry, em_error *error)
{
    const em_monoid *monoid = request->monoid;
    _Alignas(64) unsigned char scratch[2][SCRATCH_BYTES];
    em_tile now = {request->in, request->out, scan_n_items(request, 0), scratch[0]};
    monoid->reduce(monoid, &now);
    for (uint64_t tile = 0; now.n; tile++) {
        const em_status status = scan_report(context, 0, request, tile, error);
        if (status != EM_OK)
            return status;
        em_tile next = {.n = scan_n_items(request, tile + 1)};
        if (next.n)
            next = (em_tile){scan_items_at(request, tile + 1), scan_results_at(request, tile + 1), next.n,
                             scratch[(tile + 1) % 2]};
        monoid->scan(monoid, &now, carry, &next, request->how);
        now = next;
    }
    return EM_OK;
}

em_status scan_serial(em_context *context, const scan_request *request, void *carry, em_error *error)
{
    const em_monoid *monoid = request->monoid;
    const bool lanes = monoid->lanes > 1 && request->how & EM_TILE_STREAM &&
                       scan_n_aggregates(monoid, request->tile_items) * monoid->elem_bytes <= SCRATCH_BYTES;
    const em_status status =
        lanes ? scan_in_lanes(context, request, carry, error) : scan_in_cache(context, request, carry, error);
#if defined(__x86_64__)
    __builtin_ia32_sfence();
#endif
    return status;
}
