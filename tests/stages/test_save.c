/* test_save - what is saved beside a graph: the map of its vertices and the input numbers of its arcs.
 *
 * Labels and positions are put into the graph by stages of this program, so that nothing but save is tested.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/pipeline.h"
#include "tests/reference.h"
#include "tests/support_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- a graph, whatever a test wants ---------------------------------------------------------------- */

static struct wanted {
    uint64_t n;
    const uint64_t *ids, *ends, *positions;
    const char *text;
} wanted;

static em_status copy(em_context *context, em_buffer *into, const void *from, uint64_t n, uint64_t size,
                      em_error *error)
{
    if (!from)
        return EM_OK;
    em_buffer_free(into);
    const em_status status = em_buffer_allocate(context, into, n, size, error);
    if (status == EM_OK)
        memcpy(into->at, from, n * size);
    return status;
}

static em_status put_extras(em_run *run, const void *options, em_graph *graph, em_error *error)
{
    (void)options;
    const uint64_t n = graph->csr.n_vertices;
    em_status status = copy(run->context, &graph->labels.ids, wanted.ids, n, 8, error);
    if (status == EM_OK)
        status = copy(run->context, &graph->labels.ends, wanted.ends, n + 1, 8, error);
    if (status == EM_OK && wanted.ends)
        status = copy(run->context, &graph->labels.text, wanted.text, wanted.ends[n], 1, error);
    if (status == EM_OK)
        status = copy(run->context, &graph->csr.positions, wanted.positions, graph->csr.n_arcs, 8, error);
    return status;
}

static em_status parse_nothing(em_context *context, int argc, char **argv, void **options, em_error *error)
{
    (void)context, (void)argc, (void)argv, (void)error;
    *options = NULL;
    return EM_OK;
}

static void free_nothing(em_context *context, void *options)
{
    (void)context, (void)options;
}

static const em_stage EXTRAS = {
    .abi = EM_STAGE_ABI,
    .name = "extras",
    .summary = "labels and positions of a test",
    .usage = "extras",
    .forms = {{.takes = EM_HAS_CSR, .gives = EM_HAS_POSITIONS, .keeps = UINT64_MAX}},
    .parse = parse_nothing,
    .free_options = free_nothing,
    .run = {put_extras, put_extras, NULL},
};

/* load NAME | degrees | offsets | scatter | extras [| partition 2] | save --map=m --edge-ids=e w.csr, as far as asked.
 */
typedef struct save_call {
    const char *vertices; /* of load */
    bool map, edge_ids, parts;
} save_call;

static em_status run(em_context *context, const save_call *call, em_error *error)
{
    em_pipeline *pipeline = NULL;
    em_read_report report;
    char words[4][256];
    snprintf(words[0], sizeof words[0], "--vertices=%s", call->vertices);
    snprintf(words[1], sizeof words[1], "--map=%s", files_path("m"));
    snprintf(words[2], sizeof words[2], "--edge-ids=%s", files_path("e"));
    snprintf(words[3], sizeof words[3], "%s", files_path("w.csr"));
    char *load[] = {"load", words[0], (char *)files_path("a.el"), NULL}, *save[5] = {"save"};
    char *const rest[][3] = {{"degrees"}, {"offsets"}, {"scatter"}, {"extras"}, {"partition", "2"}};
    int n = 1;
    if (call->map)
        save[n++] = words[1];
    if (call->edge_ids)
        save[n++] = words[2];
    save[n++] = words[3];
    em_status status = em_stage_register(context, &EXTRAS, error);
    if (status == EM_OK)
        status = em_pipeline_create(context, &pipeline, error);
    if (status == EM_OK)
        status = em_pipeline_add(pipeline, 3, load, error);
    for (int i = 0; i < (call->parts ? 5 : 4) && status == EM_OK; i++)
        status = em_pipeline_add(pipeline, i == 4 ? 2 : 1, (char **)(uintptr_t)rest[i], error);
    if (status == EM_OK)
        status = em_pipeline_add(pipeline, n, save, error);
    if (status == EM_OK)
        status = em_pipeline_run(pipeline, NULL, NULL, &report, NULL, error);
    em_pipeline_free(pipeline);
    return status;
}

static void must_run(const em_knobs *knobs, uint32_t threads, const save_call *call)
{
    em_context *context = files_context(threads, knobs);
    em_error error = {0};
    if (run(context, call, &error) != EM_OK)
        fail_msg("%s", error.message);
    em_context_free(context);
}

static void assert_text(const char *name, const char *text)
{
    size_t n;
    unsigned char *bytes = files_get(files_path(name), &n);
    assert_int_equal(n, strlen(text));
    assert_string_equal((char *)bytes, text);
    free(bytes);
}

/* --- by hand -------------------------------------------------------------------------------------- */

static void without_labels_the_map_is_the_identity(void **state)
{
    (void)state;
    wanted = (struct wanted){0};
    files_put_text(files_path("a.el"), "1 0\n");
    must_run(NULL, 2, &(save_call){.vertices = "11", .map = true});
    assert_text("m", "0\t0\n1\t1\n2\t2\n3\t3\n4\t4\n5\t5\n6\t6\n7\t7\n8\t8\n9\t9\n10\t10\n");
}

static void a_map_names_the_ids_of_the_input(void **state)
{
    (void)state;
    static const uint64_t ids[] = {7, UINT64_C(9223372036854775806), 0};
    wanted = (struct wanted){.ids = ids};
    files_put_text(files_path("a.el"), "1 0\n");
    must_run(NULL, 2, &(save_call){.vertices = "3", .map = true});
    assert_text("m", "0\t7\n1\t9223372036854775806\n2\t0\n");
}

static void a_map_names_labels_with_what_would_break_lines_escaped(void **state)
{
    (void)state;
    static const char text[] = "anna\ta\nb\\\\n\xc3\xa9";
    static const uint64_t ends[] = {0, 4, 9, 11, 11, 12, 13};
    wanted = (struct wanted){.text = text, .ends = ends};
    files_put_text(files_path("a.el"), "1 0\n");
    must_run(NULL, 2, &(save_call){.vertices = "6", .map = true});
    assert_text("m", "0\tanna\n1\t\\ta\\nb\\\\\n2\t\\\\n\n3\t\n4\t\xc3\n5\t\xa9\n");
}

static void an_empty_graph_has_an_empty_map(void **state)
{
    (void)state;
    wanted = (struct wanted){0};
    files_put_text(files_path("a.el"), "");
    must_run(NULL, 2, &(save_call){.vertices = "0", .map = true});
    assert_text("m", "");
}

static void edge_ids_are_the_numbers_of_input_arcs(void **state)
{
    (void)state;
    static const uint64_t positions[] = {2 * 2, 2 * 0 + 1, 2 * 12345678901ULL + 1};
    static const uint64_t numbers[] = {2, 0, 12345678901};
    wanted = (struct wanted){.positions = positions};
    files_put_text(files_path("a.el"), "2 1\n1 2\n0 1\n");
    must_run(NULL, 2, &(save_call){.vertices = "3", .edge_ids = true, .map = true});
    assert_text("e", "2\n0\n12345678901\n");
    size_t n;
    unsigned char *bytes = files_get(files_path("w.csr"), &n);
    uint64_t at;
    memcpy(&at, bytes + 64, 8);
    assert_memory_equal(bytes + at, numbers, sizeof numbers);
    free(bytes);
    must_run(NULL, 2, &(save_call){.vertices = "3", .edge_ids = true, .parts = true});
    assert_text("e", "2\n0\n12345678901\n");
    bytes = files_get(files_path("w.0.csr"), &n);
    memcpy(&at, bytes + 64, 8);
    assert_memory_equal(bytes + at, numbers, 2 * sizeof *numbers);
    free(bytes);
}

/* --- against a reference -------------------------------------------------------------------------- */

/* No arcs have no positions to hold, and so nothing that says they were not asked for but the chain. */
static void a_graph_without_arcs_has_no_edge_ids(void **state)
{
    (void)state;
    files_put_text(files_path("a.el"), "");
    must_run(NULL, 2, &(save_call){.vertices = "3", .edge_ids = true});
    assert_text("e", "");
    must_run(NULL, 2, &(save_call){.vertices = "3", .edge_ids = true, .parts = true});
    assert_text("e", "");
}

static void same_text_as_printf_makes_for_any_threads_and_chunks(void **state)
{
    (void)state;
    enum { N = 3000, M = 5000 };
    static uint64_t ids[N], ends[N + 1], positions[M];
    static char text[N * 10];
    uint64_t seed = 5, n_text = 0;
    FILE *const input = fopen(files_path("a.el"), "w");
    for (int i = 0; i < M; i++) {
        positions[i] = ref_random(&seed) >> ref_random(&seed) % 64;
        fprintf(input, "%d %d\n", (int)(ref_random(&seed) % N), (int)(ref_random(&seed) % N));
    }
    fclose(input);
    for (int i = 0; i < N; i++) {
        ids[i] = (ref_random(&seed) >> ref_random(&seed) % 64) >> 1;
        ends[i] = n_text;
        for (uint64_t n = ref_random(&seed) % 10; n > 0; n--)
            text[n_text++] = "ab\t\n\\"[ref_random(&seed) % 5];
    }
    ends[N] = n_text;
    for (int labels = 0; labels < 3; labels++) {
        wanted = (struct wanted){
            .positions = positions, .ids = labels == 1 ? ids : NULL, .ends = labels == 2 ? ends : NULL, .text = text};
        char *map, *edge_ids;
        size_t map_bytes, edge_bytes;
        FILE *out = open_memstream(&map, &map_bytes);
        for (int i = 0; i < N; i++) {
            fprintf(out, "%d\t", i);
            for (uint64_t at = ends[i]; labels == 2 && at < ends[i + 1]; at++)
                fputs(text[at] == '\t'   ? "\\t"
                      : text[at] == '\n' ? "\\n"
                      : text[at] == '\\' ? "\\\\"
                                         : (char[2]){text[at], 0},
                      out);
            if (labels < 2)
                fprintf(out, "%llu", (unsigned long long)(labels ? ids[i] : (uint64_t)i));
            fputc('\n', out);
        }
        fclose(out);
        out = open_memstream(&edge_ids, &edge_bytes);
        for (int i = 0; i < M; i++)
            fprintf(out, "%llu\n", (unsigned long long)(positions[i] / 2));
        fclose(out);
        for (uint32_t threads = 1; threads <= 5; threads++) {
            const em_knobs knobs = {.chunk_bytes = threads == 1 ? 0 : 16 + 160 * threads};
            must_run(&knobs, threads, &(save_call){.vertices = "3000", .map = true, .edge_ids = true});
            size_t n;
            unsigned char *bytes = files_get(files_path("m"), &n);
            assert_int_equal(n, map_bytes);
            assert_memory_equal(bytes, map, n);
            free(bytes);
            bytes = files_get(files_path("e"), &n);
            assert_int_equal(n, edge_bytes);
            assert_memory_equal(bytes, edge_ids, n);
            free(bytes);
        }
        free(map);
        free(edge_ids);
    }
}

/* --- what fails ----------------------------------------------------------------------------------- */

static void every_failing_allocation_leaves_nothing(void **state)
{
    (void)state;
    static const char text[] = "annabell";
    static const uint64_t ends[] = {0, 4, 8, 8}, positions[] = {0, 2};
    wanted = (struct wanted){.text = text, .ends = ends, .positions = positions};
    files_put_text(files_path("a.el"), "0 1\n1 2\n");
    for (uint64_t n = 1;; n++) {
        em_context *poor = files_context(2, &(em_knobs){.fail_allocation = n});
        const em_status status =
            run(poor, &(save_call){.vertices = "3", .map = true, .edge_ids = true, .parts = n % 2}, NULL);
        const int n_files = files_count();
        em_context_free(poor);
        if (status == EM_OK)
            break;
        assert_int_equal(n_files, 1);
        assert_int_equal(status, EM_NO_MEMORY);
    }
}

static void an_output_that_is_full_leaves_nothing(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0)
        skip();
    wanted = (struct wanted){0};
    files_put_text(files_path("a.el"), "0 1\n1 2\n");
    assert_int_equal(symlink("/dev/full", files_path("m")), 0);
    em_context *context = files_context(2, NULL);
    em_error error = {0};
    assert_int_equal(run(context, &(save_call){.vertices = "3", .map = true, .parts = true}, &error), EM_ENVIRONMENT);
    files_assert_says(error, "m: write: No space left on device");
    assert_int_equal(files_count(), 2); /* a.el and the link */
    em_context_free(context);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, files_set_up, files_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(without_labels_the_map_is_the_identity),
        TEST(a_map_names_the_ids_of_the_input),
        TEST(a_map_names_labels_with_what_would_break_lines_escaped),
        TEST(an_empty_graph_has_an_empty_map),
        TEST(edge_ids_are_the_numbers_of_input_arcs),
        TEST(a_graph_without_arcs_has_no_edge_ids),
        TEST(same_text_as_printf_makes_for_any_threads_and_chunks),
        TEST(every_failing_allocation_leaves_nothing),
        TEST(an_output_that_is_full_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
