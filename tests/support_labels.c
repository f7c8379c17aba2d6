/* support_labels - see support_labels.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support_labels.h"

#include <stdio.h>
#include <string.h>

labels_loaded labels_load(const em_context_options *how, const char *const *options, const char *const *paths)
{
    labels_loaded result = {0};
    em_pipeline *pipeline = NULL;
    char *words[24] = {"load", "--ids=string"};
    int n = 2;
    for (int i = 0; options && options[i]; i++)
        words[n++] = (char *)(uintptr_t)options[i];
    words[n++] = "--";
    for (int i = 0; paths[i]; i++)
        words[n++] = (char *)(uintptr_t)paths[i];
    assert_int_equal(em_context_create(how, &result.context, &result.error), EM_OK);
    result.status = em_pipeline_create(result.context, &pipeline, &result.error);
    if (result.status == EM_OK)
        result.status = em_pipeline_add(pipeline, n, words, &result.error);
    if (result.status == EM_OK)
        result.status = em_pipeline_run(pipeline, NULL, &result.graph, &result.report, NULL, &result.error);
    em_pipeline_free(pipeline);
    return result;
}

void labels_unload(labels_loaded *result)
{
    em_graph_free(&result->graph);
    assert_int_equal(em_context_memory(result->context).current_bytes, 0);
    em_context_free(result->context);
}

const char *labels_file(const char *name, const char *text)
{
    return support_file(name, text, strlen(text));
}

em_context_options labels_how(uint32_t n_threads, uint64_t chunk_bytes, uint64_t piece_bytes)
{
    return (em_context_options){.n_threads = n_threads,
                                .knobs = {.chunk_bytes = chunk_bytes, .piece_bytes = piece_bytes, .serial_below = 1}};
}

uint64_t labels_source(const labels_loaded *result, uint64_t i)
{
    return em_id_at(result->graph.edges.blocks->sources.at, result->graph.edges.id_bytes, i);
}

uint64_t labels_target(const labels_loaded *result, uint64_t i)
{
    return em_id_at(result->graph.edges.blocks->targets.at, result->graph.edges.id_bytes, i);
}

void assert_label(const labels_loaded *result, uint64_t i, const char *label, uint64_t n_bytes)
{
    const uint64_t *const ends = result->graph.labels.ends.at;
    const char *const text = result->graph.labels.text.at;
    if (ends[i + 1] - ends[i] != n_bytes || memcmp(text + ends[i], label, n_bytes) != 0)
        fail_msg("label %u is '%.*s', wanted '%.*s'", (unsigned)i, (int)(ends[i + 1] - ends[i]), text + ends[i],
                 (int)n_bytes, label);
}

const char *labels_listed(const char *text)
{
    static char option[256];
    snprintf(option, sizeof option, "--vertices-from=%s", support_file("vertices.txt", text, strlen(text)));
    return option;
}
