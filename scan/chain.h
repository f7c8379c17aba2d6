/* chain - a running total handed from tile to tile: how many items are kept before mine?
 *
 * Workers take tiles in order, pack what they keep of one into scratch of their own, and say how many that is. The
 * answer is how many all tiles before it keep, which is where theirs go.
 *
 * In place: a worker announces its tile once it has read all of it. em_chain_wait answers for a tile only after every
 * tile before it was announced, and its owner sees all that was read and written before those announcements. So from
 * then on nobody reads anything before the tile's end, and a worker may write there: packed items, which go to
 * n_before and on and end at or before the tile's own end, may overwrite what the array held.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_SCAN_CHAIN_H
#define EM_SCAN_CHAIN_H

#include "scan/base/context.h"

/* What is known of a tile; on a line of its own, since another thread writes the next one. */
typedef struct em_chain_link {
    _Alignas(64) uint64_t status;
    uint64_t n_kept, n_up_to_here;
} em_chain_link;

/* Starts {0}. Fields are private to chain.c. */
typedef struct em_chain {
    _Alignas(64) uint64_t n_taken; /* everybody writes it: a line of its own */
    uint64_t apart[7];
    em_chain_link *links;
    uint64_t n_tiles;
} em_chain;

/* The caller closes the chain, also after a failure. 64 bytes of memory a tile. */
EM_API em_status em_chain_open(em_context *context, uint64_t n_tiles, em_chain *chain, em_error *error);
EM_API void em_chain_close(em_context *context, em_chain *chain);

/* Any thread: the next tile; n_tiles or more where there is none left. Who takes a tile must end it by one of the two
 * calls below, without waiting for another in between. */
EM_API uint64_t em_chain_next(em_chain *chain);

/* Announces that the tile is read and how many items it keeps; *n_before receives how many the tiles before it keep,
 * once all of them are announced. False: a worker gave up, and everybody should end. */
EM_API bool em_chain_wait(em_chain *chain, uint64_t tile, uint64_t n_kept, uint64_t *n_before);

/* Announces that the tile will never be done: whoever waits for it gives up, too. */
EM_API void em_chain_give_up(em_chain *chain, uint64_t tile);

/* Items kept by all tiles, after all of them were waited for. */
EM_API uint64_t em_chain_total(const em_chain *chain);

#endif
