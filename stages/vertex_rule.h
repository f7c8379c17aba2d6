/* vertex_rule - keeps the arcs whose ends are both in a set of vertices; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_STAGES_VERTEX_RULE_H
#define EM_STAGES_VERTEX_RULE_H

#include "stages/keep.h"

/* One bit a vertex. */
typedef struct em_vertex_bits {
    uint64_t n_vertices, n_bytes; /* of the object */
    uint64_t words[];
} em_vertex_bits;

/* All bits 0. The caller hands it to em_keep_among, or frees it. */
em_status em_vertex_bits_create(em_context *context, uint64_t n_vertices, em_vertex_bits **bits, em_error *error);
void em_vertex_bits_free(em_context *context, em_vertex_bits *bits); /* NULL is fine */

static inline void em_vertex_bits_set(em_vertex_bits *bits, uint64_t vertex)
{
    bits->words[vertex / 64] |= UINT64_C(1) << vertex % 64;
}

/* A step that keeps the arcs between vertices whose bits are 1; it takes `bits` over, also when it fails. */
em_status em_keep_among(em_run *run, const char *what, em_vertex_bits *bits, em_step *step, em_error *error);

#endif
