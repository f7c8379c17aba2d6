/* formats - which format a file has, or is to get: by name, content, suffix.
 *
 * Content is looked at only where looking takes nothing away: a pipe is told by its name alone. gzip and zstd are
 * looked into, since their names say nothing of what is inside.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/csr_file.h"
#include "io/csr_open.h"
#include "io/edge_text.h"
#include "io/edge_text_write.h"
#include "io/matrix_market.h"
#include "io/npz.h"
#include "io/pairs.h"
#include "io/shard_manifest.h"
#include "io/zip.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

/* --- content -------------------------------------------------------------------------------------- */

static bool begins(const unsigned char *head, size_t n_bytes, const char *word)
{
    const size_t length = strlen(word);
    return n_bytes >= length && strncasecmp((const char *)head, word, length) == 0;
}

static bool is_konect(const unsigned char *head, size_t n_bytes)
{
    return begins(head, n_bytes, "% sym ") || begins(head, n_bytes, "% asym ") || begins(head, n_bytes, "% bip ");
}

static bool is_ligra(const unsigned char *head, size_t n_bytes)
{
    return begins(head, n_bytes, "AdjacencyGraph") || begins(head, n_bytes, "WeightedAdjacencyGraph");
}

static bool is_pigo(const unsigned char *head, size_t n_bytes)
{
    return begins(head, n_bytes, "PIGO-COO-v") || begins(head, n_bytes, "PIGO-CSR-v") ||
           begins(head, n_bytes, "PIGO-DiGraph-v");
}

/* --- the list ------------------------------------------------------------------------------------- */

#define FORMAT(name, summary, suffixes, detect, read, open_csr, write, can_hold, keeps_n, shards)                      \
    {#name, summary, suffixes, detect, read, open_csr, write, can_hold, keeps_n, shards},
static const em_format FORMATS[] = {
#include "io/format_list.inc"
};
#define FORMAT(name, ...) AT_##name,
enum {
#include "io/format_list.inc"
    N_FORMATS
};
#define FORMAT(name, ...) &FORMATS[AT_##name],
static const em_format *const POINTERS[] = {
#include "io/format_list.inc"
};

typedef struct planned {
    const char *name, *suffixes;
    bool (*detect)(const unsigned char *head, size_t n_bytes);
} planned;
#define PLANNED(name, suffixes, detect) {name, suffixes, detect},
static const planned PLANNED_FORMATS[] = {
#include "io/format_list.inc"
    {"", "", NULL},
};
enum { N_PLANNED = sizeof PLANNED_FORMATS / sizeof *PLANNED_FORMATS - 1 };

typedef struct shared {
    const char *suffix, *advice;
} shared;
#define SHARED(suffix, advice) {suffix, advice},
static const shared SHARED_SUFFIXES[] = {
#include "io/format_list.inc"
    {"", ""},
};
enum { N_SHARED = sizeof SHARED_SUFFIXES / sizeof *SHARED_SUFFIXES - 1 };

size_t em_formats(const em_format *const **formats)
{
    *formats = POINTERS;
    return N_FORMATS;
}

const em_format *em_format_by_name(const char *name)
{
    for (size_t i = 0; i < N_FORMATS; i++)
        if (strcmp(FORMATS[i].name, name) == 0)
            return &FORMATS[i];
    return NULL;
}

/* --- suffixes ------------------------------------------------------------------------------------- */

typedef struct suffix {
    const char *at; /* the dot; NULL: none */
    size_t length;
    bool compressed; /* .gz or .zst came behind it */
} suffix;

static bool is(const char *at, size_t length, const char *word)
{
    return strlen(word) == length && strncasecmp(at, word, length) == 0;
}

static suffix suffix_of(const char *path)
{
    suffix found = {0};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *end = name + strlen(name);
    for (;;) {
        const char *dot = end;
        do {
            if (dot == name)
                return (suffix){.compressed = found.compressed};
            dot--;
        } while (*dot != '.');
        found.at = dot;
        found.length = (size_t)(end - dot);
        if (found.compressed || !(is(dot, found.length, ".gz") || is(dot, found.length, ".zst")))
            return found;
        found.compressed = true;
        end = dot;
    }
}

static bool lists(const char *suffixes, suffix wanted)
{
    for (const char *at = suffixes; wanted.at && *at;) {
        const size_t length = strcspn(at, " ");
        if (length == wanted.length && strncasecmp(at, wanted.at, length) == 0)
            return true;
        at += length + (at[length] == ' ');
    }
    return false;
}

const em_format *em_format_by_suffix(const char *path)
{
    const suffix wanted = suffix_of(path);
    for (size_t i = 0; i < N_FORMATS; i++)
        if (lists(FORMATS[i].suffixes, wanted))
            return &FORMATS[i];
    return NULL;
}

/* EM_USAGE where the suffix belongs to formats that are shared or not built; `option` is what to name them with. */
static em_status refuse_suffix(const char *path, const char *option, em_error *error)
{
    const suffix found = suffix_of(path);
    for (size_t i = 0; i < N_SHARED; i++)
        if (lists(SHARED_SUFFIXES[i].suffix, found))
            return em_fail(error, EM_USAGE, "%s: two formats have the suffix %s; %s (%s=dimacs or %s=galois)", path,
                           SHARED_SUFFIXES[i].suffix, SHARED_SUFFIXES[i].advice, option, option);
    for (size_t i = 0; i < N_PLANNED; i++)
        if (lists(PLANNED_FORMATS[i].suffixes, found))
            return em_fail(error, EM_USAGE, "%s: format %s is not built yet (another one can be named with %s)", path,
                           PLANNED_FORMATS[i].name, option);
    return EM_OK;
}

static em_status by_name(const char *name, const em_format **format, em_error *error)
{
    *format = em_format_by_name(name);
    if (*format)
        return EM_OK;
    for (size_t i = 0; i < N_PLANNED; i++)
        if (strcmp(PLANNED_FORMATS[i].name, name) == 0)
            return em_fail(error, EM_USAGE, "format %s is not built yet", name);
    return em_fail(error, EM_USAGE, "unknown format %s; see 'edgemill formats'", name);
}

/* --- inputs --------------------------------------------------------------------------------------- */

enum { HEAD_BYTES = 4096 };

typedef struct head {
    unsigned char bytes[HEAD_BYTES];
    size_t n_bytes;
} head;

static void inflate_head(const head *from, head *into)
{
    z_stream stream = {.next_in = (unsigned char *)from->bytes,
                       .avail_in = (uInt)from->n_bytes,
                       .next_out = into->bytes,
                       .avail_out = HEAD_BYTES};
    if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK)
        return;
    inflate(&stream, Z_SYNC_FLUSH); /* however it ends: what came out is the head */
    into->n_bytes = HEAD_BYTES - stream.avail_out;
    inflateEnd(&stream);
}

static void unpack_head(const head *from, head *into)
{
    ZSTD_DStream *stream = ZSTD_createDStream();
    ZSTD_inBuffer in = {from->bytes, from->n_bytes, 0};
    ZSTD_outBuffer out = {into->bytes, HEAD_BYTES, 0};
    while (stream && in.pos < in.size && out.pos < out.size && !ZSTD_isError(ZSTD_decompressStream(stream, &out, &in)))
        ;
    into->n_bytes = out.pos;
    ZSTD_freeDStream(stream);
}

/* The first bytes of a regular file, unpacked; none of anything else. */
static em_status read_head(const char *path, head *into, em_error *error)
{
    struct stat facts;
    head raw = {.n_bytes = 0};
    into->n_bytes = 0;
    if (strcmp(path, "-") == 0)
        return EM_OK;
    if (stat(path, &facts) != 0)
        return em_fail_errno(error, path, "open", errno);
    if (S_ISDIR(facts.st_mode))
        return em_fail_errno(error, path, "open", EISDIR);
    if (!S_ISREG(facts.st_mode))
        return EM_OK;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return em_fail_errno(error, path, "open", errno);
    while (raw.n_bytes < HEAD_BYTES) {
        const ssize_t got = pread(file, raw.bytes + raw.n_bytes, HEAD_BYTES - raw.n_bytes, (off_t)raw.n_bytes);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        raw.n_bytes += (size_t)got;
    }
    close(file);
    static const unsigned char gzip[] = {0x1f, 0x8b, 8}, zstd[] = {0x28, 0xb5, 0x2f, 0xfd};
    if (raw.n_bytes > sizeof zstd && memcmp(raw.bytes, gzip, sizeof gzip) == 0)
        inflate_head(&raw, into);
    else if (raw.n_bytes > sizeof zstd && memcmp(raw.bytes, zstd, sizeof zstd) == 0)
        unpack_head(&raw, into);
    else
        *into = raw;
    return EM_OK;
}

static em_status by_content(const char *path, const head *content, const em_format **format, em_error *error)
{
    *format = NULL;
    for (size_t i = 0; i < N_FORMATS && content->n_bytes; i++)
        if (FORMATS[i].detect && FORMATS[i].detect(content->bytes, content->n_bytes)) {
            *format = &FORMATS[i];
            return EM_OK;
        }
    for (size_t i = 0; i < N_PLANNED && content->n_bytes; i++)
        if (PLANNED_FORMATS[i].detect && PLANNED_FORMATS[i].detect(content->bytes, content->n_bytes))
            return em_fail(error, EM_USAGE, "%s: format %s is not built yet (another one can be named with --from)",
                           path, PLANNED_FORMATS[i].name);
    return EM_OK;
}

em_status em_format_of_input(em_context *context, const char *path, const char *from, const em_format **format,
                             em_error *error)
{
    head content;
    (void)context;
    *format = NULL;
    if (from)
        return by_name(from, format, error);
    em_status status = read_head(path, &content, error);
    if (status == EM_OK)
        status = by_content(path, &content, format, error);
    if (status != EM_OK || *format)
        return status;
    *format = em_format_by_suffix(path);
    if (!*format)
        status = refuse_suffix(path, "--from", error);
    if (status == EM_OK && !*format)
        *format = em_format_by_name("el");
    return status;
}

/* --- outputs -------------------------------------------------------------------------------------- */

em_status em_format_of_output(const char *path, const char *to, const em_format **format, em_error *error)
{
    const suffix found = suffix_of(path);
    em_status status = EM_OK;
    *format = NULL;
    if (to) {
        status = by_name(to, format, error);
    } else if (strcmp(path, "-") == 0) {
        return em_fail(error, EM_USAGE, "standard output has no suffix: name its format with --to");
    } else {
        *format = em_format_by_suffix(path);
        if (!*format)
            status = refuse_suffix(path, "--to", error);
        if (status == EM_OK && !*format && found.at)
            return em_fail(error, EM_USAGE, "%s: no format has the suffix %.*s; name one with --to", path,
                           (int)found.length, found.at);
        if (status == EM_OK && !*format)
            return em_fail(error, EM_USAGE, "%s: has no suffix; name its format with --to", path);
    }
    if (status != EM_OK || !*format)
        return status;
    if (found.compressed)
        return em_fail(error, EM_USAGE, "%s: compressed output is not written; write it plain and compress the file",
                       path);
    if (!(*format)->write)
        return em_fail(error, EM_USAGE, "%s: format %s is read, not written", path, (*format)->name);
    return EM_OK;
}
