/* csr_open - a file that holds a CSR already, opened by content; and the same file as one input among others.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/csr_open.h"
#include "io/arc_feed.h"
#include "io/csr_file.h"
#include "io/decoder.h"
#include "io/npz.h"

#include <sys/stat.h>

em_status em_csr_open(em_context *context, const char *path, em_csr *csr, em_error *error)
{
    const em_format *format;
    *csr = (em_csr){0};
    const em_status status = em_format_of_input(context, path, NULL, &format, error);
    if (status != EM_OK)
        return status;
    if (!format->open_csr)
        return em_fail(error, EM_MALFORMED, "%s: holds no CSR: its format is %s, not csr or npz", path, format->name);
    return format->open_csr(context, path, csr, error);
}

/* The rows of the CSR, or, where there are sources, arcs as listed. */
static em_status feed_all(em_read_plan *plan, const char *path, const em_csr *csr, const em_buffer *sources,
                          em_error *error)
{
    const char *const shown = em_input_name(path);
    const em_coordinates list = {csr, sources};
    const em_arc_feed feed = sources ? em_coordinates_feed(&list, shown) : em_csr_feed(csr, shown);
    const em_status status = em_arc_feed_run(plan, &feed, error);
    if (plan->options->n_paths == 1)
        plan->report->facts = csr->facts;
    struct stat facts;
    if (status == EM_OK && stat(path, &facts) == 0 && S_ISREG(facts.st_mode))
        plan->report->n_file_bytes += (uint64_t)facts.st_size;
    return status;
}

em_status em_csr_file_read(em_read_plan *plan, const char *path, em_error *error)
{
    em_csr csr = {0};
    em_status status = em_csr_file_open(plan->context, path, &csr, error);
    if (status == EM_OK)
        status = feed_all(plan, path, &csr, NULL, error);
    em_csr_free(&csr);
    return status;
}

em_status em_npz_read(em_read_plan *plan, const char *path, em_error *error)
{
    em_csr csr = {0};
    em_buffer sources = {0};
    em_status status = em_npz_open_listed(plan->context, path, &csr, &sources, error);
    if (status == EM_OK)
        status = feed_all(plan, path, &csr, sources.at ? &sources : NULL, error);
    em_csr_free(&csr);
    em_buffer_free(&sources);
    return status;
}
