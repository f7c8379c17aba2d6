/* support_source - see support_source.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support_source.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cmocka.h>

#include "scan/base/parallel.h"

typedef struct chunk_text {
    char *text;
    uint64_t n_bytes;
    bool there;
} chunk_text;

typedef struct collection {
    em_source *source;
    pthread_mutex_t lock;
    chunk_text *chunks;
    uint64_t n_chunks;
    uint64_t n_unfinished; /* pieces that do not end a line */
} collection;

static void *must(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

static void keep_chunk(collection *all, uint64_t number, char *text, uint64_t n_bytes)
{
    pthread_mutex_lock(&all->lock);
    if (number >= all->n_chunks) {
        const uint64_t n = number + 1;
        all->chunks = must(realloc(all->chunks, n * sizeof *all->chunks));
        memset(all->chunks + all->n_chunks, 0, (n - all->n_chunks) * sizeof *all->chunks);
        all->n_chunks = n;
    }
    if (all->chunks[number].there)
        abort(); /* one chunk, two workers */
    all->chunks[number] = (chunk_text){text, n_bytes, true};
    pthread_mutex_unlock(&all->lock);
}

/* What a vector parser may do: look at the slack on both sides. */
static unsigned char touch(const char *begin, const char *end)
{
    unsigned char sum = 0;
    for (int i = 1; i <= EM_SOURCE_SLACK; i++)
        sum ^= (unsigned char)begin[-i] ^ (unsigned char)end[i - 1];
    return sum;
}

static em_status read_chunk(collection *all, em_source_reader *reader, uint64_t number, em_error *error)
{
    char *text = NULL;
    uint64_t n_bytes = 0;
    for (;;) {
        const char *begin, *end;
        const em_status status = em_source_next_piece(reader, &begin, &end, error);
        if (status != EM_OK) {
            free(text);
            return status;
        }
        if (begin == end)
            break;
        text = must(realloc(text, n_bytes + (uint64_t)(end - begin)));
        memcpy(text + n_bytes, begin, (uint64_t)(end - begin));
        n_bytes += (uint64_t)(end - begin);
        if (touch(begin, end) == 0x5a) /* a branch, so that valgrind speaks up where the slack was never written */
            sched_yield();
        pthread_mutex_lock(&all->lock);
        all->n_unfinished += end[-1] != '\n';
        pthread_mutex_unlock(&all->lock);
    }
    keep_chunk(all, number, text, n_bytes);
    return EM_OK;
}

static em_status collect(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    collection *all = state;
    em_source_reader reader = {0};
    uint64_t number;
    (void)worker, (void)n_workers;
    em_status status = em_source_reader_open(all->source, &reader, error);
    while (status == EM_OK && (status = em_source_next_chunk(&reader, &number, error)) == EM_OK && number != UINT64_MAX)
        status = read_chunk(all, &reader, number, error);
    if (status != EM_OK)
        em_source_stop(all->source);
    em_source_reader_close(&reader);
    return status;
}

static void concatenate(collection *all, source_text *got)
{
    for (uint64_t i = 0; i < all->n_chunks; i++) {
        const chunk_text *one = &all->chunks[i];
        assert_true(one->there);
        if (one->n_bytes) {
            got->text = must(realloc(got->text, got->n_bytes + one->n_bytes));
            memcpy(got->text + got->n_bytes, one->text, one->n_bytes);
            got->n_bytes += one->n_bytes;
        }
    }
    got->n_chunks = all->n_chunks;
    assert_int_equal(all->n_unfinished, got->n_bytes && got->text[got->n_bytes - 1] != '\n');
}

static em_status peek_and_skip(em_source *source, const source_how *how, em_error *error)
{
    const char *head;
    uint64_t n;
    em_status status = EM_OK;
    for (uint64_t wanted = how->peek / 3; status == EM_OK && how->peek && wanted <= how->peek;
         wanted += how->peek - how->peek / 3) { /* a little, then more */
        status = em_source_peek(source, wanted, &head, &n, error);
        if (status == EM_OK)
            if (touch(head, head + n) == 0x5a)
                sched_yield();
    }
    if (status == EM_OK && how->skip)
        em_source_skip(source, how->skip);
    return status;
}

em_status source_slurp(const char *path, const source_how *how, source_text *got, em_error *error)
{
    const em_context_options options = {.n_threads = how->n_threads ? how->n_threads : 1,
                                        .knobs = {.chunk_bytes = how->chunk_bytes,
                                                  .piece_bytes = how->piece_bytes,
                                                  .fail_allocation = how->fail_allocation}};
    em_context *context;
    collection all = {.lock = PTHREAD_MUTEX_INITIALIZER};
    *got = (source_text){0};
    assert_int_equal(em_context_create(&options, &context, NULL), EM_OK);
    em_status status = em_source_open_with(context, path, how->reference, &all.source, error);
    if (status == EM_OK)
        status = peek_and_skip(all.source, how, error);
    if (status == EM_OK)
        status = em_parallel(context, 0, collect, &all, error);
    if (status == EM_OK) {
        concatenate(&all, got);
        assert_int_equal(em_source_text_bytes(all.source), got->n_bytes + how->skip);
        if (em_source_file_bytes(all.source) && how->skip == 0)
            assert_int_equal(em_source_consumed_bytes(all.source), em_source_file_bytes(all.source));
        if (em_source_note(all.source))
            snprintf(got->note, sizeof got->note, "%s", em_source_note(all.source));
    }
    for (uint64_t i = 0; i < all.n_chunks; i++)
        free(all.chunks[i].text);
    free(all.chunks);
    em_source_close(all.source);
    assert_int_equal(em_context_memory(context).current_bytes, 0);
    em_context_free(context);
    return status;
}

/* --- scratch files ------------------------------------------------------------------------------- */

enum { N_SCRATCH = 16 };
static char scratch[N_SCRATCH][64];
static unsigned n_scratch;

const char *scratch_path(void)
{
    char *path = scratch[n_scratch++ % N_SCRATCH];
    if (path[0])
        unlink(path);
    snprintf(path, sizeof scratch[0], "/tmp/edgemill-test-%ld-%u", (long)getpid(), n_scratch);
    return path;
}

const char *scratch_file(const void *bytes, uint64_t n_bytes)
{
    const char *path = scratch_path();
    FILE *file = must(fopen(path, "wb"));
    if (n_bytes && fwrite(bytes, 1, n_bytes, file) != n_bytes)
        abort();
    if (fclose(file) != 0)
        abort();
    return path;
}

void scratch_remove(void)
{
    for (int i = 0; i < N_SCRATCH; i++)
        if (scratch[i][0])
            unlink(scratch[i]);
    memset(scratch, 0, sizeof scratch);
}

/* --- compressed copies --------------------------------------------------------------------------- */

char *gzip_of(const void *text, uint64_t n_bytes, int level, uint64_t *n_out)
{
    z_stream stream = {0};
    if (deflateInit2(&stream, level, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        abort();
    const uint64_t capacity = deflateBound(&stream, n_bytes) + 64;
    char *out = must(malloc(capacity));
    stream.next_in = (unsigned char *)(uintptr_t)text;
    stream.avail_in = (unsigned)n_bytes;
    stream.next_out = (unsigned char *)out;
    stream.avail_out = (unsigned)capacity;
    if (deflate(&stream, Z_FINISH) != Z_STREAM_END)
        abort();
    *n_out = stream.total_out;
    deflateEnd(&stream);
    return out;
}

char *zstd_of(const void *text, uint64_t n_bytes, int level, uint64_t *n_out)
{
    ZSTD_CCtx *coder = must(ZSTD_createCCtx());
    const size_t capacity = ZSTD_compressBound(n_bytes);
    char *out = must(malloc(capacity));
    ZSTD_CCtx_setParameter(coder, ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(coder, ZSTD_c_checksumFlag, 1);
    *n_out = ZSTD_compress2(coder, out, capacity, text, n_bytes);
    if (ZSTD_isError(*n_out))
        abort();
    ZSTD_freeCCtx(coder);
    return out;
}

uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}
