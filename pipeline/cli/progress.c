/* progress - one line on a terminal that says stage, share, rate and time left.
 *
 * The line is overwritten with blanks rather than erased by an escape sequence, so that it works on every terminal.
 * Nothing is shown during the first 0.3 s: most conversions are done by then.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/cli/cli.h"
#include "scan/base/clock.h"

#include <string.h>
#include <unistd.h>

static const uint64_t SILENT_NS = 300000000, BETWEEN_NS = 100000000;

uint64_t em_cli_now_ns(void)
{
    return em_clock_ns(CLOCK_MONOTONIC);
}

void em_cli_progress_begin(em_cli_progress *progress, const char *when, bool quiet)
{
    *progress = (em_cli_progress){.command_began_ns = em_cli_now_ns()};
    if (when && strcmp(when, "auto") != 0)
        progress->enabled = strcmp(when, "always") == 0;
    else
        progress->enabled = !quiet && isatty(STDERR_FILENO);
}

/* "1:05" or "2:01:05" of so many seconds. */
static void clock_text(char *text, size_t n_bytes, double seconds)
{
    const unsigned long s = seconds < 1e7 ? (unsigned long)(seconds + 0.5) : 9999999;
    if (s >= 3600)
        snprintf(text, n_bytes, "%lu:%02lu:%02lu", s / 3600, s / 60 % 60, s % 60);
    else
        snprintf(text, n_bytes, "%lu:%02lu", s / 60, s % 60);
}

bool em_cli_progress_update(void *state, const char *stage, uint64_t done, uint64_t total)
{
    em_cli_progress *progress = state;
    if (!progress->enabled)
        return true;
    const uint64_t now = em_cli_now_ns();
    if (strncmp(progress->stage, stage, sizeof progress->stage - 1) != 0) {
        snprintf(progress->stage, sizeof progress->stage, "%s", stage);
        progress->began_ns = now;
    }
    if (now - progress->command_began_ns < SILENT_NS || now - progress->last_ns < BETWEEN_NS)
        return true;
    progress->last_ns = now;
    const double seconds = (double)(now - progress->began_ns) * 1e-9;
    const double rate = seconds > 0 ? (double)done / seconds : 0;
    char text[160], left[32];
    int width = snprintf(text, sizeof text, "%s", progress->stage);
    if (total && done <= total)
        width += snprintf(text + width, sizeof text - (size_t)width, " %3u %%",
                          (unsigned)(100.0 * (double)done / (double)total));
    if (rate > 0 && strcmp(stage, "load") == 0)
        width += snprintf(text + width, sizeof text - (size_t)width, "  %.0f MB/s", rate * 1e-6);
    else if (rate > 0 && (strcmp(stage, "build") == 0 || strcmp(stage, "generate") == 0)) /* the others count parts */
        width += snprintf(text + width, sizeof text - (size_t)width, "  %.1f M arcs/s", rate * 1e-6);
    if (rate > 0 && seconds > 0.5 && total && done <= total) { /* earlier it would only jump */
        clock_text(left, sizeof left, (double)(total - done) / rate);
        width += snprintf(text + width, sizeof text - (size_t)width, "  ETA %s", left);
    }
    fprintf(stderr, "\r%-*s", progress->width, text);
    fflush(stderr);
    progress->width = width;
    return true;
}

void em_cli_progress_clear(em_cli_progress *progress)
{
    if (progress->width)
        fprintf(stderr, "\r%*s\r", progress->width, "");
    progress->width = 0;
}
