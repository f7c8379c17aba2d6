/* fuzz_labels - lists of labels, read by one thread in one chunk and by several in chunks of a few bytes: both must
 * give the same arcs, labels and report, or the same error at the same place.
 *
 * Input: as fuzz_read.c has it (byte 2: --on-error in bit 3, in bit 4 a list of vertices, which is the input itself).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/pipeline.h"
#include "tests/fuzz/support.h"

#include <stdio.h>
#include <string.h>

enum { N_OPTION_BYTES = 5, MOST_WORKERS = 4, MOST_WORDS = 12 };

typedef struct outcome {
    em_context *context;
    em_status status;
    em_error error;
    em_graph graph;
    em_read_report report;
} outcome;

static void load(char **words, int n_words, uint32_t n_threads, uint64_t chunk_bytes, uint64_t piece_bytes,
                 outcome *into)
{
    const em_context_options settings = {
        .n_threads = n_threads,
        .memory_limit_bytes = UINT64_C(1) << 28,
        .knobs = {.chunk_bytes = chunk_bytes, .piece_bytes = piece_bytes, .serial_below = 1}};
    em_pipeline *pipeline = NULL;
    must(em_context_create(&settings, &into->context, NULL) == EM_OK, "a context");
    into->status = em_pipeline_create(into->context, &pipeline, &into->error);
    if (into->status == EM_OK)
        into->status = em_pipeline_add(pipeline, n_words, words, &into->error);
    if (into->status == EM_OK)
        into->status = em_pipeline_run(pipeline, NULL, &into->graph, &into->report, NULL, &into->error);
    em_pipeline_free(pipeline);
}

static void unload(outcome *one)
{
    em_graph_free(&one->graph);
    must(em_context_memory(one->context).current_bytes == 0, "all memory was given back");
    em_context_free(one->context);
}

static int same_bytes(const em_buffer *a, const em_buffer *b)
{
    return a->n_bytes == b->n_bytes && (!a->n_bytes || memcmp(a->at, b->at, a->n_bytes) == 0);
}

static void compare(const outcome *one, const outcome *other)
{
    must(one->status == other->status, "the same status for any number of threads");
    if (one->status != EM_OK) {
        must(strcmp(one->error.message, other->error.message) == 0, "the same message for any number of threads");
        return;
    }
    const em_block *const a = one->graph.edges.blocks, *const b = other->graph.edges.blocks;
    must(one->graph.edges.n_vertices == other->graph.edges.n_vertices, "the same n for any number of threads");
    must(same_bytes(&a->sources, &b->sources) && same_bytes(&a->targets, &b->targets) &&
             same_bytes(&a->weights, &b->weights),
         "the same arcs for any number of threads");
    must(same_bytes(&one->graph.labels.text, &other->graph.labels.text) &&
             same_bytes(&one->graph.labels.ends, &other->graph.labels.ends),
         "the same labels for any number of threads");
    must(one->report.n_lines == other->report.n_lines && one->report.n_comment_lines == other->report.n_comment_lines &&
             one->report.n_blank_lines == other->report.n_blank_lines &&
             one->report.n_skipped_lines == other->report.n_skipped_lines &&
             one->report.n_extra_column_lines == other->report.n_extra_column_lines &&
             one->report.arc_checksum == other->report.arc_checksum,
         "the same report for any number of threads");
}

int LLVMFuzzerTestOneInput(const uint8_t *at, size_t n_bytes)
{
    static const char *const separators[] = {
        NULL, "--separator=space", "--separator=,", "--separator=tab", "--separator=;", "--separator=|", NULL, NULL};
    static const char *const columns[] = {
        NULL, NULL, "--columns=2,1", "--columns=1,2,3", "--columns=1,2,4", "--columns=3,1", "--columns=a,b", NULL};
    static const char *const weights[] = {
        NULL, "--weights=none", "--weights=i32", "--weights=i64", "--weights=f32", "--weights=f64", NULL, NULL};
    if (n_bytes < N_OPTION_BYTES)
        return 0;
    memory_file file = memory_file_open(at + N_OPTION_BYTES, n_bytes - N_OPTION_BYTES);
    char listed[sizeof file.path + 24];
    snprintf(listed, sizeof listed, "--vertices-from=%s", file.path);
    const char *const given[] = {"load",
                                 "--ids=string",
                                 "--from=el",
                                 "--checksum",
                                 separators[at[0] & 7],
                                 columns[at[0] >> 3 & 7],
                                 weights[at[1] & 7],
                                 at[0] >> 6 & 1 ? "--header" : NULL,
                                 at[2] >> 3 & 1 ? "--on-error=skip" : NULL,
                                 at[2] >> 4 & 1 ? listed : NULL,
                                 file.path};
    char *words[MOST_WORDS];
    int n = 0;
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (given[i])
            words[n++] = (char *)(uintptr_t)given[i];
    outcome serial = {0}, parallel = {0};
    load(words, n, 1, 0, 0, &serial);
    load(words, n, 1 + at[4] % MOST_WORKERS, 1 + at[3], 1 + at[4] / MOST_WORKERS, &parallel);
    compare(&serial, &parallel);
    unload(&serial);
    unload(&parallel);
    memory_file_close(&file);
    return 0;
}
