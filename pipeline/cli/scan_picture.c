/* scan_picture - a recorded scan as a picture: the combine graph for Graphviz, and rounds with arrows as SVG.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/cli/scan.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int word_length(const em_scan_row *row, uint64_t cell)
{
    return (int)(row->begins[cell + 1] - row->begins[cell]);
}

static const char *word(const em_scan_row *row, uint64_t cell)
{
    return row->text + row->begins[cell];
}

static void print_name(em_scan_out *out, const em_scan_job *job)
{
    em_scan_printf(out, "%s: %s %s of %s, %" PRIu64 " item%s", em_scan_algorithm_names[job->algorithm],
                   job->exclusive ? "exclusive" : "inclusive", em_operator_name(job->words.operation),
                   em_type_name(job->words.type), job->n, job->n == 1 ? "" : "s");
}

/* --- Graphviz ------------------------------------------------------------------------------------------------ */

/* The last row before `row` that changed the cell; 0: it holds its item still. */
static uint64_t last_change(const em_scan_record *record, uint64_t row, uint64_t cell)
{
    while (--row > 0)
        for (uint64_t i = 0; i < record->rows[row].n_changes; i++)
            if (record->rows[row].changes[i].to == cell)
                return row;
    return 0;
}

static void dot_edge(em_scan_out *out, const em_scan_record *record, uint64_t row, uint64_t from, uint64_t to,
                     const char *style)
{
    const uint64_t from_row = last_change(record, row, from);
    if (from_row || from < record->job->n)
        em_scan_printf(out, "    r%" PRIu64 "c%" PRIu64 " -> r%" PRIu64 "c%" PRIu64 "%s;\n", from_row, from, row, to,
                       style);
}

static void dot_row(em_scan_out *out, const em_scan_record *record, uint64_t r)
{
    const em_scan_row *row = &record->rows[r];
    em_scan_printf(out, "    { rank=same; p%" PRIu64 " [shape=plaintext, label=\"%s", r,
                   em_textbook_phase_name(row->phase));
    if (row->distance)
        em_scan_printf(out, " %" PRIu64, row->distance);
    em_scan_printf(out, "\"];");
    const uint64_t n = r ? row->n_changes : record->job->n;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t to = r ? row->changes[i].to : i;
        em_scan_printf(out, " r%" PRIu64 "c%" PRIu64 " [label=\"%.*s\"%s];", r, to, word_length(row, to), word(row, to),
                       r && row->changes[i].later == EM_NO_CELL ? ", style=dashed" : "");
    }
    em_scan_printf(out, " }\n");
    if (r)
        em_scan_printf(out, "    p%" PRIu64 " -> p%" PRIu64 " [style=invis];\n", r - 1, r);
}

static void dot_changes(em_scan_out *out, const em_scan_record *record, uint64_t r)
{
    const em_scan_row *row = &record->rows[r];
    for (uint64_t i = 0; i < row->n_changes; i++) {
        const em_textbook_change *change = &row->changes[i];
        if (change->earlier != EM_NO_CELL)
            dot_edge(out, record, r, change->earlier, change->to, change->later == EM_NO_CELL ? " [style=dashed]" : "");
        if (change->later != EM_NO_CELL && row->phase == EM_PHASE_INCLUDE)
            em_scan_printf(out, "    r0c%" PRIu64 " -> r%" PRIu64 "c%" PRIu64 ";\n", change->later, r, change->to);
        else if (change->later != EM_NO_CELL)
            dot_edge(out, record, r, change->later, change->to, "");
    }
}

void em_scan_print_dot(em_scan_out *out, const em_scan_record *record)
{
    em_scan_printf(out, "digraph scan {\n    label=\"");
    print_name(out, record->job);
    em_scan_printf(out, "; combines %" PRIu64 ", depth %" PRIu64 "\";\n", record->scan.n_combines, record->scan.depth);
    em_scan_printf(out, "    node [shape=box, fontname=\"monospace\"];\n");
    for (uint64_t r = 0; r < record->n_rows; r++)
        dot_row(out, record, r);
    for (uint64_t r = 1; r < record->n_rows; r++)
        dot_changes(out, record, r);
    em_scan_printf(out, "}\n");
}

/* --- SVG: a row a round, a column a cell ---------------------------------------------------------------------- */

enum { MARGIN = 16, TOP = 56, ROW = 84, CELL = 30, LETTER = 9, SMALL_LETTER = 8, BOTTOM = 70, LEAST_WIDTH = 700 };

typedef struct canvas {
    em_scan_out *out;
    const em_scan_record *record;
    int left;   /* pixels before the first cell, where phases have their names */
    int column; /* pixels from a cell to the next */
} canvas;

static int x_of(const canvas *c, uint64_t cell)
{
    return c->left + (int)cell * c->column + c->column / 2;
}

static int y_of(uint64_t row)
{
    return TOP + (int)row * ROW;
}

static void svg_arrow(const canvas *c, uint64_t row, uint64_t from, uint64_t to, bool copies)
{
    em_scan_printf(c->out, "<path class=\"%s\" marker-end=\"url(#tip)\" d=\"M%d %dL%d %d\"/>\n",
                   copies ? "copy" : "edge", x_of(c, from), y_of(row - 1) + CELL, x_of(c, to), y_of(row) - 3);
}

/* What comes from outside the cells: above the cell it goes to. */
static void svg_operand(const canvas *c, uint64_t row, uint64_t to, const char *text, int length)
{
    em_scan_printf(c->out, "<text class=\"own\" x=\"%d\" y=\"%d\">%.*s</text>\n", x_of(c, to) + 8, y_of(row) - 10,
                   length, text);
}

static void svg_change(const canvas *c, uint64_t r, const em_textbook_change *change)
{
    const em_scan_row *row = &c->record->rows[r], *items = &c->record->rows[0];
    if (change->earlier != EM_NO_CELL)
        svg_arrow(c, r, change->earlier, change->to, change->later == EM_NO_CELL);
    if (row->phase == EM_PHASE_INCLUDE)
        svg_operand(c, r, change->to, word(items, change->later), word_length(items, change->later));
    else if (change->later != EM_NO_CELL)
        svg_arrow(c, r, change->later, change->to, false);
    if (row->phase == EM_PHASE_START)
        svg_operand(c, r, change->to, "initial", 7);
}

static void svg_cell(const canvas *c, uint64_t r, uint64_t cell, const char *class)
{
    const em_scan_row *row = &c->record->rows[r];
    em_scan_printf(
        c->out,
        "<g class=\"%s\"><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"5\"/><text x=\"%d\" y=\"%d\">"
        "%.*s</text></g>\n",
        class, x_of(c, cell) - c->column / 2 + 4, y_of(r), c->column - 8, CELL, x_of(c, cell), y_of(r) + 20,
        word_length(row, cell), word(row, cell));
}

static const char *class_of(const em_scan_record *record, uint64_t r, uint64_t cell)
{
    const em_scan_row *row = &record->rows[r];
    const char *class = cell >= record->job->n ? "pad" : r ? "same" : "item";
    for (uint64_t i = 0; i < row->n_changes; i++)
        if (row->changes[i].to == cell)
            class = row->changes[i].later == EM_NO_CELL ? "moved" : "made";
    return class;
}

enum { LABEL = 64 };

static int phase_label(char text[LABEL], const em_scan_row *row)
{
    if (row->distance)
        return snprintf(text, LABEL, "%s, distance %" PRIu64, em_textbook_phase_name(row->phase), row->distance);
    return snprintf(text, LABEL, "%s", em_textbook_phase_name(row->phase));
}

static void svg_row(const canvas *c, uint64_t r)
{
    const em_scan_row *row = &c->record->rows[r];
    char label[LABEL];
    phase_label(label, row);
    em_scan_printf(c->out, "<text class=\"phase\" x=\"%d\" y=\"%d\">%s</text>\n", MARGIN, y_of(r) + 14, label);
    if (row->n_combines)
        em_scan_printf(c->out, "<text class=\"note\" x=\"16\" y=\"%d\">%" PRIu64 " combine%s</text>\n", y_of(r) + 30,
                       row->n_combines, row->n_combines == 1 ? "" : "s");
    for (uint64_t i = 0; r && i < row->n_changes; i++)
        svg_change(c, r, &row->changes[i]);
    for (uint64_t cell = 0; cell < row->n_cells; cell++)
        svg_cell(c, r, cell, class_of(c->record, r, cell));
}

static void svg_head(const canvas *c, int width, int height)
{
    em_scan_printf(c->out,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                   "role=\"img\">\n<title>",
                   width, height, width, height);
    print_name(c->out, c->record->job);
    em_scan_printf(
        c->out,
        "</title>\n<style>\n"
        "text{font:15px ui-monospace,monospace;fill:#1c2733;text-anchor:middle}\n"
        ".phase,.note,.own{text-anchor:start;font-size:13px}.note,.own{fill:#5b6b7b}.head{text-anchor:start;font-size:"
        "16px}\n"
        "rect{fill:#fff;stroke:#c5ced8}.item rect{fill:#eaf1fb;stroke:#4a78b5}.made rect{fill:#fdebc8;stroke:#b3700a}\n"
        ".moved rect{fill:#e2f2e6;stroke:#3b8a54;stroke-dasharray:4 3}.same text{fill:#8593a1}\n"
        ".pad rect{stroke-dasharray:2 4}.pad text{fill:#b4bec8}\n"
        "path{fill:none;stroke:#b3700a;stroke-width:1.4}.copy{stroke:#3b8a54;stroke-dasharray:4 3}\n"
        "#tip path{fill:#1c2733;stroke:none}\n</style>\n"
        "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" "
        "orient=\"auto\"><path d=\"M0 0L8 4L0 8z\"/></marker></defs>\n"
        "<rect style=\"stroke:none\" width=\"%d\" height=\"%d\"/>\n<text class=\"head\" x=\"16\" y=\"28\">",
        width, height);
    print_name(c->out, c->record->job);
    em_scan_printf(c->out, "</text>\n");
}

void em_scan_print_svg(em_scan_out *out, const em_scan_record *record)
{
    int longest = 2, longest_label = 0;
    char label[LABEL];
    for (uint64_t r = 0; r < record->n_rows; r++) {
        const int length = phase_label(label, &record->rows[r]);
        longest_label = length > longest_label ? length : longest_label;
        for (uint64_t i = 0; i < record->rows[r].n_cells; i++)
            longest = word_length(&record->rows[r], i) > longest ? word_length(&record->rows[r], i) : longest;
    }
    const canvas c = {out, record, 2 * MARGIN + SMALL_LETTER * longest_label, LETTER * longest + 24};
    const int right = c.left + (int)record->n_cells * c.column + MARGIN, end = y_of(record->n_rows) - ROW + CELL;
    svg_head(&c, right < LEAST_WIDTH ? LEAST_WIDTH : right, end + BOTTOM);
    for (uint64_t r = 0; r < record->n_rows; r++)
        svg_row(&c, r);
    em_scan_printf(
        out,
        "<text class=\"phase\" x=\"16\" y=\"%d\">combines %" PRIu64 ", depth %" PRIu64
        "</text>\n<text class=\"note\" x=\"16\" y=\"%d\">solid: earlier and later are combined; dashed: a value "
        "moves%s</text>\n</svg>\n",
        end + 30, record->scan.n_combines, record->scan.depth, end + 50,
        record->n_cells > record->job->n ? "; pale columns: padding" : "");
}
