/* save_map - what the vertices and arcs of a CSR were in the input, as text.
 *
 * Chunks of lines are made and written side by side (io/text_chunks.h): labels or positions are read once and the text
 * is written once.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/decimal.h"
#include "io/label_table.h"
#include "io/text_chunks.h"
#include "stages/save.h"

#include <string.h>

enum { CHUNK_LINES = 1 << 15 };

static em_status write_lines(em_context *context, em_text_chunks chunks, em_output *output, em_error *error)
{
    chunks.chunk_items = em_knob(em_context_knobs(context)->chunk_bytes / 16, CHUNK_LINES);
    return em_text_chunks_write(context, &chunks, output, error);
}

/* --- the map -------------------------------------------------------------------------------------- */

static uint64_t most_number_bytes(const void *state, uint64_t begin, uint64_t end)
{
    (void)state;
    return (end - begin) * (2 * EM_U64_DIGITS + 2);
}

static uint64_t most_label_bytes(const void *state, uint64_t begin, uint64_t end)
{
    const em_labels *const labels = state;
    const uint64_t *const ends = labels->ends.at;
    return (end - begin) * (EM_U64_DIGITS + 2) + 2 * (ends[end] - ends[begin]);
}

static em_status put_identity(const void *state, uint64_t begin, uint64_t end, void *scratch, char *text,
                              char **text_end, em_error *error)
{
    const uint64_t base = ((const em_labels *)state)->base;
    (void)scratch, (void)error;
    for (uint64_t i = begin; i < end; i++) {
        text = em_put_u64(text, i);
        *text++ = '\t';
        text = em_put_u64(text, base + i);
        *text++ = '\n';
    }
    *text_end = text;
    return EM_OK;
}

static em_status put_numbers(const void *state, uint64_t begin, uint64_t end, void *scratch, char *text,
                             char **text_end, em_error *error)
{
    const uint64_t *const ids = ((const em_labels *)state)->ids.at;
    (void)scratch, (void)error;
    for (uint64_t i = begin; i < end; i++) {
        text = em_put_u64(text, i);
        *text++ = '\t';
        text = em_put_u64(text, ids[i]);
        *text++ = '\n';
    }
    *text_end = text;
    return EM_OK;
}

static em_status put_labels(const void *state, uint64_t begin, uint64_t end, void *scratch, char *text, char **text_end,
                            em_error *error)
{
    const em_labels *const labels = state;
    const uint64_t *const ends = labels->ends.at;
    (void)scratch, (void)error;
    for (uint64_t i = begin; i < end; i++) {
        text = em_put_u64(text, i);
        *text++ = '\t';
        text += em_label_escape((const char *)labels->text.at + ends[i], ends[i + 1] - ends[i], text);
        *text++ = '\n';
    }
    *text_end = text;
    return EM_OK;
}

em_status em_save_map(em_context *context, const em_labels *labels, uint64_t n_vertices, em_output *output,
                      em_error *error)
{
    em_text_chunks chunks = {
        .n_items = n_vertices, .state = (void *)labels, .most_bytes = most_number_bytes, .put = put_identity};
    const bool is_text = labels->ends.at, is_number = labels->ids.at;
    if ((is_text && labels->ends.n_bytes / sizeof(uint64_t) != n_vertices + 1) ||
        (is_number && labels->ids.n_bytes / sizeof(uint64_t) != n_vertices))
        return em_fail(error, EM_USAGE, "%s: there are not as many labels as vertices", em_output_path(output));
    if (is_text) {
        chunks.most_bytes = most_label_bytes;
        chunks.put = put_labels;
    } else if (is_number) {
        chunks.put = put_numbers;
    }
    return write_lines(context, chunks, output, error);
}

/* --- input arc numbers ---------------------------------------------------------------------------- */

static uint64_t most_id_bytes(const void *state, uint64_t begin, uint64_t end)
{
    (void)state;
    return (end - begin) * (EM_U64_DIGITS + 1);
}

static em_status put_arc_numbers(const void *state, uint64_t begin, uint64_t end, void *scratch, char *text,
                                 char **text_end, em_error *error)
{
    const uint64_t *const positions = ((const em_csr *)state)->positions.at;
    (void)scratch, (void)error;
    for (uint64_t i = begin; i < end; i++) {
        text = em_put_u64(text, positions[i] / 2);
        *text++ = '\n';
    }
    *text_end = text;
    return EM_OK;
}

em_status em_save_edge_ids(em_context *context, const em_csr *csr, em_output *output, em_error *error)
{
    const em_text_chunks chunks = {
        .n_items = csr->n_arcs, .state = (void *)csr, .most_bytes = most_id_bytes, .put = put_arc_numbers};
    return write_lines(context, chunks, output, error);
}
