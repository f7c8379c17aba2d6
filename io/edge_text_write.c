/* edge_text_write - see edge_text_write.h.
 *
 * Chunks of arcs are formatted and written side by side (text_chunks.h). The digits of a row's source are made once a
 * row.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/edge_text_write.h"
#include "io/arc_feed.h"
#include "io/decimal.h"
#include "io/publish.h"
#include "io/text_chunks.h"

#include <math.h>
#include <string.h>
#include <strings.h>

enum { CHUNK_ARCS = 4 * EM_BATCH_ARCS, LINE_BYTES = 2 * (EM_U64_DIGITS + 1) + EM_F64_DIGITS + 1 };

typedef struct writing {
    em_output *output;
    em_arc_feed feed;
    em_powers_of_ten *powers; /* NULL where no floats are */
    char separator;
    uint64_t base; /* added to every id */
} writing;

typedef struct arcs {
    uint64_t pairs[2 * EM_BATCH_ARCS], weights[EM_BATCH_ARCS];
} arcs;

static em_status refuse_weight(const writing *all, uint64_t arc, em_error *error)
{
    return em_fail_at(error, EM_USAGE, arc, "%s: the weight of arc %llu is not finite; text cannot hold it",
                      em_output_path(all->output), (unsigned long long)arc);
}

/* NULL: not finite. */
static char *put_weight(char *into, const writing *all, const void *weights, uint32_t index)
{
    switch (all->feed.weight_kind) {
    case EM_WEIGHT_I32:
        return em_put_i64(into, ((const int32_t *)weights)[index]);
    case EM_WEIGHT_I64:
        return em_put_i64(into, ((const int64_t *)weights)[index]);
    case EM_WEIGHT_F32: {
        const float weight = ((const float *)weights)[index];
        return isfinite(weight) ? em_put_f32(into, weight, all->powers) : NULL;
    }
    default: {
        const double weight = ((const double *)weights)[index];
        return isfinite(weight) ? em_put_f64(into, weight, all->powers) : NULL;
    }
    }
}

/* Lines of n arcs at `text`; *end is behind the last. */
static em_status put_lines(const writing *all, uint64_t begin, uint32_t n, const arcs *from, char *text, char **end,
                           em_error *error)
{
    const uint8_t id_bytes = all->feed.id_bytes;
    char source_text[EM_U64_DIGITS + 1];
    size_t source_length = 0;
    uint64_t before = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t source = em_id_at(from->pairs, id_bytes, 2 * (uint64_t)i);
        if (source != before || source_length == 0) {
            char *after = em_put_u64(source_text, source + all->base);
            *after++ = all->separator;
            source_length = (size_t)(after - source_text);
            before = source;
        }
        memcpy(text, source_text, sizeof source_text); /* a fixed length is one move; the rest is written over */
        text = em_put_u64(text + source_length, em_id_at(from->pairs, id_bytes, 2 * (uint64_t)i + 1) + all->base);
        if (all->feed.weight_kind != EM_WEIGHT_NONE) {
            *text++ = all->separator;
            text = put_weight(text, all, from->weights, i);
            if (!text)
                return refuse_weight(all, begin + i, error);
        }
        *text++ = '\n';
    }
    *end = text;
    return EM_OK;
}

static uint64_t most_bytes(const void *state, uint64_t begin, uint64_t end)
{
    (void)state;
    return (end - begin) * LINE_BYTES + EM_U64_DIGITS; /* a source is copied with all its room */
}

static em_status put_chunk(const void *state, uint64_t begin, uint64_t end, void *scratch, char *text, char **text_end,
                           em_error *error)
{
    const writing *const all = state;
    arcs *const room = scratch;
    em_status status = EM_OK;
    *text_end = text;
    while (status == EM_OK && begin < end) {
        const uint32_t n = (uint32_t)(end - begin < EM_BATCH_ARCS ? end - begin : EM_BATCH_ARCS);
        void *weights = all->feed.weight_kind != EM_WEIGHT_NONE ? room->weights : NULL;
        status = all->feed.fill(all->feed.state, begin, n, room->pairs, weights, error);
        if (status == EM_OK)
            status = put_lines(all, begin, n, room, *text_end, text_end, error);
        begin += n;
    }
    return status;
}

em_status em_text_lines_write(em_context *context, const em_csr *csr, em_output *output, char separator, uint32_t base,
                              const char *header, em_error *error)
{
    writing all = {
        .output = output, .feed = em_csr_feed(csr, em_output_path(output)), .separator = separator, .base = base};
    const em_text_chunks chunks = {.n_items = csr->n_arcs,
                                   .chunk_items = em_knob(em_context_knobs(context)->chunk_bytes / 16, CHUNK_ARCS),
                                   .scratch_bytes = sizeof(arcs),
                                   .state = &all,
                                   .most_bytes = most_bytes,
                                   .put = put_chunk};
    em_status status = *header ? em_output_write(output, header, strlen(header), error) : EM_OK;
    if (status == EM_OK && (csr->weight_kind == EM_WEIGHT_F32 || csr->weight_kind == EM_WEIGHT_F64))
        status = em_powers_of_ten_make(context, &all.powers, error);
    if (status == EM_OK)
        status = em_text_chunks_write(context, &chunks, output, error);
    em_powers_of_ten_free(context, all.powers);
    return status;
}

static bool ends_with(const char *path, const char *suffix)
{
    const size_t length = strlen(path), tail = strlen(suffix);
    return length >= tail && strcasecmp(path + length - tail, suffix) == 0;
}

em_status em_edge_text_write(em_context *context, const em_csr *csr, em_output *output, em_error *error)
{
    const char *path = em_output_path(output);
    const char separator = ends_with(path, ".tsv") ? '\t' : ends_with(path, ".csv") ? ',' : ' ';
    return em_text_lines_write(context, csr, output, separator, 0, "", error);
}

em_status em_edge_csv_write(em_context *context, const em_csr *csr, em_output *output, em_error *error)
{
    return em_text_lines_write(context, csr, output, ',', 0, "", error);
}
