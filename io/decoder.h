/* decoder - the bytes of a file or pipe in order, inflated on the way; not installed.
 *
 * em_input reads, em_decoder turns what it read into text. One thread at a time uses a decoder.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_IO_DECODER_H
#define EM_IO_DECODER_H

#include "scan/base/context.h"

enum {
    EM_INPUT_HEAD_BYTES = 4,           /* enough to tell gzip, zstd and text apart */
    EM_INPUT_BLOCK_BYTES = 256 * 1024, /* compressed bytes read at a time */
    EM_INPUT_HEADROOM_BYTES = 64       /* before such a block: a decoder may put back what it took from the last one */
};

/* Bytes on disk or from a pipe, in order. */
typedef struct em_input {
    const char *path; /* for messages */
    int fd;
    int wake_fd;     /* a byte to read here ends a read that blocks; -1: none */
    const int *stop; /* NULL, or atomic: not 0 once reading is to end */
    bool seekable;   /* a decoder may go back through a positional copy of this input */
    bool positional; /* pread at `at`: leaves the file offset alone */
    uint64_t at;     /* offset of the next byte; other threads may look with em_input_at */
    uint32_t n_head, head_used;
    unsigned char head[EM_INPUT_HEAD_BYTES]; /* read to tell the codec, delivered first */
} em_input;

/* What messages call an input: "standard input" for "-", else the path itself. */
const char *em_input_name(const char *path);

/* Between 1 and n_bytes bytes; 0 at the end. EM_CANCELLED once woken or stopped. */
em_status em_input_read(em_input *input, void *into, uint64_t n_bytes, uint64_t *n_got, em_error *error);
/* Reads the head, waiting for it; a shorter one is the whole input. */
em_status em_input_read_head(em_input *input, em_error *error);
uint64_t em_input_at(const em_input *input);

typedef enum em_codec { EM_CODEC_PLAIN = 0, EM_CODEC_GZIP, EM_CODEC_ZSTD } em_codec;

/* Told by content: 1f 8b is gzip; a zstd or skippable frame's magic number (or all that is there of one) is zstd. */
em_codec em_codec_of_head(const unsigned char *head, uint32_t n_bytes);

/* What a codec provides: `read` fills n_bytes, fewer only at the end of the text. */
typedef struct em_decoder em_decoder;
struct em_decoder {
    em_context *context;
    em_input *input;
    em_status (*read)(em_decoder *decoder, char *into, uint64_t n_bytes, uint64_t *n_got, em_error *error);
    void (*close)(em_decoder *decoder);
    /* NULL, or to be called before text that `read` gave out is changed or freed; only where `share` was called. */
    void (*release)(em_decoder *decoder, const void *memory, uint64_t n_bytes);
    void (*share)(em_decoder *decoder); /* NULL, or: from now on the caller calls `release` */
    const char *note;                   /* NULL, or a remark once the end was reached */
};

/* `reference`: inflate with zlib although a faster library is there. The input outlives the decoder. */
em_status em_decoder_open(em_context *context, em_input *input, em_codec codec, bool reference, em_decoder **decoder,
                          em_error *error);
void em_decoder_close(em_decoder *decoder); /* NULL is fine */

em_status em_gzip_open(em_context *context, em_input *input, bool reference, em_decoder **decoder, em_error *error);
em_status em_zstd_open(em_context *context, em_input *input, em_decoder **decoder, em_error *error);

/* --- raw deflate, once per library ---------------------------------------------------------------- */

typedef enum em_inflated { EM_INFLATE_MORE, EM_INFLATE_END, EM_INFLATE_CORRUPT, EM_INFLATE_NO_MEMORY } em_inflated;

typedef struct em_inflater {
    em_status (*open)(em_context *context, void **state, em_error *error);
    void (*close)(em_context *context, void *state);
    void (*reset)(void *state); /* at the first byte of a member's deflate stream */
    /* Takes from *next (n_in bytes, counted down) and writes at `out` (n_out > 0). At the end and where the data is
     * corrupt, bytes taken but not needed are put back, if need be into the headroom before the block. */
    em_inflated (*run)(void *state, unsigned char **next, uint64_t *n_in, char *out, uint64_t n_out,
                       uint64_t *n_written);
    uint32_t (*crc)(uint32_t crc, const void *bytes, uint64_t n_bytes);
    bool slow_crc; /* slow enough beside inflating that another thread should sum */
} em_inflater;

extern const em_inflater em_inflater_zlib;
extern const em_inflater em_inflater_isal; /* only with EM_HAVE_ISAL */

/* For libraries that free without telling the size: the context's allocator with the size kept in front. */
void *em_sized_allocate(em_context *context, uint64_t n_bytes);
void em_sized_free(em_context *context, void *memory);

#endif
