/* lines - an input as inflated bytes and as lines: plain, gzip (any number of members) or zstd, told by content.
 *
 * zlib's gzread hands plain files through as they are, so one call serves two of the three. Spec: RFC 1952, RFC 8878.
 * Cost: one pass, one copy.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/judge/judge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

enum { BLOCK_BYTES = 1 << 17 };

struct lines {
    const char *path;
    gzFile gzip;
    ZSTD_DStream *zstd;
    ZSTD_inBuffer packed;
    size_t zstd_wants; /* what ZSTD_decompressStream answered last; 0 between frames */
    int file;
    char *block;
    size_t block_at, block_end;
    char *line;
    size_t line_capacity;
    uint64_t number;
};

/* A standard frame, or a skippable one. */
static bool is_zstd(const unsigned char *head, ssize_t n)
{
    return n >= 4 && ((head[0] == 0x28 && head[1] == 0xb5 && head[2] == 0x2f && head[3] == 0xfd) ||
                      (head[0] >> 4 == 5 && head[1] == 0x2a && head[2] == 0x4d && head[3] == 0x18));
}

struct lines *lines_open(const char *path, int file)
{
    unsigned char head[4];
    ssize_t n = pread(file, head, sizeof head, 0);
    if (n < 0 || lseek(file, 0, SEEK_SET) != 0)
        fail(EXIT_ENVIRONMENT, "%s: read: %s", path, strerror(errno));
    struct lines *lines = allocate(1, sizeof *lines);
    lines->path = path;
    lines->block = allocate(BLOCK_BYTES, 1);
    lines->file = dup(file);
    if (lines->file < 0)
        fail(EXIT_ENVIRONMENT, "%s: dup: %s", path, strerror(errno));
    if (is_zstd(head, n)) {
        lines->zstd = ZSTD_createDStream();
        lines->packed.src = allocate(BLOCK_BYTES, 1);
        ZSTD_DCtx_setParameter(lines->zstd, ZSTD_d_windowLogMax, 31);
    } else if ((lines->gzip = gzdopen(lines->file, "rb")) == NULL) {
        fail(EXIT_ENVIRONMENT, "%s: no memory to inflate", path);
    }
    return lines;
}

void lines_close(struct lines *lines)
{
    if (lines->zstd) {
        ZSTD_freeDStream(lines->zstd);
        free((void *)lines->packed.src);
        close(lines->file);
    } else {
        gzclose_r(lines->gzip);
    }
    free(lines->block);
    free(lines->line);
    free(lines);
}

static size_t read_gzip(struct lines *lines)
{
    int got = gzread(lines->gzip, lines->block, BLOCK_BYTES), code = Z_OK;
    const char *why = gzerror(lines->gzip, &code);
    if (got < 0 || (code != Z_OK && code != Z_STREAM_END))
        fail(code == Z_ERRNO ? EXIT_ENVIRONMENT : EXIT_MALFORMED, "%s: gzip: %s", lines->path,
             code == Z_ERRNO ? strerror(errno) : why + (strstr(why, ">: ") ? strstr(why, ">: ") - why + 3 : 0));
    return (size_t)got;
}

static size_t read_zstd(struct lines *lines)
{
    ZSTD_outBuffer out = {lines->block, BLOCK_BYTES, 0};
    while (out.pos == 0) {
        if (lines->packed.pos == lines->packed.size) {
            ssize_t got = read(lines->file, (void *)lines->packed.src, BLOCK_BYTES);
            if (got < 0)
                fail(EXIT_ENVIRONMENT, "%s: read: %s", lines->path, strerror(errno));
            if (got == 0) {
                if (lines->zstd_wants)
                    fail(EXIT_MALFORMED, "%s: truncated zstd", lines->path);
                return 0;
            }
            lines->packed.size = (size_t)got;
            lines->packed.pos = 0;
        }
        lines->zstd_wants = ZSTD_decompressStream(lines->zstd, &out, &lines->packed);
        if (ZSTD_isError(lines->zstd_wants))
            fail(EXIT_MALFORMED, "%s: %s", lines->path, ZSTD_getErrorName(lines->zstd_wants));
    }
    return out.pos;
}

static bool refill(struct lines *lines)
{
    lines->block_at = 0;
    lines->block_end = lines->zstd ? read_zstd(lines) : read_gzip(lines);
    return lines->block_end > 0;
}

size_t lines_read(struct lines *lines, void *into, size_t n_bytes)
{
    size_t done = 0;
    while (done < n_bytes && (lines->block_at < lines->block_end || refill(lines))) {
        size_t n = lines->block_end - lines->block_at;
        n = n < n_bytes - done ? n : n_bytes - done;
        memcpy((char *)into + done, lines->block + lines->block_at, n);
        lines->block_at += n;
        done += n;
    }
    return done;
}

bool lines_next(struct lines *lines, char **line, size_t *n_bytes)
{
    size_t length = 0;
    bool ended = false;
    while (!ended && (lines->block_at < lines->block_end || refill(lines))) {
        const char *from = lines->block + lines->block_at;
        const char *newline = memchr(from, '\n', lines->block_end - lines->block_at);
        size_t n = newline ? (size_t)(newline - from) : lines->block_end - lines->block_at;
        if (length + n + 1 > lines->line_capacity) {
            lines->line_capacity = 2 * (length + n + 1);
            lines->line = grow(lines->line, lines->line_capacity, 1);
        }
        memcpy(lines->line + length, from, n);
        length += n;
        lines->block_at += n + (newline != NULL);
        ended = newline != NULL;
    }
    if (!ended && length == 0)
        return false;
    lines->line[length] = '\0';
    lines->number++;
    *line = lines->line;
    *n_bytes = length;
    return true;
}

uint64_t lines_number(const struct lines *lines)
{
    return lines->number;
}
