/* pairs - see pairs.h.
 *
 * A regular file is read with pread, each worker its own chunks; a pipe or a compressed file (gzip, zstd) in turns.
 * Writing is the same backwards: any range of arcs has its place in the file.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/pairs.h"
#include "io/arc_feed.h"
#include "io/decoder.h"
#include "io/publish.h"
#include "scan/base/parallel.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- reading -------------------------------------------------------------------------------------- */

typedef struct input {
    const char *path;
    em_input bytes;
    em_decoder *decoder; /* NULL: a regular file, read at offsets */
    uint32_t record_bytes;
    uint64_t n_bytes; /* read so far through the decoder */
} input;

static em_status refuse_size(const input *from, uint64_t n_bytes, em_error *error)
{
    return em_fail_at(error, EM_MALFORMED, n_bytes / from->record_bytes,
                      "%s: %llu bytes are not a multiple of %u, the size of a pair of ids: the last one is cut, or the "
                      "file holds something else",
                      from->path, (unsigned long long)n_bytes, from->record_bytes);
}

static em_status read_at(void *state, uint64_t begin, uint32_t n, void *pairs, void *weights, em_error *error)
{
    const input *from = state;
    (void)weights;
    uint64_t offset = begin * from->record_bytes, left = (uint64_t)n * from->record_bytes;
    for (char *into = pairs; left > 0;) {
        const ssize_t got = pread(from->bytes.fd, into, left, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return em_fail_errno(error, from->path, "read", errno);
        if (got == 0)
            return em_fail(error, EM_ENVIRONMENT, "%s: shrank while it was read: it ends at byte %llu", from->path,
                           (unsigned long long)offset);
        into += got;
        offset += (uint64_t)got;
        left -= (uint64_t)got;
    }
    return EM_OK;
}

static em_status read_next(void *state, uint32_t n, void *pairs, uint32_t *n_got, em_error *error)
{
    input *from = state;
    uint64_t n_bytes = 0;
    em_error why = {0};
    *n_got = 0;
    const em_status status =
        from->decoder->read(from->decoder, pairs, (uint64_t)n * from->record_bytes, &n_bytes, &why);
    if (status != EM_OK)
        return em_fail_at(error, status, (from->n_bytes + n_bytes) / from->record_bytes, "%s", why.message);
    from->n_bytes += n_bytes;
    *n_got = (uint32_t)(n_bytes / from->record_bytes);
    return n_bytes % from->record_bytes ? refuse_size(from, from->n_bytes, error) : EM_OK;
}

static bool ends_with(const char *path, const char *suffix)
{
    const size_t length = strlen(path), tail = strlen(suffix);
    return length > tail && strcmp(path + length - tail, suffix) == 0;
}

/* Any bytes are pairs, so content tells a codec only where the name speaks of one, too. */
static em_status codec_of(input *from, const char *path, em_codec *codec, em_error *error)
{
    *codec = EM_CODEC_PLAIN;
    if (!ends_with(path, ".gz") && !ends_with(path, ".zst"))
        return EM_OK;
    const em_status status = em_input_read_head(&from->bytes, error);
    *codec = em_codec_of_head(from->bytes.head, from->bytes.n_head);
    return status;
}

static em_status open_input(input *from, const char *path, struct stat *facts, em_error *error)
{
    const bool standard = strcmp(path, "-") == 0;
    from->path = em_input_name(path);
    const int file = standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : open(path, O_RDONLY | O_CLOEXEC);
    from->bytes = (em_input){.path = from->path, .fd = file, .wake_fd = -1};
    if (file < 0 || fstat(file, facts) != 0)
        return em_fail_errno(error, from->path, "open", errno);
    if (S_ISDIR(facts->st_mode))
        return em_fail_errno(error, from->path, "open", EISDIR);
    from->bytes.positional = S_ISREG(facts->st_mode) && facts->st_size > 0 && lseek(file, 0, SEEK_CUR) == 0;
    from->bytes.seekable = from->bytes.positional;
    return EM_OK;
}

static em_status read_pairs(em_read_plan *plan, const char *path, uint8_t id_bytes, em_error *error)
{
    input from = {.bytes.fd = -1, .record_bytes = 2 * (uint32_t)id_bytes};
    struct stat facts = {0};
    em_codec codec = EM_CODEC_PLAIN;
    em_status status = open_input(&from, path, &facts, error);
    if (status == EM_OK)
        status = codec_of(&from, path, &codec, error);
    if (status != EM_OK)
        goto done;
    em_arc_feed feed = {.path = from.path,
                        .unit = "record",
                        .id_bytes = id_bytes,
                        .base = plan->options->base,
                        .state = &from,
                        .fill = read_at};
    const uint64_t size = S_ISREG(facts.st_mode) ? (uint64_t)facts.st_size : 0;
    if (codec != EM_CODEC_PLAIN || !from.bytes.positional) {
        status = em_decoder_open(plan->context, &from.bytes, codec, false, &from.decoder, error);
        feed.next = read_next;
    } else if (size % from.record_bytes != 0) {
        status = refuse_size(&from, size, error);
    } else {
        feed.n_arcs = size / from.record_bytes;
    }
    if (status == EM_OK)
        status = em_arc_feed_run(plan, &feed, error);
    if (status == EM_OK)
        plan->report->n_file_bytes += size ? size : em_input_at(&from.bytes);
    if (status == EM_OK && from.decoder && from.decoder->note)
        em_note(plan->report, "%s: %s", from.path, from.decoder->note);
done:
    em_decoder_close(from.decoder);
    if (from.bytes.fd >= 0)
        close(from.bytes.fd);
    return status;
}

em_status em_pairs_u32_read(em_read_plan *plan, const char *path, em_error *error)
{
    return read_pairs(plan, path, 4, error);
}

em_status em_pairs_u64_read(em_read_plan *plan, const char *path, em_error *error)
{
    return read_pairs(plan, path, 8, error);
}

/* --- writing -------------------------------------------------------------------------------------- */

enum { BLOCK_BATCHES = 16, BLOCK_ARCS = BLOCK_BATCHES * EM_BATCH_ARCS, BLOCK_BYTES = BLOCK_ARCS * 16 };

typedef struct writing {
    em_context *context;
    em_output *output;
    em_arc_feed feed;
    uint8_t id_bytes; /* of the file */
    uint64_t next;    /* atomic */
} writing;

/* Arcs [begin, begin + n) into the block, in the width of the file. */
static em_status make_block(const writing *all, uint64_t begin, uint64_t n, char *block, em_error *error)
{
    const uint32_t record_bytes = 2 * (uint32_t)all->id_bytes;
    em_status status = EM_OK;
    for (uint64_t i = 0; status == EM_OK && i < n; i += EM_BATCH_ARCS) {
        const uint32_t portion = (uint32_t)(n - i < EM_BATCH_ARCS ? n - i : EM_BATCH_ARCS);
        char *into = block + i * record_bytes;
        if (all->id_bytes == all->feed.id_bytes) {
            status = all->feed.fill(all->feed.state, begin + i, portion, into, NULL, error);
            continue;
        }
        uint32_t narrow[2 * EM_BATCH_ARCS]; /* 4 bytes in memory, 8 in the file: the reverse is refused before */
        status = all->feed.fill(all->feed.state, begin + i, portion, narrow, NULL, error);
        for (uint32_t k = 0; status == EM_OK && k < 2 * portion; k++)
            ((uint64_t *)into)[k] = narrow[k];
    }
    return status;
}

static em_status write_blocks(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    writing *all = state;
    const uint64_t n_arcs = all->feed.n_arcs;
    const uint32_t record_bytes = 2 * (uint32_t)all->id_bytes;
    void *block = NULL;
    (void)n_workers;
    em_status status = em_allocate(all->context, BLOCK_BYTES, &block, error);
    while (status == EM_OK) {
        const uint64_t begin = __atomic_fetch_add(&all->next, 1, __ATOMIC_RELAXED) * BLOCK_ARCS;
        if (begin >= n_arcs)
            break;
        const uint64_t n = n_arcs - begin < BLOCK_ARCS ? n_arcs - begin : BLOCK_ARCS;
        status = make_block(all, begin, n, block, error);
        if (status == EM_OK && em_output_is_regular(all->output))
            status = em_output_write_at(all->output, block, n * record_bytes, begin * record_bytes, error);
        else if (status == EM_OK)
            status = em_output_write(all->output, block, n * record_bytes, error);
        if (status == EM_OK)
            status = worker == 0 ? em_context_report(all->context, "save", begin, n_arcs, error)
                                 : em_context_check(all->context, error);
    }
    em_free(all->context, block, BLOCK_BYTES);
    return status;
}

static em_status write_pairs(em_context *context, const em_csr *csr, em_output *output, uint8_t id_bytes,
                             em_error *error)
{
    writing all = {
        .context = context, .output = output, .feed = em_csr_feed(csr, em_output_path(output)), .id_bytes = id_bytes};
    const bool regular = em_output_is_regular(output);
    em_status status = regular ? em_output_resize(output, csr->n_arcs * 2 * id_bytes, error) : EM_OK;
    if (status == EM_OK) /* what is not regular is written in order, by one worker */
        status = em_parallel(context, regular && csr->n_arcs > BLOCK_ARCS ? 0 : 1, write_blocks, &all, error);
    return status;
}

em_status em_pairs_u64_can_hold(uint64_t n_vertices, uint64_t n_arcs, em_weight_kind weights, em_error *error)
{
    (void)n_vertices, (void)n_arcs;
    if (weights != EM_WEIGHT_NONE)
        return em_fail(error, EM_USAGE, "pairs of ids hold no weights: leave them out with --weights=none");
    return EM_OK;
}

em_status em_pairs_u32_can_hold(uint64_t n_vertices, uint64_t n_arcs, em_weight_kind weights, em_error *error)
{
    if (n_vertices > UINT64_C(1) << 32)
        return em_fail(error, EM_USAGE, "ids of %llu vertices do not fit in 32 bits: write --to=u64",
                       (unsigned long long)n_vertices);
    return em_pairs_u64_can_hold(n_vertices, n_arcs, weights, error);
}

em_status em_pairs_u32_write(em_context *context, const em_csr *csr, em_output *output, em_error *error)
{
    const em_status status = em_pairs_u32_can_hold(csr->n_vertices, csr->n_arcs, csr->weight_kind, error);
    return status == EM_OK ? write_pairs(context, csr, output, 4, error) : status;
}

em_status em_pairs_u64_write(em_context *context, const em_csr *csr, em_output *output, em_error *error)
{
    const em_status status = em_pairs_u64_can_hold(csr->n_vertices, csr->n_arcs, csr->weight_kind, error);
    return status == EM_OK ? write_pairs(context, csr, output, 8, error) : status;
}
