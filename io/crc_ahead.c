/* crc_ahead - see crc_ahead.h.
 *
 * One piece of text is on its way at a time; handing over the next one waits for it. A piece takes a twentieth of the
 * time in which the next is inflated, so the wait is for appearances.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/crc_ahead.h"

#include <signal.h>

static void *sum_pieces(void *argument)
{
    em_crc_ahead *const ahead = argument;
    pthread_mutex_lock(&ahead->lock);
    while (!ahead->ending) {
        if (!ahead->bytes) {
            pthread_cond_wait(&ahead->changed, &ahead->lock);
            continue;
        }
        const void *const bytes = ahead->bytes;
        const uint64_t n_bytes = ahead->n_bytes;
        const uint32_t before = ahead->crc;
        pthread_mutex_unlock(&ahead->lock);
        const uint32_t crc = ahead->sum(before, bytes, n_bytes);
        pthread_mutex_lock(&ahead->lock);
        ahead->crc = crc;
        ahead->bytes = NULL;
        pthread_cond_broadcast(&ahead->changed);
    }
    pthread_mutex_unlock(&ahead->lock);
    return NULL;
}

void em_crc_ahead_open(em_crc_ahead *ahead, em_crc_sum *sum)
{
    *ahead = (em_crc_ahead){.sum = sum, .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    sigset_t all, before; /* signals are for the program's own threads */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    ahead->running = pthread_create(&ahead->thread, NULL, sum_pieces, ahead) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Under the lock. */
static void wait_for_piece(em_crc_ahead *ahead)
{
    while (ahead->bytes)
        pthread_cond_wait(&ahead->changed, &ahead->lock);
}

void em_crc_ahead_close(em_crc_ahead *ahead)
{
    if (ahead->running) {
        pthread_mutex_lock(&ahead->lock);
        wait_for_piece(ahead);
        ahead->ending = true;
        pthread_cond_broadcast(&ahead->changed);
        pthread_mutex_unlock(&ahead->lock);
        pthread_join(ahead->thread, NULL);
    }
    pthread_cond_destroy(&ahead->changed);
    pthread_mutex_destroy(&ahead->lock);
}

void em_crc_ahead_add(em_crc_ahead *ahead, const void *bytes, uint64_t n_bytes)
{
    if (n_bytes == 0)
        return;
    if (!ahead->running) {
        ahead->crc = ahead->sum(ahead->crc, bytes, n_bytes);
        return;
    }
    pthread_mutex_lock(&ahead->lock);
    wait_for_piece(ahead);
    ahead->bytes = bytes;
    ahead->n_bytes = n_bytes;
    pthread_cond_broadcast(&ahead->changed);
    pthread_mutex_unlock(&ahead->lock);
}

uint32_t em_crc_ahead_settle(em_crc_ahead *ahead, uint32_t crc)
{
    pthread_mutex_lock(&ahead->lock);
    wait_for_piece(ahead);
    const uint32_t sum = ahead->crc;
    ahead->crc = crc;
    pthread_mutex_unlock(&ahead->lock);
    return sum;
}

void em_crc_ahead_release(em_crc_ahead *ahead, const void *memory, uint64_t n_bytes)
{
    const uintptr_t begin = (uintptr_t)memory, end = begin + n_bytes;
    pthread_mutex_lock(&ahead->lock);
    if ((uintptr_t)ahead->bytes < end && (uintptr_t)ahead->bytes + ahead->n_bytes > begin)
        wait_for_piece(ahead);
    pthread_mutex_unlock(&ahead->lock);
}
