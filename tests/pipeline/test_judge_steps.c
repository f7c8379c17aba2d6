/* test_judge_steps - edgemill-igraph repeats every step that convert and pipelines do to the arcs, by hand.
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

/* The judge on a CSR of these arcs; with unweighted inputs kind is PLAIN. */
static void expect_graph(const char *words, uint64_t n, const struct judge_arc *arcs, uint64_t n_arcs, int kind)
{
    struct judge_csr graph;
    char line[512];
    judge_fixture(&graph, n, arcs, n_arcs, kind, false);
    graph.has_positions = true;
    judge_put_csr("out.csr", &graph);
    snprintf(line, sizeof line, "%s out.csr in.el", words);
    expect(0, line, "igraph agrees");
}

/* --- by hand -------------------------------------------------------------------------------------- */

static void filters_by_any_expression(void **state)
{
    (void)state;
    judge_put_text("in.el", "0 1 2\n1 1 3\n3 0 5\n0 2 -7\n2 3 9\n");
    static const struct judge_arc arcs[] = {
        {0, 1, 2, 0}, {1, 1, 3, 1}, {3, 0, 5, 2}, {0, 2, (uint64_t)-7, 3}, {2, 3, 9, 4}};
    static const struct {
        const char *text;
        unsigned kept; /* bit i: arc i */
    } rows[] = {
        {"src<dst", 1 | 8 | 16},
        {"src<=dst", 1 | 2 | 8 | 16},
        {"src-dst<0&&weight>0", 1 | 16},
        {"!(src==dst)", 1 | 4 | 8 | 16},
        {"weight%2==-1", 8},
        {"weight/2==1", 1 | 2},
        {"weight/2.0==1.5", 2},
        {"degree(src)>1", 1 | 8},
        {"degree(dst)==1", 1 | 2 | 8 | 16},
        {"1+2*3==7", 31},
        {"2*(src+1)!=2", 2 | 4 | 16},
        {"src!=0&&6/src>2", 2 | 16},
        {"src==0||6/src<3", 1 | 4 | 8},
        {"-weight>=-2", 1 | 8},
        {"weight>1e0&&weight<.6e1", 1 | 2 | 4},
        {"-9223372036854775808<src", 31},
        {"0.0/0>1||weight/0.0<0", 8},
        {"src!=0.0/0.0&&!(dst<=0/0.0)", 31},
        {"--src==1", 2},
        {"0", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct judge_arc kept[5];
        char words[128];
        uint64_t n = 0;
        for (unsigned k = 0; k < 5; k++) {
            if (rows[i].kept >> k & 1)
                kept[n++] = arcs[k];
        }
        snprintf(words, sizeof words, "--filter=%s", rows[i].text);
        expect_graph(words, 4, kept, n, I64);
    }
    expect(3, "--filter=6/src>2 out.csr in.el", "division by zero at input arc 0, 0 -> 1");
    expect(3, "--filter=9223372036854775807+dst>0 out.csr in.el", "overflow at input arc 0");
    expect(3, "--filter=weight>1 --weights=none out.csr in.el", "the input has none");
    expect(2, "--filter=src+ out.csr in.el", "column 5");
    expect(2, "--filter=(src<dst out.csr in.el", "column 9");
    expect(2, "--filter=src<dst) out.csr in.el", "column 8");
    expect(2, "--filter=9223372036854775808>src out.csr in.el", "too large");
}

static void compares_integers_with_floats_exactly(void **state)
{
    (void)state;
    judge_put_text("in.el", "0 1 9007199254740993\n1 2 9007199254740992\n");
    static const struct judge_arc arcs[] = {{0, 1, 9007199254740993, 0}};
    expect_graph("--filter=weight>9007199254740992.0", 3, arcs, 1, I64);
    expect_graph("--filter=weight!=9007199254740992.0", 3, arcs, 1, I64);
    expect_graph("--filter=weight<9.3e18&&weight>-1e300&&weight>9007199254740992.0", 3, arcs, 1, I64);
}

static void keeps_vertices_but_not_arcs_outside_a_list_or_below_a_degree(void **state)
{
    (void)state;
    judge_put_text("in.el", "0 1\n0 2\n1 2\n2 2\n2 0\n4 0\n");
    judge_put_text("list.txt", "# ids\n0\n2\n\n7\n");
    static const struct judge_arc listed[] = {{0, 2, 0, 1}, {2, 2, 0, 3}, {2, 0, 0, 4}};
    expect_graph("--among=list.txt", 5, listed, 3, PLAIN);
    expect_graph("--among=list.txt --relabel=dense", 2,
                 (const struct judge_arc[]){{0, 1, 0, 1}, {1, 1, 0, 3}, {1, 0, 0, 4}}, 3, PLAIN);
    expect_graph("--min-degree=2", 5, listed, 3, PLAIN); /* 1 and 4 have one out-arc each */
    expect_graph("--min-degree=0 --head=2", 5, (const struct judge_arc[]){{0, 1, 0, 0}, {0, 2, 0, 1}}, 2, PLAIN);
    expect(4, "--among=none.txt out.csr in.el", "No such file");
    expect(4, "--min-degree=2 --memory=700 out.csr in.el", "needs the whole graph");
    expect_graph("--among=list.txt", 5, listed, 3, PLAIN);
    expect(0, "--among=list.txt --memory=1000 out.csr in.el", "judged in");
}

static void folds_weights_in_their_own_type(void **state)
{
    (void)state;
    judge_put_text("in.el", "0 1 3\n1 0 4\n0 1 4\n");
    expect_graph("--dedup=mean", 2,
                 (const struct judge_arc[]){{0, 1, judge_f64_bits(3.5), 0}, {1, 0, judge_f64_bits(4), 1}}, 2, F64);
    expect_graph("--dedup=count", 2, (const struct judge_arc[]){{0, 1, 2, 0}, {1, 0, 1, 1}}, 2, I64);
    expect_graph("--dedup=mean --weights=f32", 2,
                 (const struct judge_arc[]){{0, 1, judge_f32_bits(3.5F), 0}, {1, 0, judge_f32_bits(4), 1}}, 2, F32);
    judge_put_text("in.el", "0 1 9223372036854775807\n0 1 1\n");
    expect(3, "--dedup=sum out.csr in.el", "overflows i64");
    expect_graph("--dedup=mean", 2, (const struct judge_arc[]){{0, 1, judge_f64_bits(0x1p62), 0}}, 1, F64);
    judge_put_text("in.el", "0 1 1.7e308\n0 1 1.7e308\n");
    expect(3, "--dedup=sum out.csr in.el", "overflows f64");
    judge_put_text("in.el", "0 1 3e38\n0 1 3e38\n");
    expect(3, "--dedup=sum --weights=f32 out.csr in.el", "overflows f32");
    expect(1, "--dedup=max --weights=f32 out.csr in.el", NULL);
}

static void judges_maps_and_edge_ids(void **state)
{
    (void)state;
    judge_put_text("in.el", "70 40\n40 90\n");
    static const struct judge_arc first[] = {{0, 1, 0, 0}, {1, 2, 0, 1}}, dense[] = {{1, 0, 0, 0}, {0, 2, 0, 1}};
    judge_put_text("map", "0\t70\n1\t40\n2\t90\n");
    judge_put_text("ids", "0\n1\n");
    expect_graph("--relabel=first --map=map --edge-ids=ids", 3, first, 2, PLAIN);
    expect_graph("--relabel=first --transpose", 3, (const struct judge_arc[]){{1, 0, 0, 0}, {2, 1, 0, 1}}, 2, PLAIN);
    expect_graph("--relabel=dense", 3, dense, 2, PLAIN);
    expect(1, "--relabel=dense --map=map out.csr in.el", "map:1: \"0\t70\", igraph has \"0\t40\"");
    expect(1, "--relabel=dense --edge-ids=ids out.csr in.el", "is arc 0 among the edge ids, igraph has 1");
    judge_put_text("map", "0\t40\n1\t70\n");
    expect(1, "--relabel=dense --map=map out.csr in.el", "map: 2 lines, igraph has 3 vertices");
    judge_put_text("ids", "1\n0\n2\n");
    expect(1, "--relabel=dense --edge-ids=ids out.csr in.el", "ids: 3 numbers, the file has 2 arcs");
    judge_put_text("ids", "1\nx\n");
    expect(1, "--relabel=dense --edge-ids=ids out.csr in.el", "ids:2: no number");
    judge_put_text("list.txt", "40\n70\n90\n80\n80\n");
    judge_put_text("map", "0\t40\n1\t70\n2\t80\n3\t90\n");
    expect_graph("--vertices-from=list.txt --relabel=dense --map=map", 4,
                 (const struct judge_arc[]){{1, 0, 0, 0}, {0, 3, 0, 1}}, 2, PLAIN);
    judge_put_text("map", "0\t70\n1\t40\n2\t90\n3\t80\n");
    expect_graph("--vertices-from=list.txt --relabel=first --map=map", 4, first, 2, PLAIN);
}

/* n is past every memory, and nobody needs it. */
static void judges_sparse_ids_where_relabeling_drops_the_others(void **state)
{
    (void)state;
    judge_put_text("in.el", "900000000000 5 1\n5 5 2\n7 900000000000 3\n9223372036854775806 7 4\n");
    judge_put_text("list.txt", "5\n900000000000\n");
    judge_put_text("map", "0\t5\n1\t7\n2\t900000000000\n3\t9223372036854775806\n");
    expect_graph("--relabel=dense --map=map", 4,
                 (const struct judge_arc[]){{2, 0, 1, 0}, {0, 0, 2, 1}, {1, 2, 3, 2}, {3, 1, 4, 3}}, 4, I64);
    expect(4, "out.csr in.el", "vertices alone need");
    judge_put_text("map", "0\t5\n1\t900000000000\n");
    expect_graph("--relabel=dense --map=map --among=list.txt", 2,
                 (const struct judge_arc[]){{1, 0, 1, 0}, {0, 0, 2, 1}}, 2, I64);
    judge_put_text("map", "0\t900000000000\n1\t5\n");
    expect_graph("--relabel=first --map=map --filter=src!=7&&src<9223372036854775806", 2,
                 (const struct judge_arc[]){{0, 1, 1, 0}, {1, 1, 2, 1}}, 2, I64);
    judge_put_text("in.el", "900000000000 5 1\n");
    judge_put_text("list.txt", "5\n900000000000\n77\n");
    judge_put_text("map", "0\t5\n1\t77\n2\t900000000000\n");
    expect_graph("--relabel=dense --map=map --vertices-from=list.txt", 3, (const struct judge_arc[]){{2, 0, 1, 0}}, 1,
                 I64);
}

static void samples_by_the_number_of_the_arc(void **state)
{
    (void)state;
    struct judge_arc kept[200];
    uint64_t n = 0;
    char text[4096] = "";
    for (uint64_t i = 0; i < 200; i++) {
        uint64_t word[2] = {0}; /* the stream's start, then the arc's word */
        for (int k = 0; k < 2; k++) {
            uint64_t z = k ? word[0] + (i + 1) * UINT64_C(0x9E3779B97F4A7C15) : 5;
            z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
            z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
            word[k] = z ^ z >> 31;
        }
        snprintf(text + strlen(text), sizeof text - strlen(text), "%d 1\n", (int)i);
        if (word[1] < UINT64_MAX / 4 * 3)
            kept[n++] = (struct judge_arc){i, 1, 0, i};
    }
    judge_put_text("in.el", text);
    assert_in_range(n, 120, 180);
    expect_graph("--sample=.75:5", 200, kept, n, PLAIN);
    expect(0, "--sample=.75:5 --memory=99999 out.csr in.el", NULL);
    expect(2, "--sample=1.5 out.csr in.el", "P or P:SEED");
}

static void reads_permutations_as_lists_and_as_maps(void **state)
{
    (void)state;
    judge_put_text("in.el", "0 1\n1 2\n");
    static const struct judge_arc moved[] = {{2, 0, 0, 0}, {0, 1, 0, 1}};
    judge_put_text("list.txt", "2\n0\n1\n");
    expect_graph("--relabel=list.txt", 3, moved, 2, PLAIN);
    judge_put_text("list.txt", "1\t2\n0\t1\n2\t0\n");
    expect_graph("--relabel=list.txt", 3, moved, 2, PLAIN);
    judge_put_text("list.txt", "1\n0\n1\n");
    expect(3, "--relabel=list.txt out.csr in.el", "list.txt:3: a vertex a second time");
    judge_put_text("list.txt", "1\n0\n3\n");
    expect(3, "--relabel=list.txt out.csr in.el", "list.txt:3: past the vertices");
    judge_put_text("list.txt", "1\n0\n");
    expect(3, "--relabel=list.txt out.csr in.el", "2 vertices, the graph has 3");
    judge_put_text("list.txt", "1 0\n0\n2 1\n");
    expect(3, "--relabel=list.txt out.csr in.el", "list.txt:2: another number of columns");
    judge_put_text("list.txt", "1\n0\nx\n");
    expect(3, "--relabel=list.txt out.csr in.el", "list.txt:3: no number");
}

static void numbers_labels_by_first_appearance(void **state)
{
    (void)state;
    judge_put_text("in.el", "# names\n007 7\n7 08\n# 7\n");
    judge_put_text("map", "0\t007\n1\t7\n2\t08\n3\t#\n");
    static const struct judge_arc arcs[] = {{0, 1, 0, 0}, {1, 2, 0, 1}, {3, 1, 0, 2}};
    expect_graph("--ids=string --map=map", 4, arcs, 3, PLAIN);
    judge_put_text("in.el", "\"a \"\"b\\\";n2\n n2 ; c\td;4\n");
    judge_put_text("map", "0\ta \"b\\\\\n1\tn2\n2\tc\\td\n");
    expect_graph("--ids=string --map=map --separator=;", 3, (const struct judge_arc[]){{0, 1, 0, 0}, {1, 2, 0, 1}}, 2,
                 PLAIN);
    judge_put_text("list.txt", "n2\n\"c\td\"\nz\n\"a \"\"b\\\"\n");
    judge_put_text("map", "0\tn2\n1\tc\\td\n2\tz\n3\ta \"b\\\\\n");
    expect_graph("--ids=string --map=map --separator=; --vertices-from=list.txt", 4,
                 (const struct judge_arc[]){{3, 0, 0, 0}, {0, 1, 0, 1}}, 2, PLAIN);
    expect_graph("--ids=string --map=map --separator=; --vertices-from=list.txt --relabel=dense", 4,
                 (const struct judge_arc[]){{3, 0, 0, 0}, {0, 1, 0, 1}}, 2, PLAIN);
    judge_put_text("list.txt", "n2\nz\n");
    expect(3, "--ids=string --separator=; --vertices-from=list.txt out.csr in.el", "label not in");
    judge_put_text("in.el", "a;\n");
    expect(3, "--ids=string --separator=; out.csr in.el", "in.el:1: a label is empty");
    judge_put_text("in.el", "\"a\"b;c\n");
    expect(3, "--ids=string --separator=; out.csr in.el", "in.el:1: text behind a closing quote");
    expect(2, "--ids=string --base=1 out.csr in.el", "--base and --vertices");
    /* a malformed line names nothing */
    judge_put_text("in.el", "a b 1\nc d x\ne a 2\n");
    judge_put_text("map", "0\ta\n1\tb\n2\te\n");
    expect_graph("--ids=string --on-error=skip --map=map", 3, (const struct judge_arc[]){{0, 1, 1, 0}, {2, 0, 2, 1}}, 2,
                 I64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filters_by_any_expression),
        cmocka_unit_test(compares_integers_with_floats_exactly),
        cmocka_unit_test(keeps_vertices_but_not_arcs_outside_a_list_or_below_a_degree),
        cmocka_unit_test(folds_weights_in_their_own_type),
        cmocka_unit_test(judges_maps_and_edge_ids),
        cmocka_unit_test(judges_sparse_ids_where_relabeling_drops_the_others),
        cmocka_unit_test(samples_by_the_number_of_the_arc),
        cmocka_unit_test(reads_permutations_as_lists_and_as_maps),
        cmocka_unit_test(numbers_labels_by_first_appearance),
    };
    return judge_run_tests(tests, sizeof tests / sizeof *tests);
}
