/* list - see list.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/list.h"

em_status em_list_create(em_context *context, uint64_t n_vertices, uint64_t n_arcs, uint8_t id_bytes,
                         em_weight_kind kind, bool has_positions, em_edges *edges, em_error *error)
{
    const uint32_t weight_bytes = em_weight_bytes(kind);
    void *memory;
    *edges = (em_edges){.n_vertices = n_vertices,
                        .n_arcs = n_arcs,
                        .id_bytes = id_bytes,
                        .weight_kind = (uint8_t)kind,
                        .layout = EM_FLAT};
    em_status status = em_allocate_zeroed(context, sizeof *edges->blocks, &memory, error);
    if (status != EM_OK)
        return status;
    edges->owner = context;
    edges->blocks = memory;
    edges->n_blocks = 1;
    em_block *const block = edges->blocks;
    block->n_arcs = n_arcs;
    if ((status = em_buffer_allocate(context, &block->sources, n_arcs, id_bytes, error)) != EM_OK ||
        (status = em_buffer_allocate(context, &block->targets, n_arcs, id_bytes, error)) != EM_OK ||
        (weight_bytes &&
         (status = em_buffer_allocate(context, &block->weights, n_arcs, weight_bytes, error)) != EM_OK) ||
        (has_positions &&
         (status = em_buffer_allocate(context, &block->positions, n_arcs, sizeof(uint64_t), error)) != EM_OK))
        em_edges_free(edges);
    return status;
}

em_status em_list_shrink(em_edges *edges, uint64_t n_arcs, em_error *error)
{
    em_block *const block = edges->blocks;
    em_buffer *const buffers[] = {&block->sources, &block->targets, &block->weights, &block->positions};
    const uint64_t item_bytes[] = {edges->id_bytes, edges->id_bytes, em_weight_bytes(edges->weight_kind),
                                   sizeof(uint64_t)};
    edges->n_arcs = block->n_arcs = n_arcs;
    em_status status = EM_OK;
    for (int i = 0; i < 4 && status == EM_OK; i++)
        if (buffers[i]->at)
            status = em_buffer_resize(buffers[i], n_arcs, item_bytes[i], error);
    return status;
}
