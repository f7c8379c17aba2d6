/* dedup - every arc once: of those with the same source and target one stays, where the first one stood, with a weight
 * made of all of theirs.
 *
 * A list in order of (source, target) and rows ordered by target have equal arcs side by side and take one pass in
 * place (dedup_rows); a list in input order is looked through in the order of a sort of its numbers (dedup_list), and
 * rows in input order one by one. Parts are done by all workers and then closed up (dedup_parts).
 *
 * Held at once: the graph, and where the kind of weights changes (count, means of integers) the new weights beside the
 * old ones. A list in input order takes two records of 12 to 24 bytes an arc more.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/dedup.h"
#include "stages/cost.h"

#include "stages/options.h"

static const char *const policies[] = {"first", "last", "sum", "min", "max", "mean", "count", NULL};

static void free_options(em_context *context, void *options)
{
    em_free(context, options, sizeof(em_dedup_options));
}

static em_status parse(em_context *context, int argc, char **argv, void **options, em_error *error)
{
    static const em_word_option known[] = {{"--policy", EM_WORD_VALUE}, {NULL, EM_WORD_FLAG}};
    const char *values[1] = {NULL}, *word = NULL;
    uint32_t index = EM_DEDUP_FIRST;
    *options = NULL;
    em_status status = em_parse_words(argc, argv, known, values, &word, "[POLICY]", error);
    if (status == EM_OK && values[0] && word)
        status = em_point_at(error, word,
                             em_fail(error, EM_USAGE, "dedup takes one policy, not '%s' and '%s'", values[0], word));
    if (status == EM_OK && values[0])
        status = em_option_choice("dedup: --policy", values[0], policies, &index, error);
    else if (status == EM_OK && word)
        status = em_operand_choice("dedup", word, policies, &index, error);
    if (status == EM_OK)
        status = em_allocate(context, sizeof(em_dedup_options), options, error);
    if (status == EM_OK)
        *(em_dedup_options *)*options = (em_dedup_options){(em_dedup_policy)index};
    return status;
}

void em_dedup_tell(em_run *run, const em_dedup_found *found)
{
    em_run_tally(run, "dedup", "duplicates dropped", found->n_dropped);
    em_run_tally(run, "dedup", "groups whose weights differed", found->n_differing);
}

static em_status run_dedup(em_run *run, const void *options, em_graph *graph, em_error *error)
{
    const em_dedup_policy policy = ((const em_dedup_options *)options)->policy;
    const bool is_list = graph->facts & EM_HAS_EDGES, ordered = graph->facts & EM_SORTED;
    const em_csr *const csr = &graph->csr;
    const em_dedup_rule rule =
        em_dedup_rule_for(policy, (em_weight_kind)(is_list ? graph->edges.weight_kind : csr->weight_kind));
    const uint64_t n_arcs = is_list ? graph->edges.n_arcs : csr->n_arcs;
    const uint64_t n_bytes =
        is_list ? em_list_bytes(&graph->edges) : csr->targets.n_bytes + csr->weights.n_bytes + csr->positions.n_bytes;
    em_dedup_found found = {0};
    em_status status = EM_OK;
    const bool is_done = graph->facts & EM_UNIQUE && em_dedup_keeps_kind(&rule);
    em_run_count(run, n_arcs, is_done ? 0 : 2 * n_bytes);
    if (!is_done && is_list)
        status = em_dedup_list(run->context, &rule, ordered, &graph->edges, &found, error);
    else if (!is_done)
        status = em_dedup_csr(run->context, &rule, ordered, &graph->csr, &found, error);
    if (status == EM_OK)
        em_dedup_tell(run, &found);
    return status;
}

const em_stage em_stage_dedup = {
    .abi = EM_STAGE_ABI,
    .name = "dedup",
    .summary = "keep every arc once, with a weight made of all",
    .usage = "dedup [[--policy=]first|last|sum|min|max|mean|count]",
    .forms = {{.takes = EM_HAS_EDGES,
               .gives = EM_UNIQUE,
               .keeps = EM_HAS_EDGES | EM_HAS_POSITIONS | EM_SORTED | EM_NO_LOOPS | EM_SYMMETRIC},
              {.takes = EM_HAS_CSR,
               .gives = EM_UNIQUE,
               .keeps = EM_HAS_CSR | EM_HAS_POSITIONS | EM_SORTED | EM_NO_LOOPS | EM_SYMMETRIC}},
    .layouts = EM_FLAT,
    .parse = parse,
    .free_options = free_options,
    .estimate = em_estimate_dedup,
    .run = {run_dedup, run_dedup, NULL},
};
