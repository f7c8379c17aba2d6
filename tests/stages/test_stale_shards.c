/* test_stale_shards - shards of an older partition go with its manifest, and nothing else does.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/pipeline.h"
#include "tests/support_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static em_read_report report;

static int begin(void **state)
{
    (void)files_set_up(state);
    files_put_text(files_path("g.el"), "0 1\n1 2\n2 3\n3 4\n4 5\n5 0\n");
    return 0;
}

static em_status save(uint64_t n_parts, const char *options, const char *name, uint64_t fail_allocation,
                      em_error *error)
{
    const em_knobs knobs = {.fail_allocation = fail_allocation};
    em_context *context;
    em_pipeline *pipeline = NULL;
    char spec[1024];
    snprintf(spec, sizeof spec, "load %s | csr | sort | partition %d | save %s -- %s", files_path("g.el"), (int)n_parts,
             options, files_path(name));
    const em_context_options how = {.n_threads = 2, .knobs = knobs};
    assert_int_equal(em_context_create(&how, &context, NULL), EM_OK);
    em_status status = em_pipeline_create(context, &pipeline, error);
    if (status == EM_OK)
        status = em_pipeline_add_spec(pipeline, spec, error);
    if (status == EM_OK)
        status = em_pipeline_run(pipeline, NULL, NULL, &report, NULL, error);
    em_pipeline_free(pipeline);
    assert_int_equal(em_context_memory(context).current_bytes, 0);
    em_context_free(context);
    return status;
}

static void must_save(uint64_t n_parts, const char *options, const char *name)
{
    em_error error = {0};
    if (save(n_parts, options, name, 0, &error) != EM_OK)
        fail_msg("%s", error.message);
}

static bool there(const char *name)
{
    struct stat facts;
    return lstat(files_path(name), &facts) == 0;
}

static void copy(const char *from, const char *to)
{
    size_t n;
    unsigned char *const bytes = files_get(files_path(from), &n);
    files_put(files_path(to), bytes, n);
    free(bytes);
}

static void those_that_only_the_older_manifest_lists_go(void **state)
{
    (void)state;
    static const uint64_t parts[] = {4, 2, 12, 1, 3, 12, 10, 1, 12};
    for (int npz = 0; npz < 2; npz++)
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
            char name[32];
            must_save(parts[i], "", npz ? "web.npz" : "web.csr");
            for (uint64_t k = 0; k < 12; k++)
                for (int digits = 1; digits < 3; digits++) {
                    snprintf(name, sizeof name, "web.%0*d.%s", digits, (int)k, npz ? "npz" : "csr");
                    const bool listed = k < parts[i] && (parts[i] > 10) == (digits == 2);
                    if ((k < 10 || digits == 2) && there(name) != listed)
                        fail_msg("%s, of %d parts", name, (int)parts[i]);
                }
            const bool had_others = i > 0 && !(parts[i - 1] == 1 && parts[i] == 3);
            assert_int_equal(report.n_notes, had_others);
            if (i == 1)
                assert_non_null(
                    strstr(report.notes[0], npz ? "removed: web.2.npz, web.3.npz" : "web.csr.json: 2 shards"));
        }
}

static void all_else_stays(void **state)
{
    (void)state;
    must_save(6, "", "web.csr");
    copy("web.csr.json", "other.csr.json"); /* which names shards that are not called after it */
    must_save(2, "", "other.csr");
    assert_int_equal(report.n_notes, 0);
    assert_true(there("web.2.csr") && there("web.5.csr"));
    copy("web.0.csr", "web.2.csr");                                   /* another shard than is listed */
    files_put_text(files_path("web.3.csr"), "something of the user"); /* no shard at all */
    copy("web.4.csr", "kept.csr");
    unlink(files_path("web.4.csr"));
    assert_int_equal(symlink("kept.csr", files_path("web.4.csr")), 0);
    must_save(2, "", "web.csr");
    assert_true(there("web.2.csr") && there("web.3.csr") && there("web.4.csr") && there("kept.csr"));
    assert_false(there("web.5.csr"));
    assert_int_equal(report.n_notes, 1);
    assert_non_null(strstr(report.notes[0], "1 shard of the partition before is removed: web.5.csr"));
}

static void a_file_that_is_no_manifest_names_nothing(void **state)
{
    (void)state;
    must_save(4, "", "web.csr");
    size_t n;
    unsigned char *const bytes = files_get(files_path("web.csr.json"), &n);
    memcpy(strstr((char *)bytes, "\"vertices\""), "\"vertexes\"", 10);
    files_put(files_path("web.csr.json"), bytes, n);
    free(bytes);
    must_save(2, "", "web.csr");
    assert_true(there("web.2.csr") && there("web.3.csr"));
    assert_int_equal(report.n_notes, 0);
}

static void an_output_of_the_run_is_not_removed(void **state)
{
    (void)state;
    char options[256];
    must_save(4, "", "web.csr");
    snprintf(options, sizeof options, "--map=%s", files_path("web.2.csr"));
    must_save(2, options, "web.csr");
    assert_true(there("web.2.csr"));
    assert_false(there("web.3.csr"));
    assert_non_null(strstr(report.notes[0], "1 shard of the partition before is removed: web.3.csr"));
}

static void a_failure_removes_nothing(void **state)
{
    (void)state;
    must_save(4, "", "web.csr");
    const int n_files = files_count();
    em_status status = EM_NO_MEMORY;
    for (uint64_t n = 1; status != EM_OK; n++) {
        em_error error = {0};
        status = save(2, "", "web.csr", n, &error);
        if (status != EM_OK) {
            assert_int_equal(status, EM_NO_MEMORY);
            assert_int_equal(files_count(), n_files);
        }
    }
    assert_int_equal(files_count(), n_files - 2);
}

static void what_has_changed_since_stays(void **state)
{
    (void)state;
    em_context *const context = files_context(1, NULL);
    em_output *output;
    assert_int_equal(em_output_open(context, files_path("new"), &output, NULL), EM_OK);
    static const char *const names[] = {"same", "replaced", "gone", "never", "../g.el"};
    for (int i = 0; i < 5; i++) {
        if (i < 3)
            files_put_text(files_path(names[i]), "old");
        assert_int_equal(em_output_supersede(output, names[i], NULL), EM_OK);
    }
    files_put_text(files_path("newer"), "new");
    assert_int_equal(rename(files_path("newer"), files_path("replaced")), 0);
    unlink(files_path("gone"));
    files_put_text(files_path("never"), "new");
    assert_int_equal(em_output_commit(output, NULL), EM_OK);
    assert_false(there("same"));
    assert_true(there("new") && there("replaced") && there("never") && there("g.el"));
    assert_int_equal(em_output_open(context, files_path("new"), &output, NULL), EM_OK);
    assert_int_equal(em_output_supersede(output, "never", NULL), EM_OK);
    em_output_drop(output);
    assert_true(there("never"));
    em_context_free(context);
}

static void shards_are_named_after_files_alone(void **state)
{
    (void)state;
    static const char *const names[] = {"/dev/null", "/dev/stdout", "/dev/fd/1", ".", "..", "/tmp/", "/tmp", "-"};
    em_context *context;
    assert_int_equal(em_context_create(NULL, &context, NULL), EM_OK);
    for (size_t i = 0; i < sizeof names / sizeof *names + 1; i++) {
        em_pipeline *pipeline;
        em_error error = {0};
        char spec[512];
        const char *const name = i < 8 ? names[i] : files_path("pipe");
        if (i == 8)
            assert_int_equal(mkfifo(name, 0600), 0);
        snprintf(spec, sizeof spec, "load %s | csr | partition 2 | save --to=csr -- %s", files_path("g.el"), name);
        assert_int_equal(em_pipeline_create(context, &pipeline, NULL), EM_OK);
        assert_int_equal(em_pipeline_add_spec(pipeline, spec, NULL), EM_OK);
        assert_int_equal(em_pipeline_run(pipeline, NULL, NULL, NULL, NULL, &error), EM_USAGE);
        files_assert_says(error, "shards are files");
        em_pipeline_free(pipeline);
    }
    assert_int_equal(access("/dev/null.0.csr", F_OK), -1);
    em_context_free(context);
    assert_int_equal(files_count(), 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, files_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(those_that_only_the_older_manifest_lists_go),
        TEST(all_else_stays),
        TEST(a_file_that_is_no_manifest_names_nothing),
        TEST(an_output_of_the_run_is_not_removed),
        TEST(a_failure_removes_nothing),
        TEST(what_has_changed_since_stays),
        TEST(shards_are_named_after_files_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
