/* chain - see chain.h.
 *
 * The decoupled look-back of lookback.inc over 64-bit counts: a tile whose predecessor is not done adds up what the
 * tiles between it and the nearest known total keep, so that a worker without a processor holds up nobody whose
 * predecessors are read. Waiting is bounded: spin, then yield.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/chain.h"
#include "scan/lookback.h"

/* The chain begins with nothing kept. */
static inline void link_begin(em_chain *chain, uint64_t *prefix)
{
    (void)chain;
    *prefix = 0;
}

static inline uint64_t *link_status_of(em_chain *chain, uint64_t tile)
{
    return &chain->links[tile].status;
}

static inline void link_get_inclusive(em_chain *chain, uint64_t tile, uint64_t *prefix)
{
    *prefix = chain->links[tile].n_up_to_here;
}

static inline void link_fold_aggregate(em_chain *chain, uint64_t tile, uint64_t *prefix)
{
    *prefix += chain->links[tile].n_kept;
}

static inline void link_put_inclusive(em_chain *chain, uint64_t tile, const uint64_t *prefix)
{
    chain->links[tile].n_up_to_here = *prefix + chain->links[tile].n_kept;
}

#define FN(name) link_##name
#define CHAIN    em_chain *
#define PREFIX   uint64_t *
#include "scan/lookback.inc"
#undef FN
#undef CHAIN
#undef PREFIX

em_status em_chain_open(em_context *context, uint64_t n_tiles, em_chain *chain, em_error *error)
{
    uint64_t n_bytes;
    void *links = NULL;
    *chain = (em_chain){0};
    if (__builtin_mul_overflow(n_tiles, sizeof *chain->links, &n_bytes))
        return em_fail(error, EM_NO_MEMORY, "out of memory: the states of %llu tiles", (unsigned long long)n_tiles);
    const em_status status = em_allocate_zeroed(context, n_bytes, &links, error);
    if (status != EM_OK)
        return status;
    chain->links = links;
    chain->n_tiles = n_tiles;
    return EM_OK;
}

void em_chain_close(em_context *context, em_chain *chain)
{
    em_free(context, chain->links, chain->n_tiles * sizeof *chain->links);
    *chain = (em_chain){0};
}

uint64_t em_chain_next(em_chain *chain)
{
    return fetch_increment(&chain->n_taken);
}

bool em_chain_wait(em_chain *chain, uint64_t tile, uint64_t n_kept, uint64_t *n_before)
{
    chain->links[tile].n_kept = n_kept;
    return link_resolve(chain, tile, n_before);
}

void em_chain_give_up(em_chain *chain, uint64_t tile)
{
    link_give_up(chain, tile);
}

uint64_t em_chain_total(const em_chain *chain)
{
    return chain->n_tiles ? chain->links[chain->n_tiles - 1].n_up_to_here : 0;
}
