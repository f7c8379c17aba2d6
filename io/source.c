/* source - opens an input, tells what it is, and sends each call to the half that reads it.
 *
 * Plain is what can be read at any offset: a regular file with a size, not compressed, and for standard input
 * standing at its begin. All else is a stream: pipes, terminals, compressed files, and files that claim to be
 * empty, because those of /proc do so whatever they hold.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/source_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- opening ------------------------------------------------------------------------------------- */

static em_status open_input(em_source *source, const char *path, em_error *error)
{
    em_input *input = &source->input;
    const bool is_stdin = strcmp(path, "-") == 0;
    source->path = em_input_name(path);
    *input = (em_input){.path = source->path, .fd = STDIN_FILENO, .wake_fd = -1};
    if (!is_stdin) {
        do
            input->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
        while (input->fd < 0 && errno == EINTR);
        if (input->fd < 0)
            return em_fail_errno(error, source->path, "cannot open", errno);
        source->owns_fd = true;
    }
    struct stat facts;
    if (fstat(input->fd, &facts) != 0)
        return em_fail_errno(error, source->path, "cannot read", errno);
    if (S_ISDIR(facts.st_mode))
        return em_fail_errno(error, source->path, "cannot read", EISDIR);
    if (S_ISREG(facts.st_mode) && facts.st_size > 0 && (!is_stdin || lseek(input->fd, 0, SEEK_CUR) == 0)) {
        source->file_bytes = (uint64_t)facts.st_size;
        input->seekable = input->positional = true;
        (void)posix_fadvise(input->fd, 0, 0, POSIX_FADV_SEQUENTIAL); /* a hint: failing does not matter */
    }
    return EM_OK;
}

em_status em_source_open_with(em_context *context, const char *path, bool reference, em_source **source,
                              em_error *error)
{
    void *memory;
    *source = NULL;
    em_status status = em_allocate_zeroed(context, sizeof **source, &memory, error);
    if (status != EM_OK)
        return status;
    em_source *made = memory;
    made->context = context;
    status = open_input(made, path, error);
    if (status == EM_OK)
        status = em_input_read_head(&made->input, error);
    if (status != EM_OK)
        goto done;
    made->is_file = made->input.seekable && em_codec_of_head(made->input.head, made->input.n_head) == EM_CODEC_PLAIN;
    if (made->is_file)
        em_file_setup(made);
    else
        status = em_stream_open(made, reference, &made->stream, error);
done:
    if (status == EM_OK)
        *source = made;
    else
        em_source_close(made);
    return status;
}

em_status em_source_open(em_context *context, const char *path, em_source **source, em_error *error)
{
    return em_source_open_with(context, path, false, source, error);
}

void em_source_close(em_source *source)
{
    if (!source)
        return;
    em_stream_close(source->stream);
    em_file_release(source);
    if (source->owns_fd)
        close(source->input.fd);
    em_free(source->context, source, sizeof *source);
}

/* --- facts --------------------------------------------------------------------------------------- */

const char *em_source_path(const em_source *source)
{
    return source->path;
}

bool em_source_is_file(const em_source *source)
{
    return source->is_file;
}

uint64_t em_source_file_bytes(const em_source *source)
{
    return source->file_bytes;
}

uint64_t em_source_consumed_bytes(const em_source *source)
{
    if (!source->is_file)
        return em_input_at(&source->input);
    const uint64_t n_read = __atomic_load_n(&source->n_read, __ATOMIC_RELAXED);
    return n_read < source->file_bytes ? n_read : source->file_bytes; /* chunk ends are read twice */
}

uint64_t em_source_text_bytes(const em_source *source)
{
    return source->is_file ? source->file_bytes : em_stream_text_bytes(source->stream);
}

const char *em_source_note(const em_source *source)
{
    return source->is_file ? NULL : em_stream_note(source->stream);
}

/* --- reading ------------------------------------------------------------------------------------- */

em_status em_source_peek(em_source *source, uint64_t n_bytes, const char **head, uint64_t *n_bytes_got, em_error *error)
{
    return source->is_file ? em_file_peek(source, n_bytes, head, n_bytes_got, error)
                           : em_stream_peek(source->stream, n_bytes, head, n_bytes_got, error);
}

void em_source_skip(em_source *source, uint64_t offset)
{
    if (source->is_file)
        source->start = offset;
    else
        em_stream_skip(source->stream, offset);
}

em_status em_source_read_at(em_source *source, uint64_t offset, void *into, uint64_t n_bytes, uint64_t *n_bytes_got,
                            em_error *error)
{
    return em_file_read(source, offset, into, n_bytes, n_bytes_got, error);
}

void em_source_stop(em_source *source)
{
    if (source->is_file)
        em_file_stop(source);
    else
        em_stream_stop(source->stream);
}

em_status em_source_reader_open(em_source *source, em_source_reader *reader, em_error *error)
{
    *reader = (em_source_reader){.source = source};
    if (source->is_file)
        return em_file_reader_open(source, reader, error);
    em_stream_reader_open(reader);
    return EM_OK;
}

void em_source_reader_close(em_source_reader *reader)
{
    if (!reader->source)
        return;
    if (reader->source->is_file)
        em_file_reader_close(reader);
    else
        em_stream_reader_close(reader);
    *reader = (em_source_reader){0};
}

em_status em_source_next_chunk(em_source_reader *reader, uint64_t *number, em_error *error)
{
    if (!reader->source->is_file)
        return em_stream_next_chunk(reader, number, error);
    em_file_next_chunk(reader, number);
    return EM_OK;
}

em_status em_source_next_piece(em_source_reader *reader, const char **begin, const char **end, em_error *error)
{
    if (reader->source->is_file)
        return em_file_next_piece(reader, begin, end, error);
    em_stream_next_piece(reader, begin, end);
    return EM_OK;
}
