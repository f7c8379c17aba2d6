/* symmetrize_check - see symmetrize.h.
 *
 * Arcs are turned so that the smaller end comes first and sorted with their numbers: then the arcs of two vertices,
 * whichever way they go, lie together.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/symmetrize.h"

#include "io/read.h"
#include "scan/base/parallel.h"
#include "scan/sort.h"

#include <inttypes.h>

typedef struct turned_arcs {
    const em_edges *edges;
    em_buffer small, large, numbers; /* numbers: 2 * arc + 1 where it was turned */
} turned_arcs;

static em_status turn(void *state, uint32_t worker, uint64_t begin, uint64_t end, em_error *error)
{
    (void)worker;
    (void)error;
    const turned_arcs *const turned = state;
    const em_edges *const edges = turned->edges;
    uint64_t *const small = turned->small.at, *const large = turned->large.at, *const numbers = turned->numbers.at;
    const em_block *const block = edges->blocks;
    for (uint64_t i = begin; i < end; i++) {
        const uint64_t source = em_id_at(block->sources.at, edges->id_bytes, i);
        const uint64_t target = em_id_at(block->targets.at, edges->id_bytes, i);
        const bool turns = source > target;
        small[i] = turns ? target : source;
        large[i] = turns ? source : target;
        numbers[i] = 2 * i + turns;
    }
    return EM_OK;
}

/* The arcs [begin, end) are those of two vertices. */
static em_status check_pair(const turned_arcs *turned, uint64_t begin, uint64_t end, em_error *error)
{
    const em_edges *const edges = turned->edges;
    const uint64_t *const numbers = turned->numbers.at;
    const uint64_t first = numbers[begin];
    uint64_t other = first, different = first;
    for (uint64_t i = begin; i < end; i++) {
        if ((numbers[i] ^ first) & 1)
            other = numbers[i];
        if (em_weight_bits(edges->weight_kind, edges->blocks->weights.at, numbers[i] / 2) !=
            em_weight_bits(edges->weight_kind, edges->blocks->weights.at, first / 2))
            different = numbers[i];
    }
    if (other == first || different == first)
        return EM_OK;
    return em_fail_at(error, EM_MALFORMED, begin,
                      "symmetrize --equal-weights: the arcs between %" PRIu64 " and %" PRIu64
                      " have different weights (arcs %" PRIu64 " and %" PRIu64 " of the list, counted from 0)",
                      ((const uint64_t *)turned->small.at)[begin], ((const uint64_t *)turned->large.at)[begin],
                      first / 2, different / 2);
}

/* The pairs that begin in [begin, end). */
static em_status check_pairs(void *state, uint32_t worker, uint64_t begin, uint64_t end, em_error *error)
{
    (void)worker;
    const turned_arcs *const turned = state;
    const uint64_t *const small = turned->small.at, *const large = turned->large.at, n = turned->edges->n_arcs;
    em_status status = EM_OK;
    while (begin > 0 && begin < end && small[begin] == small[begin - 1] && large[begin] == large[begin - 1])
        begin++;
    for (uint64_t next; begin < end && status == EM_OK; begin = next) {
        for (next = begin + 1; next < n && small[next] == small[begin] && large[next] == large[begin]; next++)
            ;
        status = check_pair(turned, begin, next, error);
    }
    return status;
}

em_status em_check_equal_weights(em_context *context, const em_edges *edges, em_error *error)
{
    const uint64_t n = edges->n_arcs;
    turned_arcs turned = {.edges = edges};
    em_status status = EM_OK;
    if (edges->weight_kind == EM_WEIGHT_NONE || n == 0)
        return EM_OK;
    if ((status = em_buffer_allocate(context, &turned.small, n, sizeof(uint64_t), error)) != EM_OK ||
        (status = em_buffer_allocate(context, &turned.large, n, sizeof(uint64_t), error)) != EM_OK ||
        (status = em_buffer_allocate(context, &turned.numbers, n, sizeof(uint64_t), error)) != EM_OK)
        goto done;
    if ((status = em_each_share(context, "equal weights", n, turn, &turned, error)) == EM_OK)
        status = em_sort_arcs(context, sizeof(uint64_t), turned.small.at, turned.large.at, sizeof(uint64_t),
                              turned.numbers.at, n, edges->n_vertices, error);
    if (status == EM_OK)
        status = em_each_share(context, "equal weights", n, check_pairs, &turned, error);
done:
    em_buffer_free(&turned.small);
    em_buffer_free(&turned.large);
    em_buffer_free(&turned.numbers);
    return status;
}
