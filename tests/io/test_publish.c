/* test_publish - an output file appears whole or not at all.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/io/fixture.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static em_output *open_output(const char *path)
{
    em_output *output;
    em_error error = {0};
    if (em_output_open(context, path, &output, &error) != EM_OK)
        fail_msg("%s", error.message);
    return output;
}

static void assert_holds(const char *path, const char *text)
{
    size_t n_bytes;
    unsigned char *bytes = files_get(path, &n_bytes);
    assert_int_equal(n_bytes, strlen(text));
    assert_memory_equal(bytes, text, n_bytes);
    free(bytes);
}

static void put(em_output *output, const char *text)
{
    assert_int_equal(em_output_write(output, text, strlen(text), NULL), EM_OK);
}

static void publishes_what_was_written(void **state)
{
    (void)state;
    em_output *output = open_output(files_path("new"));
    assert_true(em_output_is_regular(output));
    assert_null(em_output_note(output));
    put(output, "one ");
    put(output, "two");
    assert_int_equal(em_output_n_bytes(output), 7);
    assert_int_equal(access(files_path("new"), F_OK), -1);
    assert_int_equal(access(em_output_temporary(output), F_OK), 0);
    assert_int_equal(em_output_commit(output, NULL), EM_OK);
    assert_holds(files_path("new"), "one two");
    assert_int_equal(files_count(), 1);
}

static void writes_at_offsets_into_the_size_it_was_given(void **state)
{
    (void)state;
    em_output *output = open_output(files_path("at"));
    assert_int_equal(em_output_resize(output, 8, NULL), EM_OK);
    assert_int_equal(em_output_write_at(output, "yz", 2, 6, NULL), EM_OK);
    assert_int_equal(em_output_write_at(output, "abcdef", 6, 0, NULL), EM_OK);
    assert_int_equal(em_output_n_bytes(output), 8);
    assert_int_equal(em_output_commit(output, NULL), EM_OK);
    assert_holds(files_path("at"), "abcdefyz");
}

static void a_dropped_output_leaves_the_old_file_and_nothing_else(void **state)
{
    (void)state;
    files_put_text(files_path("old"), "old");
    em_output *output = open_output(files_path("old"));
    put(output, "new");
    em_output_drop(output);
    assert_holds(files_path("old"), "old");
    assert_int_equal(files_count(), 1);
    em_output_drop(NULL);
}

static void keeps_the_mode_of_the_file_it_replaces(void **state)
{
    (void)state;
    struct stat facts;
    const mode_t mask = umask(027);
    files_put_text(files_path("moded"), "old");
    assert_int_equal(chmod(files_path("moded"), 0604), 0);
    assert_int_equal(em_output_commit(open_output(files_path("moded")), NULL), EM_OK);
    assert_int_equal(stat(files_path("moded"), &facts), 0);
    assert_int_equal(facts.st_mode & 07777, 0604);
    assert_int_equal(em_output_commit(open_output(files_path("fresh")), NULL), EM_OK);
    assert_int_equal(stat(files_path("fresh"), &facts), 0);
    assert_int_equal(facts.st_mode & 07777, 0640);
    umask(mask);
}

static void follows_a_symbolic_link_and_replaces_its_target(void **state)
{
    (void)state;
    struct stat facts;
    files_put_text(files_path("target"), "old");
    assert_int_equal(symlink("target", files_path("link")), 0);
    assert_int_equal(symlink("link", files_path("link2")), 0);
    em_output *output = open_output(files_path("link2"));
    put(output, "new");
    assert_int_equal(em_output_commit(output, NULL), EM_OK);
    assert_holds(files_path("target"), "new");
    assert_int_equal(lstat(files_path("link2"), &facts), 0);
    assert_true(S_ISLNK(facts.st_mode));
    assert_int_equal(symlink("nothing-yet", files_path("dangling")), 0);
    output = open_output(files_path("dangling"));
    put(output, "x");
    assert_int_equal(em_output_commit(output, NULL), EM_OK);
    assert_holds(files_path("nothing-yet"), "x");
    assert_int_equal(symlink("loop", files_path("loop")), 0);
    em_error error = {0};
    assert_int_equal(em_output_open(context, files_path("loop"), &output, &error), EM_ENVIRONMENT);
    files_assert_says(error, "symbolic links");
}

static void refuses_places_where_nothing_can_be_made(void **state)
{
    (void)state;
    em_output *output;
    em_error error = {0};
    assert_int_equal(em_output_open(context, files_path("no/such"), &output, &error), EM_ENVIRONMENT);
    files_assert_says(error, "No such file or directory");
    files_assert_says(error, "no/such");
    error = (em_error){0};
    files_put_text(files_path("file"), "x");
    assert_int_equal(em_output_open(context, files_path("file/in"), &output, &error), EM_ENVIRONMENT);
    files_assert_says(error, "Not a directory");
    error = (em_error){0};
    assert_int_equal(em_output_open(context, files_path("."), &output, &error), EM_ENVIRONMENT);
    files_assert_says(error, "directory");
    error = (em_error){0};
    assert_int_equal(em_output_open(context, "", &output, &error), EM_USAGE);
    assert_null(output);
}

static void a_path_without_a_slash_is_in_the_current_folder(void **state)
{
    (void)state;
    char before[4096];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(files_path(".")), 0);
    em_output *output = open_output("plain");
    put(output, "x");
    assert_int_equal(em_output_commit(output, NULL), EM_OK);
    assert_int_equal(chdir(before), 0);
    assert_holds(files_path("plain"), "x");
}

/* A child that opens `path`, writes half of it and waits to be killed. */
static pid_t begin_writer(const char *path)
{
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
        em_output *output;
        if (em_output_open(context, path, &output, NULL) != EM_OK ||
            em_output_write(output, "half", 4, NULL) != EM_OK || write(ready[1], "x", 1) != 1)
            _exit(1);
        pause();
        _exit(0);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    return child;
}

static void a_killed_writer_leaves_the_old_file_and_the_next_one_cleans_up(void **state)
{
    (void)state;
    files_put_text(files_path("kept"), "old");
    const pid_t child = begin_writer(files_path("kept"));
    assert_int_equal(files_count(), 2);
    em_output *beside = open_output(files_path("kept")); /* its writer lives: it stays */
    assert_null(em_output_note(beside));
    em_output_drop(beside);
    assert_int_equal(files_count(), 2);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_holds(files_path("kept"), "old");
    files_put_text(files_path(".kept.edgemill-notours"), ""); /* seven letters */
    files_put_text(files_path(".other.edgemill-abcdef"), "");
    em_output *output = open_output(files_path("kept"));
    assert_non_null(em_output_note(output));
    assert_non_null(strstr(em_output_note(output), "removed a stale temporary file"));
    assert_int_equal(files_count(), 4);
    em_output_drop(output);
    assert_int_equal(files_count(), 3);
}

static void an_output_beside_another_finds_stale_files_where_there_were_some(void **state)
{
    (void)state;
    for (int stale = 0; stale < 2; stale++) {
        em_output *first = NULL, *second = NULL;
        if (stale)
            files_put_text(files_path(".second.edgemill-abcdef"), "");
        assert_int_equal(em_output_open_beside(context, files_path("first"), NULL, &first, NULL), EM_OK);
        assert_int_equal(em_output_open_beside(context, files_path("second"), first, &second, NULL), EM_OK);
        assert_int_equal(em_output_note(second) != NULL, stale);
        assert_int_equal(files_count(), 2);
        em_output_drop(first);
        em_output_drop(second);
        assert_int_equal(files_count(), 0);
    }
}

static void outputs_are_the_same_where_they_end_in_one_file(void **state)
{
    (void)state;
    char around[512];
    assert_int_equal(symlink("one", files_path("link")), 0);
    snprintf(around, sizeof around, "%s/./one", files_path(""));
    em_output *one = open_output(files_path("one")), *link = open_output(files_path("link")),
              *other = open_output(files_path("other")), *again = open_output(around), *null = open_output("/dev/null"),
              *null_again = open_output("/dev/null");
    assert_true(em_output_is_same(one, link));
    assert_true(em_output_is_same(one, again));
    assert_false(em_output_is_same(one, other));
    assert_false(em_output_is_same(one, null));
    assert_false(em_output_is_same(null, null_again));
    em_output *const all[] = {one, link, other, again, null, null_again};
    for (int i = 0; i < 6; i++)
        em_output_drop(all[i]);
}

static void several_outputs_get_their_names_together(void **state)
{
    (void)state;
    em_output *outputs[] = {open_output(files_path("a")), open_output("/dev/null"), open_output(files_path("b"))};
    for (int i = 0; i < 3; i++)
        put(outputs[i], "text");
    assert_int_equal(em_outputs_commit(outputs, 3, NULL), EM_OK);
    assert_holds(files_path("a"), "text");
    assert_holds(files_path("b"), "text");
    assert_int_equal(files_count(), 2);
    /* the second one's name was taken by a folder meanwhile: those behind it stay as they were */
    em_output *more[] = {open_output(files_path("a")), open_output(files_path("c")), open_output(files_path("b"))};
    for (int i = 0; i < 3; i++)
        put(more[i], "new");
    assert_int_equal(mkdir(files_path("c"), 0777), 0);
    assert_int_equal(em_outputs_commit(more, 3, NULL), EM_ENVIRONMENT);
    assert_holds(files_path("b"), "text");
    assert_int_equal(files_count(), 3);
    assert_int_equal(rmdir(files_path("c")), 0);
}

static void a_signal_handler_can_unlink_all_temporaries(void **state)
{
    (void)state;
    em_output *one = open_output(files_path("one")), *two = open_output(files_path("two"));
    assert_int_equal(files_count(), 2);
    em_outputs_unlink_all();
    assert_int_equal(files_count(), 0);
    em_output_drop(one);
    assert_int_equal(em_output_commit(two, NULL), EM_ENVIRONMENT);
    assert_int_equal(files_count(), 0);
}

static void writes_devices_straight_through(void **state)
{
    (void)state;
    em_error error = {0};
    em_output *output = open_output("/dev/null");
    assert_false(em_output_is_regular(output));
    assert_null(em_output_temporary(output));
    put(output, "x");
    assert_int_equal(em_output_write_at(output, "x", 1, 0, &error), EM_USAGE);
    assert_int_equal(em_output_commit(output, NULL), EM_OK);
    struct stat facts;
    assert_int_equal(stat("/dev/null", &facts), 0);
    assert_true(S_ISCHR(facts.st_mode));
    if (access("/dev/full", W_OK) != 0)
        return;
    error = (em_error){0};
    output = open_output("/dev/full");
    assert_int_equal(em_output_write(output, "x", 1, &error), EM_ENVIRONMENT);
    files_assert_says(error, "/dev/full: write: No space left on device");
    em_output_drop(output);
}

static void a_pipe_whose_reader_is_gone_is_an_error_not_a_signal(void **state)
{
    (void)state;
    em_error error = {0};
    int ends[2];
    char path[64];
    signal(SIGPIPE, SIG_DFL);
    assert_int_equal(pipe(ends), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[1]);
    em_output *output = open_output(path);
    close(ends[0]);
    close(ends[1]);
    assert_int_equal(em_output_write(output, "x", 1, &error), EM_ENVIRONMENT);
    files_assert_says(error, "Broken pipe");
    em_output_drop(output);
    sigset_t pending;
    sigpending(&pending);
    assert_false(sigismember(&pending, SIGPIPE));
}

enum { PIPED = 3000000 };

static void drain(int from, const char *wanted)
{
    static char got[PIPED];
    size_t n = 0;
    for (ssize_t more; (more = read(from, got + n, PIPED - n < 777 ? PIPED - n : 777)) > 0;)
        n += (size_t)more;
    _exit(n == PIPED && memcmp(got, wanted, PIPED) == 0 ? 0 : 1);
}

static void on_alarm(int number)
{
    (void)number;
}

/* Short writes, EAGAIN on a descriptor that does not block, and EINTR on one that does. */
static void fills_a_pipe_that_takes_a_little_at_a_time(void **state)
{
    (void)state;
    char path[64], *bytes = malloc(PIPED);
    for (int i = 0; i < PIPED; i++)
        bytes[i] = (char)(i * 7 + i / 1000);
    struct sigaction action = {.sa_handler = on_alarm}; /* no SA_RESTART */
    sigaction(SIGALRM, &action, NULL);
    for (int blocking = 0; blocking < 2; blocking++) {
        int ends[2], status;
        assert_int_equal(pipe(ends), 0);
        const pid_t child = fork();
        if (child == 0) {
            close(ends[1]);
            usleep(20000);
            drain(ends[0], bytes);
        }
        snprintf(path, sizeof path, "/dev/fd/%d", ends[1]);
        em_output *output = NULL;
        if (blocking) {
            output = open_output(path);
        } else { /* "-" keeps what the descriptor is set to */
            const int kept = dup(STDOUT_FILENO);
            fcntl(ends[1], F_SETFL, O_NONBLOCK);
            fflush(stdout);
            dup2(ends[1], STDOUT_FILENO);
            output = open_output("-");
            dup2(kept, STDOUT_FILENO);
            close(kept);
        }
        close(ends[1]);
        ualarm(1000, 1000);
        assert_int_equal(em_output_write(output, bytes, PIPED, NULL), EM_OK);
        ualarm(0, 0);
        assert_int_equal(em_output_commit(output, NULL), EM_OK);
        close(ends[0]);
        waitpid(child, &status, 0);
        assert_int_equal(status, 0);
    }
    free(bytes);
}

static void a_full_disk_is_an_error_that_leaves_nothing_behind(void **state)
{
    (void)state;
    char program[4096], command[9000];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    assert_true(length > 0);
    program[length] = '\0';
    assert_int_equal(mkdir(files_path("small"), 0755), 0);
    snprintf(command, sizeof command,
             "unshare -rm true 2>/dev/null || exit 77; unshare -rm sh -c 'mount -t tmpfs -o size=64k tmpfs \"%s\" || "
             "exit 77; \"%s\" --fill \"%s\"; s=$?; [ -z \"$(ls -A \"%s\")\" ] || exit 9; exit $s'",
             files_path("small"), program, files_path("small/out"), files_path("small"));
    const int answer = WEXITSTATUS(system(command));
    if (answer == 77)
        skip();
    assert_int_equal(answer, 42);
}

/* What the test above runs within the small disk: 42 when all is as it should be. */
static int fill(const char *path)
{
    static char bytes[200000];
    em_output *output;
    em_error error = {0};
    context = files_context(1, NULL);
    if (em_output_open(context, path, &output, &error) != EM_OK)
        return 1;
    if (em_output_resize(output, sizeof bytes, NULL) != EM_OK)
        return 2;
    if (em_output_write_at(output, bytes, sizeof bytes, 0, &error) != EM_ENVIRONMENT)
        return 3;
    em_output_drop(output);
    return strstr(error.message, "small/out: write: No space left on device") ? 42 : 4;
}

static void allocation_failure_opens_nothing(void **state)
{
    (void)state;
    em_context *poor = files_context(1, &(em_knobs){.fail_allocation = 1});
    em_output *output;
    assert_int_equal(em_output_open(poor, files_path("x"), &output, NULL), EM_NO_MEMORY);
    assert_null(output);
    assert_int_equal(files_count(), 0);
    em_context_free(poor);
}

static void long_names_are_published_too(void **state)
{
    (void)state;
    char name[256];
    memset(name, 'n', 255);
    name[255] = '\0';
    em_output *output = open_output(files_path(name));
    put(output, "x");
    assert_int_equal(em_output_commit(output, NULL), EM_OK);
    assert_holds(files_path(name), "x");
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--fill") == 0)
        return fill(argv[2]);
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(publishes_what_was_written),
        TEST(writes_at_offsets_into_the_size_it_was_given),
        TEST(a_dropped_output_leaves_the_old_file_and_nothing_else),
        TEST(keeps_the_mode_of_the_file_it_replaces),
        TEST(follows_a_symbolic_link_and_replaces_its_target),
        TEST(refuses_places_where_nothing_can_be_made),
        TEST(a_path_without_a_slash_is_in_the_current_folder),
        TEST(a_killed_writer_leaves_the_old_file_and_the_next_one_cleans_up),
        TEST(an_output_beside_another_finds_stale_files_where_there_were_some),
        TEST(outputs_are_the_same_where_they_end_in_one_file),
        TEST(several_outputs_get_their_names_together),
        TEST(a_signal_handler_can_unlink_all_temporaries),
        TEST(writes_devices_straight_through),
        TEST(a_pipe_whose_reader_is_gone_is_an_error_not_a_signal),
        TEST(fills_a_pipe_that_takes_a_little_at_a_time),
        TEST(a_full_disk_is_an_error_that_leaves_nothing_behind),
        TEST(allocation_failure_opens_nothing),
        TEST(long_names_are_published_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
