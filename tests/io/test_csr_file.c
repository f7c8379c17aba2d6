/* test_csr_file - the native file: its bytes, its checks, and a CSR as an input.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/csr_file.h"
#include "tests/io/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

static const uint64_t OFFSETS[] = {0, 2, 3, 3};
static const uint32_t TARGETS[] = {1, 2, 2};
static const int64_t WEIGHTS[] = {-5, INT64_MAX, 7};

static uint64_t u64_at(const unsigned char *bytes, size_t at)
{
    uint64_t value;
    memcpy(&value, bytes + at, sizeof value);
    return value;
}

static void the_bytes_are_those_of_the_table(void **state)
{
    (void)state;
    em_csr csr = files_csr(3, OFFSETS, TARGETS, EM_WEIGHT_I64, WEIGHTS);
    csr.facts = EM_SORTED | EM_NO_LOOPS;
    files_write(context, &csr, "csr", files_path("a.csr"));
    size_t n;
    unsigned char *bytes = files_get(files_path("a.csr"), &n);
    assert_int_equal(n, 4 * 4096 + 32);
    assert_memory_equal(bytes, "EDGEMILL\1\0\0\0\4\2\10\0", 16);
    assert_int_equal(u64_at(bytes, 16), 3);
    assert_int_equal(u64_at(bytes, 24), 3);
    assert_int_equal(u64_at(bytes, 32), 1 | 4);
    assert_int_equal(u64_at(bytes, 40), 4096);
    assert_int_equal(u64_at(bytes, 48), 8192);
    assert_int_equal(u64_at(bytes, 56), 12288);
    assert_int_equal(u64_at(bytes, 64), 0);
    assert_int_equal(u64_at(bytes, 72), 16384);
    assert_int_equal(u64_at(bytes, 80), n);
    assert_true(u64_at(bytes, 120) == XXH3_64bits(bytes, 120));
    assert_memory_equal(bytes + 4096, OFFSETS, sizeof OFFSETS);
    assert_memory_equal(bytes + 8192, TARGETS, sizeof TARGETS);
    assert_memory_equal(bytes + 12288, WEIGHTS, sizeof WEIGHTS);
    const uint64_t block = XXH3_64bits(TARGETS, sizeof TARGETS);
    assert_true(u64_at(bytes, 16384 + 8) == XXH3_64bits(&block, sizeof block));
    assert_int_equal(u64_at(bytes, 16384 + 24), 0);
    free(bytes);
}

static void comes_back_as_it_went_with_every_kind_of_weight(void **state)
{
    (void)state;
    for (int kind = EM_WEIGHT_NONE; kind <= EM_WEIGHT_F64; kind++) {
        em_csr csr = files_random_csr(context, 1000, 20000, kind, (uint64_t)kind + 1);
        files_write(context, &csr, "csr", files_path("k.csr"));
        em_csr back = files_open(context, files_path("k.csr"));
        files_assert_same(&csr, &back);
        assert_int_equal(back.facts, EM_SORTED);
        assert_int_equal(back.targets.place, EM_MAPPED);
        assert_int_equal((uintptr_t)back.targets.at % 4096, 0);
        assert_int_equal(em_csr_check(context, &back, "k.csr", NULL), EM_OK);
        em_csr_free(&back);
        em_csr_free(&csr);
    }
}

static void positions_are_input_arc_numbers_in_the_file(void **state)
{
    (void)state;
    static const uint64_t positions[] = {2 * 2 + 1, 0, 2 * 1}, numbers[] = {2, 0, 1}, back_again[] = {4, 0, 2};
    em_csr csr = files_csr(3, OFFSETS, TARGETS, EM_WEIGHT_NONE, NULL);
    csr.positions = em_buffer_borrow((void *)positions, sizeof positions);
    files_write(context, &csr, "csr", files_path("p.csr"));
    em_csr back = files_open(context, files_path("p.csr"));
    assert_memory_equal(back.positions.at, back_again, sizeof back_again);
    files_write(context, &back, "csr", files_path("q.csr"));
    em_csr_free(&back);
    size_t n, again_n;
    unsigned char *bytes = files_get(files_path("p.csr"), &n), *again = files_get(files_path("q.csr"), &again_n);
    assert_memory_equal(bytes + u64_at(bytes, 64), numbers, sizeof numbers);
    assert_int_equal(n, again_n);
    assert_memory_equal(bytes, again, n);
    free(again);
    const uint64_t none = UINT64_C(1) << 63;
    memcpy(bytes + u64_at(bytes, 64) + 8, &none, 8);
    files_put(files_path("q.csr"), bytes, n);
    free(bytes);
    em_error error = {0};
    assert_int_equal(em_csr_file_open(context, files_path("q.csr"), &back, &error), EM_MALFORMED);
    files_assert_says(error, "arc 1 has the input arc number 9223372036854775808, which is none");
}

static void the_empty_graph_and_graphs_without_arcs_are_graphs(void **state)
{
    (void)state;
    static const uint64_t zeros[6] = {0};
    for (uint64_t n = 0; n < 6; n += 5) {
        const em_csr csr = files_csr(n, zeros, TARGETS, EM_WEIGHT_F32, zeros);
        files_write(context, &csr, "csr", files_path("e.csr"));
        em_csr back = files_open(context, files_path("e.csr"));
        files_assert_same(&csr, &back);
        em_csr_free(&back);
    }
}

/* Blocks of 4 MiB: several a section, on any number of threads, to a file and to a pipe. */
static void same_bytes_for_any_threads_and_through_a_pipe(void **state)
{
    (void)state;
    em_csr csr = files_random_csr(context, 700000, 3000000, EM_WEIGHT_F64, 5);
    files_write(context, &csr, "csr", files_path("1.csr"));
    size_t n, n_other;
    unsigned char *bytes = files_get(files_path("1.csr"), &n);
    for (uint32_t threads = 1; threads <= 5; threads += 2) {
        em_context *other = files_context(threads, NULL);
        files_write(other, &csr, "csr", files_path("2.csr"));
        unsigned char *more = files_get(files_path("2.csr"), &n_other);
        assert_int_equal(n, n_other);
        assert_int_equal(memcmp(bytes, more, n), 0);
        free(more);
        em_csr back = files_open(other, files_path("2.csr"));
        assert_int_equal(em_csr_check(other, &back, "2.csr", NULL), EM_OK);
        em_csr_free(&back);
        em_context_free(other);
    }
    char command[1400];
    snprintf(command, sizeof command, "mkfifo '%s' && cat '%s' > '%s' &", files_path("fifo"), files_path("fifo"),
             files_path("3.csr"));
    assert_int_equal(system(command), 0);
    while (access(files_path("fifo"), F_OK) != 0)
        usleep(1000);
    files_write(context, &csr, "csr", files_path("fifo"));
    for (int i = 0; i < 2000; i++) {
        free(files_get(files_path("3.csr"), &n_other));
        if (n_other == n)
            break;
        usleep(1000);
    }
    unsigned char *piped = files_get(files_path("3.csr"), &n_other);
    assert_int_equal(n, n_other);
    assert_int_equal(memcmp(bytes, piped, n), 0);
    free(piped);
    free(bytes);
    em_csr_free(&csr);
}

typedef struct damage {
    const char *says;
    size_t at, n_bytes;
    const char *bytes;
    int64_t length; /* added to the file's length */
    bool mend;      /* make the header's checksum fit */
    bool seal;      /* make the sections' checksums fit */
} damage;

static void seal(unsigned char *bytes)
{
    const size_t at[] = {4096, 8192, 12288}, n_bytes[] = {sizeof OFFSETS, sizeof TARGETS, sizeof WEIGHTS};
    for (int i = 0; i < 3; i++) {
        const uint64_t block = XXH3_64bits(bytes + at[i], n_bytes[i]), whole = XXH3_64bits(&block, 8);
        memcpy(bytes + 16384 + 8 * i, &whole, 8);
    }
}

static void refuses_damaged_files_and_says_why(void **state)
{
    (void)state;
    static const damage table[] = {
        {"3 of 16416 bytes are missing", 0, 0, "", -3, false, false},
        {"2 bytes too many", 0, 0, "", 2, false, false},
        {"byte order", 0, 8, "LLIMEGDE", 0, false, false},
        {"Gunrock", 0, 4, "\3\0\0\0", 0, false, false},
        {"version 2 of the native file; this program reads version 1", 8, 1, "\2", 0, true, false},
        {"version 2", 8, 1, "\2", 0, false, false},
        {"header does not match", 16, 1, "\4", 0, false, false},
        {"places sections", 24, 8, "\1\1\1\1\1\1\1\0", 0, true, false},
        {"does not know", 12, 1, "\10", 0, true, false},
        {"does not know", 13, 1, "\11", 0, true, false},
        {"does not know", 32, 1, "\20", 0, true, false},
        {"places sections", 48, 2, "\0\60", 0, true, false},
        {"places sections", 104, 1, "\1", 0, true, false},
        {"places sections", 119, 1, "\1", 0, true, false},
        {"3 rows from vertex 1 on, of a graph of 0", 88, 1, "\1", 0, true, false},
        {"3 rows from vertex 0 on, of a graph of 3", 96, 1, "\3", 0, true, false},
        {"3 rows from vertex 0 on, of a graph of 2", 96, 1, "\2", 0, true, false},
        {"3 rows from vertex 2 on, of a graph of 4", 88, 9, "\2\0\0\0\0\0\0\0\4", 0, true, false},
        {"3 rows from vertex 0 on", 88, 16, "\0\0\0\0\0\0\0\0\377\377\377\377\377\377\377\377", 0, true, false},
        {"does not know", 96, 5, "\0\0\0\0\2", 0, true, false},
        {"does not know", 32, 65,
         "\10\0\0\0\0\0\0\0\0\20\0\0\0\0\0\0\0\40\0\0\0\0\0\0\0\60\0\0\0\0\0\0"
         "\0\0\0\0\0\0\0\0\0\100\0\0\0\0\0\0\40\100\0\0\0\0\0\0\0\0\0\0\0\0\0\0\4",
         0, true, false},
        {"does not know", 16, 8, "\377\377\377\377\377\377\377\377", 0, true, false},
        {"byte 8000 between two sections is not zero", 8000, 1, "x", 0, false, false},
        {"checksum of the weights", 12288, 1, "x", 0, false, false},
        {"checksum of the targets", 8192, 1, "\2", 0, false, false},
        {"checksum of the offsets", 16384, 1, "xx", 0, false, false},
        {"arc 1 has target 3, but there are 3 vertices", 8196, 1, "\3", 0, false, true},
        {"offset 2 is 1 after 2", 4096 + 16, 1, "\1", 0, false, true},
        {"offset 0 is 1", 4096, 1, "\1", 0, false, true},
        {"the offsets end with 4, but there are 3 arcs", 4096 + 24, 1, "\4", 0, false, true},
        {"shorter than a header", 0, 0, "", -16316, false, false},
        {"truncated", 0, 0, "", -16411, false, false},
        {"truncated: 0 bytes", 0, 0, "", -16416, false, false},
    };
    em_csr csr = files_csr(3, OFFSETS, TARGETS, EM_WEIGHT_I64, WEIGHTS);
    files_write(context, &csr, "csr", files_path("good.csr"));
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const damage *done = &table[i];
        size_t n;
        unsigned char *good = files_get(files_path("good.csr"), &n), *bytes = calloc(1, n + 10);
        assert_non_null(bytes);
        memcpy(bytes, good, n);
        free(good);
        memcpy(bytes + done->at, done->bytes, done->n_bytes);
        if (done->mend) {
            const uint64_t sum = XXH3_64bits(bytes, 120);
            memcpy(bytes + 120, &sum, 8);
        }
        if (done->seal)
            seal(bytes);
        files_put(files_path("bad.csr"), bytes, (size_t)((int64_t)n + done->length));
        free(bytes);
        em_error error = {0};
        em_csr opened;
        const em_status status = em_csr_file_open(context, files_path("bad.csr"), &opened, &error);
        if (status != EM_MALFORMED)
            fail_msg("row %zu: status %d: %s", i, status, error.message);
        files_assert_says(error, done->says);
        files_assert_says(error, "bad.csr");
        assert_null(opened.offsets.at);
    }
}

static void every_changed_byte_is_noticed(void **state)
{
    (void)state;
    em_csr csr = files_csr(3, OFFSETS, TARGETS, EM_WEIGHT_I64, WEIGHTS);
    files_write(context, &csr, "csr", files_path("good.csr"));
    size_t n;
    unsigned char *bytes = files_get(files_path("good.csr"), &n);
    for (size_t i = 0; i < n; i += i < 200 || i > n - 40 ? 1 : 13) {
        bytes[i] ^= 1;
        files_put(files_path("bad.csr"), bytes, n);
        em_csr opened;
        if (em_csr_file_open(context, files_path("bad.csr"), &opened, NULL) == EM_OK)
            fail_msg("a change of byte %zu went unnoticed", i);
        bytes[i] ^= 1;
    }
    free(bytes);
}

static void is_read_as_an_input_in_order(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 5; threads += 2)
        for (int kind = EM_WEIGHT_NONE; kind <= EM_WEIGHT_F64; kind++) {
            em_context *other = files_context(threads, &(em_knobs){.chunk_bytes = threads * 100});
            em_csr csr = files_random_csr(other, 500, 20000, kind, threads);
            files_write(other, &csr, "csr", files_path("i.csr"));
            const char *paths[] = {files_path("i.csr")};
            const em_read_options options = {.paths = paths, .n_paths = 1};
            files_arcs arcs;
            em_read_report report;
            em_error error = {0};
            if (files_read(other, &options, &arcs, &report, &error) != EM_OK)
                fail_msg("%s", error.message);
            files_assert_arcs(&arcs, &csr);
            assert_int_equal(arcs.kind, kind);
            assert_int_equal(report.n_vertices, 500);
            assert_int_equal(report.n_arcs, csr.n_arcs);
            assert_int_equal(report.weight_kind, kind);
            files_arcs_free(&arcs);
            em_csr_free(&csr);
            assert_int_equal(em_context_memory(other).current_bytes, 0);
            em_context_free(other);
        }
}

static void weights_are_turned_into_what_is_asked_for(void **state)
{
    (void)state;
    static const double reals[] = {1e-50, 0.1, -0.0};
    static const double huge[] = {1e300, 0.1, 2};
    static const struct {
        em_weight_kind kind;
        const void *weights;
        em_weights_option option;
        em_status status;
        uint64_t n_rounded, n_zeroed;
    } table[] = {
        {EM_WEIGHT_I64, WEIGHTS, EM_WEIGHTS_F64, EM_OK, 1, 0},
        {EM_WEIGHT_I64, WEIGHTS, EM_WEIGHTS_I32, EM_MALFORMED, 0, 0},
        {EM_WEIGHT_I64, WEIGHTS, EM_WEIGHTS_F32, EM_OK, 1, 0},
        {EM_WEIGHT_I64, WEIGHTS, EM_WEIGHTS_NONE, EM_OK, 0, 0},
        {EM_WEIGHT_F64, reals, EM_WEIGHTS_F32, EM_OK, 0, 1},
        {EM_WEIGHT_F64, reals, EM_WEIGHTS_I64, EM_MALFORMED, 0, 0},
        {EM_WEIGHT_F64, huge, EM_WEIGHTS_F32, EM_MALFORMED, 0, 0},
        {EM_WEIGHT_NONE, NULL, EM_WEIGHTS_F32, EM_MALFORMED, 0, 0},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        em_csr csr = files_csr(3, OFFSETS, TARGETS, table[i].kind, table[i].weights);
        files_write(context, &csr, "csr", files_path("w.csr"));
        const char *paths[] = {files_path("w.csr")};
        const em_read_options options = {.paths = paths, .n_paths = 1, .weights = table[i].option};
        files_arcs arcs;
        em_read_report report;
        em_error error = {0};
        assert_int_equal(files_read(context, &options, &arcs, &report, &error), table[i].status);
        if (table[i].status == EM_OK) {
            assert_int_equal(report.n_weights_rounded, table[i].n_rounded);
            assert_int_equal(report.n_weights_zeroed, table[i].n_zeroed);
        } else {
            files_assert_says(error, "w.csr");
        }
        files_arcs_free(&arcs);
    }
}

static void ids_past_the_vertices_asked_for_are_errors(void **state)
{
    (void)state;
    em_csr csr = files_csr(3, OFFSETS, TARGETS, EM_WEIGHT_NONE, NULL);
    files_write(context, &csr, "csr", files_path("v.csr"));
    const char *paths[] = {files_path("v.csr")};
    const em_read_options options = {.paths = paths, .n_paths = 1, .has_vertices = true, .n_vertices = 2};
    files_arcs arcs;
    em_read_report report;
    em_error error = {0};
    assert_int_equal(files_read(context, &options, &arcs, &report, &error), EM_MALFORMED);
    files_assert_says(error, "v.csr: arc 1: target 2 is not below 2");
    files_arcs_free(&arcs);
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    files_assert_poor_round_trip(context, "csr");
}

static void facts_are_told_without_opening(void **state)
{
    (void)state;
    em_csr csr = files_csr(3, OFFSETS, TARGETS, EM_WEIGHT_NONE, NULL);
    files_write(context, &csr, "csr", files_path("h.csr"));
    em_csr_file_header header;
    uint64_t sums[EM_CSR_FILE_SECTIONS];
    assert_int_equal(em_csr_file_facts(context, files_path("h.csr"), &header, sums, NULL), EM_OK);
    assert_int_equal(header.n_vertices, 3);
    assert_true(sums[0] != 0 && sums[1] != 0 && sums[2] == 0 && sums[3] == 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(the_bytes_are_those_of_the_table),
        TEST(comes_back_as_it_went_with_every_kind_of_weight),
        TEST(positions_are_input_arc_numbers_in_the_file),
        TEST(the_empty_graph_and_graphs_without_arcs_are_graphs),
        TEST(same_bytes_for_any_threads_and_through_a_pipe),
        TEST(refuses_damaged_files_and_says_why),
        TEST(every_changed_byte_is_noticed),
        TEST(is_read_as_an_input_in_order),
        TEST(weights_are_turned_into_what_is_asked_for),
        TEST(ids_past_the_vertices_asked_for_are_errors),
        TEST(every_failing_allocation_is_survived),
        TEST(facts_are_told_without_opening),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
