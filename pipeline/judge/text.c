/* text - edge lists as text, line by line: el and csv.
 *
 * The rules: one separator a file (blanks and tabs, or one character, found behind the first token of the first data
 * line), comment lines, blank lines, CRLF, a BOM, RFC 4180 quotes where the separator is a character or ids are
 * labels. A line is cut into all its fields before any is looked at. Cost: one pass, every line copied once.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/judge/judge.h"

#include <stdlib.h>
#include <string.h>

struct field {
    const char *at;
    size_t n;
};

struct text {
    struct reading *reading;
    const struct options *options;
    const struct input *input;
    char separator; /* 0: no data line yet */
    uint64_t source_column, target_column, weight_column;
    struct field *fields;
    size_t n_fields, capacity;
    char *header;
    bool header_is_comment;
    bool behind_quotes;      /* the line has text behind a closing quote */
    uint64_t n_header_lines; /* passed so far */
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static void add_field(struct text *text, const char *at, size_t n)
{
    if (text->n_fields == text->capacity) {
        text->capacity = text->capacity ? 2 * text->capacity : 8;
        text->fields = grow(text->fields, text->capacity, sizeof *text->fields);
    }
    text->fields[text->n_fields++] = (struct field){at, n};
}

/* A quoted field, unescaped in place; *at ends behind the closing quote. */
static const char *quoted_field(struct text *text, char **at, const char *end)
{
    char *from = *at + 1, *to = from, *begin = from;
    while (from < end && !(*from == '"' && (from + 1 == end || from[1] != '"'))) {
        from += *from == '"';
        *to++ = *from++;
    }
    if (from >= end)
        return "a quote is not closed on its line";
    add_field(text, begin, (size_t)(to - begin));
    *at = from + 1;
    return NULL;
}

static bool separates(char separator, char c)
{
    return separator == ' ' ? is_blank(c) : c == separator;
}

/* Cuts a line into text->fields. NULL, or what is wrong. */
static const char *split(struct text *text, char *line, size_t n)
{
    char *at = line, *end = line + n, separator = text->separator;
    text->n_fields = 0;
    text->behind_quotes = false;
    for (bool more = true; more;) {
        while (at < end && is_blank(*at) && *at != (separator == ' ' ? '\0' : separator))
            at++;
        if (separator == ' ' && at == end)
            return NULL;
        if ((separator != ' ' || text->options->string_ids) && at < end && *at == '"') {
            const char *why = quoted_field(text, &at, end);
            if (why)
                return why;
            while (at < end && is_blank(*at) && separator != ' ' && *at != separator)
                at++;
            if (at < end && !separates(separator, *at)) { /* text behind the closing quote: a field that is no number */
                while (at < end && !separates(separator, *at))
                    at++;
                text->fields[text->n_fields - 1] = (struct field){"\"", 1};
                text->behind_quotes = true;
            }
        } else {
            char *begin = at;
            while (at < end && !separates(separator, *at))
                at++;
            char *stop = at;
            while (stop > begin && is_blank(stop[-1]))
                stop--;
            add_field(text, begin, (size_t)(stop - begin));
        }
        more = at < end;
        at++;
    }
    return NULL;
}

/* What stands behind the first token decides. */
static char find_separator(const char *line, size_t n)
{
    size_t i = 0;
    while (i < n && is_blank(line[i]))
        i++;
    if (i < n && line[i] == '"') {
        for (i++; i < n && line[i] != '"'; i++)
            ;
        i += i < n;
    }
    while (i < n && !is_blank(line[i]) && !strchr(",;|", line[i]))
        i++;
    while (i < n && is_blank(line[i]))
        i++;
    return i < n && line[i] != '\0' && strchr(",;|", line[i]) ? line[i] : ' ';
}

/* A column by its number from 1, or by its name in the header line. */
static uint64_t resolve(struct text *text, const char *word, size_t n)
{
    uint64_t number;
    if (parse_natural(word, n, &number) && number > 0)
        return number;
    for (size_t i = 0; text->header && i < text->n_fields; i++) {
        if (text->fields[i].n == n && memcmp(text->fields[i].at, word, n) == 0)
            return i + 1;
    }
    fail(EXIT_USAGE, "%s: the header has no column %.*s", text->input->path, (int)n, word);
}

static void resolve_columns(struct text *text)
{
    uint64_t *const columns[] = {&text->source_column, &text->target_column, &text->weight_column};
    const char *words = text->options->columns;
    if (text->header) {
        const char *why = split(text, text->header, strlen(text->header));
        if (why)
            fail(EXIT_MALFORMED, "%s:1: %s", text->input->path, why);
    }
    text->weight_column = 0;
    for (int i = 0; words && i < 3; i++) {
        size_t n = strcspn(words, ",");
        *columns[i] = resolve(text, words, n);
        words = words[n] ? words + n + 1 : NULL;
    }
}

/* The first data line tells the separator, where the columns are, and whether there are weights. */
static void begin_data(struct text *text, char *line, size_t n)
{
    enum weight_kind asked = text->options->weights;
    text->separator = text->options->separator ? text->options->separator : find_separator(line, n);
    if (!text->options->separator && text->separator == ' ' && text->options->from == FORMAT_CSV)
        text->separator = ',';
    text->source_column = 1;
    text->target_column = 2;
    text->weight_column = 3;
    if (text->options->columns)
        resolve_columns(text);
    if (asked == WEIGHT_NONE)
        text->weight_column = 0;
    else if (asked != WEIGHT_AUTO && !text->weight_column)
        text->weight_column = 3;
    if (asked == WEIGHT_AUTO && text->weight_column && !text->options->columns) {
        char *copy = memcpy(allocate(n + 1, 1), line, n);
        uint64_t bits;
        bool integer;
        const char *why = split(text, copy, n);
        if (!why && text->n_fields >= 3)
            why = parse_weight(text->fields[2].at, text->fields[2].n, WEIGHT_F64, false, &bits, &integer);
        if (text->n_fields < 3 || (why && (strstr(why, "no number") || strstr(why, "missing"))))
            text->weight_column = 0;
        free(copy);
    }
    tell_weighted(text->reading, text->input->path, text->weight_column > 0);
}

/* The numbers of a line's two labels. Only once all else of the line is right: a line that is skipped names nothing. */
static const char *number_labels(struct text *text, const struct field *from, const struct field *to, uint64_t *source,
                                 uint64_t *target)
{
    struct labels *labels = text->reading->labels;
    if (text->behind_quotes)
        return "text behind a closing quote";
    if (from->n == 0 || to->n == 0)
        return "a label is empty";
    if (text->options->vertices_from) {
        *source = labels_find(labels, from->at, from->n);
        *target = labels_find(labels, to->at, to->n);
        return *source == UINT64_MAX || *target == UINT64_MAX ? "label not in --vertices-from" : NULL;
    }
    *source = labels_add(labels, from->at, from->n);
    *target = labels_add(labels, to->at, to->n);
    return NULL;
}

static const char *parse_line(struct text *text, char *line, size_t n)
{
    uint64_t source = 0, target = 0, bits = 0;
    bool integer = true;
    if (memchr(line, '\0', n))
        return "NUL byte";
    const char *why = split(text, line, n);
    if (why)
        return why;
    if (text->n_fields < text->source_column || text->n_fields < text->target_column)
        return "fewer than two ids";
    const struct field *from = &text->fields[text->source_column - 1], *to = &text->fields[text->target_column - 1];
    const bool strings = text->options->string_ids;
    if (!strings && ((why = parse_id(from->at, from->n, text->options->base, &source)) != NULL ||
                     (why = parse_id(to->at, to->n, text->options->base, &target)) != NULL ||
                     (why = check_arc(text->reading, source, target)) != NULL))
        return why;
    if (text->weight_column) {
        if (text->n_fields < text->weight_column)
            return "weight missing";
        const struct field *weight = &text->fields[text->weight_column - 1];
        why = parse_weight(weight->at, weight->n, text->reading->kind, text->options->weights == WEIGHT_AUTO, &bits,
                           &integer);
        if (why)
            return why;
    }
    if (strings && (why = number_labels(text, from, to, &source, &target)) != NULL)
        return why;
    text->reading->all_integers &= integer;
    take_arc(text->reading, source, target, bits);
    return NULL;
}

static bool is_comment(const struct options *options, const char *line, size_t n)
{
    if (options->comment)
        return line[0] == options->comment;
    return line[0] == '#' || line[0] == '%' || (n > 1 && line[0] == '/' && line[1] == '/');
}

/* Exactly two integers and single blanks or tabs in any number between and around. */
static bool is_pair(const char *line, size_t n)
{
    int tokens = 0;
    for (size_t i = 0; i < n;) {
        if (is_blank(line[i])) {
            i++;
            continue;
        }
        if (line[i] < '0' || line[i] > '9')
            return false;
        while (i < n && line[i] >= '0' && line[i] <= '9')
            i++;
        if (i < n && !is_blank(line[i]))
            return false;
        tokens++;
    }
    return tokens == 2;
}

/* Names of columns stand in the first skipped line that is no comment, or else in a comment behind its mark. */
static void take_header(struct text *text, const char *line, size_t n, size_t blanks, bool comment)
{
    if (blanks == n || (text->header && (comment || !text->header_is_comment)))
        return;
    size_t mark = comment ? blanks + 1 : 0;
    if (comment && line[mark - 1] == '/')
        mark++;
    free(text->header);
    text->header = memcpy(allocate(n - mark + 1, 1), line + mark, n - mark);
    text->header_is_comment = comment;
}

static void read_line(struct text *text, char *line, size_t n, uint64_t number)
{
    text->reading->all_pairs &= !text->options->string_ids && is_pair(line, n);
    if (n > 0 && line[n - 1] == '\r')
        line[--n] = '\0';
    size_t blanks = 0;
    while (blanks < n && is_blank(line[blanks]))
        blanks++;
    /* A label may begin like a comment, so behind the first data line only --comment makes one. */
    const bool may_comment = !text->options->string_ids || text->options->comment || !text->separator;
    const bool comment = blanks < n && may_comment && is_comment(text->options, line + blanks, n - blanks);
    if (text->n_header_lines < text->options->header_lines) {
        text->n_header_lines++;
        take_header(text, line, n, blanks, comment);
        return;
    }
    if (blanks == n || comment)
        return;
    char shown[41] = {0};
    strncpy(shown, line, sizeof shown - 1);
    if (!text->separator)
        begin_data(text, line, n);
    const char *why = parse_line(text, line, n);
    if (why && !text->options->skip_malformed)
        fail(EXIT_MALFORMED, "%s:%llu: %s: %s", text->input->path, (unsigned long long)number, why, shown);
    text->reading->n_skipped += why != NULL;
}

void read_text(struct reading *reading, const struct input *input)
{
    struct text text = {.reading = reading, .options = reading->options, .input = input};
    struct lines *lines = lines_open(input->path, input->file);
    char *line;
    size_t n;
    while (lines_next(lines, &line, &n)) {
        uint64_t number = lines_number(lines);
        if (number == 1 && n >= 2 && (memcmp(line, "\xff\xfe", 2) == 0 || memcmp(line, "\xfe\xff", 2) == 0))
            fail(EXIT_MALFORMED, "%s:1: UTF-16 text", input->path);
        if (number == 1 && n >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0) {
            reading->all_pairs = false;
            line += 3;
            n -= 3;
        }
        read_line(&text, line, n, number);
    }
    lines_close(lines);
    free(text.header);
    free(text.fields);
}
