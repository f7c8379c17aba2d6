/* text_chunks - see text_chunks.h.
 *
 * Workers format chunks into buffers of their own, side by side. How long a chunk is, is known when it is done, so they
 * pass the file position on in the order of the chunks and then write side by side: memory is one buffer a worker.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/text_chunks.h"
#include "scan/base/parallel.h"

#include <pthread.h>

typedef struct writing {
    em_context *context;
    const em_text_chunks *chunks;
    em_output *output;
    uint64_t n_chunks, next; /* next: atomic */
    pthread_mutex_t lock;    /* guards what follows */
    pthread_cond_t moved;
    uint64_t turn, position; /* the chunk whose place is known, and its place */
    bool failed;
} writing;

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

/* A worker's memory: scratch, then text. */
typedef struct room {
    void *at;
    uint64_t n_bytes;
} room;

static em_status make_room(const writing *all, room *own, uint64_t begin, uint64_t end, em_error *error)
{
    const em_text_chunks *const chunks = all->chunks;
    const uint64_t wanted = chunks->scratch_bytes + chunks->most_bytes(chunks->state, begin, end);
    if (own->at && wanted <= own->n_bytes)
        return EM_OK;
    em_free(all->context, own->at, own->n_bytes);
    *own = (room){.n_bytes = wanted};
    return em_allocate(all->context, wanted, &own->at, error);
}

static em_status write_chunks(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    writing *const all = state;
    const em_text_chunks *const chunks = all->chunks;
    room own = {0};
    em_status status = EM_OK;
    (void)n_workers;
    while (status == EM_OK) {
        const uint64_t chunk = __atomic_fetch_add(&all->next, 1, __ATOMIC_RELAXED);
        if (chunk >= all->n_chunks)
            break;
        const uint64_t begin = chunk * chunks->chunk_items, left = chunks->n_items - begin;
        const uint64_t end = begin + (left < chunks->chunk_items ? left : chunks->chunk_items);
        char *text_end = NULL;
        status = make_room(all, &own, begin, end, error);
        char *const text = status == EM_OK ? (char *)own.at + chunks->scratch_bytes : NULL;
        if (status == EM_OK)
            status = chunks->put(chunks->state, begin, end, own.at, text, &text_end, error);
        if (status == EM_OK)
            status = write_chunk(all, chunk, text, (uint64_t)(text_end - text), error);
        if (status == EM_OK)
            status = worker == 0 ? em_context_report(all->context, "save", begin, chunks->n_items, error)
                                 : em_context_check(all->context, error);
    }
    if (status != EM_OK)
        give_up(all);
    em_free(all->context, own.at, own.n_bytes);
    return status;
}

em_status em_text_chunks_write(em_context *context, const em_text_chunks *chunks, em_output *output, em_error *error)
{
    writing all = {.context = context,
                   .chunks = chunks,
                   .output = output,
                   .n_chunks = chunks->n_items / chunks->chunk_items + (chunks->n_items % chunks->chunk_items != 0),
                   .position = em_output_n_bytes(output),
                   .lock = PTHREAD_MUTEX_INITIALIZER,
                   .moved = PTHREAD_COND_INITIALIZER};
    const em_status status = em_parallel(context, all.n_chunks > 1 ? 0 : 1, write_chunks, &all, error);
    pthread_cond_destroy(&all.moved);
    pthread_mutex_destroy(&all.lock);
    return status;
}
