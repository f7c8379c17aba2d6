/* graph - see graph.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/base/graph.h"
#include "scan/base/parallel.h"

uint32_t em_weight_bytes(em_weight_kind kind)
{
    static const uint32_t bytes[] = {0, 4, 8, 4, 8};
    return bytes[kind];
}

const char *em_weight_name(em_weight_kind kind)
{
    static const char *const names[] = {"none", "i32", "i64", "f32", "f64"};
    return names[kind];
}

uint8_t em_id_bytes(uint64_t n_vertices)
{
    return n_vertices <= UINT64_C(1) << 32 ? 4 : 8;
}

void em_edges_free(em_edges *edges)
{
    for (size_t i = 0; i < edges->n_blocks; i++) {
        em_block *block = &edges->blocks[i];
        em_buffer_free(&block->sources);
        em_buffer_free(&block->targets);
        em_buffer_free(&block->weights);
        em_buffer_free(&block->positions);
    }
    if (edges->owner)
        em_free(edges->owner, edges->blocks, edges->n_blocks * sizeof *edges->blocks);
    *edges = (em_edges){0};
}

void em_csr_free(em_csr *csr)
{
    em_buffer_free(&csr->offsets);
    em_buffer_free(&csr->targets);
    em_buffer_free(&csr->weights);
    em_buffer_free(&csr->positions);
    *csr = (em_csr){0};
}

void em_labels_free(em_labels *labels)
{
    em_buffer_free(&labels->ids);
    em_buffer_free(&labels->text);
    em_buffer_free(&labels->ends);
    labels->base = 0;
}

void em_graph_free(em_graph *graph)
{
    em_edges_free(&graph->edges);
    em_buffer_free(&graph->degrees);
    em_buffer_free(&graph->offsets);
    em_csr_free(&graph->csr);
    em_labels_free(&graph->labels);
    em_buffer_free(&graph->listed);
    em_buffer_free(&graph->parts);
    *graph = (em_graph){0};
}

uint64_t em_row_at(const em_csr *csr, uint64_t arc)
{
    const uint64_t *const offsets = csr->offsets.at;
    uint64_t low = 0, high = csr->n_vertices;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (offsets[middle] < arc)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint64_t em_row_cut(const em_csr *csr, uint32_t part, uint32_t n_parts)
{
    if (part == 0)
        return 0;
    return part == n_parts ? csr->n_vertices : em_row_at(csr, em_share(csr->n_arcs, part, n_parts));
}
