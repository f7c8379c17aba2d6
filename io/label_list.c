/* label_list - see label_list.h.
 *
 * One thread reads: a list of vertices is far shorter than the edges it belongs to.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/label_list.h"

#include "io/label_line.h"
#include "io/source.h"

enum { GROUP = 64 };

typedef struct listing {
    em_label_table *table;
    em_context *context;
    const char *path;
    uint64_t line;
    char comment;
    bool begun; /* there was a label */
    uint32_t n;
    em_label_query queries[GROUP];
    void *unquoted; /* the label of one line */
    uint64_t unquoted_bytes;
} listing;

static em_status add_group(listing *list, em_error *error)
{
    const uint32_t n = list->n;
    list->n = 0;
    return em_label_table_find(list->table, 0, list->queries, n, error);
}

/* Doubled quotes are rare: such a label is added by itself. */
static em_status add_undoubled(listing *list, const em_label_field *label, em_error *error)
{
    const uint64_t n_bytes = (uint64_t)(label->end - label->begin);
    em_status status = add_group(list, error);
    if (status == EM_OK && n_bytes > list->unquoted_bytes) {
        em_free(list->context, list->unquoted, list->unquoted_bytes);
        list->unquoted_bytes = 0;
        if ((status = em_allocate(list->context, n_bytes, &list->unquoted, error)) == EM_OK)
            list->unquoted_bytes = n_bytes;
    }
    if (status != EM_OK)
        return status;
    list->queries[list->n++] =
        (em_label_query){.at = list->unquoted, .n_bytes = em_label_undouble(label, list->unquoted)};
    return add_group(list, error);
}

static em_status parse_line(listing *list, const char *line, const char *end, em_error *error)
{
    em_label_field label;
    em_line_fault fault;
    const em_text_layout defaults = {.comment = list->comment};
    list->line++;
    if (!list->begun && em_text_line_kind(&defaults, line, end) == EM_LINE_COMMENT)
        return EM_OK;
    switch (em_label_parse_entry(list->comment, line, end, &label, &fault)) {
    case EM_LINE_ARC:
        break;
    case EM_LINE_BAD:
        return em_fail(error, EM_MALFORMED, "%s:%llu:%u: %s", list->path, (unsigned long long)list->line, fault.column,
                       fault.what);
    default:
        return EM_OK;
    }
    list->begun = true;
    if (label.doubled)
        return add_undoubled(list, &label, error);
    list->queries[list->n++] = (em_label_query){.at = label.begin, .n_bytes = (uint64_t)(label.end - label.begin)};
    return list->n == GROUP ? add_group(list, error) : EM_OK;
}

static em_status parse_piece(listing *list, const char *at, const char *end, em_error *error)
{
    while (at < end) {
        const char *const newline = memchr(at, '\n', (size_t)(end - at));
        const em_status status = parse_line(list, at, newline ? newline : end, error);
        if (status != EM_OK)
            return status;
        at = newline ? newline + 1 : end;
    }
    return add_group(list, error);
}

static em_status parse_all(listing *list, em_source *source, em_error *error)
{
    em_source_reader reader = {0};
    uint64_t chunk;
    em_status status = em_source_reader_open(source, &reader, error);
    while (status == EM_OK && (status = em_source_next_chunk(&reader, &chunk, error)) == EM_OK && chunk != UINT64_MAX) {
        const char *begin, *end;
        while ((status = em_source_next_piece(&reader, &begin, &end, error)) == EM_OK && begin < end)
            if ((status = parse_piece(list, begin, end, error)) != EM_OK)
                break;
    }
    em_source_reader_close(&reader);
    return status;
}

static em_status check_head(em_source *source, em_error *error)
{
    const char *head;
    uint64_t n;
    const em_status status = em_source_peek(source, 3, &head, &n, error);
    if (status != EM_OK)
        return status;
    if (n >= 2 && (memcmp(head, "\xff\xfe", 2) == 0 || memcmp(head, "\xfe\xff", 2) == 0))
        return em_fail(error, EM_MALFORMED, "%s:1:1: " EM_UTF_16, em_source_path(source));
    if (n >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0)
        em_source_skip(source, 3);
    return EM_OK;
}

em_status em_label_list_read(em_label_table *table, em_context *context, const char *path, char comment,
                             em_error *error)
{
    listing list = {.table = table, .context = context, .comment = comment};
    em_source *source = NULL;
    em_status status = em_source_open(context, path, &source, error);
    if (status == EM_OK)
        status = check_head(source, error);
    if (status == EM_OK) {
        list.path = em_source_path(source);
        status = parse_all(&list, source, error);
    }
    em_label_table_close(table);
    em_source_close(source);
    em_free(context, list.unquoted, list.unquoted_bytes);
    return status;
}
