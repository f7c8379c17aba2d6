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

/* "loops dropped" of one is "loop dropped". */
static void print_tally(const em_tally *tally)
{
    char n[32];
    const char *const vertices = strstr(tally->what, "vertices");
    const size_t first = strcspn(tally->what, " ");
    if (tally->n == 1 && vertices)
        fprintf(stderr, "1 %.*svertex%s", (int)(vertices - tally->what), tally->what, vertices + strlen("vertices"));
    else if (tally->n == 1 && first && tally->what[first - 1] == 's')
        fprintf(stderr, "1 %.*s%s", (int)first - 1, tally->what, tally->what + first);
    else
        fprintf(stderr, "%s %s", em_report_count(n, tally->n), tally->what);
}

/* "3 vertices, 8 arcs", of the result, and where stages changed it what was read and why it is not that. */
static void print_counts(const em_cli_summary *summary)
{
    const em_read_report *const read = summary->report->read;
    const em_graph *const graph = summary->graph;
    uint64_t n_vertices = read->n_vertices, n_arcs = read->n_arcs;
    char vertices[32], arcs[32];
    if (graph->facts & EM_HAS_CSR) {
        n_vertices = graph->csr.n_vertices;
        n_arcs = graph->csr.n_arcs;
    } else if (graph->facts & EM_HAS_EDGES) {
        n_vertices = graph->edges.n_vertices;
        n_arcs = graph->edges.n_arcs;
    }
    fprintf(stderr, "%s %s, ", em_report_count(vertices, n_vertices), n_vertices == 1 ? "vertex" : "vertices");
    if (n_arcs)
        fprintf(stderr, "%s %s", em_report_count(arcs, n_arcs), n_arcs == 1 ? "arc" : "arcs");
    else
        fputs("no edges", stderr);
    bool opened = n_arcs != read->n_arcs;
    if (opened)
        fprintf(stderr, " (%s read", em_report_count(arcs, read->n_arcs));
    for (uint32_t i = 0; i < read->n_tallies; i++) {
        if (read->tallies[i].n == 0)
            continue;
        fputs(opened ? ", " : " (", stderr);
        print_tally(&read->tallies[i]);
        opened = true;
    }
    fputs(opened ? "), " : ", ", stderr);
}

void em_cli_summary_print(const em_cli_summary *summary)
{
    const em_report *report = summary->report;
    const em_read_report *read = report->read;
    char arcs[32], inputs[32] = "";
    if (report->n_inputs > 1)
        snprintf(inputs, sizeof inputs, " and %zu more", report->n_inputs - 1);
    fprintf(stderr, "edgemill: %s%s%s%s: ", report->n_inputs ? shown(report->inputs[0], "standard input") : "pipeline",
            inputs, report->output ? " -> " : "", report->output ? shown(report->output, "standard output") : "");
    print_counts(summary);
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
    if (read->n_extra_column_lines && !summary->columns_given)
        fprintf(stderr, "edgemill: note: %s %s columns that are not used; --columns chooses others\n",
                em_report_count(arcs, read->n_extra_column_lines),
                read->n_extra_column_lines == 1 ? "line has" : "lines have");
    if (summary->n_parallel)
        fprintf(stderr, "edgemill: note: %s %s equal to another one; --dedup keeps one of each\n",
                em_report_count(arcs, summary->n_parallel), summary->n_parallel == 1 ? "arc is" : "arcs are");
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
