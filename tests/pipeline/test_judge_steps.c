/* test_judge_steps - edgemill-igraph repeats every step that convert and pipelines do to the arcs, by hand and against
 * a naive reference that knows neither igraph nor the toolkit.
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

/* --- a naive reference ---------------------------------------------------------------------------- */

enum { V = 12 };

struct arcs {
    uint64_t n, m, names[V];
    struct judge_arc at[JUDGE_ARCS]; /* in input order */
    int kind;
    const struct judge_arc *text; /* what the file says, by position */
};

static uint64_t random_state;

static uint64_t below(uint64_t n)
{
    uint64_t z = (random_state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return (z ^ z >> 31) % n;
}

static uint64_t out_degree(const struct arcs *arcs, uint64_t v)
{
    uint64_t degree = 0;
    for (uint64_t i = 0; i < arcs->m; i++)
        degree += arcs->at[i].source == v;
    return degree;
}

static bool has_arc(const struct arcs *arcs, uint64_t v, uint64_t w)
{
    for (uint64_t i = 0; i < arcs->m; i++) {
        if (arcs->at[i].source == v && arcs->at[i].target == w)
            return true;
    }
    return false;
}

static bool are_neighbours(const struct arcs *arcs, uint64_t v, uint64_t w)
{
    return v != w && (has_arc(arcs, v, w) || has_arc(arcs, w, v));
}

static uint64_t n_neighbours(const struct arcs *arcs, uint64_t v)
{
    uint64_t n = 0;
    for (uint64_t w = 0; w < arcs->n; w++)
        n += are_neighbours(arcs, v, w);
    return n;
}

static void keep_where(struct arcs *arcs, const bool *kept)
{
    uint64_t m = 0;
    for (uint64_t i = 0; i < arcs->m; i++) {
        if (kept[i])
            arcs->at[m++] = arcs->at[i];
    }
    arcs->m = m;
}

static const char *const filters[] = {"src<dst", "(src+dst)%3!=0", "degree(src)>=degree(dst)", "weight>0||src==1",
                                      "src*weight<=2&&!(dst==0)"};

static bool holds(const struct arcs *arcs, uint64_t choice, const struct judge_arc *arc)
{
    const int64_t s = (int64_t)arc->source, t = (int64_t)arc->target;
    double weight = 0;
    if (arcs->kind == F64)
        memcpy(&weight, &arc->weight, sizeof weight);
    else
        weight = (double)(int64_t)arc->weight;
    switch (choice) {
    case 0:
        return s < t;
    case 1:
        return (s + t) % 3 != 0;
    case 2:
        return out_degree(arcs, arc->source) >= out_degree(arcs, arc->target);
    case 3:
        return weight > 0 || s == 1;
    default:
        return (double)s * weight <= 2 && t != 0;
    }
}

static void mirror(struct arcs *arcs)
{
    struct judge_arc all[JUDGE_ARCS] = {{0}};
    uint64_t m = 0;
    for (uint64_t i = 0; i < arcs->m; i++) {
        const struct judge_arc arc = arcs->at[i];
        all[m++] = arc;
        if (arc.source != arc.target)
            all[m++] = (struct judge_arc){arc.target, arc.source, arc.weight, arc.position};
    }
    memcpy(arcs->at, all, sizeof all);
    arcs->m = m;
}

static const char *const policies[] = {"first", "last", "sum", "min", "max", "mean", "count"};

static double fold(const double *weights, uint64_t n, uint64_t policy)
{
    double folded = policy == 1 ? weights[n - 1] : weights[0];
    for (uint64_t i = 1; i < n; i++) {
        if (policy == 2 || policy == 5)
            folded += weights[i];
        if ((policy == 3 && weights[i] < folded) || (policy == 4 && weights[i] > folded))
            folded = weights[i];
    }
    return policy == 5 ? folded / (double)n : policy == 6 ? (double)n : folded;
}

static void fold_duplicates(struct arcs *arcs, uint64_t policy)
{
    bool kept[JUDGE_ARCS];
    uint64_t folded[JUDGE_ARCS];
    const int kind = policy == 5 ? F64 : policy == 6 ? I64 : arcs->kind;
    for (uint64_t i = 0; i < arcs->m; i++) {
        double group[JUDGE_ARCS];
        uint64_t n = 0;
        kept[i] = true;
        for (uint64_t k = 0; k < arcs->m; k++) {
            if (arcs->at[k].source != arcs->at[i].source || arcs->at[k].target != arcs->at[i].target)
                continue;
            kept[i] &= k >= i;
            if (arcs->kind == F64)
                memcpy(&group[n++], &arcs->at[k].weight, sizeof(double));
            else
                group[n++] = (double)(int64_t)arcs->at[k].weight;
        }
        const double weight = fold(group, n, policy);
        folded[i] = kind == F64 ? judge_f64_bits(weight) : (uint64_t)(int64_t)weight;
    }
    for (uint64_t i = 0; i < arcs->m; i++)
        arcs->at[i].weight = folded[i];
    arcs->kind = kind;
    keep_where(arcs, kept);
}

/* Ends are renamed; UINT64_MAX: the vertex goes. */
static void rename_vertices(struct arcs *arcs, const uint64_t *new_ids, uint64_t n)
{
    uint64_t names[V] = {0};
    for (uint64_t v = 0; v < arcs->n; v++) {
        if (new_ids[v] != UINT64_MAX)
            names[new_ids[v]] = arcs->names[v];
    }
    memcpy(arcs->names, names, sizeof names);
    for (uint64_t i = 0; i < arcs->m; i++) {
        arcs->at[i].source = new_ids[arcs->at[i].source];
        arcs->at[i].target = new_ids[arcs->at[i].target];
    }
    arcs->n = n;
}

static void keep_largest_component(struct arcs *arcs)
{
    uint64_t root[V] = {0}, size[V] = {0}, best = 0;
    bool kept[JUDGE_ARCS];
    for (uint64_t v = 0; v < arcs->n; v++)
        root[v] = v;
    for (uint64_t round = 0; round < arcs->n; round++) { /* the smallest id spreads */
        for (uint64_t i = 0; i < arcs->m; i++) {
            uint64_t *a = &root[arcs->at[i].source], *b = &root[arcs->at[i].target];
            *a = *b = *a < *b ? *a : *b;
        }
    }
    for (uint64_t v = 0; v < arcs->n; v++)
        size[root[v]]++;
    for (uint64_t v = 1; v < arcs->n; v++)
        best = size[v] > size[best] ? v : best;
    for (uint64_t i = 0; i < arcs->m; i++)
        kept[i] = root[arcs->at[i].source] == best;
    keep_where(arcs, kept);
}

/* How far each vertex is, by relaxing every pair again and again; UINT64_MAX: not reached. The last level's number. */
static uint64_t distances(const struct arcs *arcs, uint64_t from, uint64_t *far)
{
    uint64_t last = 0;
    for (uint64_t v = 0; v < arcs->n; v++)
        far[v] = v == from ? 0 : UINT64_MAX;
    for (uint64_t round = 0; round < arcs->n; round++) {
        for (uint64_t v = 0; v < arcs->n; v++) {
            for (uint64_t w = 0; w < arcs->n; w++) {
                if (far[v] != UINT64_MAX && are_neighbours(arcs, v, w) && far[v] + 1 < far[w])
                    far[w] = far[v] + 1;
            }
        }
    }
    for (uint64_t v = 0; v < arcs->n; v++)
        last = far[v] != UINT64_MAX && far[v] > last ? far[v] : last;
    return last;
}

static uint64_t far_vertex(const struct arcs *arcs, uint64_t root)
{
    for (;;) {
        uint64_t far[V], candidate = UINT64_MAX;
        const uint64_t depth = distances(arcs, root, far);
        for (uint64_t v = 0; v < arcs->n; v++) {
            if (far[v] == depth && (candidate == UINT64_MAX || n_neighbours(arcs, v) < n_neighbours(arcs, candidate)))
                candidate = v;
        }
        if (distances(arcs, candidate, far) <= depth)
            return root;
        root = candidate;
    }
}

static void order_rcm(const struct arcs *arcs, uint64_t *new_ids)
{
    uint64_t order[V] = {0}, n = 0;
    bool placed[V] = {false};
    for (uint64_t v = 0; v < arcs->n; v++) {
        if (placed[v])
            continue;
        order[n++] = far_vertex(arcs, v);
        placed[order[n - 1]] = true;
        for (uint64_t at = n - 1; at < n; at++) {
            for (;;) {
                uint64_t next = UINT64_MAX;
                for (uint64_t w = 0; w < arcs->n; w++) {
                    if (!placed[w] && are_neighbours(arcs, order[at], w) &&
                        (next == UINT64_MAX || n_neighbours(arcs, w) < n_neighbours(arcs, next)))
                        next = w;
                }
                if (next == UINT64_MAX)
                    break;
                placed[next] = true;
                order[n++] = next;
            }
        }
    }
    for (uint64_t k = 0; k < n; k++)
        new_ids[order[k]] = n - 1 - k;
}

static void order_bfs(const struct arcs *arcs, uint64_t start, uint64_t *new_ids)
{
    uint64_t order[V] = {0}, n = 0;
    bool placed[V] = {false};
    for (uint64_t round = 0; round <= arcs->n; round++) {
        const uint64_t root = round ? round - 1 : start;
        if (root >= arcs->n || placed[root])
            continue;
        placed[root] = true;
        order[n++] = root;
        for (uint64_t at = n - 1; at < n; at++) {
            for (uint64_t w = 0; w < arcs->n; w++) {
                if (!placed[w] && has_arc(arcs, order[at], w)) {
                    placed[w] = true;
                    order[n++] = w;
                }
            }
        }
    }
    for (uint64_t k = 0; k < n; k++)
        new_ids[order[k]] = k;
}

static uint64_t mixed(uint64_t x)
{
    uint64_t z = x + UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

/* The rank of each vertex by (key, id). */
static void order_keys(const struct arcs *arcs, const uint64_t *keys, uint64_t *new_ids)
{
    for (uint64_t v = 0; v < arcs->n; v++) {
        new_ids[v] = 0;
        for (uint64_t w = 0; w < arcs->n; w++)
            new_ids[v] += keys[w] < keys[v] || (w < v && keys[w] == keys[v]);
    }
}

static void number_appearances(const struct arcs *arcs, bool by_text, uint64_t *new_ids, uint64_t *n)
{
    *n = 0;
    for (uint64_t v = 0; v < arcs->n; v++)
        new_ids[v] = UINT64_MAX;
    for (uint64_t position = 0; by_text && position < JUDGE_ARCS; position++) {
        bool left = false;
        for (uint64_t i = 0; i < arcs->m; i++)
            left |= arcs->at[i].position == position;
        for (int end = 0; left && end < 2; end++) {
            const uint64_t name = end ? arcs->text[position].target : arcs->text[position].source;
            for (uint64_t v = 0; v < arcs->n; v++) {
                if (arcs->names[v] == name && new_ids[v] == UINT64_MAX)
                    new_ids[v] = (*n)++;
            }
        }
    }
    for (uint64_t v = 0; !by_text && v < arcs->n; v++) {
        bool left = false;
        for (uint64_t i = 0; i < arcs->m; i++)
            left |= arcs->at[i].source == v || arcs->at[i].target == v;
        if (left)
            new_ids[v] = (*n)++;
    }
}

static void write_permutation(const struct arcs *arcs, uint64_t *new_ids)
{
    char text[1024] = "";
    const bool map = below(2);
    for (uint64_t v = 0; v < arcs->n; v++)
        new_ids[v] = v;
    for (uint64_t v = arcs->n; v > 1; v--) {
        const uint64_t other = below(v), swapped = new_ids[other];
        new_ids[other] = new_ids[v - 1];
        new_ids[v - 1] = swapped;
    }
    for (uint64_t v = 0; v < arcs->n; v++) {
        char line[64];
        snprintf(line, sizeof line, map ? "%d\t%d\n" : "%d\n", (int)new_ids[v], (int)v);
        strcat(text, line);
    }
    judge_put_text("permutation", text);
}

/* Does one step of `kind` and says it in a word. */
static void do_step(struct arcs *arcs, int kind, char *word, size_t n_word)
{
    static const char *const orders[] = {"dense",    "first", "degree", "degree-asc", "random",
                                         "random:9", "bfs",   "rcm",    "permutation"};
    bool kept[JUDGE_ARCS], listed[V];
    uint64_t new_ids[V], keys[V], n = arcs->n, choice;
    char text[256] = "";
    switch (kind) {
    case 0:
        choice = below(5);
        snprintf(word, n_word, " --filter=%s", filters[choice]);
        for (uint64_t i = 0; i < arcs->m; i++)
            kept[i] = holds(arcs, choice, &arcs->at[i]);
        keep_where(arcs, kept);
        break;
    case 1:
        snprintf(word, n_word, " --drop-loops");
        for (uint64_t i = 0; i < arcs->m; i++)
            kept[i] = arcs->at[i].source != arcs->at[i].target;
        keep_where(arcs, kept);
        break;
    case 2:
        snprintf(word, n_word, " --transpose");
        for (uint64_t i = 0; i < arcs->m; i++)
            arcs->at[i] =
                (struct judge_arc){arcs->at[i].target, arcs->at[i].source, arcs->at[i].weight, arcs->at[i].position};
        break;
    case 3:
        if (arcs->m > JUDGE_ARCS / 2)
            break;
        snprintf(word, n_word, " --symmetrize");
        mirror(arcs);
        break;
    case 4:
        choice = below(7);
        snprintf(word, n_word, " --dedup=%s", policies[choice]);
        fold_duplicates(arcs, choice);
        break;
    case 5:
        snprintf(word, n_word, " --among=among");
        for (uint64_t v = 0; v < arcs->n; v++) {
            listed[v] = below(4) != 0;
            if (listed[v])
                snprintf(text + strlen(text), sizeof text - strlen(text), "%d\n", (int)v);
        }
        judge_put_text("among", text);
        for (uint64_t i = 0; i < arcs->m; i++)
            kept[i] = listed[arcs->at[i].source] && listed[arcs->at[i].target];
        keep_where(arcs, kept);
        break;
    case 6:
        choice = below(4);
        snprintf(word, n_word, " --min-degree=%d", (int)choice);
        for (uint64_t i = 0; i < arcs->m; i++)
            kept[i] = out_degree(arcs, arcs->at[i].source) >= choice && out_degree(arcs, arcs->at[i].target) >= choice;
        keep_where(arcs, kept);
        break;
    case 7:
        snprintf(word, n_word, " --undirect");
        for (uint64_t i = 0; i < arcs->m; i++)
            kept[i] = arcs->at[i].source <= arcs->at[i].target;
        keep_where(arcs, kept);
        break;
    case 8:
        snprintf(word, n_word, " --largest-component");
        keep_largest_component(arcs);
        break;
    case 9:
        choice = below(50);
        snprintf(word, n_word, " --head=%d", (int)choice);
        arcs->m = arcs->m < choice ? arcs->m : choice;
        break;
    case 10:
        snprintf(word, n_word, " --drop-isolated");
        number_appearances(arcs, false, new_ids, &n);
        rename_vertices(arcs, new_ids, n);
        break;
    default:
        choice = below(9);
        snprintf(word, n_word, " --relabel=%s", orders[choice]);
        if (choice < 2)
            number_appearances(arcs, choice == 1, new_ids, &n);
        for (uint64_t v = 0; v < n && choice >= 2 && choice < 6; v++)
            keys[v] = choice == 2   ? 1000 - out_degree(arcs, v)
                      : choice == 3 ? out_degree(arcs, v)
                                    : mixed(v + (choice == 4 ? 1 : 9));
        if (choice >= 2 && choice < 6)
            order_keys(arcs, keys, new_ids);
        if (choice == 6)
            order_bfs(arcs, 0, new_ids);
        if (choice == 7)
            order_rcm(arcs, new_ids);
        if (choice == 8)
            write_permutation(arcs, new_ids);
        rename_vertices(arcs, new_ids, n);
    }
}

/* A random list, written to in.el. */
static void random_arcs(struct arcs *arcs, struct judge_arc *text)
{
    char lines[8192] = "";
    *arcs = (struct arcs){.m = 1 + below(60), .kind = I64, .text = text};
    const uint64_t n = 1 + below(V);
    for (uint64_t i = 0; i < arcs->m; i++) {
        const struct judge_arc arc = {below(n), below(n), below(7) - 3, i};
        arcs->at[i] = text[i] = arc;
        arcs->n = arc.source >= arcs->n ? arc.source + 1 : arcs->n;
        arcs->n = arc.target >= arcs->n ? arc.target + 1 : arcs->n;
        snprintf(lines + strlen(lines), sizeof lines - strlen(lines), "%d %d %d\n", (int)arc.source, (int)arc.target,
                 (int)(int64_t)arc.weight);
    }
    for (uint64_t v = 0; v < arcs->n; v++)
        arcs->names[v] = v;
    judge_put_text("in.el", lines);
}

static void put_companions(const struct arcs *arcs, const struct judge_csr *graph)
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
static void spoil(struct arcs *arcs, struct judge_csr *graph, char *words)
{
    const uint64_t victim = graph->m ? below(graph->m) : 0;
    switch (below(graph->m ? 5 : 1)) {
    case 0:
        arcs->names[below(arcs->n)] += 100;
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
    random_state = 11;
    for (int round = 0; round < 400; round++) {
        struct arcs arcs;
        struct judge_arc text[JUDGE_ARCS];
        struct judge_csr graph;
        char words[1024] = "", line[1200];
        bool permuted = false, listed = false, in_ranges = false;
        const bool as_typed = below(2), input_order = below(3) == 0;
        random_arcs(&arcs, text);
        for (int kind = 0; kind < 12; kind++) {
            char word[128] = "";
            const int next = as_typed ? (int)below(12) : kind;
            if (below(as_typed ? 3 : 2) || (next == 5 && listed))
                continue;
            do_step(&arcs, next, word, sizeof word);
            if (strstr(word, "permutation") && permuted)
                break; /* there is one file of the name */
            permuted |= strstr(word, "permutation") != NULL;
            listed |= next == 5;
            if (as_typed) {
                strcat(words, word);
            } else { /* in any order */
                snprintf(line, sizeof line, below(2) ? "%s%s" : "%2$s%1$s", words, word);
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
    assert_in_range(n_in_ranges, 5, 200);
}

static int enter(void **state)
{
    (void)state;
    judge_enter();
    return 0;
}

static int leave(void **state)
{
    (void)state;
    judge_leave();
    return 0;
}

static void needs_the_judge(void **state)
{
    (void)state;
    skip();
}

int main(void)
{
    const struct CMUnitTest absent[] = {cmocka_unit_test(needs_the_judge)};
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
        cmocka_unit_test(agrees_with_a_naive_reference_on_random_chains),
    };
    return judge_is_built() ? cmocka_run_group_tests(tests, enter, leave) : cmocka_run_group_tests(absent, NULL, NULL);
}
