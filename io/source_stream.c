/* source_stream - a pipe or compressed file: one thread reads and inflates ahead, workers take whole-line buffers.
 *
 * The thread fills a buffer, cuts it at the last newline, keeps the rest for the next buffer, and queues it; text is
 * inflated straight into the buffer that the worker parses, so all that a stream adds to inflating is the copy of part
 * of a line per buffer. Everybody sleeps on condition variables: a spinning parser would take the core that inflates.
 * There are at most two buffers a worker and one more, made when first needed. Chunks depend on the text and the knobs
 * alone, not on how a pipe delivered it.
 *
 * What was inflated before damage was found is handed out only in whole earlier buffers: the rest is dropped and the
 * error stands at the number of the chunk that would have held it.
 *
 * Cost: memory traffic of one write and one read of the text, mostly in cache.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/source_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CHUNK_BYTES = 1024 * 1024, MOST_CHUNK_BYTES = 1 << 30, CHECK_MS = 100 };

typedef struct piece {
    struct piece *next;
    char *memory;                                    /* EM_SOURCE_SLACK, text, EM_SOURCE_SLACK */
    uint64_t capacity_bytes, begin, n_bytes, number; /* text: n_bytes from `begin` */
} piece;

struct em_stream {
    em_source *source;
    em_decoder *decoder;
    uint64_t chunk_bytes;
    int wake[2];
    /* of the thread that reads; before it starts, of the caller */
    piece *filling; /* begun by a peek */
    char *carry;    /* the incomplete line behind the last cut */
    uint64_t carry_bytes, carry_capacity_bytes, next_number;
    bool text_ended;
    /* under the lock */
    pthread_mutex_t lock;
    pthread_cond_t ready_changed, idle_changed;
    piece *ready, **ready_end, *idle;
    uint32_t n_pieces, n_readers;
    uint64_t text_bytes;
    bool started, ended;
    int stopping; /* also read without the lock */
    pthread_t thread;
    em_error error; /* why it ended, if it failed */
};

/* --- buffers ------------------------------------------------------------------------------------- */

static void free_piece(em_context *context, piece *one)
{
    if (!one)
        return;
    em_free(context, one->memory, one->capacity_bytes);
    em_free(context, one, sizeof *one);
}

static void free_pieces(em_context *context, piece *first)
{
    while (first) {
        piece *next = first->next;
        free_piece(context, first);
        first = next;
    }
}

/* The text of a buffer is about to change or to move. */
static void release_text(em_stream *stream, const piece *one)
{
    if (stream->decoder->release && one->memory)
        stream->decoder->release(stream->decoder, one->memory, one->capacity_bytes);
}

/* What may be read behind the text. Once lines are cut off, the rest of the text serves as well. */
static void clear_slack(piece *one)
{
    memset(one->memory + one->begin + one->n_bytes, 0, EM_SOURCE_SLACK);
}

static em_status make_room(em_stream *stream, piece *into, uint64_t n_text, em_error *error)
{
    const uint64_t needed = into->begin + n_text + EM_SOURCE_SLACK;
    if (needed <= into->capacity_bytes)
        return EM_OK;
    release_text(stream, into);
    void *memory = into->memory;
    const em_status status = em_resize(stream->source->context, &memory, into->capacity_bytes, needed, error);
    if (status == EM_OK) {
        into->memory = memory;
        into->capacity_bytes = needed;
    }
    return status;
}

static em_status new_piece(em_stream *stream, piece **made, em_error *error)
{
    em_context *context = stream->source->context;
    void *memory;
    em_status status = em_allocate_zeroed(context, sizeof **made, &memory, error);
    if (status != EM_OK)
        return status;
    piece *one = memory;
    one->begin = EM_SOURCE_SLACK;
    status = make_room(stream, one, stream->chunk_bytes, error);
    if (status != EM_OK) {
        free_piece(context, one);
        return status;
    }
    memset(one->memory, 0, EM_SOURCE_SLACK);
    *made = one;
    return EM_OK;
}

/* An idle buffer, a new one, or, with as many as workers could use, the next to come back. */
static em_status take_idle(em_stream *stream, piece **taken, em_error *error)
{
    bool make = false;
    *taken = NULL;
    pthread_mutex_lock(&stream->lock);
    while (!stream->stopping && !*taken && !make) {
        if (stream->idle) {
            *taken = stream->idle;
            stream->idle = (*taken)->next;
        } else if (stream->n_pieces < 2 * stream->n_readers + 1) {
            stream->n_pieces++;
            make = true;
        } else {
            pthread_cond_wait(&stream->idle_changed, &stream->lock);
        }
    }
    pthread_mutex_unlock(&stream->lock);
    if (make)
        return new_piece(stream, taken, error);
    if (!*taken)
        return em_fail(error, EM_CANCELLED, "%s: reading was stopped", stream->source->path);
    release_text(stream, *taken);
    (*taken)->begin = EM_SOURCE_SLACK;
    (*taken)->n_bytes = 0;
    return EM_OK;
}

static void put_idle(em_stream *stream, piece *one)
{
    pthread_mutex_lock(&stream->lock);
    one->next = stream->idle;
    stream->idle = one;
    pthread_cond_signal(&stream->idle_changed);
    pthread_mutex_unlock(&stream->lock);
}

static void put_ready(em_stream *stream, piece *one)
{
    one->next = NULL;
    pthread_mutex_lock(&stream->lock);
    *stream->ready_end = one;
    stream->ready_end = &one->next;
    stream->text_bytes += one->n_bytes;
    pthread_cond_signal(&stream->ready_changed);
    pthread_mutex_unlock(&stream->lock);
}

/* --- the thread that reads ahead ----------------------------------------------------------------- */

static em_status fill(em_stream *stream, piece *into, uint64_t n_wanted, em_error *error)
{
    if (into->n_bytes >= n_wanted || stream->text_ended)
        return EM_OK;
    em_status status = make_room(stream, into, n_wanted, error);
    if (status != EM_OK)
        return status;
    uint64_t n_got;
    const uint64_t n_missing = n_wanted - into->n_bytes;
    status =
        stream->decoder->read(stream->decoder, into->memory + into->begin + into->n_bytes, n_missing, &n_got, error);
    if (status != EM_OK)
        return status;
    into->n_bytes += n_got;
    clear_slack(into);
    stream->text_ended = n_got < n_missing;
    return EM_OK;
}

/* Fills until there is a line end to cut at: the last one within chunk_bytes, else, in a line longer than that, the
 * first one behind. A peek may have read further than one chunk. */
static em_status fill_lines(em_stream *stream, piece *into, uint64_t *n_whole, em_error *error)
{
    uint64_t n_searched = 0;
    for (uint64_t goal = stream->chunk_bytes;; goal *= 2) {
        const em_status status = fill(stream, into, goal, error);
        if (status != EM_OK)
            return status;
        const char *text = into->memory + into->begin;
        const uint64_t n = into->n_bytes < goal ? into->n_bytes : goal;
        const char *newline =
            n_searched == 0 ? memrchr(text, '\n', n) : memchr(text + n_searched, '\n', n - n_searched);
        if (stream->text_ended && into->n_bytes <= goal) {
            *n_whole = into->n_bytes;
            return EM_OK;
        }
        if (newline) {
            *n_whole = (uint64_t)(newline - text) + 1;
            return EM_OK;
        }
        n_searched = n;
    }
}

/* Keeps what lies behind the cut. */
static em_status carry_rest(em_stream *stream, piece *from, uint64_t n_whole, em_error *error)
{
    const uint64_t n_rest = from->n_bytes - n_whole;
    if (n_rest > stream->carry_capacity_bytes) {
        void *memory = stream->carry;
        const em_status status =
            em_resize(stream->source->context, &memory, stream->carry_capacity_bytes, 2 * n_rest, error);
        if (status != EM_OK)
            return status;
        stream->carry = memory;
        stream->carry_capacity_bytes = 2 * n_rest;
    }
    if (n_rest)
        memcpy(stream->carry, from->memory + from->begin + n_whole, n_rest);
    stream->carry_bytes = n_rest;
    from->n_bytes = n_whole;
    return EM_OK;
}

static em_status use_carry(em_stream *stream, piece *into, em_error *error)
{
    const em_status status = make_room(stream, into, stream->carry_bytes, error);
    if (status != EM_OK)
        return status;
    if (stream->carry_bytes)
        memcpy(into->memory + into->begin, stream->carry, stream->carry_bytes);
    into->n_bytes = stream->carry_bytes;
    clear_slack(into);
    stream->carry_bytes = 0;
    return EM_OK;
}

static em_status read_chunk(em_stream *stream, em_error *error)
{
    uint64_t n_whole = 0;
    em_status status = EM_OK;
    piece *into = stream->filling;
    stream->filling = NULL;
    if (!into) {
        status = take_idle(stream, &into, error);
        if (status == EM_OK)
            status = use_carry(stream, into, error);
    }
    if (status == EM_OK)
        status = fill_lines(stream, into, &n_whole, error);
    if (status == EM_OK)
        status = carry_rest(stream, into, n_whole, error);
    if (status == EM_OK && n_whole > 0) {
        into->number = stream->next_number++;
        put_ready(stream, into);
    } else if (into) {
        put_idle(stream, into);
    }
    return status;
}

static void *read_ahead(void *argument)
{
    em_stream *stream = argument;
    em_error error = {0};
    em_status status = EM_OK;
    while (status == EM_OK && !(stream->text_ended && stream->carry_bytes == 0 && !stream->filling))
        status = read_chunk(stream, &error);
    pthread_mutex_lock(&stream->lock);
    stream->error = error;
    stream->error.position = stream->next_number;
    stream->ended = true;
    pthread_cond_broadcast(&stream->ready_changed);
    pthread_mutex_unlock(&stream->lock);
    return NULL;
}

/* Signals are for the program's own threads. Under the lock. */
static em_status start(em_stream *stream, em_error *error)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int code = pthread_create(&stream->thread, NULL, read_ahead, stream);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (code != 0)
        return em_fail_errno(error, stream->source->path, "cannot start a thread to read ahead", code);
    stream->started = true;
    return EM_OK;
}

/* --- opening and closing ------------------------------------------------------------------------- */

em_status em_stream_open(em_source *source, bool reference, em_stream **stream, em_error *error)
{
    void *memory;
    em_status status = em_allocate_zeroed(source->context, sizeof **stream, &memory, error);
    if (status != EM_OK)
        return status;
    em_stream *made = memory;
    made->source = source;
    made->chunk_bytes = em_knob(em_context_knobs(source->context)->chunk_bytes, CHUNK_BYTES);
    if (made->chunk_bytes > MOST_CHUNK_BYTES)
        made->chunk_bytes = MOST_CHUNK_BYTES;
    made->ready_end = &made->ready;
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->idle_changed, NULL);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&made->ready_changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    if (pipe2(made->wake, O_CLOEXEC | O_NONBLOCK) != 0) {
        made->wake[0] = made->wake[1] = -1;
        status = em_fail_errno(error, source->path, "cannot open a pipe", errno);
    }
    source->input.wake_fd = made->wake[0];
    source->input.stop = &made->stopping;
    const em_codec codec = em_codec_of_head(source->input.head, source->input.n_head);
    if (status == EM_OK)
        status = em_decoder_open(source->context, &source->input, codec, reference, &made->decoder, error);
    if (status == EM_OK && made->decoder->share)
        made->decoder->share(made->decoder);
    if (status == EM_OK)
        *stream = made;
    else
        em_stream_close(made);
    return status;
}

void em_stream_stop(em_stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    __atomic_store_n(&stream->stopping, 1, __ATOMIC_RELAXED);
    pthread_cond_broadcast(&stream->ready_changed);
    pthread_cond_broadcast(&stream->idle_changed);
    pthread_mutex_unlock(&stream->lock);
    ssize_t n;
    do
        n = write(stream->wake[1], "", 1);
    while (n < 0 && errno == EINTR); /* a full pipe wakes as well */
}

void em_stream_close(em_stream *stream)
{
    if (!stream)
        return;
    em_context *context = stream->source->context;
    if (stream->started) {
        em_stream_stop(stream);
        pthread_join(stream->thread, NULL);
    }
    em_decoder_close(stream->decoder);
    free_piece(context, stream->filling);
    free_pieces(context, stream->ready);
    free_pieces(context, stream->idle);
    em_free(context, stream->carry, stream->carry_capacity_bytes);
    if (stream->wake[0] >= 0) {
        close(stream->wake[0]);
        close(stream->wake[1]);
    }
    pthread_cond_destroy(&stream->ready_changed);
    pthread_cond_destroy(&stream->idle_changed);
    pthread_mutex_destroy(&stream->lock);
    em_free(context, stream, sizeof *stream);
}

/* --- before the first chunk ---------------------------------------------------------------------- */

em_status em_stream_peek(em_stream *stream, uint64_t n_bytes, const char **head, uint64_t *n_bytes_got, em_error *error)
{
    em_status status = EM_OK;
    *n_bytes_got = 0;
    if (!stream->filling) {
        status = new_piece(stream, &stream->filling, error);
        if (status != EM_OK)
            return status;
        stream->n_pieces++;
    }
    piece *into = stream->filling;
    status = fill(stream, into, n_bytes, error);
    if (status == EM_OK)
        status = make_room(stream, into, into->n_bytes, error);
    if (status != EM_OK)
        return status;
    memset(into->memory + into->begin + into->n_bytes, 0, EM_SOURCE_SLACK);
    *head = into->memory + into->begin;
    *n_bytes_got = into->n_bytes;
    return EM_OK;
}

void em_stream_skip(em_stream *stream, uint64_t offset)
{
    piece *first = stream->filling;
    if (!first)
        return;
    if (offset > first->n_bytes)
        offset = first->n_bytes;
    first->begin += offset;
    first->n_bytes -= offset;
    stream->text_bytes += offset;
}

/* --- workers ------------------------------------------------------------------------------------- */

uint64_t em_stream_text_bytes(em_stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    const uint64_t n_bytes = stream->text_bytes;
    pthread_mutex_unlock(&stream->lock);
    return n_bytes;
}

const char *em_stream_note(em_stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    const char *note = stream->ended || !stream->started ? stream->decoder->note : NULL;
    pthread_mutex_unlock(&stream->lock);
    return note;
}

void em_stream_reader_open(em_source_reader *reader)
{
    em_stream *stream = reader->source->stream;
    pthread_mutex_lock(&stream->lock);
    stream->n_readers++;
    pthread_cond_signal(&stream->idle_changed);
    pthread_mutex_unlock(&stream->lock);
}

void em_stream_reader_close(em_source_reader *reader)
{
    if (reader->buffer)
        put_idle(reader->source->stream, reader->buffer);
    reader->buffer = NULL;
}

/* Sleeps, for a while at most, so that a silent pipe does not keep a cancelled call. Under the lock. */
static em_status await_ready(em_stream *stream, em_error *error)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += CHECK_MS * 1000000L;
    if (until.tv_nsec >= 1000000000L) {
        until.tv_nsec -= 1000000000L;
        until.tv_sec++;
    }
    pthread_cond_timedwait(&stream->ready_changed, &stream->lock, &until);
    return em_context_check(stream->source->context, error);
}

em_status em_stream_next_chunk(em_source_reader *reader, uint64_t *number, em_error *error)
{
    em_stream *stream = reader->source->stream;
    em_status status = EM_OK;
    *number = UINT64_MAX;
    em_stream_reader_close(reader); /* gives its buffer back */
    pthread_mutex_lock(&stream->lock);
    if (!stream->started && !stream->stopping)
        status = start(stream, error);
    while (status == EM_OK && !stream->ready && !stream->ended && !stream->stopping)
        status = await_ready(stream, error);
    if (status != EM_OK || stream->stopping) {
        /* no more chunks */
    } else if (stream->ready) {
        piece *one = stream->ready;
        stream->ready = one->next;
        if (!stream->ready)
            stream->ready_end = &stream->ready;
        reader->buffer = one;
        reader->open = true;
        *number = one->number;
    } else if (stream->error.status != EM_OK) {
        status = em_fail_at(error, stream->error.status, stream->error.position, "%s", stream->error.message);
    }
    pthread_mutex_unlock(&stream->lock);
    return status;
}

void em_stream_next_piece(em_source_reader *reader, const char **begin, const char **end)
{
    const piece *one = reader->buffer;
    if (!one) { /* no chunk was taken */
        static const char nothing[2 * EM_SOURCE_SLACK];
        *begin = *end = nothing + EM_SOURCE_SLACK;
        return;
    }
    *end = one->memory + one->begin + one->n_bytes;
    *begin = reader->open ? one->memory + one->begin : *end;
    reader->open = false;
}
