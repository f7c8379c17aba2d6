/* test_source_faults - what the system may do to a reader: short reads, interruptions, errors, no descriptors.
 *
 * The program's own read, pread and poll stand in for the C library's, so the faults come where they really would.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support_source.h"

/* What the stand-ins do; atomic, because the thread that reads ahead calls them, too. */
static uint64_t most_bytes;    /* 0: any number */
static uint64_t interrupt_one; /* of so many calls; 0: none */
static uint64_t fail_call;     /* the call with this number, and all after it; 0: none */
static uint64_t n_calls;

static bool faulty(size_t *n_bytes)
{
    const uint64_t call = __atomic_add_fetch(&n_calls, 1, __ATOMIC_RELAXED);
    const uint64_t fail = __atomic_load_n(&fail_call, __ATOMIC_RELAXED);
    const uint64_t one = __atomic_load_n(&interrupt_one, __ATOMIC_RELAXED);
    const uint64_t most = __atomic_load_n(&most_bytes, __ATOMIC_RELAXED);
    if (fail && call >= fail) {
        errno = EIO;
        return true;
    }
    if (one && call % one == 0) {
        errno = EINTR;
        return true;
    }
    if (most && *n_bytes > most)
        *n_bytes = most;
    return false;
}

ssize_t read(int fd, void *into, size_t n_bytes)
{
    return faulty(&n_bytes) ? -1 : syscall(SYS_read, fd, into, n_bytes);
}

ssize_t pread(int fd, void *into, size_t n_bytes, off_t offset)
{
    return faulty(&n_bytes) ? -1 : syscall(SYS_pread64, fd, into, n_bytes, offset);
}

int poll(struct pollfd *fds, nfds_t n, int timeout)
{
    const uint64_t one = __atomic_load_n(&interrupt_one, __ATOMIC_RELAXED);
    if (one && __atomic_add_fetch(&n_calls, 1, __ATOMIC_RELAXED) % one == 0) {
        errno = EINTR;
        return -1;
    }
    struct timespec wait = {timeout / 1000, timeout % 1000 * 1000000L};
    return (int)syscall(SYS_ppoll, fds, n, timeout < 0 ? NULL : &wait, NULL, 0);
}

static void set_faults(uint64_t most, uint64_t one, uint64_t fail)
{
    most_bytes = most;
    interrupt_one = one;
    fail_call = fail;
    n_calls = 0;
}

/* The same text plain, as gzip and as zstd. */
static const char *text;
static uint64_t n_text;
static const char *kinds[3];

static int prepare(void **state)
{
    (void)state;
    uint64_t n = 20000, seed = 1, n_zipped;
    char *made = malloc(n);
    for (uint64_t i = 0; i < n; i++)
        made[i] = "0123456789\n"[random_next(&seed) % 11];
    text = made;
    n_text = n;
    kinds[0] = scratch_file(made, n);
    char *zipped = gzip_of(made, n, 6, &n_zipped);
    kinds[1] = scratch_file(zipped, n_zipped);
    free(zipped);
    zipped = zstd_of(made, n, 3, &n_zipped);
    kinds[2] = scratch_file(zipped, n_zipped);
    free(zipped);
    return 0;
}

static int clean(void **state)
{
    (void)state;
    set_faults(0, 0, 0);
    scratch_remove();
    free((void *)(uintptr_t)text);
    return 0;
}

static void assert_whole(const char *path)
{
    source_text got;
    em_error error = {0};
    const source_how how = {.n_threads = 2, .chunk_bytes = 3000, .piece_bytes = 700, .peek = 100};
    if (source_slurp(path, &how, &got, &error) != EM_OK)
        fail_msg("%s", error.message);
    assert_int_equal(got.n_bytes, n_text);
    assert_memory_equal(got.text, text, n_text);
    free(got.text);
}

static void reads_on_after_short_reads(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        for (uint64_t most = 1; most < 50; most += 7) {
            set_faults(most, 0, 0);
            assert_whole(kinds[i]);
        }
}

static void reads_on_after_interruptions(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        for (uint64_t one = 2; one < 6; one++) {
            set_faults(100, one, 0);
            assert_whole(kinds[i]);
        }
}

static void waits_on_after_interruptions_of_a_pipe(void **state)
{
    (void)state;
    int ends[2];
    char path[32];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], text, n_text), n_text);
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    set_faults(100, 3, 0);
    assert_whole(path);
    close(ends[0]);
}

static void names_the_file_whose_read_fails(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        for (uint64_t call = 1;; call++) {
            source_text got;
            em_error error = {0};
            set_faults(100, 0, call);
            const em_status status =
                source_slurp(kinds[i], &(source_how){.n_threads = 2, .chunk_bytes = 5000}, &got, &error);
            const bool reached = n_calls >= call;
            free(got.text);
            if (!reached)
                break;
            char words[128];
            snprintf(words, sizeof words, "%s: cannot read: Input/output error", kinds[i]);
            assert_int_equal(status, EM_ENVIRONMENT);
            assert_string_equal(error.message, words);
        }
}

static void says_when_descriptors_run_out(void **state)
{
    (void)state;
    set_faults(0, 0, 0);
    struct rlimit before, few;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    const int next = dup(0);
    close(next);
    few = before;
    for (rlim_t more = 0; more < 3; more++) { /* for the file, then for the pipe that wakes its reader */
        few.rlim_cur = (rlim_t)next + more;
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
        source_text got;
        em_error error = {0};
        assert_int_equal(source_slurp(kinds[1], &(source_how){0}, &got, &error), EM_ENVIRONMENT);
        assert_non_null(strstr(error.message, "Too many open files"));
        setrlimit(RLIMIT_NOFILE, &before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_on_after_short_reads),
        cmocka_unit_test(reads_on_after_interruptions),
        cmocka_unit_test(waits_on_after_interruptions_of_a_pipe),
        cmocka_unit_test(names_the_file_whose_read_fails),
        cmocka_unit_test(says_when_descriptors_run_out),
    };
    return cmocka_run_group_tests_name("source_faults", tests, prepare, clean);
}
