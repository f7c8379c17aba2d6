/* decoder - raw input: reads that can be woken, the codec told by content, and the decoder that changes nothing.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/decoder.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

enum { MOST_PER_READ = 1 << 30 }; /* Linux reads at most 2 GiB - 4 KiB at a time */

/* --- input --------------------------------------------------------------------------------------- */

const char *em_input_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

uint64_t em_input_at(const em_input *input)
{
    return __atomic_load_n(&input->at, __ATOMIC_RELAXED);
}

static void advance(em_input *input, uint64_t n_bytes)
{
    __atomic_store_n(&input->at, input->at + n_bytes, __ATOMIC_RELAXED);
}

static em_status stopped(const em_input *input, em_error *error)
{
    return em_fail(error, EM_CANCELLED, "%s: reading was stopped", input->path);
}

/* Waits until the descriptor has something to say. A pipe may stay silent for ever, so the wait also listens to the
 * wake-up pipe. */
static em_status await(const em_input *input, em_error *error)
{
    struct pollfd both[2] = {{.fd = input->fd, .events = POLLIN}, {.fd = input->wake_fd, .events = POLLIN}};
    for (;;) {
        if (poll(both, input->wake_fd >= 0 ? 2 : 1, -1) < 0) {
            if (errno == EINTR)
                continue;
            return em_fail_errno(error, input->path, "cannot wait for input", errno);
        }
        if (input->wake_fd >= 0 && both[1].revents)
            return stopped(input, error);
        if (both[0].revents)
            return EM_OK;
    }
}

em_status em_input_read(em_input *input, void *into, uint64_t n_bytes, uint64_t *n_got, em_error *error)
{
    *n_got = 0;
    if (input->head_used < input->n_head) {
        const uint32_t n_left = input->n_head - input->head_used;
        const uint32_t n = n_bytes < n_left ? (uint32_t)n_bytes : n_left;
        memcpy(into, input->head + input->head_used, n);
        input->head_used += n;
        advance(input, n);
        *n_got = n;
        return EM_OK;
    }
    if (input->stop && __atomic_load_n(input->stop, __ATOMIC_RELAXED))
        return stopped(input, error);
    if (n_bytes > MOST_PER_READ)
        n_bytes = MOST_PER_READ;
    for (;;) {
        if (!input->positional) {
            const em_status status = await(input, error);
            if (status != EM_OK)
                return status;
        }
        const ssize_t n =
            input->positional ? pread(input->fd, into, n_bytes, (off_t)input->at) : read(input->fd, into, n_bytes);
        if (n >= 0) {
            advance(input, (uint64_t)n);
            *n_got = (uint64_t)n;
            return EM_OK;
        }
        if (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK)
            return em_fail_errno(error, input->path, "cannot read", errno);
    }
}

em_status em_input_read_head(em_input *input, em_error *error)
{
    unsigned char head[EM_INPUT_HEAD_BYTES] = {0};
    uint32_t n_head = 0;
    while (n_head < sizeof head) {
        uint64_t n;
        const em_status status = em_input_read(input, head + n_head, sizeof head - n_head, &n, error);
        if (status != EM_OK)
            return status;
        if (n == 0)
            break;
        n_head += (uint32_t)n;
    }
    memcpy(input->head, head, n_head);
    input->n_head = n_head;
    input->head_used = 0;
    __atomic_store_n(&input->at, input->at - n_head, __ATOMIC_RELAXED); /* not delivered yet */
    return EM_OK;
}

/* --- codecs -------------------------------------------------------------------------------------- */

em_codec em_codec_of_head(const unsigned char *head, uint32_t n_bytes)
{
    static const unsigned char zstd[4] = {0x28, 0xb5, 0x2f, 0xfd}, skippable[4] = {0x50, 0x2a, 0x4d, 0x18};
    if (n_bytes >= 2 && head[0] == 0x1f && head[1] == 0x8b)
        return EM_CODEC_GZIP;
    const uint32_t n = n_bytes < 4 ? n_bytes : 4;
    if (n >= 2 && memcmp(head, zstd, n) == 0)
        return EM_CODEC_ZSTD;
    if (n == 4 && (head[0] & 0xf0) == skippable[0] && memcmp(head + 1, skippable + 1, 3) == 0)
        return EM_CODEC_ZSTD;
    return EM_CODEC_PLAIN;
}

static em_status plain_read(em_decoder *decoder, char *into, uint64_t n_bytes, uint64_t *n_got, em_error *error)
{
    for (*n_got = 0; *n_got < n_bytes;) {
        uint64_t n;
        const em_status status = em_input_read(decoder->input, into + *n_got, n_bytes - *n_got, &n, error);
        if (status != EM_OK)
            return status;
        if (n == 0)
            break;
        *n_got += n;
    }
    return EM_OK;
}

static void plain_close(em_decoder *decoder)
{
    em_free(decoder->context, decoder, sizeof *decoder);
}

em_status em_decoder_open(em_context *context, em_input *input, em_codec codec, bool reference, em_decoder **decoder,
                          em_error *error)
{
    *decoder = NULL;
    if (codec == EM_CODEC_GZIP)
        return em_gzip_open(context, input, reference, decoder, error);
    if (codec == EM_CODEC_ZSTD)
        return em_zstd_open(context, input, decoder, error);
    void *memory;
    const em_status status = em_allocate(context, sizeof **decoder, &memory, error);
    if (status != EM_OK)
        return status;
    *decoder = memory;
    **decoder = (em_decoder){.context = context, .input = input, .read = plain_read, .close = plain_close};
    return EM_OK;
}

void em_decoder_close(em_decoder *decoder)
{
    if (decoder)
        decoder->close(decoder);
}

/* --- memory for libraries ------------------------------------------------------------------------ */

enum { PREFIX_BYTES = 64 }; /* keeps the allocator's alignment */

void *em_sized_allocate(em_context *context, uint64_t n_bytes)
{
    void *memory;
    if (n_bytes > UINT64_MAX - PREFIX_BYTES || em_allocate(context, n_bytes + PREFIX_BYTES, &memory, NULL) != EM_OK)
        return NULL;
    *(uint64_t *)memory = n_bytes + PREFIX_BYTES;
    return (char *)memory + PREFIX_BYTES;
}

void em_sized_free(em_context *context, void *memory)
{
    if (!memory)
        return;
    char *start = (char *)memory - PREFIX_BYTES;
    em_free(context, start, *(uint64_t *)(void *)start);
}
