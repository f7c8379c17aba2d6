/* among - keeps the arcs between vertices that a file lists, one a line.
 *
 * Ids are those of the list, with the base of the input; where vertices have names, the file has names. The number of
 * vertices stays.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/label_list.h"
#include "io/vertex_set.h"
#include "stages/cost.h"
#include "stages/options.h"
#include "stages/vertex_rule.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static const char dropped[] = "arcs to others dropped";

typedef struct among_options {
    const char *path;
    uint32_t base;
} among_options;

typedef struct among_state {
    em_vertex_set *set;
} among_state;

static em_status test(const void *state, uint32_t worker, const em_arcs *arcs, uint64_t *bits, em_error *error)
{
    const em_vertex_set *const set = ((const among_state *)state)->set;
    (void)worker;
    (void)error;
#define RULE(source, target) (em_vertex_set_has(set, source) && em_vertex_set_has(set, target))
    EM_KEEP_BITS(arcs, bits, RULE);
#undef RULE
    return EM_OK;
}

static void release(em_context *context, void *state)
{
    (void)context;
    em_vertex_set_free(((among_state *)state)->set);
}

/* A bit for each vertex whose label the table has. */
static em_status mark_named(em_label_table *table, const em_labels *labels, em_vertex_bits *bits, em_error *error)
{
    enum { QUERIES = 64 };
    em_label_query queries[QUERIES];
    const uint64_t *const ends = labels->ends.at;
    em_status status = EM_OK;
    for (uint64_t at = 0; at < bits->n_vertices && status == EM_OK; at += QUERIES) {
        const uint32_t n = (uint32_t)(bits->n_vertices - at < QUERIES ? bits->n_vertices - at : QUERIES);
        for (uint32_t i = 0; i < n; i++)
            queries[i] = (em_label_query){.at = (const char *)labels->text.at + ends[at + i],
                                          .n_bytes = ends[at + i + 1] - ends[at + i]};
        status = em_label_table_find(table, 0, queries, n, error);
        for (uint32_t i = 0; i < n && status == EM_OK; i++)
            if (queries[i].id != EM_LABEL_UNKNOWN)
                em_vertex_bits_set(bits, at + i);
    }
    return status;
}

static em_status open_named(em_run *run, const among_options *among, const em_graph *graph, em_step *step,
                            em_error *error)
{
    em_label_table *table = NULL;
    em_vertex_bits *bits = NULL;
    em_status status = em_label_table_open(run->context, &table, error);
    if (status == EM_OK)
        status = em_label_list_read(table, run->context, among->path, 0, error);
    if (status == EM_OK)
        status = em_vertex_bits_create(run->context, graph->edges.n_vertices, &bits, error);
    if (status == EM_OK)
        status = mark_named(table, &graph->labels, bits, error);
    em_label_table_free(table);
    if (status == EM_OK)
        return em_keep_among(run, dropped, bits, step, error);
    em_free(run->context, bits, bits ? bits->n_bytes : 0);
    return status;
}

static em_status step(em_run *run, const void *options, const em_graph *graph, em_step *step, em_error *error)
{
    const among_options *const among = options;
    if (graph && graph->labels.ends.at)
        return open_named(run, among, graph, step, error);
    em_keep_rule rule = {.test = test, .n_bytes = sizeof(among_state), .release = release};
    em_status status = em_allocate_zeroed(run->context, rule.n_bytes, &rule.state, error);
    if (status != EM_OK)
        return status;
    status = em_vertex_set_read(run->context, among->path, among->base, &((among_state *)rule.state)->set, error);
    if (status != EM_OK) {
        em_free(run->context, rule.state, rule.n_bytes);
        return status;
    }
    return em_keep_open(run, dropped, rule, step, error);
}

static em_status prepare(em_run *run, const void *options, em_error *error)
{
    (void)run;
    const char *const path = ((const among_options *)options)->path;
    return strcmp(path, "-") == 0 || access(path, R_OK) == 0 ? EM_OK : em_fail_errno(error, path, "open", errno);
}

static void free_options(em_context *context, void *options)
{
    em_free(context, options, sizeof(among_options));
}

static em_status parse(em_context *context, int argc, char **argv, void **options, em_error *error)
{
    static const em_word_option known[] = {{"--base", EM_WORD_VALUE}, {NULL, 0}};
    const char *values[1] = {NULL}, *path = NULL;
    uint64_t base = 0;
    em_status status = em_parse_words(argc, argv, known, values, &path, "FILE", error);
    if (status == EM_OK && values[0])
        status = em_option_number("--base", values[0], 0, 1, &base, error);
    if (status == EM_OK)
        status = em_allocate_zeroed(context, sizeof(among_options), options, error);
    if (status == EM_OK)
        *(among_options *)*options = (among_options){path, (uint32_t)base};
    return status;
}

const em_stage em_stage_among = {
    .abi = EM_STAGE_ABI,
    .name = "among",
    .summary = "keep the arcs between the vertices that a file lists",
    .usage = "among [--base=0|1] FILE",
    .forms = {{.takes = EM_HAS_EDGES,
               .gives = EM_HAS_EDGES,
               .keeps = EM_HAS_POSITIONS | EM_SORTED | EM_UNIQUE | EM_NO_LOOPS | EM_SYMMETRIC}},
    .layouts = EM_FLAT,
    .parse = parse,
    .free_options = free_options,
    .estimate = em_estimate_fewer,
    .prepare = prepare,
    .step = step,
};
