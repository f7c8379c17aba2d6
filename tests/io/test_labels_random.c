/* test_labels_random - string ids: threads and chunks change no number, and many or long labels none.
 *
 * Random lists are written from labels that are known, so the expected numbers need no parser.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support_labels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- random lists --------------------------------------------------------------------------------------------- */

enum { N_POOL = 400, N_ARCS = 1500 };

typedef struct list {
    char *pool[N_POOL];
    size_t n_bytes[N_POOL];
    uint32_t ends[2 * N_ARCS]; /* indices into the pool */
    int64_t weights[N_ARCS];
    uint32_t numbers[N_POOL]; /* by first appearance; UINT32_MAX: not there */
    uint32_t order[N_POOL], n_vertices;
    char *text;
    size_t n_text;
} list;

static uint64_t next_random(uint64_t *seed)
{
    uint64_t z = *seed += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

/* Different labels: each has its index in it. */
static void make_pool(list *made, uint64_t *seed)
{
    static const char *const bits[] = {"a",
                                       "bc",
                                       "\"",
                                       "\"\"",
                                       ",",
                                       ";",
                                       "|",
                                       " ",
                                       "\t",
                                       "\\",
                                       "#",
                                       "%",
                                       "//",
                                       "'",
                                       "1",
                                       "-2",
                                       "\r",
                                       "\xc3\xa9",
                                       "\xf0\x9f\x8c\x8d",
                                       "\x7f"};
    for (uint32_t i = 0; i < N_POOL; i++) {
        char label[400] = "";
        for (uint64_t n = next_random(seed) % (i % 50 == 0 ? 60 : 6); n > 0; n--)
            strcat(label, bits[next_random(seed) % (sizeof bits / sizeof *bits)]);
        sprintf(label + strlen(label), "%x", i);
        for (uint64_t n = next_random(seed) % 3; n > 0; n--)
            strcat(label, bits[2 + next_random(seed) % 9]); /* no digit, which could make two labels the same */
        made->pool[i] = strdup(label);
        made->n_bytes[i] = strlen(label);
    }
}

static char *put_field(char *at, const char *label, char separator, bool first, uint64_t *seed)
{
    const size_t n = strlen(label);
    bool quotes = *label == '"' || strchr(" \t", *label) || strchr(" \t\r", label[n - 1]) ||
                  next_random(seed) % 8 == 0 || (first && strchr("#%/", *label));
    for (size_t i = 0; i < n; i++)
        quotes |= label[i] == separator || (separator == ' ' && label[i] == '\t');
    if (!quotes)
        return stpcpy(at, label);
    *at++ = '"';
    for (; *label; label++) {
        if (*label == '"')
            *at++ = '"';
        *at++ = *label;
    }
    *at++ = '"';
    return at;
}

static list *make_list(char separator, bool weighted, uint64_t seed)
{
    list *const made = calloc(1, sizeof *made);
    assert_non_null(made);
    make_pool(made, &seed);
    memset(made->numbers, 0xff, sizeof made->numbers);
    char *at = made->text = malloc((size_t)N_ARCS * 1700);
    assert_non_null(at);
    for (uint32_t i = 0; i < 2 * N_ARCS; i++) {
        const uint32_t most = next_random(&seed) % 4 ? 1 + i / 16 : N_POOL; /* new ones come all the way */
        const uint32_t label = (uint32_t)(next_random(&seed) % (most < N_POOL ? most : N_POOL));
        made->ends[i] = label;
        if (made->numbers[label] == UINT32_MAX) {
            made->order[made->n_vertices] = label;
            made->numbers[label] = made->n_vertices++;
        }
        at = put_field(at, made->pool[label], separator, i == 0, &seed);
        if (i % 2 == 0) {
            if (next_random(&seed) % 8 == 0)
                *at++ = ' ';
            *at++ = separator;
            if (next_random(&seed) % 8 == 0)
                *at++ = ' ';
            continue;
        }
        made->weights[i / 2] = (int64_t)(next_random(&seed) % 2001) - 1000;
        if (weighted)
            at += sprintf(at, "%c%d", separator, (int)made->weights[i / 2]);
        at = stpcpy(at, next_random(&seed) % 8 ? "\n" : " \r\n");
    }
    made->n_text = (size_t)(at - made->text);
    return made;
}

static void free_list(list *made)
{
    for (int i = 0; i < N_POOL; i++)
        free(made->pool[i]);
    free(made->text);
    free(made);
}

static void assert_list(const labels_loaded *result, const list *expected, bool weighted)
{
    if (result->status != EM_OK)
        fail_msg("%s", result->error.message);
    assert_int_equal(result->graph.edges.n_vertices, expected->n_vertices);
    assert_int_equal(result->graph.edges.n_arcs, N_ARCS);
    for (uint32_t i = 0; i < expected->n_vertices; i++)
        assert_label(result, i, expected->pool[expected->order[i]], expected->n_bytes[expected->order[i]]);
    for (uint32_t i = 0; i < N_ARCS; i++) {
        assert_int_equal(labels_source(result, i), expected->numbers[expected->ends[2 * i]]);
        assert_int_equal(labels_target(result, i), expected->numbers[expected->ends[2 * i + 1]]);
        if (weighted)
            assert_int_equal(((const int64_t *)result->graph.edges.blocks->weights.at)[i], expected->weights[i]);
    }
}

static void gives_the_same_numbers_whatever_the_threads_and_chunks(void **state)
{
    (void)state;
    static const char separators[] = ",;|\t ";
    static const char *const names[] = {"--separator=,", "--separator=;", "--separator=|", "--separator=tab",
                                        "--separator=space"};
    static const uint64_t chunks[] = {0, 1, 17, 300, 4096};
    for (uint64_t seed = 0; seed < 10; seed++) {
        const bool weighted = seed >= 5;
        list *const expected = make_list(separators[seed % 5], weighted, seed);
        const char *const paths[] = {support_file("random.el", expected->text, expected->n_text), NULL};
        const char *const options[] = {names[seed % 5], weighted ? NULL : "--weights=none", NULL};
        uint64_t checksum = 0;
        for (uint32_t threads = 1; threads <= 5; threads++)
            for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++) {
                const em_context_options run = labels_how(threads, chunks[i], chunks[i] ? chunks[i] / 2 + 1 : 0);
                const char *const summed[] = {options[0], "--checksum", options[1], NULL};
                labels_loaded result = labels_load(&run, summed, paths);
                assert_list(&result, expected, weighted);
                if (checksum)
                    assert_int_equal(result.report.arc_checksum, checksum);
                checksum = result.report.arc_checksum;
                labels_unload(&result);
            }
        free_list(expected);
    }
}

/* --- large ------------------------------------------------------------------------------------------------- */

static void takes_labels_of_a_megabyte(void **state)
{
    (void)state;
    enum { LONG = 1 << 20, N = 5 };
    char *const text = malloc((size_t)N * 2 * (LONG + 8) * 2), *at = text;
    assert_non_null(text);
    for (int i = 0; i < 2 * N; i++) { /* every second one with doubled quotes */
        const bool quoted = i % 2;
        if (quoted)
            *at++ = '"';
        for (int j = 0; j < LONG; j++) {
            const char c = j % 1000 == 999 && quoted ? '"' : (char)('a' + (j + i % N) % 26);
            if (c == '"')
                *at++ = '"';
            *at++ = c;
        }
        if (quoted)
            *at++ = '"';
        at = stpcpy(at, i % 2 ? "\n" : ",");
    }
    const char *const paths[] = {support_file("long.csv", text, (size_t)(at - text)), NULL};
    free(text);
    for (uint32_t threads = 1; threads <= 4; threads++) {
        const em_context_options options = labels_how(threads, threads == 1 ? 0 : 1000, threads == 1 ? 0 : 100);
        labels_loaded result = labels_load(&options, NULL, paths);
        if (result.status != EM_OK)
            fail_msg("%s", result.error.message);
        assert_int_equal(result.graph.edges.n_vertices, 2 * N);
        const uint64_t *const ends = result.graph.labels.ends.at;
        for (int i = 0; i < 2 * N; i++) {
            assert_int_equal(ends[i + 1] - ends[i], LONG);
            const char *const label = (const char *)result.graph.labels.text.at + ends[i];
            for (int j = 0; j < LONG; j += 37)
                if (label[j] != (j % 1000 == 999 && i % 2 ? '"' : (char)('a' + (j + i % N) % 26)))
                    fail_msg("label %d differs at %d", i, j);
        }
        labels_unload(&result);
    }
}

static void takes_a_million_labels(void **state)
{
    (void)state;
    enum { N = 1000000 };
    char *const text = malloc((size_t)N * 24), *at = text;
    assert_non_null(text);
    for (uint32_t i = 0; i < N; i++) /* all twice: a star first, then a path backwards */
        at += sprintf(at, "v%x\tv%x\n", i * 2654435761u, i < N / 2 ? 0 : (N - 1 - i) * 2654435761u);
    const char *const paths[] = {support_file("million.tsv", text, (size_t)(at - text)), NULL};
    for (uint32_t threads = 1; threads <= 5; threads += 2) {
        const em_context_options options = labels_how(threads, 1 << 17, 0);
        labels_loaded result = labels_load(&options, NULL, paths);
        assert_int_equal(result.status, EM_OK);
        assert_int_equal(result.graph.edges.n_vertices, N);
        for (uint32_t i = 0; i < N; i++) {
            char label[16];
            assert_true(labels_source(&result, i) == i && labels_target(&result, i) == (i < N / 2 ? 0 : N - 1 - i));
            const uint64_t *const ends = result.graph.labels.ends.at;
            const int n = sprintf(label, "v%x", i * 2654435761u);
            assert_true(ends[i + 1] - ends[i] == (uint64_t)n &&
                        memcmp((const char *)result.graph.labels.text.at + ends[i], label, (size_t)n) == 0);
        }
        labels_unload(&result);
    }
    free(text);
}

/* --- memory -------------------------------------------------------------------------------------------------- */

static void survives_every_allocation_that_fails(void **state)
{
    (void)state;
    list *const expected = make_list(',', true, 7);
    const char *const paths[] = {support_file("poor.csv", expected->text, expected->n_text), NULL};
    char vertices[256];
    strcpy(vertices, labels_listed("a\nb\n\"c\"\"d\"\n"));
    const char *const options[] = {"--separator=,", NULL}, *const from_list[] = {vertices, NULL};
    const char *const few[] = {labels_file("few.csv", "a,b\nb,\"c\"\"d\"\n"), NULL};
    for (uint32_t threads = 1; threads <= 3; threads += 2)
        for (int which = 0; which < 2; which++) {
            em_status status = EM_NO_MEMORY;
            for (uint64_t fail = 1; status != EM_OK; fail++) {
                em_context_options run = labels_how(threads, 4000, 1000);
                run.knobs.fail_allocation = fail;
                labels_loaded result = labels_load(&run, which ? from_list : options, which ? few : paths);
                status = result.status;
                assert_true(status == EM_OK || status == EM_NO_MEMORY);
                assert_true(fail < 20000);
                if (status == EM_OK && !which)
                    assert_list(&result, expected, true);
                labels_unload(&result);
            }
        }
    free_list(expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_the_same_numbers_whatever_the_threads_and_chunks),
        cmocka_unit_test(takes_labels_of_a_megabyte),
        cmocka_unit_test(takes_a_million_labels),
        cmocka_unit_test(survives_every_allocation_that_fails),
    };
    return cmocka_run_group_tests(tests, NULL, support_tear_down);
}
