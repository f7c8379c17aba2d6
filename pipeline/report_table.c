/* report_table - the report and the profile as aligned text.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/report.h"

#include <inttypes.h>
#include <string.h>

char *em_report_count(char text[32], uint64_t n)
{
    char digits[24];
    const int length = snprintf(digits, sizeof digits, "%" PRIu64, n);
    char *at = text;
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            *at++ = ',';
        *at++ = digits[i];
    }
    *at = 0;
    return text;
}

uint64_t em_report_smallest_degree(const em_csr *csr)
{
    const uint64_t *offsets = csr->offsets.at;
    uint64_t smallest = csr->n_vertices ? UINT64_MAX : 0;
    for (uint64_t v = 0; v < csr->n_vertices; v++) {
        const uint64_t degree = offsets[v + 1] - offsets[v];
        smallest = degree < smallest ? degree : smallest;
    }
    return smallest;
}

const char *em_report_flag(unsigned i, uint64_t *fact)
{
    static const struct {
        uint64_t fact;
        const char *name;
    } flags[] = {{EM_SORTED, "sorted"}, {EM_UNIQUE, "unique"}, {EM_NO_LOOPS, "no-loops"}, {EM_SYMMETRIC, "symmetric"}};
    if (i >= sizeof flags / sizeof *flags)
        return NULL;
    *fact = flags[i].fact;
    return flags[i].name;
}

const char *em_report_section(unsigned i)
{
    static const char *const names[] = {"offsets", "targets", "weights", "positions"};
    return i < sizeof names / sizeof *names ? names[i] : NULL;
}

bool em_report_undirected_edges(const em_report *report, uint64_t *n_edges)
{
    if (!report->summary || !report->csr || report->summary->asymmetry != 0)
        return false;
    const uint64_t n_loops = report->summary->n_loops;
    *n_edges = n_loops + (report->csr->n_arcs - n_loops) / 2;
    return true;
}

/* --- the report ---------------------------------------------------------------------------------- */

static void count_line(FILE *out, const char *name, uint64_t n)
{
    char text[32];
    fprintf(out, "  %-22s %20s\n", name, em_report_count(text, n));
}

static void word_line(FILE *out, const char *name, const char *word)
{
    fprintf(out, "  %-22s %20s\n", name, word);
}

static void read_text(const em_read_report *read, FILE *out)
{
    count_line(out, "file bytes", read->n_file_bytes);
    if (read->n_text_bytes && read->n_text_bytes != read->n_file_bytes)
        count_line(out, "text bytes", read->n_text_bytes);
    if (read->n_lines) {
        count_line(out, "lines", read->n_lines);
        count_line(out, "comment lines", read->n_comment_lines);
        count_line(out, "blank lines", read->n_blank_lines);
        count_line(out, "skipped lines", read->n_skipped_lines);
        count_line(out, "lines, unused columns", read->n_extra_column_lines);
    }
    count_line(out, "arcs read", read->n_arcs);
    if (read->n_arcs) {
        count_line(out, "smallest id", read->smallest_id);
        count_line(out, "largest id", read->largest_id);
    }
    if (read->weight_kind != EM_WEIGHT_NONE) {
        if (read->weight_column)
            count_line(out, "weight column", read->weight_column);
        count_line(out, "weights rounded", read->n_weights_rounded);
        count_line(out, "weights become zero", read->n_weights_zeroed);
    }
    for (uint32_t i = 0; i < read->n_tallies; i++)
        count_line(out, read->tallies[i].what, read->tallies[i].n);
}

static void flags_line(FILE *out, uint64_t facts)
{
    char text[64] = "";
    uint64_t fact;
    const char *name;
    for (unsigned i = 0; (name = em_report_flag(i, &fact)); i++)
        if (facts & fact)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", *text ? "," : "", name);
    word_line(out, "flags", *text ? text : "none");
}

static void csr_text(const em_report *report, FILE *out)
{
    const em_csr *csr = report->csr;
    uint64_t n_edges;
    char text[32];
    const bool whole = em_csr_is_whole(csr);
    count_line(out, "vertices", csr->n_vertices);
    if (!whole) {
        count_line(out, "first vertex", csr->first_vertex);
        count_line(out, "vertices of the graph", em_csr_n_targets(csr));
    }
    count_line(out, "arcs", csr->n_arcs);
    if (whole && em_report_undirected_edges(report, &n_edges))
        count_line(out, "undirected edges", n_edges);
    count_line(out, "bytes an id", csr->id_bytes);
    word_line(out, "weights", em_weight_name((em_weight_kind)csr->weight_kind));
    flags_line(out, csr->facts);
    if (!report->summary)
        return;
    const em_csr_summary *summary = report->summary;
    count_line(out, "loops", summary->n_loops);
    if (summary->sorted)
        count_line(out, "duplicate arcs", summary->n_duplicates);
    count_line(out, "smallest out-degree", report->smallest_degree);
    snprintf(text, sizeof text, "%.2f", csr->n_vertices ? (double)csr->n_arcs / (double)csr->n_vertices : 0.0);
    word_line(out, "mean out-degree", text);
    count_line(out, "largest out-degree", summary->largest_degree);
    count_line(out, "no arc out", summary->n_without_out_arcs);
    if (whole) /* a shard does not have the arcs of other rows */
        count_line(out, "isolated", summary->n_isolated);
    word_line(out, "rows sorted", summary->sorted ? "yes" : "no");
    if (whole)
        word_line(out, "structure symmetric", summary->asymmetry == 0 ? "yes" : "no");
    snprintf(text, sizeof text, "%016" PRIx64, summary->arc_checksum);
    word_line(out, "checksum of arcs", text);
}

void em_report_text(const em_report *report, FILE *out)
{
    if (report->read)
        read_text(report->read, out);
    else if (report->n_file_bytes)
        count_line(out, "file bytes", report->n_file_bytes);
    if (report->csr)
        csr_text(report, out);
    for (unsigned i = 0; report->section_checksums && em_report_section(i); i++)
        if (report->section_checksums[i]) {
            char name[32], text[32];
            snprintf(name, sizeof name, "checksum of %s", em_report_section(i));
            snprintf(text, sizeof text, "%016" PRIx64, report->section_checksums[i]);
            word_line(out, name, text);
        }
    if (report->verified)
        word_line(out, "verified by", report->verified);
}

/* --- the profile --------------------------------------------------------------------------------- */

enum { NAME_COLUMNS = 34 }; /* the longest fused stage */
static const double MIB = 1024.0 * 1024.0;

static void profile_row(const char *name, const em_phase *phase, uint64_t peak_bytes, bool is_part, double copy,
                        FILE *out)
{
    const double seconds = (double)phase->wall_ns * 1e-9;
    const double moved = (double)phase->n_bytes_moved;
    char elements[32];
    fprintf(out, "%s%-*.*s %9.2f %9.2f", is_part ? "  " : "", is_part ? NAME_COLUMNS - 2 : NAME_COLUMNS,
            is_part ? NAME_COLUMNS - 2 : NAME_COLUMNS, name, (double)phase->wall_ns * 1e-6,
            (double)phase->cpu_ns * 1e-6);
    if (phase->n_elements)
        fprintf(out, " %15s %8.1f", em_report_count(elements, phase->n_elements),
                seconds > 0 ? (double)phase->n_elements * 1e-6 / seconds : 0.0);
    else
        fprintf(out, " %15s %8s", "-", "-");
    if (moved > 0) {
        fprintf(out, " %10.1f %7.2f", moved * 1e-6, seconds > 0 ? moved * 1e-9 / seconds : 0.0);
        if (copy > 0 && seconds > 0)
            fprintf(out, " %6.1f%%", 100.0 * moved / seconds / copy);
        else
            fprintf(out, " %7s", "-");
    } else {
        fprintf(out, " %10s %7s %7s", "-", "-", "-");
    }
    if (peak_bytes)
        fprintf(out, " %9.1f\n", (double)peak_bytes / MIB);
    else
        fprintf(out, " %9s\n", "-");
}

void em_profile_table(const em_profile *profile, double copy_bytes_per_second, FILE *out)
{
    fprintf(out, "%-*s %9s %9s %15s %8s %10s %7s %7s %9s\n", NAME_COLUMNS, "stage", "wall ms", "CPU ms", "elements",
            "M/s", "moved MB", "GB/s", "of copy", "peak MiB");
    em_phase total = {.wall_ns = profile->wall_ns, .cpu_ns = profile->cpu_ns};
    for (uint32_t i = 0; i < profile->n_rows; i++) {
        const em_profile_row *row = &profile->rows[i];
        profile_row(row->phase.name, &row->phase, row->peak_bytes, row->is_part, copy_bytes_per_second, out);
        if (!row->is_part)
            total.n_bytes_moved += row->phase.n_bytes_moved;
    }
    profile_row("total", &total, profile->peak_bytes, false, copy_bytes_per_second, out);
    fprintf(out, "%u thread%s; peak memory: %.1f MiB allocated, %.1f MiB resident (VmHWM)", profile->n_threads,
            profile->n_threads == 1 ? "" : "s", (double)profile->peak_bytes / MIB,
            (double)profile->resident_bytes / MIB);
    if (copy_bytes_per_second > 0)
        fprintf(out, "; copying memory: %.2f GB/s (bytes in and out)", copy_bytes_per_second * 1e-9);
    fputc('\n', out);
}
