/* text_sample - see text_sample.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/text_sample.h"

static void raise_to(uint64_t *largest, uint64_t value)
{
    if (value > *largest)
        *largest = value;
}

/* Takes plain lines of [at, end), which begins at a line, into the hint. */
static void sample_text(em_text_fast *fast, em_text_batch *batch, const char *at, const char *end, em_read_hint *hint,
                        uint64_t *n_lines)
{
    while (at < end) {
        batch->n_arcs = 0;
        batch->largest_source = batch->largest_target = 0;
        const char *const stop = fast(at, end, batch);
        *n_lines += batch->n_arcs;
        raise_to(&hint->largest_source, batch->largest_source);
        raise_to(&hint->largest_target, batch->largest_target);
        if (stop == at) {
            const char *const newline = memchr(at, '\n', (size_t)(end - at));
            at = newline ? newline + 1 : end;
        } else {
            at = stop;
        }
    }
}

em_status em_text_sample(em_source *source, uint64_t data_offset, em_text_fast *fast, em_text_batch batch,
                         em_read_hint *hint, em_error *error)
{
    enum { PLACES = 32, BYTES = 8192 };
    batch.wide = false;
    batch.base = 0;
    if (batch.weight_kind != EM_WEIGHT_NONE)
        batch.weight_kind = EM_WEIGHT_F64; /* takes every number, whatever type the weights will turn out to have */
    const char *head;
    uint64_t n_head, n_lines = 0, n_bytes = 0;
    em_status status = em_source_peek(source, 1, &head, &n_head, error);
    if (status != EM_OK)
        return status;
    const uint64_t size = em_source_file_bytes(source);
    if (!em_source_is_file(source) || size <= PLACES * BYTES) {
        const char *at = head + (data_offset < n_head ? data_offset : n_head), *end = head + n_head;
        while (end > at && end[-1] != '\n')
            end--;
        sample_text(fast, &batch, at, end, hint, &n_lines);
        n_bytes = (uint64_t)(end - at);
    } else {
        char text[BYTES + 2 * EM_SOURCE_SLACK];
        memset(text, 0, sizeof text);
        for (uint64_t i = 0; i < PLACES; i++) {
            char *const from = text + EM_SOURCE_SLACK;
            uint64_t n_got;
            if ((status = em_source_read_at(source, (size - BYTES) / (PLACES - 1) * i, from, BYTES, &n_got, error)) !=
                EM_OK)
                return status;
            const char *begin = i == 0 ? from : memchr(from, '\n', n_got), *end = memrchr(from, '\n', n_got);
            if (!begin || !end || begin >= end)
                continue;
            begin += i != 0;
            sample_text(fast, &batch, begin, end + 1, hint, &n_lines);
            n_bytes += (uint64_t)(end + 1 - begin);
        }
    }
    if (em_source_is_file(source) && n_bytes)
        hint->n_arcs = (uint64_t)((double)size / (double)n_bytes * (double)n_lines);
    return EM_OK;
}
