/* sort - stable LSD radix sort of records by bytes, on the calling thread.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/sort.h"
#include "scan/use_arrays.h"

#include <string.h>

enum { BYTE_VALUES = 256 };

static uint32_t byte_of(const unsigned char *record, uint32_t byte, uint32_t low, uint32_t high)
{
    uint32_t value = record[byte];
    for (uint32_t bit = 0; bit < 8; bit++)
        if (byte * 8 + bit < low || byte * 8 + bit >= high)
            value &= ~(1U << bit);
    return value;
}

/* The result may be in either of the two; returns it. */
static unsigned char *sort_bytes(const em_sort_layout *layout, unsigned char *in, unsigned char *out, uint64_t n)
{
    const uint64_t each = layout->key_bytes + layout->payload_bytes;
    const uint32_t high = layout->high ? layout->high : layout->key_bytes * 8;
    for (uint32_t byte = 0; byte < layout->key_bytes; byte++) {
        uint64_t positions[BYTE_VALUES + 1] = {0};
        for (uint64_t i = 0; i < n; i++)
            positions[byte_of(in + i * each, byte, layout->low, high) + 1]++;
        for (uint32_t i = 0; i < BYTE_VALUES; i++)
            positions[i + 1] += positions[i];
        for (uint64_t i = 0; i < n; i++)
            memcpy(out + each * positions[byte_of(in + i * each, byte, layout->low, high)]++, in + i * each, each);
        unsigned char *const swap = in;
        in = out;
        out = swap;
    }
    return in;
}

em_status em_sort_records(em_context *context, const em_sort_layout *layout, void *records, void *scratch, uint64_t n,
                          em_error *error)
{
    const uint64_t each = layout->key_bytes + layout->payload_bytes;
    void *own = NULL;
    if (!scratch) {
        const em_status status = em_allocate_array(context, n, each, &own, error);
        if (status != EM_OK)
            return status;
    }
    const unsigned char *sorted = sort_bytes(layout, records, scratch ? scratch : own, n);
    if (n && sorted != records)
        memcpy(records, sorted, n * each);
    em_free(context, own, n * each);
    return EM_OK;
}

em_status em_sort(em_context *context, em_type type, void *keys, uint64_t n, em_error *error)
{
    const em_sort_layout layout = {.key_bytes = type == EM_U32 ? 4 : 8};
    return em_sort_records(context, &layout, keys, NULL, n, error);
}

typedef struct column {
    unsigned char *at;
    uint32_t bytes;
} column;

/* Columns become records of the layout and columns again. */
static em_status sort_columns(em_context *context, const em_sort_layout *layout, const column *columns,
                              uint32_t n_columns, uint64_t n, em_error *error)
{
    const uint64_t each = layout->key_bytes + layout->payload_bytes;
    void *memory;
    em_status status = em_allocate_array(context, n, each, &memory, error);
    if (status != EM_OK)
        return status;
    unsigned char *const records = memory;
    for (uint64_t i = 0; i < n; i++)
        for (uint64_t k = 0, at = i * each; k < n_columns; at += columns[k++].bytes)
            memcpy(records + at, columns[k].at + i * columns[k].bytes, columns[k].bytes);
    status = em_sort_records(context, layout, records, NULL, n, error);
    for (uint64_t i = 0; i < n && status == EM_OK; i++)
        for (uint64_t k = 0, at = i * each; k < n_columns; at += columns[k++].bytes)
            memcpy(columns[k].at + i * columns[k].bytes, records + at, columns[k].bytes);
    em_free(context, memory, n * each);
    return status;
}

em_status em_sort_pairs(em_context *context, em_type key_type, void *keys, uint32_t payload_bytes, void *payloads,
                        uint64_t n, em_error *error)
{
    const em_sort_layout layout = {.key_bytes = key_type == EM_U32 ? 4 : 8, .payload_bytes = payload_bytes};
    const column columns[] = {{keys, layout.key_bytes}, {payloads, payload_bytes}};
    return sort_columns(context, &layout, columns, 2, n, error);
}

em_status em_sort_arcs(em_context *context, uint32_t id_bytes, void *sources, void *targets, uint32_t weight_bytes,
                       void *weights, uint64_t n, uint64_t n_vertices, em_error *error)
{
    const em_sort_layout layout = {.key_bytes = 2 * id_bytes, .payload_bytes = weight_bytes};
    const column columns[] = {{targets, id_bytes}, {sources, id_bytes}, {weights, weight_bytes}};
    (void)n_vertices;
    return sort_columns(context, &layout, columns, weight_bytes ? 3 : 2, n, error);
}

em_status em_histogram(em_context *context, em_type type, const void *keys, uint64_t n, uint32_t shift, uint32_t bits,
                       uint64_t *counts, em_error *error)
{
    (void)context;
    (void)error;
    memset(counts, 0, sizeof *counts << bits);
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t key = type == EM_U32 ? ((const uint32_t *)keys)[i] : ((const uint64_t *)keys)[i];
        counts[key >> shift & ((UINT64_C(1) << bits) - 1)]++;
    }
    return EM_OK;
}
