/* edge_text - see edge_text.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/edge_text.h"

#include "io/text_body.h"

/* Joins the plan's knowledge to what the head of the text says. */
static em_status settle_layout(em_read_plan *plan, em_text_head *head, const char *path, em_error *error)
{
    em_text_layout *const layout = &head->layout;
    layout->id_limit = plan->id_limit;
    layout->id_limit_origin = plan->id_limit_origin;
    layout->vertices = plan->vertices;
    if (plan->options->has_vertices || plan->options->vertices_from)
        head->n_vertices = plan->id_limit;
    if (layout->weights_auto && layout->weight_column && plan->weight_kind == EM_WEIGHT_F64)
        layout->weight_kind = EM_WEIGHT_F64;
    if (!head->has_data_line)
        return EM_OK;
    return em_plan_weighted(plan, path, layout->weight_column != 0, error);
}

em_status em_edge_text_read(em_read_plan *plan, const char *path, em_error *error)
{
    em_source *source = NULL;
    em_text_head head;
    em_status status = em_source_open(plan->context, path, &source, error);
    if (status == EM_OK)
        status = em_text_head_read(source, plan->options, &head, error);
    if (status == EM_OK)
        status = settle_layout(plan, &head, em_source_path(source), error);
    if (status == EM_OK)
        status = em_text_body_read(plan, source, &head, error);
    em_source_close(source);
    return status;
}
