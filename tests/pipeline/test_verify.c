/* test_verify - finding and running the judge, and checking a CSR against what was read.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/verify.h"
#include "tests/support_files.h"
#include "tests/support_judge.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A judge that does what a line of shell says. */
static const char *judge_that(const char *line)
{
    char script[512];
    snprintf(script, sizeof script, "#!/bin/sh\n%s\n", line);
    judge_put_text("fake", script);
    assert_int_equal(chmod("fake", 0755), 0);
    return "./fake";
}

static void tells_the_meaning_of_every_end_of_the_judge(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        em_status status;
        const char *says;
    } ends[] = {{"exit 0", EM_OK, ""},
                {"exit 1", EM_DIFFERS, "out.csr: not the graph"},
                {"exit 2", EM_USAGE, "options"},
                {"exit 3", EM_MALFORMED, "malformed"},
                {"exit 4", EM_ENVIRONMENT, "exit status 4"},
                {"exit 77", EM_ENVIRONMENT, "exit status 77"},
                {"kill -9 $$", EM_ENVIRONMENT, "signal 9"}};
    em_context *context = files_context(1, NULL);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        em_error error = {0};
        assert_int_equal(em_verify_igraph(context, judge_that(ends[i].line), "out.csr", 0, NULL, &error),
                         ends[i].status);
        files_assert_says(error, ends[i].says);
    }
    em_error error = {0};
    assert_int_equal(em_verify_igraph(context, "./no-such-judge", "out.csr", 0, NULL, &error), EM_ENVIRONMENT);
    files_assert_says(error, "install libigraph-dev");
    assert_int_equal(em_verify_igraph(context, "./no-such-judge", "out.csr", 0, NULL, NULL), EM_ENVIRONMENT);
    em_context_free(context);
}

static void hands_the_words_on_behind_the_file(void **state)
{
    (void)state;
    char *words[] = {"--base=1", "--separator=|", "--", "a b.el", "-c"};
    em_context *context = files_context(1, NULL);
    size_t n;
    const char *judge = judge_that("shift; for word; do echo \"<$word>\"; done");
    const int file = open("line", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    assert_int_equal(em_verify_igraph_to(context, judge, "-x.csr", 5, words, file, NULL), EM_OK);
    close(file);
    unsigned char *line = files_get("line", &n);
    assert_string_equal((char *)line, "<./-x.csr>\n<--base=1>\n<--separator=|>\n<-->\n<a b.el>\n<-c>\n");
    free(line);
    assert_int_equal(em_verify_igraph_to(context, judge_that("echo gone"), "x.csr", 0, NULL, -1, NULL), EM_OK);
    em_context_free(context);
}

static void survives_the_failure_of_any_allocation(void **state)
{
    (void)state;
    const char *judge = judge_that("exit 1");
    char *words[] = {"in.el"};
    em_status status = EM_NO_MEMORY;
    for (uint64_t fail = 1; status == EM_NO_MEMORY; fail++) {
        em_error error = {0};
        const em_knobs knobs = {.fail_allocation = fail};
        em_context *context = files_context(1, &knobs);
        status = em_verify_igraph(context, judge, "out.csr", 1, words, &error);
        assert_int_equal(status, error.status);
        assert_int_equal(em_context_memory(context).current_bytes, 0);
        em_context_free(context);
        assert_true(fail < 10);
    }
    assert_int_equal(status, EM_DIFFERS);
}

/* The arcs of a CSR as text, rows in order. */
static void put_arcs(const char *path, const em_csr *csr)
{
    FILE *file = fopen(path, "w");
    const uint64_t *offsets = csr->offsets.at;
    for (uint64_t row = 0; row < csr->n_vertices; row++) {
        for (uint64_t arc = offsets[row]; arc < offsets[row + 1]; arc++) {
            fprintf(file, "%llu %llu", (unsigned long long)row,
                    (unsigned long long)em_id_at(csr->targets.at, csr->id_bytes, arc));
            if (csr->weight_kind == EM_WEIGHT_I64)
                fprintf(file, " %lld", (long long)((const int64_t *)csr->weights.at)[arc]);
            if (csr->weight_kind == EM_WEIGHT_F64)
                fprintf(file, " %.17g", ((const double *)csr->weights.at)[arc]);
            fputc('\n', file);
        }
    }
    fclose(file);
}

static void igraph_agrees_with_the_files_that_are_written(void **state)
{
    (void)state;
    static const em_weight_kind kinds[] = {EM_WEIGHT_NONE, EM_WEIGHT_I64, EM_WEIGHT_F64};
    static const char *const formats[] = {"csr", "npz"};
    char path[4096];
    if (!judge_is_built())
        skip();
    snprintf(path, sizeof path, "%s", judge_path());
    em_context *context = files_context(2, NULL);
    for (size_t k = 0; k < 3; k++) {
        em_csr csr = files_random_csr(context, 300, 2000, kinds[k], 5 + k);
        char n_vertices[] = "--vertices=300", weights[32];
        snprintf(weights, sizeof weights, "--weights=%s", em_weight_name(kinds[k]));
        char *words[] = {n_vertices, weights, "in.el"};
        put_arcs("in.el", &csr);
        for (size_t f = 0; f < 2; f++) {
            em_error error = {0};
            files_write(context, &csr, formats[f], "out");
            if (em_verify_igraph_to(context, path, "out", 3, words, -1, &error) != EM_OK)
                fail_msg("%s, weights %s: %s", formats[f], em_weight_name(kinds[k]), error.message);
        }
        FILE *file = fopen("in.el", "a");
        fputs(kinds[k] ? "0 0 1\n" : "0 0\n", file);
        fclose(file);
        assert_int_equal(em_verify_igraph_to(context, path, "out", 3, words, -1, NULL), EM_DIFFERS);
        em_csr_free(&csr);
    }
    em_context_free(context);
}

static void self_check_finds_lost_doubled_and_changed_arcs(void **state)
{
    (void)state;
    const uint64_t offsets[] = {0, 2, 2, 3}, falling[] = {0, 3, 2, 3};
    const uint32_t targets[] = {1, 2, 0}, moved[] = {1, 1, 0}, past[] = {1, 2, 3};
    const int64_t weights[] = {5, 6, 7}, changed[] = {5, 6, 8};
    em_read_report report = {.n_vertices = 3, .n_arcs = 3};
    report.arc_checksum = em_arc_hash(0, 2, 6) + em_arc_hash(2, 0, 7) + em_arc_hash(0, 1, 5);
    em_context *context = files_context(2, NULL);
    em_csr csr = files_csr(3, offsets, targets, EM_WEIGHT_I64, weights);
    em_error error = {0};
    assert_int_equal(em_verify_self(context, &csr, &report, "g.csr", NULL), EM_OK);
    csr = files_csr(3, offsets, moved, EM_WEIGHT_I64, weights);
    assert_int_equal(em_verify_self(context, &csr, &report, "g.csr", &error), EM_DIFFERS);
    files_assert_says(error, "g.csr: other arcs than were read");
    csr = files_csr(3, offsets, targets, EM_WEIGHT_I64, changed);
    assert_int_equal(em_verify_self(context, &csr, &report, "g.csr", NULL), EM_DIFFERS);
    csr = files_csr(3, offsets, past, EM_WEIGHT_I64, weights);
    assert_int_equal(em_verify_self(context, &csr, &report, "g.csr", NULL), EM_MALFORMED);
    csr = files_csr(3, falling, targets, EM_WEIGHT_I64, weights);
    assert_int_equal(em_verify_self(context, &csr, &report, "g.csr", NULL), EM_MALFORMED);
    csr = files_csr(3, offsets, targets, EM_WEIGHT_I64, weights);
    report.n_arcs = 4;
    error = (em_error){0};
    assert_int_equal(em_verify_self(context, &csr, &report, "g.csr", &error), EM_DIFFERS);
    files_assert_says(error, "3 arcs, 4 were read");
    report.n_arcs = 3;
    report.n_vertices = 4;
    assert_int_equal(em_verify_self(context, &csr, &report, "g.csr", NULL), EM_DIFFERS);
    em_context_free(context);
}

static void finds_the_judge_or_says_how_to_get_it(void **state)
{
    (void)state;
    char path[4096], small[4];
    em_error error = {0};
    const em_status status = em_find_judge(path, sizeof path, &error);
    if (status == EM_OK)
        assert_int_equal(access(path, X_OK), 0);
    else
        files_assert_says(error, "edgemill-igraph is not there: install libigraph-dev");
    assert_int_equal(em_find_judge(small, sizeof small, NULL), EM_ENVIRONMENT); /* no room: not cut to another name */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_the_meaning_of_every_end_of_the_judge),
        cmocka_unit_test(hands_the_words_on_behind_the_file),
        cmocka_unit_test(survives_the_failure_of_any_allocation),
        cmocka_unit_test(igraph_agrees_with_the_files_that_are_written),
        cmocka_unit_test(self_check_finds_lost_doubled_and_changed_arcs),
        cmocka_unit_test(finds_the_judge_or_says_how_to_get_it),
    };
    return cmocka_run_group_tests(tests, judge_enter, judge_leave);
}
