/* plan_json - a plan as JSON; what is unknown is null.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/json_value.h"
#include "pipeline/plan_report.h"

#include <string.h>

static json_t *count_or_null(uint64_t n)
{
    return n >> 63 ? json_null() : em_json_count(n);
}

static json_t *input_value(const em_plan_input *input, bool *failed)
{
    json_t *const value = json_object();
    em_json_put(value, "path", em_json_text(input->path), failed);
    em_json_put(value, "format", em_json_text(input->format), failed);
    em_json_put(value, "file_bytes", input->format ? em_json_count(input->n_file_bytes) : json_null(), failed);
    em_json_put(value, "exact", json_boolean(input->exact), failed);
    em_json_put(value, "vertices", count_or_null(input->n_vertices), failed);
    em_json_put(value, "arcs", count_or_null(input->n_arcs), failed);
    em_json_put(value, "arcs_at_most", count_or_null(input->most_arcs), failed);
    return value;
}

static json_t *row_value(const em_plan_report *report, uint32_t index, bool *failed)
{
    const em_plan_row *const row = &report->plan->rows[index];
    json_t *const value = json_object();
    em_json_put(value, "name", em_json_text(row->name), failed);
    em_json_put(value, "first", em_json_count(row->first), failed);
    em_json_put(value, "stages", em_json_count(row->n_stages), failed);
    em_json_put(value, "why", em_json_text(row->why), failed);
    em_json_put(value, "engine", em_json_text(report->plan->engine == EM_ENGINE_SERIAL ? "serial" : "openmp"), failed);
    em_json_put(value, "arcs_in", count_or_null(row->in.n_arcs), failed);
    em_json_put(value, "arcs_out", count_or_null(row->out.n_arcs), failed);
    em_json_put(value, "vertices_out", count_or_null(row->out.n_vertices), failed);
    em_json_put(value, "read_bytes", count_or_null(row->cost.n_bytes_read), failed);
    em_json_put(value, "written_bytes", count_or_null(row->cost.n_bytes_written), failed);
    em_json_put(value, "random_bytes", count_or_null(row->cost.n_bytes_random), failed);
    em_json_put(value, "scratch_bytes", count_or_null(row->cost.scratch_bytes), failed);
    em_json_put(value, "result_bytes", count_or_null(row->cost.result_bytes), failed);
    em_json_put(value, "peak_bytes", count_or_null(row->cost.peak_bytes), failed);
    if (report->most)
        em_json_put(value, "peak_bytes_at_most", count_or_null(report->most->rows[index].cost.peak_bytes), failed);
    return value;
}

em_status em_plan_json(const em_plan_report *report, em_output *output, em_error *error)
{
    bool failed = false;
    json_t *const root = json_object(), *const inputs = json_array(), *const stages = json_array();
    for (uint64_t i = 0; i < report->n_inputs; i++)
        em_json_append(inputs, input_value(&report->inputs[i], &failed), &failed);
    for (uint32_t i = 0; i < report->plan->n_rows; i++)
        em_json_append(stages, row_value(report, i, &failed), &failed);
    em_json_put(root, "plan", json_integer(1), &failed);
    em_json_put(root, "pipeline", em_json_text(report->spec), &failed);
    em_json_put(root, "given", json_boolean(report->is_given), &failed);
    em_json_put(root, "threads", em_json_count(report->plan->n_threads), &failed);
    em_json_put(root, "inputs", inputs, &failed);
    em_json_put(root, "stages", stages, &failed);
    em_json_put(root, "peak_bytes", count_or_null(report->plan->peak_bytes), &failed);
    if (report->most)
        em_json_put(root, "peak_bytes_at_most", count_or_null(report->most->peak_bytes), &failed);
    return em_json_write(root, failed, 2, output, error);
}
