/* text_layout - see text_layout.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/text_layout.h"

#include "io/label_header.h"
#include "io/label_line.h"

#include <stdio.h>
#include <stdlib.h>

enum { FIRST_PEEK = 1 << 16 };

/* The peeked text and a cursor over its lines; peeks further when the lines run out. */
typedef struct head_lines {
    em_source *source;
    const char *text;
    uint64_t n_bytes, at, n_lines;
    bool whole;  /* nothing follows the peeked text */
    bool strict; /* a line with a NUL is an error: its end, which may be far or nowhere, is not looked for */
} head_lines;

static em_status peek_more(head_lines *lines, em_error *error)
{
    const uint64_t wanted = lines->n_bytes ? lines->n_bytes * 2 : FIRST_PEEK;
    const em_status status = em_source_peek(lines->source, wanted, &lines->text, &lines->n_bytes, error);
    lines->whole = lines->n_bytes < wanted;
    return status;
}

/* The next line without its newline; *found is false at the end of the text. Offsets stay valid, pointers until the
 * next call. */
static em_status next_line(head_lines *lines, uint64_t *begin, uint64_t *end, bool *found, em_error *error)
{
    for (;;) {
        const char *const from = lines->text + lines->at;
        const uint64_t n_left = lines->n_bytes - lines->at;
        const char *const newline = n_left ? memchr(from, '\n', n_left) : NULL;
        if (newline || lines->whole) {
            *begin = lines->at;
            *end = newline ? (uint64_t)(newline - lines->text) : lines->n_bytes;
            *found = *begin < lines->n_bytes;
            lines->at = newline ? *end + 1 : lines->n_bytes;
            lines->n_lines += *found;
            return EM_OK;
        }
        const char *const nul = lines->strict && n_left ? memchr(from, 0, n_left) : NULL;
        if (nul)
            return em_fail(error, EM_MALFORMED, "%s:%llu:%llu: " EM_NUL_BYTE, em_source_path(lines->source),
                           (unsigned long long)lines->n_lines + 1, (unsigned long long)(nul - from) + 1);
        const em_status status = peek_more(lines, error);
        if (status != EM_OK)
            return status;
    }
}

/* The first line from here on that is neither comment nor blank. */
static em_status next_data_line(head_lines *lines, em_text_head *head, uint64_t *begin, uint64_t *end, em_error *error)
{
    for (;;) {
        const em_status status = next_line(lines, begin, end, &head->has_data_line, error);
        if (status != EM_OK || !head->has_data_line)
            return status;
        const em_line_kind kind = em_text_line_kind(&head->layout, lines->text + *begin, lines->text + *end);
        if (kind == EM_LINE_ARC)
            return EM_OK;
        head->n_comment_lines += kind == EM_LINE_COMMENT;
        head->n_blank_lines += kind == EM_LINE_BLANK;
    }
}

/* The first line behind the first data line that has labels; comments are only those of layout->comment. */
static em_status next_label_line(head_lines *lines, const em_text_layout *layout, uint64_t *begin, uint64_t *end,
                                 bool *found, em_error *error)
{
    for (;;) {
        const em_status status = next_line(lines, begin, end, found, error);
        if (status != EM_OK || !*found)
            return status;
        const em_line_kind kind = em_text_line_kind(layout, lines->text + *begin, lines->text + *end);
        if (kind != EM_LINE_BLANK && (kind != EM_LINE_COMMENT || !layout->comment))
            return EM_OK;
    }
}

/* The first of `, ; |` or a blank behind the first field; blanks in front of one of the three belong to it. */
static char find_separator(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    bool quoted = false;
    for (; at < end; at++) {
        quoted ^= *at == '"';
        if (quoted)
            continue;
        if (*at == ',' || *at == ';' || *at == '|')
            return *at;
        if (*at == ' ' || *at == '\t') {
            while (at < end && (*at == ' ' || *at == '\t'))
                at++;
            return at < end && (*at == ',' || *at == ';' || *at == '|') ? *at : ' ';
        }
    }
    return ' ';
}

static uint32_t count_fields(char separator, bool labels, const char *begin, const char *end, em_field *third,
                             uint32_t wanted)
{
    em_field_cursor cursor = em_fields(separator, begin, end);
    em_field field;
    em_label_field label;
    uint32_t n = 0, n_filled = 0;
    while ((labels ? em_next_label_field(&cursor, &label) : em_next_field(&cursor, &field)) > 0) {
        if (labels)
            field = (em_field){label.begin, label.end};
        n++;
        if (field.begin < field.end)
            n_filled = n;
        if (n == wanted)
            *third = field;
    }
    return n_filled;
}

/* Labels may hold any character, so that a wrong guess of the separator would go unnoticed: where the first data line
 * allows two readings one must be named. */
static em_status check_guess(const em_text_layout *layout, const char *path, uint64_t line_number, const char *line,
                             const char *end, em_error *error)
{
    em_field_cursor cursor = em_fields(layout->separator, line, end);
    em_label_field field;
    bool mixed = false, tabs = false, spaces = false;
    const char *at = line;
    for (int i = 0; em_next_label_field(&cursor, &field) > 0; i++) {
        bool tab = false;
        for (; i > 0 && at < field.begin; at++)
            tab |= *at == '\t';
        tabs |= i > 0 && tab;
        spaces |= i > 0 && !tab;
        for (at = field.begin; at < field.end; at++)
            mixed |= i < 2 && !field.quoted && *at != layout->separator && (*at == ',' || *at == ';' || *at == '|');
        at += field.quoted;
    }
    mixed |= layout->separator == ' ' && tabs && spaces;
    char text[176];
    return mixed ? em_fail(error, EM_MALFORMED,
                           "%s:%llu:1: more than one character may separate these labels: %s; name the one that does "
                           "with --separator",
                           path, (unsigned long long)line_number, em_quote_token(line, end, text))
                 : EM_OK;
}

static em_status guess_separator(const em_read_options *options, em_text_head *head, const char *path,
                                 uint64_t line_number, const char *line, const char *end, em_error *error)
{
    em_text_layout *const layout = &head->layout;
    if (head->has_data_line)
        layout->separator = find_separator(line, end);
    if (layout->separator == ' ' && options->from && strcmp(options->from, "csv") == 0)
        layout->separator = ',';
    else if (options->ids == EM_IDS_STRING && head->has_data_line)
        return check_guess(layout, path, line_number, line, end, error);
    return EM_OK;
}

/* --columns: each part a number from 1, or a name of the header. */
static em_status find_column(const em_read_options *options, const char *path, const char *name, size_t n,
                             char separator, const char *header, const char *header_end, bool is_comment,
                             uint32_t *column, em_error *error)
{
    bool number = n > 0;
    for (size_t i = 0; i < n; i++)
        number &= name[i] >= '0' && name[i] <= '9';
    if (number) {
        const unsigned long value = n < 6 ? strtoul(name, NULL, 10) : 0;
        *column = (uint32_t)value;
        if (value == 0)
            return em_fail(error, EM_USAGE, "--columns=%s: columns are numbered from 1 to 99999", options->columns);
        return EM_OK;
    }
    if (!header)
        return em_fail(error, EM_USAGE, "--columns=%s: '%.*s' is a name, and names need --header", options->columns,
                       (int)n, name);
    em_field_cursor cursor = em_fields(separator, header, header_end);
    em_field field;
    for (uint32_t at = 1; em_next_field(&cursor, &field) > 0; at++)
        if ((size_t)(field.end - field.begin) == n && memcmp(field.begin, name, n) == 0) {
            *column = at;
            return EM_OK;
        }
    char text[176];
    return em_fail(error, EM_MALFORMED, "%s: the header has no column '%.*s': %s%s", path, (int)n, name,
                   em_quote_token(header, header_end, text),
                   is_comment ? "; that is a comment: --header=N skips N lines" : "");
}

static em_status choose_columns(const em_read_options *options, const char *path, const char *header,
                                const char *header_end, bool is_comment, em_text_layout *layout, em_error *error)
{
    const char *at = options->columns;
    uint32_t columns[3] = {0}, n_columns = 0;
    while (at && n_columns < 3) {
        const size_t n = strcspn(at, ",");
        const em_status status = find_column(options, path, at, n, layout->separator, header, header_end, is_comment,
                                             &columns[n_columns++], error);
        if (status != EM_OK)
            return status;
        at = at[n] ? at + n + 1 : NULL;
    }
    if (at || n_columns < 2)
        return em_fail(error, EM_USAGE, "--columns=%s: wanted two or three columns, S,D or S,D,W", options->columns);
    if (columns[0] == columns[1] || columns[2] == columns[0] || columns[2] == columns[1])
        return em_fail(error, EM_USAGE, "--columns=%s: a column is named twice", options->columns);
    layout->source_column = columns[0];
    layout->target_column = columns[1];
    layout->weight_column = columns[2];
    return EM_OK;
}

static void choose_weights(const em_read_options *options, em_field third, em_text_layout *layout)
{
    static const em_weight_kind kinds[] = {
        [EM_WEIGHTS_AUTO] = EM_WEIGHT_I64, [EM_WEIGHTS_NONE] = EM_WEIGHT_NONE, [EM_WEIGHTS_I32] = EM_WEIGHT_I32,
        [EM_WEIGHTS_I64] = EM_WEIGHT_I64,  [EM_WEIGHTS_F32] = EM_WEIGHT_F32,   [EM_WEIGHTS_F64] = EM_WEIGHT_F64};
    layout->weight_kind = kinds[options->weights];
    layout->weights_auto = options->weights == EM_WEIGHTS_AUTO;
    if (options->weights == EM_WEIGHTS_NONE)
        layout->weight_column = 0;
    else if (!options->columns) {
        em_weight weight;
        const em_number_status number =
            third.begin ? em_parse_weight(third.begin, third.end, EM_WEIGHT_F64, &weight) : EM_NUMBER_BAD;
        layout->weight_column = !layout->weights_auto || (number != EM_NUMBER_BAD && third.begin < third.end) ? 3 : 0;
    } else if (!layout->weights_auto && !layout->weight_column) {
        layout->weight_column = 3;
    }
    if (!layout->weight_column)
        layout->weight_kind = EM_WEIGHT_NONE;
}

static em_label_line line_at(const head_lines *lines, uint64_t begin, uint64_t end, uint64_t number)
{
    const char *const text = lines->text;
    end -= end > begin && text[end - 1] == '\r';
    return (em_label_line){text + begin, text + end, number};
}

/* Skips the header: physical lines, whatever they hold. [*begin, *end) is where names of columns stand: the first of
 * them that is no comment, or else a comment behind its mark. */
static em_status skip_header(head_lines *lines, const em_text_layout *layout, uint32_t n_lines, uint64_t *begin,
                             uint64_t *end, em_error *error)
{
    bool named = false, found = true;
    *begin = *end = 0;
    for (uint32_t i = 0; i < n_lines && found; i++) {
        uint64_t first = 0, last = 0;
        const em_status status = next_line(lines, &first, &last, &found, error);
        if (status != EM_OK)
            return status;
        const em_line_kind kind = em_text_line_kind(layout, lines->text + first, lines->text + last);
        if (!found || named || kind == EM_LINE_BLANK || (kind == EM_LINE_COMMENT && *end > *begin))
            continue;
        named = kind == EM_LINE_ARC;
        if (kind == EM_LINE_COMMENT) {
            while (lines->text[first] == ' ' || lines->text[first] == '\t')
                first++;
            first += lines->text[first] == '/' ? 2 : 1;
        }
        *begin = first;
        *end = last;
    }
    return EM_OK;
}

em_status em_text_head_read(em_source *source, const em_read_options *options, em_text_head *head, em_error *error)
{
    *head = (em_text_head){0};
    em_text_layout *const layout = &head->layout;
    layout->comment = options->comment;
    layout->base = options->base;
    layout->separator = options->separator ? options->separator : ' ';
    const char *const path = em_source_path(source);
    head_lines lines = {.source = source};
    em_status status = peek_more(&lines, error);
    if (status != EM_OK)
        return status;
    const unsigned char *const bytes = (const unsigned char *)lines.text;
    if (lines.n_bytes >= 2 && ((bytes[0] == 0xff && bytes[1] == 0xfe) || (bytes[0] == 0xfe && bytes[1] == 0xff)))
        return em_fail(error, EM_MALFORMED, "%s:1:1: " EM_UTF_16, path);
    if (lines.n_bytes >= 3 && bytes[0] == 0xef && bytes[1] == 0xbb && bytes[2] == 0xbf)
        lines.at = 3;
    uint64_t begin = 0, end = 0, header_begin, header_end;
    if ((status = skip_header(&lines, layout, options->header_lines, &header_begin, &header_end, error)) != EM_OK)
        return status;
    head->data_offset = lines.at;
    head->n_lines_before = lines.n_lines;
    lines.strict = options->on_error == EM_ON_ERROR_FAIL;
    if ((status = next_data_line(&lines, head, &begin, &end, error)) != EM_OK)
        return status;
    const bool labels = options->ids == EM_IDS_STRING;
    if (labels) { /* behind the first data line nothing is a comment */
        head->data_offset = head->has_data_line ? begin : lines.at;
        head->n_lines_before = lines.n_lines - head->has_data_line;
    }
    const uint64_t line_number = lines.n_lines;
    const bool may_be_header = labels && head->has_data_line && !options->header_lines && !options->no_header;
    uint64_t second_begin = 0, second_end = 0;
    bool has_second = false;
    if (may_be_header &&
        (status = next_label_line(&lines, layout, &second_begin, &second_end, &has_second, error)) != EM_OK)
        return status;
    const char *const line = lines.text + begin;
    const char *line_end = lines.text + end;
    if (head->has_data_line && line_end > line && line_end[-1] == '\r')
        line_end--;
    if (!options->separator &&
        (status = guess_separator(options, head, path, line_number, line, line_end, error)) != EM_OK)
        return status;
    layout->source_column = 1;
    layout->target_column = 2;
    const char *const header = header_end > header_begin ? lines.text + header_begin : NULL;
    const char *trimmed = lines.text + header_end;
    if (header && trimmed[-1] == '\r')
        trimmed--;
    const bool is_comment =
        header && header_begin > 0 && header[-1] != '\n' && header[-1] != '\xbf'; /* behind its mark */
    if (options->columns &&
        (status = choose_columns(options, path, header, trimmed, is_comment, layout, error)) != EM_OK)
        return status;
    em_field third = {0};
    const uint32_t n_fields =
        head->has_data_line ? count_fields(layout->separator, labels, line, line_end, &third, 3) : 0;
    choose_weights(options, third, layout);
    if (may_be_header) {
        const em_label_line first = line_at(&lines, begin, end, line_number);
        const em_label_line second =
            has_second ? line_at(&lines, second_begin, second_end, lines.n_lines) : (em_label_line){0};
        const uint32_t third_column = options->columns || options->weights == EM_WEIGHTS_NONE ? 0 : 3;
        status = em_label_check_header(layout, layout->weight_column ? layout->weight_column : third_column, path,
                                       &first, &second, error);
        if (status != EM_OK)
            return status;
    }
    layout->plain = !labels && layout->source_column == 1 && layout->target_column == 2 &&
                    (layout->weight_column == 3 || layout->weight_column == 0);
    head->extra = n_fields > (layout->weight_column ? 3u : 2u);
    return EM_OK;
}
