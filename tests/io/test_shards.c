/* test_shards - files that hold some rows of a graph, and the manifest that lists them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/csr_file.h"
#include "io/read.h"
#include "io/shard_manifest.h"
#include "tests/io/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

/* Vertices 2 and 3 of 5: 2 -> 0, 4; 3 -> 3. */
static const uint64_t OFFSETS[] = {0, 2, 3};
static const uint32_t TARGETS[] = {0, 4, 3};
static const int64_t WEIGHTS[] = {-1, 2, INT64_MIN};

static em_csr example(em_weight_kind kind)
{
    em_csr csr = files_csr(2, OFFSETS, TARGETS, kind, WEIGHTS);
    csr.first_vertex = 2;
    csr.n_targets = 5;
    return csr;
}

static uint64_t u64_at(const unsigned char *bytes, size_t at)
{
    uint64_t value;
    memcpy(&value, bytes + at, sizeof value);
    return value;
}

/* A shard of rows begin to end - 1; the caller frees its offsets. */
static em_csr cut(const em_csr *csr, uint64_t begin, uint64_t end)
{
    const uint64_t *offsets = csr->offsets.at;
    const uint64_t first = offsets[begin], m = offsets[end] - first;
    em_csr shard = {.n_vertices = end - begin,
                    .n_arcs = m,
                    .first_vertex = begin,
                    .n_targets = csr->n_vertices,
                    .id_bytes = csr->id_bytes,
                    .weight_kind = csr->weight_kind,
                    .facts = csr->facts};
    assert_int_equal(em_buffer_allocate(context, &shard.offsets, end - begin + 1, 8, NULL), EM_OK);
    for (uint64_t i = begin; i <= end; i++)
        ((uint64_t *)shard.offsets.at)[i - begin] = offsets[i] - first;
    shard.targets = em_buffer_borrow((char *)csr->targets.at + first * csr->id_bytes, m * csr->id_bytes);
    const uint32_t weight_bytes = em_weight_bytes(csr->weight_kind);
    if (weight_bytes)
        shard.weights = em_buffer_borrow((char *)csr->weights.at + first * weight_bytes, m * weight_bytes);
    return shard;
}

static void the_header_tells_which_rows_it_has(void **state)
{
    (void)state;
    em_csr csr = example(EM_WEIGHT_NONE);
    csr.facts = EM_SORTED | EM_SYMMETRIC;
    files_write(context, &csr, "csr", files_path("s.csr"));
    size_t n;
    unsigned char *bytes = files_get(files_path("s.csr"), &n);
    assert_int_equal(bytes[12], 4);
    assert_int_equal(u64_at(bytes, 16), 2);
    assert_int_equal(u64_at(bytes, 24), 3);
    assert_int_equal(u64_at(bytes, 32), 1); /* not: the reverses are there */
    assert_int_equal(u64_at(bytes, 88), 2);
    assert_int_equal(u64_at(bytes, 96), 5);
    assert_int_equal(u64_at(bytes, 104), 0);
    assert_int_equal(u64_at(bytes, 112), 0);
    free(bytes);
}

static void a_shard_of_all_rows_is_a_plain_file(void **state)
{
    (void)state;
    static const char *const formats[] = {"csr", "npz"};
    em_csr csr = files_random_csr(context, 50, 300, EM_WEIGHT_I32, 2), all = csr;
    all.n_targets = csr.n_vertices;
    all.facts |= EM_SYMMETRIC; /* kept: nothing is missing */
    csr.facts = all.facts;
    for (int i = 0; i < 2; i++) {
        size_t n, all_n;
        files_write(context, &csr, formats[i], files_path("a"));
        files_write(context, &all, formats[i], files_path("b"));
        unsigned char *bytes = files_get(files_path("a"), &n), *all_bytes = files_get(files_path("b"), &all_n);
        assert_int_equal(n, all_n);
        assert_memory_equal(bytes, all_bytes, n);
        free(bytes);
        free(all_bytes);
    }
    em_csr_free(&csr);
}

static void comes_back_as_it_went_in_either_format(void **state)
{
    (void)state;
    static const char *const formats[] = {"csr", "npz"};
    for (int i = 0; i < 2; i++)
        for (int kind = EM_WEIGHT_NONE; kind <= EM_WEIGHT_F64; kind += EM_WEIGHT_I64) {
            const em_csr csr = example(kind);
            files_write(context, &csr, formats[i], files_path("s"));
            em_csr back = files_open(context, files_path("s"));
            files_assert_same(&csr, &back);
            assert_int_equal(back.first_vertex, 2);
            assert_int_equal(back.n_targets, 5);
            assert_int_equal(em_csr_check(context, &back, "s", NULL), EM_OK);
            em_csr_free(&back);
        }
}

static void shards_without_rows_are_shards(void **state)
{
    (void)state;
    static const char *const formats[] = {"csr", "npz"};
    static const uint64_t zero[1] = {0};
    for (int i = 0; i < 2; i++)
        for (uint64_t first = 0; first <= 5; first += 5) {
            em_csr csr = files_csr(0, zero, TARGETS, EM_WEIGHT_NONE, NULL);
            csr.first_vertex = first;
            csr.n_targets = 5;
            files_write(context, &csr, formats[i], files_path("s"));
            em_csr back = files_open(context, files_path("s"));
            assert_int_equal(back.n_vertices, 0);
            assert_int_equal(back.n_targets, 5);
            assert_int_equal(back.first_vertex, first);
            assert_int_equal(em_csr_check(context, &back, "s", NULL), EM_OK);
            em_csr_free(&back);
        }
}

static void is_checked_as_rows_of_a_graph(void **state)
{
    (void)state;
    em_error error = {0};
    em_csr csr = example(EM_WEIGHT_NONE);
    csr.facts = EM_SORTED | EM_UNIQUE;
    assert_int_equal(em_csr_check(context, &csr, "s", NULL), EM_OK);
    csr.facts = EM_NO_LOOPS; /* 3 -> 3 is in row 1 */
    assert_int_equal(em_csr_check(context, &csr, "s", &error), EM_MALFORMED);
    files_assert_says(error, "row 1, target 3: a loop");
    csr.facts = EM_SYMMETRIC;
    error = (em_error){0};
    assert_int_equal(em_csr_check(context, &csr, "s", &error), EM_MALFORMED);
    files_assert_says(error, "cannot tell that the reverses");
    csr.facts = 0;
    csr.n_targets = 4;
    error = (em_error){0};
    assert_int_equal(em_csr_check(context, &csr, "s", &error), EM_MALFORMED);
    files_assert_says(error, "row 0, target 4: no such vertex");
    csr.n_targets = 5;
    em_csr_summary summary;
    assert_int_equal(em_csr_summarize(context, &csr, &summary, NULL), EM_OK);
    assert_int_equal(summary.n_loops, 1);
    assert_int_equal(summary.n_isolated, 0);
    assert_true(summary.arc_checksum == em_arc_hash(2, 0, 0) + em_arc_hash(2, 4, 0) + em_arc_hash(3, 3, 0));
}

static void a_target_past_the_graph_is_malformed(void **state)
{
    (void)state;
    em_csr csr = example(EM_WEIGHT_NONE);
    files_write(context, &csr, "csr", files_path("s.csr"));
    size_t n;
    unsigned char *bytes = files_get(files_path("s.csr"), &n);
    bytes[8192 + 4] = 5;
    files_put(files_path("s.csr"), bytes, n);
    free(bytes);
    em_error error = {0};
    assert_int_equal(em_csr_open(context, files_path("s.csr"), &csr, &error), EM_MALFORMED);
    files_assert_says(error, "arc 1 has target 5, but there are 5 vertices");
}

static void rows_outside_the_graph_are_not_written(void **state)
{
    (void)state;
    em_csr csr = example(EM_WEIGHT_NONE);
    csr.first_vertex = 4;
    assert_int_equal(files_try_write(context, &csr, "csr", files_path("s.csr"), NULL), EM_USAGE);
    csr.first_vertex = 2;
    csr.n_targets = 0;
    assert_int_equal(files_try_write(context, &csr, "csr", files_path("s.csr"), NULL), EM_USAGE);
    assert_int_equal(files_count(), 0);
}

static void shards_read_as_inputs_are_the_whole_graph(void **state)
{
    (void)state;
    static const char *const formats[] = {"csr", "npz"};
    em_csr csr = files_random_csr(context, 300, 6000, EM_WEIGHT_I64, 9);
    static const uint64_t begins[] = {0, 0, 100, 170, 300, 300};
    char names[5][256];
    const char *paths[5];
    for (int format = 0; format < 2; format++)
        for (uint32_t threads = 1; threads <= 5; threads++) {
            em_context *other = files_context(threads, &(em_knobs){.chunk_bytes = threads * 40});
            for (int i = 0; i < 5; i++) {
                snprintf(names[i], sizeof names[i], "%s.%d", files_path("s"), i);
                paths[i] = names[i];
                em_csr shard = cut(&csr, begins[i], begins[i + 1]);
                files_write(other, &shard, formats[format], paths[i]);
                em_buffer_free(&shard.offsets);
            }
            const em_read_options options = {.paths = paths, .n_paths = 5};
            files_arcs arcs;
            em_read_report report;
            em_error error = {0};
            if (files_read(other, &options, &arcs, &report, &error) != EM_OK)
                fail_msg("%s", error.message);
            files_assert_arcs(&arcs, &csr);
            assert_int_equal(report.n_vertices, 300);
            files_arcs_free(&arcs);
            assert_int_equal(em_context_memory(other).current_bytes, 0);
            em_context_free(other);
        }
    em_csr_free(&csr);
}

/* --- the manifest --------------------------------------------------------------------------------- */

/* Writes shards 0 and 1 of a graph, cut at `cut_at`, and m.json. */
static void write_two(em_context *with, const em_csr *csr, const char *format, uint64_t cut_at)
{
    const uint64_t begins[] = {0, cut_at, csr->n_vertices};
    static const char *const names[] = {"m.0", "m.1"};
    em_shard shards[2] = {{0}};
    for (int i = 0; i < 2; i++) {
        em_csr shard = cut(csr, begins[i], begins[i + 1]);
        files_write(with, &shard, format, files_path(names[i]));
        shards[i] = (em_shard){.file = names[i],
                               .first_vertex = begins[i],
                               .end_vertex = begins[i + 1],
                               .first_arc = ((const uint64_t *)csr->offsets.at)[begins[i]],
                               .n_arcs = shard.n_arcs,
                               .has_checksums = strcmp(format, "csr") == 0};
        em_csr_file_header header;
        if (shards[i].has_checksums)
            assert_int_equal(em_csr_file_facts(with, files_path(names[i]), &header, shards[i].checksums, NULL), EM_OK);
        em_buffer_free(&shard.offsets);
    }
    const em_shard_manifest manifest = {.format = em_format_by_name(format),
                                        .n_vertices = csr->n_vertices,
                                        .n_arcs = csr->n_arcs,
                                        .id_bytes = csr->id_bytes,
                                        .weight_kind = csr->weight_kind,
                                        .facts = csr->facts,
                                        .shards = shards,
                                        .n_shards = 2};
    em_output *output;
    assert_int_equal(em_output_open(with, files_path("m.json"), &output, NULL), EM_OK);
    assert_int_equal(em_shard_manifest_write(&manifest, output, NULL), EM_OK);
    assert_int_equal(em_output_commit(output, NULL), EM_OK);
}

static em_status read_manifest(em_context *with, const char *from, files_arcs *arcs, em_read_report *report,
                               em_error *error)
{
    const char *paths[] = {files_path("m.json")};
    const em_read_options options = {.paths = paths, .n_paths = 1, .from = from};
    return files_read(with, &options, arcs, report, error);
}

static void a_manifest_says_all_of_it_in_order(void **state)
{
    (void)state;
    static const uint64_t offsets[] = {0, 1, 3, 3};
    static const uint32_t targets[] = {2, 0, 1};
    em_csr csr = files_csr(3, offsets, targets, EM_WEIGHT_NONE, NULL);
    csr.facts = EM_SORTED | EM_UNIQUE;
    write_two(context, &csr, "npz", 1);
    size_t n;
    unsigned char *bytes = files_get(files_path("m.json"), &n);
    assert_string_equal((char *)bytes, "{\n"
                                       "  \"edgemill_shards\": 1,\n"
                                       "  \"format\": \"npz\",\n"
                                       "  \"vertices\": 3,\n"
                                       "  \"arcs\": 3,\n"
                                       "  \"id_bytes\": 4,\n"
                                       "  \"weights\": \"none\",\n"
                                       "  \"flags\": [\n    \"sorted\",\n    \"unique\"\n  ],\n"
                                       "  \"shards\": [\n"
                                       "    {\n"
                                       "      \"file\": \"m.0\",\n"
                                       "      \"first_vertex\": 0,\n"
                                       "      \"end_vertex\": 1,\n"
                                       "      \"first_arc\": 0,\n"
                                       "      \"arcs\": 1\n"
                                       "    },\n"
                                       "    {\n"
                                       "      \"file\": \"m.1\",\n"
                                       "      \"first_vertex\": 1,\n"
                                       "      \"end_vertex\": 3,\n"
                                       "      \"first_arc\": 1,\n"
                                       "      \"arcs\": 2\n"
                                       "    }\n"
                                       "  ]\n"
                                       "}\n");
    free(bytes);
    em_shard_manifest manifest;
    assert_int_equal(em_shard_manifest_open(context, files_path("m.json"), &manifest, NULL), EM_OK);
    assert_int_equal(manifest.n_shards, 2);
    assert_int_equal(manifest.facts, EM_SORTED | EM_UNIQUE);
    assert_string_equal(manifest.shards[1].file, "m.1");
    em_shard_manifest_free(&manifest);
}

static void a_manifest_is_told_by_content_and_keeps_the_type_of_weights(void **state)
{
    (void)state;
    static const char *const formats[] = {"csr", "npz"};
    for (int i = 0; i < 2; i++)
        for (int kind = EM_WEIGHT_NONE; kind <= EM_WEIGHT_F64; kind++) {
            em_csr csr = files_random_csr(context, 100, 1000, kind, 4);
            write_two(context, &csr, formats[i], 40);
            files_arcs arcs;
            em_read_report report;
            em_error error = {0};
            if (read_manifest(context, NULL, &arcs, &report, &error) != EM_OK)
                fail_msg("%s", error.message);
            files_assert_arcs(&arcs, &csr);
            assert_int_equal(report.weight_kind, kind);
            assert_int_equal(report.n_vertices, 100);
            files_arcs_free(&arcs);
            em_csr_free(&csr);
        }
}

static void a_name_that_is_no_utf8_is_refused(void **state)
{
    (void)state;
    em_error error = {0};
    em_shard shard = {.file = "m\xff.csr"};
    const em_shard_manifest manifest = {
        .format = em_format_by_name("csr"), .id_bytes = 4, .shards = &shard, .n_shards = 1};
    em_output *output;
    assert_int_equal(em_output_open(context, files_path("m.json"), &output, NULL), EM_OK);
    assert_int_equal(em_shard_manifest_write(&manifest, output, &error), EM_USAGE);
    files_assert_says(error, "not UTF-8");
    em_output_drop(output);
}

static void shards_that_are_not_those_listed_are_refused(void **state)
{
    (void)state;
    em_csr csr = files_random_csr(context, 100, 1000, EM_WEIGHT_I64, 4);
    em_csr other = files_random_csr(context, 100, 1000, EM_WEIGHT_I64, 5);
    em_csr none = files_random_csr(context, 100, 1000, EM_WEIGHT_NONE, 4);
    const struct {
        const em_csr *graph;
        uint64_t begin, end;
        const char *says;
    } table[] = {
        {&csr, 40, 99, "it has other vertices"},
        {&csr, 39, 99, "it has other vertices"},
        {&csr, 0, 100, "it has other vertices"},
        {&other, 40, 100, "it has another number of arcs"},
        {&none, 40, 100, "it has weights of another kind"},
    };
    files_arcs arcs;
    em_read_report report;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        write_two(context, &csr, "csr", 40);
        em_csr shard = cut(table[i].graph, table[i].begin, table[i].end);
        files_write(context, &shard, "csr", files_path("m.1"));
        em_buffer_free(&shard.offsets);
        em_error error = {0};
        assert_int_equal(read_manifest(context, NULL, &arcs, &report, &error), EM_MALFORMED);
        files_arcs_free(&arcs);
        files_assert_says(error, "m.1: is not the shard that ");
        files_assert_says(error, table[i].says);
    }
    write_two(context, &csr, "csr", 40);
    ((int64_t *)csr.weights.at)[csr.n_arcs - 1] ^= 1;
    em_csr shard = cut(&csr, 40, 100);
    files_write(context, &shard, "csr", files_path("m.1"));
    em_buffer_free(&shard.offsets);
    em_error error = {0};
    assert_int_equal(read_manifest(context, NULL, &arcs, &report, &error), EM_MALFORMED);
    files_arcs_free(&arcs);
    files_assert_says(error, "its checksums differ");
    unlink(files_path("m.1"));
    error = (em_error){0};
    assert_int_equal(read_manifest(context, NULL, &arcs, &report, &error), EM_ENVIRONMENT);
    files_arcs_free(&arcs);
    files_assert_says(error, "m.1: open: No such file");
    em_csr_free(&csr);
    em_csr_free(&other);
    em_csr_free(&none);
}

#define HEAD "{\"edgemill_shards\":1,\"format\":\"csr\",\"vertices\":3,\"arcs\":2,\"id_bytes\":4,\"weights\":\"none\","
#define ONE  "\"flags\":[],\"shards\":[{\"file\":\"a\",\"first_vertex\":0,\"end_vertex\":3,\"first_arc\":0,\"arcs\":2"

static void malformed_manifests_are_told_what_they_lack(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } table[] = {
        {"", "m.json:1:0: not JSON"},
        {"{\n\"edgemill_shards\": 1,,", "m.json:2:22: not JSON"},
        {"[1]", "\"edgemill_shards\" is no count"},
        {"{\"edgemill_shards\": 2}", "version 2 of a list of shards; this program reads version 1"},
        {"{\"edgemill_shards\": -1}", "\"edgemill_shards\" is no count"},
        {"{\"edgemill_shards\":1,\"edgemill_shards\":1}", "not JSON: duplicate object key"},
        {"{\"edgemill_shards\": 1, \"format\": 7}", "\"format\" is no text"},
        {"{\"edgemill_shards\":1,\"format\":\"el\",\"vertices\":3,\"arcs\":2,\"id_bytes\":4,\"weights\":\"none\"}",
         "\"format\" is none that shards have"},
        {"{\"edgemill_shards\":1,\"format\":\"csr\",\"vertices\":3.5,\"arcs\":2}", "\"vertices\" is no count"},
        {"{\"edgemill_shards\":1,\"format\":\"csr\",\"vertices\":3,\"arcs\":2,\"id_bytes\":8,\"weights\":\"none\"}",
         "\"id_bytes\" is not what so many vertices need"},
        {"{\"edgemill_shards\":1,\"format\":\"csr\",\"vertices\":3,\"arcs\":2,\"id_bytes\":4,\"weights\":\"f16\"}",
         "\"weights\" is no kind of weight"},
        {HEAD "\"shards\":[]}", "\"flags\" is no list"},
        {HEAD "\"flags\":[\"odd\"]}", "\"flags\" holds something that is no flag"},
        {HEAD "\"flags\":[7]}", "\"flags\" holds something that is no flag"},
        {HEAD "\"flags\":[]}", "\"shards\" is no list of files"},
        {HEAD "\"flags\":[],\"shards\":[]}", "\"shards\" is no list of files"},
        {HEAD "\"flags\":[],\"shards\":[7]}", "\"file\" is no text"},
        {HEAD "\"flags\":[],\"shards\":[{\"file\":\"../a\"}]}", "is not the name of a file in the same folder"},
        {HEAD "\"flags\":[],\"shards\":[{\"file\":\"\"}]}", "is not the name of a file in the same folder"},
        {HEAD "\"flags\":[],\"shards\":[{\"file\":\"a\"}]}", "\"first_vertex\" is no count"},
        {HEAD ONE ",\"checksums\":{\"offsets\":\"12\"}}]}", "\"offsets\" is no checksum"},
        {HEAD ONE "},{\"file\":\"b\",\"first_vertex\":2,\"end_vertex\":3,\"first_arc\":2,\"arcs\":0}]}",
         "b does not begin where the shard before it ends"},
        {HEAD ONE "},{\"file\":\"b\",\"first_vertex\":3,\"end_vertex\":3,\"first_arc\":2,\"arcs\":1}]}",
         "b does not begin where the shard before it ends"},
        {HEAD ONE "},{\"file\":\"b\",\"first_vertex\":3,\"end_vertex\":4,\"first_arc\":2,\"arcs\":0}]}",
         "shards end at vertex 4 of 3 and arc 2 of 2"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        files_put_text(files_path("m.json"), table[i].text);
        files_arcs arcs;
        em_read_report report;
        em_error error = {0};
        if (read_manifest(context, "shards", &arcs, &report, &error) != EM_MALFORMED)
            fail_msg("row %zu: %s", i, error.message);
        files_assert_says(error, table[i].says);
        files_assert_says(error, "m.json");
    }
}

static void a_manifest_is_known_by_its_first_key(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is;
    } table[] = {{"{\"edgemill_shards\": 1", true},
                 {" \n{\t \"edgemill_shards\"", true},
                 {"{\"edgemill_shard", false},
                 {"{\"edgemill shards\"", false},
                 {"", false},
                 {"{ ", false},
                 {"{\"shards\": 1", false}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_int_equal(em_shard_manifest_detect((const unsigned char *)table[i].text, strlen(table[i].text)),
                         table[i].is);
}

static void inputs_that_disagree_on_weights_name_the_manifest(void **state)
{
    (void)state;
    em_csr csr = files_random_csr(context, 20, 100, EM_WEIGHT_I64, 4);
    write_two(context, &csr, "csr", 10);
    files_put_text(files_path("plain.el"), "0 1\n");
    const char *paths[] = {files_path("m.json"), files_path("plain.el")};
    const em_read_options options = {.paths = paths, .n_paths = 2};
    files_arcs arcs;
    em_read_report report;
    em_error error = {0};
    assert_int_equal(files_read(context, &options, &arcs, &report, &error), EM_MALFORMED);
    files_assert_says(error, "m.json has some");
    files_arcs_free(&arcs);
    em_csr_free(&csr);
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    em_csr csr = files_random_csr(context, 100, 1000, EM_WEIGHT_F32, 4);
    write_two(context, &csr, "csr", 40);
    em_csr_free(&csr);
    for (uint64_t n = 1;; n++) {
        em_context *poor = files_context(2, &(em_knobs){.fail_allocation = n});
        files_arcs arcs;
        em_read_report report;
        const em_status status = read_manifest(poor, NULL, &arcs, &report, NULL);
        files_arcs_free(&arcs);
        assert_int_equal(em_context_memory(poor).current_bytes, 0);
        em_context_free(poor);
        if (status == EM_OK)
            break;
        assert_int_equal(status, EM_NO_MEMORY);
    }
}

static void an_npz_that_is_not_square_needs_to_say_which_rows_it_has(void **state)
{
    (void)state;
    const em_csr csr = example(EM_WEIGHT_NONE);
    files_write(context, &csr, "npz", files_path("s.npz"));
    size_t n;
    unsigned char *bytes = files_get(files_path("s.npz"), &n);
    unsigned char *name;
    for (int i = 0; (name = memmem(bytes, n, "edgemill_first", 14)); i++) /* no member of that name any more */
        name[0] = 'E';
    files_put(files_path("s.npz"), bytes, n);
    free(bytes);
    em_csr back;
    em_error error = {0};
    assert_int_equal(em_csr_open(context, files_path("s.npz"), &back, &error), EM_MALFORMED);
    files_assert_says(error, "2 rows and 5 columns: not square");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(the_header_tells_which_rows_it_has),
        TEST(a_shard_of_all_rows_is_a_plain_file),
        TEST(comes_back_as_it_went_in_either_format),
        TEST(shards_without_rows_are_shards),
        TEST(is_checked_as_rows_of_a_graph),
        TEST(a_target_past_the_graph_is_malformed),
        TEST(rows_outside_the_graph_are_not_written),
        TEST(shards_read_as_inputs_are_the_whole_graph),
        TEST(a_manifest_says_all_of_it_in_order),
        TEST(a_manifest_is_told_by_content_and_keeps_the_type_of_weights),
        TEST(a_name_that_is_no_utf8_is_refused),
        TEST(shards_that_are_not_those_listed_are_refused),
        TEST(malformed_manifests_are_told_what_they_lack),
        TEST(a_manifest_is_known_by_its_first_key),
        TEST(inputs_that_disagree_on_weights_name_the_manifest),
        TEST(every_failing_allocation_is_survived),
        TEST(an_npz_that_is_not_square_needs_to_say_which_rows_it_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
