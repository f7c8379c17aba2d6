/* csr_arcs - the arcs of an opened CSR, or of coordinates, for a sink.
 *
 * Any range of arcs can be asked for: its first row is found by binary search, log2 n steps for up to 4,096 arcs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/arc_feed.h"

#include <string.h>

static em_status fill(void *state, uint64_t begin, uint32_t n, void *pairs, void *weights, em_error *error)
{
    const em_csr *csr = state;
    const uint64_t *offsets = csr->offsets.at;
    const uint64_t end = begin + n;
    const uint32_t weight_bytes = em_weight_bytes(csr->weight_kind);
    (void)error;
    uint64_t at = begin;
    for (uint64_t row = em_row_at(csr, begin + 1) - 1; at < end; row++) { /* the last that begins at or before it */
        const uint64_t row_end = offsets[row + 1] < end ? offsets[row + 1] : end;
        if (csr->id_bytes == 4)
            for (; at < row_end; at++) {
                ((uint32_t *)pairs)[2 * (at - begin)] = (uint32_t)(csr->first_vertex + row);
                ((uint32_t *)pairs)[2 * (at - begin) + 1] = ((const uint32_t *)csr->targets.at)[at];
            }
        else
            for (; at < row_end; at++) {
                ((uint64_t *)pairs)[2 * (at - begin)] = csr->first_vertex + row;
                ((uint64_t *)pairs)[2 * (at - begin) + 1] = ((const uint64_t *)csr->targets.at)[at];
            }
    }
    if (weights)
        memcpy(weights, (const char *)csr->weights.at + begin * weight_bytes, (size_t)n * weight_bytes);
    return EM_OK;
}

em_arc_feed em_csr_feed(const em_csr *csr, const char *path)
{
    return (em_arc_feed){.path = path,
                         .unit = "arc",
                         .n_arcs = csr->n_arcs,
                         .n_vertices = em_csr_n_targets(csr),
                         .id_bytes = csr->id_bytes,
                         .weight_kind = csr->weight_kind,
                         .state = (void *)csr,
                         .fill = fill};
}

static em_status fill_listed(void *state, uint64_t begin, uint32_t n, void *pairs, void *weights, em_error *error)
{
    const em_coordinates *const list = state;
    const em_csr *const csr = list->csr;
    const uint32_t weight_bytes = em_weight_bytes(csr->weight_kind);
    (void)error;
    for (uint32_t i = 0; i < n; i++) {
        em_id_put(pairs, csr->id_bytes, 2 * (uint64_t)i, em_id_at(list->sources->at, csr->id_bytes, begin + i));
        em_id_put(pairs, csr->id_bytes, 2 * (uint64_t)i + 1, em_id_at(csr->targets.at, csr->id_bytes, begin + i));
    }
    if (weights)
        memcpy(weights, (const char *)csr->weights.at + begin * weight_bytes, (size_t)n * weight_bytes);
    return EM_OK;
}

em_arc_feed em_coordinates_feed(const em_coordinates *list, const char *path)
{
    em_arc_feed feed = em_csr_feed(list->csr, path);
    feed.state = (void *)list;
    feed.fill = fill_listed;
    return feed;
}
