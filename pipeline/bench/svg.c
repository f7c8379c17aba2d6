/* svg - GB/s against the number of elements: a panel a case, a line a contender, the copies beside them.
 *
 * Both axes are logarithmic, so that equal distances are equal ratios at every size. Lines differ by colour, dashes and
 * marks (colours of Okabe and Ito, which colour-blind readers can tell apart), and the picture needs no script.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/bench/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    WIDTH = 1000,
    PANEL_HEIGHT = 430,
    LEFT = 70,
    RIGHT = 270, /* the legend's */
    TOP = 40,
    BOTTOM = 60,
    HEAD = 50,
    N_STYLES = 8,
    LEGEND_STEP = 19,
    MOST_DECADES = 3,
};

static const char *const COLOURS[N_STYLES] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                              "#e69f00", "#56b4e9", "#7a6a00", "#8b1a1a"};
static const char *const DASHES[] = {"none", "7 3", "2 3"};

/* A panel's axes: decades of n and of GB/s. */
typedef struct panel {
    FILE *out;
    const bench *run;
    const bench_case *of;
    double top, n_from, n_to, gbps_from, gbps_to; /* logarithms to base 10 */
} panel;

static double x_of(const panel *in, double n)
{
    return LEFT + (log10(n) - in->n_from) / (in->n_to - in->n_from) * (WIDTH - LEFT - RIGHT);
}

static double y_of(const panel *in, double gbps)
{
    const double at = log10(gbps) < in->gbps_from ? in->gbps_from : log10(gbps);
    return in->top + TOP + (in->gbps_to - at) / (in->gbps_to - in->gbps_from) * (PANEL_HEIGHT - TOP - BOTTOM);
}

static void widen(double *from, double *to, double value)
{
    *from = value < *from ? value : *from;
    *to = value > *to ? value : *to;
}

/* A contender belongs into the picture: inclusive scans, or the one kind there is, and memcpy. */
static bool is_shown(const bench_result *result, const bench_contender *of)
{
    if (of->who == BENCH_COPY)
        return of == &result->contenders[EM_COPY_PLAIN_ONE] || of == &result->contenders[EM_COPY_PLAIN_ALL];
    if (of->call.kind != (result->of->offsets ? EM_EXCLUSIVE_TOTAL : EM_INCLUSIVE))
        return false;
    return of->who == BENCH_PEER || !strstr(of->name, ", 1 thread");
}

static double gbps_of(const bench_result *result, const double *ns)
{
    return bench_gbps(result, bench_figure_of(ns, result->n_pairs).median);
}

static void find_range(panel *in)
{
    in->n_from = in->gbps_from = INFINITY;
    in->n_to = in->gbps_to = -INFINITY;
    for (uint32_t i = 0; i < in->run->n_results; i++) {
        const bench_result *result = in->run->results[i];
        if (result->of != in->of)
            continue;
        widen(&in->n_from, &in->n_to, log10((double)result->n));
        widen(&in->gbps_from, &in->gbps_to, log10(gbps_of(result, result->copy_ns)));
        for (uint32_t k = 0; k < result->n_contenders; k++)
            if (is_shown(result, &result->contenders[k]))
                widen(&in->gbps_from, &in->gbps_to, log10(gbps_of(result, result->contenders[k].ns)));
    }
    if (in->n_to - in->n_from < 0.5)
        in->n_from -= 0.25, in->n_to += 0.25;
    in->gbps_from -= 0.05, in->gbps_to += 0.05;
    /* Waking threads for a handful of items is slower than any scale that shows the rest: such points lie on the edge.
     */
    if (in->gbps_from < in->gbps_to - MOST_DECADES)
        in->gbps_from = in->gbps_to - MOST_DECADES;
}

static const char *short_count(char text[32], double n)
{
    static const char *const UNITS[] = {"", " K", " M", " G"};
    int unit = 0;
    for (; unit < 3 && n >= 999.5; unit++)
        n /= 1000;
    snprintf(text, 32, "%.3g%s", n, UNITS[unit]);
    return text;
}

/* 1, 2 and 5 of every decade across, and of GB/s up. */
static void draw_grid(const panel *in)
{
    static const double STEPS[] = {1, 2, 5};
    const double bottom = in->top + PANEL_HEIGHT - BOTTOM;
    char text[32];
    for (int decade = -6; decade <= 18; decade++)
        for (int i = 0; i < 3; i++) {
            const double value = STEPS[i] * pow(10, decade), at = log10(value);
            if (at >= in->gbps_from && at <= in->gbps_to)
                fprintf(in->out,
                        "<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>"
                        "<text class=\"tick\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.3g</text>\n",
                        LEFT, y_of(in, value), WIDTH - RIGHT, y_of(in, value), LEFT - 6, y_of(in, value) + 4, value);
            if (i == 0 && at >= in->n_from - 1e-9 && at <= in->n_to + 1e-9)
                fprintf(in->out,
                        "<line class=\"grid\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>"
                        "<text class=\"tick\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n",
                        x_of(in, value), in->top + TOP, x_of(in, value), bottom, x_of(in, value), bottom + 16,
                        short_count(text, value));
        }
    fprintf(in->out, "<rect class=\"frame\" x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%d\"/>\n", LEFT, in->top + TOP,
            WIDTH - LEFT - RIGHT, PANEL_HEIGHT - TOP - BOTTOM);
    fprintf(in->out, "<text class=\"axis\" x=\"%d\" y=\"%.1f\" text-anchor=\"middle\">elements</text>\n",
            (WIDTH - RIGHT + LEFT) / 2, bottom + 36);
    fprintf(in->out,
            "<text class=\"axis\" transform=\"translate(18 %.1f) rotate(-90)\" text-anchor=\"middle\">GB/s, bytes in "
            "and out</text>\n",
            (in->top + TOP + bottom) / 2);
}

typedef struct style {
    const char *colour, *dash;
    double width;
    int mark;
} style;

static void draw_mark(FILE *out, const style *as, double x, double y)
{
    switch (as->mark) {
    case 0:
        fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>", x, y, as->colour);
        break;
    case 1:
        fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"6\" height=\"6\" fill=\"%s\"/>", x - 3, y - 3, as->colour);
        break;
    case 2:
        fprintf(out, "<path d=\"M%.1f %.1fl3.5 6h-7z\" fill=\"%s\"/>", x, y - 4, as->colour);
        break;
    default:
        break;
    }
}

/* The line through the sizes of one contender, found by its place and name; NULL: the best copy. */
static void draw_line(const panel *in, const bench_contender *like, const style *as)
{
    fprintf(in->out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"%.1f\" stroke-dasharray=\"%s\" points=\"",
            as->colour, as->width, as->dash);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < in->run->n_results; i++) {
            const bench_result *result = in->run->results[i];
            const double *ns = result->of == in->of && !like ? result->copy_ns : NULL;
            for (uint32_t k = 0; like && result->of == in->of && k < result->n_contenders; k++) {
                const bench_contender *of = &result->contenders[k];
                if (of->who == like->who && of->call.kind == like->call.kind && of->copy == like->copy &&
                    strcmp(of->name, like->name) == 0)
                    ns = of->ns;
            }
            if (!ns)
                continue;
            const double x = x_of(in, (double)result->n), y = y_of(in, gbps_of(result, ns));
            if (pass == 0)
                fprintf(in->out, "%.1f,%.1f ", x, y);
            else
                draw_mark(in->out, as, x, y);
        }
        fputs(pass == 0 ? "\"/>" : "\n", in->out);
    }
}

static void draw_legend(const panel *in, int line, const style *as, const char *name, uint32_t n_threads)
{
    const double y = in->top + TOP + 12 + line * LEGEND_STEP;
    const int x = WIDTH - RIGHT + 16;
    fprintf(in->out,
            "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"%.1f\" "
            "stroke-dasharray=\"%s\"/>",
            x, y, x + 34, y, as->colour, as->width, as->dash);
    draw_mark(in->out, as, x + 17, y);
    fprintf(in->out, "<text class=\"legend\" x=\"%d\" y=\"%.1f\">%s", x + 42, y + 4, name);
    if (n_threads)
        fprintf(in->out, " (%u)", n_threads);
    fputs("</text>\n", in->out);
}

static style style_of(const bench_contender *of, int n_before)
{
    if (of->who == BENCH_COPY)
        return (style){"#555555", of->copy == EM_COPY_PLAIN_ONE ? DASHES[2] : DASHES[1], 1.6, 3};
    return (style){COLOURS[n_before % N_STYLES], of->who == BENCH_OURS ? DASHES[0] : DASHES[1],
                   of->who == BENCH_OURS ? 2.4 : 1.4, of->who == BENCH_OURS ? 0 : 1 + n_before % 2};
}

static void draw_panel(panel *in, const bench_result *any)
{
    const style copy = {"#000000", DASHES[0], 2.4, 3};
    int line = 0, n_before = 0;
    find_range(in);
    fprintf(in->out, "<text class=\"title\" x=\"%d\" y=\"%.1f\">%s%s</text>\n", LEFT, in->top + TOP - 12, in->of->name,
            in->of->offsets ? ": CSR offsets from counts" : ": inclusive scan");
    draw_grid(in);
    draw_line(in, NULL, &copy);
    draw_legend(in, line++, &copy, "best copy", 0);
    for (uint32_t k = 0; k < any->n_contenders; k++) {
        const bench_contender *of = &any->contenders[k];
        char name[64];
        if (!is_shown(any, of))
            continue;
        const style as = style_of(of, n_before);
        n_before += of->who != BENCH_COPY;
        snprintf(name, sizeof name, "%s%s", of->who == BENCH_OURS ? "edgemill " : "", of->name);
        draw_line(in, of, &as);
        draw_legend(in, line++, &as, name, of->n_threads);
    }
}

/* The first result of a case. */
static const bench_result *first_of(const bench *run, const bench_case *of)
{
    for (uint32_t i = 0; i < run->n_results; i++)
        if (run->results[i]->of == of)
            return run->results[i];
    return NULL;
}

static void draw(const bench *run, FILE *out)
{
    const bench_case *of;
    int n_panels = 0;
    for (uint32_t i = 0; (of = bench_case_at(i)); i++)
        n_panels += first_of(run, of) != NULL;
    const int height = HEAD + n_panels * PANEL_HEIGHT;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\">\n"
            "<title>edgemill bench scan: GB/s against the number of elements</title>\n"
            "<style>text{font-family:sans-serif;fill:#222}.tick,.legend{font-size:12px}.axis{font-size:13px}"
            ".title{font-size:16px;font-weight:bold}.grid{stroke:#ddd}.frame{fill:none;stroke:#888}</style>\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n",
            WIDTH, height, WIDTH, height, WIDTH, height);
    fprintf(out,
            "<text class=\"axis\" x=\"%d\" y=\"30\">edgemill bench scan: %u threads, %s, medians of %u rounds; threads "
            "in parentheses</text>\n",
            LEFT, run->n_threads, bench_isa_name(run), run->n_pairs);
    panel now = {.out = out, .run = run, .top = HEAD};
    for (uint32_t i = 0; (of = bench_case_at(i)); i++) {
        const bench_result *any = first_of(run, of);
        if (!any)
            continue;
        now.of = of;
        draw_panel(&now, any);
        now.top += PANEL_HEIGHT;
    }
    fputs("</svg>\n", out);
}

em_status bench_svg(const bench *run, em_output *output, em_error *error)
{
    char *text = NULL;
    size_t n_bytes = 0;
    FILE *out = open_memstream(&text, &n_bytes);
    if (!out)
        return em_fail(error, EM_NO_MEMORY, "%s: out of memory for the picture", em_output_path(output));
    draw(run, out);
    const bool failed = ferror(out) != 0;
    em_status status = EM_OK;
    if (fclose(out) != 0 || failed)
        status = em_fail(error, EM_NO_MEMORY, "%s: out of memory for the picture", em_output_path(output));
    else
        status = em_output_write(output, text, n_bytes, error);
    free(text);
    return status;
}
