/* buffer - memory described rather than assumed: mapped files, borrowed arrays and device memory look the same.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_SCAN_BASE_BUFFER_H
#define EM_SCAN_BASE_BUFFER_H

#include "scan/base/context.h"

typedef enum em_place { EM_HOST = 0, EM_PINNED, EM_MAPPED, EM_DEVICE } em_place;

/* {0} is an empty buffer. `release` is NULL where the memory is borrowed. */
typedef struct em_buffer {
    void *at;
    uint64_t n_bytes, capacity_bytes;
    em_place place;
    void (*release)(struct em_buffer *buffer);
    void *owner;
} em_buffer;

/* Fresh host memory of n * size bytes from the context's allocator, not cleared. */
EM_API em_status em_buffer_allocate(em_context *context, em_buffer *buffer, uint64_t n, uint64_t size, em_error *error);
/* A buffer from em_buffer_allocate holds n * size bytes afterwards, the first of which are as before. On failure it is
 * as before. */
EM_API em_status em_buffer_resize(em_buffer *buffer, uint64_t n, uint64_t size, em_error *error);
/* Borrows memory that outlives the buffer. */
EM_API em_buffer em_buffer_borrow(void *at, uint64_t n_bytes);
/* Releases what is owned and leaves {0}; an empty buffer is fine. */
EM_API void em_buffer_free(em_buffer *buffer);

#endif
