/* run - executes a checked chain, fused where a fusion fits, and publishes what it wrote.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/chain.h"
#include "scan/base/clock.h"
#include "stages/load_place.h"

#include <stdio.h>
#include <string.h>

/* VmHWM: the most memory the process ever held, in bytes; 0 where /proc does not tell. */
static uint64_t resident_peak(void)
{
    FILE *const file = fopen("/proc/self/status", "r");
    char line[256];
    unsigned long long kib = 0;
    if (!file)
        return 0;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "VmHWM: %llu", &kib) == 1)
            break;
    fclose(file);
    return kib * 1024;
}

static void record(em_profile *profile, const em_run *run, uint64_t peak_bytes)
{
    if (peak_bytes > profile->peak_bytes)
        profile->peak_bytes = peak_bytes;
    profile->rows[profile->n_rows++] = (em_profile_row){.phase = run->whole, .peak_bytes = peak_bytes};
    for (uint32_t i = 0; i < run->n_phases && run->n_phases > 1; i++)
        profile->rows[profile->n_rows++] =
            (em_profile_row){.phase = run->phases[i], .is_part = true, .peak_bytes = peak_bytes};
}

void em_chain_join_names(const em_pipeline *pipeline, uint32_t at, uint32_t n, char *name, size_t n_bytes)
{
    size_t length = 0;
    *name = 0;
    for (uint32_t i = 0; i < n && length < n_bytes; i++)
        length += (size_t)snprintf(name + length, n_bytes - length, "%s%s", i ? "+" : "",
                                   pipeline->links[at + i].stage->name);
}

static void drop_what_is_no_fact(em_graph *graph)
{
    if (!(graph->facts & EM_HAS_EDGES))
        em_edges_free(&graph->edges);
    if (!(graph->facts & EM_HAS_DEGREES))
        em_buffer_free(&graph->degrees);
    if (!(graph->facts & EM_HAS_OFFSETS))
        em_buffer_free(&graph->offsets);
    if (!(graph->facts & EM_HAS_CSR))
        em_csr_free(&graph->csr);
    if (!(graph->facts & EM_HAS_PARTS))
        em_buffer_free(&graph->parts);
    if (!(graph->facts & EM_HAS_POSITIONS)) {
        for (size_t i = 0; i < graph->edges.n_blocks; i++)
            em_buffer_free(&graph->edges.blocks[i].positions);
        em_buffer_free(&graph->csr.positions);
    }
}

/* Runs the link at `at`, or the fusion that begins there; *length links are done. */
static em_status run_at(em_pipeline *pipeline, uint32_t at, bool unfused, em_run *run, em_graph *graph,
                        uint32_t *length, em_error *error)
{
    const em_fusion *const fusion = unfused ? NULL : em_fusion_at(pipeline, at, length);
    if (!fusion)
        *length = 1;
    char name[sizeof run->whole.name];
    em_chain_join_names(pipeline, at, *length, name, sizeof name);
    em_run_begin(run, name);
    const em_engine engine = em_context_threads(pipeline->context) > 1 ? EM_ENGINE_OPENMP : EM_ENGINE_SERIAL;
    const em_link *const link = &pipeline->links[at];
    em_fused_stage stages[EM_LINKS];
    for (uint32_t i = 0; i < *length; i++)
        stages[i] = (em_fused_stage){link[i].stage, link[i].options};
    em_status status;
    run->stage = link->stage->name;
    if (fusion)
        status = fusion->run(run, stages, *length, graph, error);
    else if (link->stage->run[engine])
        status = link->stage->run[engine](run, link->options, graph, error);
    else
        status = em_run_arcs(run, stages, 1, graph, error);
    em_run_end(run);
    for (uint32_t i = 0; i < *length; i++) {
        const em_form *const form = em_form_for(pipeline->links[at + i].stage, graph->facts);
        if (form)
            graph->facts = (graph->facts & form->keeps) | form->gives;
        if (pipeline->links[at + i].stage == &em_stage_load) /* what a file promises of what it holds */
            graph->facts |= run->read->facts;
    }
    drop_what_is_no_fact(graph);
    if (graph->facts & EM_HAS_CSR) /* what the chain guarantees is what a file may promise */
        graph->csr.facts = graph->facts & (EM_SORTED | EM_UNIQUE | EM_NO_LOOPS | EM_SYMMETRIC);
    return status;
}

static em_status publish(em_run *run, em_error *error)
{
    void *memory;
    const uint32_t n = run->n_outputs;
    em_status status = em_allocate_array(run->context, n, sizeof(em_output *), &memory, error);
    if (status != EM_OK)
        return status;
    em_output **const outputs = memory;
    for (uint32_t i = 0; i < n; i++)
        outputs[i] = run->outputs[i].output;
    run->n_outputs = 0;
    status = em_outputs_commit(outputs, n, error);
    em_free(run->context, outputs, n * sizeof *outputs);
    return status;
}

static em_status prepare_all(const em_pipeline *pipeline, em_run *run, em_error *error)
{
    em_status status = em_pipeline_check(pipeline, error);
    for (uint32_t i = 0; i < pipeline->n_links && status == EM_OK; i++) {
        const em_link *const link = &pipeline->links[i];
        em_error refused = {0};
        if (link->stage->prepare)
            status = link->stage->prepare(run, link->options, &refused);
        if (status == EM_USAGE) /* the words are wrong; else it is what they name */
            em_link_refuse(link, &refused, error);
        else if (status != EM_OK)
            em_error_merge(error, &refused);
    }
    return status;
}

em_status em_pipeline_refusals(const em_pipeline *pipeline, em_error *error)
{
    em_read_report read = {0};
    em_run run = {.context = pipeline->context, .read = &read, .opens_nothing = true};
    return prepare_all(pipeline, &run, error);
}

em_status em_pipeline_run(em_pipeline *pipeline, const em_run_options *options, em_graph *graph, em_read_report *report,
                          em_profile *profile, em_error *error)
{
    em_context *const context = pipeline->context;
    em_graph own_graph = {0};
    em_read_report own_report = {0};
    em_profile own_profile = {0};
    em_graph *const result = graph ? graph : &own_graph;
    em_read_report *const read = report ? report : &own_report;
    em_profile *const cost = profile ? profile : &own_profile;
    const uint64_t wall_begin = em_clock_ns(CLOCK_MONOTONIC), cpu_begin = em_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    em_run run = {.context = context, .read = read};
    *result = (em_graph){0};
    *read = (em_read_report){0};
    memset(cost, 0, sizeof *cost);
    cost->n_threads = em_context_threads(context);
    em_status status = prepare_all(pipeline, &run, error);
    uint32_t length = 1;
    for (uint32_t i = 0; i < pipeline->n_links && status == EM_OK; i += length) {
        em_context_reset_peak(context);
        status = run_at(pipeline, i, options && options->unfused, &run, result, &length, error);
        record(cost, &run, em_context_memory(context).peak_bytes);
        if (status == EM_MALFORMED && error && i == 1 && pipeline->links[0].stage == &em_stage_load)
            em_load_place(pipeline->links[0].options, error); /* the list is what was read */
    }
    for (uint32_t i = 0; i < run.n_outputs && status == EM_OK; i++)
        if (em_output_note(run.outputs[i].output))
            em_note(read, "%s", em_output_note(run.outputs[i].output));
    if (options && options->before_publish)
        em_context_trim(context); /* what judges the result needs memory of its own */
    if (status == EM_OK && options && options->before_publish)
        status = options->before_publish(options->state, result, read, run.outputs, run.n_outputs, error);
    if (status == EM_OK) {
        em_run_begin(&run, "publish");
        status = publish(&run, error);
        em_run_end(&run);
        if (cost->n_rows && run.whole.wall_ns > 1000000)
            record(cost, &run, em_context_memory(context).current_bytes);
    }
    for (uint32_t i = 0; i < run.n_outputs; i++)
        em_output_drop(run.outputs[i].output);
    em_free(context, run.outputs, run.output_capacity * sizeof *run.outputs);
    cost->wall_ns = em_clock_ns(CLOCK_MONOTONIC) - wall_begin;
    cost->cpu_ns = em_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_begin;
    cost->resident_bytes = resident_peak();
    if (!graph || status != EM_OK)
        em_graph_free(result);
    em_context_trim(context);
    return status;
}
