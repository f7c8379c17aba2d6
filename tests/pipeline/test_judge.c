/* test_judge - edgemill-igraph agrees with right files and finds every planted error.
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

/* Seven vertices, number 3 isolated; parallel arcs, a loop, arcs out of order, weights that no double holds. */
static const char text[] = "4 2 30\n0 1 9007199254740993\n0 1 5\n2 2 -7\n0 0 8\n5 6 1\n6 4 2\n0 4 3\n";
static const struct judge_arc arcs[] = {{4, 2, 30, 0}, {0, 1, 9007199254740993, 1},
                                        {0, 1, 5, 2},  {2, 2, (uint64_t)-7, 3},
                                        {0, 0, 8, 4},  {5, 6, 1, 5},
                                        {6, 4, 2, 6},  {0, 4, 3, 7}};
enum { N = 7, M = sizeof arcs / sizeof *arcs };

/* The graph of `text` with its input beside it. */
static struct judge_csr good(bool input_order)
{
    struct judge_csr graph;
    judge_fixture(&graph, N, arcs, M, I64, input_order);
    judge_put_text("in.el", text);
    return graph;
}

static void agrees_with_the_graph_of_the_input(void **state)
{
    (void)state;
    struct judge_csr graph = good(false);
    judge_put_csr("out.csr", &graph);
    expect(0, "out.csr in.el", "igraph agrees: 7 vertices, 8 arcs, 1 isolated, weights i64");
    graph.flags = SORTED;
    judge_put_csr("out.csr", &graph);
    expect(0, "out.csr in.el", NULL);
    graph.has_positions = true;
    judge_put_csr("out.csr", &graph);
    expect(0, "out.csr in.el", NULL);
    judge_put_npz("out.npz", &graph, false);
    expect(0, "out.npz in.el", NULL);
    judge_put_npz("out.npz", &graph, true);
    expect(0, "--threads=3 out.npz in.el", NULL);
    graph = good(true);
    judge_put_csr("out.csr", &graph);
    expect(0, "--order=input out.csr in.el", NULL);
    expect(1, "out.csr in.el", "row 0: entry 0 is 1, igraph has 0");
}

static void finds_one_moved_arc(void **state)
{
    (void)state;
    struct judge_csr graph = good(false);
    graph.targets[graph.offsets[5]] = 5;
    judge_put_csr("out.csr", &graph);
    expect(1, "out.csr in.el", "row 5: entry 0 is 5, igraph has 6");
    judge_put_npz("out.npz", &graph, false);
    expect(1, "out.npz in.el", "row 5: entry 0 is 5, igraph has 6");
    graph = good(false);
    graph.targets[0] = N;
    judge_put_csr("out.csr", &graph);
    expect(1, "out.csr in.el", "arc 0: an id is past the 7 vertices");
}

static void finds_one_changed_weight(void **state)
{
    (void)state;
    struct judge_csr graph = good(false);
    graph.weights[1]--; /* 2^53 + 1 becomes 2^53: the same double */
    judge_put_csr("out.csr", &graph);
    expect(1, "out.csr in.el", "row 0: entry 1 (to 1) weighs 9007199254740992, igraph has 9007199254740993");
    judge_put_npz("out.npz", &graph, true);
    expect(1, "out.npz in.el", "weighs 9007199254740992, igraph has 9007199254740993");
    graph = good(false);
    graph.kind = F64;
    judge_put_csr("out.csr", &graph);
    expect(1, "out.csr in.el", "weights: f64, igraph has i64");
}

static void finds_a_swapped_row(void **state)
{
    (void)state;
    struct judge_csr graph = good(false);
    const uint64_t target = graph.targets[0], weight = graph.weights[0];
    graph.targets[0] = graph.targets[3];
    graph.weights[0] = graph.weights[3];
    graph.targets[3] = target;
    graph.weights[3] = weight;
    judge_put_csr("out.csr", &graph);
    expect(1, "out.csr in.el", "row 0: entry 0 is 4, igraph has 0");
    graph = good(false); /* two parallel arcs the wrong way round: only the weights tell */
    graph.weights[1] = 5;
    graph.weights[2] = 9007199254740993;
    judge_put_csr("out.csr", &graph);
    expect(1, "out.csr in.el", "row 0: entry 1 (to 1) weighs 5");
}

static void finds_a_shifted_offset(void **state)
{
    (void)state;
    struct judge_csr graph = good(false);
    graph.offsets[5]--;
    judge_put_csr("out.csr", &graph);
    expect(1, "out.csr in.el", "row 4: 0 entries, igraph has 1");
    graph = good(false);
    graph.offsets[0] = 1;
    judge_put_csr("out.csr", &graph);
    expect(1, "out.csr in.el", "offsets[0] is 1, not 0");
    graph = good(false);
    graph.offsets[N]--;
    judge_put_csr("out.csr", &graph);
    expect(1, "out.csr in.el", "offsets[7] is 7, not the number of arcs, 8");
    graph = good(false);
    graph.offsets[2] = 1000;
    judge_put_npz("out.npz", &graph, true);
    expect(1, "out.npz in.el", "offsets[2] is 1000, offsets[3] is 5");
}

static void finds_n_one_too_large(void **state)
{
    (void)state;
    struct judge_csr graph;
    good(false);
    judge_fixture(&graph, N + 1, arcs, M, I64, false);
    judge_put_csr("out.csr", &graph);
    expect(1, "out.csr in.el", "n: 8 vertices, igraph has 7");
    expect(0, "--vertices 8 out.csr in.el", "2 isolated");
}

static void finds_a_lost_isolated_vertex(void **state)
{
    (void)state;
    struct judge_csr graph;
    judge_put_text("in.el", "0 1\n4 1\n");
    const struct judge_arc lost[] = {{0, 1, 0, 0}, {3, 1, 0, 1}}; /* 2 is gone, 3 and 4 moved down */
    judge_fixture(&graph, 4, lost, 2, PLAIN, false);
    judge_put_csr("out.csr", &graph);
    expect(1, "out.csr in.el", "isolated vertices: 1, igraph has 2; the first to differ is 3");
}

static void finds_flags_that_do_not_hold(void **state)
{
    (void)state;
    struct judge_csr graph = good(true);
    graph.flags = SORTED;
    judge_put_csr("out.csr", &graph);
    expect(1, "--order=input out.csr in.el", "row 0: not ordered by target at entry 2, but the file says sorted");
    graph = good(false);
    graph.flags = UNIQUE;
    judge_put_csr("out.csr", &graph);
    expect(1, "out.csr in.el", "no arc is there twice");
    graph.flags = NO_LOOPS;
    judge_put_csr("out.csr", &graph);
    expect(1, "out.csr in.el", "there are no loops");
    graph.flags = MIRRORED;
    judge_put_csr("out.csr", &graph);
    expect(1, "out.csr in.el", "row 0: arcs without their reverse");
    expect(1, "--memory=900 out.csr in.el", "row 0: arcs without their reverse");
    /* as often: 0 1 twice and 1 0 once is not symmetric, though every arc has a reverse */
    judge_put_text("in.el", "0 1\n1 0\n0 1\n");
    const struct judge_arc uneven[] = {{0, 1, 0, 0}, {1, 0, 0, 1}, {0, 1, 0, 2}};
    judge_fixture(&graph, 2, uneven, 3, PLAIN, false);
    graph.flags = SORTED | NO_LOOPS | MIRRORED;
    judge_put_csr("out.csr", &graph);
    expect(1, "out.csr in.el", "row 0: arcs without their reverse");
    judge_fixture(&graph, 2, uneven, 2, PLAIN, false);
    graph.flags = SORTED | UNIQUE | NO_LOOPS | MIRRORED;
    judge_put_csr("out.csr", &graph);
    judge_put_text("in.el", "0 1\n1 0\n");
    expect(0, "out.csr in.el", NULL);
}

static void finds_wrong_checksums_padding_and_positions(void **state)
{
    (void)state;
    struct judge_csr graph = good(false);
    static unsigned char file[1 << 17];
    graph.has_positions = true;
    judge_put_csr("out.csr", &graph);
    FILE *in = fopen("out.csr", "rb");
    const size_t n = fread(file, 1, sizeof file, in);
    fclose(in);
    static const struct {
        size_t at;
        const char *says;
    } flips[] = {{4096 - 1, "padding at byte 4095"}, {90, "checksum of the header"},
                 {32, "checksum of the header"}, /* a flag set */
                 {8192, "checksum of targets"},      {4096 + 8, "checksum of offsets"},
                 {12288, "checksum of weights"},     {16384, "checksum of positions"}};
    for (size_t i = 0; i < sizeof flips / sizeof *flips; i++) {
        file[flips[i].at] ^= 2;
        judge_put("bad.csr", file, n);
        expect(1, "bad.csr in.el", flips[i].says);
        file[flips[i].at] ^= 2;
    }
    graph.positions[0] ^= 1;
    judge_put_csr("out.csr", &graph);
    expect(1, "out.csr in.el", "row 0: entry 0 (to 0) is input arc 5, igraph has 4");
}

static void refuses_what_is_no_csr_at_all(void **state)
{
    (void)state;
    struct judge_csr graph = good(false);
    static unsigned char file[1 << 17];
    judge_put_csr("out.csr", &graph);
    FILE *in = fopen("out.csr", "rb");
    const size_t n = fread(file, 1, sizeof file, in);
    fclose(in);
    for (size_t cut = 0; cut < n; cut = cut < 200 ? cut + 13 : cut + 997) {
        judge_put("cut.csr", file, cut);
        expect(3, "cut.csr in.el", NULL);
    }
    judge_put_npz("out.npz", &graph, false);
    in = fopen("out.npz", "rb");
    const size_t n_npz = fread(file, 1, sizeof file, in);
    fclose(in);
    for (size_t cut = 0; cut < n_npz; cut += 41) {
        judge_put("cut.npz", file, cut);
        expect(3, "cut.npz in.el", NULL);
    }
    for (size_t at = 30; at < n_npz; at += 53) { /* one damaged byte: a difference or malformed, never a crash */
        file[at] ^= 0x55;
        judge_put("bad.npz", file, n_npz);
        const int status = judge_run("bad.npz in.el", printed, sizeof printed);
        assert_true(status == 0 || status == 1 || status == 3 || status == 4); /* 0: a byte that says nothing */
        file[at] ^= 0x55;
    }
    expect(4, "none.csr in.el", "No such file");
    expect(4, "out.csr none.el", "No such file");
    expect(2, "out.csr", "expected");
    expect(2, "--weights=u8 out.csr in.el", "--weights=u8");
}

static void prints_ten_differences_at_most(void **state)
{
    (void)state;
    struct judge_csr graph = {.n = 41, .m = 40};
    char list[1024] = "";
    for (uint64_t i = 0; i < 40; i++) {
        graph.offsets[i + 1] = i + 1;
        graph.targets[i] = 40;
        snprintf(list + strlen(list), sizeof list - strlen(list), "%u 39\n", (unsigned)i);
    }
    graph.offsets[41] = 40;
    judge_put_text("in.el", list);
    judge_put_csr("out.csr", &graph);
    expect(1, "--vertices=41 out.csr in.el", "row 9: entry 0 is 40, igraph has 39\n… and ");
    assert_null(strstr(printed, "row 10:"));
}

static void judges_range_after_range_where_memory_is_short(void **state)
{
    (void)state;
    struct judge_csr graph = good(false);
    graph.flags = SORTED;
    judge_put_csr("out.csr", &graph);
    expect(0, "--memory=600 out.csr in.el",
           "8 arcs, 1 isolated, weights i64; read by the judge's own reader; judged in");
    expect(4, "--memory=100 out.csr in.el", "vertices alone need");
    for (int seed = 1; seed < 20; seed++) {
        char words[64];
        snprintf(words, sizeof words, "--ranges=2:%d out.csr in.el", seed);
        expect(0, words, "2 of 4 source ranges judged");
    }
    graph.targets[graph.offsets[5]] = 5;
    judge_put_csr("out.csr", &graph);
    expect(1, "--memory=600 out.csr in.el", "row 5: entry 0 is 5, igraph has 6");
    int n_found = 0;
    for (int seed = 1; seed < 20; seed++) {
        char words[64];
        snprintf(words, sizeof words, "--ranges=2:%d out.csr in.el", seed);
        n_found += judge_run(words, printed, sizeof printed) == 1;
    }
    assert_in_range(n_found, 3, 16); /* half of the ranges at a time */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_graph_of_the_input),
        cmocka_unit_test(finds_one_moved_arc),
        cmocka_unit_test(finds_one_changed_weight),
        cmocka_unit_test(finds_a_swapped_row),
        cmocka_unit_test(finds_a_shifted_offset),
        cmocka_unit_test(finds_n_one_too_large),
        cmocka_unit_test(finds_a_lost_isolated_vertex),
        cmocka_unit_test(finds_flags_that_do_not_hold),
        cmocka_unit_test(finds_wrong_checksums_padding_and_positions),
        cmocka_unit_test(refuses_what_is_no_csr_at_all),
        cmocka_unit_test(prints_ten_differences_at_most),
        cmocka_unit_test(judges_range_after_range_where_memory_is_short),
    };
    return judge_run_tests(tests, sizeof tests / sizeof *tests);
}
