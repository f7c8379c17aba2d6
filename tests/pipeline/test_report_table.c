/* test_report_table - the report and the profile as text.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pipeline/report.h"

#include <stdlib.h>
#include <string.h>

static void groups_digits_by_three(void **state)
{
    (void)state;
    static const struct {
        uint64_t n;
        const char *text;
    } cases[] = {{0, "0"},
                 {999, "999"},
                 {1000, "1,000"},
                 {123456, "123,456"},
                 {1234567, "1,234,567"},
                 {UINT64_MAX, "18,446,744,073,709,551,615"}};
    char text[32];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(em_report_count(text, cases[i].n), cases[i].text);
}

static void finds_the_smallest_degree(void **state)
{
    (void)state;
    uint64_t offsets[] = {0, 3, 4, 6};
    em_csr csr = {.n_vertices = 3, .n_arcs = 6, .offsets = em_buffer_borrow(offsets, sizeof offsets)};
    assert_int_equal(em_report_smallest_degree(&csr), 1);
    csr.n_vertices = 1;
    assert_int_equal(em_report_smallest_degree(&csr), 3);
    csr.n_vertices = 0;
    assert_int_equal(em_report_smallest_degree(&csr), 0);
}

static void counts_undirected_edges_only_of_symmetric_graphs(void **state)
{
    (void)state;
    em_csr csr = {.n_vertices = 3, .n_arcs = 7};
    em_csr_summary summary = {.n_loops = 3, .asymmetry = 1};
    em_report report = {.csr = &csr, .summary = &summary};
    uint64_t n_edges = 0;
    assert_false(em_report_undirected_edges(&report, &n_edges));
    summary.asymmetry = 0;
    assert_true(em_report_undirected_edges(&report, &n_edges));
    assert_int_equal(n_edges, 5); /* three loops and two edges of two arcs each */
    report.summary = NULL;
    assert_false(em_report_undirected_edges(&report, &n_edges));
}

/* The caller frees *text. */
static void profile_to_text(const em_profile *profile, double copy, char **text)
{
    size_t n_bytes = 0;
    FILE *out = open_memstream(text, &n_bytes);
    em_profile_table(profile, copy, out);
    fclose(out);
}

static size_t columns_of(const char *line)
{
    return strcspn(line, "\n");
}

static void lines_of_the_profile_have_one_width(void **state)
{
    (void)state;
    em_profile profile = {.n_rows = 3, .wall_ns = 2000000000, .cpu_ns = 3900000000, .n_threads = 2};
    profile.peak_bytes = UINT64_C(40) << 30;
    profile.rows[0].phase = (em_phase){"load+degrees+offsets+scatter", 1000000000, 2000000000, 68719476736, 4000000000};
    profile.rows[1].phase = (em_phase){"a phase whose name is longer than its column", 1, 1, 1, 1};
    profile.rows[1].is_part = true;
    profile.rows[2].phase = (em_phase){"save", 0, 0, 0, 0};
    for (int known = 0; known < 2; known++) {
        char *text = NULL;
        profile_to_text(&profile, known ? 16e9 : 0, &text);
        const char *line = text;
        for (int i = 0; i < 5; i++) {
            assert_int_equal(columns_of(line), columns_of(text));
            assert_true(columns_of(line) <= 120);
            line += columns_of(line) + 1;
        }
        assert_non_null(strstr(text, "68,719,476,736"));
        assert_non_null(strstr(text, "    4.00 ")); /* GB/s */
        assert_int_equal(strstr(text, "  25.0%") != NULL, known);
        assert_int_equal(strstr(text, "copying memory: 16.00 GB/s") != NULL, known);
        free(text);
    }
}

static void the_total_leaves_out_what_is_part_of_a_row(void **state)
{
    (void)state;
    em_profile profile = {.n_rows = 2, .wall_ns = 1000000000, .n_threads = 1};
    profile.rows[0].phase = (em_phase){.name = "load", .n_bytes_moved = 3000000000};
    profile.rows[1].phase = (em_phase){.name = "parse", .n_bytes_moved = 2000000000};
    profile.rows[1].is_part = true;
    char *text = NULL;
    profile_to_text(&profile, 0, &text);
    const char *total = strstr(text, "\ntotal ");
    assert_non_null(total);
    assert_non_null(strstr(total, " 3000.0 "));
    assert_non_null(strstr(total, "1 thread;"));
    free(text);
}

static void an_empty_report_prints_nothing(void **state)
{
    (void)state;
    char *text = NULL;
    size_t n_bytes = 0;
    FILE *out = open_memstream(&text, &n_bytes);
    em_report_text(&(em_report){0}, out);
    fclose(out);
    assert_int_equal(n_bytes, 0);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_digits_by_three),
        cmocka_unit_test(finds_the_smallest_degree),
        cmocka_unit_test(counts_undirected_edges_only_of_symmetric_graphs),
        cmocka_unit_test(lines_of_the_profile_have_one_width),
        cmocka_unit_test(the_total_leaves_out_what_is_part_of_a_row),
        cmocka_unit_test(an_empty_report_prints_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
