/* test_edge_text - reading edge lists as text: what is tolerated, what is refused and where, for every thread count.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support.h"
#include "tests/support_turns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct bad_row {
    const char *text;
    size_t n_bytes; /* 0: strlen */
    const char *options[4];
    const char *place; /* ":LINE:COLUMN:" */
    const char *says[3];
} bad_row;

static const bad_row bad_rows[] = {
    {"0 1\n1 2abc\n", 0, {0}, ":2:3:", {"'2abc'"}},
    {"0 1\n2 0x10\n", 0, {0}, ":2:3:", {"'0x10'"}},
    {"0 1\n3 +4\n", 0, {0}, ":2:3:", {"'+4'"}},
    {"0 1\n4 1e3\n", 0, {0}, ":2:3:", {"'1e3'"}},
    {"0 1\n1 -1\n", 0, {0}, ":2:3:", {"'-1'", "negative"}},
    {"0 1\nanna bert\n", 0, {0}, ":2:1:", {"'anna'"}},
    {"0 1\n2\n3 4\n", 0, {0}, ":2:2:", {"'2'", "1 column"}},
    {"src,dst\n0,1\n", 0, {0}, ":1:1:", {"'src'", "--header"}},
    {"0 1\n1 2\0 7\n2 0\n", 15, {0}, ":2:4:", {"NUL"}},
    {"# c\0c\n0 1\n", 10, {0}, ":1:4:", {"NUL"}},
    {"0 1 2.5\n1 2\n2 0 4\n", 0, {0}, ":2:4:", {"weight", "'1 2'"}},
    {"0 1 2\n1 2 x\n", 0, {0}, ":2:5:", {"'x'", "--weights=none"}},
    {"0 1 2\n1 2 inf\n", 0, {0}, ":2:5:", {"'inf'", "finite"}},
    {"0 1 2\n1 2 1e999\n", 0, {0}, ":2:5:", {"'1e999'", "f64"}},
    {"0 1 9223372036854775808\n", 0, {0}, ":1:5:", {"9223372036854775808", "i64"}},
    {"0 1 0.5\n1 0 9223372036854775808\n", 0, {0}, ":2:5:", {"9223372036854775808", "i64"}},
    {"0 1 0.5\n", 0, {"--weights=i64"}, ":1:5:", {"'0.5'", "integer"}},
    {"0 1 2147483648\n", 0, {"--weights=i32"}, ":1:5:", {"'2147483648'", "i32"}},
    {"0 1\n", 0, {"--weights=f64"}, ":1:4:", {"no weight"}},
    {"0 9223372036854775807\n", 0, {0}, ":1:3:", {"9223372036854775807", "largest"}},
    {"0 99999999999999999999999\n", 0, {0}, ":1:3:", {"largest"}},
    {"0 1\n1,2\n", 0, {0}, ":2:1:", {"'1,2'", "separat"}},
    {"0,1\n1 2\n", 0, {0}, ":2:1:", {"'1 2'", "separat"}},
    {"0,1\n1,,2\n", 0, {0}, ":2:3:", {"empty"}},
    {"0,1\n,2\n", 0, {0}, ":2:1:", {"empty"}},
    {"0,1\n\"1,2\n", 0, {0}, ":2:1:", {"quoted"}},
    {"0,1\n\"1\"x,2\n", 0, {0}, ":2:1:", {"x"}},
    {"1 2\n0 0\n", 0, {"--base=1"}, ":2:1:", {"'0'", "--base=1"}},
    {"1 2\n99999999999 0\n", 0, {"--base=1"}, ":2:13:", {"'0'", "--base=1"}},
    {"5000000000 2\n3 4\n0 7\n3 5\n", 0, {"--base=1"}, ":3:1:", {"'0'", "--base=1"}},
    {"5000000000 5000000000\n3 4\n7 0\n3 5\n", 0, {"--base=1"}, ":3:3:", {"'0'", "--base=1"}},
    {"0 1\n1 5\n", 0, {"--vertices=5"}, ":2:3:", {"'5'", "--vertices=5"}},
    {"1 2\n2 6\n", 0, {"--vertices=5", "--base=1"}, ":2:3:", {"'6'", "--vertices=5"}},
    {"0 1\r2\r", 0, {0}, ":1:3:", {"\\x0d"}},
    {"\xff\xfe"
     "0\0 \0",
     6,
     {0},
     ":1:1:",
     {"UTF-16"}},
    {"0 1\n# x\n\n1 y\n", 0, {0}, ":4:3:", {"'y'"}},
    {"a b\n# x\n0 1\n1 y\n", 0, {"--header"}, ":4:3:", {"'y'"}},
    {"0 1\n\x01 2\n", 0, {0}, ":2:1:", {"'\\x01'"}},
};

static void check_bad(const bad_row *row, const char *path, uint32_t threads, uint64_t chunk, em_isa isa)
{
    support_load load = {
        .context = {.n_threads = threads,
                    .knobs = {.chunk_bytes = chunk, .piece_bytes = chunk, .isa_limited = true, .isa_at_most = isa}},
        .paths = {path}};
    for (int i = 0; row->options[i]; i++)
        load.options[i] = row->options[i];
    support_result result = support_run(&load);
    if (result.status != EM_MALFORMED)
        fail_msg("status %d for %s", (int)result.status, row->text);
    char place[256];
    snprintf(place, sizeof place, "%s%s ", path, row->place);
    if (strncmp(result.error.message, place, strlen(place)) != 0)
        fail_msg("%s: wanted %s (%u threads, chunks of %u)", result.error.message, place, threads, (unsigned)chunk);
    for (int i = 0; i < 3 && row->says[i]; i++)
        if (!strstr(result.error.message, row->says[i]))
            fail_msg("%s: says nothing of %s", result.error.message, row->says[i]);
    support_free(&result);
}

static void refuses_malformed_lines_and_names_their_place(void **state)
{
    (void)state;
    uint64_t turn = 0;
    for (size_t i = 0; i < sizeof bad_rows / sizeof *bad_rows; i++) {
        const char *path = support_file("bad.el", bad_rows[i].text,
                                        bad_rows[i].n_bytes ? bad_rows[i].n_bytes : strlen(bad_rows[i].text));
        for (uint32_t threads = 1; threads <= 4; threads++)
            for (uint64_t chunk = 0; chunk <= 12; chunk += 3)
                if (support_turn(&turn))
                    check_bad(&bad_rows[i], path, threads, chunk,
                              threads == 3   ? EM_ISA_AVX2
                              : threads == 4 ? EM_ISA_SCALAR
                                             : EM_ISA_AVX512);
    }
}

typedef struct good_row {
    const char *text;
    size_t n_bytes;
    const char *options[4];
    uint64_t n_vertices, n_arcs;
    uint32_t pairs[8]; /* source, target of each arc, in row order */
    em_weight_kind kind;
    double weights[4];
} good_row;

static const good_row good_rows[] = {
    {"0 1\n1 2", 0, {0}, 3, 2, {0, 1, 1, 2}, 0, {0}},
    {"1\t2\n3\t5\n5\t7\n5\t6\n", 0, {0}, 8, 4, {1, 2, 3, 5, 5, 7, 5, 6}, 0, {0}},
    {"0;1\n1;2\n", 0, {0}, 3, 2, {0, 1, 1, 2}, 0, {0}},
    {"0|1\n1|2\n2|0\n", 0, {0}, 3, 3, {0, 1, 1, 2, 2, 0}, 0, {0}},
    {"0 , 1\n1,2\n", 0, {0}, 3, 2, {0, 1, 1, 2}, 0, {0}},
    {"0,1,\n1,2,\n", 0, {"--separator=,"}, 3, 2, {0, 1, 1, 2}, 0, {0}},
    {"0,1\r\n1,2\r\n2,0\r\n", 0, {0}, 3, 3, {0, 1, 1, 2, 2, 0}, 0, {0}},
    {"\n0 1\n\n   \n1 2\n\n\n", 0, {0}, 3, 2, {0, 1, 1, 2}, 0, {0}},
    {"\r\n0 1\r\n \r\n1 2\r\n", 0, {0}, 3, 2, {0, 1, 1, 2}, 0, {0}},
    {"\xef\xbb\xbfsrc,dst\n0,1\n1,2\n", 0, {"--header", "--columns=src,dst"}, 3, 2, {0, 1, 1, 2}, 0, {0}},
    {"weight,target,source\n0.5,1,0\n1.5,2,0\n",
     0,
     {"--header", "--columns=source,target,weight"},
     3,
     2,
     {0, 1, 0, 2},
     EM_WEIGHT_F64,
     {0.5, 1.5}},
    {"x 1 y 0\nx 2 y 1\n", 0, {"--columns=4,2"}, 3, 2, {0, 1, 1, 2}, 0, {0}},
    {"% made by hand\n0 1\n// second block\n1 2\n# end\n", 0, {0}, 3, 2, {0, 1, 1, 2}, 0, {0}},
    {"c hello\n0 1\n", 0, {"--comment=c"}, 2, 1, {0, 1}, 0, {0}},
    {"0 1 7\n1 2 9\n", 0, {"--weights=none"}, 3, 2, {0, 1, 1, 2}, 0, {0}},
    {"0 1 7\n1 2 9\n", 0, {0}, 3, 2, {0, 1, 1, 2}, EM_WEIGHT_I64, {7, 9}},
    {"0 1 7\n1 2 9.5\n", 0, {0}, 3, 2, {0, 1, 1, 2}, EM_WEIGHT_F64, {7, 9.5}},
    {"0 1 -7\n1 2 +9e0\n", 0, {0}, 3, 2, {0, 1, 1, 2}, EM_WEIGHT_F64, {-7, 9}},
    {"0 1 7 1082008561\n1 2 9 1082008562\n", 0, {0}, 3, 2, {0, 1, 1, 2}, EM_WEIGHT_I64, {7, 9}},
    {"0 1 a\n1 2 b\n", 0, {0}, 3, 2, {0, 1, 1, 2}, 0, {0}},
    {"\"0\",\"1\"\n1,\"2\"\n", 0, {0}, 3, 2, {0, 1, 1, 2}, 0, {0}},
    {"1 2\n2 3\n", 0, {"--base=1"}, 3, 2, {0, 1, 1, 2}, 0, {0}},
    {"007 7\n7 08\n", 0, {0}, 9, 2, {7, 7, 7, 8}, 0, {0}},
    {"#src,dst\n0,1\n1,2\n", 0, {"--header", "--columns=src,dst"}, 3, 2, {0, 1, 1, 2}, 0, {0}},
    {"# made\nsrc,dst\n0,1\n1,2\n", 0, {"--header=2", "--columns=src,dst"}, 3, 2, {0, 1, 1, 2}, 0, {0}},
    {"\n0,1\n1,2\n", 0, {"--header"}, 3, 2, {0, 1, 1, 2}, 0, {0}},
    {"0 1 -0\n1 2 2.5\n2 0 -0\n", 0, {0}, 3, 3, {0, 1, 1, 2, 2, 0}, EM_WEIGHT_F64, {0, 2.5, 0}},
    {"0 1 -0\n", 0, {"--weights=f64"}, 2, 1, {0, 1}, EM_WEIGHT_F64, {-0.0}},
    {"h1 h2\nh3 h4\n0 1\n", 0, {"--header=2"}, 2, 1, {0, 1}, 0, {0}},
    {"0 1\nx y\n1 2\n", 0, {"--on-error=skip"}, 3, 2, {0, 1, 1, 2}, 0, {0}},
    {"0 1\n0 9\n1 2\n", 0, {"--on-error=skip", "--vertices=3"}, 3, 2, {0, 1, 1, 2}, 0, {0}},
    {"0:1\n1:2\n", 0, {"--separator=:"}, 3, 2, {0, 1, 1, 2}, 0, {0}},
    {"0\t1\n1\t2\n", 0, {"--separator=tab"}, 3, 2, {0, 1, 1, 2}, 0, {0}},
    {"000000000000000000000000000001 2\n", 0, {0}, 3, 1, {1, 2}, 0, {0}},
};

static void check_good(const good_row *row, support_load load)
{
    for (int i = 0; row->options[i]; i++)
        load.options[i] = row->options[i];
    support_result result = support_run(&load);
    if (result.status != EM_OK)
        fail_msg("%s: %s", row->text, result.error.message);
    const em_csr *csr = &result.graph.csr;
    assert_int_equal(csr->n_vertices, row->n_vertices);
    assert_int_equal(csr->n_arcs, row->n_arcs);
    assert_int_equal(csr->weight_kind, row->kind);
    const uint64_t *offsets = csr->offsets.at;
    for (uint32_t i = 0; i < row->n_arcs; i++) {
        assert_in_range(i, offsets[row->pairs[2 * i]], offsets[row->pairs[2 * i] + 1] - 1);
        assert_int_equal(((uint32_t *)csr->targets.at)[i], row->pairs[2 * i + 1]);
        const double weight = row->kind == EM_WEIGHT_I64 ? (double)((int64_t *)csr->weights.at)[i]
                              : row->kind                ? ((double *)csr->weights.at)[i]
                                                         : 0;
        assert_memory_equal(&weight, &row->weights[i], sizeof weight);
    }
    support_free(&result);
}

static void reads_what_is_harmless(void **state)
{
    (void)state;
    uint64_t turn = 0;
    for (size_t i = 0; i < sizeof good_rows / sizeof *good_rows; i++) {
        const char *path = support_file("good.el", good_rows[i].text,
                                        good_rows[i].n_bytes ? good_rows[i].n_bytes : strlen(good_rows[i].text));
        for (uint32_t threads = 1; threads <= 3; threads++)
            for (uint64_t chunk = 0; chunk <= 64; chunk++)
                for (int isa = EM_ISA_SCALAR; isa <= EM_ISA_AVX512; isa += threads) {
                    if (!support_turn(&turn))
                        continue;
                    const support_load load = {.context = {.n_threads = threads,
                                                           .knobs = {.chunk_bytes = chunk,
                                                                     .piece_bytes = chunk,
                                                                     .isa_limited = true,
                                                                     .isa_at_most = (em_isa)isa}},
                                               .paths = {path}};
                    check_good(&good_rows[i], load);
                }
    }
}

static void counts_lines_of_every_kind(void **state)
{
    (void)state;
    const char text[] = "# c\n\n0 1 x\n2 3\n% c\n1 2 y z\n \nbad\n";
    for (uint32_t threads = 1; threads <= 3; threads++) {
        support_load load = {.context = {.n_threads = threads, .knobs.chunk_bytes = 5},
                             .options = {"--on-error=skip"},
                             .paths = {support_file("count.el", text, sizeof text - 1)}};
        support_result result = support_run(&load);
        assert_int_equal(result.status, EM_OK);
        assert_int_equal(result.report.n_lines, 8);
        assert_int_equal(result.report.n_comment_lines, 2);
        assert_int_equal(result.report.n_blank_lines, 2);
        assert_int_equal(result.report.n_extra_column_lines, 2);
        assert_int_equal(result.report.n_skipped_lines, 1);
        assert_int_equal(result.report.n_skipped_kept, 1);
        assert_int_equal(result.report.skipped[0].line, 8);
        assert_int_equal(result.report.n_arcs, 3);
        assert_int_equal(result.report.smallest_id, 0);
        assert_int_equal(result.report.largest_id, 3);
        assert_int_equal(result.report.n_text_bytes, sizeof text - 1);
        support_free(&result);
    }
}

static void lists_the_first_ten_skipped_lines_in_order(void **state)
{
    (void)state;
    char text[4096] = "", *at = text;
    for (int i = 0; i < 60; i++)
        at += sprintf(at, i % 3 == 1 ? "bad %d\n" : "%d 1\n", i);
    for (uint32_t threads = 1; threads <= 5; threads++) {
        support_load load = {.context = {.n_threads = threads, .knobs.chunk_bytes = 9},
                             .options = {"--on-error=skip"},
                             .paths = {support_file("skip.el", text, strlen(text))}};
        support_result result = support_run(&load);
        assert_int_equal(result.status, EM_OK);
        assert_int_equal(result.report.n_skipped_lines, 20);
        assert_int_equal(result.report.n_skipped_kept, 10);
        for (uint32_t i = 0; i < 10; i++)
            assert_int_equal(result.report.skipped[i].line, 3 * i + 2);
        support_free(&result);
    }
}

static void the_first_of_two_errors_wins(void **state)
{
    (void)state;
    char *text = malloc(1 << 20), *at = text;
    for (int i = 0; i < 30000; i++)
        at += sprintf(at, i == 20000 ? "20000 oops\n" : i == 20001 || i == 29999 ? "x y\n" : "%d %d\n", i, i + 1);
    const char *path = support_file("late.el", text, (size_t)(at - text));
    for (uint32_t threads = 1; threads <= 8; threads++) {
        support_load load = {.context = {.n_threads = threads, .knobs.chunk_bytes = 777}, .paths = {path}};
        support_result result = support_run(&load);
        assert_int_equal(result.status, EM_MALFORMED);
        assert_non_null(strstr(result.error.message, "late.el:20001:7: 'oops'"));
        support_free(&result);
    }
    free(text);
}

static void refuses_inputs_that_disagree_on_weights(void **state)
{
    (void)state;
    support_load load = {0};
    load.paths[0] = support_file("w.el", "0 1 5\n", 6);
    load.paths[1] = support_file("n.el", "1 2\n", 4);
    support_result result = support_run(&load);
    assert_int_equal(result.status, EM_MALFORMED);
    assert_non_null(strstr(result.error.message, "n.el"));
    assert_non_null(strstr(result.error.message, "--weights=none"));
    support_free(&result);
}

static void refuses_options_that_make_no_sense(void **state)
{
    (void)state;
    static const char *const options[] = {
        "--separator=ab",   "--separator=5",     "--separator", "--columns=1",    "--columns=1,1", "--columns=0,1",
        "--columns=a,b",    "--columns=1,2,3,4", "--base=2",    "--vertices=x",   "--vertices=-1", "--weights=f16",
        "--on-error=maybe", "--header=x",        "--no-such",   "--from=nothing", "--checksum=1"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        support_load load = {.options = {options[i]}, .paths = {support_file("any.el", "0 1\n", 4)}};
        support_result result = support_run(&load);
        if (result.status != EM_USAGE)
            fail_msg("%s gave status %d", options[i], (int)result.status);
        assert_true(*result.error.message);
        support_free(&result);
    }
}

static void names_a_header_column_that_is_not_there(void **state)
{
    (void)state;
    support_load load = {.options = {"--header", "--columns=src,nope"},
                         .paths = {support_file("h.csv", "src,dst\n0,1\n", 12)}};
    support_result result = support_run(&load);
    assert_int_equal(result.status, EM_MALFORMED);
    assert_non_null(strstr(result.error.message, "nope"));
    support_free(&result);
}

static void refuses_ids_outside_the_vertex_list(void **state)
{
    (void)state;
    char list[160];
    snprintf(list, sizeof list, "--vertices-from=%s", support_file("y.v", "2\n3\n", 4));
    support_load load = {.context.n_threads = 2, .options = {list}, .paths = {support_file("y.e", "2 3\n3 8\n", 8)}};
    support_result result = support_run(&load);
    assert_int_equal(result.status, EM_MALFORMED);
    assert_non_null(strstr(result.error.message, "y.e:2:3: vertex id '8'"));
    assert_non_null(strstr(result.error.message, "y.v"));
    support_free(&result);
    load.paths[0] = support_file("z.e", "2 3\n3 2\n", 8);
    result = support_run(&load);
    assert_int_equal(result.status, EM_OK);
    assert_int_equal(result.graph.csr.n_vertices, 4);
    support_free(&result);
}

static void says_when_a_vertex_list_holds_more_than_ids(void **state)
{
    (void)state;
    char list[160];
    snprintf(list, sizeof list, "--vertices-from=%s", support_file("more.v", "0 1 2\n1\n 2 \r\n3,\n", 16));
    support_load load = {.options = {list}, .paths = {support_file("more.e", "0 1\n1 3\n", 8)}};
    support_result result = support_run(&load);
    assert_int_equal(result.status, EM_OK);
    assert_int_equal(result.report.n_notes, 1);
    assert_non_null(strstr(result.report.notes[0], "more.v: 1 lines"));
    support_free(&result);
}

static void the_checksum_does_not_depend_on_order_or_on_when_weights_turned(void **state)
{
    (void)state;
    static const char *const texts[] = {"0 1 5\n1 2 7\n2 0 0.5\n", "2 0 0.5\n1 2 7\n0 1 5\n",
                                        "1 2 7.0\n0 1 5\n2 0 0.5\n"};
    uint64_t first = 0;
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t threads = 1; threads <= 3; threads++) {
            support_load load = {.context = {.n_threads = threads, .knobs.chunk_bytes = 4},
                                 .options = {"--checksum"},
                                 .paths = {support_file("sum.el", texts[i], strlen(texts[i]))}};
            support_result result = support_run(&load);
            assert_int_equal(result.status, EM_OK);
            first = first ? first : result.report.arc_checksum;
            assert_int_equal(result.report.arc_checksum, first);
            em_csr_summary summary;
            assert_int_equal(em_csr_summarize(result.context, &result.graph.csr, &summary, NULL), EM_OK);
            assert_int_equal(summary.arc_checksum, first);
            support_free(&result);
        }
}

/* A sink that runs out of memory in chunk 0, when later chunks have been parsed. */
static em_status begin_nothing(void *state, const em_read_hint *hint, em_error *error)
{
    (void)state, (void)hint, (void)error;
    return EM_OK;
}

static em_status refuse_the_first(void *state, uint32_t worker, const em_arc_batch *batch, em_error *error)
{
    (void)state, (void)worker;
    if (batch->chunk > 0)
        return EM_OK;
    usleep(100000);
    return em_fail(error, EM_NO_MEMORY, "full");
}

static void counts_no_lines_of_chunks_that_were_not_read(void **state)
{
    (void)state;
    const char text[] = "0 1\n1 2\n2 3\n3 4\nx\n";
    const char *const path = support_file("unread.el", text, strlen(text));
    const em_context_options options = {.n_threads = 2, .knobs = {.chunk_bytes = 16}};
    const em_read_options read = {.paths = &path, .n_paths = 1};
    const em_arc_sink sink = {NULL, begin_nothing, refuse_the_first};
    em_context *context;
    em_read_report report;
    em_error error = {0};
    assert_int_equal(em_context_create(&options, &context, NULL), EM_OK);
    assert_int_equal(em_read(context, &read, &sink, &report, &error), EM_NO_MEMORY);
    assert_string_equal(error.message, "full");
    assert_int_equal(em_context_memory(context).current_bytes, 0);
    em_context_free(context);
    (void)support_tear_down(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_malformed_lines_and_names_their_place),
        cmocka_unit_test(reads_what_is_harmless),
        cmocka_unit_test(counts_lines_of_every_kind),
        cmocka_unit_test(lists_the_first_ten_skipped_lines_in_order),
        cmocka_unit_test(the_first_of_two_errors_wins),
        cmocka_unit_test(refuses_inputs_that_disagree_on_weights),
        cmocka_unit_test(refuses_options_that_make_no_sense),
        cmocka_unit_test(names_a_header_column_that_is_not_there),
        cmocka_unit_test(refuses_ids_outside_the_vertex_list),
        cmocka_unit_test(says_when_a_vertex_list_holds_more_than_ids),
        cmocka_unit_test(the_checksum_does_not_depend_on_order_or_on_when_weights_turned),
        cmocka_unit_test(counts_no_lines_of_chunks_that_were_not_read),
    };
    return cmocka_run_group_tests(tests, NULL, support_tear_down);
}
