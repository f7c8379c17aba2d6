/* vertex_rule - see vertex_rule.h. Cost: two bits looked up an arc.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/vertex_rule.h"

em_status em_vertex_bits_create(em_context *context, uint64_t n_vertices, em_vertex_bits **bits, em_error *error)
{
    const uint64_t n_bytes = sizeof(em_vertex_bits) + (n_vertices / 64 + 1) * sizeof(uint64_t);
    void *memory;
    const em_status status = em_allocate_zeroed(context, n_bytes, &memory, error);
    *bits = status == EM_OK ? memory : NULL;
    if (status == EM_OK) {
        (*bits)->n_vertices = n_vertices;
        (*bits)->n_bytes = n_bytes;
    }
    return status;
}

void em_vertex_bits_free(em_context *context, em_vertex_bits *bits)
{
    if (bits)
        em_free(context, bits, bits->n_bytes);
}

static em_status test(const void *state, uint32_t worker, const em_arcs *arcs, uint64_t *bits, em_error *error)
{
    const uint64_t *const words = ((const em_vertex_bits *)state)->words;
    (void)worker;
    (void)error;
#define HAS(vertex)          (words[(vertex) / 64] >> (vertex) % 64)
#define RULE(source, target) (HAS(source) & HAS(target) & 1)
    EM_KEEP_BITS(arcs, bits, RULE);
#undef RULE
#undef HAS
    return EM_OK;
}

em_status em_keep_among(em_run *run, const char *what, em_vertex_bits *bits, em_step *step, em_error *error)
{
    const em_keep_rule rule = {.test = test, .state = bits, .n_bytes = bits->n_bytes};
    return em_keep_open(run, what, rule, step, error);
}
