/* test_pipeline - chains: what check refuses, what run publishes, and that failures leave nothing behind.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct fixture {
    em_context *context;
    em_pipeline *pipeline;
    em_error error;
} fixture;

static fixture open_fixture(const em_context_options *options)
{
    fixture made = {0};
    assert_int_equal(em_context_create(options, &made.context, NULL), EM_OK);
    assert_int_equal(em_pipeline_create(made.context, &made.pipeline, NULL), EM_OK);
    return made;
}

static void close_fixture(fixture *made)
{
    em_pipeline_free(made->pipeline);
    assert_int_equal(em_context_memory(made->context).current_bytes, 0);
    em_context_free(made->context);
}

/* Adds stages named in one string, separated by '|', words by blanks. */
static em_status add_spec(fixture *made, const char *spec)
{
    char text[1024];
    snprintf(text, sizeof text, "%s", spec);
    char *stages;
    for (char *stage = strtok_r(text, "|", &stages); stage; stage = strtok_r(NULL, "|", &stages)) {
        char *words[16], *rest;
        int n = 0;
        for (char *word = strtok_r(stage, " ", &rest); word && n < 16; word = strtok_r(NULL, " ", &rest))
            words[n++] = word;
        const em_status status = em_pipeline_add(made->pipeline, n, words, &made->error);
        if (status != EM_OK)
            return status;
    }
    return EM_OK;
}

static unsigned n_threads_here(void)
{
    unsigned n = 0;
    DIR *tasks = opendir("/proc/self/task");
    assert_non_null(tasks);
    for (struct dirent *entry; (entry = readdir(tasks));)
        n += entry->d_name[0] != '.';
    closedir(tasks);
    return n;
}

/* Comes first: a team that was woken once stays. */
static void a_small_graph_wakes_no_thread(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to;
    } chains[] = {{"", ".csr"}, {".csr", ".npz"}, {".npz", ".u32"}, {".u32", ".mtx"}, {".mtx", ".2.el"}};
    const unsigned before = n_threads_here();
    char input[256];
    snprintf(input, sizeof input, "%s", support_file("small.el", "0 1\n1 2\n", 8));
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
        fixture made = open_fixture(&(em_context_options){.n_threads = 3});
        em_graph graph = {0};
        char spec[1024];
        snprintf(spec, sizeof spec, "load %s%s | degrees | offsets | scatter | sort | save %s%s", input, chains[i].from,
                 input, chains[i].to);
        assert_int_equal(add_spec(&made, spec), EM_OK);
        assert_int_equal(em_pipeline_run(made.pipeline, NULL, &graph, NULL, NULL, &made.error), EM_OK);
        em_graph_free(&graph);
        close_fixture(&made);
    }
    assert_int_equal(n_threads_here(), before);
}

static void check_refuses_what_cannot_work_and_names_what_is_missing(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *says[3];
    } rows[] = {
        {"degrees", {"degrees", "coordinate list", "load"}},
        {"load x | offsets", {"offsets", "degrees", "degrees"}},
        {"load x | degrees | scatter", {"scatter", "offsets", "offsets"}},
        {"load x | partition 2", {"partition", "a CSR", "scatter"}},
        {"load x | degrees | offsets | scatter | scatter", {"stage 5", "coordinate list", "load"}},
        {"load x | save y.csr", {"save", "a CSR", "scatter"}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fixture made = open_fixture(NULL);
        assert_int_equal(add_spec(&made, rows[i].spec), EM_OK);
        assert_int_equal(em_pipeline_check(made.pipeline, &made.error), EM_USAGE);
        for (int k = 0; k < 3; k++)
            if (!strstr(made.error.message, rows[i].says[k]))
                fail_msg("%s: says nothing of %s", made.error.message, rows[i].says[k]);
        close_fixture(&made);
    }
    fixture made = open_fixture(NULL);
    assert_int_equal(em_pipeline_check(made.pipeline, &made.error), EM_USAGE);
    close_fixture(&made);
}

static void refuses_words_that_no_stage_knows(void **state)
{
    (void)state;
    static const char *const specs[] = {"nothing",          "load",           "degrees --x",   "save",
                                        "save a.csr b.csr", "save a.unknown", "save --to=csr", "load --frob x",
                                        "save --to=what x"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        fixture made = open_fixture(NULL);
        if (add_spec(&made, specs[i]) != EM_USAGE)
            fail_msg("%s was taken", specs[i]);
        assert_true(*made.error.message);
        close_fixture(&made);
    }
}

static em_status object(void *state, em_graph *graph, const em_read_report *report, const em_run_output *outputs,
                        uint32_t n_outputs, em_error *error)
{
    (void)report;
    assert_int_equal(graph->csr.n_arcs, 3);
    assert_int_equal(n_outputs, 1);
    assert_int_equal(access(em_output_temporary(outputs[0].output), R_OK), 0);
    return *(bool *)state ? em_fail(error, EM_DIFFERS, "no") : EM_OK;
}

static void publishes_only_what_was_agreed_to(void **state)
{
    (void)state;
    char spec[512], output[160];
    const char *input = support_file("g.el", "0 1\n1 2\n2 0\n", 12);
    snprintf(output, sizeof output, "%s.csr", input);
    snprintf(spec, sizeof spec, "load %s | degrees | offsets | scatter | sort | save %s", input, output);
    for (uint32_t way = 0; way < 4; way++) {
        bool refuse = way & 1;
        fixture made = open_fixture(NULL);
        em_read_report report;
        em_profile profile;
        const em_run_options options = {.unfused = way & 2, .before_publish = object, .state = &refuse};
        assert_int_equal(add_spec(&made, spec), EM_OK);
        assert_int_equal(em_pipeline_run(made.pipeline, &options, NULL, &report, &profile, &made.error),
                         refuse ? EM_DIFFERS : EM_OK);
        assert_int_equal(access(output, R_OK), refuse ? -1 : 0);
        assert_true(profile.n_rows >= (way & 2 ? 6u : 2u));
        assert_string_equal(profile.rows[0].phase.name, way & 2 ? "load" : "load+degrees+offsets+scatter+sort");
        unlink(output);
        close_fixture(&made);
    }
}

static void a_missing_folder_fails_before_the_input_is_read(void **state)
{
    (void)state;
    fixture made = open_fixture(NULL);
    em_read_report report;
    assert_int_equal(
        add_spec(&made, "load /nonexistent/in.el | degrees | offsets | scatter | save /nonexistent/folder/out.csr"),
        EM_OK);
    assert_int_equal(em_pipeline_run(made.pipeline, NULL, NULL, &report, NULL, &made.error), EM_ENVIRONMENT);
    assert_non_null(strstr(made.error.message, "out.csr"));
    close_fixture(&made);
}

static void every_failing_allocation_leaves_no_file_and_no_memory(void **state)
{
    (void)state;
    char spec[512], output[160];
    const char *input = support_file("f.el", "0 1 0.5\n1 2 7\n2 0 1\n0 5 2\n", 25);
    static const char *const suffixes[] = {"csr", "npz", "el", "mtx"};
    for (size_t i = 0; i < 4; i++) {
        snprintf(output, sizeof output, "%s.%s", input, suffixes[i]);
        snprintf(spec, sizeof spec, "load %s | degrees | offsets | scatter | sort | save %s", input, output);
        for (uint64_t number = 1;; number++) {
            const em_context_options options = {.n_threads = 2, .knobs = {.chunk_bytes = 7, .fail_allocation = number}};
            fixture made = {0};
            em_read_report report;
            assert_int_equal(em_context_create(&options, &made.context, NULL), EM_OK);
            em_status status = em_pipeline_create(made.context, &made.pipeline, &made.error);
            if (status == EM_OK)
                status = add_spec(&made, spec);
            if (status == EM_OK)
                status = em_pipeline_run(made.pipeline, NULL, NULL, &report, NULL, &made.error);
            close_fixture(&made);
            assert_int_equal(access(output, R_OK), status == EM_OK ? 0 : -1);
            if (status == EM_OK)
                break;
            assert_int_equal(status, EM_NO_MEMORY);
            assert_true(number < 1000);
        }
        unlink(output);
    }
}

/* Each row of fusion_list.inc gives what its parts give: test_load_csr compares both with the oracle; here, that they
 * are used. */
static void fusions_are_taken_where_they_fit(void **state)
{
    (void)state;
    char spec[256];
    const char *input = support_file("fuse.el", "0 1\n", 4);
    snprintf(spec, sizeof spec, "load %s | degrees | offsets | scatter", input);
    fixture made = open_fixture(NULL);
    em_read_report report;
    em_profile profile;
    assert_int_equal(add_spec(&made, spec), EM_OK);
    assert_int_equal(em_pipeline_run(made.pipeline, NULL, NULL, &report, &profile, &made.error), EM_OK);
    assert_string_equal(profile.rows[0].phase.name, "load+degrees+offsets+scatter");
    assert_true(profile.rows[1].is_part);
    close_fixture(&made);
}

/* A file that knows its n beside one with larger ids, in either order: every arc has its row. */
static void an_edge_list_may_go_past_the_n_of_another_input(void **state)
{
    (void)state;
    char first[160], second[160], spec[512], csr[200];
    snprintf(first, sizeof first, "%s", support_file("n2.el", "0 1\n1 0\n", 8));
    snprintf(second, sizeof second, "%s", support_file("n6.el", "0 5\n5 1\n", 8));
    snprintf(csr, sizeof csr, "%s.csr", first);
    em_read_report report;
    for (uint32_t way = 0; way < 3; way++) {
        fixture made = open_fixture(NULL);
        if (way == 0)
            snprintf(spec, sizeof spec, "load %s | degrees | offsets | scatter | save %s", first, csr);
        else
            snprintf(spec, sizeof spec, "load %s %s | degrees | offsets | scatter", way == 1 ? csr : second,
                     way == 1 ? second : csr);
        assert_int_equal(add_spec(&made, spec), EM_OK);
        em_graph graph;
        assert_int_equal(em_pipeline_run(made.pipeline, NULL, &graph, &report, NULL, &made.error), EM_OK);
        assert_int_equal(graph.csr.n_vertices, way ? 6 : 2);
        assert_int_equal(graph.csr.n_arcs, way ? 4 : 2);
        assert_int_equal(em_csr_check(made.context, &graph.csr, "graph", &made.error), EM_OK);
        em_graph_free(&graph);
        close_fixture(&made);
    }
    unlink(csr);
}

static void says_when_the_format_loses_vertices(void **state)
{
    (void)state;
    char spec[512], output[200];
    const char *input = support_file("lost.el", "0 1\n", 4);
    for (uint32_t n = 2; n <= 4; n++) {
        snprintf(output, sizeof output, "%s.tsv", input);
        snprintf(spec, sizeof spec, "load --vertices=%u %s | degrees | offsets | scatter | save %s", n, input, output);
        fixture made = open_fixture(NULL);
        em_read_report report;
        assert_int_equal(add_spec(&made, spec), EM_OK);
        assert_int_equal(em_pipeline_run(made.pipeline, NULL, NULL, &report, NULL, &made.error), EM_OK);
        assert_int_equal(report.n_notes, n > 2);
        if (n > 2)
            assert_non_null(strstr(report.notes[0], n == 3 ? "--vertices=3" : "--vertices=4"));
        close_fixture(&made);
        unlink(output);
    }
}

static void a_profile_has_a_row_for_every_stage_and_phase(void **state)
{
    (void)state;
    static em_profile profile;
    const em_run_options unfused = {.unfused = true};
    char spec[200];
    snprintf(spec, sizeof spec, "load %s", support_file("rows.el", "0 1\n1 2\n", 8));
    fixture made = open_fixture(NULL);
    assert_int_equal(add_spec(&made, spec), EM_OK);
    for (int i = 1; i < EM_LINKS; i++)
        assert_int_equal(add_spec(&made, "relabel random"), EM_OK);
    assert_int_equal(em_pipeline_run(made.pipeline, &unfused, NULL, NULL, &profile, &made.error), EM_OK);
    int n_stages = 0;
    for (uint32_t i = 0; i < profile.n_rows; i++)
        n_stages += !profile.rows[i].is_part && strcmp(profile.rows[i].phase.name, "publish") != 0;
    assert_int_equal(n_stages, EM_LINKS);
    assert_true(profile.n_rows > 2 * EM_LINKS);
    close_fixture(&made);
}

static void no_count_is_lost_however_many_kinds_there_are(void **state)
{
    (void)state;
    static em_read_report report;
    em_run run = {.read = &report};
    uint64_t sum = 0;
    char kind[64];
    for (uint64_t round = 0; round < 2; round++)
        for (uint64_t i = 0; i < 2 * EM_TALLIES; i++) {
            snprintf(kind, sizeof kind, "%d is a kind with a name that is cut somewhere", (int)i);
            em_run_tally(&run, "a stage with a very long name", kind, i);
        }
    assert_int_equal(report.n_tallies, EM_TALLIES);
    for (uint32_t i = 0; i < report.n_tallies; i++) {
        if (i < EM_TALLIES - 1)
            assert_int_equal(report.tallies[i].n, 2 * i);
        sum += report.tallies[i].n;
    }
    assert_int_equal(sum, 2 * (uint64_t)EM_TALLIES * (2 * EM_TALLIES - 1));
}

static void operands_are_shown_as_they_were_typed(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"head many", "head many: wanted a whole number from 0 to"},
        {"min-degree 2x", "min-degree 2x: wanted a whole number from 0 to"},
        {"partition 0", "partition 0: wanted a whole number from 1 to 65536"},
        {"dedup some", "dedup some: wanted one of first, last"},
        {"dedup --policy=some", "dedup: --policy=some: wanted one of first, last"},
        {"dedup first last", "dedup: one POLICY, not 'first' and 'last'"},
        {"dedup --policy=first last", "dedup takes one policy, not 'first' and 'last'"},
        {"symmetrize --equal", "symmetrize: unknown option '--equal'"},
        {"symmetrize all", "symmetrize takes no operand: 'all'"},
        {"save", "save needs FILE"},
        {"save a.csr b.csr", "save: one FILE, not 'a.csr' and 'b.csr'"},
        {"save --to=csr --to=npz a", "save: --to is given twice: csr and npz"},
        {"save --map a.csr", "save needs FILE"},
        {"save a.csr --map", "--map needs a value"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fixture made = open_fixture(NULL);
        assert_int_equal(add_spec(&made, rows[i][0]), EM_USAGE);
        if (!strstr(made.error.message, rows[i][1]))
            fail_msg("\"%s\" does not say \"%s\"", made.error.message, rows[i][1]);
        close_fixture(&made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_small_graph_wakes_no_thread),
        cmocka_unit_test(check_refuses_what_cannot_work_and_names_what_is_missing),
        cmocka_unit_test(refuses_words_that_no_stage_knows),
        cmocka_unit_test(publishes_only_what_was_agreed_to),
        cmocka_unit_test(a_missing_folder_fails_before_the_input_is_read),
        cmocka_unit_test(every_failing_allocation_leaves_no_file_and_no_memory),
        cmocka_unit_test(an_edge_list_may_go_past_the_n_of_another_input),
        cmocka_unit_test(says_when_the_format_loses_vertices),
        cmocka_unit_test(fusions_are_taken_where_they_fit),
        cmocka_unit_test(a_profile_has_a_row_for_every_stage_and_phase),
        cmocka_unit_test(no_count_is_lost_however_many_kinds_there_are),
        cmocka_unit_test(operands_are_shown_as_they_were_typed),
    };
    return cmocka_run_group_tests(tests, NULL, support_tear_down);
}
