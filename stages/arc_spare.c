/* arc_spare - memory for the result of an arc store, its pages touched ahead of time: see arc_store.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/arc_store.h"

/* Fresh pages cost as much as everything else that is done to an arc. A worker of a stream has the time for them while
 * it would wait for the next text; with plain files every worker is busy, and nothing is gained. */
static bool touch_ahead(em_context *context, em_spare *spare, uint64_t wanted)
{
    enum { STEP_BYTES = 8 << 20, LEAD_BYTES = 2 << 20, PAGE_BYTES = 4096 };
    if (wanted < LEAD_BYTES || spare->n_bytes >= wanted + LEAD_BYTES)
        return true;
    const uint64_t before = spare->n_bytes;
    if (em_resize(context, &spare->at, before, before + STEP_BYTES, NULL) != EM_OK)
        return false;
    spare->n_bytes = before + STEP_BYTES;
    for (uint64_t at = before; at < spare->n_bytes; at += PAGE_BYTES)
        ((volatile char *)spare->at)[at] = 0;
    return true;
}

void em_store_touch_ahead(em_arc_store *store, const em_arc_batch *batch)
{
    const uint64_t n_arcs = __atomic_add_fetch(&store->n_taken, batch->n_arcs, __ATOMIC_RELAXED);
    if (pthread_mutex_trylock(&store->lock) != 0)
        return;
    const bool more = touch_ahead(store->context, &store->targets, n_arcs * batch->id_bytes) &&
                      touch_ahead(store->context, &store->weights, n_arcs * em_weight_bytes(batch->weight_kind));
    if (!more)
        __atomic_store_n(&store->ahead, false, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&store->lock);
}

em_status em_store_result(em_arc_store *store, em_spare *spare, uint64_t n, uint64_t size, em_buffer *buffer,
                          em_error *error)
{
    if (!spare->at || n > UINT64_MAX / size)
        return em_buffer_allocate(store->context, buffer, n, size, error);
    em_status status = EM_OK;
    if (spare->n_bytes < n * size) {
        status = em_resize(store->context, &spare->at, spare->n_bytes, n * size, error);
        spare->n_bytes = status == EM_OK ? n * size : spare->n_bytes;
    }
    if (status != EM_OK)
        return status;
    *buffer = em_buffer_adopt(store->context, spare->at, n * size, spare->n_bytes);
    *spare = (em_spare){0};
    return EM_OK;
}
