/* test_matrix_market - coordinate matrices: fields, symmetries, counts, and what is refused where.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support.h"

#include <stdio.h>
#include <string.h>

#define BANNER "%%MatrixMarket matrix coordinate "

typedef struct good_row {
    const char *text;
    uint64_t n_vertices, n_arcs;
    uint64_t offsets[5];
    uint32_t targets[8];
    em_weight_kind kind;
    double weights[8];
} good_row;

static const good_row good_rows[] = {
    {BANNER "real symmetric\n3 3 4\n1 1 1\n2 1 2\n3 2 3\n3 3 4\n",
     3,
     6,
     {0, 2, 4, 6},
     {0, 1, 0, 2, 1, 2},
     EM_WEIGHT_F64,
     {1, 2, 2, 3, 3, 4}},
    {BANNER "pattern general\n4 4 3\n4 1\n2 3\n4 3\n", 4, 3, {0, 0, 1, 1, 3}, {2, 0, 2}, 0, {0}},
    {BANNER "integer skew-symmetric\n3 3 2\n2 1 5\n3 1 -2\n",
     3,
     4,
     {0, 2, 3, 4},
     {1, 2, 0, 0},
     EM_WEIGHT_I64,
     {-5, 2, 5, -2}},
    {BANNER "pattern general\n\n3 3 2\n\n1 2\n\n2 3\n\n", 3, 2, {0, 1, 2, 2}, {1, 2}, 0, {0}},
    {BANNER "real general\n% toy\n3 3 2\n% data\n3 1 1.5\n% more\n1 2 2.5\n",
     3,
     2,
     {0, 1, 1, 2},
     {1, 0},
     EM_WEIGHT_F64,
     {2.5, 1.5}},
    {"%%matrixmarket MATRIX Coordinate PATTERN Symmetric\r\n2 2 1\r\n2 1\r\n", 2, 2, {0, 1, 2}, {1, 0}, 0, {0}},
    {BANNER "pattern general\n1 1 0\n", 1, 0, {0, 0}, {0}, 0, {0}},
    {BANNER "pattern symmetric\n3 3 3\n2 1\n1 2\n3 1\n", 3, 6, {0, 3, 5, 6}, {1, 1, 2, 0, 0, 0}, 0, {0}},
    {BANNER "integer general\n2 2 1\n1 2 7", 2, 1, {0, 1, 1}, {1}, EM_WEIGHT_I64, {7}},
};

static void reads_fields_and_symmetries(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good_rows / sizeof *good_rows; i++)
        for (uint32_t threads = 1; threads <= 3; threads++)
            for (uint32_t way = 0; way < 4; way++) {
                const good_row *row = &good_rows[i];
                support_load load = {.context = {.n_threads = threads, .knobs.chunk_bytes = way & 1 ? 5 : 0},
                                     .sorted = true,
                                     .unfused = way & 2,
                                     .paths = {support_file("good.mtx", row->text, strlen(row->text))}};
                support_result result = support_run(&load);
                if (result.status != EM_OK)
                    fail_msg("%s", result.error.message);
                const em_csr *csr = &result.graph.csr;
                assert_int_equal(csr->n_vertices, row->n_vertices);
                assert_int_equal(csr->n_arcs, row->n_arcs);
                assert_int_equal(result.report.n_arcs, row->n_arcs);
                assert_int_equal(csr->weight_kind, row->kind);
                assert_memory_equal(csr->offsets.at, row->offsets, (row->n_vertices + 1) * 8);
                assert_memory_equal(csr->targets.at, row->targets, row->n_arcs * 4);
                for (uint64_t k = 0; k < row->n_arcs && row->kind; k++)
                    assert_true((row->kind == EM_WEIGHT_I64 ? (double)((int64_t *)csr->weights.at)[k]
                                                            : ((double *)csr->weights.at)[k]) == row->weights[k]);
                support_free(&result);
            }
}

static void counts_lines_on_both_sides_of_the_size_line(void **state)
{
    (void)state;
    static const char text[] = BANNER "pattern general\n% a\n%b\n\n2 2 1\n% c\n1 2\n\n";
    support_load load = {.context = {.n_threads = 2, .knobs.chunk_bytes = 5},
                         .paths = {support_file("lines.mtx", text, sizeof text - 1)}};
    support_result result = support_run(&load);
    assert_int_equal(result.status, EM_OK);
    assert_int_equal(result.report.n_lines, 8);
    assert_int_equal(result.report.n_comment_lines, 3);
    assert_int_equal(result.report.n_blank_lines, 2);
    support_free(&result);
}

static void says_when_both_triangles_are_there(void **state)
{
    (void)state;
    support_load load = {.paths = {support_file("both.mtx", good_rows[7].text, strlen(good_rows[7].text))}};
    support_result result = support_run(&load);
    assert_int_equal(result.report.n_notes, 1);
    assert_non_null(strstr(result.report.notes[0], "diagonal"));
    assert_true(result.report.undirected);
    support_free(&result);
}

static void refuses_what_is_no_graph_and_names_the_place(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says[3];
        em_status status;
    } rows[] = {
        {"4 4 2\n1 2\n2 3\n", {".mtx:1:1:", "MatrixMarket"}, EM_MALFORMED},
        {"", {".mtx:", "empty"}, EM_MALFORMED},
        {BANNER "complex hermitian\n2 2 1\n2 1 1 -1\n", {".mtx:1:34:", "'complex'"}, EM_MALFORMED},
        {BANNER "integer hermitian\n2 2 1\n2 1 3\n", {".mtx:1:42:", "'hermitian'"}, EM_MALFORMED},
        {"%%MatrixMarket matrix array real general\n2 2\n1\n", {".mtx:1:23:", "'array'"}, EM_MALFORMED},
        {"%%MatrixMarket matrix coordinate\n2 2 1\n", {".mtx:1:", "words"}, EM_MALFORMED},
        {BANNER "pattern skew-symmetric\n2 2 1\n2 1\n", {".mtx:1:", "sign"}, EM_MALFORMED},
        {BANNER "pattern general\n", {"size line"}, EM_MALFORMED},
        {BANNER "pattern general\n3 3\n", {".mtx:2:4:", "'3 3'"}, EM_MALFORMED},
        {BANNER "pattern general\n3 x 1\n", {".mtx:2:3:", "'x'"}, EM_MALFORMED},
        {BANNER "pattern general\n2 4 1\n1 4\n", {".mtx:2:1:", "2 x 4", "square"}, EM_MALFORMED},
        {BANNER "real general\n3 3 18446744073709551615\n1 3 0.5\n",
         {".mtx:2:5:", "18446744073709551615"},
         EM_MALFORMED},
        {BANNER "pattern general\n3 3 1000\n1 2\n", {".mtx:2:5:", "1000"}, EM_MALFORMED},
        {BANNER "pattern general\n4294967296 4294967296 1\n1 2\n",
         {".mtx:2:1: sparse ids", "4294967295", "bytes"},
         EM_ENVIRONMENT},
        {BANNER "pattern general\n3 3 1\n1 2\n2 3\n", {".mtx:4:1:", "more", "1"}, EM_MALFORMED},
        {BANNER "pattern general\n3 3 3\n1 2\n2 3\n", {".mtx:4:1:", "fewer", "3"}, EM_MALFORMED},
        {BANNER "pattern general\n3 3 2\n0 1\n1 2\n", {".mtx:3:1:", "'0'"}, EM_MALFORMED},
        {BANNER "pattern general\n3 3 2\n1 2\n4 1\n", {".mtx:4:1:", "'4'", "size line"}, EM_MALFORMED},
        {BANNER "integer general\n2 2 1\n1 2 1e+16\n", {".mtx:3:5:", "'1e+16'"}, EM_MALFORMED},
        {BANNER "real general\n3 3 3\n1 2 0.5\n2 3\n3 1 1.5\n", {".mtx:4:4:", "weight"}, EM_MALFORMED},
        {BANNER "integer skew-symmetric\n2 2 1\n2 2 1\n", {"diagonal"}, EM_MALFORMED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (uint32_t threads = 1; threads <= 3; threads++) {
            support_load load = {.context = {.n_threads = threads, .knobs.chunk_bytes = 6},
                                 .paths = {support_file("bad.mtx", rows[i].text, strlen(rows[i].text))}};
            load.options[0] = "--from=mtx";
            support_result result = support_run(&load);
            if (result.status != rows[i].status)
                fail_msg("status %d: %s for %s", (int)result.status, result.error.message, rows[i].text);
            for (int k = 0; k < 3 && rows[i].says[k]; k++)
                if (!strstr(result.error.message, rows[i].says[k]))
                    fail_msg("%s: says nothing of %s", result.error.message, rows[i].says[k]);
            support_free(&result);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_fields_and_symmetries),
        cmocka_unit_test(counts_lines_on_both_sides_of_the_size_line),
        cmocka_unit_test(says_when_both_triangles_are_there),
        cmocka_unit_test(refuses_what_is_no_graph_and_names_the_place),
    };
    return cmocka_run_group_tests(tests, NULL, support_tear_down);
}
