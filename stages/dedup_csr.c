/* dedup_csr - every arc of a CSR once: ranges of rows with about as many arcs each, by all workers.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/base/parallel.h"
#include "stages/dedup.h"
#include "stages/dedup_parts.h"
#include "stages/row_sort.h"

typedef struct csr_work {
    em_context *context;
    const em_dedup_rule *rule;
    em_csr *csr;
    void *kept_weights;
    em_dedup_part *parts;
    uint64_t *ends; /* of each part's arcs */
    uint64_t n_parts, n_differing;
    em_parts todo;
    bool ordered;
} csr_work;

static em_status dedup_part(csr_work *work, uint64_t index, em_space *space, em_error *error)
{
    em_csr *const csr = work->csr;
    em_dedup_part *const part = &work->parts[index];
    const em_dedup_rule *const rule = work->rule;
    em_dedup_job job = {.rule = rule,
                        .id_bytes = csr->id_bytes,
                        .targets = (char *)csr->targets.at + part->begin * csr->id_bytes,
                        .n_arcs = work->ends[index] - part->begin,
                        .number = part->begin,
                        .offsets = csr->offsets.at,
                        .first_row = part->first_row,
                        .n_rows = part->n_rows};
    if (rule->from_bytes)
        job.weights = (const char *)csr->weights.at + part->begin * rule->from_bytes;
    if (rule->to_bytes)
        job.kept_weights = (char *)work->kept_weights + part->begin * rule->to_bytes;
    if (csr->positions.n_bytes)
        job.positions = (uint64_t *)csr->positions.at + part->begin;
    const em_status status =
        work->ordered ? em_dedup_rows_run(&job, error) : em_dedup_unordered_run(&job, space, error);
    part->n_kept = job.n_kept;
    __atomic_fetch_add(&work->n_differing, job.n_differing, __ATOMIC_RELAXED);
    return status;
}

static em_status dedup_parts(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    (void)n_workers;
    csr_work *const work = state;
    em_space space = {.context = work->context};
    em_status status = EM_OK;
    for (uint64_t i; em_next_part(&work->todo, worker, &i, &status, error);)
        status = dedup_part(work, i, &space, error);
    em_space_free(&space);
    return status;
}

static em_status cut(csr_work *work, em_error *error)
{
    enum { PART_ARCS = 1 << 18, PARTS_MOST = 4096 };
    const em_csr *const csr = work->csr;
    const uint64_t part_arcs = em_knob(em_context_knobs(work->context)->tile_bytes, PART_ARCS);
    const uint64_t n_parts = csr->n_arcs / part_arcs + 1;
    void *memory;
    work->n_parts = n_parts < PARTS_MOST ? n_parts : PARTS_MOST;
    em_status status = em_allocate_array(work->context, work->n_parts, sizeof *work->parts, &memory, error);
    work->parts = memory;
    if (status == EM_OK)
        status = em_allocate_array(work->context, work->n_parts, sizeof *work->ends, &memory, error);
    if (status != EM_OK)
        return status;
    work->ends = memory;
    const uint64_t *const offsets = csr->offsets.at;
    uint64_t row = 0;
    for (uint64_t i = 0; i < work->n_parts; i++) {
        const uint64_t end = em_row_cut(csr, (uint32_t)i + 1, (uint32_t)work->n_parts);
        work->parts[i] = (em_dedup_part){.begin = offsets[row], .first_row = row, .n_rows = end - row};
        work->ends[i] = offsets[end];
        row = end;
    }
    return EM_OK;
}

em_status em_dedup_csr(em_context *context, const em_dedup_rule *rule, bool ordered, em_csr *csr, em_dedup_found *found,
                       em_error *error)
{
    csr_work work = {.context = context, .rule = rule, .csr = csr, .ordered = ordered};
    const uint64_t n_before = csr->n_arcs;
    em_buffer kept_weights = {0};
    em_status status = EM_OK;
    if (rule->to_bytes && !em_dedup_keeps_kind(rule))
        status = em_buffer_allocate(context, &kept_weights, csr->n_arcs, rule->to_bytes, error);
    work.kept_weights = kept_weights.release ? kept_weights.at : csr->weights.at;
    if (status == EM_OK)
        status = cut(&work, error);
    work.todo = (em_parts){context, "dedup", work.n_parts, 0};
    if (status == EM_OK)
        status = em_parallel(context, work.n_parts == 1 ? 1 : 0, dedup_parts, &work, error);
    if (status != EM_OK)
        goto done;
    if (kept_weights.release) {
        em_buffer_free(&csr->weights);
        csr->weights = kept_weights;
        kept_weights = (em_buffer){0};
        csr->weight_kind = (uint8_t)rule->to;
    }
    status = em_dedup_join_csr(context, csr, work.parts, work.n_parts, error);
    *found = (em_dedup_found){n_before - csr->n_arcs, work.n_differing};
done:
    em_buffer_free(&kept_weights);
    em_free(context, work.parts, work.n_parts * sizeof *work.parts);
    em_free(context, work.ends, work.n_parts * sizeof *work.ends);
    return status;
}
