/* relabel - vertices get new ids, and the list with them; labels remember the old ones.
 *
 * drop-isolated is the same with ids kept in their order: vertices without arcs go, the others close ranks.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/relabel.h"
#include "stages/cost.h"

#include "io/permutation.h"
#include "io/read.h"
#include "stages/options.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* An order is the inverse of new ids by old id. */
static em_status order_of_file(em_context *context, const char *path, const em_graph *graph, em_buffer *order,
                               em_error *error)
{
    const uint64_t n = graph->edges.n_vertices;
    em_buffer new_of_old = {0};
    em_status status = em_permutation_read(context, path, n, graph->labels.base, &new_of_old, error);
    if (status == EM_OK)
        status = em_buffer_allocate(context, order, n, graph->edges.id_bytes, error);
    for (uint64_t old = 0; old < n && status == EM_OK; old++)
        em_id_put(order->at, graph->edges.id_bytes, ((const uint64_t *)new_of_old.at)[old], old);
    em_buffer_free(&new_of_old);
    return status;
}

static em_status make_order(em_context *context, const em_relabel_options *relabel, const em_graph *graph,
                            em_buffer *order, em_error *error)
{
    switch (relabel->how) {
    case EM_RELABEL_DENSE:
        return em_order_dense(context, graph, order, error);
    case EM_RELABEL_FIRST:
        return em_order_first(context, graph, order, error);
    case EM_RELABEL_DEGREE:
        return em_order_degree(context, graph, false, order, error);
    case EM_RELABEL_DEGREE_ASC:
        return em_order_degree(context, graph, true, order, error);
    case EM_RELABEL_RANDOM:
        return em_order_random(context, graph, relabel->seed, order, error);
    case EM_RELABEL_BFS:
        return em_order_bfs(context, graph, relabel->start, order, error);
    case EM_RELABEL_RCM:
        return em_order_rcm(context, graph, order, error);
    default:
        return order_of_file(context, relabel->path, graph, order, error);
    }
}

static em_status run_relabel(em_run *run, const void *options, em_graph *graph, em_error *error)
{
    const em_relabel_options *const relabel = options;
    const uint64_t n_before = graph->edges.n_vertices;
    const bool drops = relabel->how == EM_RELABEL_DENSE || relabel->how == EM_RELABEL_FIRST;
    em_buffer order = {0};
    em_status status = EM_OK;
    em_run_phase(run, "order");
    if (drops && em_ids_are_sparse(graph))
        status = em_squeeze_ids(run->context, graph, error);
    else if (!drops)
        status = em_check_sparse_list(run->context, &graph->edges, error);
    if (status == EM_OK)
        status = make_order(run->context, relabel, graph, &order, error);
    em_run_phase(run, "new ids");
    if (status == EM_OK)
        status = em_relabel_by(run->context, graph, &order, error);
    em_buffer_free(&order);
    if (status == EM_OK && drops)
        em_run_tally(run, run->stage, "isolated vertices dropped", n_before - graph->edges.n_vertices);
    em_run_count(run, graph->edges.n_arcs, 2 * em_list_bytes(&graph->edges));
    return status;
}

static em_status prepare(em_run *run, const void *options, em_error *error)
{
    (void)run;
    const char *const path = ((const em_relabel_options *)options)->path;
    if (!path || strcmp(path, "-") == 0 || access(path, R_OK) == 0)
        return EM_OK;
    if (errno == ENOENT && !strchr(path, '/') && !strchr(path, '.')) /* rather a word misspelled */
        return em_fail(error, EM_ENVIRONMENT,
                       "%s: open: No such file or directory; ways to relabel are dense, first, degree, degree-asc, "
                       "random[:SEED], bfs and rcm",
                       path);
    return em_fail_errno(error, path, "open", errno);
}

static void free_options(em_context *context, void *options)
{
    em_free(context, options, sizeof(em_relabel_options));
}

static em_status parse_how(const char *word, em_relabel_options *relabel, em_error *error)
{
    static const char *const names[] = {"dense", "first", "degree", "degree-asc", "random", "bfs", "rcm"};
    for (int how = 0; how < EM_RELABEL_FILE; how++)
        if (strcmp(word, names[how]) == 0) {
            relabel->how = (em_relabel_how)how;
            return EM_OK;
        }
    if (strncmp(word, "random:", 7) == 0) {
        relabel->how = EM_RELABEL_RANDOM;
        return em_operand_number("relabel random: SEED", word + 7, 0, UINT64_MAX, &relabel->seed, error);
    }
    relabel->how = EM_RELABEL_FILE;
    relabel->path = word;
    return EM_OK;
}

static em_status parse(em_context *context, int argc, char **argv, void **options, em_error *error)
{
    static const em_word_option known[] = {{"--start", EM_WORD_VALUE}, {NULL, EM_WORD_FLAG}};
    const char *values[1] = {NULL}, *word = NULL;
    em_relabel_options relabel = {.seed = 1};
    em_status status = em_parse_words(argc, argv, known, values, &word, "HOW", error);
    if (status == EM_OK)
        status = parse_how(word, &relabel, error);
    if (status == EM_OK && values[0] && relabel.how != EM_RELABEL_BFS)
        status =
            em_point_at(error, values[0],
                        em_fail(error, EM_USAGE, "relabel: --start is where bfs begins, and %s begins nowhere", word));
    if (status == EM_OK && values[0])
        status = em_option_number("--start", values[0], 0, UINT64_MAX, &relabel.start, error);
    if (status == EM_OK)
        status = em_allocate(context, sizeof relabel, options, error);
    if (status == EM_OK)
        memcpy(*options, &relabel, sizeof relabel);
    return status;
}

const em_stage em_stage_relabel = {
    .abi = EM_STAGE_ABI,
    .name = "relabel",
    .summary = "give the vertices new ids",
    .usage = "relabel [--start=ID] dense|first|degree|degree-asc|random[:SEED]|bfs|rcm|FILE",
    .forms = {{.takes = EM_HAS_EDGES,
               .gives = EM_HAS_EDGES,
               .keeps = EM_HAS_POSITIONS | EM_UNIQUE | EM_NO_LOOPS | EM_SYMMETRIC}},
    .layouts = EM_FLAT,
    .parse = parse,
    .free_options = free_options,
    .estimate = em_estimate_relabel,
    .prepare = prepare,
    .run = {run_relabel, run_relabel, NULL},
};

static em_status parse_isolated(em_context *context, int argc, char **argv, void **options, em_error *error)
{
    em_status status = em_parse_words(argc, argv, NULL, NULL, NULL, NULL, error);
    if (status == EM_OK)
        status = em_allocate_zeroed(context, sizeof(em_relabel_options), options, error);
    return status;
}

const em_stage em_stage_drop_isolated = {
    .abi = EM_STAGE_ABI,
    .name = "drop-isolated",
    .summary = "drop the vertices without arcs; the others keep their order",
    .usage = "drop-isolated",
    .forms = {{.takes = EM_HAS_EDGES,
               .gives = EM_HAS_EDGES,
               .keeps = EM_HAS_POSITIONS | EM_SORTED | EM_UNIQUE | EM_NO_LOOPS | EM_SYMMETRIC}},
    .layouts = EM_FLAT,
    .parse = parse_isolated,
    .free_options = free_options,
    .estimate = em_estimate_relabel,
    .run = {run_relabel, run_relabel, NULL},
};
