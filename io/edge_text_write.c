/* edge_text_write - see edge_text_write.h.
 *
 * Workers format chunks of arcs into buffers of their own, side by side. How long a chunk is, is known when it is done,
 * so they pass the file position on in the order of the chunks and then write side by side: memory is one buffer a
 * worker. The digits of a row's source are made once a row.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/edge_text_write.h"
#include "io/arc_feed.h"
#include "io/decimal.h"
#include "io/publish.h"
#include "scan/base/parallel.h"

#include <math.h>
#include <pthread.h>
#include <string.h>
#include <strings.h>

enum { CHUNK_ARCS = 4 * EM_BATCH_ARCS, LINE_BYTES = 2 * (EM_U64_DIGITS + 1) + EM_F64_DIGITS + 1 };

typedef struct writing {
    em_context *context;
    em_output *output;
    em_arc_feed feed;
    em_powers_of_ten *powers; /* NULL where no floats are */
    char separator;
    uint64_t base;                       /* added to every id */
    uint64_t chunk_arcs, n_chunks, next; /* next: atomic */
    pthread_mutex_t lock;                /* guards what follows */
    pthread_cond_t moved;
    uint64_t turn, position; /* the chunk whose place is known, and its place */
    bool failed;
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

static em_status put_chunk(const writing *all, uint64_t begin, uint64_t stop, arcs *room, char *text, char **end,
                           em_error *error)
{
    em_status status = EM_OK;
    *end = text;
    while (status == EM_OK && begin < stop) {
        const uint32_t n = (uint32_t)(stop - begin < EM_BATCH_ARCS ? stop - begin : EM_BATCH_ARCS);
        void *weights = all->feed.weight_kind != EM_WEIGHT_NONE ? room->weights : NULL;
        status = all->feed.fill(all->feed.state, begin, n, room->pairs, weights, error);
        if (status == EM_OK)
            status = put_lines(all, begin, n, room, *end, end, error);
        begin += n;
    }
    return status;
}

/* Waits until the place of this chunk is known. Chunks are taken in order, so the ones before are in the hands of
 * workers that run. Returns false once another worker failed. */
static bool wait_for_turn(writing *all, uint64_t chunk)
{
    pthread_mutex_lock(&all->lock);
    while (all->turn != chunk && !all->failed)
        pthread_cond_wait(&all->moved, &all->lock);
    const bool failed = all->failed;
    pthread_mutex_unlock(&all->lock);
    return !failed;
}

static void end_turn(writing *all, uint64_t n_bytes, bool failed)
{
    pthread_mutex_lock(&all->lock);
    all->turn++;
    all->position += n_bytes;
    all->failed |= failed;
    pthread_cond_broadcast(&all->moved);
    pthread_mutex_unlock(&all->lock);
}

/* Nobody takes or waits for another chunk. Whose turn it is stays: that worker may be writing. */
static void give_up(writing *all)
{
    __atomic_store_n(&all->next, all->n_chunks, __ATOMIC_RELAXED);
    pthread_mutex_lock(&all->lock);
    all->failed = true;
    pthread_cond_broadcast(&all->moved);
    pthread_mutex_unlock(&all->lock);
}

static em_status write_chunk(writing *all, uint64_t chunk, const char *text, uint64_t n_bytes, em_error *error)
{
    if (!wait_for_turn(all, chunk))
        return EM_OK; /* the other's error is told */
    if (em_output_is_regular(all->output)) {
        const uint64_t position = all->position; /* ours until the turn ends */
        end_turn(all, n_bytes, false);
        return em_output_write_at(all->output, text, n_bytes, position, error);
    }
    const em_status status = em_output_write(all->output, text, n_bytes, error);
    end_turn(all, n_bytes, status != EM_OK);
    return status;
}

static em_status write_chunks(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    writing *all = state;
    const uint64_t n_arcs = all->feed.n_arcs;
    const uint64_t room_bytes = sizeof(arcs) + all->chunk_arcs * LINE_BYTES + EM_U64_DIGITS;
    void *memory = NULL;
    (void)n_workers;
    em_status status = em_allocate(all->context, room_bytes, &memory, error);
    arcs *room = memory;
    char *text = (char *)(room + 1), *end;
    while (status == EM_OK) {
        const uint64_t chunk = __atomic_fetch_add(&all->next, 1, __ATOMIC_RELAXED);
        if (chunk >= all->n_chunks)
            break;
        const uint64_t begin = chunk * all->chunk_arcs, left = n_arcs - begin;
        status =
            put_chunk(all, begin, begin + (left < all->chunk_arcs ? left : all->chunk_arcs), room, text, &end, error);
        if (status == EM_OK)
            status = write_chunk(all, chunk, text, (uint64_t)(end - text), error);
        if (status == EM_OK)
            status = worker == 0 ? em_context_report(all->context, "save", begin, n_arcs, error)
                                 : em_context_check(all->context, error);
    }
    if (status != EM_OK)
        give_up(all);
    em_free(all->context, memory, room_bytes);
    return status;
}

em_status em_text_lines_write(em_context *context, const em_csr *csr, em_output *output, char separator, uint32_t base,
                              const char *header, em_error *error)
{
    writing all = {.context = context,
                   .output = output,
                   .feed = em_csr_feed(csr, em_output_path(output)),
                   .separator = separator,
                   .base = base,
                   .position = strlen(header),
                   .lock = PTHREAD_MUTEX_INITIALIZER,
                   .moved = PTHREAD_COND_INITIALIZER};
    all.chunk_arcs = em_knob(em_context_knobs(context)->chunk_bytes / 16, CHUNK_ARCS);
    all.n_chunks = (csr->n_arcs + all.chunk_arcs - 1) / all.chunk_arcs;
    em_status status = *header ? em_output_write(output, header, strlen(header), error) : EM_OK;
    if (status != EM_OK)
        goto done;
    if (csr->weight_kind == EM_WEIGHT_F32 || csr->weight_kind == EM_WEIGHT_F64)
        status = em_powers_of_ten_make(context, &all.powers, error);
    if (status == EM_OK)
        status = em_parallel(context, all.n_chunks > 1 ? 0 : 1, write_chunks, &all, error);
done:
    em_powers_of_ten_free(context, all.powers);
    pthread_cond_destroy(&all.moved);
    pthread_mutex_destroy(&all.lock);
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
