/* graph - the data that stages hand on: coordinate lists, degrees, offsets, CSR.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_SCAN_BASE_GRAPH_H
#define EM_SCAN_BASE_GRAPH_H

#include "scan/base/buffer.h"

typedef enum em_weight_kind {
    EM_WEIGHT_NONE = 0,
    EM_WEIGHT_I32,
    EM_WEIGHT_I64,
    EM_WEIGHT_F32,
    EM_WEIGHT_F64
} em_weight_kind;

/* What is there, and what is known of it. A clear bit of the second group means unknown. */
enum {
    EM_HAS_EDGES = 1 << 0,
    EM_HAS_DEGREES = 1 << 1,
    EM_HAS_OFFSETS = 1 << 2,
    EM_HAS_CSR = 1 << 3,
    EM_HAS_POSITIONS = 1 << 4, /* arcs carry their place in the input */
    EM_HAS_PARTS = 1 << 5,     /* rows are cut into ranges */
    EM_SORTED = 1 << 8,        /* rows ordered by target */
    EM_UNIQUE = 1 << 9,        /* no arc twice */
    EM_NO_LOOPS = 1 << 10,     /* no arc from a vertex to itself */
    EM_SYMMETRIC = 1 << 11     /* the reverse of every arc is there, as often */
};

typedef enum em_layout { EM_FLAT = 1, EM_BLOCKS = 2, EM_BUCKETS = 4, EM_SPILLED = 8 } em_layout;

/* Part of a coordinate list: ids of `id_bytes` each, arcs begin, begin + 1, … in input order. positions[n_arcs] u64
 * where present: 2 * number of the arc in the input, plus 1 where source and target are swapped against the text; a
 * reverse that was added has its arc's number. So position / 2 is the arc and position ^ 1 the other direction. */
typedef struct em_block {
    em_buffer sources, targets, weights, positions;
    uint64_t begin, n_arcs, bucket;
} em_block;

/* A coordinate list. FLAT has exactly one block. */
typedef struct em_edges {
    uint64_t n_vertices, n_arcs;
    uint8_t id_bytes, weight_kind;
    bool n_is_given; /* somebody asked for this n, however large */
    em_layout layout;
    uint64_t facts;
    em_block *blocks; /* n_blocks of them, from em_allocate */
    size_t n_blocks;
    em_context *owner;
} em_edges;

/* offsets[n_vertices + 1] u64; targets[n_arcs] of id_bytes; weights[n_arcs] and positions[n_arcs] (as in em_block)
 * where present. A shard of a graph holds the rows of vertices from first_vertex on, and its targets are below
 * n_targets; of a whole graph both are 0, and targets are below n_vertices. */
typedef struct em_csr {
    uint64_t n_vertices, n_arcs;
    uint64_t first_vertex, n_targets;
    uint8_t id_bytes, weight_kind;
    uint64_t facts; /* EM_SORTED … EM_SYMMETRIC: guaranteed; clear: unknown */
    em_buffer offsets, targets, weights, positions;
} em_csr;

/* What the vertices were called in the input: vertex i is ids[i], or the text from ends[i] to ends[i + 1]. Without
 * either, base + i. Every relabeling composes into it. */
typedef struct em_labels {
    uint64_t base;        /* the smallest id of the input, 0 or 1 */
    em_buffer ids;        /* u64[n_vertices], or empty */
    em_buffer text, ends; /* bytes of all labels one behind the other and u64[n_vertices + 1], or empty */
} em_labels;

typedef struct em_graph {
    em_edges edges;
    em_buffer degrees; /* n_vertices u64 while EM_HAS_DEGREES */
    em_buffer offsets; /* n_vertices + 1 u64 while EM_HAS_OFFSETS */
    em_csr csr;
    em_labels labels;
    em_buffer listed; /* u64, ascending: ids that --vertices-from lists, current ones; empty without it */
    em_buffer parts;  /* u64[number of parts + 1] while EM_HAS_PARTS: part q has the rows from parts[q] on */
    uint64_t facts;
} em_graph;

EM_API uint32_t em_weight_bytes(em_weight_kind kind);   /* 0, 4 or 8 */
EM_API const char *em_weight_name(em_weight_kind kind); /* "none", "i32", … */
EM_API uint8_t em_id_bytes(uint64_t n_vertices);        /* 4 iff n_vertices <= 2^32, else 8 */

EM_API void em_edges_free(em_edges *edges);
EM_API void em_csr_free(em_csr *csr);
EM_API void em_labels_free(em_labels *labels);
EM_API void em_graph_free(em_graph *graph);

/* Bytes of a flat list's arcs, weights and positions. */
static inline uint64_t em_list_bytes(const em_edges *edges)
{
    const em_block *const block = edges->blocks;
    return edges->n_blocks
               ? block->sources.n_bytes + block->targets.n_bytes + block->weights.n_bytes + block->positions.n_bytes
               : 0;
}

/* The first row that begins at or behind arc `arc`; n_vertices where there is none. */
uint64_t em_row_at(const em_csr *csr, uint64_t arc);
/* Where part `part` of n_parts begins, if rows are cut into parts of about as many arcs; part == n_parts: n_vertices.
 */
uint64_t em_row_cut(const em_csr *csr, uint32_t part, uint32_t n_parts);

/* Vertices that targets may name. */
static inline uint64_t em_csr_n_targets(const em_csr *csr)
{
    return csr->n_targets ? csr->n_targets : csr->n_vertices;
}

/* An id of an array of 4- or 8-byte ids. */
static inline uint64_t em_id_at(const void *ids, uint8_t id_bytes, uint64_t index)
{
    return id_bytes == 4 ? ((const uint32_t *)ids)[index] : ((const uint64_t *)ids)[index];
}

/* The same to write; `id` fits. */
static inline void em_id_put(void *ids, uint8_t id_bytes, uint64_t index, uint64_t id)
{
    if (id_bytes == 4)
        ((uint32_t *)ids)[index] = (uint32_t)id;
    else
        ((uint64_t *)ids)[index] = id;
}

#endif
