/* arcs - load, steps, and the building of a list or a CSR in one go: what most pipelines are made of.
 *
 * A run of stages `[load] step… [degrees offsets scatter [sort]]` is a source of arcs, steps that they go through a
 * slice at a time, and a place where they go: a coordinate list, or the buckets of a CSR in the making. The source is
 * the input, read by all workers, or a list in memory. No stage of such a run leaves anything in memory for the next.
 *
 * Bytes moved: the text or the list once, packed arcs written once and read twice, the result written once.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/read.h"
#include "stages/csr_build.h"
#include "stages/list_feed.h"
#include "stages/load.h"
#include "stages/steps.h"

#include <string.h>

/* The stages of a run, sorted by what they are for. */
typedef struct arcs_plan {
    const em_load_options *load; /* NULL: the list in memory */
    const em_fused_stage *steps;
    uint32_t n_steps;
    bool builds, sorts; /* a CSR; its rows */
} arcs_plan;

static arcs_plan plan_of(const em_fused_stage *stages, uint32_t n_stages)
{
    arcs_plan plan = {.steps = stages};
    uint32_t i = 0;
    if (i < n_stages && stages[i].stage == &em_stage_load)
        plan.load = stages[i++].options;
    plan.steps = stages + i;
    for (; i < n_stages && stages[i].stage->step; i++)
        plan.n_steps++;
    for (; i < n_stages; i++) {
        plan.builds |= strcmp(stages[i].stage->name, "scatter") == 0;
        plan.sorts |= strcmp(stages[i].stage->name, "sort") == 0;
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
    em_run_phase(run, plan->sorts ? "count, scan, scatter, sort" : "count, scan, scatter");
    const em_status status = em_csr_build(store, n_vertices, plan->sorts, NULL, &graph->csr, error);
    em_run_count(run, store->n_arcs,
                 2 * em_store_bytes(store) + graph->csr.offsets.n_bytes + graph->csr.targets.n_bytes +
                     graph->csr.weights.n_bytes);
    return status;
}

em_status em_run_arcs(em_run *run, const em_fused_stage *stages, uint32_t n_stages, em_graph *graph, em_error *error)
{
    const arcs_plan plan = plan_of(stages, n_stages);
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
    status = em_store_open(run->context, !plan.builds, &store, error);
    if (status == EM_OK)
        status = collect(run, &plan, graph, &store, error);
    if (status != EM_OK)
        goto done;
    const uint64_t n_vertices = plan.load ? run->read->n_vertices : graph->edges.n_vertices;
    if (plan.builds)
        status = plan.load ? em_check_sparse(&plan.load->read, n_vertices, store.n_arcs, error)
                           : em_check_sparse_list(&graph->edges, error);
    if (status != EM_OK)
        goto done;
    em_edges_free(&graph->edges);
    if (plan.builds) {
        status = build(run, &plan, n_vertices, graph, &store, error);
    } else {
        em_run_phase(run, "flatten");
        status = em_edges_build(&store, n_vertices, &graph->edges, error);
        graph->edges.n_is_given = plan.load->read.has_vertices || plan.load->read.vertices_from;
        em_run_count(run, store.n_arcs, 2 * em_store_bytes(&store));
    }
done:
    em_store_close(&store);
    return status;
}
