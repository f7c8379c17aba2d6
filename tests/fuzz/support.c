/* support - see support.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/fuzz/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

void must(int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "does not hold: %s\n", what);
    abort();
}

memory_file memory_file_open(const uint8_t *at, size_t n_bytes)
{
    memory_file file = {.descriptor = memfd_create("fuzz", MFD_CLOEXEC)};
    must(file.descriptor >= 0, "memfd_create");
    for (size_t done = 0; done < n_bytes;) {
        const ssize_t n = write(file.descriptor, at + done, n_bytes - done);
        must(n > 0, "write to a file in memory");
        done += (size_t)n;
    }
    snprintf(file.path, sizeof file.path, "/proc/self/fd/%d", file.descriptor);
    return file;
}

void memory_file_close(memory_file *file)
{
    close(file->descriptor);
    file->descriptor = -1;
}
