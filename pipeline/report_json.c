/* report_json - the report and the profile as JSON.
 *
 * Keys come in reading order and numbers are exact: counts are JSON integers (below 2^63), checksums
 * are hexadecimal strings. Paths that are not UTF-8 have their odd bytes replaced, since JSON cannot hold them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/json_value.h"
#include "pipeline/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static json_t *hex_value(uint64_t n)
{
    char text[32];
    snprintf(text, sizeof text, "%016" PRIx64, n);
    return json_string(text);
}

/* --- the report ---------------------------------------------------------------------------------- */

static json_t *skipped_value(const em_read_report *read, bool *failed)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < read->n_skipped_kept; i++) {
        json_t *line = json_object();
        em_json_put(line, "path", em_json_text(read->skipped[i].path), failed);
        em_json_put(line, "line", em_json_count(read->skipped[i].line), failed);
        em_json_put(line, "why", em_json_text(read->skipped[i].why), failed);
        em_json_append(array, line, failed);
    }
    return array;
}

/* What stages dropped, added or found, in their order; 0 is said, too. */
static json_t *changes_value(const em_read_report *read, bool *failed)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < read->n_tallies; i++) {
        json_t *change = json_object();
        em_json_put(change, "stage", em_json_text(read->tallies[i].stage), failed);
        em_json_put(change, "what", em_json_text(read->tallies[i].what), failed);
        em_json_put(change, "count", em_json_count(read->tallies[i].n), failed);
        em_json_append(array, change, failed);
    }
    return array;
}

static json_t *read_value(const em_read_report *read, bool *failed)
{
    json_t *value = json_object();
    em_json_put(value, "file_bytes", em_json_count(read->n_file_bytes), failed);
    em_json_put(value, "text_bytes", em_json_count(read->n_text_bytes), failed);
    em_json_put(value, "lines", em_json_count(read->n_lines), failed);
    em_json_put(value, "comment_lines", em_json_count(read->n_comment_lines), failed);
    em_json_put(value, "blank_lines", em_json_count(read->n_blank_lines), failed);
    em_json_put(value, "skipped_lines", em_json_count(read->n_skipped_lines), failed);
    em_json_put(value, "first_skipped", skipped_value(read, failed), failed);
    em_json_put(value, "lines_with_unused_columns", em_json_count(read->n_extra_column_lines), failed);
    em_json_put(value, "arcs", em_json_count(read->n_arcs), failed);
    em_json_put(value, "smallest_id", read->n_arcs ? em_json_count(read->smallest_id) : json_null(), failed);
    em_json_put(value, "largest_id", read->n_arcs ? em_json_count(read->largest_id) : json_null(), failed);
    em_json_put(value, "undirected_format", json_boolean(read->undirected), failed);
    em_json_put(value, "weights", em_json_text(em_weight_name(read->weight_kind)), failed);
    em_json_put(value, "weight_column", read->weight_column ? em_json_count(read->weight_column) : json_null(), failed);
    em_json_put(value, "weights_rounded", em_json_count(read->n_weights_rounded), failed);
    em_json_put(value, "weights_become_zero", em_json_count(read->n_weights_zeroed), failed);
    return value;
}

static json_t *graph_value(const em_report *report, bool *failed)
{
    const em_csr *csr = report->csr;
    json_t *value = json_object();
    uint64_t n_edges;
    const bool whole = em_csr_is_whole(csr); /* a shard does not have the arcs of other rows */
    em_json_put(value, "vertices", em_json_count(csr->n_vertices), failed);
    if (!whole) {
        em_json_put(value, "first_vertex", em_json_count(csr->first_vertex), failed);
        em_json_put(value, "vertices_of_the_graph", em_json_count(em_csr_n_targets(csr)), failed);
    }
    em_json_put(value, "arcs", em_json_count(csr->n_arcs), failed);
    em_json_put(value, "undirected_edges",
                whole && em_report_undirected_edges(report, &n_edges) ? em_json_count(n_edges) : json_null(), failed);
    em_json_put(value, "id_bytes", em_json_count(csr->id_bytes), failed);
    em_json_put(value, "weights", em_json_text(em_weight_name((em_weight_kind)csr->weight_kind)), failed);
    json_t *flags = json_array();
    uint64_t fact;
    const char *name;
    for (unsigned i = 0; (name = em_report_flag(i, &fact)); i++)
        if (csr->facts & fact)
            em_json_append(flags, json_string(name), failed);
    em_json_put(value, "flags", flags, failed);
    if (!report->summary)
        return value;
    const em_csr_summary *summary = report->summary;
    json_t *degree = json_object();
    em_json_put(degree, "smallest", em_json_count(report->smallest_degree), failed);
    em_json_put(degree, "mean", json_real(csr->n_vertices ? (double)csr->n_arcs / (double)csr->n_vertices : 0.0),
                failed);
    em_json_put(degree, "largest", em_json_count(summary->largest_degree), failed);
    em_json_put(value, "out_degree", degree, failed);
    em_json_put(value, "loops", em_json_count(summary->n_loops), failed);
    em_json_put(value, "duplicate_arcs", summary->sorted ? em_json_count(summary->n_duplicates) : json_null(), failed);
    em_json_put(value, "without_out_arcs", em_json_count(summary->n_without_out_arcs), failed);
    em_json_put(value, "isolated", whole ? em_json_count(summary->n_isolated) : json_null(), failed);
    em_json_put(value, "rows_sorted", json_boolean(summary->sorted), failed);
    em_json_put(value, "structure_symmetric", whole ? json_boolean(summary->asymmetry == 0) : json_null(), failed);
    em_json_put(value, "arc_checksum", hex_value(summary->arc_checksum), failed);
    return value;
}

em_status em_report_json(const em_report *report, em_output *output, em_error *error)
{
    bool failed = false;
    json_t *root = json_object(), *inputs = json_array(), *notes = json_array();
    for (size_t i = 0; i < report->n_inputs; i++)
        em_json_append(inputs, em_json_text(report->inputs[i]), &failed);
    em_json_put(root, "report", json_integer(1), &failed);
    em_json_put(root, "inputs", inputs, &failed);
    if (report->output)
        em_json_put(root, "output", em_json_text(report->output), &failed);
    if (report->output_format)
        em_json_put(root, "format", em_json_text(report->output_format), &failed);
    if (report->read) {
        em_json_put(root, "read", read_value(report->read, &failed), &failed);
        em_json_put(root, "changes", changes_value(report->read, &failed), &failed);
        for (uint32_t i = 0; i < report->read->n_notes; i++)
            em_json_append(notes, em_json_text(report->read->notes[i]), &failed);
    }
    if (!report->read && report->n_file_bytes)
        em_json_put(root, "file_bytes", em_json_count(report->n_file_bytes), &failed);
    if (report->section_checksums) {
        json_t *sections = json_object();
        for (unsigned i = 0; em_report_section(i); i++)
            if (report->section_checksums[i])
                em_json_put(sections, em_report_section(i), hex_value(report->section_checksums[i]), &failed);
        em_json_put(root, "file_checksums", sections, &failed);
    }
    if (report->csr)
        em_json_put(root, "graph", graph_value(report, &failed), &failed);
    em_json_put(root, "notes", notes, &failed);
    em_json_put(root, "verified", em_json_text(report->verified), &failed);
    return em_json_write(root, failed, 2, output, error);
}

/* --- the profile --------------------------------------------------------------------------------- */

static json_t *row_value(const em_profile_row *row, double copy, bool *failed)
{
    const em_phase *phase = &row->phase;
    const double seconds = (double)phase->wall_ns * 1e-9;
    const double rate = seconds > 0 ? (double)phase->n_bytes_moved / seconds : 0;
    json_t *value = json_object();
    em_json_put(value, "name", em_json_text(phase->name), failed);
    em_json_put(value, "is_part", json_boolean(row->is_part), failed);
    em_json_put(value, "wall_ns", em_json_count(phase->wall_ns), failed);
    em_json_put(value, "cpu_ns", em_json_count(phase->cpu_ns), failed);
    em_json_put(value, "elements", em_json_count(phase->n_elements), failed);
    em_json_put(value, "elements_per_second", json_real(seconds > 0 ? (double)phase->n_elements / seconds : 0), failed);
    em_json_put(value, "moved_bytes", em_json_count(phase->n_bytes_moved), failed);
    em_json_put(value, "bytes_per_second", json_real(rate), failed);
    em_json_put(value, "share_of_copy", copy > 0 ? json_real(rate / copy) : json_null(), failed);
    em_json_put(value, "peak_bytes", em_json_count(row->peak_bytes), failed);
    return value;
}

em_status em_profile_json(const em_profile *profile, double copy_bytes_per_second, em_output *output, em_error *error)
{
    bool failed = false;
    json_t *root = json_object(), *stages = json_array();
    for (uint32_t i = 0; i < profile->n_rows; i++)
        em_json_append(stages, row_value(&profile->rows[i], copy_bytes_per_second, &failed), &failed);
    em_json_put(root, "profile", json_integer(1), &failed);
    em_json_put(root, "threads", em_json_count(profile->n_threads), &failed);
    em_json_put(root, "wall_ns", em_json_count(profile->wall_ns), &failed);
    em_json_put(root, "cpu_ns", em_json_count(profile->cpu_ns), &failed);
    em_json_put(root, "peak_allocated_bytes", em_json_count(profile->peak_bytes), &failed);
    em_json_put(root, "peak_resident_bytes", em_json_count(profile->resident_bytes), &failed);
    em_json_put(root, "copy_bytes_per_second",
                copy_bytes_per_second > 0 ? json_real(copy_bytes_per_second) : json_null(), &failed);
    em_json_put(root, "stages", stages, &failed);
    return em_json_write(root, failed, 2, output, error);
}
