/* test_edge_text_write - a CSR as text: exact, in order, the same whatever wrote it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/io/fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const uint64_t OFFSETS[] = {0, 2, 2, 3};
static const uint32_t TARGETS[] = {1, 2, 0};

static void assert_written(em_weight_kind kind, const void *weights, const char *format, const char *name,
                           const char *text)
{
    const em_csr csr = files_csr(3, OFFSETS, TARGETS, kind, weights);
    size_t n;
    files_write(context, &csr, format, files_path(name));
    unsigned char *bytes = files_get(files_path(name), &n);
    assert_string_equal((char *)bytes, text);
    free(bytes);
}

static void one_arc_a_line_with_the_separator_of_the_suffix(void **state)
{
    (void)state;
    static const double reals[] = {0.5, 2, -1e-7};
    static const float singles[] = {0.1f, 2, 3e38f};
    static const int64_t wholes[] = {INT64_MIN, 0, INT64_MAX};
    static const int32_t narrow[] = {-1, 0, 1};
    assert_written(EM_WEIGHT_NONE, NULL, "el", "a.el", "0 1\n0 2\n2 0\n");
    assert_written(EM_WEIGHT_NONE, NULL, "el", "a.tsv", "0\t1\n0\t2\n2\t0\n");
    assert_written(EM_WEIGHT_NONE, NULL, "csv", "a.txt", "0,1\n0,2\n2,0\n");
    assert_written(EM_WEIGHT_F64, reals, "el", "a.wel", "0 1 0.5\n0 2 2.0\n2 0 -1e-7\n");
    assert_written(EM_WEIGHT_F32, singles, "csv", "a.csv", "0,1,0.1\n0,2,2.0\n2,0,3e38\n");
    assert_written(EM_WEIGHT_I64, wholes, "el", "a.wel", "0 1 -9223372036854775808\n0 2 0\n2 0 9223372036854775807\n");
    assert_written(EM_WEIGHT_I32, narrow, "el", "a.wel", "0 1 -1\n0 2 0\n2 0 1\n");
}

static void a_graph_without_arcs_is_an_empty_file(void **state)
{
    (void)state;
    static const uint64_t zeros[3] = {0};
    const em_csr csr = files_csr(2, zeros, TARGETS, EM_WEIGHT_NONE, NULL);
    size_t n;
    files_write(context, &csr, "el", files_path("e.el"));
    free(files_get(files_path("e.el"), &n));
    assert_int_equal(n, 0);
}

static void weights_that_text_cannot_hold_are_refused(void **state)
{
    (void)state;
    const double weights[] = {1, NAN, INFINITY};
    const em_csr csr = files_csr(3, OFFSETS, TARGETS, EM_WEIGHT_F64, weights);
    em_error error = {0};
    assert_int_equal(files_try_write(context, &csr, "el", files_path("n.el"), &error), EM_USAGE);
    files_assert_says(error, "n.el: the weight of arc 1 is not finite");
    assert_int_equal(files_count(), 0);
}

/* printf's text of the same arcs. */
static char *naive(const em_csr *csr)
{
    char *text;
    size_t n;
    FILE *file = open_memstream(&text, &n);
    const uint64_t *offsets = csr->offsets.at;
    for (uint64_t row = 0; row < csr->n_vertices; row++)
        for (uint64_t at = offsets[row]; at < offsets[row + 1]; at++) {
            fprintf(file, "%llu %u", (unsigned long long)row, ((const uint32_t *)csr->targets.at)[at]);
            if (csr->weight_kind == EM_WEIGHT_I64)
                fprintf(file, " %lld", ((const long long *)csr->weights.at)[at]);
            fputc('\n', file);
        }
    fclose(file);
    return text;
}

static void same_bytes_for_any_threads_and_chunks_and_through_a_pipe(void **state)
{
    (void)state;
    for (int weighted = 0; weighted < 2; weighted++) {
        em_csr csr = files_random_csr(context, 5000, 100000, weighted ? EM_WEIGHT_I64 : EM_WEIGHT_NONE, 9);
        char *wanted = naive(&csr), command[1400];
        size_t n;
        for (uint32_t threads = 1; threads <= 5; threads++)
            for (uint64_t chunk = 0; chunk < 3; chunk++) {
                em_context *other = files_context(threads, &(em_knobs){.chunk_bytes = chunk * chunk * 480});
                files_write(other, &csr, "el", files_path("t.el"));
                unsigned char *text = files_get(files_path("t.el"), &n);
                assert_int_equal(n, strlen(wanted));
                assert_memory_equal(text, wanted, n);
                free(text);
                em_context_free(other);
            }
        snprintf(command, sizeof command, "cd '%s'; rm -f fifo same; mkfifo fifo; (cmp fifo t.el && touch same) &",
                 files_path("."));
        assert_int_equal(system(command), 0);
        files_write(context, &csr, "el", files_path("fifo"));
        for (int i = 0; i < 3000 && access(files_path("same"), F_OK) != 0; i++)
            usleep(1000);
        assert_int_equal(access(files_path("same"), F_OK), 0);
        free(wanted);
        em_csr_free(&csr);
    }
}

/* Written, read by the library's own reader, the same graph: weights to the last bit. */
static void is_read_back_exactly(void **state)
{
    (void)state;
    static const em_weight_kind kinds[] = {EM_WEIGHT_NONE, EM_WEIGHT_I64, EM_WEIGHT_F64};
    static const char *const names[] = {"r.el", "r.tsv", "r.csv"};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            em_csr csr = files_random_csr(context, 1000, 20000, kinds[k], (uint64_t)k);
            files_write(context, &csr, i == 2 ? "csv" : "el", files_path(names[i]));
            const char *paths[] = {files_path(names[i])};
            const em_read_options options = {.paths = paths, .n_paths = 1};
            files_arcs arcs;
            em_read_report report;
            em_error error = {0};
            if (files_read(context, &options, &arcs, &report, &error) != EM_OK)
                fail_msg("%s", error.message);
            assert_int_equal(report.weight_kind, kinds[k]);
            files_assert_arcs(&arcs, &csr);
            files_arcs_free(&arcs);
            em_csr_free(&csr);
        }
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    em_csr csr = files_random_csr(context, 100, 1000, EM_WEIGHT_F32, 3);
    for (uint64_t n = 1;; n++) {
        em_context *poor = files_context(2, &(em_knobs){.fail_allocation = n, .chunk_bytes = 320});
        const em_status status = files_try_write(poor, &csr, "el", files_path("f.el"), NULL);
        assert_int_equal(em_context_memory(poor).current_bytes, 0);
        em_context_free(poor);
        if (status == EM_OK)
            break;
        assert_int_equal(status, EM_NO_MEMORY);
        assert_int_equal(files_count(), 0);
    }
    em_csr_free(&csr);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(one_arc_a_line_with_the_separator_of_the_suffix),
        TEST(a_graph_without_arcs_is_an_empty_file),
        TEST(weights_that_text_cannot_hold_are_refused),
        TEST(same_bytes_for_any_threads_and_chunks_and_through_a_pipe),
        TEST(is_read_back_exactly),
        TEST(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
