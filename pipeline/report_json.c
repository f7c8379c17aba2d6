/* report_json - the report and the profile as JSON.
 *
 * Keys come in reading order and numbers are exact: counts are JSON integers (below 2^63), checksums
 * are hexadecimal strings. Paths that are not UTF-8 have their odd bytes replaced, since JSON cannot hold them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/report.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* A string value; bytes that are not UTF-8 become '?'. */
static json_t *text_value(const char *text)
{
    if (!text)
        return json_null();
    json_t *value = json_string(text);
    char *ascii = value ? NULL : strdup(text);
    if (!ascii)
        return value;
    for (char *at = ascii; *at; at++)
        if (*at & 0x80)
            *at = '?';
    value = json_string(ascii);
    free(ascii);
    return value;
}

static json_t *count_value(uint64_t n)
{
    return json_integer((json_int_t)n);
}

static json_t *hex_value(uint64_t n)
{
    char text[32];
    snprintf(text, sizeof text, "%016" PRIx64, n);
    return json_string(text);
}

/* Sets a member and notes failure (out of memory); `value` is always taken over. */
static void put(json_t *object, const char *key, json_t *value, bool *failed)
{
    if (json_object_set_new(object, key, value) != 0)
        *failed = true;
}

static void append(json_t *array, json_t *value, bool *failed)
{
    if (json_array_append_new(array, value) != 0)
        *failed = true;
}

typedef struct writer {
    em_output *output;
    em_error *error;
    em_status status;
} writer;

static int write_some(const char *bytes, size_t n_bytes, void *state)
{
    writer *to = state;
    to->status = em_output_write(to->output, bytes, n_bytes, to->error);
    return to->status == EM_OK ? 0 : -1;
}

/* Writes and releases `root`. */
static em_status write_json(json_t *root, bool failed, em_output *output, em_error *error)
{
    writer to = {output, error, EM_OK};
    em_status status = EM_OK;
    if (failed || !root)
        status = em_fail(error, EM_NO_MEMORY, "%s: out of memory for JSON", em_output_path(output));
    else if (json_dump_callback(root, write_some, &to, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) != 0)
        status = to.status != EM_OK
                     ? to.status
                     : em_fail(error, EM_NO_MEMORY, "%s: JSON cannot be written", em_output_path(output));
    else
        status = em_output_write(output, "\n", 1, error);
    json_decref(root);
    return status;
}

/* --- the report ---------------------------------------------------------------------------------- */

static json_t *skipped_value(const em_read_report *read, bool *failed)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < read->n_skipped_kept; i++) {
        json_t *line = json_object();
        put(line, "path", text_value(read->skipped[i].path), failed);
        put(line, "line", count_value(read->skipped[i].line), failed);
        put(line, "why", text_value(read->skipped[i].why), failed);
        append(array, line, failed);
    }
    return array;
}

static json_t *read_value(const em_read_report *read, bool *failed)
{
    json_t *value = json_object();
    put(value, "file_bytes", count_value(read->n_file_bytes), failed);
    put(value, "text_bytes", count_value(read->n_text_bytes), failed);
    put(value, "lines", count_value(read->n_lines), failed);
    put(value, "comment_lines", count_value(read->n_comment_lines), failed);
    put(value, "blank_lines", count_value(read->n_blank_lines), failed);
    put(value, "skipped_lines", count_value(read->n_skipped_lines), failed);
    put(value, "first_skipped", skipped_value(read, failed), failed);
    put(value, "lines_with_unused_columns", count_value(read->n_extra_column_lines), failed);
    put(value, "arcs", count_value(read->n_arcs), failed);
    put(value, "smallest_id", read->n_arcs ? count_value(read->smallest_id) : json_null(), failed);
    put(value, "largest_id", read->n_arcs ? count_value(read->largest_id) : json_null(), failed);
    put(value, "undirected_format", json_boolean(read->undirected), failed);
    put(value, "weights", text_value(em_weight_name(read->weight_kind)), failed);
    put(value, "weight_column", read->weight_column ? count_value(read->weight_column) : json_null(), failed);
    put(value, "weights_rounded", count_value(read->n_weights_rounded), failed);
    put(value, "weights_become_zero", count_value(read->n_weights_zeroed), failed);
    return value;
}

static json_t *graph_value(const em_report *report, bool *failed)
{
    const em_csr *csr = report->csr;
    json_t *value = json_object();
    uint64_t n_edges;
    put(value, "vertices", count_value(csr->n_vertices), failed);
    put(value, "arcs", count_value(csr->n_arcs), failed);
    put(value, "undirected_edges", em_report_undirected_edges(report, &n_edges) ? count_value(n_edges) : json_null(),
        failed);
    put(value, "id_bytes", count_value(csr->id_bytes), failed);
    put(value, "weights", text_value(em_weight_name((em_weight_kind)csr->weight_kind)), failed);
    json_t *flags = json_array();
    uint64_t fact;
    const char *name;
    for (unsigned i = 0; (name = em_report_flag(i, &fact)); i++)
        if (csr->facts & fact)
            append(flags, json_string(name), failed);
    put(value, "flags", flags, failed);
    if (!report->summary)
        return value;
    const em_csr_summary *summary = report->summary;
    json_t *degree = json_object();
    put(degree, "smallest", count_value(report->smallest_degree), failed);
    put(degree, "mean", json_real(csr->n_vertices ? (double)csr->n_arcs / (double)csr->n_vertices : 0.0), failed);
    put(degree, "largest", count_value(summary->largest_degree), failed);
    put(value, "out_degree", degree, failed);
    put(value, "loops", count_value(summary->n_loops), failed);
    put(value, "duplicate_arcs", summary->sorted ? count_value(summary->n_duplicates) : json_null(), failed);
    put(value, "without_out_arcs", count_value(summary->n_without_out_arcs), failed);
    put(value, "isolated", count_value(summary->n_isolated), failed);
    put(value, "rows_sorted", json_boolean(summary->sorted), failed);
    put(value, "structure_symmetric", json_boolean(summary->asymmetry == 0), failed);
    put(value, "arc_checksum", hex_value(summary->arc_checksum), failed);
    return value;
}

em_status em_report_json(const em_report *report, em_output *output, em_error *error)
{
    bool failed = false;
    json_t *root = json_object(), *inputs = json_array(), *notes = json_array();
    for (size_t i = 0; i < report->n_inputs; i++)
        append(inputs, text_value(report->inputs[i]), &failed);
    put(root, "report", json_integer(1), &failed);
    put(root, "inputs", inputs, &failed);
    if (report->output)
        put(root, "output", text_value(report->output), &failed);
    if (report->output_format)
        put(root, "format", text_value(report->output_format), &failed);
    if (report->read) {
        put(root, "read", read_value(report->read, &failed), &failed);
        for (uint32_t i = 0; i < report->read->n_notes; i++)
            append(notes, text_value(report->read->notes[i]), &failed);
    }
    if (!report->read && report->n_file_bytes)
        put(root, "file_bytes", count_value(report->n_file_bytes), &failed);
    if (report->section_checksums) {
        json_t *sections = json_object();
        for (unsigned i = 0; em_report_section(i); i++)
            if (report->section_checksums[i])
                put(sections, em_report_section(i), hex_value(report->section_checksums[i]), &failed);
        put(root, "file_checksums", sections, &failed);
    }
    if (report->csr)
        put(root, "graph", graph_value(report, &failed), &failed);
    put(root, "notes", notes, &failed);
    put(root, "verified", text_value(report->verified), &failed);
    return write_json(root, failed, output, error);
}

/* --- the profile --------------------------------------------------------------------------------- */

static json_t *row_value(const em_profile_row *row, double copy, bool *failed)
{
    const em_phase *phase = &row->phase;
    const double seconds = (double)phase->wall_ns * 1e-9;
    const double rate = seconds > 0 ? (double)phase->n_bytes_moved / seconds : 0;
    json_t *value = json_object();
    put(value, "name", text_value(phase->name), failed);
    put(value, "is_part", json_boolean(row->is_part), failed);
    put(value, "wall_ns", count_value(phase->wall_ns), failed);
    put(value, "cpu_ns", count_value(phase->cpu_ns), failed);
    put(value, "elements", count_value(phase->n_elements), failed);
    put(value, "elements_per_second", json_real(seconds > 0 ? (double)phase->n_elements / seconds : 0), failed);
    put(value, "moved_bytes", count_value(phase->n_bytes_moved), failed);
    put(value, "bytes_per_second", json_real(rate), failed);
    put(value, "share_of_copy", copy > 0 ? json_real(rate / copy) : json_null(), failed);
    put(value, "peak_bytes", count_value(row->peak_bytes), failed);
    return value;
}

em_status em_profile_json(const em_profile *profile, double copy_bytes_per_second, em_output *output, em_error *error)
{
    bool failed = false;
    json_t *root = json_object(), *stages = json_array();
    for (uint32_t i = 0; i < profile->n_rows; i++)
        append(stages, row_value(&profile->rows[i], copy_bytes_per_second, &failed), &failed);
    put(root, "profile", json_integer(1), &failed);
    put(root, "threads", count_value(profile->n_threads), &failed);
    put(root, "wall_ns", count_value(profile->wall_ns), &failed);
    put(root, "cpu_ns", count_value(profile->cpu_ns), &failed);
    put(root, "peak_allocated_bytes", count_value(profile->peak_bytes), &failed);
    put(root, "peak_resident_bytes", count_value(profile->resident_bytes), &failed);
    put(root, "copy_bytes_per_second", copy_bytes_per_second > 0 ? json_real(copy_bytes_per_second) : json_null(),
        &failed);
    put(root, "stages", stages, &failed);
    return write_json(root, failed, output, error);
}
