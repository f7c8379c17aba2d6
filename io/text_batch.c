/* text_batch - arcs of lines are gathered, handed to the sink, and found again on their lines where the sink refuses
 * one.
 *
 * Where arcs stood is kept as stretches of consecutive lines: one for a batch of plain lines, one more wherever
 * comments or blank lines lie between, and nothing to do in the fast loop.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/text_body_parts.h"

#include <stdio.h>

void em_text_clear(em_text_worker *worker)
{
    em_text_batch *const batch = &worker->batch;
    batch->n_arcs = 0;
    batch->largest_source = batch->largest_target = 0;
    batch->smallest = UINT64_MAX;
}

/* The worker goes no further, and nobody else past this chunk. */
static void fail_at(em_text_read *read, em_text_worker *worker, const em_text_fault *fault)
{
    worker->failed = true;
    worker->failure = *fault;
    uint64_t first = __atomic_load_n(&read->fault_chunk, __ATOMIC_RELAXED);
    while (worker->chunk < first && !__atomic_compare_exchange_n(&read->fault_chunk, &first, worker->chunk, true,
                                                                 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

void em_text_note_line(em_text_worker *worker, uint32_t arc, uint64_t line)
{
    if (worker->n_stretches) {
        const em_text_stretch *const last = &worker->stretches[worker->n_stretches - 1];
        if (line - last->first_line == arc - last->first_arc)
            return;
    }
    worker->stretches[worker->n_stretches++] = (em_text_stretch){line, arc};
}

static uint64_t line_of(const em_text_worker *worker, uint64_t arc)
{
    uint32_t i = worker->n_stretches - 1;
    while (worker->stretches[i].first_arc > arc)
        i--;
    return worker->stretches[i].first_line + arc - worker->stretches[i].first_arc;
}

/* The sink's error is about an arc of the batch: a failure of its line, in front of all that failed before. */
static void refuse_arc(em_text_read *read, em_text_worker *worker, const em_error *refused)
{
    em_text_fault fault = {.chunk = worker->chunk, .line = line_of(worker, refused->position)};
    snprintf(fault.fault.what, sizeof fault.fault.what, "%.*s", EM_FAULT_BYTES - 1, refused->message);
    fail_at(read, worker, &fault);
}

em_status em_text_flush(em_text_read *read, em_text_worker *worker, uint32_t number, em_error *error)
{
    em_text_batch *const batch = &worker->batch;
    if (batch->n_arcs == 0)
        return EM_OK;
    const em_arc_batch arcs = {
        .pairs = batch->pairs,
        .weights = batch->weight_kind ? batch->weights : NULL,
        .first = UINT64_MAX,
        .chunk = read->plan->next_chunk + worker->chunk,
        .largest_source = batch->largest_source,
        .largest_target = batch->largest_target,
        .n_arcs = batch->n_arcs,
        .id_bytes = batch->wide ? 8 : 4,
        .weight_kind = (uint8_t)batch->weight_kind,
    };
    worker->n_arcs += batch->n_arcs;
    const uint64_t largest = arcs.largest_source > arcs.largest_target ? arcs.largest_source : arcs.largest_target;
    worker->largest = largest > worker->largest ? largest : worker->largest;
    worker->smallest = batch->smallest < worker->smallest ? batch->smallest : worker->smallest;
    em_text_clear(worker);
    em_error refused;
    refused.status = EM_OK;
    refused.position = EM_NO_POSITION;
    em_status status = read->plan->sink.take(read->plan->sink.state, number, &arcs, &refused);
    if (status == EM_MALFORMED && refused.position < arcs.n_arcs) {
        refuse_arc(read, worker, &refused);
        status = EM_OK;
    } else if (status != EM_OK) {
        em_error_merge(error, &refused);
    }
    worker->n_stretches = 0;
    return status;
}

em_status em_text_append(em_text_read *read, em_text_worker *worker, uint32_t number, uint64_t line,
                         const em_text_arc *arc, em_error *error)
{
    em_text_batch *const batch = &worker->batch;
    const bool wide = (arc->source | arc->target) > UINT32_MAX;
    if (batch->n_arcs == batch->capacity || (wide && !batch->wide) || arc->weight_kind != batch->weight_kind) {
        const em_status status = em_text_flush(read, worker, number, error);
        if (status != EM_OK || worker->failed)
            return status;
        batch->wide |= wide;
        batch->weight_kind = arc->weight_kind;
    }
    const uint32_t n = batch->n_arcs++;
    em_text_note_line(worker, n, line);
    if (batch->wide) {
        ((uint64_t *)batch->pairs)[2 * n] = arc->source;
        ((uint64_t *)batch->pairs)[2 * n + 1] = arc->target;
    } else {
        ((uint32_t *)batch->pairs)[2 * n] = (uint32_t)arc->source;
        ((uint32_t *)batch->pairs)[2 * n + 1] = (uint32_t)arc->target;
    }
    const uint32_t weight_bytes = em_weight_bytes(batch->weight_kind);
    memcpy((char *)batch->weights + (size_t)n * weight_bytes, &arc->weight.value, weight_bytes);
    const uint64_t less = arc->source < arc->target ? arc->source : arc->target;
    batch->largest_source = arc->source > batch->largest_source ? arc->source : batch->largest_source;
    batch->largest_target = arc->target > batch->largest_target ? arc->target : batch->largest_target;
    batch->smallest = less < batch->smallest ? less : batch->smallest;
    worker->n_rounded += arc->weight.rounded;
    worker->n_zeroed += arc->weight.zeroed;
    return EM_OK;
}

void em_text_record_fault(em_text_read *read, em_text_worker *worker, uint64_t line, const em_line_fault *fault)
{
    const em_text_fault here = {worker->chunk, line, *fault};
    if (read->plan->options->on_error == EM_ON_ERROR_SKIP) {
        if (worker->n_skipped_lines < EM_SKIPPED_KEPT)
            worker->skipped[worker->n_skipped_lines] = here;
        worker->n_skipped_lines++;
        return;
    }
    fail_at(read, worker, &here);
}
