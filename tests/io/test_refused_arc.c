/* test_refused_arc - an arc that the sink refuses is named by its line, or its number, whatever the threads and sizes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/io/fixture.h"
#include "tests/reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A sink that refuses arcs by their source. */
static const uint64_t BAD = 77;

static em_status begin_nothing(void *state, const em_read_hint *hint, em_error *error)
{
    (void)state;
    (void)hint;
    (void)error;
    return EM_OK;
}

static em_status refuse_bad(void *state, uint32_t worker, const em_arc_batch *batch, em_error *error)
{
    (void)state;
    (void)worker;
    assert_true(batch->first == UINT64_MAX);
    for (uint32_t i = 0; i < batch->n_arcs; i++)
        if (em_id_at(batch->pairs, batch->id_bytes, 2 * (uint64_t)i) == BAD)
            return em_fail_at(error, EM_MALFORMED, i, "bad -> %llu",
                              (unsigned long long)em_id_at(batch->pairs, batch->id_bytes, 2 * (uint64_t)i + 1));
    return EM_OK;
}

static em_status fail_otherwise(void *state, uint32_t worker, const em_arc_batch *batch, em_error *error)
{
    (void)worker;
    (void)batch;
    return em_fail(error, *(em_status *)state, "the sink is full");
}

static const em_arc_sink refusing = {NULL, begin_nothing, refuse_bad};

/* Reads with a context of its own; "" where nothing failed, else the message behind the folder. */
static const char *read_text(const char *text, size_t n_bytes, uint32_t n_threads, em_knobs knobs,
                             em_read_options options, em_error *error)
{
    em_context *const own = files_context(n_threads, &knobs);
    const char *const path = files_path("arcs");
    files_put(path, text, n_bytes);
    options.paths = &path;
    options.n_paths = 1;
    em_read_report report = {0};
    *error = (em_error){0};
    const em_status status = em_read(own, &options, &refusing, &report, error);
    assert_int_equal(status, error->status);
    assert_int_equal(em_context_memory(own).current_bytes, 0);
    em_context_free(own);
    if (status == EM_OK)
        return "";
    assert_int_equal(status, EM_MALFORMED);
    assert_memory_equal(error->message, path, strlen(path));
    return error->message + strlen(path);
}

static void names_the_line_of_a_refused_arc(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"1 2\n77 3\n", ":2: bad -> 3"},
        {"77 3\n77 4\n", ":1: bad -> 3"},
        {"# head\n\n1 2\n# comment\n\n2 3\n77 5\n3 4\n", ":7: bad -> 5"},
        {"1 2\n5000000000 3\n77 6", ":3: bad -> 6"},
        {"1 2\n77 3\n5000000000 3\nx\n", ":2: bad -> 3"},
        {"1 2\nx y\n77 3\n", ":2:1: 'x' is no vertex id (digits only); a line of column names? --header skips it"},
        {"1 2\n77 3\nx y\n", ":2: bad -> 3"},
        {"1 2 1\n77 3 2\n4 4 1.5\n5 x 6\n", ":2: bad -> 3"},
        {"1 2 1\n4 4 1.5\n77 3 2\n5 x 6\n", ":3: bad -> 3"},
        {"1 2\n78 3\n", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (uint32_t chunk = 0; chunk < 20; chunk++) {
            em_error error;
            const char *const got =
                read_text(cases[i].text, strlen(cases[i].text), 1 + chunk % 3, (em_knobs){.chunk_bytes = chunk},
                          (em_read_options){.from = "el"}, &error);
            if (strcmp(got, cases[i].message) != 0)
                fail_msg("%s, chunks of %u: %s", cases[i].text, chunk, got);
        }
}

static void names_the_line_although_malformed_ones_are_skipped(void **state)
{
    (void)state;
    static const char text[] = "1 2\nx y\n3 4\n-1 2\n77 5\n";
    for (uint32_t chunk = 0; chunk < 10; chunk++) {
        em_error error;
        assert_string_equal(read_text(text, sizeof text - 1, 2, (em_knobs){.chunk_bytes = chunk},
                                      (em_read_options){.from = "el", .on_error = EM_ON_ERROR_SKIP}, &error),
                            ":5: bad -> 5");
    }
}

/* Lines of all kinds; *line is the first one that fails, from 1, or 0; *is_bad: it is a refused arc. */
static char *random_text(uint64_t *seed, uint32_t n_lines, size_t *n_bytes, uint64_t *line, bool *is_bad)
{
    char *const text = malloc(n_lines * 64UL + 1), *at = text;
    *line = 0;
    for (uint32_t i = 1; i <= n_lines; i++) {
        const uint64_t r = ref_random(seed);
        const bool bad = r % 4000 == 17, malformed = r % 4000 == 18;
        if (bad)
            at += sprintf(at, "77\t%u\n", i);
        else if (malformed)
            at += sprintf(at, "5 x\n");
        else if (r % 50 == 3)
            at += sprintf(at, "# %u\n", i);
        else if (r % 50 == 4)
            at += sprintf(at, "\n");
        else if (r % 50 == 5)
            at += sprintf(at, "  %u \t %u  \r\n", 100 + i, i);
        else
            at += sprintf(at, "%u\t%llu\n", 100 + i % 1000, (unsigned long long)(r % 3000 ? i : UINT64_C(1) << 40));
        if ((bad || malformed) && !*line) {
            *line = i;
            *is_bad = bad;
        }
    }
    *n_bytes = (size_t)(at - text);
    return text;
}

static void names_the_first_of_all_lines_that_fail(void **state)
{
    (void)state;
    static const uint64_t chunks[] = {0, 1 << 10, 1 << 14, 100000};
    uint64_t seed = 3;
    uint32_t n_failed = 0;
    for (uint32_t round = 0; round < 60; round++) {
        size_t n_bytes;
        uint64_t line;
        bool is_bad = false;
        char *const text = random_text(&seed, 1 + (uint32_t)(ref_random(&seed) % 12000), &n_bytes, &line, &is_bad);
        for (uint32_t n_threads = 1; n_threads <= 5; n_threads++) {
            em_error error;
            const em_knobs knobs = {.chunk_bytes = chunks[(round + n_threads) % 4], .piece_bytes = round % 3 * 500};
            const char *const got = read_text(text, n_bytes, n_threads, knobs, (em_read_options){.from = "el"}, &error);
            char expected[64] = "";
            if (line && is_bad)
                snprintf(expected, sizeof expected, ":%llu: bad -> %llu", (unsigned long long)line,
                         (unsigned long long)line);
            else if (line)
                snprintf(expected, sizeof expected, ":%llu:3: 'x' is no", (unsigned long long)line);
            if (strncmp(got, expected, strlen(expected)) != 0 || (!line && *got))
                fail_msg("%s, not %s", got, expected);
        }
        n_failed += line != 0;
        free(text);
    }
    assert_true(n_failed > 20);
}

static void names_the_line_of_a_mirrored_entry(void **state)
{
    (void)state;
    static const char text[] = "%%MatrixMarket matrix coordinate pattern symmetric\n% comment\n200 200 5\n"
                               "3 3\n4 2\n% comment\n5 4\n90 78\n100 1\n";
    for (uint32_t chunk = 0; chunk < 12; chunk++) {
        em_error error;
        assert_string_equal(
            read_text(text, sizeof text - 1, 2, (em_knobs){.chunk_bytes = chunk}, (em_read_options){0}, &error),
            ":8: bad -> 89");
    }
    static const char skew[] = "%%MatrixMarket matrix coordinate integer skew-symmetric\n9 9 3\n2 1 4\n% comment\n"
                               "3 3 1\n4 1 1\n";
    em_error error;
    assert_string_equal(read_text(skew, sizeof skew - 1, 1, (em_knobs){0}, (em_read_options){0}, &error),
                        ":5: a skew-symmetric matrix with an entry on its diagonal: vertex 3");
}

static void names_the_number_where_there_are_no_lines(void **state)
{
    (void)state;
    static uint32_t pairs[40000];
    for (uint32_t i = 0; i < 40000; i++)
        pairs[i] = 1000 + i;
    pairs[2 * 15000] = pairs[2 * 9999] = 77;
    for (uint32_t round = 0; round < 12; round++) {
        em_error error;
        assert_string_equal(read_text((const char *)pairs, sizeof pairs, 1 + round % 3,
                                      (em_knobs){.chunk_bytes = round / 3 * 10000}, (em_read_options){.from = "u32"},
                                      &error),
                            ": record 9999: bad -> 20999");
    }
}

static void hands_on_other_errors_of_the_sink_as_they_are(void **state)
{
    (void)state;
    static em_status answers[] = {EM_MALFORMED, EM_NO_MEMORY, EM_ENVIRONMENT};
    const char *const path = files_path("some");
    files_put(path, "1 2\n2 3\n", 8);
    for (int i = 0; i < 3; i++) {
        const em_arc_sink sink = {&answers[i], begin_nothing, fail_otherwise};
        const em_read_options options = {.paths = &path, .n_paths = 1};
        em_read_report report = {0};
        em_error error = {0};
        assert_int_equal(em_read(context, &options, &sink, &report, &error), answers[i]);
        assert_string_equal(error.message, "the sink is full");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_the_line_of_a_refused_arc),
        cmocka_unit_test(names_the_line_although_malformed_ones_are_skipped),
        cmocka_unit_test(names_the_first_of_all_lines_that_fail),
        cmocka_unit_test(names_the_line_of_a_mirrored_entry),
        cmocka_unit_test(names_the_number_where_there_are_no_lines),
        cmocka_unit_test(hands_on_other_errors_of_the_sink_as_they_are),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
