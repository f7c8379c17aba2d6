/* source_internal - what source.c, source_file.c and source_stream.c share; for them and their tests.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_IO_SOURCE_INTERNAL_H
#define EM_IO_SOURCE_INTERNAL_H

#include "io/decoder.h"
#include "io/source.h"

typedef struct em_stream em_stream;

struct em_source {
    em_context *context;
    const char *path; /* for messages */
    bool is_file, owns_fd;
    uint64_t file_bytes;
    em_input input;
    em_stream *stream; /* NULL: a plain file */
    /* of a plain file */
    uint64_t start, chunk_bytes, piece_bytes;
    uint64_t next_chunk, n_read; /* atomic */
    char *head;
    uint64_t head_bytes, head_capacity_bytes;
};

/* em_source_open with the choice of zlib where a faster library is there. */
em_status em_source_open_with(em_context *context, const char *path, bool reference, em_source **source,
                              em_error *error);

/* --- plain files: source_file.c ----------------------------------------------------------------- */

void em_file_setup(em_source *source); /* sizes of chunks and pieces */
void em_file_release(em_source *source);
em_status em_file_peek(em_source *source, uint64_t n_bytes, const char **head, uint64_t *n_bytes_got, em_error *error);
em_status em_file_reader_open(em_source *source, em_source_reader *reader, em_error *error);
void em_file_reader_close(em_source_reader *reader);
void em_file_stop(em_source *source);
void em_file_next_chunk(em_source_reader *reader, uint64_t *number);
em_status em_file_next_piece(em_source_reader *reader, const char **begin, const char **end, em_error *error);
/* Up to n_bytes bytes from `offset`; fewer only where the file ends. */
em_status em_file_read(const em_source *source, uint64_t offset, void *into, uint64_t n_bytes, uint64_t *n_bytes_got,
                       em_error *error);

/* --- streams: source_stream.c -------------------------------------------------------------------- */

em_status em_stream_open(em_source *source, bool reference, em_stream **stream, em_error *error);
void em_stream_close(em_stream *stream);
em_status em_stream_peek(em_stream *stream, uint64_t n_bytes, const char **head, uint64_t *n_bytes_got,
                         em_error *error);
void em_stream_skip(em_stream *stream, uint64_t offset);
void em_stream_stop(em_stream *stream);
uint64_t em_stream_text_bytes(em_stream *stream);
const char *em_stream_note(em_stream *stream);
void em_stream_reader_open(em_source_reader *reader);
void em_stream_reader_close(em_source_reader *reader);
em_status em_stream_next_chunk(em_source_reader *reader, uint64_t *number, em_error *error);
void em_stream_next_piece(em_source_reader *reader, const char **begin, const char **end);

#endif
