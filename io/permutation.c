/* permutation - see permutation.h. Cost: one pass over the text and one over the vertices.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/permutation.h"

#include "io/each_line.h"
#include "io/text_number.h"

#include <stdio.h>
#include <string.h>

typedef struct permutation {
    uint64_t n, n_lines, base;
    uint64_t *new_of_old; /* UINT64_MAX: not told yet */
    uint8_t *is_taken;    /* of new ids */
    uint32_t n_columns;   /* 0: no line yet */
} permutation;

/* The next number of a line; *at moves behind it and what separates it from the next. */
static em_status number_at(const permutation *into, const char *path, uint64_t line, const char *begin, const char **at,
                           const char *end, uint64_t base, uint64_t *id, em_error *error)
{
    const char *token_end = *at;
    while (token_end < end && !em_separates(*token_end))
        token_end++;
    if (em_parse_id(*at, token_end, id) != EM_NUMBER_OK)
        return em_line_refused(path, line, begin, *at, end, "not a vertex id", error);
    if (*id < base)
        return em_line_refused(path, line, begin, *at, end, "ids of the input count from 1", error);
    *id -= base;
    if (*id >= into->n) {
        char what[96];
        snprintf(what, sizeof what, "there are %llu vertices, so ids end at that less one",
                 (unsigned long long)into->n);
        return em_line_refused(path, line, begin, *at, end, what, error);
    }
    for (*at = token_end; *at < end && em_separates(**at); ++*at)
        ;
    return EM_OK;
}

static em_status take(void *state, const char *path, uint64_t line, const char *begin, const char *end, em_error *error)
{
    permutation *const into = state;
    const char *at = begin;
    uint64_t fresh, old = into->n_lines;
    if (em_line_is_idle(&at, end))
        return EM_OK;
    const char *const first = at;
    em_status status = number_at(into, path, line, begin, &at, end, 0, &fresh, error);
    if (status != EM_OK)
        return status;
    if (into->n_columns == 0)
        into->n_columns = at < end ? 2 : 1;
    if (at < end ? into->n_columns == 1 : into->n_columns == 2)
        return em_line_refused(path, line, begin, first, end,
                               into->n_columns == 1 ? "the lines before have one number"
                                                    : "the lines before have two numbers, new id and old id",
                               error);
    const char *const second = at;
    if (into->n_columns == 2 &&
        (status = number_at(into, path, line, begin, &at, end, into->base, &old, error)) != EM_OK)
        return status;
    if (into->n_columns == 2 && at < end)
        return em_line_refused(path, line, begin, at, end, "a third column", error);
    if (old >= into->n)
        return em_line_refused(path, line, begin, first, end, "more lines than there are vertices", error);
    if (into->is_taken[fresh])
        return em_line_refused(path, line, begin, first, end, "two vertices get one new id", error);
    if (into->new_of_old[old] != UINT64_MAX)
        return em_line_refused(path, line, begin, second, end, "one vertex gets two new ids", error);
    into->is_taken[fresh] = 1;
    into->new_of_old[old] = fresh;
    into->n_lines++;
    return EM_OK;
}

em_status em_permutation_read(em_context *context, const char *path, uint64_t n_vertices, uint64_t base,
                              em_buffer *new_of_old, em_error *error)
{
    permutation into = {.n = n_vertices, .base = base};
    em_buffer is_taken = {0};
    em_status status = em_buffer_allocate(context, new_of_old, n_vertices, sizeof(uint64_t), error);
    if (status == EM_OK)
        status = em_buffer_allocate(context, &is_taken, n_vertices, 1, error);
    if (status == EM_OK) {
        into.new_of_old = new_of_old->at;
        into.is_taken = is_taken.at;
        memset(new_of_old->at, 0xff, new_of_old->n_bytes);
        memset(is_taken.at, 0, is_taken.n_bytes);
        status = em_each_line(context, path, take, &into, error);
    }
    if (status == EM_OK && into.n_lines < n_vertices)
        status = em_fail(error, EM_MALFORMED, "%s: new ids for %llu of %llu vertices", path,
                         (unsigned long long)into.n_lines, (unsigned long long)n_vertices);
    em_buffer_free(&is_taken);
    if (status != EM_OK)
        em_buffer_free(new_of_old);
    return status;
}
