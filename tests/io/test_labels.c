/* test_labels - string ids: what is a label, which number it gets, what is refused and where.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support_labels.h"

#include <stdio.h>
#include <string.h>

/* --- by hand ------------------------------------------------------------------------------------------------ */

typedef struct good_row {
    const char *text;
    const char *options[4];
    const char *labels[8];
    uint32_t n_arcs;
    uint32_t pairs[8];
    em_weight_kind kind;
    double weights[4];
} good_row;

static const good_row good_rows[] = {
    {"b a\na c\nc b\n", {0}, {"b", "a", "c"}, 3, {0, 1, 1, 2, 2, 0}, 0, {0}},
    {"\"n1\";\"n2\"\n\"n1\";n3\nn3;\"n4\"\n", {0}, {"n1", "n2", "n3", "n4"}, 3, {0, 1, 0, 2, 2, 3}, 0, {0}},
    {"007 7\n7 08\n", {0}, {"007", "7", "08"}, 2, {0, 1, 1, 2}, 0, {0}},
    {"a,b\na,\"x,y\"\n", {0}, {"a", "b", "x,y"}, 2, {0, 1, 0, 2}, 0, {0}},
    {"a,\"say \"\"hi\"\"\"\n\"say \"\"hi\"\"\",b\n", {0}, {"a", "say \"hi\"", "b"}, 2, {0, 1, 1, 2}, 0, {0}},
    {"a,5\"\n5\",a\n", {0}, {"a", "5\""}, 2, {0, 1, 1, 0}, 0, {0}},
    {"a , b\n  a,b  \n\"a\" , \" b\"\n", {0}, {"a", "b", " b"}, 3, {0, 1, 0, 1, 0, 2}, 0, {0}},
    {"a\tNew York\n", {"--separator=tab"}, {"a", "New York"}, 1, {0, 1}, 0, {0}},
    {"New York,Oslo\n", {"--separator=,"}, {"New York", "Oslo"}, 1, {0, 1}, 0, {0}},
    {"Oslo,New York\n", {0}, {"Oslo", "New York"}, 1, {0, 1}, 0, {0}},
    {"New York,Oslo\n", {"--from=csv"}, {"New York", "Oslo"}, 1, {0, 1}, 0, {0}},
    {"\"New York\" \"Oslo\"\nOslo x\n", {0}, {"New York", "Oslo", "x"}, 2, {0, 1, 1, 2}, 0, {0}},
    {"a b\r\nb c\r\n", {0}, {"a", "b", "c"}, 2, {0, 1, 1, 2}, 0, {0}},
    {"a b\nb c", {0}, {"a", "b", "c"}, 2, {0, 1, 1, 2}, 0, {0}},
    {"\xef\xbb\xbf# hi\n\n// two\na b\n# c\n", {0}, {"a", "b", "#", "c"}, 2, {0, 1, 2, 3}, 0, {0}},
    {"\"#a\" b\n%c d\n", {0}, {"#a", "b", "%c", "d"}, 2, {0, 1, 2, 3}, 0, {0}},
    {"!x\na b\n!y\nb a\n", {"--comment=!"}, {"a", "b"}, 2, {0, 1, 1, 0}, 0, {0}},
    {"a b\n\n  \t\nb a\n", {0}, {"a", "b"}, 2, {0, 1, 1, 0}, 0, {0}},
    {"a b 3\nb c -4\n", {0}, {"a", "b", "c"}, 2, {0, 1, 1, 2}, EM_WEIGHT_I64, {3, -4}},
    {"a b 3\nb c 1.5\nc a 7\n", {0}, {"a", "b", "c"}, 3, {0, 1, 1, 2, 2, 0}, EM_WEIGHT_F64, {3, 1.5, 7}},
    {"a b x\nb c y\n", {0}, {"a", "b", "c"}, 2, {0, 1, 1, 2}, 0, {0}},
    {"a;b;2\n", {"--weights=none"}, {"a", "b"}, 1, {0, 1}, 0, {0}},
    {"a,b,2\nb,a,\"3\"\n", {"--weights=f32"}, {"a", "b"}, 2, {0, 1, 1, 0}, EM_WEIGHT_F32, {2, 3}},
    {"w,to,from\n2,x,y\n3,y,z\n",
     {"--header", "--columns=from,to,w"},
     {"y", "x", "z"},
     2,
     {0, 1, 2, 0},
     EM_WEIGHT_I64,
     {2, 3}},
    {"a b\nc\nc d 1 2\nd a\n", {"--on-error=skip"}, {"a", "b", "c", "d"}, 3, {0, 1, 2, 3, 3, 0}, 0, {0}},
    {"a b 1\nx y z\nb c 2\n", {"--on-error=skip"}, {"a", "b", "c"}, 2, {0, 1, 1, 2}, EM_WEIGHT_I64, {1, 2}},
    {"\xc3\xa9t\xc3\xa9 \xe6\x9d\xb1\xe4\xba\xac\n",
     {0},
     {"\xc3\xa9t\xc3\xa9", "\xe6\x9d\xb1\xe4\xba\xac"},
     1,
     {0, 1},
     0,
     {0}},
    {"a:b\nb:b\n", {"--separator=:"}, {"a", "b"}, 2, {0, 1, 1, 1}, 0, {0}},
    {"# nothing\n", {0}, {0}, 0, {0}, 0, {0}},
    {"", {0}, {0}, 0, {0}, 0, {0}},
};

static double weight_of(const labels_loaded *result, uint64_t i)
{
    const void *const weights = result->graph.edges.blocks->weights.at;
    switch (result->graph.edges.weight_kind) {
    case EM_WEIGHT_I64:
        return (double)((const int64_t *)weights)[i];
    case EM_WEIGHT_F32:
        return (double)((const float *)weights)[i];
    case EM_WEIGHT_F64:
        return ((const double *)weights)[i];
    default:
        return 0;
    }
}

static void check_good(const good_row *row, const em_context_options *options, const char *path)
{
    const char *const paths[] = {path, NULL};
    labels_loaded result = labels_load(options, row->options, paths);
    if (result.status != EM_OK)
        fail_msg("%s: %s", row->text, result.error.message);
    uint64_t n = 0;
    while (row->labels[n])
        n++;
    assert_int_equal(result.graph.edges.n_vertices, n);
    assert_int_equal(result.report.n_vertices, n);
    assert_int_equal(result.graph.edges.n_arcs, row->n_arcs);
    assert_int_equal(result.graph.edges.weight_kind, row->kind);
    assert_int_equal(result.graph.labels.ends.n_bytes, (n + 1) * 8);
    for (uint64_t i = 0; i < n; i++)
        assert_label(&result, i, row->labels[i], strlen(row->labels[i]));
    for (uint32_t i = 0; i < row->n_arcs; i++) {
        assert_int_equal(labels_source(&result, i), row->pairs[2 * i]);
        assert_int_equal(labels_target(&result, i), row->pairs[2 * i + 1]);
        const double weight = weight_of(&result, i);
        assert_memory_equal(&weight, &row->weights[i], sizeof weight);
    }
    labels_unload(&result);
}

static void numbers_labels_by_first_appearance(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good_rows / sizeof *good_rows; i++) {
        const char *const path = support_file("good.el", good_rows[i].text, strlen(good_rows[i].text));
        for (uint32_t threads = 1; threads <= 5; threads++)
            for (uint64_t chunk = 0; chunk <= 12; chunk++) {
                const em_context_options options = labels_how(threads, chunk, chunk);
                check_good(&good_rows[i], &options, path);
            }
    }
}

typedef struct bad_row {
    const char *text;
    size_t n_bytes; /* 0: strlen */
    const char *options[3];
    const char *place, *says[2];
} bad_row;

static const bad_row bad_rows[] = {
    {"a b\nc\nd e\n", 0, {0}, ":2:2:", {"1 column", "'c'"}},
    {"a,b\n,c\n", 0, {0}, ":2:1:", {"source", "empty"}},
    {"a,b\nc,\n", 0, {0}, ":2:3:", {"target", "empty"}},
    {"a,b\nc,\"\"\n", 0, {0}, ":2:3:", {"target", "empty"}},
    {"a b\n\"\" c\n", 0, {0}, ":2:1:", {"source", "empty"}},
    {"a,b\n\"left\nright\",c\n", 0, {0}, ":2:1:", {"does not end on its line", "left"}},
    {"a b\nc \"x\n", 0, {0}, ":2:3:", {"does not end on its line", 0}},
    {"a,b\n\"c\"d,e\n", 0, {0}, ":2:4:", {"closing quote", "\"c\"d"}},
    {"a b\n\"c\"d e\n", 0, {0}, ":2:4:", {"closing quote", 0}},
    {"a b\nc \0d\n", 9, {0}, ":2:3:", {"NUL", 0}},
    {"\xff\xfe"
     "a\0 \0",
     6,
     {0},
     ":1:1:",
     {"UTF-16", 0}},
    {"a b 1\nc d\n", 0, {0}, ":2:4:", {"no weight", "'c d'"}},
    {"a b 1\nc d x\n", 0, {0}, ":2:5:", {"'x'", "--weights=none"}},
    {"New York,Oslo\n", 0, {0}, ":1:1:", {"--separator", 0}},
    {"# x\nNew York\tOslo\n", 0, {0}, ":2:1:", {"--separator", 0}},
    {"a,b;c\n", 0, {0}, ":1:1:", {"--separator", 0}},
};

static void refuses_malformed_lines_and_names_their_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_rows / sizeof *bad_rows; i++) {
        const bad_row *const row = &bad_rows[i];
        const char *const paths[] = {support_file("bad.el", row->text, row->n_bytes ? row->n_bytes : strlen(row->text)),
                                     NULL};
        char place[256];
        snprintf(place, sizeof place, "%s%s ", paths[0], row->place);
        for (uint32_t threads = 1; threads <= 4; threads++)
            for (uint64_t chunk = 0; chunk <= 12; chunk += 3) {
                const em_context_options options = labels_how(threads, chunk, chunk);
                labels_loaded result = labels_load(&options, row->options, paths);
                if (result.status != EM_MALFORMED || strncmp(result.error.message, place, strlen(place)) != 0)
                    fail_msg("status %d, %s: wanted %s", (int)result.status, result.error.message, place);
                for (int word = 0; word < 2 && row->says[word]; word++)
                    if (!strstr(result.error.message, row->says[word]))
                        fail_msg("%s: says nothing of %s", result.error.message, row->says[word]);
                labels_unload(&result);
            }
    }
}

static void names_the_first_of_several_bad_lines(void **state)
{
    (void)state;
    static char text[1 << 16];
    char *at = text;
    for (int i = 0; i < 3000; i++)
        at += sprintf(at, i == 1234 ? "lonely\n" : i == 1235 || i == 2900 ? "\"open x\n" : "v%d w%d\n", i % 77, i % 13);
    const char *const paths[] = {support_file("bad.el", text, (size_t)(at - text)), NULL};
    for (uint32_t threads = 1; threads <= 5; threads++) {
        const em_context_options options = labels_how(threads, 500, 100);
        labels_loaded result = labels_load(&options, NULL, paths);
        assert_int_equal(result.status, EM_MALFORMED);
        if (!strstr(result.error.message, ":1235:7:"))
            fail_msg("%s", result.error.message);
        labels_unload(&result);
    }
}

static void goes_on_numbering_from_input_to_input(void **state)
{
    (void)state;
    char first[128], second[128];
    strcpy(first, labels_file("one.el", "x y\ny z\n"));
    strcpy(second, labels_file("two.el", "# again\nw,z\nx,\"w\"\n"));
    const char *const paths[] = {first, second, NULL};
    for (uint32_t threads = 1; threads <= 4; threads++) {
        const em_context_options options = labels_how(threads, 1, 1);
        labels_loaded result = labels_load(&options, NULL, paths);
        assert_int_equal(result.status, EM_OK);
        static const uint32_t pairs[] = {0, 1, 1, 2, 3, 2, 0, 3};
        for (uint32_t i = 0; i < 4; i++) {
            assert_int_equal(labels_source(&result, i), pairs[2 * i]);
            assert_int_equal(labels_target(&result, i), pairs[2 * i + 1]);
        }
        assert_label(&result, 3, "w", 1);
        assert_int_equal(result.report.n_comment_lines, 1);
        assert_int_equal(result.report.n_lines, 5);
        labels_unload(&result);
    }
}

static void builds_the_same_graph_through_the_whole_chain(void **state)
{
    (void)state;
    const char *const path = labels_file("chain.el", "b a\na c\nc b\nb c\n");
    for (uint32_t threads = 1; threads <= 3; threads++)
        for (int unfused = 0; unfused < 2; unfused++) {
            const support_load job = {.context = labels_how(threads, 4, 4),
                                      .options = {"--ids=string"},
                                      .paths = {path},
                                      .sorted = true,
                                      .unfused = unfused};
            support_result result = support_run(&job);
            assert_int_equal(result.status, EM_OK);
            static const uint64_t offsets[] = {0, 2, 3, 4};
            static const uint32_t targets[] = {1, 2, 2, 0};
            assert_memory_equal(result.graph.csr.offsets.at, offsets, sizeof offsets);
            assert_memory_equal(result.graph.csr.targets.at, targets, sizeof targets);
            assert_int_equal(result.graph.labels.text.n_bytes, 3);
            assert_memory_equal(result.graph.labels.text.at, "bac", 3);
            support_free(&result);
        }
}

/* --- --vertices-from ------------------------------------------------------------------------------------------ */

static void takes_the_vertices_from_a_list(void **state)
{
    (void)state;
    const char *const paths[] = {labels_file("arcs.csv", "c,a\n\"a\",\"d \"\"x\"\"\"\nNew York,c\n"), NULL};
    const char *const options[] = {
        labels_listed("\xef\xbb\xbf# names\n\na\r\n  New York \n\"b\"\nc\na\n\"d \"\"x\"\"\"\n#e"), NULL};
    static const char *const labels[] = {"a", "New York", "b", "c", "d \"x\"", "#e"};
    static const uint32_t pairs[] = {3, 0, 0, 4, 1, 3};
    for (uint32_t threads = 1; threads <= 4; threads++)
        for (uint64_t chunk = 0; chunk < 9; chunk++) {
            const em_context_options run = labels_how(threads, chunk, chunk);
            labels_loaded result = labels_load(&run, options, paths);
            if (result.status != EM_OK)
                fail_msg("%s", result.error.message);
            assert_int_equal(result.graph.edges.n_vertices, 6);
            for (uint32_t i = 0; i < 6; i++)
                assert_label(&result, i, labels[i], strlen(labels[i]));
            for (uint32_t i = 0; i < 3; i++) {
                assert_int_equal(labels_source(&result, i), pairs[2 * i]);
                assert_int_equal(labels_target(&result, i), pairs[2 * i + 1]);
            }
            labels_unload(&result);
        }
}

static void refuses_labels_that_are_not_listed(void **state)
{
    (void)state;
    const char *const paths[] = {labels_file("arcs.el", "a b\n\nb \"c\"\nd e\na x\n"), NULL};
    const char *options[] = {labels_listed("a\nb\nd\ne\n"), NULL, NULL};
    for (uint32_t threads = 1; threads <= 4; threads++) {
        const em_context_options run = labels_how(threads, threads, threads);
        options[1] = NULL;
        labels_loaded result = labels_load(&run, options, paths);
        assert_int_equal(result.status, EM_MALFORMED);
        if (!strstr(result.error.message, "arcs.el:3:3: label 'c' is not in the list of ") ||
            !strstr(result.error.message, "vertices.txt"))
            fail_msg("%s", result.error.message);
        labels_unload(&result);
        options[1] = "--on-error=skip";
        result = labels_load(&run, options, paths);
        assert_int_equal(result.status, EM_OK);
        assert_int_equal(result.graph.edges.n_arcs, 2);
        assert_int_equal(result.report.n_skipped_lines, 2);
        assert_int_equal(result.report.skipped[0].line, 3);
        assert_int_equal(result.report.skipped[1].line, 5);
        labels_unload(&result);
    }
}

/* A line that is skipped must not decide the type of the weights, wherever chunks end. */
static void skipped_lines_leave_the_weights_alone(void **state)
{
    (void)state;
    const char *const paths[] = {labels_file("arcs.el", "a b 1\nb zz 2.5\nb a 3\na b 4\n"), NULL};
    const char *const options[] = {labels_listed("a\nb\n"), "--on-error=skip", NULL};
    for (uint32_t threads = 1; threads <= 3; threads++)
        for (uint64_t chunk = 0; chunk < 30; chunk++) {
            const em_context_options run = labels_how(threads, chunk, chunk);
            labels_loaded result = labels_load(&run, options, paths);
            assert_int_equal(result.status, EM_OK);
            assert_int_equal(result.graph.edges.n_arcs, 3);
            assert_int_equal(result.graph.edges.weight_kind, EM_WEIGHT_I64);
            labels_unload(&result);
        }
}

static void names_the_place_in_a_list_of_vertices(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } rows[] = {{"a\n\"b\nc\"\n", "vertices.txt:2:1:"},
                {"a\n\"b\"c\n", "vertices.txt:2:4:"},
                {"a\n\"\"\n", "vertices.txt:2:1:"}};
    const char *const paths[] = {labels_file("arcs.el", "a a\n"), NULL};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *const options[] = {labels_listed(rows[i].text), NULL};
        labels_loaded result = labels_load(NULL, options, paths);
        assert_int_equal(result.status, EM_MALFORMED);
        if (!strstr(result.error.message, rows[i].says))
            fail_msg("%s: wanted %s", result.error.message, rows[i].says);
        labels_unload(&result);
    }
}

/* --- usage ------------------------------------------------------------------------------------------------- */

static void refuses_options_that_speak_of_numbers(void **state)
{
    (void)state;
    static const char *const words[] = {"--base=0",   "--base=1",   "--vertices=5", "--from=npz",
                                        "--from=u32", "--from=mtx", "--from=csr"};
    static const char *const says[] = {"--base", "--base", "--vertices", "npz", "u32", "mtx", "csr"};
    const char *const paths[] = {labels_file("arcs.el", "a b\n"), NULL};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *const options[] = {words[i], NULL};
        labels_loaded result = labels_load(NULL, options, paths);
        assert_int_equal(result.status, EM_USAGE);
        if (!strstr(result.error.message, says[i]))
            fail_msg("%s: says nothing of %s", result.error.message, says[i]);
        labels_unload(&result);
    }
    const char *const matrix[] = {
        labels_file("m.mtx", "%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n"), NULL};
    labels_loaded result = labels_load(NULL, NULL, matrix);
    assert_int_equal(result.status, EM_USAGE);
    assert_non_null(strstr(result.error.message, "mtx"));
    labels_unload(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_labels_by_first_appearance),
        cmocka_unit_test(refuses_malformed_lines_and_names_their_place),
        cmocka_unit_test(names_the_first_of_several_bad_lines),
        cmocka_unit_test(goes_on_numbering_from_input_to_input),
        cmocka_unit_test(builds_the_same_graph_through_the_whole_chain),
        cmocka_unit_test(takes_the_vertices_from_a_list),
        cmocka_unit_test(refuses_labels_that_are_not_listed),
        cmocka_unit_test(skipped_lines_leave_the_weights_alone),
        cmocka_unit_test(names_the_place_in_a_list_of_vertices),
        cmocka_unit_test(refuses_options_that_speak_of_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, support_tear_down);
}
