/* support - see support.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];
static char files[32][128];
static int n_files;

const char *support_file(const char *name, const void *bytes, size_t n_bytes)
{
    if (!*folder) {
        strcpy(folder, "/tmp/edgemill-test-XXXXXX");
        assert_non_null(mkdtemp(folder));
    }
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int slot = 0;
    while (slot < n_files && strcmp(files[slot], path) != 0)
        slot++;
    assert_true(slot < 32);
    if (slot == n_files)
        strcpy(files[n_files++], path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n_bytes, file), n_bytes);
    assert_int_equal(fclose(file), 0);
    return files[slot];
}

int support_tear_down(void **state)
{
    (void)state;
    for (int i = 0; i < n_files; i++)
        unlink(files[i]);
    if (*folder)
        rmdir(folder);
    n_files = 0;
    *folder = 0;
    return 0;
}

static em_status add_all(em_pipeline *pipeline, const support_load *load, em_error *error)
{
    static char *const rest[][1] = {{"degrees"}, {"offsets"}, {"scatter"}, {"sort"}};
    char *words[20] = {"load"};
    int n = 1;
    for (int i = 0; load->options[i]; i++)
        words[n++] = (char *)(uintptr_t)load->options[i];
    words[n++] = "--";
    for (int i = 0; load->paths[i]; i++)
        words[n++] = (char *)(uintptr_t)load->paths[i];
    em_status status = em_pipeline_add(pipeline, n, words, error);
    for (int i = 0; i < 3 + load->sorted && status == EM_OK; i++)
        status = em_pipeline_add(pipeline, 1, (char **)(uintptr_t)rest[i], error);
    return status;
}

support_result support_run(const support_load *load)
{
    support_result result = {0};
    em_pipeline *pipeline = NULL;
    assert_int_equal(em_context_create(&load->context, &result.context, &result.error), EM_OK);
    result.status = em_pipeline_create(result.context, &pipeline, &result.error);
    if (result.status == EM_OK)
        result.status = add_all(pipeline, load, &result.error);
    const em_run_options options = {.unfused = load->unfused};
    if (result.status == EM_OK)
        result.status =
            em_pipeline_run(pipeline, &options, &result.graph, &result.report, &result.profile, &result.error);
    em_pipeline_free(pipeline);
    return result;
}

void support_free(support_result *result)
{
    em_graph_free(&result->graph);
    assert_int_equal(em_context_memory(result->context).current_bytes, 0);
    em_context_free(result->context);
}

static double weight_at(const em_csr *csr, uint64_t index)
{
    switch (csr->weight_kind) {
    case EM_WEIGHT_I32:
        return ((const int32_t *)csr->weights.at)[index];
    case EM_WEIGHT_I64:
        return (double)((const int64_t *)csr->weights.at)[index];
    case EM_WEIGHT_F32:
        return (double)((const float *)csr->weights.at)[index];
    case EM_WEIGHT_F64:
        return ((const double *)csr->weights.at)[index];
    default:
        return 1;
    }
}

void assert_graph_equals(const em_csr *csr, const ref_graph *expected)
{
    assert_int_equal(csr->n_vertices, expected->n_vertices);
    assert_int_equal(csr->n_arcs, expected->n_arcs);
    for (uint64_t i = 0; i <= csr->n_vertices; i++)
        assert_int_equal(((const uint64_t *)csr->offsets.at)[i], expected->offsets[i]);
    for (uint64_t i = 0; i < csr->n_arcs; i++) {
        assert_int_equal(em_id_at(csr->targets.at, csr->id_bytes, i), expected->targets[i]);
        const double weight = weight_at(csr, i);
        assert_memory_equal(&weight, &expected->weights[i], sizeof weight);
    }
}
