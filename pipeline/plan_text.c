/* plan_text - a plan as aligned text.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/plan_report.h"
#include "pipeline/report.h"

#include <inttypes.h>
#include <string.h>

enum { NAME_COLUMNS = 28 };

/* "12.3 MiB", or "unknown". Returns `text`. */
static char *bytes_text(char text[32], uint64_t n_bytes)
{
    if (n_bytes == EM_UNKNOWN)
        snprintf(text, 32, "unknown");
    else if (n_bytes >= UINT64_C(10) << 30)
        snprintf(text, 32, "%.1f GiB", (double)n_bytes / (double)(1 << 30));
    else
        snprintf(text, 32, "%.1f MiB", (double)n_bytes / (double)(1 << 20));
    return text;
}

static char *count_text(char text[32], uint64_t n)
{
    if (n == EM_UNKNOWN)
        snprintf(text, 32, "unknown");
    else
        em_report_count(text, n);
    return text;
}

static void input_line(const em_plan_input *input, FILE *out)
{
    char bytes[32], arcs[32], most[32];
    fprintf(out, "input     %s: ", strcmp(input->path, "-") == 0 ? "standard input" : input->path);
    if (!input->format) {
        fputs("how much it holds is unknown before it is read\n", out);
        return;
    }
    fprintf(out, "%s, %s; ", input->format, bytes_text(bytes, input->n_file_bytes));
    if (input->exact)
        fprintf(out, "%s arcs\n", count_text(arcs, input->n_arcs));
    else
        fprintf(out, "about %s arcs, by its first lines; at most %s\n", count_text(arcs, input->n_arcs),
                count_text(most, input->most_arcs));
}

static void row_lines(const em_plan_report *report, uint32_t index, FILE *out)
{
    const em_plan_row *const row = &report->plan->rows[index];
    char arcs[32], read[32], written[32], scratch[32], peak[32], most[32];
    if (strlen(row->name) > NAME_COLUMNS)
        fprintf(out, "%s\n", row->name);
    fprintf(out, "%-*s %13s %11s %11s %11s %11s", NAME_COLUMNS, strlen(row->name) > NAME_COLUMNS ? "" : row->name,
            count_text(arcs, row->out.n_arcs), bytes_text(read, row->cost.n_bytes_read),
            bytes_text(written, row->cost.n_bytes_written), bytes_text(scratch, row->cost.scratch_bytes),
            bytes_text(peak, row->cost.peak_bytes));
    if (report->most)
        fprintf(out, " %11s", bytes_text(most, report->most->rows[index].cost.peak_bytes));
    fprintf(out, "\n  %s, %s\n", report->plan->engine == EM_ENGINE_SERIAL ? "serial" : "openmp", row->why);
}

void em_plan_text(const em_plan_report *report, FILE *out)
{
    const em_plan *const plan = report->plan;
    char peak[32], most[32];
    fprintf(out, "pipeline  %s\n", report->spec);
    for (uint64_t i = 0; i < report->n_inputs; i++)
        input_line(&report->inputs[i], out);
    fprintf(out, "engine    %s, %" PRIu32 " %s\n\n", plan->engine == EM_ENGINE_SERIAL ? "serial" : "openmp",
            plan->n_threads, plan->n_threads == 1 ? "thread" : "threads");
    fprintf(out, "%-*s %13s %11s %11s %11s %11s%s\n", NAME_COLUMNS, "stage", "arcs left", "reads", "writes", "scratch",
            "peak", report->most ? "     at most" : "");
    for (uint32_t i = 0; i < plan->n_rows; i++)
        row_lines(report, i, out);
    fprintf(out, "\npeak      %s%s", report->is_given || plan->peak_bytes == EM_UNKNOWN ? "" : "about ",
            bytes_text(peak, plan->peak_bytes));
    if (plan->n_rows && plan->peak_bytes != EM_UNKNOWN)
        fprintf(out, ", in %s", plan->rows[plan->peak_row].name);
    if (report->is_given)
        fputs(", for the numbers given", out);
    if (report->most)
        fprintf(out, "; at most %s", bytes_text(most, report->most->peak_bytes));
    fputc('\n', out);
}
