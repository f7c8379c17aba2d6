/* test_judge_input - the judge reads every input as convert must, and cleans as convert will.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support_judge.h"

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

/* 0 -> 1, 1 -> 2 among three vertices, with weights 7 and 9 where there are some. */
static void write_path_graph(int kind)
{
    struct judge_csr graph = {.n = 3, .m = 2, .offsets = {0, 1, 2, 2}, .targets = {1, 2}, .kind = kind};
    graph.weights[0] = kind == F32 ? judge_f32_bits(7) : kind == F64 ? judge_f64_bits(7) : 7;
    graph.weights[1] = kind == F32 ? judge_f32_bits(9) : kind == F64 ? judge_f64_bits(9) : 9;
    judge_put_csr("out.csr", &graph);
}

static void reads_text_in_all_its_spellings(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
        int kind, status;
        const char *says;
    } cases[] = {
        {"0 1\n1 2\n", "", PLAIN, 0, "read by igraph_read_graph_edgelist"},
        {"0\t1\n 1  2", "", PLAIN, 0, "read by igraph_read_graph_edgelist"},
        {"0 1\r\n1 2\r\n", "", PLAIN, 0, "own reader"},
        {"\xef\xbb\xbf"
         "0 1\n1 2\n",
         "", PLAIN, 0, "own reader"},
        {"# c\n0 1\n% c\n\n  // c\n1 2\n \n", "", PLAIN, 0, "own reader"},
        {"0 1 \n1 2 x y\n", "", PLAIN, 0, "own reader"},
        {"!c\n0 1\n1 2\n", "--comment=!", PLAIN, 0, NULL},
        {"#c\n0 1\n1 2\n", "--comment=!", PLAIN, 3, "in.el:1: fewer than two ids: #c"},
        {"0,1\n1 , 2\n", "", PLAIN, 0, NULL},
        {"0;1;\n1;2;\n", "", PLAIN, 0, NULL},
        {"0|1\n1|2\n", "", PLAIN, 0, NULL},
        {"0:1\n1:2\n", "--separator=:", PLAIN, 0, NULL},
        {"0\t 1\n1\t2\n", "--separator=tab", PLAIN, 0, NULL},
        {"0,1\n1 2\n", "", PLAIN, 3, "in.el:2:"},
        {"0 1\n1,2\n", "", PLAIN, 3, "in.el:2:"},
        {"\"0\",\"1\"\n1,\"2\",\"a \"\"b\"\", c\"\n", "", PLAIN, 0, NULL},
        {"0,\"1\n1,2\n", "", PLAIN, 3, "in.el:1: a quote"},
        {"source,target\n0,1\n1,2\n", "--header", PLAIN, 0, NULL},
        {"source,target\n0,1\n1,2\n", "", PLAIN, 3, "in.el:1: an id is no number"},
        {"a,b\nc,d\n0,1\n1,2\n", "--header=2", PLAIN, 0, NULL},
        {"w,to,from\n7,1,0\n9,2,1\n", "--header --columns=from,to,w", I64, 0, NULL},
        {"w,to,from\n7,1,0\n9,2,1\n", "--header --columns=from,to", PLAIN, 0, NULL},
        {"7,1,0\n9,2,1\n", "--columns=3,2,1", I64, 0, NULL},
        {"w,to,from\n7,1,0\n", "--header --columns=from,too", PLAIN, 2, "no column too"},
        {"1 2\n2 3\n", "--base=1", PLAIN, 0, NULL},
        {"0 1\n2 3\n", "--base=1", PLAIN, 3, "in.el:1:"},
        {"0 1 7\n1 2 9\n", "", I64, 0, "weights i64"},
        {"0 1 +7\n1 2 09\n", "", I64, 0, NULL},
        {"0 1 7\n1 2 9.0\n", "", F64, 0, "weights f64"},
        {"0 1 7e0\n1 2 9\n", "", F64, 0, NULL},
        {"0 1 7\n1 2 9\n", "--weights=none", PLAIN, 0, NULL},
        {"0 1 7\n1 2 9\n", "--weights=i32", I32, 0, NULL},
        {"0 1 7\n1 2 9\n", "--weights=f32", F32, 0, NULL},
        {"0 1 7\n1 2 9\n", "--weights=f64", F64, 0, NULL},
        {"0 1 7.5\n1 2 9\n", "--weights=i64", I64, 3, "in.el:1: weight is no integer"},
        {"0 1 7\n1 2\n", "", I64, 3, "in.el:2: weight missing"},
        {"0 1\n1 2\n", "--weights=i64", I64, 3, "in.el:1: weight missing"},
        {"0 1 7\n1 2 nan\n", "", I64, 3, "in.el:2: weight is not finite"},
        {"0 1 7\n1 2 0x9\n", "", I64, 3, "in.el:2: weight is no number"},
        {"0 1 7\n1 2 1e999\n", "", I64, 3, "in.el:2: weight too large"},
        {"0 1 7\n1 2 9223372036854775808\n", "", I64, 3, "in.el:2: integer weight wider than i64"},
        {"0 1\n1\n1 2\n", "", PLAIN, 3, "in.el:2: fewer than two ids"},
        {"0 1\n1 -2\n", "", PLAIN, 3, "in.el:2: negative id"},
        {"0 1\n1 9223372036854775807\n", "", PLAIN, 3, "in.el:2: id too large"},
        {"0 1\n1 99999999999999999999999\n", "", PLAIN, 3, "in.el:2: id too large"},
        {"0 1\nx y\n1\n1 2\n-1 2\n", "--on-error=skip", PLAIN, 0, "3 malformed lines skipped"},
        {"0 1\n1 2\n2 3\n", "--vertices=3", PLAIN, 3, "in.el:3: id outside --vertices"},
        {"0 1\n1 2\n2 3\n", "--vertices=3 --on-error=skip", PLAIN, 0, "1 malformed"},
        {"\xff\xfe"
         "0",
         "", PLAIN, 3, "UTF-16"},
        /* igraph alone would pair these to 0 -> 1 and 1 -> 2 */
        {"0\n1 1\n2\n", "", PLAIN, 3, "in.el:1: fewer than two ids"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char words[128];
        write_path_graph(cases[i].kind);
        judge_put_text("in.el", cases[i].text);
        snprintf(words, sizeof words, "%s out.csr in.el", cases[i].words);
        expect(cases[i].status, words, cases[i].says);
    }
    write_path_graph(PLAIN);
    judge_put("in.el", "0 1\n1 2\n\0", 9);
    expect(3, "out.csr in.el", "in.el:3: NUL byte");
}

static void reads_several_inputs_as_one_list(void **state)
{
    (void)state;
    write_path_graph(PLAIN);
    judge_put_text("a.el", "0 1");
    judge_put_text("b.csv", "1,2\n");
    judge_put_text("w.el", "1 2 3\n");
    judge_put_text("none.el", "# nothing\n");
    expect(0, "out.csr a.el none.el b.csv", NULL);
    expect(1, "out.csr a.el", "n: 3 vertices, igraph has 2");
    expect(3, "out.csr a.el w.el", "w.el: has weights");
    write_path_graph(F64);
    judge_put_text("a.el", "0 1 7");
    judge_put_text("b.csv", "1,2,9.0\n");
    expect(0, "out.csr a.el b.csv", "weights f64");
    judge_put_npz(
        "f32.npz",
        &(struct judge_csr){.n = 2, .m = 1, .offsets = {0, 1, 1}, .targets = {1}, .weights = {0x40e00000}, .kind = F32},
        false);
    expect(0, "out.csr f32.npz b.csv", "weights f64"); /* several inputs: all floats become f64 */
    expect(3, "--weights=i64 out.csr f32.npz", "a weight of type f32 is no i64");
    judge_put_text("ids", "2\n\"0\" comment\n# c\n1\r\n");
    expect(0, "--vertices-from=ids out.csr a.el b.csv", NULL);
    judge_put_text("ids", "2\n1\n");
    expect(3, "--vertices-from=ids out.csr a.el b.csv", "a.el:1: id not in --vertices-from");
}

static void reads_the_binary_formats_and_matrix_market(void **state)
{
    (void)state;
    static const unsigned char narrow[] = {0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0};
    static const unsigned char wide[32] = {[8] = 1, [16] = 1, [24] = 2};
    write_path_graph(PLAIN);
    judge_put("in", narrow, sizeof narrow);
    expect(0, "--from=u32 out.csr in", NULL);
    judge_put("in", narrow, sizeof narrow - 3);
    expect(3, "--from=u32 out.csr in", "last record is cut");
    judge_put("in", wide, sizeof wide);
    expect(0, "--from=u64 out.csr in", NULL);
    judge_put("in.u64", wide, sizeof wide);
    expect(0, "out.csr in.u64", NULL);
    judge_put("in.U32", narrow, sizeof narrow);
    expect(0, "out.csr in.U32", NULL);
    expect(0, "out.csr out.csr", NULL);
    judge_put_text("in", "%%MatrixMarket matrix coordinate pattern general\n% c\n3 3 2\n1 2\n2 3\n");
    expect(0, "out.csr in", NULL);
    judge_put_text("in", "%%MatrixMarket matrix coordinate pattern general\n3 3 3\n1 2\n2 3\n");
    expect(3, "out.csr in", "fewer entries");
    struct judge_csr graph;
    const struct judge_arc skew[] = {{1, 0, 5, 0}, {0, 1, (uint64_t)-5, 0}, {2, 2, 1, 0}};
    judge_fixture(&graph, 3, skew, 2, I64, false);
    judge_put_csr("out.csr", &graph);
    judge_put_text("in", "%%MatrixMarket matrix coordinate integer skew-symmetric\n3 3 1\n2 1 5\n");
    expect(0, "out.csr in", NULL);
    judge_put_npz("in.npz", &graph, false);
    expect(0, "out.csr in.npz", NULL);
}

/* A coo is a list in its order, a csc its transpose, column by column. */
static void reads_what_scipy_writes(void **state)
{
    (void)state;
    static const char program[] = "import scipy.sparse as s\n"
                                  "m = s.coo_matrix(([5, 3, 9], ([2, 0, 1], [1, 2, 2])), (3, 3))\n"
                                  "s.save_npz('coo.npz', m)\n"
                                  "s.save_npz('csc.npz', m.T.tocsc())\n";
    judge_put_text("made.py", program);
    if (system("/usr/bin/python3 made.py 2>made.log") != 0)
        skip();
    struct judge_csr graph;
    const struct judge_arc listed[] = {{2, 1, 5, 0}, {0, 2, 3, 1}, {1, 2, 9, 2}};
    judge_fixture(&graph, 3, listed, 3, I64, false);
    graph.has_positions = true;
    judge_put_csr("out.csr", &graph);
    expect(0, "out.csr coo.npz", NULL);
    const struct judge_arc rows[] = {{2, 1, 5, 2}, {0, 2, 3, 0}, {1, 2, 9, 1}};
    judge_fixture(&graph, 3, rows, 3, I64, false);
    graph.has_positions = true;
    judge_put_csr("out.csr", &graph);
    expect(0, "out.csr csc.npz", NULL);
    expect(1, "out.csr coo.npz", "is input arc");
}

/* --- cleaning ------------------------------------------------------------------------------------- */

static void cleans_by_hand(void **state)
{
    (void)state;
    struct judge_csr graph;
    judge_put_text("in.el", "1 0 5\n0 1 3\n2 2 9\n1 0 4\n");
    const struct judge_arc both[] = {{1, 0, 5, 0}, {0, 1, 5, 0}, {0, 1, 3, 1}, {1, 0, 3, 1},
                                     {2, 2, 9, 2}, {1, 0, 4, 3}, {0, 1, 4, 3}};
    judge_fixture(&graph, 3, both, 7, I64, false);
    graph.flags = MIRRORED | SORTED;
    judge_put_csr("out.csr", &graph);
    expect(0, "--symmetrize out.csr in.el", NULL);
    expect(1, "out.csr in.el", NULL);
    const struct judge_arc turned[] = {{0, 1, 5, 0}, {1, 0, 3, 1}, {2, 2, 9, 2}, {0, 1, 4, 3}};
    judge_fixture(&graph, 3, turned, 4, I64, false);
    judge_put_csr("out.csr", &graph);
    expect(0, "--transpose out.csr in.el", NULL);
    const struct judge_arc summed[] = {{0, 1, 12, 0}, {1, 0, 12, 0}};
    judge_fixture(&graph, 3, summed, 2, I64, false);
    graph.flags = MIRRORED | SORTED | UNIQUE | NO_LOOPS;
    judge_put_csr("out.csr", &graph);
    expect(0, "--symmetrize --dedup=sum --drop-loops out.csr in.el", "3 vertices, 2 arcs, 1 isolated");
    const struct judge_arc mean[] = {
        {0, 1, judge_f64_bits(3), 1}, {1, 0, judge_f64_bits(4.5), 0}, {2, 2, judge_f64_bits(9), 2}};
    judge_fixture(&graph, 3, mean, 3, F64, false);
    judge_put_csr("out.csr", &graph);
    expect(0, "--dedup=mean out.csr in.el", NULL);
    judge_put_text("in.el", "0 1 9223372036854775807\n0 1 1\n");
    expect(3, "--dedup=sum out.csr in.el", "overflows i64");
}

static uint64_t next_random(uint64_t *seed)
{
    uint64_t z = (*seed += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

/* Keeps the first of equal (source, target), with the weights folded; arcs are in input order. */
static uint64_t fold_duplicates(struct judge_arc *list, uint64_t n, int policy)
{
    uint64_t kept = 0;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t k = 0;
        while (k < kept && (list[k].source != list[i].source || list[k].target != list[i].target))
            k++;
        const int64_t old = (int64_t)list[k].weight, new = (int64_t)list[i].weight;
        if (k == kept)
            list[kept++] = list[i];
        else if (policy == 1 || (policy == 3 && new < old) || (policy == 4 && new > old))
            list[k].weight = list[i].weight;
        else if (policy == 2)
            list[k].weight += list[i].weight;
    }
    return kept;
}

static void agrees_with_a_naive_reference_on_random_graphs(void **state)
{
    (void)state;
    static const char *const policies[] = {"first", "last", "sum", "min", "max"};
    uint64_t seed = 7;
    for (int round = 0; round < 150; round++) {
        struct judge_arc list[JUDGE_ARCS];
        struct judge_csr graph;
        char text[8192] = "", words[256] = "";
        const uint64_t n = 1 + next_random(&seed) % 9, m = 1 + next_random(&seed) % 60, choice = next_random(&seed);
        uint64_t kept = 0, largest = 0;
        for (uint64_t i = 0; i < m; i++) {
            struct judge_arc arc = {next_random(&seed) % n, next_random(&seed) % n, next_random(&seed) % 7 - 3, i};
            const uint64_t from = arc.source, to = arc.target;
            snprintf(text + strlen(text), sizeof text - strlen(text), "%d %d %d\n", (int)from, (int)to,
                     (int)arc.weight);
            largest = from > largest ? from : largest;
            largest = to > largest ? to : largest;
            if ((choice & 1) && from == to)
                continue;
            if (choice & 2)
                arc = (struct judge_arc){to, from, arc.weight, i};
            list[kept++] = arc;
            if ((choice & 4) && from != to)
                list[kept++] = (struct judge_arc){arc.target, arc.source, arc.weight, i};
        }
        const int policy = (int)((choice >> 8) % 5);
        if (choice & 8)
            kept = fold_duplicates(list, kept, policy);
        judge_fixture(&graph, largest + 1, list, kept, I64, choice & 16);
        judge_put_csr("out.csr", &graph);
        judge_put_text("in.el", text);
        snprintf(words, sizeof words, "%s%s%s%s%s%s%s out.csr in.el", choice & 1 ? " --drop-loops" : "",
                 choice & 2 ? " --transpose" : "", choice & 4 ? " --symmetrize" : "", choice & 8 ? " --dedup=" : "",
                 choice & 8 ? policies[policy] : "", choice & 16 ? " --order=input" : "",
                 choice & 32 ? " --memory=3000" : "");
        expect(0, words, "igraph agrees");
        if (kept == 0)
            continue;
        const uint64_t victim = choice % kept;
        if (choice & 64)
            graph.weights[victim] ^= 1;
        else
            graph.targets[victim] = (graph.targets[victim] + 1) % (largest + 2);
        judge_put_csr("out.csr", &graph);
        if (largest > 0 || (choice & 64))
            expect(1, words, NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_text_in_all_its_spellings),
        cmocka_unit_test(reads_several_inputs_as_one_list),
        cmocka_unit_test(reads_the_binary_formats_and_matrix_market),
        cmocka_unit_test(reads_what_scipy_writes),
        cmocka_unit_test(cleans_by_hand),
        cmocka_unit_test(agrees_with_a_naive_reference_on_random_graphs),
    };
    return judge_run_tests(tests, sizeof tests / sizeof *tests);
}
