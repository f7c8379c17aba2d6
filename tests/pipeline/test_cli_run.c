/* test_cli_run - pipelines given as text, as a person meets them.
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

static char folder[] = "/tmp/edgemill-cli-run-XXXXXX";

/* In what follows $E is edgemill. */
static int set_up(void **state)
{
    (void)state;
    return support_program_begin(folder, "E", "");
}

static int tear_down(void **state)
{
    (void)state;
    return support_program_end(folder);
}

static void standard_input_is_read_by_one_stage(void **state)
{
    (void)state;
    static const char *const specs[] = {"load - | among - | csr | save a.csr", "load - | relabel - | csr | save a.csr",
                                        "load - --vertices-from=- | csr | save a.csr", "load - - | csr | save a.csr"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        char line[256];
        snprintf(line, sizeof line, "printf '0 1\\n' | $E run '%s'; s=$?; test ! -e a.csr && exit $s", specs[i]);
        support_expect_part(line, 2, "standard input (-) is named more than once");
    }
    support_expect_part("echo '0 1' >a.el; printf '0\\n1\\n' | $E run 'load a.el | among - | csr | save a.csr'", 0,
                        "1 arc");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(standard_input_is_read_by_one_stage),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
