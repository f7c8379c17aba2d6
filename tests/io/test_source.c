/* test_source - pieces concatenated are the text, whatever the sizes, threads and kind of input.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support_source.h"

static void assert_text(const char *path, const source_how *how, const char *text, uint64_t n_bytes)
{
    source_text got;
    em_error error = {0};
    if (source_slurp(path, how, &got, &error) != EM_OK)
        fail_msg("%s", error.message);
    if (got.n_bytes != n_bytes || (n_bytes && memcmp(got.text, text, n_bytes) != 0))
        fail_msg("chunk %llu piece %llu threads %u peek %llu skip %llu: %llu bytes, expected %llu:\n%.*s",
                 (unsigned long long)how->chunk_bytes, (unsigned long long)how->piece_bytes, how->n_threads,
                 (unsigned long long)how->peek, (unsigned long long)how->skip, (unsigned long long)got.n_bytes,
                 (unsigned long long)n_bytes, (int)(got.n_bytes < 400 ? got.n_bytes : 400), got.text ? got.text : "");
    free(got.text);
}

static void assert_error(const char *path, const source_how *how, em_status status, const char *words)
{
    source_text got;
    em_error error = {0};
    assert_int_equal(source_slurp(path, how, &got, &error), status);
    if (!strstr(error.message, words))
        fail_msg("'%s' not in '%s'", words, error.message);
    free(got.text);
}

#define LONG_LINE                                                                                                      \
    "a line that is a good deal longer than any of the chunks that the loops below cut the text into, that is all"

static const char *const small_texts[] = {
    "0 1\n",
    "0 1",
    "\n",
    "\n\n\n\n\n",
    "0 1\n1 2\n22 333\n4444 55555\n\n# comment\n6 7\r\n8 9\n",
    "0 1\n1 2\nno newline at the end",
    (LONG_LINE "\n1 2\n"),
    ("1 2\n" LONG_LINE),
    "x",
};
enum { N_SMALL = sizeof small_texts / sizeof small_texts[0] };

/* --- plain files --------------------------------------------------------------------------------- */

static void gives_the_text_of_a_file_for_all_small_chunks_and_pieces(void **state)
{
    (void)state;
    for (int i = 0; i < N_SMALL; i++) {
        const uint64_t n = strlen(small_texts[i]);
        const char *path = scratch_file(small_texts[i], n);
        for (uint64_t chunk = 1; chunk <= 70; chunk++)
            for (uint64_t piece = 1; piece <= 70; piece++)
                assert_text(path, &(source_how){.chunk_bytes = chunk, .piece_bytes = piece}, small_texts[i], n);
    }
}

static void gives_the_text_of_a_file_for_one_to_five_threads(void **state)
{
    (void)state;
    for (int i = 0; i < N_SMALL; i++) {
        const uint64_t n = strlen(small_texts[i]);
        const char *path = scratch_file(small_texts[i], n);
        for (uint32_t threads = 1; threads <= 5; threads++)
            for (uint64_t chunk = 1; chunk <= 70; chunk += 3)
                assert_text(path, &(source_how){.n_threads = threads, .chunk_bytes = chunk, .piece_bytes = 7},
                            small_texts[i], n);
    }
}

static void begins_where_it_is_told_to(void **state)
{
    (void)state;
    const char *text = small_texts[4];
    const uint64_t n = strlen(text);
    const char *path = scratch_file(text, n);
    for (uint64_t skip = 0; skip <= n; skip++)
        for (uint64_t chunk = 1; chunk <= n + 1; chunk++)
            assert_text(path, &(source_how){.chunk_bytes = chunk, .piece_bytes = 5, .peek = n, .skip = skip},
                        text + skip, n - skip);
}

static char *random_text(uint64_t *seed, uint64_t n_bytes, uint64_t longest_line)
{
    char *text = malloc(n_bytes + 1);
    uint64_t left = random_next(seed) % longest_line;
    for (uint64_t i = 0; i < n_bytes; i++, left--) {
        text[i] = left == 0 ? '\n' : (char)('0' + random_next(seed) % 10);
        if (left == 0)
            left = 1 + random_next(seed) % longest_line;
    }
    return text;
}

static void gives_random_texts_with_lines_of_any_length(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 150; i++) {
        const uint64_t n = random_next(&seed) % 40000,
                       longest = 1 + (random_next(&seed) % 9000 >> random_next(&seed) % 12);
        char *text = random_text(&seed, n, longest);
        const char *path = scratch_file(text, n);
        const source_how how = {.n_threads = 1 + (uint32_t)(random_next(&seed) % 5),
                                .chunk_bytes = 1 + random_next(&seed) % 5000,
                                .piece_bytes = 1 + random_next(&seed) % 5000};
        assert_text(path, &how, text, n);
        free(text);
    }
}

static void gives_a_large_file_with_the_default_sizes(void **state)
{
    (void)state;
    uint64_t seed = 2;
    const uint64_t n = 9000001;
    char *text = random_text(&seed, n, 20);
    for (uint32_t threads = 1; threads <= 3; threads++)
        assert_text(scratch_file(text, n), &(source_how){.n_threads = threads}, text, n);
    free(text);
}

static void gives_one_line_of_megabytes(void **state)
{
    (void)state;
    const uint64_t n = 3000000;
    char *text = malloc(n);
    memset(text, '7', n);
    const char *path = scratch_file(text, n);
    assert_text(path, &(source_how){.n_threads = 2}, text, n);
    assert_text(path, &(source_how){.n_threads = 2, .chunk_bytes = 1000}, text, n);
    free(text);
}

static void tells_a_file_from_a_stream(void **state)
{
    (void)state;
    em_context *context;
    em_source *source;
    em_context_create(NULL, &context, NULL);
    assert_int_equal(em_source_open(context, scratch_file("0 1\n", 4), &source, NULL), EM_OK);
    assert_true(em_source_is_file(source));
    assert_int_equal(em_source_file_bytes(source), 4);
    char bytes[4] = "";
    uint64_t n;
    assert_int_equal(em_source_read_at(source, 2, bytes, sizeof bytes, &n, NULL), EM_OK);
    assert_int_equal(n, 2);
    assert_memory_equal(bytes, "1\n", 2);
    em_source_close(source);
    assert_int_equal(em_source_open(context, "/proc/self/status", &source, NULL), EM_OK);
    assert_false(em_source_is_file(source));
    em_source_close(source);
    em_source_close(NULL);
    assert_int_equal(em_context_memory(context).current_bytes, 0);
    em_context_free(context);
}

static void says_that_a_file_shrank(void **state)
{
    (void)state;
    for (uint64_t left = 0; left < 8; left++) {
        const char *path = scratch_file("0 1\n1 2\n2 3\n", 12);
        const em_context_options options = {.n_threads = 1, .knobs = {.chunk_bytes = 4, .piece_bytes = 4}};
        em_context *context;
        em_source *source;
        em_source_reader reader;
        uint64_t number;
        em_error error = {0};
        const char *begin, *end;
        em_context_create(&options, &context, NULL);
        assert_int_equal(em_source_open(context, path, &source, NULL), EM_OK);
        assert_int_equal(truncate(path, (off_t)left), 0);
        assert_int_equal(em_source_reader_open(source, &reader, NULL), EM_OK);
        em_status status = EM_OK;
        while (status == EM_OK && em_source_next_chunk(&reader, &number, NULL) == EM_OK && number != UINT64_MAX)
            do
                status = em_source_next_piece(&reader, &begin, &end, &error);
            while (status == EM_OK && begin < end);
        assert_int_equal(status, EM_ENVIRONMENT);
        char words[80];
        snprintf(words, sizeof words, "ends at byte %d, 12 were there when it was opened", (int)left);
        assert_non_null(strstr(error.message, words));
        assert_int_equal(error.position, number);
        em_source_reader_close(&reader);
        em_source_close(source);
        em_context_free(context);
    }
}

static void names_what_cannot_be_opened(void **state)
{
    (void)state;
    assert_error("/nowhere/at.el", &(source_how){0}, EM_ENVIRONMENT, "/nowhere/at.el: cannot open: No such file");
    assert_error("/tmp", &(source_how){0}, EM_ENVIRONMENT, "/tmp: cannot read: Is a directory");
}

static void reads_standard_input_from_a_file_and_from_its_middle(void **state)
{
    (void)state;
    const int kept = dup(STDIN_FILENO);
    const int file = open(scratch_file("0 1\n1 2\n", 8), O_RDONLY);
    assert_int_equal(dup2(file, STDIN_FILENO), STDIN_FILENO);
    assert_text("-", &(source_how){0}, "0 1\n1 2\n", 8);
    lseek(STDIN_FILENO, 4, SEEK_SET);
    assert_text("-", &(source_how){0}, "1 2\n", 4);
    assert_int_equal(dup2(kept, STDIN_FILENO), STDIN_FILENO);
    close(kept);
    close(file);
}

/* --- streams ------------------------------------------------------------------------------------- */

/* Writes to a FIFO, `step` bytes at a time. */
typedef struct writer {
    const char *path, *text;
    uint64_t n_bytes, step;
    pthread_t thread;
} writer;

static void *dribble(void *argument)
{
    const writer *own = argument;
    const int fifo = open(own->path, O_WRONLY);
    for (uint64_t at = 0; at < own->n_bytes;) {
        const uint64_t left = own->n_bytes - at;
        const ssize_t n = write(fifo, own->text + at, left < own->step ? left : own->step);
        if (n <= 0)
            break;
        at += (uint64_t)n;
    }
    close(fifo);
    return NULL;
}

static void assert_piped_how(const char *text, uint64_t n, const char *raw, uint64_t n_raw, uint64_t step,
                             const source_how *how)
{
    writer own = {.path = scratch_path(), .text = raw, .n_bytes = n_raw, .step = step};
    assert_int_equal(mkfifo(own.path, 0600), 0);
    assert_int_equal(pthread_create(&own.thread, NULL, dribble, &own), 0);
    assert_text(own.path, how, text + how->skip, n - how->skip);
    pthread_join(own.thread, NULL);
}

static void gives_the_text_of_a_pipe_written_byte_by_byte(void **state)
{
    (void)state;
    for (int i = 0; i < N_SMALL; i++) {
        const uint64_t n = strlen(small_texts[i]);
        for (uint64_t chunk = 1; chunk <= 70; chunk += 3)
            assert_piped_how(small_texts[i], n, small_texts[i], n, 1 + chunk % 5,
                             &(source_how){.n_threads = 1 + (uint32_t)chunk % 5, .chunk_bytes = chunk});
    }
    assert_piped_how("", 0, "", 0, 1, &(source_how){0});
}

static void gives_a_compressed_pipe(void **state)
{
    (void)state;
    const char *text = small_texts[4];
    uint64_t n_zipped, n = strlen(text);
    char *zipped = gzip_of(text, n, 6, &n_zipped), *frame;
    for (uint64_t step = 1; step < 9; step++)
        assert_piped_how(text, n, zipped, n_zipped, step, &(source_how){.n_threads = 2, .chunk_bytes = step});
    free(zipped);
    frame = zstd_of(text, n, 3, &n_zipped);
    for (uint64_t step = 1; step < 9; step++)
        assert_piped_how(text, n, frame, n_zipped, step, &(source_how){.n_threads = 2, .chunk_bytes = step});
    free(frame);
}

static void peeks_and_skips_in_a_stream(void **state)
{
    (void)state;
    const char *text = small_texts[4];
    uint64_t n_zipped, n = strlen(text);
    char *zipped = gzip_of(text, n, 6, &n_zipped);
    const char *path = scratch_file(zipped, n_zipped);
    for (uint64_t peek = 1; peek < n + 5; peek++)
        for (uint64_t chunk = 1; chunk < n + 5; chunk += 2) {
            const uint64_t skip = peek < n ? peek / 2 : n / 3;
            assert_text(path, &(source_how){.chunk_bytes = chunk, .peek = peek, .skip = skip}, text + skip, n - skip);
        }
    free(zipped);
}

static void gives_random_compressed_texts(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < 60; i++) {
        const uint64_t n = random_next(&seed) % 300000,
                       longest = 1 + (random_next(&seed) % 50000 >> random_next(&seed) % 14);
        uint64_t n_zipped;
        char *text = random_text(&seed, n, longest);
        char *zipped = i % 3 == 2 ? zstd_of(text, n, i % 7, &n_zipped) : gzip_of(text, n, i % 10, &n_zipped);
        const source_how how = {.n_threads = 1 + (uint32_t)(random_next(&seed) % 5),
                                .chunk_bytes = 1 + random_next(&seed) % 100000,
                                .peek = random_next(&seed) % 1000,
                                .reference = i % 2};
        assert_text(scratch_file(zipped, n_zipped), &how, text, n);
        free(text);
        free(zipped);
    }
}

static void ends_at_once_when_closed_on_a_silent_pipe(void **state)
{
    (void)state;
    int ends[2];
    char path[32];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "0 1\n", 4), 4);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    em_context *context;
    em_source *source;
    em_source_reader reader;
    em_context_create(&(em_context_options){.knobs = {.chunk_bytes = 4}}, &context, NULL);
    assert_int_equal(em_source_open(context, path, &source, NULL), EM_OK);
    assert_int_equal(em_source_reader_open(source, &reader, NULL), EM_OK);
    uint64_t number;
    assert_int_equal(em_source_next_chunk(&reader, &number, NULL), EM_OK);
    assert_int_equal(number, 0);
    em_source_stop(source);
    assert_int_equal(em_source_next_chunk(&reader, &number, NULL), EM_OK);
    assert_int_equal(number, UINT64_MAX);
    em_source_reader_close(&reader);
    em_source_close(source);
    assert_int_equal(em_context_memory(context).current_bytes, 0);
    em_context_free(context);
    close(ends[0]);
    close(ends[1]);
}

static bool cancel(void *state, const char *stage, uint64_t done, uint64_t total)
{
    (void)state, (void)stage, (void)done, (void)total;
    return false;
}

static void answers_cancelled_on_a_silent_pipe(void **state)
{
    (void)state;
    int ends[2];
    char path[32];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "0 1\n", 4), 4);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    em_context *context;
    em_source *source;
    em_source_reader reader;
    em_context_create(&(em_context_options){.progress = cancel}, &context, NULL);
    assert_int_equal(em_source_open(context, path, &source, NULL), EM_OK);
    assert_int_equal(em_source_reader_open(source, &reader, NULL), EM_OK);
    uint64_t number;
    assert_int_equal(em_context_report(context, "load", 0, 0, NULL), EM_CANCELLED);
    assert_int_equal(em_source_next_chunk(&reader, &number, NULL), EM_CANCELLED);
    em_source_reader_close(&reader);
    em_source_close(source);
    em_context_free(context);
    close(ends[0]);
    close(ends[1]);
}

/* --- memory -------------------------------------------------------------------------------------- */

static void survives_every_failing_allocation_of(const char *path, const source_how *how, const char *text, uint64_t n)
{
    source_how failing = *how;
    for (failing.fail_allocation = 1;; failing.fail_allocation++) {
        source_text got;
        em_error error = {0};
        const em_status status = source_slurp(path, &failing, &got, &error);
        if (status == EM_OK) {
            assert_int_equal(got.n_bytes, n);
            assert_memory_equal(got.text, text, n);
            free(got.text);
            break;
        }
        assert_int_equal(status, EM_NO_MEMORY);
        assert_int_equal(error.status, EM_NO_MEMORY);
        assert_true(failing.fail_allocation < 200);
    }
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    uint64_t seed = 4, n_zipped;
    const uint64_t n = 100000;
    char *text = random_text(&seed, n, 300);
    const source_how how = {.n_threads = 2, .chunk_bytes = 60, .piece_bytes = 50, .peek = 1000};
    survives_every_failing_allocation_of(scratch_file(text, n), &how, text, n);
    char *zipped = gzip_of(text, n, 6, &n_zipped);
    const char *path = scratch_file(zipped, n_zipped);
    survives_every_failing_allocation_of(path, &how, text, n);
    survives_every_failing_allocation_of(path, &(source_how){.chunk_bytes = 60, .reference = true}, text, n);
    free(zipped);
    zipped = zstd_of(text, n, 6, &n_zipped);
    survives_every_failing_allocation_of(scratch_file(zipped, n_zipped), &how, text, n);
    free(zipped);
    free(text);
}

static int clean(void **state)
{
    (void)state;
    scratch_remove();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_the_text_of_a_file_for_all_small_chunks_and_pieces),
        cmocka_unit_test(gives_the_text_of_a_file_for_one_to_five_threads),
        cmocka_unit_test(begins_where_it_is_told_to),
        cmocka_unit_test(gives_random_texts_with_lines_of_any_length),
        cmocka_unit_test(gives_a_large_file_with_the_default_sizes),
        cmocka_unit_test(gives_one_line_of_megabytes),
        cmocka_unit_test(tells_a_file_from_a_stream),
        cmocka_unit_test(says_that_a_file_shrank),
        cmocka_unit_test(names_what_cannot_be_opened),
        cmocka_unit_test(reads_standard_input_from_a_file_and_from_its_middle),
        cmocka_unit_test(gives_the_text_of_a_pipe_written_byte_by_byte),
        cmocka_unit_test(gives_a_compressed_pipe),
        cmocka_unit_test(peeks_and_skips_in_a_stream),
        cmocka_unit_test(gives_random_compressed_texts),
        cmocka_unit_test(ends_at_once_when_closed_on_a_silent_pipe),
        cmocka_unit_test(answers_cancelled_on_a_silent_pipe),
        cmocka_unit_test(survives_every_failing_allocation),
    };
    return cmocka_run_group_tests_name("source", tests, NULL, clean);
}
