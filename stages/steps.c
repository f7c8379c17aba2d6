/* steps - see steps.h.
 *
 * A batch is cut into slices that stay in the first-level cache on their way through all steps, from one of two buffers
 * to the other. No step sees more than EM_BATCH_ARCS arcs, however often arcs are doubled.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/steps.h"

#include "scan/base/parallel.h"

#include <string.h>

enum { SLICE_ARCS = 1024 };

typedef struct slice_space {
    _Alignas(64) uint64_t pairs[2 * SLICE_ARCS], weights[SLICE_ARCS], positions[SLICE_ARCS];
} slice_space;

typedef struct em_steps_worker {
    slice_space space[2];
} em_steps_worker;

em_status em_steps_open(em_run *run, const em_fused_stage *stages, uint32_t n_stages, const em_graph *graph,
                        em_steps *steps, em_error *error)
{
    *steps =
        (em_steps){.run = run, .growth = 1, .n_workers = em_context_threads(run->context), .is_list = graph != NULL};
    void *memory;
    em_status status = EM_OK;
    for (uint32_t i = 0; i < n_stages && status == EM_OK; i++) {
        em_step *const step = &steps->steps[steps->n_steps];
        *step = (em_step){.growth = 1};
        run->stage = stages[i].stage->name;
        status = stages[i].stage->step(run, stages[i].options, graph, step, error);
        if (status != EM_OK)
            break;
        steps->names[steps->n_steps++] = stages[i].stage->name;
        steps->growth *= step->growth;
        if (step->growth < 1 || step->growth > 2)
            status = em_fail(error, EM_USAGE, "%s: a step makes at most one or two arcs of one, not %u",
                             stages[i].stage->name, step->growth);
        else if (steps->growth > EM_STEPS_GROWTH_MOST)
            status = em_fail(error, EM_USAGE, "%s: more than %d arcs would become of one", stages[i].stage->name,
                             EM_STEPS_GROWTH_MOST);
    }
    if (status == EM_OK && steps->n_steps) {
        status = em_allocate_array(run->context, steps->n_workers, sizeof *steps->workers, &memory, error);
        steps->workers = status == EM_OK ? memory : NULL;
    }
    return status;
}

void em_steps_close(em_steps *steps, bool is_done)
{
    for (uint32_t i = 0; i < steps->n_steps; i++)
        if (steps->steps[i].close)
            steps->steps[i].close(steps->run, &steps->steps[i], is_done);
    if (steps->run)
        em_free(steps->run->context, steps->workers, steps->n_workers * sizeof *steps->workers);
    *steps = (em_steps){0};
}

/* --- one slice -------------------------------------------------------------------------------------------- */

static em_arcs part_of(const em_arcs *arcs, uint32_t begin, uint32_t n)
{
    em_arcs part = *arcs;
    part.pairs = (char *)arcs->pairs + (uint64_t)begin * 2 * arcs->id_bytes;
    if (arcs->weights)
        part.weights = (char *)arcs->weights + begin * em_weight_bytes(arcs->weight_kind);
    if (arcs->positions)
        part.positions = arcs->positions + begin;
    if (arcs->first != EM_UNKNOWN)
        part.first = arcs->first + begin;
    part.n_arcs = n;
    return part;
}

/* `through` becomes what the steps leave of `slice`; it lies in the worker's space. */
static em_status send(em_steps *steps, uint32_t worker, const em_arcs *slice, em_arcs *through, em_error *error)
{
    *through = *slice;
    for (uint32_t i = 0; i < steps->n_steps && through->n_arcs; i++) {
        slice_space *const space = &steps->workers[worker].space[i & 1];
        em_arcs out = *through;
        out.pairs = space->pairs;
        out.weights = through->weights ? space->weights : NULL;
        out.positions = through->positions ? space->positions : NULL;
        out.first = EM_UNKNOWN;
        out.n_arcs = 0;
        const em_status status = steps->steps[i].apply(steps->steps[i].state, worker, through, &out, error);
        if (status != EM_OK)
            return status;
        *through = out;
    }
    return EM_OK;
}

/* Behind the first step arcs have other numbers, and an arc may pass a step that refuses a later one and be refused
 * itself by the next: sent one by one, the first that is refused is known. */
static void find_refused(em_steps *steps, uint32_t worker, const em_arcs *slice, em_error *refused)
{
    for (uint32_t i = 0; i < slice->n_arcs; i++) {
        const em_arcs one = part_of(slice, i, 1);
        em_arcs through;
        em_error alone = {0};
        if (send(steps, worker, &one, &through, &alone) == EM_MALFORMED) {
            *refused = alone;
            refused->position = i;
            return;
        }
    }
}

em_status em_steps_send(em_steps *steps, uint32_t worker, const em_arcs *arcs, em_steps_taker *taker, void *state,
                        em_error *error)
{
    const uint32_t most = SLICE_ARCS / steps->growth;
    em_status status = EM_OK;
    for (uint32_t at = 0; at < arcs->n_arcs && status == EM_OK; at += most) {
        const em_arcs slice = part_of(arcs, at, arcs->n_arcs - at < most ? arcs->n_arcs - at : most);
        em_arcs through;
        em_error refused = {0};
        status = send(steps, worker, &slice, &through, &refused);
        if (status == EM_MALFORMED && refused.position != EM_NO_POSITION) {
            if (steps->n_steps > 1)
                find_refused(steps, worker, &slice, &refused);
            refused.position += at;
        }
        if (status != EM_OK)
            em_error_merge(error, &refused);
        else if (through.n_arcs)
            status = taker(state, worker, &through, error);
    }
    return status;
}

/* --- a sink in front of a sink ------------------------------------------------------------------------------ */

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* What becomes of bounds of sources and targets. */
static void bounds_behind(const em_steps *steps, uint64_t *source, uint64_t *target)
{
    for (uint32_t i = 0; i < steps->n_steps; i++) {
        const uint64_t before = *source;
        if (steps->steps[i].mirrors) {
            *source = *target = larger(before, *target);
        } else if (steps->steps[i].swaps) {
            *source = *target;
            *target = before;
        }
    }
}

static em_status begin(void *state, const em_read_hint *hint, em_error *error)
{
    em_steps *const steps = state;
    em_read_hint behind = *hint;
    bounds_behind(steps, &behind.largest_source, &behind.largest_target);
    behind.n_arcs *= steps->growth;
    return steps->inner.begin(steps->inner.state, &behind, error);
}

typedef struct handing_on {
    em_steps *steps;
    const em_arc_batch *batch;
} handing_on;

static em_status hand_on(void *state, uint32_t worker, const em_arcs *arcs, em_error *error)
{
    const handing_on *const to = state;
    em_arc_batch batch = *to->batch;
    batch.pairs = arcs->pairs;
    batch.weights = arcs->weights;
    batch.positions = arcs->positions;
    batch.n_arcs = arcs->n_arcs;
    bounds_behind(to->steps, &batch.largest_source, &batch.largest_target);
    return to->steps->inner.take(to->steps->inner.state, worker, &batch, error);
}

em_arcs em_arcs_of_batch(const em_arc_batch *batch, bool is_list)
{
    return (em_arcs){.pairs = (void *)(uintptr_t)batch->pairs,
                     .weights = (void *)(uintptr_t)batch->weights,
                     .positions = (uint64_t *)(uintptr_t)batch->positions,
                     .first = is_list ? batch->first : EM_UNKNOWN,
                     .n_arcs = batch->n_arcs,
                     .id_bytes = batch->id_bytes,
                     .weight_kind = batch->weight_kind};
}

static em_status take(void *state, uint32_t worker, const em_arc_batch *batch, em_error *error)
{
    em_steps *const steps = state;
    handing_on to = {steps, batch};
    const em_arcs arcs = em_arcs_of_batch(batch, steps->is_list);
    return em_steps_send(steps, worker, &arcs, hand_on, &to, error);
}

em_arc_sink em_steps_sink(em_steps *steps, em_arc_sink inner)
{
    steps->inner = inner;
    return steps->n_steps ? (em_arc_sink){steps, begin, take} : inner;
}
