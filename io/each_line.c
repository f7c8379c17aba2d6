/* each_line - see each_line.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/each_line.h"

#include "io/source.h"

#include <stdio.h>
#include <string.h>

bool em_line_is_idle(const char **begin, const char *end)
{
    const char *at = *begin;
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r'))
        at++;
    *begin = at;
    return at == end || *at == '#' || *at == '%' || (*at == '/' && end - at > 1 && at[1] == '/');
}

/* The token as a message can show it: printable, and not too long. */
em_status em_line_refused(const char *path, uint64_t number, const char *line, const char *at, const char *end,
                          const char *what, em_error *error)
{
    enum { MOST_SHOWN = 40 };
    char shown[4 * MOST_SHOWN + 4] = "";
    size_t n = 0, n_taken = 0;
    for (const char *c = at; c < end && !em_separates(*c); c++, n_taken++) {
        if (n_taken == MOST_SHOWN) {
            snprintf(shown + n, sizeof shown - n, "...");
            break;
        }
        const unsigned char byte = (unsigned char)*c;
        n += (size_t)snprintf(shown + n, sizeof shown - n, byte < ' ' || byte >= 0x7f ? "\\x%02x" : "%c", byte);
    }
    return em_fail(error, EM_MALFORMED, "%s:%llu:%llu: %s: '%s'", path, (unsigned long long)number,
                   (unsigned long long)(at - line) + 1, what, shown);
}

static em_status take_lines(const char *path, uint64_t *number, const char *begin, const char *end, em_line_taker *take,
                            void *state, em_error *error)
{
    em_status status = EM_OK;
    while (begin < end && status == EM_OK) {
        const char *newline = memchr(begin, '\n', (size_t)(end - begin));
        const char *line_end = newline ? newline : end;
        status = take(state, path, ++*number, begin, line_end, error);
        begin = newline ? newline + 1 : end;
    }
    return status;
}

static em_status skip_byte_order_mark(em_source *source, em_error *error)
{
    const char *head;
    uint64_t n_head;
    const em_status status = em_source_peek(source, 3, &head, &n_head, error);
    if (status == EM_OK && n_head >= 3 && memcmp(head, "\xEF\xBB\xBF", 3) == 0)
        em_source_skip(source, 3);
    return status;
}

em_status em_each_line(em_context *context, const char *path, em_line_taker *take, void *state, em_error *error)
{
    em_source *source = NULL;
    em_source_reader reader = {0};
    uint64_t chunk = 0, number = 0;
    em_status status = em_source_open(context, path, &source, error);
    if (status == EM_OK)
        status = skip_byte_order_mark(source, error);
    if (status == EM_OK)
        status = em_source_reader_open(source, &reader, error);
    if (status != EM_OK)
        goto done;
    while ((status = em_source_next_chunk(&reader, &chunk, error)) == EM_OK && chunk != UINT64_MAX) {
        const char *begin, *end;
        while ((status = em_source_next_piece(&reader, &begin, &end, error)) == EM_OK && begin < end)
            if ((status = take_lines(em_source_path(source), &number, begin, end, take, state, error)) != EM_OK)
                goto done;
        if (status != EM_OK)
            goto done;
    }
done:
    em_source_reader_close(&reader);
    em_source_close(source);
    return status;
}
