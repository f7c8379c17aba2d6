/* engine_lookback - one pass over memory by a team of threads.
 *
 * The array is cut in tiles that fit L2. A thread takes the next tile and reduces it, which leaves it in its cache;
 * finds the prefix by look-back (lookback.inc); then scans the tile out of cache while it reduces the tile it takes
 * next, so that reads from memory and writes to it overlap. Each item is read from memory once and each result written
 * once.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/kernel.h"
#include "scan/lookback.h"

enum { LINE_BYTES = 64 };

/* The states of all tiles: the status word, then the inclusive prefix, then the aggregates. */
typedef struct pass {
    em_context *context;
    const scan_request *request;
    const void *initial;
    unsigned char *states; /* n_tiles of them, `stride` bytes apart */
    uint64_t stride, n_tiles, inclusive_at, aggregates_at;
    _Alignas(LINE_BYTES) uint64_t n_taken; /* on a line of its own: everybody writes it */
} pass;

static uint64_t align_up(uint64_t n_bytes, uint64_t to)
{
    return (n_bytes + to - 1) / to * to;
}

static void *inclusive_of(const pass *all, uint64_t tile)
{
    return all->states + tile * all->stride + all->inclusive_at;
}

static void *aggregates_of(const pass *all, uint64_t tile)
{
    return all->states + tile * all->stride + all->aggregates_at;
}

static em_tile tile_of(const pass *all, uint64_t tile)
{
    const uint64_t n = scan_n_items(all->request, tile);
    if (n == 0)
        return (em_tile){0};
    return (em_tile){scan_items_at(all->request, tile), scan_results_at(all->request, tile), n,
                     aggregates_of(all, tile)};
}

/* Tile 0 follows the initial value. */
static inline void chain_begin(const pass *all, void *prefix)
{
    copy_payload(prefix, all->initial, all->request->monoid->elem_bytes);
}

static inline uint64_t *chain_status_of(const pass *all, uint64_t tile)
{
    return (uint64_t *)(void *)(all->states + tile * all->stride);
}

static inline void chain_get_inclusive(const pass *all, uint64_t tile, void *prefix)
{
    copy_payload(prefix, inclusive_of(all, tile), all->request->monoid->elem_bytes);
}

static inline void chain_fold_aggregate(const pass *all, uint64_t tile, void *prefix)
{
    const em_monoid *monoid = all->request->monoid;
    scan_fold(monoid, prefix, aggregates_of(all, tile), scan_n_aggregates(monoid, scan_n_items(all->request, tile)));
}

static inline void chain_put_inclusive(const pass *all, uint64_t tile, const void *prefix)
{
    copy_payload(inclusive_of(all, tile), prefix, all->request->monoid->elem_bytes);
    chain_fold_aggregate(all, tile, inclusive_of(all, tile));
}

#define FN(name) chain_##name
#define CHAIN    const pass *
#define PREFIX   void *
#include "scan/lookback.inc"
#undef FN
#undef CHAIN
#undef PREFIX

static em_status work(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    (void)n_workers;
    pass *all = state;
    const scan_request *request = all->request;
    const em_monoid *monoid = request->monoid;
    void *prefix;
    em_status status = em_allocate(all->context, monoid->elem_bytes, &prefix, error);
    uint64_t at = fetch_increment(&all->n_taken);
    em_tile tile = tile_of(all, at);
    if (tile.n && status == EM_OK)
        monoid->reduce(monoid, &tile);
    while (tile.n) {
        if (status == EM_OK)
            status = scan_report(all->context, worker, request, at, error);
        if (status != EM_OK)
            chain_give_up(all, at);
        if (status != EM_OK || !chain_resolve(all, at, prefix)) /* who gave up first says why */
            break;
        at = fetch_increment(&all->n_taken);
        const em_tile next = tile_of(all, at);
        monoid->scan(monoid, &tile, prefix, &next, request->how);
        tile = next;
    }
    em_free(all->context, prefix, monoid->elem_bytes);
    return status;
}

em_status scan_lookback(em_context *context, const scan_request *request, void *carry, em_error *error)
{
    const em_monoid *monoid = request->monoid;
    pass all = {.context = context, .request = request, .initial = carry, .n_tiles = scan_n_tiles(request)};
    all.inclusive_at = align_up(sizeof(uint64_t), monoid->elem_align);
    all.aggregates_at = all.inclusive_at + monoid->elem_bytes;
    all.stride =
        align_up(all.aggregates_at + scan_n_aggregates(monoid, request->tile_items) * monoid->elem_bytes, LINE_BYTES);
    uint64_t states_bytes;
    if (__builtin_mul_overflow(all.n_tiles, all.stride, &states_bytes))
        return em_fail(error, EM_NO_MEMORY, "out of memory: the states of %llu tiles", (unsigned long long)all.n_tiles);
    void *states;
    em_status status = em_allocate_zeroed(context, states_bytes, &states, error);
    if (status != EM_OK)
        return status;
    all.states = states;
    const uint32_t n_workers = all.n_tiles < request->n_threads ? (uint32_t)all.n_tiles : request->n_threads;
    status = em_parallel(context, n_workers, work, &all, error);
    if (status == EM_OK)
        chain_get_inclusive(&all, all.n_tiles - 1, carry);
    em_free(context, states, states_bytes);
    return status;
}
