/* inflate_zlib - raw deflate through zlib: the reference, and what is used where no faster library is there.
 *
 * Where the data is corrupt zlib may hold bits that it took but did not decode; their whole bytes are given back, so
 * that the place does not depend on how the input was cut into blocks.
 *
 * Source: RFC 1951; zlib.h (data_type of inflate). Cost: one pass.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/decoder.h"

#define ZLIB_CONST
#include <zlib.h>

typedef struct zlib_state {
    z_stream stream;
    em_context *context;
} zlib_state;

static void *zlib_allocate(void *context, unsigned n, unsigned size)
{
    return em_sized_allocate(context, (uint64_t)n * size);
}

static void zlib_free(void *context, void *memory)
{
    em_sized_free(context, memory);
}

static em_status zlib_open(em_context *context, void **state, em_error *error)
{
    em_status status = em_allocate_zeroed(context, sizeof(zlib_state), state, error);
    if (status != EM_OK)
        return status;
    zlib_state *own = *state;
    own->context = context;
    own->stream = (z_stream){.zalloc = zlib_allocate, .zfree = zlib_free, .opaque = context};
    if (inflateInit2(&own->stream, -MAX_WBITS) == Z_OK)
        return EM_OK;
    em_free(context, own, sizeof *own);
    *state = NULL;
    return em_fail(error, EM_NO_MEMORY, "out of memory: the state of zlib");
}

static void zlib_close(em_context *context, void *state)
{
    zlib_state *own = state;
    if (!own)
        return;
    inflateEnd(&own->stream);
    em_free(context, own, sizeof *own);
}

static void zlib_reset(void *state)
{
    inflateReset(&((zlib_state *)state)->stream);
}

enum { MOST_PER_CALL = 1 << 30 };

static em_inflated zlib_run(void *state, unsigned char **next, uint64_t *n_in, char *out, uint64_t n_out,
                            uint64_t *n_written)
{
    z_stream *stream = &((zlib_state *)state)->stream;
    const unsigned n_given = *n_in < EM_INPUT_BLOCK_BYTES ? (unsigned)*n_in : (unsigned)EM_INPUT_BLOCK_BYTES;
    const unsigned n_room = n_out < MOST_PER_CALL ? (unsigned)n_out : (unsigned)MOST_PER_CALL;
    stream->next_in = *next;
    stream->avail_in = n_given;
    stream->next_out = (unsigned char *)out;
    stream->avail_out = n_room;
    const int answer = inflate(stream, Z_NO_FLUSH);
    *next += n_given - stream->avail_in;
    *n_in -= n_given - stream->avail_in;
    *n_written = n_room - stream->avail_out;
    if (answer == Z_STREAM_END)
        return EM_INFLATE_END;
    if (answer == Z_MEM_ERROR)
        return EM_INFLATE_NO_MEMORY;
    if (answer == Z_OK || answer == Z_BUF_ERROR)
        return EM_INFLATE_MORE;
    const unsigned n_back = (unsigned)(stream->data_type & 63) / 8;
    *next -= n_back;
    *n_in += n_back;
    return EM_INFLATE_CORRUPT;
}

static uint32_t zlib_crc(uint32_t crc, const void *bytes, uint64_t n_bytes)
{
    return (uint32_t)crc32_z(crc, bytes, n_bytes);
}

const em_inflater em_inflater_zlib = {zlib_open, zlib_close, zlib_reset, zlib_run, zlib_crc, true};
