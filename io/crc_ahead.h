/* crc_ahead - a CRC-32 summed by a thread of its own, behind the one that inflates; not installed.
 *
 * zlib sums at 4 GB/s and inflates at 0.25: left to the thread that inflates, the sum is 5 % of its time, which is the
 * time everything else waits for.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_IO_CRC_AHEAD_H
#define EM_IO_CRC_AHEAD_H

#include "scan/base/context.h"

#include <pthread.h>

typedef uint32_t em_crc_sum(uint32_t crc, const void *bytes, uint64_t n_bytes);

typedef struct em_crc_ahead {
    em_crc_sum *sum;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t thread;
    bool running;      /* there is a thread; without one bytes are summed at once */
    const void *bytes; /* being summed, or NULL; under the lock, like what follows */
    uint64_t n_bytes;
    uint32_t crc;
    bool ending;
} em_crc_ahead;

void em_crc_ahead_open(em_crc_ahead *ahead, em_crc_sum *sum);
void em_crc_ahead_close(em_crc_ahead *ahead);
/* Adds bytes, which must stay as they are until the next call; waits for those of the call before. */
void em_crc_ahead_add(em_crc_ahead *ahead, const void *bytes, uint64_t n_bytes);
/* Waits until all bytes are summed, answers their CRC and begins a new one from `crc`. */
uint32_t em_crc_ahead_settle(em_crc_ahead *ahead, uint32_t crc);
/* Waits until nothing of [memory, memory + n_bytes) is still being summed. */
void em_crc_ahead_release(em_crc_ahead *ahead, const void *memory, uint64_t n_bytes);

#endif
