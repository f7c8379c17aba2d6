/* largest_component - keeps the arcs of the weakly connected component with the most vertices; of several, the one with
 * the smallest vertex. The number of vertices stays.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/read.h"
#include "scan/base/parallel.h"
#include "stages/components.h"
#include "stages/cost.h"
#include "stages/options.h"
#include "stages/vertex_rule.h"

#include <string.h>

typedef struct size {
    _Alignas(64) uint64_t root, n, n_components; /* of what a worker looked at: the largest, and how many */
} size;

typedef struct largest_work {
    const void *roots; /* [n_vertices] of id_bytes */
    uint64_t n_vertices;
    uint64_t *counts; /* [n_vertices]: vertices whose root is v */
    size *sizes;      /* one a worker */
    uint64_t *words;
    uint64_t root;
    uint8_t id_bytes;
} largest_work;

/* Counts of a few roots are held back: most vertices have one root, where all workers would meet. */
static em_status count(void *state, uint32_t worker, uint64_t begin, uint64_t end, em_error *error)
{
    enum { N_HELD = 64 };
    (void)worker;
    (void)error;
    const largest_work *const work = state;
    struct {
        uint64_t root, n;
    } held[N_HELD] = {{0, 0}};
    for (uint64_t vertex = begin; vertex < end; vertex++) {
        const uint64_t root = em_id_at(work->roots, work->id_bytes, vertex), slot = root % N_HELD;
        if (held[slot].root != root) {
            if (held[slot].n)
                __atomic_fetch_add(&work->counts[held[slot].root], held[slot].n, __ATOMIC_RELAXED);
            held[slot].root = root;
            held[slot].n = 0;
        }
        held[slot].n++;
    }
    for (int slot = 0; slot < N_HELD; slot++)
        if (held[slot].n)
            __atomic_fetch_add(&work->counts[held[slot].root], held[slot].n, __ATOMIC_RELAXED);
    return EM_OK;
}

static em_status find_largest(void *state, uint32_t worker, uint64_t begin, uint64_t end, em_error *error)
{
    (void)error;
    const largest_work *const work = state;
    size own = work->sizes[worker];
    for (uint64_t vertex = begin; vertex < end; vertex++) {
        own.n_components += work->counts[vertex] != 0;
        if (work->counts[vertex] > own.n) {
            own.root = vertex;
            own.n = work->counts[vertex];
        }
    }
    work->sizes[worker] = own;
    return EM_OK;
}

/* Words of 64 vertices each. */
static em_status mark(void *state, uint32_t worker, uint64_t begin, uint64_t end, em_error *error)
{
    (void)worker;
    (void)error;
    const largest_work *const work = state;
    for (uint64_t word = begin; word < end; word++) {
        const uint64_t first = 64 * word, left = work->n_vertices - first, n = left < 64 ? left : 64;
        uint64_t bits = 0;
        for (uint64_t i = 0; i < n; i++)
            bits |= (uint64_t)(em_id_at(work->roots, work->id_bytes, first + i) == work->root) << i;
        work->words[word] = bits;
    }
    return EM_OK;
}

/* work->words, by work->roots. */
static em_status mark_largest(em_run *run, largest_work *work, em_error *error)
{
    static const char *const stage = "largest-component";
    em_context *const context = run->context;
    const uint64_t n = work->n_vertices, n_workers = em_context_threads(context);
    em_buffer counts = {0}, sizes = {0};
    em_status status = em_buffer_allocate(context, &counts, n, sizeof(uint64_t), error);
    if (status == EM_OK)
        status = em_buffer_allocate(context, &sizes, n_workers, sizeof(size), error);
    if (status == EM_OK) {
        memset(counts.at, 0, counts.n_bytes);
        memset(sizes.at, 0, sizes.n_bytes);
        work->counts = counts.at;
        work->sizes = sizes.at;
        status = em_each_share(context, stage, n, count, work, error);
    }
    if (status == EM_OK)
        status = em_each_share(context, stage, n, find_largest, work, error);
    if (status == EM_OK) {
        size all = {0, 0, 0};
        for (uint64_t i = 0; i < n_workers; i++) { /* in the order of their vertices */
            const size *const own = &work->sizes[i];
            all = (size){own->n > all.n ? own->root : all.root, own->n > all.n ? own->n : all.n,
                         all.n_components + own->n_components};
        }
        work->root = all.root;
        em_run_tally(run, stage, "components", all.n_components);
        em_run_tally(run, stage, "vertices in the largest", all.n);
        status = em_each_share(context, stage, (n + 63) / 64, mark, work, error);
    }
    em_buffer_free(&counts);
    em_buffer_free(&sizes);
    return status;
}

static em_status step(em_run *run, const void *options, const em_graph *graph, em_step *step, em_error *error)
{
    (void)options;
    const em_edges *const edges = &graph->edges;
    em_vertex_bits *bits = NULL;
    em_buffer roots = {0};
    em_status status = em_check_sparse_list(run->context, edges, error);
    if (status == EM_OK)
        status = em_components(run->context, edges, &roots, error);
    if (status == EM_OK)
        status = em_vertex_bits_create(run->context, edges->n_vertices, &bits, error);
    if (status == EM_OK) {
        largest_work work = {
            .roots = roots.at, .n_vertices = edges->n_vertices, .words = bits->words, .id_bytes = edges->id_bytes};
        status = mark_largest(run, &work, error);
    }
    em_buffer_free(&roots);
    if (status == EM_OK)
        return em_keep_among(run, "arcs of other components dropped", bits, step, error);
    em_vertex_bits_free(run->context, bits);
    return status;
}

const em_stage em_stage_largest_component = {
    .abi = EM_STAGE_ABI,
    .name = "largest-component",
    .summary = "keep the arcs of the largest weakly connected component",
    .usage = "largest-component",
    .forms = {{.takes = EM_HAS_EDGES,
               .gives = EM_HAS_EDGES,
               .keeps = EM_HAS_POSITIONS | EM_SORTED | EM_UNIQUE | EM_NO_LOOPS | EM_SYMMETRIC}},
    .layouts = EM_FLAT,
    .parse = em_parse_nothing,
    .free_options = em_free_nothing,
    .estimate = em_estimate_largest_component,
    .step = step,
    .needs_list = em_always_needs_list,
};
