/* test_datasets - the bundled graphs hold what datasets/facts.tsv says.
 *
 * Run in the folder that holds datasets/.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/io.h"

#include <stdio.h>
#include <string.h>

enum { MOST_VERTICES = 256 };

/* What a plain count of the arcs finds. The files are small: one worker, one chunk at a time. */
typedef struct tally {
    uint64_t n_arcs, n_loops, degrees[MOST_VERTICES];
} tally;

static em_status begin(void *state, const em_read_hint *hint, em_error *error)
{
    (void)state;
    (void)hint;
    (void)error;
    return EM_OK;
}

static em_status take(void *state, uint32_t worker, const em_arc_batch *batch, em_error *error)
{
    tally *counts = state;
    (void)worker;
    (void)error;
    for (uint32_t i = 0; i < batch->n_arcs; i++) {
        const uint64_t source = em_id_at(batch->pairs, batch->id_bytes, 2 * (uint64_t)i);
        const uint64_t target = em_id_at(batch->pairs, batch->id_bytes, 2 * (uint64_t)i + 1);
        assert_true(source < MOST_VERTICES && target < MOST_VERTICES);
        counts->degrees[source]++;
        counts->n_loops += source == target;
        counts->n_arcs++;
    }
    return EM_OK;
}

static void check_file(const char *name, const uint64_t facts[4], const char *words)
{
    char path[256];
    const char *paths[] = {path};
    tally counts = {0};
    em_error error = {0};
    em_context *context = NULL;
    em_read_report report = {0};
    uint64_t longest = 0;
    const em_context_options one = {.n_threads = 1};
    const em_arc_sink sink = {&counts, begin, take};
    const em_read_options options = {.paths = paths,
                                     .n_paths = 1,
                                     .from = strstr(words, "--from=u32") ? "u32" : NULL,
                                     .header_lines = strstr(words, "--header") ? 1 : 0,
                                     .base = strstr(words, "--base=1") ? 1 : 0};
    snprintf(path, sizeof path, "datasets/%s", name);
    assert_int_equal(em_context_create(&one, &context, NULL), EM_OK);
    if (em_read(context, &options, &sink, &report, &error) != EM_OK)
        fail_msg("%s", error.message);
    for (int v = 0; v < MOST_VERTICES; v++)
        longest = counts.degrees[v] > longest ? counts.degrees[v] : longest;
    if (report.n_vertices != facts[0] || counts.n_arcs != facts[1] || counts.n_loops != facts[2] || longest != facts[3])
        fail_msg("%s: %d vertices, %d arcs, %d loops, longest row %d", name, (int)report.n_vertices, (int)counts.n_arcs,
                 (int)counts.n_loops, (int)longest);
    assert_int_equal(em_context_memory(context).current_bytes, 0);
    em_context_free(context);
}

static void every_bundled_graph_holds_what_its_facts_say(void **state)
{
    (void)state;
    char line[512], name[128], words[128];
    uint64_t facts[4];
    int n_files = 0;
    FILE *table = fopen("datasets/facts.tsv", "r");
    assert_non_null(table);
    assert_non_null(fgets(line, sizeof line, table)); /* the names of the columns */
    for (; fgets(line, sizeof line, table); n_files++) {
        assert_int_equal(
            sscanf(line, "%127s %lu %lu %lu %lu %127[^\n]", name, &facts[0], &facts[1], &facts[2], &facts[3], words),
            6);
        check_file(name, facts, words);
    }
    fclose(table);
    assert_true(n_files >= 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bundled_graph_holds_what_its_facts_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
