/* companion - see companion.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/companion.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifndef EM_LIBEXECDIR
#define EM_LIBEXECDIR "/usr/local/libexec/edgemill"
#endif

bool em_find_companion(const char *name, int mode, char *path, size_t n_bytes)
{
    static const char *const FOLDERS[] = {"", "/../libexec/edgemill"}; /* from the program's */
    char program[4096];
    const ssize_t n_program = readlink("/proc/self/exe", program, sizeof program - 1);
    program[n_program > 0 ? n_program : 0] = '\0';
    char *const slash = strrchr(program, '/');
    if (slash)
        *slash = '\0';
    for (int i = 0; slash && i < 2; i++) {
        const int n = snprintf(path, n_bytes, "%s%s/%s", program, FOLDERS[i], name);
        if (n > 0 && (size_t)n < n_bytes && access(path, mode) == 0)
            return true;
    }
    const int n = snprintf(path, n_bytes, "%s/%s", EM_LIBEXECDIR, name);
    return n > 0 && (size_t)n < n_bytes && access(path, mode) == 0;
}
