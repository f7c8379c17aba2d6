/* inflate_zstd - zstd frames, one after another, through libzstd's streaming interface.
 *
 * Frames of any window are accepted (--long=31 needs 2 GiB, which the context's memory limit may refuse). The magic
 * number of each frame is looked at before the library is, so that bytes after the last frame get words of their own.
 *
 * Source: RFC 8878; zstd.h. Cost: one pass, and one copy out of the library's window.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/decoder.h"

#define ZSTD_STATIC_LINKING_ONLY /* for the allocator hooks */
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

enum { LARGEST_WINDOW_LOG = 31, MAGIC_BYTES = 4 };

typedef struct zstd {
    em_decoder decoder;
    ZSTD_DStream *stream;
    unsigned char *next; /* into `block` */
    uint64_t n_in, frame_begin;
    bool input_ended, in_frame;
    unsigned char block[EM_INPUT_BLOCK_BYTES];
} zstd;

static void *zstd_allocate(void *context, size_t n_bytes)
{
    return em_sized_allocate(context, n_bytes);
}

static void zstd_free(void *context, void *memory)
{
    em_sized_free(context, memory);
}

/* Until `n_wanted` bytes are there or the input ended; what is left moves to the front. */
static em_status refill(zstd *own, uint64_t n_wanted, em_error *error)
{
    if (own->n_in < n_wanted) {
        memmove(own->block, own->next, own->n_in);
        own->next = own->block;
    }
    while (own->n_in < n_wanted && !own->input_ended) {
        uint64_t n;
        const em_status status =
            em_input_read(own->decoder.input, own->next + own->n_in, sizeof own->block - own->n_in, &n, error);
        if (status != EM_OK)
            return status;
        own->input_ended = n == 0;
        own->n_in += n;
    }
    return EM_OK;
}

static em_status truncated(const zstd *own, em_error *error)
{
    return em_fail(error, EM_MALFORMED, "%s: truncated zstd: ends at byte %llu within a frame",
                   own->decoder.input->path, (unsigned long long)own->decoder.input->at);
}

static em_status bad_frame(const zstd *own, size_t code, em_error *error)
{
    const char *path = own->decoder.input->path;
    const ZSTD_ErrorCode reason = ZSTD_getErrorCode(code);
    if (reason == ZSTD_error_memory_allocation)
        return em_fail(error, EM_NO_MEMORY, "%s: out of memory: the window of the zstd frame at byte %llu", path,
                       (unsigned long long)own->frame_begin);
    if (reason == ZSTD_error_checksum_wrong)
        return em_fail(error, EM_MALFORMED, "%s: zstd frame at byte %llu: checksum mismatch", path,
                       (unsigned long long)own->frame_begin);
    return em_fail(error, EM_MALFORMED, "%s: corrupt zstd data near byte %llu: %s", path,
                   (unsigned long long)(own->decoder.input->at - own->n_in), ZSTD_getErrorString(reason));
}

/* At a frame's first byte; leaves in_frame false at the end of the input. */
static em_status begin_frame(zstd *own, em_error *error)
{
    const em_status status = refill(own, MAGIC_BYTES, error);
    if (status != EM_OK || own->n_in == 0)
        return status;
    own->frame_begin = own->decoder.input->at - own->n_in;
    if (em_codec_of_head(own->next, (uint32_t)(own->n_in < MAGIC_BYTES ? own->n_in : MAGIC_BYTES)) != EM_CODEC_ZSTD)
        return em_fail(error, EM_MALFORMED, "%s: trailing bytes after the last zstd frame (not zstd) at byte %llu",
                       own->decoder.input->path, (unsigned long long)own->frame_begin);
    own->in_frame = true;
    return EM_OK;
}

static em_status inflate_some(zstd *own, char *into, uint64_t n_bytes, uint64_t *n_written, em_error *error)
{
    const em_status status = refill(own, 1, error);
    if (status != EM_OK)
        return status;
    ZSTD_inBuffer in = {own->next, own->n_in, 0};
    ZSTD_outBuffer out = {into, n_bytes, 0};
    const size_t answer = ZSTD_decompressStream(own->stream, &out, &in);
    own->next += in.pos;
    own->n_in -= in.pos;
    *n_written = out.pos;
    if (ZSTD_isError(answer))
        return bad_frame(own, answer, error);
    own->in_frame = answer != 0;
    if (own->in_frame && in.pos == 0 && out.pos == 0 && own->input_ended)
        return truncated(own, error);
    return EM_OK;
}

static em_status zstd_read(em_decoder *decoder, char *into, uint64_t n_bytes, uint64_t *n_got, em_error *error)
{
    zstd *own = (zstd *)decoder;
    for (*n_got = 0; *n_got < n_bytes;) {
        uint64_t n_written = 0;
        em_status status = EM_OK;
        if (!own->in_frame) {
            status = begin_frame(own, error);
            if (status == EM_OK && !own->in_frame)
                return EM_OK;
        }
        if (status == EM_OK)
            status = inflate_some(own, into + *n_got, n_bytes - *n_got, &n_written, error);
        if (status != EM_OK)
            return status;
        *n_got += n_written;
    }
    return EM_OK;
}

static void zstd_close(em_decoder *decoder)
{
    zstd *own = (zstd *)decoder;
    ZSTD_freeDStream(own->stream);
    em_free(decoder->context, own, sizeof *own);
}

em_status em_zstd_open(em_context *context, em_input *input, em_decoder **decoder, em_error *error)
{
    void *memory;
    const em_status status = em_allocate(context, sizeof(zstd), &memory, error);
    if (status != EM_OK)
        return status;
    zstd *own = memory;
    memset(own, 0, offsetof(zstd, block));
    own->decoder = (em_decoder){.context = context, .input = input, .read = zstd_read, .close = zstd_close};
    own->next = own->block;
    own->stream = ZSTD_createDStream_advanced((ZSTD_customMem){zstd_allocate, zstd_free, context});
    if (!own->stream || ZSTD_isError(ZSTD_DCtx_setParameter(own->stream, ZSTD_d_windowLogMax, LARGEST_WINDOW_LOG))) {
        zstd_close(&own->decoder);
        return em_fail(error, EM_NO_MEMORY, "out of memory: the state of zstd");
    }
    *decoder = &own->decoder;
    return EM_OK;
}
