/* test_label_header - a line of column names in front of labels is no arc.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support_labels.h"

#include <string.h>

typedef struct header_row {
    const char *text, *options[4];
    const char *says; /* NULL: it is read */
    uint32_t n_arcs;
} header_row;

static const header_row rows[] = {
    /* ends that are called what columns are called */
    {"source,target\na,b\n", {0}, ":1:1: 'source' and 'target': a line of column names? --header skips it", 0},
    {"source,target\n", {0}, ":1:1: 'source'", 0},
    {"\xef\xbb\xbf# from a table\n\n\"From Node\";\"To_Node\"\r\na;b\r\n", {0}, ":3:1: 'From Node' and 'To_Node'", 0},
    {"dst\tsrc\tkind\na\tb\tx\n", {0}, ":1:1: 'dst' and 'src'", 0},
    {"kind,From,To\nx,a,b\n", {"--columns=2,3"}, ":1:6: 'From' and 'To'", 0},
    {":START_ID,:END_ID,:TYPE\na,b,KNOWS\n", {0}, ":1:1: ':START_ID' and ':END_ID'", 0},
    {"source,target\na,b\n", {"--weights=none"}, "'source' and 'target'", 0},
    {"source,target\na,b\n", {"--on-error=skip"}, "'source' and 'target'", 0},
    {"source,target\na,b\n", {"--header"}, NULL, 1},
    {"source,target\na,b\n", {"--header=0"}, NULL, 2},
    {"source,target,x\na,b,x\n", {"--columns=1,3"}, NULL, 2},
    {"sources,target\na,b\n", {0}, NULL, 2},
    {"from me\nto you\n", {0}, NULL, 2},
    {"a,b\nsource,target\n", {0}, NULL, 2},
    {"", {0}, NULL, 0},
    /* no number where the next line has a weight */
    {"a b x\nb c 5\n", {0}, ":1:5: 'x' is no weight, and '5' of line 2 is one: a line of column names? --header", 0},
    {"a,b,\"count\"\r\n\r\nb,c,\"1.5\"\r\n", {0}, ":1:5: 'count' is no weight, and '1.5' of line 3 is one", 0},
    {"! c\nnode,friend,n\n! 1,2,3\nb,c,5", {"--comment=!"}, ":2:13: 'n' is no weight, and '5' of line 4 is one", 0},
    {"a b x\n# c 5\n", {0}, ":1:5: 'x' is no weight, and '5' of line 2", 0},
    {"a b x\nb c 5\n", {"--weights=i64"}, ":1:5: 'x' is no weight, and '5' of line 2", 0},
    {"a b x\nb c 5\n", {"--columns=2,1,3"}, ":1:5: 'x' is no weight, and '5' of line 2", 0},
    {"a b x\nb c 5\n", {"--header"}, NULL, 1},
    {"a b x\nb c 5\n", {"--header=0"}, NULL, 2},
    {"a b x\nb c 5\n", {"--weights=none"}, NULL, 2},
    {"a b x\nb c 5\n", {"--columns=2,1"}, NULL, 2},
    {"a b x\nb c y\nc d 5\n", {0}, NULL, 3},
    {"a b x\nb c\nc d 5\n", {0}, NULL, 3},
    {"a b 1\nb c 2\n", {0}, NULL, 2},
    {"a b\nb c 2\n", {0}, NULL, 2},
    {"a b x\n", {0}, NULL, 1},
};

static void tells_column_names_from_labels(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (uint32_t n_threads = 1; n_threads <= 3; n_threads++) {
            const header_row *const row = &rows[i];
            const em_context_options how = labels_how(n_threads, 1 + 3 * n_threads, n_threads);
            const char *const paths[] = {labels_file("names.txt", row->text), NULL};
            labels_loaded result = labels_load(&how, row->options, paths);
            if (!row->says && result.status != EM_OK)
                fail_msg("%s: %s", row->text, result.error.message);
            if (row->says && (result.status != EM_MALFORMED || !strstr(result.error.message, row->says)))
                fail_msg("%s: status %d: %s", row->text, (int)result.status, result.error.message);
            if (!row->says)
                assert_int_equal(result.graph.edges.n_arcs, row->n_arcs);
            labels_unload(&result);
        }
}

/* The second line is far behind the first one. */
static void looks_at_the_second_line_wherever_it_is(void **state)
{
    (void)state;
    enum { BLANK_LINES = 200000 };
    static char text[BLANK_LINES + 32] = "a,b,weight\n";
    memset(text + 11, '\n', BLANK_LINES);
    memcpy(text + 11 + BLANK_LINES, "b,c,5\n", 7);
    const char *const paths[] = {labels_file("far.txt", text), NULL};
    labels_loaded result = labels_load(NULL, NULL, paths);
    assert_int_equal(result.status, EM_MALFORMED);
    assert_non_null(strstr(result.error.message, ":1:5: 'weight' is no weight, and '5' of line 200002 is one"));
    labels_unload(&result);
}

static void looks_at_every_input(void **state)
{
    (void)state;
    const char *paths[3] = {labels_file("first.csv", "a,b\n")};
    paths[1] = labels_file("second.csv", "from,to\na,b\n");
    labels_loaded result = labels_load(NULL, NULL, paths);
    assert_int_equal(result.status, EM_MALFORMED);
    assert_non_null(strstr(result.error.message, "second.csv:1:1: 'from' and 'to'"));
    labels_unload(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_column_names_from_labels),
        cmocka_unit_test(looks_at_the_second_line_wherever_it_is),
        cmocka_unit_test(looks_at_every_input),
    };
    return cmocka_run_group_tests(tests, NULL, support_tear_down);
}
