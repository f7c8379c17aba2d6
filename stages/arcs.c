/* arcs - load, steps, and the building of a list or a CSR in one go: what most pipelines are made of.
 *
 * A run of stages `[load] step… [[sort] [dedup] degrees offsets scatter [sort]]` is a source of arcs, steps that they
 * go through a slice at a time, and a place where they go: a coordinate list, or the buckets of a CSR in the making.
 * The source is the input, read by all workers, or a list in memory. No stage of such a run leaves anything in memory
 * for the next: a bucket is sorted, and its duplicates go, while it is in cache. A list that is in order already
 * becomes a CSR as it is.
 *
 * Bytes moved: the text or the list once, packed arcs written once and read twice, the result written once; with dedup
 * what is behind the first gap once more. Held at once: the packed arcs, which become less while the result is written,
 * and a result with room for all of them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/read.h"
#include "stages/csr_build.h"
#include "stages/csr_take.h"
#include "stages/dedup.h"
#include "stages/list_feed.h"
#include "stages/load.h"
#include "stages/steps.h"

#include <string.h>

/* The stages of a run, sorted by what they are for. */
typedef struct arcs_plan {
    const em_load_options *load; /* NULL: the list in memory */
    const em_fused_stage *steps;
    uint32_t n_steps;
    bool builds, sorts;            /* a CSR; its rows */
    const em_dedup_options *dedup; /* NULL: every arc stays */
    uint64_t facts;                /* of the arcs behind the steps */
} arcs_plan;

static arcs_plan plan_of(const em_fused_stage *stages, uint32_t n_stages, uint64_t facts)
{
    arcs_plan plan = {.steps = stages, .facts = facts};
    uint32_t i = 0;
    if (i < n_stages && stages[i].stage == &em_stage_load) {
        plan.load = stages[i++].options;
        plan.facts = 0;
    }
    plan.steps = stages + i;
    for (; i < n_stages && stages[i].stage->step; i++, plan.n_steps++)
        plan.facts = (plan.facts & stages[i].stage->forms[0].keeps) | stages[i].stage->forms[0].gives;
    for (; i < n_stages; i++) {
        plan.builds |= strcmp(stages[i].stage->name, "scatter") == 0;
        plan.sorts |= strcmp(stages[i].stage->name, "sort") == 0;
        if (strcmp(stages[i].stage->name, "dedup") == 0)
            plan.dedup = stages[i].options;
    }
    return plan;
}

static em_status collect(em_run *run, const arcs_plan *plan, em_graph *graph, em_arc_store *store, em_error *error)
{
    em_steps steps = {0};
    em_edges *const edges = &graph->edges;
    em_status status = em_steps_open(run, plan->steps, plan->n_steps, plan->load ? NULL : graph, &steps, error);
    if (status != EM_OK)
        goto done;
    const em_arc_sink sink = em_steps_sink(&steps, em_store_sink(store));
    if (plan->load) {
        status = em_load_into(run, plan->load, &sink, NULL, store, &graph->listed, error);
        graph->labels.base = plan->load->read.base;
    } else {
        em_run_phase(run, "partition");
        status = em_list_feed(run->context, edges, &sink, error);
        if (status == EM_OK)
            status = em_store_finish(store, edges->weight_kind, edges->id_bytes == 8, error);
        em_run_count(run, edges->n_arcs, em_list_bytes(edges) + em_store_bytes(store));
    }
done:
    em_steps_close(&steps, status == EM_OK);
    return status;
}

static em_status build(em_run *run, const arcs_plan *plan, uint64_t n_vertices, em_graph *graph, em_arc_store *store,
                       em_error *error)
{
    em_csr *const csr = &graph->csr;
    em_dedup_found found = {0};
    em_dedup_rule rule = {0};
    if (plan->dedup)
        rule = em_dedup_rule_for(plan->dedup->policy, store->workers[0].geometry.weight_kind);
    const bool dedups = plan->dedup && !(plan->facts & EM_UNIQUE && em_dedup_keeps_kind(&rule));
    const bool ordered = plan->facts & EM_SORTED; /* then rows are in order without being sorted */
    const bool sorts = plan->sorts && !ordered;
    const uint64_t n_bytes = em_store_bytes(store);
    em_status status;
    em_run_phase(run, sorts ? (dedups ? "count, scan, scatter, sort, dedup" : "count, scan, scatter, sort")
                            : (dedups ? "count, scan, scatter, dedup" : "count, scan, scatter"));
    if (dedups)
        status = em_csr_build_unique(store, n_vertices, sorts || ordered, &rule, csr, &found, error);
    else
        status = em_csr_build(store, n_vertices, sorts, NULL, csr, error);
    em_run_count(run, store->n_arcs,
                 2 * n_bytes + csr->offsets.n_bytes + csr->targets.n_bytes + csr->weights.n_bytes +
                     csr->positions.n_bytes);
    if (status == EM_OK && plan->dedup)
        em_dedup_tell(run, &found);
    return status;
}

/* A list in order of (source, target), from which nothing but duplicates goes. */
static em_status take(em_run *run, const arcs_plan *plan, em_graph *graph, em_error *error)
{
    em_edges *const edges = &graph->edges;
    em_status status = EM_OK;
    if (plan->dedup) {
        const em_dedup_rule rule = em_dedup_rule_for(plan->dedup->policy, (em_weight_kind)edges->weight_kind);
        em_dedup_found found = {0};
        em_run_phase(run, "dedup");
        em_run_count(run, edges->n_arcs, 2 * em_list_bytes(edges));
        if (!(plan->facts & EM_UNIQUE && em_dedup_keeps_kind(&rule)))
            status = em_dedup_list(run->context, &rule, true, edges, &found, error);
        if (status == EM_OK)
            em_dedup_tell(run, &found);
    }
    if (status == EM_OK)
        status = em_check_sparse_list(run->context, edges, error);
    if (status != EM_OK)
        return status;
    em_run_phase(run, "rows");
    em_run_count(run, edges->n_arcs, edges->n_arcs * edges->id_bytes + (edges->n_vertices + 1) * sizeof(uint64_t));
    return em_csr_take(run->context, edges, NULL, &graph->csr, error);
}

em_status em_run_arcs(em_run *run, const em_fused_stage *stages, uint32_t n_stages, em_graph *graph, em_error *error)
{
    const arcs_plan plan = plan_of(stages, n_stages, graph->facts);
    em_arc_store store = {0};
    em_status status = EM_OK;
    if (!plan.load && !plan.builds) { /* a list through steps */
        em_steps steps = {0};
        status = em_steps_open(run, plan.steps, plan.n_steps, graph, &steps, error);
        if (status == EM_OK)
            status = em_steps_list(&steps, &graph->edges, error);
        em_steps_close(&steps, status == EM_OK);
        return status;
    }
    if (plan.builds && !plan.load && plan.n_steps == 0 && plan.facts & EM_SORTED)
        return take(run, &plan, graph, error);
    status = em_store_open(run->context, !plan.builds, &store, error);
    if (status == EM_OK)
        status = collect(run, &plan, graph, &store, error);
    if (status != EM_OK)
        goto done;
    const uint64_t n_vertices = plan.load ? run->read->n_vertices : graph->edges.n_vertices;
    if (plan.builds) {
        const bool n_is_given = plan.load ? em_n_is_given(&plan.load->read) : graph->edges.n_is_given;
        const char *const declared = run->read->n_declared_at;
        const char *const path = !plan.load ? NULL : *declared ? declared : plan.load->read.paths[0];
        status = em_check_sparse(run->context, path, n_vertices, store.n_arcs, n_is_given, error);
        if (status != EM_OK)
            goto done;
        em_edges_free(&graph->edges);
        status = build(run, &plan, n_vertices, graph, &store, error);
        if (status == EM_OK && plan.dedup) /* as a list that has lost its duplicates before its rows are made */
            status = em_check_sparse(run->context, path, n_vertices, graph->csr.n_arcs, n_is_given, error);
    } else {
        em_run_phase(run, "flatten");
        em_edges_free(&graph->edges);
        status = em_edges_build(&store, n_vertices, &graph->edges, error);
        graph->edges.n_is_given = em_n_is_given(&plan.load->read);
        em_run_count(run, store.n_arcs, 2 * em_store_bytes(&store));
    }
done:
    em_store_close(&store);
    return status;
}
