/* test_cli_generate - the command generate as a person meets it: status, what
 * is said, what is written.
 *
 * The program is the one of the same build: build/VARIANT/edgemill, two folders
 * above this test.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/edgemill-cli-generate-XXXXXX";

/* In what follows $G is "edgemill generate". */
static int set_up(void **state)
{
    (void)state;
    return support_program_begin(folder, "G", " generate");
}

static int tear_down(void **state)
{
    (void)state;
    return support_program_end(folder);
}

static void writes_what_its_options_say(void **state)
{
    (void)state;
    const support_said *got = support_shell("$G grid --rows 2 --columns=2 -o -");
    assert_int_equal(got->status, 0);
    assert_non_null(strstr(got->said, "0\t1\n0\t2\n1\t3\n2\t3\n"));
    assert_non_null(strstr(got->said, "edgemill: grid -> standard output: 4 vertices, 4 arcs, 16 bytes"));
    got = support_shell("$G -q --columns 1 -o- --rows 3 --to csv -- grid");
    assert_string_equal(got->said, "0,1\n1,2\n");
    got = support_shell("$G star --vertices 3 -q -ostar.wel --weights=i32 && cat star.wel");
    assert_string_equal(got->said, "0\t1\t156\n0\t2\t123\n");
}

static void the_suffix_or_the_option_names_the_format(void **state)
{
    (void)state;
    support_expect_part("$G path --vertices 9 -o p.u32 && stat -c %s p.u32", 0, "\n64\n");
    support_expect_part("$G path --vertices 9 -o p.u64 && stat -c %s p.u64", 0, "\n128\n");
    support_expect_part("$G path --vertices 9 -o p.el --to u64 && stat -c %s p.el", 0, "\n128\n");
    support_expect_part("$G path --vertices 9 -o p.bin", 2, "--to");
    support_expect_part("$G path --vertices 9 -o p.el.gz", 2, "gzip");
    support_expect_part("$G path --vertices 9 -o p.wel", 2, "--weights");
    support_expect_part("$G path --vertices 9 -o p.u32 --weights=f64", 2, "no weights");
}

static void the_same_seed_gives_the_same_bytes(void **state)
{
    (void)state;
    support_expect_part("$G rmat --scale 12 -o a.el --threads 1 && $G rmat --scale 12 -o b.el "
                        "--threads 3 && cmp a.el b.el",
                        0, "");
    support_expect_part("$G rmat --scale 12 -o b.el --seed 2 && cmp a.el b.el", 1, "differ");
    support_expect_part("$G rmat --scale 12 -o b.el --scramble && cmp a.el b.el", 1, "differ");
}

static void usage_errors_name_the_word_and_a_way_out(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"$G", "generate what?"},
        {"$G torus -o a.el", "torus"},
        {"$G rnat -o a.el --scale 3", "did you mean rmat?"},
        {"$G rmat", "-o FILE"},
        {"$G rmat -o a.el", "needs --scale"},
        {"$G rmat --scal 3 -o a.el", "did you mean --scale?"},
        {"$G rmat --scale 3 --rows 4 -o a.el", "--rows means nothing to rmat"},
        {"$G rmat --scale 3x -o a.el", "3x"},
        {"$G rmat --scale -3 -o a.el", "-3"},
        {"$G rmat --scale 99999999999999999999 -o a.el", "99999999999999999999"},
        {"$G rmat --scale= -o a.el", "--scale"},
        {"$G rmat --scale", "needs a value"},
        {"$G rmat --scale 3 --abc .5,.5 -o a.el", ".5,.5"},
        {"$G rmat --scale 3 --abc .5,.5,.1 -o a.el", "more than 1"},
        {"$G rmat --scale 3 --abc 1,0,0.0000000001 -o a.el", "nine decimals"},
        {"$G rmat --scale 3 --abc 1e-1,0,0 -o a.el", "1e-1"},
        {"$G rmat --scale 3 --weights=f32 -o a.el", "f32"},
        {"$G rmat --scale 3 --threads 0 -o a.el", "1 to 1024"},
        {"$G rmat --scale 3 --progress=often -o a.el", "often"},
        {"$G rmat --scale 3 --shuffle=yes -o a.el", "takes no value"},
        {"$G rmat --scale 3 -o a.el -o b.el", "more than one"},
        {"$G rmat grid --scale 3 -o a.el", "too many"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        support_expect_part(cases[i][0], 2, cases[i][1]);
}

static void a_usage_error_leaves_the_old_file(void **state)
{
    (void)state;
    support_expect_part("echo old > kept.el; $G rmat --scale 3 --rows 4 -o kept.el; cat kept.el", 0, "old");
}

static void failures_of_the_environment_end_with_4(void **state)
{
    (void)state;
    support_expect_part("$G rmat --scale 3 -o no/such/folder.el", 4, "no/such/folder.el");
    support_expect_part("$G rmat --scale 9 --to el -o /dev/full", 4, "/dev/full");
    support_expect_part("$G --help > /dev/full", 4, "edgemill: ");
}

static void a_reader_that_goes_away_is_no_crash(void **state)
{
    (void)state;
    support_expect_part("bash -c '$G rmat --scale 16 -o - -q | head -n 1; exit ${PIPESTATUS[0]}'", 4, "edgemill: ");
}

static void progress_names_the_rate_in_arcs(void **state)
{
    (void)state;
    /* A reader that waits keeps the writer beyond the time in which nothing is shown, and again between two lines. */
    support_expect_part("$G rmat --scale 16 -o - -q --progress=always | "
                        "(sleep 0.6; head -c 4000000 >/dev/null; sleep 0.3; cat >/dev/null)",
                        0, " M arcs/s");
}

static void help_names_every_shape(void **state)
{
    (void)state;
    static const char *const shapes[] = {"rmat", "uniform", "grid", "star", "path", "clique", "loops"};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        support_expect_part("$G rmat --help", 0, shapes[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_what_its_options_say),
        cmocka_unit_test(the_suffix_or_the_option_names_the_format),
        cmocka_unit_test(the_same_seed_gives_the_same_bytes),
        cmocka_unit_test(usage_errors_name_the_word_and_a_way_out),
        cmocka_unit_test(a_usage_error_leaves_the_old_file),
        cmocka_unit_test(failures_of_the_environment_end_with_4),
        cmocka_unit_test(a_reader_that_goes_away_is_no_crash),
        cmocka_unit_test(progress_names_the_rate_in_arcs),
        cmocka_unit_test(help_names_every_shape),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
