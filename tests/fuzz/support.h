/* support - what the fuzz targets share: an input as a file of its own.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_TESTS_FUZZ_SUPPORT_H
#define EM_TESTS_FUZZ_SUPPORT_H

#include <stddef.h>
#include <stdint.h>

/* What libFuzzer and AFL++ call for every input. */
int LLVMFuzzerTestOneInput(const uint8_t *at, size_t n_bytes);

/* A file that exists in memory alone and holds these bytes. Close it with memory_file_close. */
typedef struct memory_file {
    int descriptor;
    char path[40];
} memory_file;

memory_file memory_file_open(const uint8_t *at, size_t n_bytes);
void memory_file_close(memory_file *file);

/* Ends the process, so that the fuzzer keeps the input, unless `holds`. */
void must(int holds, const char *what);

#endif
