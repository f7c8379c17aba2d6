/* test_vertex_set - the ids of a list, dense and sparse, and what is refused.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "io/vertex_set.h"
#include "tests/support_source.h"

static em_context *make_context(em_knobs knobs)
{
    em_context *context;
    assert_int_equal(em_context_create(&(em_context_options){.n_threads = 2, .knobs = knobs}, &context, NULL), EM_OK);
    return context;
}

static void drop_context(em_context *context)
{
    assert_int_equal(em_context_memory(context).current_bytes, 0);
    em_context_free(context);
}

/* `ids` holds n ids, ascending and different. */
static void assert_set_of(const char *path, uint32_t base, const uint64_t *ids, uint64_t n, em_knobs knobs)
{
    em_context *context = make_context(knobs);
    em_vertex_set *set;
    em_error error = {0};
    if (em_vertex_set_read(context, path, base, &set, &error) != EM_OK)
        fail_msg("%s", error.message);
    assert_int_equal(em_vertex_set_count(set), n);
    assert_int_equal(em_vertex_set_end(set), n ? ids[n - 1] + 1 : 0);
    for (uint64_t i = 0; i < n; i++) {
        assert_true(em_vertex_set_has(set, ids[i]));
        assert_int_equal(em_vertex_set_has(set, ids[i] + 1), i + 1 < n && ids[i + 1] == ids[i] + 1);
    }
    assert_false(em_vertex_set_has(set, UINT64_MAX));
    assert_false(em_vertex_set_has(set, INT64_MAX));
    em_vertex_set_free(set);
    drop_context(context);
}

static void assert_set(const char *text, uint32_t base, const uint64_t *ids, uint64_t n)
{
    for (uint64_t size = 0; size < 9; size++)
        assert_set_of(scratch_file(text, strlen(text)), base, ids, n,
                      (em_knobs){.chunk_bytes = size, .piece_bytes = size});
}

static void reads_one_id_a_line(void **state)
{
    (void)state;
    assert_set("3\n1\n2\n", 0, (uint64_t[]){1, 2, 3}, 3);
    assert_set("3\n1\n2", 1, (uint64_t[]){0, 1, 2}, 3);
    assert_set("", 0, NULL, 0);
    assert_set("7\n7\n007\n", 0, (uint64_t[]){7}, 1);
}

static void passes_over_what_is_no_id(void **state)
{
    (void)state;
    assert_set(
        "\xEF\xBB\xBF# a comment\r\n1\r\n\r\n  2\t\n% other\n// third\n\n \t \n3 further columns\n4,x\n5;y\n6|z\n"
        "\"8\",q\n",
        0, (uint64_t[]){1, 2, 3, 4, 5, 6, 8}, 7);
}

static void holds_the_largest_id(void **state)
{
    (void)state;
    assert_set("0\n9223372036854775806\n", 0, (uint64_t[]){0, INT64_MAX - 1}, 2);
    assert_set("1\n9223372036854775807\n", 1, (uint64_t[]){0, INT64_MAX - 1}, 2);
}

static void reads_compressed_lists(void **state)
{
    (void)state;
    uint64_t n;
    char *zipped = gzip_of("5\n70000\n", 8, 6, &n);
    assert_set_of(scratch_file(zipped, n), 0, (uint64_t[]){5, 70000}, 2, (em_knobs){0});
    free(zipped);
}

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void holds_random_sets_of_any_density(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int bits = 1; bits < 63; bits += 3) {
        const uint64_t n = 1 + random_next(&seed) % 20000;
        uint64_t *ids = malloc(n * sizeof *ids), n_different = 0;
        char *text = malloc(n * 21), *end = text;
        for (uint64_t i = 0; i < n; i++) {
            ids[i] = random_next(&seed) >> (64 - bits);
            end += sprintf(end, "%llu\n", (unsigned long long)ids[i]);
        }
        const char *path = scratch_file(text, (uint64_t)(end - text));
        qsort(ids, n, sizeof *ids, ascending);
        for (uint64_t i = 0; i < n; i++)
            if (n_different == 0 || ids[i] != ids[n_different - 1])
                ids[n_different++] = ids[i];
        assert_set_of(path, 0, ids, n_different, (em_knobs){.chunk_bytes = 5000});
        free(ids);
        free(text);
    }
}

static void refuses_what_is_malformed(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t base;
        const char *words;
    } table[] = {
        {"1\n\n#\nabc\n", 0, ":4:1: not a vertex id: 'abc'"},
        {"1\n  2x 3\n", 0, ":2:3: not a vertex id: '2x'"},
        {"-5\n", 0, ":1:1: negative vertex id: '-5'"},
        {"-\n", 0, ":1:1: not a vertex id: '-'"},
        {"1.5\n", 0, ":1:1: not a vertex id: '1.5'"},
        {"\"1\n", 0, ":1:1: not a vertex id: '\"1'"},
        {"\"\"\n", 0, ":1:1: not a vertex id: '\"\"'"},
        {",1\n", 0, ":1:1: not a vertex id: ''"},
        {"9223372036854775807\n", 0, ":1:1: vertex id is too large (at most 2^63 - 2): '9223372036854775807'"},
        {"9223372036854775808\n", 1, ":1:1: vertex id is too large"},
        {"18446744073709551616\n", 0, ":1:1: vertex id is too large"},
        {"99999999999999999999999999\n", 0, ":1:1: vertex id is too large"},
        {"1\n0\n", 1, ":2:1: vertex id is below the base of 1: '0'"},
        {"1\n\x01\xff\n", 0, ":2:1: not a vertex id: '\\x01\\xff'"},
        {"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n", 0, "xxx...'"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        for (uint64_t size = 0; size < 5; size++) {
            em_context *context = make_context((em_knobs){.chunk_bytes = size, .piece_bytes = size});
            em_vertex_set *set;
            em_error error = {0};
            const char *path = scratch_file(table[i].text, strlen(table[i].text));
            assert_int_equal(em_vertex_set_read(context, path, table[i].base, &set, &error), EM_MALFORMED);
            assert_null(set);
            assert_int_equal(strncmp(error.message, path, strlen(path)), 0);
            if (!strstr(error.message, table[i].words))
                fail_msg("'%s' not in '%s'", table[i].words, error.message);
            drop_context(context);
        }
    }
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    char text[20000], *end = text;
    for (int i = 0; i < 3000; i++)
        end += sprintf(end, "%d\n", i * 7);
    uint64_t n;
    char *zipped = gzip_of(text, (uint64_t)(end - text), 6, &n);
    const char *paths[] = {scratch_file(text, (uint64_t)(end - text)), scratch_file(zipped, n),
                           scratch_file("1\n999999999999\n", 15)};
    for (int i = 0; i < 3; i++) {
        em_status status = EM_NO_MEMORY;
        for (uint64_t fail = 1; status != EM_OK; fail++) {
            em_context *context = make_context((em_knobs){.fail_allocation = fail, .chunk_bytes = 500});
            em_vertex_set *set;
            em_error error = {0};
            status = em_vertex_set_read(context, paths[i], 0, &set, &error);
            assert_true(status == EM_OK || status == EM_NO_MEMORY);
            assert_int_equal(error.status, status);
            em_vertex_set_free(set);
            drop_context(context);
        }
    }
    free(zipped);
}

static int clean(void **state)
{
    (void)state;
    em_vertex_set_free(NULL);
    scratch_remove();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_one_id_a_line),
        cmocka_unit_test(passes_over_what_is_no_id),
        cmocka_unit_test(holds_the_largest_id),
        cmocka_unit_test(reads_compressed_lists),
        cmocka_unit_test(holds_random_sets_of_any_density),
        cmocka_unit_test(refuses_what_is_malformed),
        cmocka_unit_test(survives_every_failing_allocation),
    };
    return cmocka_run_group_tests_name("vertex_set", tests, NULL, clean);
}
