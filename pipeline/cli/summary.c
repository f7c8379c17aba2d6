/* summary - the one line that convert ends with, and the remarks below it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/cli/cli.h"

#include <inttypes.h>
#include <string.h>

static const char *shown(const char *path, const char *stream)
{
    return strcmp(path, "-") == 0 ? stream : path;
}

void em_cli_summary_print(const em_cli_summary *summary)
{
    const em_report *report = summary->report;
    const em_read_report *read = report->read;
    char vertices[32], arcs[32], inputs[32] = "";
    if (report->n_inputs > 1)
        snprintf(inputs, sizeof inputs, " and %zu more", report->n_inputs - 1);
    fprintf(stderr, "edgemill: %s%s -> %s: %s %s, ", shown(report->inputs[0], "standard input"), inputs,
            shown(report->output, "standard output"), em_report_count(vertices, read->n_vertices),
            read->n_vertices == 1 ? "vertex" : "vertices");
    if (read->n_arcs)
        fprintf(stderr, "%s %s, ", em_report_count(arcs, read->n_arcs), read->n_arcs == 1 ? "arc" : "arcs");
    else
        fputs("no edges, ", stderr);
    fprintf(stderr, "%.2f s, peak %.0f MiB", (double)summary->wall_ns * 1e-9,
            (double)summary->peak_bytes / (1024.0 * 1024.0));
    if (read->weight_kind != EM_WEIGHT_NONE && read->weight_column)
        fprintf(stderr, "; weights: column %" PRIu32 ", %s", read->weight_column, em_weight_name(read->weight_kind));
    else if (read->weight_kind != EM_WEIGHT_NONE)
        fprintf(stderr, "; weights: %s", em_weight_name(read->weight_kind));
    if (report->verified)
        fprintf(stderr, "; %s after %.2f s",
                strcmp(report->verified, "self") == 0 ? "self-check passed" : "igraph agrees",
                (double)summary->verify_ns * 1e-9);
    fputc('\n', stderr);
    /* Only text counts lines; binary formats and formats that are 1-based by definition say nothing here. */
    if (read->n_arcs && read->n_lines && read->smallest_id == 1 && !summary->base_given && !read->undirected)
        fputs(
            "edgemill: hint: id 1 occurs and id 0 never, so vertex 0 is isolated; if ids count from 1, use --base 1\n",
            stderr);
    if (read->n_extra_column_lines)
        fprintf(stderr, "edgemill: note: %s %s columns that are not used; --columns chooses others\n",
                em_report_count(arcs, read->n_extra_column_lines),
                read->n_extra_column_lines == 1 ? "line has" : "lines have");
    for (uint32_t i = 0; i < read->n_notes; i++)
        fprintf(stderr, "edgemill: note: %s\n", read->notes[i]);
}

void em_cli_warnings_print(const em_read_report *read)
{
    const bool integers = read->weight_kind == EM_WEIGHT_I32 || read->weight_kind == EM_WEIGHT_I64;
    char count[32];
    if (read->n_weights_rounded)
        fprintf(stderr, "edgemill: warning: %s %s not exact in %s%s\n", em_report_count(count, read->n_weights_rounded),
                read->n_weights_rounded == 1 ? "integer weight is" : "integer weights are",
                em_weight_name(read->weight_kind), integers ? "" : "; --weights=i64 keeps integers exact");
    if (read->n_weights_zeroed)
        fprintf(stderr, "edgemill: warning: %s %s 0 in %s\n", em_report_count(count, read->n_weights_zeroed),
                read->n_weights_zeroed == 1 ? "non-zero weight became" : "non-zero weights became",
                em_weight_name(read->weight_kind));
    if (!read->n_skipped_lines)
        return;
    fprintf(stderr, "edgemill: warning: %s malformed %s skipped%s\n", em_report_count(count, read->n_skipped_lines),
            read->n_skipped_lines == 1 ? "line was" : "lines were",
            read->n_skipped_lines > read->n_skipped_kept ? "; the first of them:" : ":");
    for (uint32_t i = 0; i < read->n_skipped_kept; i++)
        fprintf(stderr, "edgemill:   %s:%" PRIu64 ": %s\n", read->skipped[i].path, read->skipped[i].line,
                read->skipped[i].why);
}
