/* label_line - see label_line.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/label_line.h"

#include "io/label_table.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static const char *without_blanks(const char *begin, const char *end)
{
    while (end > begin && is_blank(end[-1]))
        end--;
    return end;
}

/* A field that begins with a quote, at cursor->at. Where something is wrong field->begin is behind the opening quote.
 */
static int quoted_field(em_field_cursor *cursor, em_label_field *field)
{
    const char *const end = cursor->end, separator = cursor->separator;
    const char *const begin = cursor->at + 1, *const quote = em_closing_quote(begin, end);
    *field = (em_label_field){.begin = begin, .end = quote ? quote : end, .quoted = true};
    if (!quote)
        return -1;
    field->doubled = memchr(begin, '"', (size_t)(quote - begin)) != NULL;
    const char *at = quote + 1;
    if (separator == ' ') {
        if (at < end && !is_blank(*at))
            return -2;
    } else {
        while (at < end && is_blank(*at) && *at != separator)
            at++;
        if (at < end && *at != separator)
            return -2;
    }
    cursor->done = at == end;
    cursor->at = at == end ? end : at + 1;
    return 1;
}

int em_next_label_field(em_field_cursor *cursor, em_label_field *field)
{
    const char separator = cursor->separator;
    if (cursor->done)
        return 0;
    while (cursor->at < cursor->end && is_blank(*cursor->at) && *cursor->at != (separator == ' ' ? 0 : separator))
        cursor->at++;
    if (separator == ' ' && cursor->at == cursor->end)
        return 0;
    if (cursor->at < cursor->end && *cursor->at == '"')
        return quoted_field(cursor, field);
    const char *const begin = cursor->at, *stop;
    if (separator == ' ') {
        for (stop = begin; stop < cursor->end && !is_blank(*stop); stop++)
            ;
    } else {
        stop = begin < cursor->end ? memchr(begin, separator, (size_t)(cursor->end - begin)) : NULL;
        stop = stop ? stop : cursor->end;
    }
    cursor->done = stop == cursor->end;
    cursor->at = cursor->done ? stop : stop + 1;
    *field = (em_label_field){.begin = begin, .end = separator == ' ' ? stop : without_blanks(begin, stop)};
    return 1;
}

uint64_t em_label_undouble(const em_label_field *label, char *into)
{
    char *out = into;
    for (const char *at = label->begin; at < label->end; at++) {
        *out++ = *at;
        at += *at == '"'; /* the second one */
    }
    return (uint64_t)(out - into);
}

static bool check_label(const em_label_field *label, const char *role, const char *line, const char *end,
                        em_line_fault *fault)
{
    char text[176];
    if (label->begin == label->end)
        em_line_fault_at(fault, line, label->begin - label->quoted, "the %s label is empty in %s", role,
                         em_quote_token(line, end, text));
    else if ((uint64_t)(label->end - label->begin) > EM_LABEL_BYTES)
        em_line_fault_at(fault, line, label->begin, "the %s label is longer than %llu bytes: %s", role,
                         (unsigned long long)EM_LABEL_BYTES, em_quote_token(label->begin, label->end, text));
    else
        return true;
    return false;
}

static em_line_kind refuse_quotes(int got, const em_label_field *field, const char *line, const char *end,
                                  em_line_fault *fault)
{
    char text[176];
    if (got == -1)
        em_line_fault_at(fault, line, field->begin - 1, "a quoted field does not end on its line: %s",
                         em_quote_token(field->begin - 1, end, text));
    else
        em_line_fault_at(fault, line, field->end + 1,
                         "text behind a closing quote: %s; inside quotes a quote is doubled",
                         em_quote_token(field->begin - 1, end, text));
    return EM_LINE_BAD;
}

/* Blank lines, comments and NULs; *end moves in front of a carriage return. */
static em_line_kind line_kind(char comment, const char *begin, const char **end, em_line_fault *fault)
{
    const char *const nul = memchr(begin, 0, (size_t)(*end - begin));
    if (nul) {
        em_line_fault_at(fault, begin, nul, EM_NUL_BYTE);
        return EM_LINE_BAD;
    }
    if (*end > begin && (*end)[-1] == '\r')
        --*end;
    while (begin < *end && is_blank(*begin))
        begin++;
    if (begin == *end)
        return EM_LINE_BLANK;
    return comment && *begin == comment ? EM_LINE_COMMENT : EM_LINE_ARC;
}

em_line_kind em_label_parse_line(const em_text_layout *layout, const char *begin, const char *end, em_weight_kind kind,
                                 em_label_arc *arc, em_line_fault *fault)
{
    char text[176];
    const em_line_kind found = line_kind(layout->comment, begin, &end, fault);
    if (found != EM_LINE_ARC)
        return found;
    *arc = (em_label_arc){0};
    em_label_field weight = {0}, field;
    em_field_cursor cursor = em_fields(layout->separator, begin, end);
    uint32_t n_columns = 0;
    const uint32_t most = layout->source_column > layout->target_column ? layout->source_column : layout->target_column;
    const uint32_t last = most > layout->weight_column ? most : layout->weight_column;
    for (int got; (got = em_next_label_field(&cursor, &field)) != 0;) {
        if (got < 0)
            return refuse_quotes(got, &field, begin, end, fault);
        n_columns++;
        if (n_columns == layout->source_column)
            arc->source = field;
        if (n_columns == layout->target_column)
            arc->target = field;
        if (n_columns == layout->weight_column)
            weight = field;
        arc->arc.extra_columns |= n_columns > last && field.begin < field.end;
    }
    if (arc->source.begin && !check_label(&arc->source, "source", begin, end, fault))
        return EM_LINE_BAD;
    if (n_columns < most) {
        em_line_fault_at(fault, begin, end, "%u column%s where the target is column %u: %s%s", n_columns,
                         n_columns == 1 ? "" : "s", most, em_quote_token(begin, end, text),
                         layout->separator == ' ' ? "" : "; a wrong --separator?");
        return EM_LINE_BAD;
    }
    if (!check_label(&arc->target, "target", begin, end, fault))
        return EM_LINE_BAD;
    if (!layout->weight_column)
        return EM_LINE_ARC;
    if (!weight.begin || weight.begin == weight.end) {
        em_line_fault_at(fault, begin, end, "no weight in column %u: %s; --weights=none reads the arcs alone",
                         layout->weight_column, em_quote_token(begin, end, text));
        return EM_LINE_BAD;
    }
    const em_field token = {weight.begin, weight.end};
    return em_text_parse_weight(layout, begin, token, kind, &arc->arc, fault) ? EM_LINE_ARC : EM_LINE_BAD;
}

em_line_kind em_label_parse_entry(char comment, const char *begin, const char *end, em_label_field *label,
                                  em_line_fault *fault)
{
    const em_line_kind found = line_kind(comment, begin, &end, fault);
    if (found != EM_LINE_ARC)
        return found;
    const char *at = begin;
    while (is_blank(*at))
        at++;
    end = without_blanks(at, end);
    *label = (em_label_field){.begin = at, .end = end};
    if (*at == '"') {
        em_field_cursor cursor = {.at = at, .end = end, .separator = '\n'}; /* which is not on the line */
        const int got = quoted_field(&cursor, label);
        if (got < 0)
            return refuse_quotes(got, label, begin, end, fault);
    }
    return check_label(label, "listed", begin, end, fault) ? EM_LINE_ARC : EM_LINE_BAD;
}
