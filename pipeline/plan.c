/* plan - see plan.h: the walk of run.c over shapes instead of graphs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/plan.h"

#include "pipeline/chain.h"
#include "stages/cost.h"

#include <stdio.h>
#include <string.h>

em_plan_options em_plan_options_unknown(void)
{
    em_plan_options options = {EM_UNKNOWN, EM_UNKNOWN, EM_WEIGHT_UNKNOWN, .n_text_bytes = EM_UNKNOWN};
    memset(options.kept_arcs, 0xff, sizeof options.kept_arcs);
    memset(options.kept_vertices, 0xff, sizeof options.kept_vertices);
    return options;
}

/* The shape behind a link, and what it costs by itself. */
static em_status shape_behind(const em_pipeline *pipeline, uint32_t at, const em_plan_options *options,
                              const em_shape *in, em_shape *out, em_cost *cost, em_error *error)
{
    const em_link *const link = &pipeline->links[at];
    const em_form *const form = em_form_for(link->stage, in->facts);
    em_status status = EM_OK;
    *out = *in;
    *cost = (em_cost){0};
    out->facts = form ? (in->facts & form->keeps) | form->gives : in->facts;
    out->n_arcs = options->kept_arcs[at];
    out->n_vertices = options->kept_vertices[at];
    if (at == 0)
        out->text_bytes = options->labels_bytes;
    if (link->stage->estimate)
        status = link->stage->estimate(pipeline->context, link->options, in, out, cost, error);
    if (out->n_arcs == EM_UNKNOWN)
        out->n_arcs = in->n_arcs;
    if (out->n_vertices == EM_UNKNOWN)
        out->n_vertices = in->n_vertices;
    if (!(out->facts & EM_HAS_PARTS))
        out->n_parts = 0;
    if (cost->peak_bytes == 0)
        cost->peak_bytes = em_plus(em_larger(em_shape_bytes(in), em_shape_bytes(out)), cost->scratch_bytes);
    cost->result_bytes = em_shape_bytes(out);
    return status;
}

/* Why a link runs alone. */
static void say_why_alone(const em_pipeline *pipeline, uint32_t at, const em_plan_options *options, em_plan_row *row)
{
    const em_link *const link = &pipeline->links[at];
    const em_link *const next = at + 1 < pipeline->n_links ? &pipeline->links[at + 1] : NULL;
    if (options->unfused)
        snprintf(row->why, sizeof row->why, "alone, as asked for");
    else if (next && em_link_needs_list(pipeline, next))
        snprintf(row->why, sizeof row->why, "alone: %s looks at the whole list first", next->stage->name);
    else if (em_link_needs_list(pipeline, link))
        snprintf(row->why, sizeof row->why, "alone: it needs the list in memory");
    else if (!link->stage->step && next)
        snprintf(row->why, sizeof row->why, "alone: no way is known to do it with what follows");
    else
        snprintf(row->why, sizeof row->why, "alone: it is the last one");
}

static void say_why_one(const em_pipeline *pipeline, uint32_t at, uint32_t n, em_plan_row *row)
{
    const char *const first = pipeline->links[at].stage->name, *const last = pipeline->links[at + n - 1].stage->name;
    const bool loads = strcmp(first, "load") == 0, builds = row->out.facts & EM_HAS_CSR;
    snprintf(row->why, sizeof row->why, "one: %s%s%s", loads ? "while the input is read" : "in one pass over the arcs",
             builds  ? ", arcs go straight to the buckets of the rows"
             : n > 1 ? ", no list lies between them"
                     : "",
             strcmp(last, "sort") == 0 ? ", each sorted in cache" : "");
}

/* The row that begins at a link; *length links are in it. */
static em_status plan_row(const em_pipeline *pipeline, uint32_t at, const em_plan_options *options, const em_shape *in,
                          em_plan_row *row, em_error *error)
{
    em_shape shapes[EM_LINKS + 1] = {*in};
    em_fused_stage stages[EM_LINKS];
    em_cost cost = {0};
    uint32_t length = 1;
    const em_fusion *const fusion = options->unfused ? NULL : em_fusion_at(pipeline, at, &length);
    if (!fusion)
        length = 1;
    em_status status = EM_OK;
    for (uint32_t i = 0; i < length && status == EM_OK; i++) {
        const em_link *const link = &pipeline->links[at + i];
        em_error refused = {0};
        stages[i] = (em_fused_stage){link->stage, link->options};
        status = shape_behind(pipeline, at + i, options, &shapes[i], &shapes[i + 1], &cost, &refused);
        if (status != EM_OK)
            em_link_refuse(link, &refused, error);
    }
    if (status != EM_OK)
        return status;
    em_chain_join_names(pipeline, at, length, row->name, sizeof row->name);
    row->first = at;
    row->n_stages = length;
    row->in = *in;
    row->out = shapes[length];
    row->cost = cost;
    const em_stage *const stage = pipeline->links[at].stage;
    if (fusion || !stage->run[EM_ENGINE_SERIAL] || strcmp(stage->name, "load") == 0) {
        row->cost = (em_cost){.result_bytes = em_shape_bytes(&row->out)};
        status = em_cost_arcs(pipeline->context, stages, length, shapes, &row->cost, error);
    }
    if (strcmp(stage->name, "load") == 0)
        row->cost.n_bytes_read = em_plus(row->cost.n_bytes_read, options->n_text_bytes);
    if (fusion)
        say_why_one(pipeline, at, length, row);
    else
        say_why_alone(pipeline, at, options, row);
    return status;
}

em_status em_plan_make(const em_pipeline *pipeline, const em_plan_options *options, em_plan *plan, em_error *error)
{
    em_shape shape = {
        .n_vertices = options->n_vertices, .n_arcs = options->n_arcs, .weight_kind = options->weight_kind};
    memset(plan, 0, sizeof *plan);
    shape.id_bytes = options->is_bound ? 8 : 0;
    plan->n_threads = em_context_threads(pipeline->context);
    plan->engine = plan->n_threads > 1 ? EM_ENGINE_OPENMP : EM_ENGINE_SERIAL;
    em_status status = em_pipeline_check(pipeline, error);
    for (uint32_t at = 0; at < pipeline->n_links && status == EM_OK; at += plan->rows[plan->n_rows - 1].n_stages) {
        em_plan_row *const row = &plan->rows[plan->n_rows++];
        status = plan_row(pipeline, at, options, &shape, row, error);
        shape = row->out;
        if (status == EM_OK && row->cost.peak_bytes > plan->peak_bytes) {
            plan->peak_bytes = row->cost.peak_bytes;
            plan->peak_row = plan->n_rows - 1;
        }
    }
    return status;
}
