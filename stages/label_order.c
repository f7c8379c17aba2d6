/* label_order - see label_order.h.
 *
 * Workers go over shares of the list; the position of each vertex's first end is kept by an atomic minimum, which is
 * only tried where it may lower it. A vertex's number is then the number of first positions in front of its own: those
 * positions are bits of a map, counted a word at a time, scanned, and looked up. Nothing is sorted.
 *
 * Cost: one pass over the list, with a random read an end; 8 bytes a vertex, half a byte an arc.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/label_order.h"

#include "io/read.h"
#include "scan/base/parallel.h"
#include "scan/scan.h"

#include <string.h>

typedef struct order_work {
    const em_edges *edges;
    void *sources, *targets;
    const uint64_t *places; /* [n_arcs], or NULL */
    uint64_t *positions;    /* [n_vertices]: of the first end, then the number */
    uint64_t *words;        /* [n_words]: a bit for each end */
    uint64_t *counts;       /* [n_words]: bits in front of the word */
    uint64_t n_words;
    const uint64_t *numbers;
    uint64_t checksum; /* atomic */
} order_work;

static void lower(uint64_t *least, uint64_t value)
{
    uint64_t seen = __atomic_load_n(least, __ATOMIC_RELAXED);
    while (value < seen && !__atomic_compare_exchange_n(least, &seen, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

static em_status find_firsts(void *state, uint32_t worker, uint64_t begin, uint64_t end, em_error *error)
{
    (void)worker;
    (void)error;
    order_work *const work = state;
    const uint8_t id_bytes = work->edges->id_bytes;
    for (uint64_t i = begin; i < end; i++) {
        const uint64_t place = work->places ? work->places[i] : 2 * i;
        lower(&work->positions[em_id_at(work->sources, id_bytes, i)], place);
        lower(&work->positions[em_id_at(work->targets, id_bytes, i)], place ^ 1);
    }
    return EM_OK;
}

static em_status mark_firsts(void *state, uint32_t worker, uint64_t begin, uint64_t end, em_error *error)
{
    (void)worker;
    (void)error;
    order_work *const work = state;
    for (uint64_t vertex = begin; vertex < end; vertex++) {
        const uint64_t position = work->positions[vertex];
        __atomic_fetch_or(&work->words[position / 64], UINT64_C(1) << position % 64, __ATOMIC_RELAXED);
    }
    return EM_OK;
}

static em_status count_firsts(void *state, uint32_t worker, uint64_t begin, uint64_t end, em_error *error)
{
    (void)worker;
    (void)error;
    order_work *const work = state;
    for (uint64_t i = begin; i < end; i++)
        work->counts[i] = (uint64_t)__builtin_popcountll(work->words[i]);
    return EM_OK;
}

static em_status rank_firsts(void *state, uint32_t worker, uint64_t begin, uint64_t end, em_error *error)
{
    (void)worker;
    (void)error;
    order_work *const work = state;
    for (uint64_t vertex = begin; vertex < end; vertex++) {
        const uint64_t position = work->positions[vertex], below = (UINT64_C(1) << position % 64) - 1;
        work->positions[vertex] =
            work->counts[position / 64] + (uint64_t)__builtin_popcountll(work->words[position / 64] & below);
    }
    return EM_OK;
}

static em_status renumber(void *state, uint32_t worker, uint64_t begin, uint64_t end, em_error *error)
{
    (void)worker;
    (void)error;
    order_work *const work = state;
    for (uint64_t i = begin; i < end && work->edges->id_bytes == 4; i++) {
        ((uint32_t *)work->sources)[i] = (uint32_t)work->numbers[((uint32_t *)work->sources)[i]];
        ((uint32_t *)work->targets)[i] = (uint32_t)work->numbers[((uint32_t *)work->targets)[i]];
    }
    for (uint64_t i = begin; i < end && work->edges->id_bytes == 8; i++) {
        ((uint64_t *)work->sources)[i] = work->numbers[((uint64_t *)work->sources)[i]];
        ((uint64_t *)work->targets)[i] = work->numbers[((uint64_t *)work->targets)[i]];
    }
    return EM_OK;
}

static em_status add_hashes(void *state, uint32_t worker, uint64_t begin, uint64_t end, em_error *error)
{
    (void)worker;
    (void)error;
    order_work *const work = state;
    const em_edges *const edges = work->edges;
    uint64_t sum = 0;
    for (uint64_t i = begin; i < end; i++)
        sum += em_arc_hash(em_id_at(work->sources, edges->id_bytes, i), em_id_at(work->targets, edges->id_bytes, i),
                           em_weight_bits((em_weight_kind)edges->weight_kind, edges->blocks->weights.at, i));
    __atomic_fetch_add(&work->checksum, sum, __ATOMIC_RELAXED);
    return EM_OK;
}

static order_work work_of(const em_edges *edges)
{
    order_work work = {.edges = edges};
    if (edges->n_arcs) {
        work.sources = edges->blocks->sources.at;
        work.targets = edges->blocks->targets.at;
    }
    return work;
}

em_status em_first_places(em_context *context, const em_edges *edges, const uint64_t *places, uint64_t *firsts,
                          em_error *error)
{
    order_work work = work_of(edges);
    work.places = places;
    work.positions = firsts;
    memset(firsts, 0xff, edges->n_vertices * sizeof *firsts);
    return em_each_share(context, "first appearances", edges->n_arcs, find_firsts, &work, error);
}

em_status em_first_appearances(em_context *context, const em_edges *edges, uint64_t **numbers, em_error *error)
{
    order_work work = work_of(edges);
    const uint64_t n = edges->n_vertices, n_words = (2 * edges->n_arcs + 63) / 64;
    void *positions = NULL, *words = NULL, *counts = NULL;
    *numbers = NULL;
    em_status status = em_allocate_array(context, n, sizeof(uint64_t), &positions, error);
    if (status != EM_OK)
        goto done;
    work.positions = positions;
    work.positions = positions;
    if ((status = em_first_places(context, edges, NULL, positions, error)) != EM_OK ||
        (status = em_allocate_zeroed(context, n_words * sizeof(uint64_t), &words, error)) != EM_OK ||
        (status = em_allocate_array(context, n_words, sizeof(uint64_t), &counts, error)) != EM_OK)
        goto done;
    work.words = words;
    work.counts = counts;
    if ((status = em_each_share(context, "first appearances", n, mark_firsts, &work, error)) != EM_OK ||
        (status = em_each_share(context, "first appearances", n_words, count_firsts, &work, error)) != EM_OK ||
        (status = em_scan_sum(context, EM_U64, EM_EXCLUSIVE, counts, counts, n_words, error)) != EM_OK)
        goto done;
    status = em_each_share(context, "first appearances", n, rank_firsts, &work, error);
done:
    em_free(context, words, n_words * sizeof(uint64_t));
    em_free(context, counts, n_words * sizeof(uint64_t));
    if (status == EM_OK)
        *numbers = positions;
    else
        em_free(context, positions, n * sizeof(uint64_t));
    return status;
}

em_status em_renumber(em_context *context, em_edges *edges, const uint64_t *numbers, em_error *error)
{
    order_work work = work_of(edges);
    work.numbers = numbers;
    return em_each_share(context, "renumber", edges->n_arcs, renumber, &work, error);
}

em_status em_edges_checksum(em_context *context, const em_edges *edges, uint64_t *checksum, em_error *error)
{
    order_work work = work_of(edges);
    const em_status status = em_each_share(context, "checksum", edges->n_arcs, add_hashes, &work, error);
    *checksum = work.checksum;
    return status;
}
