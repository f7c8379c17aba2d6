/* source_file - a plain file, cut into chunks that workers take by ticket and read piece by piece.
 *
 * A chunk [begin, end) owns the lines whose first byte lies in it, so cutting needs no look at the text beforehand: a
 * worker starts one byte early, skips through the first newline, and reads past `end` until its last line is whole.
 * pread into one reused buffer that fits L2 beats mapping (no page faults, no page tables); a piece is cut at its last
 * newline and the rest, less than a line, moves to the front for the next. The front is placed such that buffer
 * addresses and file offsets agree modulo 64, which keeps the kernel's copy aligned.
 *
 * Cost: the text is copied once by pread; per piece one search back from its end and a move of part of a line.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/source_internal.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum {
    LINE_UNIT = 64,
    FRONT_BYTES = EM_SOURCE_SLACK + LINE_UNIT, /* slack, and room to place the front modulo LINE_UNIT */
    PIECE_BYTES = 256 * 1024,                  /* half of a common L2 */
    TAIL_BYTES = 512,                          /* read past a chunk's end for its last line */
    HELD_BYTES = 4096,                         /* part of a line that fits without growing the buffer */
    SMALLEST_CHUNK = 64 * 1024,
    LARGEST_CHUNK = 4 * 1024 * 1024,
    CHUNKS_A_THREAD = 32, /* so that the last chunk costs a thread at most 3 % of its time */
    PAGE_BYTES = 4096
};

static const uint64_t STOPPED = UINT64_C(1) << 62; /* a ticket that no file reaches */

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

void em_file_setup(em_source *source)
{
    const em_knobs *knobs = em_context_knobs(source->context);
    uint64_t chunk = source->file_bytes / ((uint64_t)em_context_threads(source->context) * CHUNKS_A_THREAD);
    chunk = chunk < SMALLEST_CHUNK ? SMALLEST_CHUNK : smaller(chunk, LARGEST_CHUNK);
    chunk = em_knob(knobs->chunk_bytes, (chunk + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES);
    source->chunk_bytes = smaller(chunk, source->file_bytes); /* also keeps chunk ends from overflowing */
    source->piece_bytes = smaller(em_knob(knobs->piece_bytes, PIECE_BYTES), source->file_bytes + TAIL_BYTES);
}

void em_file_release(em_source *source)
{
    em_free(source->context, source->head, source->head_capacity_bytes);
}

em_status em_file_read(const em_source *source, uint64_t offset, void *into, uint64_t n_bytes, uint64_t *n_bytes_got,
                       em_error *error)
{
    em_input input = {.path = source->path, .fd = source->input.fd, .wake_fd = -1, .positional = true, .at = offset};
    for (*n_bytes_got = 0; *n_bytes_got < n_bytes;) {
        uint64_t n;
        const em_status status = em_input_read(&input, (char *)into + *n_bytes_got, n_bytes - *n_bytes_got, &n, error);
        if (status != EM_OK)
            return status;
        if (n == 0)
            break;
        *n_bytes_got += n;
    }
    return EM_OK;
}

em_status em_file_peek(em_source *source, uint64_t n_bytes, const char **head, uint64_t *n_bytes_got, em_error *error)
{
    n_bytes = smaller(n_bytes, source->file_bytes);
    if (!source->head || source->head_bytes < n_bytes) {
        void *memory;
        const uint64_t capacity = n_bytes + 2 * EM_SOURCE_SLACK;
        em_status status = em_allocate_zeroed(source->context, capacity, &memory, error);
        if (status != EM_OK)
            return status;
        em_free(source->context, source->head, source->head_capacity_bytes);
        source->head = memory;
        source->head_capacity_bytes = capacity;
        status = em_file_read(source, 0, source->head + EM_SOURCE_SLACK, n_bytes, &source->head_bytes, error);
        if (status != EM_OK)
            return status;
    }
    *head = source->head + EM_SOURCE_SLACK;
    *n_bytes_got = source->head_bytes;
    return EM_OK;
}

/* --- chunks -------------------------------------------------------------------------------------- */

em_status em_file_reader_open(em_source *source, em_source_reader *reader, em_error *error)
{
    void *memory;
    const uint64_t capacity = FRONT_BYTES + HELD_BYTES + source->piece_bytes + TAIL_BYTES + EM_SOURCE_SLACK;
    const em_status status = em_allocate(source->context, capacity, &memory, error);
    if (status != EM_OK)
        return status;
    memset(memory, 0, FRONT_BYTES);
    reader->memory = memory;
    reader->capacity_bytes = capacity;
    return EM_OK;
}

void em_file_reader_close(em_source_reader *reader)
{
    em_free(reader->source->context, reader->memory, reader->capacity_bytes);
}

void em_file_stop(em_source *source)
{
    __atomic_store_n(&source->next_chunk, STOPPED, __ATOMIC_RELAXED);
}

/* Chunks lie between multiples of chunk_bytes, the first one shortened by what is skipped. */
void em_file_next_chunk(em_source_reader *reader, uint64_t *number)
{
    em_source *source = reader->source;
    const uint64_t ticket = __atomic_fetch_add(&source->next_chunk, 1, __ATOMIC_RELAXED);
    reader->held = 0;
    reader->open = false;
    *number = UINT64_MAX;
    if (source->chunk_bytes == 0 || source->start >= source->file_bytes)
        return;
    const uint64_t first = source->start / source->chunk_bytes;
    if (ticket > (source->file_bytes - 1) / source->chunk_bytes - first)
        return;
    const uint64_t begin = (first + ticket) * source->chunk_bytes;
    reader->end = begin + smaller(source->chunk_bytes, source->file_bytes - begin);
    reader->first = ticket > 0;
    reader->at = ticket > 0 ? begin - 1 : source->start;
    reader->number = ticket;
    reader->open = true;
    *number = ticket;
}

/* --- pieces -------------------------------------------------------------------------------------- */

/* Room for n_bytes behind what is held. Doubles, so that a long line is copied twice at most. */
static em_status make_room(em_source_reader *reader, uint64_t n_bytes, em_error *error)
{
    const uint64_t needed = reader->from + reader->held + n_bytes + EM_SOURCE_SLACK;
    if (needed <= reader->capacity_bytes)
        return EM_OK;
    const uint64_t doubled = 2 * reader->capacity_bytes, capacity = needed < doubled ? doubled : needed;
    void *memory;
    const em_status status = em_allocate(reader->source->context, capacity, &memory, error);
    if (status != EM_OK)
        return status;
    memcpy(memory, reader->memory, reader->from + reader->held); /* with the slack in front */
    em_free(reader->source->context, reader->memory, reader->capacity_bytes);
    reader->memory = memory;
    reader->capacity_bytes = capacity;
    return EM_OK;
}

static void move_to_front(em_source_reader *reader)
{
    const uint64_t front = EM_SOURCE_SLACK + ((reader->at - reader->held) & (LINE_UNIT - 1));
    if (reader->held && front != reader->from)
        memmove(reader->memory + front, reader->memory + reader->from, reader->held);
    reader->from = front;
}

/* How much to read next: a piece; at the chunk's end just enough for its last line, in growing steps. */
static uint64_t next_read(const em_source_reader *reader)
{
    const em_source *source = reader->source;
    const uint64_t piece = source->piece_bytes, tail = smaller(TAIL_BYTES, piece);
    uint64_t n_bytes = piece;
    if (reader->at >= reader->end)
        n_bytes = smaller(piece, reader->held > tail ? reader->held : tail);
    else if (reader->end - reader->at <= piece)
        n_bytes = reader->end - reader->at + tail;
    else if (piece >= PAGE_BYTES)
        n_bytes -= reader->at & (LINE_UNIT - 1);
    return smaller(n_bytes, source->file_bytes - reader->at);
}

static em_status read_more(em_source_reader *reader, uint64_t *n_bytes, em_error *error)
{
    em_source *source = reader->source;
    uint64_t n_got = 0;
    *n_bytes = next_read(reader);
    em_status status = make_room(reader, *n_bytes, error);
    if (status != EM_OK)
        return status;
    char *into = reader->memory + reader->from + reader->held;
    em_error failure = {0};
    status = em_file_read(source, reader->at, into, *n_bytes, &n_got, &failure);
    if (status != EM_OK)
        return em_fail_at(error, status, reader->number, "%s", failure.message);
    if (n_got < *n_bytes)
        return em_fail_at(error, EM_ENVIRONMENT, reader->number,
                          "%s: shrank while it was read: ends at byte %llu, %llu were there when it was opened",
                          source->path, (unsigned long long)(reader->at + n_got),
                          (unsigned long long)source->file_bytes);
    memset(into + n_got, 0, EM_SOURCE_SLACK);
    reader->at += n_got;
    reader->held += n_got;
    __atomic_fetch_add(&source->n_read, n_got, __ATOMIC_RELAXED);
    return EM_OK;
}

/* Drops the line that begins in an earlier chunk; false while its end has not been read. */
static bool skip_first_line(em_source_reader *reader)
{
    const char *text = reader->memory + reader->from;
    const char *newline = memchr(text, '\n', reader->held);
    const uint64_t n_dropped = newline ? (uint64_t)(newline - text) + 1 : reader->held;
    reader->from += n_dropped;
    reader->held -= n_dropped;
    reader->first = !newline;
    return newline;
}

/* Length of the whole lines at the front of what is held, of which the last n_new bytes have not been searched yet;
 * 0 if more must be read. Closes the chunk with its last line. */
static uint64_t cut(em_source_reader *reader, uint64_t n_new)
{
    const char *text = reader->memory + reader->from, *text_end = text + reader->held;
    if (reader->at >= reader->end) {
        const uint64_t n_past = smaller(reader->at - reader->end + 1, n_new); /* from the chunk's last byte on */
        const char *newline = memchr(text_end - n_past, '\n', n_past);
        if (newline || reader->at == reader->source->file_bytes) {
            reader->open = false;
            return newline ? (uint64_t)(newline - text) + 1 : reader->held;
        }
    }
    const char *newline = memrchr(text_end - n_new, '\n', n_new);
    return newline ? (uint64_t)(newline - text) + 1 : 0;
}

/* True where no line of the chunk is left: the next one begins at or past its end. */
static bool is_done(const em_source_reader *reader)
{
    return reader->at - reader->held >= reader->end;
}

em_status em_file_next_piece(em_source_reader *reader, const char **begin, const char **end, em_error *error)
{
    static const char nothing[2 * EM_SOURCE_SLACK];
    *begin = *end = nothing + EM_SOURCE_SLACK;
    if (!reader->open)
        return EM_OK;
    move_to_front(reader);
    for (uint64_t n_whole = 0; n_whole == 0;) {
        uint64_t n_new = 0;
        if (is_done(reader)) {
            reader->open = false;
            return EM_OK;
        }
        if (reader->at < reader->source->file_bytes) {
            const em_status status = read_more(reader, &n_new, error);
            if (status != EM_OK)
                return status;
        }
        if (reader->first) {
            const bool begun = skip_first_line(reader);
            if (reader->held == 0)
                move_to_front(reader);
            if (!begun || reader->held == 0 || is_done(reader))
                continue;
            n_new = reader->held;
        }
        n_whole = cut(reader, n_new);
        if (n_whole) {
            *begin = reader->memory + reader->from;
            *end = *begin + n_whole;
            reader->from += n_whole;
            reader->held -= n_whole;
        }
    }
    return EM_OK;
}
