/* test_partition - rows cut into ranges, and a file for each.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/pipeline.h"
#include "tests/reference.h"
#include "tests/support_files.h"

#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- pipelines ------------------------------------------------------------------------------------ */

/* Runs stages given as text: words apart by blanks, stages by "|"; "@name" is a file of the folder. */
static em_status run(em_context *context, const char *text, em_graph *graph, em_error *error)
{
    em_pipeline *pipeline;
    char words_text[65536], *words[256], *rest = words_text;
    em_read_report report;
    assert_true(strlen(text) < sizeof words_text);
    strcpy(words_text, text);
    em_status status = em_pipeline_create(context, &pipeline, error);
    if (status != EM_OK)
        return status;
    for (char *stage; status == EM_OK && (stage = strsep(&rest, "|"));) {
        int n = 0;
        for (char *word; (word = strsep(&stage, " "));)
            if (*word) {
                assert_true(n < 255);
                char *const at = strchr(word, '@');
                if (at) {
                    *at = 0;
                    char *joined;
                    assert_true(asprintf(&joined, "%s%s", word, files_path(at + 1)) > 0);
                    words[n++] = joined;
                } else {
                    words[n++] = strdup(word);
                }
            }
        words[n] = NULL;
        status = em_pipeline_add(pipeline, n, words, error);
        while (n > 0)
            free(words[--n]);
    }
    if (status == EM_OK)
        status = em_pipeline_run(pipeline, NULL, graph, &report, NULL, error);
    em_pipeline_free(pipeline);
    return status;
}

static void must_run(em_context *context, const char *text, em_graph *graph)
{
    em_error error = {0};
    if (run(context, text, graph, &error) != EM_OK)
        fail_msg("%s: %s", text, error.message);
}

static void close_context(em_context *context)
{
    assert_int_equal(em_context_memory(context).current_bytes, 0);
    em_context_free(context);
}

static void assert_same_file(const char *left, const char *right)
{
    size_t n, m;
    unsigned char *a = files_get(files_path(left), &n), *b = files_get(files_path(right), &m);
    assert_int_equal(n, m);
    assert_memory_equal(a, b, n);
    free(a);
    free(b);
}

/* Removes what matches. */
static void clean(const char *pattern)
{
    glob_t found;
    if (glob(files_path(pattern), 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            unlink(found.gl_pathv[i]);
    globfree(&found);
}

#define CSR "load --vertices=8 @a.el|degrees|offsets|scatter|sort|"

/* Vertex 1 has five arcs, 4 has two, 5 has one. */
static void put_example(void)
{
    files_put_text(files_path("a.el"), "1 0\n1 2\n1 3\n1 4\n1 5\n4 1\n4 7\n5 5\n");
}

/* --- partition ------------------------------------------------------------------------------------ */

static void parts_begin_where_their_share_of_arcs_does(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t n, begins[10];
    } table[] = {
        {"1", 1, {0, 8}},
        {"2", 2, {0, 2, 8}},
        {"3", 3, {0, 2, 5, 8}},
        {"4", 4, {0, 2, 2, 5, 8}},
        {"8", 8, {0, 2, 2, 2, 2, 2, 5, 5, 8}},
    };
    em_context *context = files_context(2, NULL);
    put_example();
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        em_graph graph = {0};
        char text[256];
        snprintf(text, sizeof text, CSR "partition %s", table[i].text);
        must_run(context, text, &graph);
        assert_true(graph.facts & EM_HAS_PARTS);
        assert_int_equal(graph.parts.n_bytes, 8 * (table[i].n + 1));
        assert_memory_equal(graph.parts.at, table[i].begins, graph.parts.n_bytes);
        em_graph_free(&graph);
    }
    close_context(context);
}

static void without_arcs_vertices_are_cut_evenly(void **state)
{
    (void)state;
    static const uint64_t begins[] = {0, 2, 5, 8};
    em_context *context = files_context(2, NULL);
    em_graph graph = {0};
    files_put_text(files_path("a.el"), "");
    must_run(context, CSR "partition 3", &graph);
    assert_memory_equal(graph.parts.at, begins, sizeof begins);
    em_graph_free(&graph);
    close_context(context);
}

static void words_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } table[] = {
        {CSR "partition", "partition needs P"},
        {CSR "partition 2 3", "partition: one P, not '2' and '3'"},
        {CSR "partition 0", "partition 0: wanted a whole number from 1 to 65536"},
        {CSR "partition 65537", "from 1 to 65536"},
        {CSR "partition --odd", "partition: unknown option '--odd'"},
        {"load @a.el|partition 2", "stage 2, partition, needs a CSR"},
        {CSR "partition 2|save @w.el", "format el cannot hold some rows of a graph; csr and npz can"},
        {CSR "partition 2|save --to=csr -", "standard output cannot hold them"},
        {CSR "save --to=csr --map=@w.csr @w.csr", "are one file, and both are outputs"},
        {"load @a.el|positions|degrees|offsets|scatter|save --map=@m --edge-ids=@m @w.csr",
         "are one file, and both are outputs"},
        {CSR "save @w.csr|save @w.csr", "are one file, and both are outputs"},
        {CSR "partition 2|save --map=@w.0.csr @w.csr", "are one file, and both are outputs"},
        {CSR "save --map= @w.csr", "--map needs a value"},
        {CSR "save --map=@m --map=@n @w.csr", "save: --map is given twice: "},
        {CSR "save @w.csr --edge-ids", "--edge-ids needs a value"},
        {CSR "save --edge-ids=@e @w.csr", "--edge-ids needs positions, which the stage positions gives"},
    };
    em_context *context = files_context(2, NULL);
    put_example();
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        em_error error = {0};
        if (run(context, table[i].text, NULL, &error) != EM_USAGE)
            fail_msg("row %zu: %s", i, error.message);
        files_assert_says(error, table[i].says);
        assert_int_equal(files_count(), 1); /* a.el */
    }
    close_context(context);
}

/* --- shards --------------------------------------------------------------------------------------- */

static void names_of_shards_and_manifest_follow_from_the_one_given(void **state)
{
    (void)state;
    static const struct {
        const char *words, *first, *manifest;
    } table[] = {
        {"partition 2|save @w.csr", "w.0.csr", "w.csr.json"},
        {"partition 11|save @w.npz", "w.00.npz", "w.npz.json"},
        {"partition 10|save --to=csr @w.json", "w.0.csr", "w.json"},
        {"partition 101|save --to=npz @w.x.JSON", "w.x.000.npz", "w.x.JSON"},
        {"partition 1|save @w.csr.json --to=csr", "w.0.csr", "w.csr.json"},
        {"partition 2|save @w --to=csr", "w.0.csr", "w.json"},
        {"partition 2|save @.w --to=csr", ".w.0.csr", ".w.json"},
        {"partition 2|save @w.graph --to=csr", "w.0.graph", "w.graph.json"},
    };
    em_context *context = files_context(2, NULL);
    put_example();
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char text[256];
        snprintf(text, sizeof text, CSR "%s", table[i].words);
        must_run(context, text, NULL);
        if (access(files_path(table[i].first), R_OK) != 0 || access(files_path(table[i].manifest), R_OK) != 0)
            fail_msg("row %zu: %s or %s is not there", i, table[i].first, table[i].manifest);
        clean("*w.*");
        clean(".w.*");
    }
    close_context(context);
}

static void the_manifest_is_written_by_hand(void **state)
{
    (void)state;
    em_context *context = files_context(2, NULL);
    put_example();
    must_run(context, CSR "partition 2|save @w.npz", NULL);
    size_t n;
    unsigned char *text = files_get(files_path("w.npz.json"), &n);
    assert_non_null(strstr((char *)text, "\"vertices\": 8,\n  \"arcs\": 8,"));
    assert_non_null(strstr((char *)text, "\"sorted\""));
    assert_non_null(strstr((char *)text,
                           "\"file\": \"w.1.npz\",\n      \"first_vertex\": 2,\n      \"end_vertex\": 8,\n"
                           "      \"first_arc\": 5,\n      \"arcs\": 3"));
    free(text);
    close_context(context);
}

static void put_random(uint64_t seed, uint64_t n, uint64_t m)
{
    FILE *const file = fopen(files_path("r.el"), "w");
    assert_non_null(file);
    for (uint64_t i = 0; i < m; i++) {
        const uint64_t source = ref_random(&seed) % n, skewed = source * (ref_random(&seed) % n) / n;
        fprintf(file, "%llu %llu %lld\n", (unsigned long long)skewed, (unsigned long long)(ref_random(&seed) % n),
                (long long)(ref_random(&seed) % 1000) - 500);
    }
    assert_int_equal(fclose(file), 0);
}

/* "load " and the names of all shards, in the order of the numbers. */
static void load_shards(char *text, size_t n_bytes, const char *rest)
{
    glob_t found;
    size_t length = (size_t)snprintf(text, n_bytes, "load");
    assert_int_equal(glob(files_path("w.*.*"), 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++)
        if (!strstr(found.gl_pathv[i], ".json"))
            length += (size_t)snprintf(text + length, n_bytes - length, " %s", found.gl_pathv[i]);
    globfree(&found);
    snprintf(text + length, n_bytes - length, "|%s", rest);
}

static void shards_put_together_are_the_whole_file(void **state)
{
    (void)state;
    static const uint64_t sizes[][2] = {{1, 0}, {1, 3}, {5, 9}, {40, 300}, {300, 2000}};
    for (uint64_t parts = 1; parts <= 17; parts++) {
        const uint64_t *size = sizes[parts % 5];
        const uint32_t threads = 1 + (uint32_t)parts % 5;
        const bool weighted = parts % 2, npz = parts % 3 == 0;
        em_context *context = files_context(threads, &(em_knobs){.chunk_bytes = 37 * parts});
        char text[4096], rest[512];
        put_random(parts, size[0], size[1]);
        snprintf(rest, sizeof rest, "load%s --vertices=%llu @r.el|degrees|offsets|scatter|sort|",
                 weighted ? "" : " --weights=none", (unsigned long long)size[0] + parts % 2);
        snprintf(text, sizeof text, "%ssave @whole.csr", rest);
        must_run(context, text, NULL);
        snprintf(text, sizeof text, "%spartition %llu|save @w.%s", rest, (unsigned long long)parts,
                 npz ? "npz" : "csr");
        em_graph graph = {0};
        must_run(context, text, &graph);
        em_csr whole = files_open(context, files_path("whole.csr")); /* offsets are back where they were */
        files_assert_same(&graph.csr, &whole);
        em_csr_free(&whole);
        em_graph_free(&graph);
        load_shards(text, sizeof text, "degrees|offsets|scatter|sort|save @back.csr");
        if (size[1]) { /* no arc, no weights, where inputs are several */
            must_run(context, text, NULL);
            assert_same_file("whole.csr", "back.csr");
        }
        snprintf(text, sizeof text, "load @w.%s.json|degrees|offsets|scatter|sort|save @back.csr", npz ? "npz" : "csr");
        must_run(context, text, NULL);
        assert_same_file("whole.csr", "back.csr");
        clean("w.*");
        close_context(context);
    }
}

static void same_shards_for_any_number_of_threads(void **state)
{
    (void)state;
    put_random(3, 200, 3000);
    for (uint32_t threads = 1; threads <= 5; threads++) {
        em_context *context = files_context(threads, NULL);
        must_run(context, "load @r.el|degrees|offsets|scatter|sort|partition 3|save @w.csr", NULL);
        if (threads > 1) {
            assert_same_file("w.0.csr", "1.0.csr");
            assert_same_file("w.1.csr", "1.1.csr");
            assert_same_file("w.2.csr", "1.2.csr");
            assert_same_file("w.csr.json", "1.csr.json");
        } else {
            assert_int_equal(rename(files_path("w.0.csr"), files_path("1.0.csr")), 0);
            assert_int_equal(rename(files_path("w.1.csr"), files_path("1.1.csr")), 0);
            assert_int_equal(rename(files_path("w.2.csr"), files_path("1.2.csr")), 0);
            assert_int_equal(rename(files_path("w.csr.json"), files_path("1.csr.json")), 0);
        }
        close_context(context);
    }
}

/* --- what fails ----------------------------------------------------------------------------------- */

static void every_failing_allocation_leaves_nothing(void **state)
{
    (void)state;
    put_example();
    for (uint64_t n = 1;; n++) {
        em_context *poor = files_context(2, &(em_knobs){.fail_allocation = n});
        em_graph graph = {0};
        const em_status status = run(poor, CSR "partition 3|save --map=@m @w.csr", &graph, NULL);
        em_graph_free(&graph);
        assert_int_equal(em_context_memory(poor).current_bytes, 0);
        em_context_free(poor);
        assert_int_equal(files_count(), status == EM_OK ? 6 : 1);
        if (status == EM_OK)
            break;
        assert_int_equal(status, EM_NO_MEMORY);
    }
}

/* The system refuses to let a file grow past a limit. */
static void a_shard_that_cannot_be_written_leaves_nothing_and_the_graph_as_it_was(void **state)
{
    (void)state;
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    put_random(5, 3000, 20000);
    em_context *context = files_context(2, NULL);
    signal(SIGXFSZ, SIG_IGN);
    for (int i = 0; i < 2; i++) {
        small = (struct rlimit){i ? 20000 : 70000, before.rlim_max};
        em_error error = {0};
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        const em_status status =
            run(context, "load @r.el|degrees|offsets|scatter|sort|partition 4|save @w.csr", NULL, &error);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_int_equal(status, EM_ENVIRONMENT);
        files_assert_says(error, "File too large");
        assert_int_equal(files_count(), 1); /* r.el */
    }
    signal(SIGXFSZ, SIG_DFL);
    close_context(context);
}

static void too_many_files_are_an_error_that_tells_the_limit(void **state)
{
    (void)state;
    struct rlimit before, few;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    put_example();
    em_context *context = files_context(1, NULL);
    em_error error = {0};
    few = (struct rlimit){64, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    const em_status status = run(context, CSR "partition 100|save @w.csr", NULL, &error);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(status, EM_ENVIRONMENT);
    files_assert_says(error, "100 shards are written together and take 218 open files, and the limit is 64");
    assert_int_equal(files_count(), 1);
    close_context(context);
}

static void a_name_that_is_taken_by_a_folder_is_an_error_before_reading(void **state)
{
    (void)state;
    em_context *context = files_context(1, NULL);
    em_error error = {0};
    assert_int_equal(mkdir(files_path("w.1.csr"), 0777), 0);
    assert_int_equal(run(context, "load @none.el|degrees|offsets|scatter|partition 2|save @w.csr", NULL, &error),
                     EM_ENVIRONMENT);
    files_assert_says(error, "w.1.csr: ");
    assert_int_equal(files_count(), 1);
    assert_int_equal(rmdir(files_path("w.1.csr")), 0);
    close_context(context);
}

static void more_shards_than_a_table_of_outputs_had(void **state)
{
    (void)state;
    em_context *context = files_context(2, NULL);
    put_random(5, 500, 3000);
    must_run(context, "load @r.el|degrees|offsets|scatter|sort|save @whole.csr", NULL);
    must_run(context, "load @r.el|degrees|offsets|scatter|sort|partition 300|save @w.csr", NULL);
    assert_int_equal(files_count(), 303);
    must_run(context, "load @w.csr.json|degrees|offsets|scatter|sort|save @back.csr", NULL);
    assert_same_file("whole.csr", "back.csr");
    close_context(context);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, files_set_up, files_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(parts_begin_where_their_share_of_arcs_does),
        TEST(without_arcs_vertices_are_cut_evenly),
        TEST(words_that_make_no_sense_are_refused),
        TEST(names_of_shards_and_manifest_follow_from_the_one_given),
        TEST(the_manifest_is_written_by_hand),
        TEST(shards_put_together_are_the_whole_file),
        TEST(same_shards_for_any_number_of_threads),
        TEST(every_failing_allocation_leaves_nothing),
        TEST(a_shard_that_cannot_be_written_leaves_nothing_and_the_graph_as_it_was),
        TEST(too_many_files_are_an_error_that_tells_the_limit),
        TEST(a_name_that_is_taken_by_a_folder_is_an_error_before_reading),
        TEST(more_shards_than_a_table_of_outputs_had),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
