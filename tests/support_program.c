/* support_program - see support_program.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support_program.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
