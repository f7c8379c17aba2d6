/* scan_out - text gathered in a buffer on its way to an output.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/cli/scan.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

em_status em_scan_out_open(em_context *context, const char *path, em_scan_out *out, em_error *error)
{
    out->error = error;
    out->n_bytes = 0;
    out->output = NULL;
    return out->status = em_output_open(context, path, &out->output, error);
}

static void flush(em_scan_out *out)
{
    if (out->status == EM_OK && out->n_bytes)
        out->status = em_output_write(out->output, out->bytes, out->n_bytes, out->error);
    out->n_bytes = 0;
}

em_status em_scan_out_close(em_scan_out *out)
{
    flush(out);
    if (out->status == EM_OK)
        out->status = em_output_commit(out->output, out->error);
    else
        em_output_drop(out->output);
    out->output = NULL;
    return out->status;
}

void em_scan_put(em_scan_out *out, const char *text, size_t n_bytes)
{
    while (n_bytes) {
        size_t n = sizeof out->bytes - out->n_bytes;
        n = n < n_bytes ? n : n_bytes;
        memcpy(out->bytes + out->n_bytes, text, n);
        out->n_bytes += n;
        text += n;
        n_bytes -= n;
        if (out->n_bytes == sizeof out->bytes)
            flush(out);
    }
}

void em_scan_printf(em_scan_out *out, const char *format, ...)
{
    char text[2048];
    va_list list;
    va_start(list, format);
    const int n = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (n > 0)
        em_scan_put(out, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}
