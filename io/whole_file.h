/* whole_file - all bytes of an input at once: mapped where it is a file, read where it is a stream; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_IO_WHOLE_FILE_H
#define EM_IO_WHOLE_FILE_H

#include "scan/base/buffer.h"

/* Counts its users: each buffer cut from it holds it until the last is freed. */
typedef struct em_whole_file {
    em_context *context;
    unsigned char *bytes;
    uint64_t n_bytes, capacity_bytes;
    uint64_t users; /* atomic */
    bool mapped;
} em_whole_file;

/* Opens `path` ("-": standard input). The mapping is private: writing to it changes memory, never the file. The caller
 * ends with em_whole_file_release. */
em_status em_whole_file_open(em_context *context, const char *path, em_whole_file **file, em_error *error);
void em_whole_file_release(em_whole_file *file); /* NULL is fine */

/* A buffer over [begin, begin + n_bytes) that keeps the file open until it is freed. */
em_buffer em_whole_file_buffer(em_whole_file *file, uint64_t begin, uint64_t n_bytes);

#endif
