/* load_labels - see load_labels.h.
 *
 * Workers number labels as they come, which depends on who was faster. The list in memory is in input order: where it
 * matters the vertices get their numbers from it, and the same bytes come out whatever ran.
 *
 * Bytes moved: the text once, packed arcs written and read, the list written once, and with several workers read twice
 * and written again; labels twice.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/load_labels.h"

#include "io/label_table.h"
#include "io/read.h"
#include "stages/csr_build.h"
#include "stages/label_order.h"

static em_status read_list(em_run *run, const em_load_options *options, em_label_table *table, em_edges *edges,
                           em_error *error)
{
    em_arc_store store = {0};
    em_status status = em_store_open(run->context, true, &store, error);
    if (status != EM_OK)
        goto done;
    const em_arc_sink sink = em_store_sink(&store);
    if ((status = em_load_into(run, options, &sink, table, &store, NULL, error)) != EM_OK)
        goto done;
    em_label_table_end_lookups(table);
    em_run_phase(run, "flatten");
    status = em_edges_build(&store, run->read->n_vertices, edges, error);
    edges->n_is_given = options->read.vertices_from != NULL;
    em_run_count(run, store.n_arcs, 2 * em_store_bytes(&store));
done:
    em_store_close(&store);
    return status;
}

/* From numbers as they came to those of the first appearances; *numbers is NULL where they are the same. */
static em_status put_in_order(em_run *run, const em_label_table *table, em_edges *edges, bool sums, uint64_t **numbers,
                              em_error *error)
{
    *numbers = NULL;
    if (em_label_table_is_ordered(table))
        return EM_OK;
    em_status status = em_first_appearances(run->context, edges, numbers, error);
    if (status == EM_OK)
        status = em_renumber(run->context, edges, *numbers, error);
    if (status == EM_OK && sums)
        status = em_edges_checksum(run->context, edges, &run->read->arc_checksum, error);
    em_run_count(run, edges->n_arcs, 6 * edges->n_arcs * edges->id_bytes);
    return status;
}

/* Labels that are listed have the first numbers, and others there are none. */
static em_status list_all(em_context *context, em_graph *graph, em_error *error)
{
    const uint64_t n = graph->edges.n_vertices;
    const em_status status = em_buffer_allocate(context, &graph->listed, n, sizeof(uint64_t), error);
    for (uint64_t i = 0; i < n && status == EM_OK; i++)
        ((uint64_t *)graph->listed.at)[i] = i;
    return status;
}

em_status em_load_labels(em_run *run, const em_load_options *options, em_graph *graph, em_error *error)
{
    em_label_table *table = NULL;
    uint64_t *numbers = NULL;
    em_labels *const labels = &graph->labels;
    em_status status = em_label_table_open(run->context, &table, error);
    if (status == EM_OK)
        status = read_list(run, options, table, &graph->edges, error);
    if (status != EM_OK)
        goto done;
    em_run_phase(run, "number labels");
    if ((status = put_in_order(run, table, &graph->edges, options->read.checksum, &numbers, error)) != EM_OK)
        goto done;
    if (options->read.vertices_from && (status = list_all(run->context, graph, error)) != EM_OK)
        goto done;
    status = em_label_table_take(table, numbers, &labels->text, &labels->ends, error);
    em_run_count(run, graph->edges.n_arcs, 2 * (labels->text.n_bytes + labels->ends.n_bytes));
done:
    em_free(run->context, numbers, em_label_table_count(table) * sizeof *numbers);
    em_label_table_free(table);
    return status;
}
