/* mirror - see mirror.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/mirror.h"

#include <inttypes.h>
#include <string.h>

typedef struct em_mirror_worker {
    _Alignas(64) uint64_t n_below, n_above;
    void *pairs, *weights; /* of EM_BATCH_ARCS */
} em_mirror_worker;

static em_status begin(void *state, const em_read_hint *hint, em_error *error)
{
    em_mirror *const mirror = state;
    void *memory;
    em_status status = em_allocate_zeroed(mirror->context, hint->n_workers * sizeof *mirror->workers, &memory, error);
    if (status != EM_OK)
        return status;
    mirror->workers = memory;
    mirror->n_workers = hint->n_workers;
    for (uint32_t i = 0; i < hint->n_workers; i++) {
        em_mirror_worker *const worker = &mirror->workers[i];
        status = em_allocate(mirror->context, EM_BATCH_ARCS * 2 * sizeof(uint64_t), &worker->pairs, error);
        if (status == EM_OK)
            status = em_allocate(mirror->context, EM_BATCH_ARCS * sizeof(uint64_t), &worker->weights, error);
        if (status != EM_OK)
            return status;
    }
    em_read_hint doubled = *hint;
    doubled.n_arcs *= 2;
    doubled.largest_source = doubled.largest_target =
        hint->largest_source > hint->largest_target ? hint->largest_source : hint->largest_target;
    return mirror->next.begin(mirror->next.state, &doubled, error);
}

void em_mirror_end(em_mirror *mirror, uint64_t *n_below, uint64_t *n_above)
{
    *n_below = *n_above = 0;
    for (uint32_t i = 0; i < mirror->n_workers; i++) {
        em_mirror_worker *const worker = &mirror->workers[i];
        *n_below += worker->n_below;
        *n_above += worker->n_above;
        em_free(mirror->context, worker->pairs, EM_BATCH_ARCS * 2 * sizeof(uint64_t));
        em_free(mirror->context, worker->weights, EM_BATCH_ARCS * sizeof(uint64_t));
    }
    if (mirror->context)
        em_free(mirror->context, mirror->workers, mirror->n_workers * sizeof *mirror->workers);
    *mirror = (em_mirror){0};
}

static void put_pair(void *pairs, uint8_t id_bytes, uint32_t at, uint64_t source, uint64_t target)
{
    if (id_bytes == 4) {
        ((uint32_t *)pairs)[2 * at] = (uint32_t)source;
        ((uint32_t *)pairs)[2 * at + 1] = (uint32_t)target;
    } else {
        ((uint64_t *)pairs)[2 * at] = source;
        ((uint64_t *)pairs)[2 * at + 1] = target;
    }
}

/* Turns weights[at] into its negative; false where its type has none. */
static bool negate(em_weight_kind kind, void *weights, uint32_t at)
{
    switch (kind) {
    case EM_WEIGHT_I32: {
        int32_t *const weight = (int32_t *)weights + at;
        return !__builtin_sub_overflow(0, *weight, weight);
    }
    case EM_WEIGHT_I64: {
        int64_t *const weight = (int64_t *)weights + at;
        return !__builtin_sub_overflow(0, *weight, weight);
    }
    case EM_WEIGHT_F32:
        ((float *)weights)[at] = -((float *)weights)[at];
        return true;
    case EM_WEIGHT_F64:
        ((double *)weights)[at] = -((double *)weights)[at];
        return true;
    default:
        return true;
    }
}

/* Puts arc `from` of the batch, and its reverse, at *n of the worker's arrays. */
static em_status put_both(const em_mirror *mirror, em_mirror_worker *worker, const em_arc_batch *batch, uint32_t from,
                          uint32_t *n, em_error *error)
{
    const uint64_t source = em_id_at(batch->pairs, batch->id_bytes, 2 * (uint64_t)from);
    const uint64_t target = em_id_at(batch->pairs, batch->id_bytes, 2 * (uint64_t)from + 1);
    const uint32_t n_copies = source == target ? 1 : 2;
    const bool negated = mirror->symmetry == EM_MIRRORED_NEGATED;
    if (negated && source == target)
        return em_fail_at(error, EM_MALFORMED, from,
                          "a skew-symmetric matrix with an entry on its diagonal: vertex %" PRIu64, source + 1);
    worker->n_below += source > target;
    worker->n_above += source < target;
    put_pair(worker->pairs, batch->id_bytes, *n, source, target);
    put_pair(worker->pairs, batch->id_bytes, *n + n_copies - 1, target, source);
    if (batch->weights) {
        const uint32_t weight_bytes = em_weight_bytes(batch->weight_kind);
        const char *const weight = (const char *)batch->weights + (size_t)from * weight_bytes;
        for (uint32_t i = 0; i < n_copies; i++)
            memcpy((char *)worker->weights + (size_t)(*n + i) * weight_bytes, weight, weight_bytes);
        if (negated && !negate(batch->weight_kind, worker->weights, *n + 1))
            return em_fail_at(error, EM_MALFORMED, from, "the smallest integer has no negative");
    }
    *n += n_copies;
    return EM_OK;
}

/* The arc of the batch, from `first` on, that the arc `copy` of what was put comes from. */
static uint64_t origin_of(const em_arc_batch *batch, uint32_t first, uint64_t copy)
{
    for (uint64_t n = 0;; first++) {
        const uint64_t source = em_id_at(batch->pairs, batch->id_bytes, 2 * (uint64_t)first);
        n += source == em_id_at(batch->pairs, batch->id_bytes, 2 * (uint64_t)first + 1) ? 1 : 2;
        if (copy < n)
            return first;
    }
}

static em_status take(void *state, uint32_t number, const em_arc_batch *batch, em_error *error)
{
    em_mirror *const mirror = state;
    em_mirror_worker *const worker = &mirror->workers[number];
    em_arc_batch out = *batch;
    out.pairs = worker->pairs;
    out.weights = batch->weights ? worker->weights : NULL;
    out.largest_source = out.largest_target =
        batch->largest_source > batch->largest_target ? batch->largest_source : batch->largest_target;
    for (uint32_t from = 0; from < batch->n_arcs;) {
        const uint32_t first = from;
        out.n_arcs = 0;
        for (; from < batch->n_arcs && out.n_arcs + 2 <= EM_BATCH_ARCS; from++) {
            const em_status status = put_both(mirror, worker, batch, from, &out.n_arcs, error);
            if (status != EM_OK)
                return status;
        }
        em_error refused;
        refused.status = EM_OK;
        refused.position = EM_NO_POSITION;
        const em_status status = mirror->next.take(mirror->next.state, number, &out, &refused);
        if (status == EM_MALFORMED && refused.position < out.n_arcs)
            refused.position = origin_of(batch, first, refused.position);
        if (status != EM_OK) {
            em_error_merge(error, &refused);
            return status;
        }
    }
    return EM_OK;
}

em_arc_sink em_mirror_sink(em_mirror *mirror, em_context *context, const em_arc_sink *next, em_symmetry symmetry)
{
    *mirror = (em_mirror){.context = context, .next = *next, .symmetry = symmetry};
    return (em_arc_sink){mirror, begin, take};
}
