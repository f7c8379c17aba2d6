/* test_judge_chains - edgemill-igraph does chains of steps as a naive reference does them, and finds what was changed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support_judge_chain.h"
#include "tests/support_turns.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char printed[1 << 16];

static void expect(int status, const char *words, const char *says)
{
    const int got = judge_run(words, printed, sizeof printed);
    if (got != status || (says && !strstr(printed, says)))
        fail_msg("edgemill-igraph %s: exit %d, %d expected; \"%s\" expected in:\n%s", words, got, status,
                 says ? says : "", printed);
}

static void put_companions(const struct judge_chain *arcs, const struct judge_csr *graph)
{
    char map[1024] = "", ids[4096] = "";
    for (uint64_t v = 0; v < arcs->n; v++)
        snprintf(map + strlen(map), sizeof map - strlen(map), "%d\t%d\n", (int)v, (int)arcs->names[v]);
    for (uint64_t i = 0; i < graph->m; i++)
        snprintf(ids + strlen(ids), sizeof ids - strlen(ids), "%d\n", (int)graph->positions[i]);
    judge_put_text("map", map);
    judge_put_text("ids", ids);
}

/* One part of the answer changed. */
static void spoil(struct judge_chain *arcs, struct judge_csr *graph, char *words)
{
    const uint64_t victim = graph->m ? judge_below(graph->m) : 0;
    switch (judge_below(graph->m ? 5 : 1)) {
    case 0:
        arcs->names[judge_below(arcs->n)] += 100;
        put_companions(arcs, graph);
        return;
    case 1:
        graph->weights[victim] ^= 1;
        break;
    case 2:
        graph->targets[victim] = (graph->targets[victim] + 1) % (arcs->n + 1);
        break;
    case 3:
        graph->positions[victim] += 60;
        put_companions(arcs, graph);
        graph->positions[victim] -= 60;
        break;
    default:
        graph->positions[victim] += 60;
        strcat(words, " --edge-ids=ids"); /* the file is still right */
    }
    judge_put_csr("out.csr", graph);
}

static void agrees_with_a_naive_reference_on_random_chains(void **state)
{
    (void)state;
    int n_in_ranges = 0;
    judge_random_state = 11;
    const int n_rounds = (int)support_rounds(400);
    for (int round = 0; round < n_rounds; round++) {
        struct judge_chain arcs;
        struct judge_arc text[JUDGE_ARCS];
        struct judge_csr graph;
        char words[1024] = "", line[1200];
        bool permuted = false, listed = false, in_ranges = false;
        const bool as_typed = judge_below(2), input_order = judge_below(3) == 0;
        judge_random_arcs(&arcs, text);
        for (int kind = 0; kind < 12; kind++) {
            char word[128] = "";
            const int next = as_typed ? (int)judge_below(12) : kind;
            if (judge_below(as_typed ? 3 : 2) || (next == 5 && listed))
                continue;
            judge_do_step(&arcs, next, word, sizeof word);
            if (strstr(word, "permutation") && permuted)
                break; /* there is one file of the name */
            permuted |= strstr(word, "permutation") != NULL;
            listed |= next == 5;
            if (as_typed) {
                strcat(words, word);
            } else { /* in any order */
                snprintf(line, sizeof line, judge_below(2) ? "%s%s" : "%2$s%1$s", words, word);
                strcpy(words, line);
            }
            if (arcs.n == 0)
                break;
        }
        judge_fixture(&graph, arcs.n, arcs.at, arcs.m, arcs.kind, input_order);
        graph.has_positions = true;
        judge_put_csr("out.csr", &graph);
        put_companions(&arcs, &graph);
        if (as_typed)
            strcat(words, " --as-typed");
        if (input_order)
            strcat(words, " --order=input");
        strcat(words, " --map=map --edge-ids=ids");
        if (!as_typed && !strstr(words, "degree") && !strstr(words, "relabel") && !strstr(words, "component") &&
            !strstr(words, "head") && !strstr(words, "isolated")) {
            strcat(words, " --memory=4000");
            in_ranges = true;
        }
        snprintf(line, sizeof line, "%s out.csr in.el", words);
        expect(0, line, "igraph agrees");
        n_in_ranges += in_ranges && strstr(printed, "judged in");
        if (arcs.n == 0)
            continue;
        spoil(&arcs, &graph, words);
        snprintf(line, sizeof line, "%s out.csr in.el", words);
        expect(1, line, NULL);
    }
    assert_in_range(n_in_ranges, n_rounds < 400 ? 0 : 5, n_rounds / 2); /* some, and not only these */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_a_naive_reference_on_random_chains),
    };
    return judge_run_tests(tests, sizeof tests / sizeof *tests);
}
