/* load_place - see load_place.h.
 *
 * Where an arc stood is known while its line is parsed, and kept nowhere, since it would cost every list memory for the
 * few that are refused. So the input is read again, by one thread, up to the arc, which is refused then: the reader
 * says where. Cost: none but for the error.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/load_place.h"

#include "io/read.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

typedef struct search {
    uint64_t arc, n_seen;
    const char *what;
    bool found;
} search;

static em_status begin(void *state, const em_read_hint *hint, em_error *error)
{
    (void)state, (void)hint, (void)error;
    return EM_OK;
}

static em_status take(void *state, uint32_t worker, const em_arc_batch *batch, em_error *error)
{
    search *const all = state;
    (void)worker;
    const uint64_t index = all->arc - all->n_seen;
    all->n_seen += batch->n_arcs;
    if (index >= batch->n_arcs)
        return EM_OK;
    all->found = true;
    return em_fail_at(error, EM_MALFORMED, index, "%s", all->what);
}

static bool are_files(const em_read_options *read)
{
    for (size_t i = 0; i < read->n_paths; i++) {
        struct stat facts;
        if (strcmp(read->paths[i], "-") == 0 || stat(read->paths[i], &facts) != 0 || !S_ISREG(facts.st_mode))
            return false;
    }
    return true;
}

void em_load_place(const em_load_options *load, em_error *error)
{
    char prefix[64], what[sizeof error->message];
    const int n = snprintf(prefix, sizeof prefix, "arc %llu of the list: ", (unsigned long long)error->position);
    if (error->status != EM_MALFORMED || strncmp(error->message, prefix, (size_t)n) != 0 || !are_files(&load->read))
        return;
    snprintf(what, sizeof what, "%s", error->message + n);
    search all = {.arc = error->position, .what = what};
    const em_arc_sink sink = {&all, begin, take};
    em_context *context = NULL;
    em_label_table *labels = NULL;
    em_read_report report = {0};
    em_error placed = {0};
    em_status status = em_context_create(&(em_context_options){.n_threads = 1}, &context, NULL);
    if (status == EM_OK && load->read.ids == EM_IDS_STRING) {
        status = em_label_table_open(context, &labels, NULL);
        if (status == EM_OK)
            status = em_read_labels(context, &load->read, &sink, labels, &report, &placed);
    } else if (status == EM_OK) {
        status = em_read(context, &load->read, &sink, &report, &placed);
    }
    if (all.found && status == EM_MALFORMED)
        *error = placed;
    em_label_table_free(labels);
    em_context_free(context);
}
