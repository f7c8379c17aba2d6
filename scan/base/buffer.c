/* buffer - see buffer.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/base/buffer.h"

static void release_host(em_buffer *buffer)
{
    em_free(buffer->owner, buffer->at, buffer->capacity_bytes);
}

em_status em_buffer_allocate(em_context *context, em_buffer *buffer, uint64_t n, uint64_t size, em_error *error)
{
    *buffer = (em_buffer){0};
    void *memory = NULL;
    const em_status status = em_allocate_array(context, n, size, &memory, error);
    if (status == EM_OK)
        *buffer = (em_buffer){
            .at = memory, .n_bytes = n * size, .capacity_bytes = n * size, .release = release_host, .owner = context};
    return status;
}

em_status em_buffer_resize(em_buffer *buffer, uint64_t n, uint64_t size, em_error *error)
{
    uint64_t n_bytes;
    if (__builtin_mul_overflow(n, size, &n_bytes))
        return em_fail(error, EM_NO_MEMORY, "%llu items of %llu bytes are more than any memory holds",
                       (unsigned long long)n, (unsigned long long)size);
    const em_status status = em_resize(buffer->owner, &buffer->at, buffer->capacity_bytes, n_bytes, error);
    if (status == EM_OK)
        buffer->n_bytes = buffer->capacity_bytes = n_bytes;
    return status;
}

em_buffer em_buffer_borrow(void *at, uint64_t n_bytes)
{
    return (em_buffer){.at = at, .n_bytes = n_bytes, .capacity_bytes = n_bytes};
}

void em_buffer_free(em_buffer *buffer)
{
    if (buffer->release)
        buffer->release(buffer);
    *buffer = (em_buffer){0};
}
