/* source - one input as chunks of whole lines: plain files read side by side, streams and compressed files ahead; not
 * installed.
 *
 * A plain file is cut into chunks of chunk_bytes; the worker that takes a chunk reads the lines that begin in it,
 * piece by piece, with pread. A stream (pipe, gzip, zstd) is read by a thread of its own, ahead of the workers, and
 * each of its buffers is a chunk of whole lines. Either way a chunk is taken by one worker, chunks are
 * numbered from 0 in input order, and their pieces concatenated are the text.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_IO_SOURCE_H
#define EM_IO_SOURCE_H

#include "scan/base/context.h"

/* Bytes behind a piece's end (and before its begin) that may be read, whatever they hold. */
enum { EM_SOURCE_SLACK = 64 };

typedef struct em_source em_source;

/* Opens `path` ("-": standard input) and tells gzip and zstd by content. The path is kept by reference. */
em_status em_source_open(em_context *context, const char *path, em_source **source, em_error *error);
void em_source_close(em_source *source); /* stops the thread that reads ahead; NULL is fine */

const char *em_source_path(const em_source *source);        /* as messages name it: "standard input" for "-" */
bool em_source_is_file(const em_source *source);            /* plain and seekable: text offsets are file offsets */
uint64_t em_source_file_bytes(const em_source *source);     /* size on disk, 0 if unknown */
uint64_t em_source_consumed_bytes(const em_source *source); /* of the file on disk so far, for progress; any thread */
uint64_t em_source_text_bytes(const em_source *source);     /* inflated; complete once all chunks were read */
const char *
em_source_note(const em_source *source); /* NULL, or a remark such as trailing bytes after the last gzip member */

/* The head of the text, at least `n_bytes` of it unless the text is shorter; stays valid until the first chunk is
 * taken. May be called again for more. *n_bytes_got < n_bytes: the whole text is there. */
em_status em_source_peek(em_source *source, uint64_t n_bytes, const char **head, uint64_t *n_bytes_got,
                         em_error *error);

/* Chunks begin at this text offset (behind BOM and header lines); before the first chunk is taken, and within what was
 * peeked. */
void em_source_skip(em_source *source, uint64_t offset);

/* Plain files only: bytes of the file at `offset`, for samples and line numbers. */
em_status em_source_read_at(em_source *source, uint64_t offset, void *into, uint64_t n_bytes, uint64_t *n_bytes_got,
                            em_error *error);

/* Each worker has a reader of its own; readers must be closed before the source. */
typedef struct em_source_reader {
    em_source *source;
    char *memory; /* the piece buffer of a file's reader, or the stream's buffer in use */
    uint64_t capacity_bytes;
    uint64_t at, end; /* file offsets: of the next byte to read, and where the chunk ends */
    uint64_t held;    /* bytes of an incomplete line in the buffer */
    uint64_t from;    /* where in `memory` they are */
    uint64_t number;  /* of the chunk, for messages */
    void *buffer;     /* of a stream */
    bool first, open;
} em_source_reader;

/* No chunk is handed out any more: readers that wait for one return with none. For workers that failed; any thread. */
void em_source_stop(em_source *source);

em_status em_source_reader_open(em_source *source, em_source_reader *reader, em_error *error);
void em_source_reader_close(em_source_reader *reader);

/* Takes the next chunk. *number is its number, or UINT64_MAX when there is none left. */
em_status em_source_next_chunk(em_source_reader *reader, uint64_t *number, em_error *error);
/* The next piece of the chunk, whole lines, the last one of the text perhaps without a newline; *begin == *end: the
 * chunk is done. Valid until the next call on this reader. EM_MALFORMED: damaged or truncated compressed data (file and
 * byte named); EM_ENVIRONMENT: read failed, the file shrank. */
em_status em_source_next_piece(em_source_reader *reader, const char **begin, const char **end, em_error *error);

#endif
