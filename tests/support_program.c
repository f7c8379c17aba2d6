/* support_program - see support_program.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support_program.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The program is build/VARIANT/edgemill, two folders above a test. */
int support_program_begin(char *folder, const char *variable, const char *words)
{
    char build[PATH_MAX], link[256], program[512];
    const ssize_t length = readlink("/proc/self/exe", build, sizeof build - 1);
    if (length < 0 || !mkdtemp(folder))
        return -1;
    build[length] = 0;
    for (int up = 0; up < 3; up++) {
        char *const slash = strrchr(build, '/');
        if (slash)
            *slash = 0;
    }
    snprintf(link, sizeof link, "%s.build", folder);
    snprintf(program, sizeof program, "%s/edgemill%s", link, words);
    if (symlink(build, link) != 0 || setenv(variable, program, 1) != 0)
        return -1;
    return chdir(folder);
}

int support_program_end(const char *folder)
{
    char command[512];
    snprintf(command, sizeof command, "rm -r '%s' '%s.build'", folder, folder);
    return chdir("/") | system(command);
}

const support_said *support_shell(const char *line)
{
    static support_said got;
    char command[4096];
    snprintf(command, sizeof command, "{ %s\n} 2>&1 < /dev/null", line);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    got.said[fread(got.said, 1, sizeof got.said - 1, pipe)] = 0;
    const int status = pclose(pipe);
    got.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return &got;
}

void support_expect_part(const char *line, int status, const char *says)
{
    const support_said *got = support_shell(line);
    if (got->status != status || !strstr(got->said, says))
        fail_msg("%s\n  ended with %d, wanted %d\n  said: %s\n  wanted there: %s", line, got->status, status, got->said,
                 says);
}
