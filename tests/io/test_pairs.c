/* test_pairs - headerless pairs of ids, read and written.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/io/fixture.h"
#include "tests/support_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static em_status try_read(em_context *with, const char *path, em_read_options options, files_arcs *arcs,
                          em_read_report *report, em_error *error)
{
    const char *paths[] = {path};
    options.paths = paths;
    options.n_paths = 1;
    return files_read(with, &options, arcs, report, error);
}

static void reads_pairs_of_32_bits(void **state)
{
    (void)state;
    static const uint32_t pairs[] = {0, 1, 1, 2, 0, UINT32_MAX};
    files_arcs arcs;
    em_read_report report;
    files_put(files_path("a"), pairs, sizeof pairs);
    const em_read_options options = {.from = "u32"};
    assert_int_equal(try_read(context, files_path("a"), options, &arcs, &report, NULL), EM_OK);
    assert_int_equal(arcs.n_arcs, 3);
    assert_int_equal(arcs.arcs[2].target, UINT32_MAX);
    assert_int_equal(report.n_vertices, UINT64_C(1) << 32);
    assert_int_equal(report.id_bytes, 4);
    assert_int_equal(report.n_file_bytes, sizeof pairs);
    assert_int_equal(report.smallest_id, 0);
    assert_int_equal(report.largest_id, UINT32_MAX);
    files_arcs_free(&arcs);
}

static void a_size_that_is_no_multiple_of_a_pair_is_malformed(void **state)
{
    (void)state;
    files_arcs arcs;
    em_read_report report;
    files_put(files_path("x.bin"), "\0\0\0\0\1\0\0\0\1\0\0\0\2\0\0\0\7", 17);
    static const char *const says[] = {"17 bytes are not a multiple of 8", "17 bytes are not a multiple of 16"};
    for (int i = 0; i < 2; i++) {
        em_error error = {0};
        const em_read_options options = {.from = i ? "u64" : "u32"};
        assert_int_equal(try_read(context, files_path("x.bin"), options, &arcs, &report, &error), EM_MALFORMED);
        files_assert_says(error, says[i]);
        files_assert_says(error, "x.bin");
        files_arcs_free(&arcs);
    }
}

static void text_inside_is_an_id_past_the_vertices(void **state)
{
    (void)state;
    files_arcs arcs;
    em_read_report report;
    em_error error = {0};
    files_put_text(files_path("t.bin"), "0 1\n1 2\n");
    const em_read_options options = {.from = "u32", .has_vertices = true, .n_vertices = 3};
    assert_int_equal(try_read(context, files_path("t.bin"), options, &arcs, &report, &error), EM_MALFORMED);
    files_assert_says(error, "t.bin: record 0: source 170991664 is not below 3");
    files_arcs_free(&arcs);
}

static void the_first_bad_record_is_told_whatever_the_threads(void **state)
{
    (void)state;
    static uint32_t pairs[20000];
    for (int i = 0; i < 20000; i++)
        pairs[i] = (uint32_t)i % 50;
    for (int i = 5001; i < 20000; i += 2)
        pairs[i] = 99;
    files_put(files_path("b"), pairs, sizeof pairs);
    for (uint32_t threads = 1; threads <= 5; threads++) {
        em_context *other = files_context(threads, &(em_knobs){.chunk_bytes = 64 * threads});
        files_arcs arcs;
        em_read_report report;
        em_error error = {0};
        const em_read_options options = {.from = "u32", .has_vertices = true, .n_vertices = 50};
        assert_int_equal(try_read(other, files_path("b"), options, &arcs, &report, &error), EM_MALFORMED);
        files_assert_says(error, "record 2500: target 99 is not below 50");
        files_arcs_free(&arcs);
        em_context_free(other);
    }
}

static void wide_pairs_are_narrow_until_an_id_needs_more(void **state)
{
    (void)state;
    const uint64_t pairs[] = {0, 5, UINT64_C(1) << 32, 1, 7, 8};
    files_arcs arcs;
    em_read_report report;
    em_error error = {0};
    files_put(files_path("w"), pairs, sizeof pairs);
    em_read_options options = {.from = "u64"};
    assert_int_equal(try_read(context, files_path("w"), options, &arcs, &report, NULL), EM_OK);
    assert_int_equal(arcs.arcs[1].source, UINT64_C(1) << 32);
    assert_int_equal(arcs.arcs[2].target, 8);
    assert_int_equal(report.id_bytes, 8);
    files_arcs_free(&arcs);
    const uint64_t huge[] = {0, UINT64_C(1) << 63};
    files_put(files_path("h"), huge, sizeof huge);
    assert_int_equal(try_read(context, files_path("h"), options, &arcs, &report, &error), EM_MALFORMED);
    files_assert_says(error, "record 0: target 9223372036854775808");
    files_arcs_free(&arcs);
}

static void the_base_is_taken_off(void **state)
{
    (void)state;
    for (int wide = 0; wide < 2; wide++) {
        const uint32_t narrow[] = {1, 2, 2, 1};
        const uint64_t pairs[] = {1, 2, 2, 1};
        files_arcs arcs;
        em_read_report report;
        em_error error = {0};
        files_put(files_path("1"), wide ? (const void *)pairs : narrow, wide ? sizeof pairs : sizeof narrow);
        em_read_options options = {.from = wide ? "u64" : "u32", .base = 1};
        assert_int_equal(try_read(context, files_path("1"), options, &arcs, &report, NULL), EM_OK);
        assert_int_equal(arcs.arcs[0].source, 0);
        assert_int_equal(arcs.arcs[1].source, 1);
        assert_int_equal(report.n_vertices, 2);
        files_arcs_free(&arcs);
        const uint64_t zeros[2] = {0};
        files_put(files_path("0"), zeros, sizeof zeros);
        assert_int_equal(try_read(context, files_path("0"), options, &arcs, &report, &error), EM_MALFORMED);
        files_assert_says(error, "below the base, 1");
        files_arcs_free(&arcs);
    }
}

static void an_empty_file_is_an_empty_list(void **state)
{
    (void)state;
    files_arcs arcs;
    em_read_report report;
    files_put(files_path("e"), "", 0);
    assert_int_equal(try_read(context, files_path("e"), (em_read_options){.from = "u32"}, &arcs, &report, NULL), EM_OK);
    assert_int_equal(report.n_arcs, 0);
    assert_int_equal(report.n_vertices, 0);
    files_arcs_free(&arcs);
}

/* The file `name` holds what `from` holds as one zstd frame. */
static void write_zstd(const char *from, const char *name)
{
    size_t n_bytes;
    unsigned char *bytes = files_get(from, &n_bytes);
    uint64_t n_packed;
    char *packed = zstd_of(bytes, n_bytes, 3, &n_packed);
    files_put(name, packed, n_packed);
    free(packed);
    free(bytes);
}

/* Files, pipes, gzip and zstd; 1 to 5 threads; chunks of a few records. */
static void comes_back_as_it_went_however_it_is_read(void **state)
{
    (void)state;
    em_csr csr = files_random_csr(context, 3000, 100000, EM_WEIGHT_NONE, 11);
    char command[1600];
    for (int wide = 0; wide < 2; wide++) {
        const em_read_options options = {.from = wide ? "u64" : "u32"};
        files_write(context, &csr, options.from, files_path("p"));
        snprintf(command, sizeof command, "rm -f '%s'; mkfifo '%s'; gzip -c '%s' > '%s'", files_path("fifo"),
                 files_path("fifo"), files_path("p"), files_path("p.gz"));
        assert_int_equal(system(command), 0);
        write_zstd(files_path("p"), files_path("p.zst"));
        for (uint32_t threads = 1; threads <= 5; threads++)
            for (int how = 0; how < 4; how++) {
                const uint64_t chunk = threads % 2 ? 0 : 80 * threads;
                em_context *other = files_context(threads, &(em_knobs){.chunk_bytes = chunk});
                files_arcs arcs;
                em_read_report report;
                em_error error = {0};
                if (how == 1) {
                    snprintf(command, sizeof command, "cat '%s' > '%s' &", files_path("p"), files_path("fifo"));
                    assert_int_equal(system(command), 0);
                }
                const char *names[] = {"p", "fifo", "p.gz", "p.zst"};
                if (try_read(other, files_path(names[how]), options, &arcs, &report, &error) != EM_OK)
                    fail_msg("%s", error.message);
                files_assert_arcs(&arcs, &csr);
                files_arcs_free(&arcs);
                assert_int_equal(em_context_memory(other).current_bytes, 0);
                em_context_free(other);
            }
    }
    em_csr_free(&csr);
}

static void a_cut_stream_is_malformed(void **state)
{
    (void)state;
    em_csr csr = files_random_csr(context, 300, 1000, EM_WEIGHT_NONE, 11);
    char command[1600];
    files_arcs arcs;
    em_read_report report;
    em_error error = {0};
    const em_read_options options = {.from = "u32"};
    files_write(context, &csr, "u32", files_path("p"));
    snprintf(command, sizeof command, "mkfifo '%s'; gzip -c '%s' | head -c 500 > '%s'; head -c 801 '%s' > '%s' &",
             files_path("fifo"), files_path("p"), files_path("p.gz"), files_path("p"), files_path("fifo"));
    assert_int_equal(system(command), 0);
    assert_int_equal(try_read(context, files_path("fifo"), options, &arcs, &report, &error), EM_MALFORMED);
    files_assert_says(error, "801 bytes are not a multiple of 8");
    files_arcs_free(&arcs);
    error = (em_error){0};
    assert_int_equal(try_read(context, files_path("p.gz"), options, &arcs, &report, &error), EM_MALFORMED);
    files_assert_says(error, "p.gz: truncated gzip");
    files_arcs_free(&arcs);
    snprintf(command, sizeof command, "gzip -c '%s' > '%s'; echo behind >> '%s'", files_path("p"), files_path("q.gz"),
             files_path("q.gz"));
    assert_int_equal(system(command), 0);
    error = (em_error){0};
    assert_int_equal(try_read(context, files_path("q.gz"), options, &arcs, &report, &error), EM_MALFORMED);
    files_assert_says(error, "q.gz: trailing bytes");
    files_arcs_free(&arcs);
    em_csr_free(&csr);
}

static void weights_and_ids_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    em_error error = {0};
    assert_int_equal(em_format_by_name("u32")->can_hold(3, 3, EM_WEIGHT_F64, &error), EM_USAGE);
    files_assert_says(error, "--weights=none");
    error = (em_error){0};
    assert_int_equal(em_format_by_name("u32")->can_hold((UINT64_C(1) << 32) + 1, 3, EM_WEIGHT_NONE, &error), EM_USAGE);
    files_assert_says(error, "--to=u64");
    assert_int_equal(em_format_by_name("u32")->can_hold(UINT64_C(1) << 32, 3, EM_WEIGHT_NONE, NULL), EM_OK);
    assert_int_equal(em_format_by_name("u64")->can_hold((UINT64_C(1) << 32) + 1, 3, EM_WEIGHT_NONE, NULL), EM_OK);
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    em_csr csr = files_random_csr(context, 100, 1000, EM_WEIGHT_NONE, 3);
    files_write(context, &csr, "u32", files_path("ok"));
    char command[1400];
    snprintf(command, sizeof command, "gzip -c '%s' > '%s'", files_path("ok"), files_path("ok.gz"));
    assert_int_equal(system(command), 0);
    for (int how = 0; how < 2; how++)
        for (uint64_t n = 1;; n++) {
            em_context *poor = files_context(2, &(em_knobs){.fail_allocation = n, .chunk_bytes = 100});
            files_arcs arcs = {0};
            em_read_report report;
            em_status status = files_try_write(poor, &csr, "u64", files_path("f"), NULL);
            if (status == EM_OK)
                status = try_read(poor, files_path(how ? "ok.gz" : "ok"), (em_read_options){.from = "u32"}, &arcs,
                                  &report, NULL);
            if (status == EM_OK)
                files_assert_arcs(&arcs, &csr);
            files_arcs_free(&arcs);
            assert_int_equal(em_context_memory(poor).current_bytes, 0);
            em_context_free(poor);
            if (status == EM_OK)
                break;
            assert_int_equal(status, EM_NO_MEMORY);
        }
    em_csr_free(&csr);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(reads_pairs_of_32_bits),
        TEST(a_size_that_is_no_multiple_of_a_pair_is_malformed),
        TEST(text_inside_is_an_id_past_the_vertices),
        TEST(the_first_bad_record_is_told_whatever_the_threads),
        TEST(wide_pairs_are_narrow_until_an_id_needs_more),
        TEST(the_base_is_taken_off),
        TEST(an_empty_file_is_an_empty_list),
        TEST(comes_back_as_it_went_however_it_is_read),
        TEST(a_cut_stream_is_malformed),
        TEST(weights_and_ids_that_do_not_fit_are_refused),
        TEST(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
