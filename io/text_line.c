/* text_line - see text_line.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/text_line.h"

#include <stdarg.h>
#include <stdio.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

const char *em_quote_token(const char *begin, const char *end, char text[static 176])
{
    enum { MOST = 40 };
    char *out = text;
    *out++ = '\'';
    const char *at = begin;
    for (; at < end && at - begin < MOST; at++) {
        const unsigned char c = (unsigned char)*at;
        if (c < 0x20 || c == 0x7f)
            out += sprintf(out, "\\x%02x", c);
        else
            *out++ = (char)c;
    }
    strcpy(out, at < end ? "…'" : "'");
    return text;
}

em_field_cursor em_fields(char separator, const char *begin, const char *end)
{
    return (em_field_cursor){.at = begin, .end = end, .separator = separator};
}

static int next_blank_separated(em_field_cursor *cursor, em_field *field)
{
    while (cursor->at < cursor->end && is_blank(*cursor->at))
        cursor->at++;
    if (cursor->at == cursor->end)
        return 0;
    field->begin = cursor->at;
    while (cursor->at < cursor->end && !is_blank(*cursor->at))
        cursor->at++;
    field->end = cursor->at;
    return 1;
}

const char *em_closing_quote(const char *at, const char *end)
{
    for (; at < end; at++)
        if (*at == '"') {
            if (at + 1 < end && at[1] == '"')
                at++;
            else
                return at;
        }
    return NULL;
}

int em_next_field(em_field_cursor *cursor, em_field *field)
{
    if (cursor->separator == ' ')
        return next_blank_separated(cursor, field);
    if (cursor->done)
        return 0;
    const char *at = cursor->at, *const end = cursor->end, separator = cursor->separator;
    while (at < end && is_blank(*at) && *at != separator)
        at++;
    const bool quoted = at < end && *at == '"';
    if (quoted) {
        field->begin = at + 1;
        const char *quote = em_closing_quote(at + 1, end);
        if (!quote)
            return -1;
        field->end = quote;
        at = quote + 1;
    } else {
        field->begin = at;
    }
    const char *rest = at < end ? memchr(at, separator, (size_t)(end - at)) : NULL;
    cursor->done = !rest;
    const char *stop = rest ? rest : end;
    cursor->at = rest ? rest + 1 : end;
    if (!quoted) {
        while (stop > field->begin && is_blank(stop[-1]))
            stop--;
        field->end = stop;
    } else if (stop > at) { /* text behind the closing quote belongs to no field: keep it, so that no number fits */
        while (stop > at && is_blank(stop[-1]))
            stop--;
        if (stop > at)
            *field = (em_field){field->begin - 1, stop};
    }
    return 1;
}

void em_line_fault_at(em_line_fault *fault, const char *line, const char *at, const char *format, ...)
{
    fault->column = (uint32_t)(at - line) + 1;
    va_list words;
    va_start(words, format);
    vsnprintf(fault->what, sizeof fault->what, format, words);
    va_end(words);
}

em_line_kind em_text_line_kind(const em_text_layout *layout, const char *begin, const char *end)
{
    if (end > begin && end[-1] == '\r')
        end--;
    while (begin < end && is_blank(*begin))
        begin++;
    if (begin == end)
        return EM_LINE_BLANK;
    if (layout->comment)
        return *begin == layout->comment ? EM_LINE_COMMENT : EM_LINE_ARC;
    const bool comment = *begin == '#' || *begin == '%' || (*begin == '/' && begin + 1 < end && begin[1] == '/');
    return comment ? EM_LINE_COMMENT : EM_LINE_ARC;
}

/* What may help with a token that is no id. */
static const char *id_hint(const em_text_layout *layout, em_field token)
{
    const size_t n = (size_t)(token.end - token.begin);
    const char *const others = layout->separator == ' ' ? ",;|" : " \t,;|";
    for (const char *other = others; *other; other++)
        if (*other != layout->separator && memchr(token.begin, *other, n))
            return layout->separator == ' ' ? "; the fields of this file are separated by blanks: mixed separators, or "
                                              "name one with --separator"
                                            : "; the fields of this file are separated by another character: mixed "
                                              "separators, or name one with --separator";
    if (n && ((*token.begin | 0x20) >= 'a' && (*token.begin | 0x20) <= 'z'))
        return "; a line of column names? --header skips it";
    return "";
}

static bool parse_id(const em_text_layout *layout, const char *line, em_field token, const char *role, uint64_t *id,
                     em_line_fault *fault)
{
    char text[176];
    if (token.begin == token.end) {
        em_line_fault_at(fault, line, token.begin, "the %s column is empty in %s", role,
                         em_quote_token(line, token.end, text));
        return false;
    }
    switch (em_parse_id(token.begin, token.end, id)) {
    case EM_NUMBER_OK:
        break;
    case EM_NUMBER_NEGATIVE:
        em_line_fault_at(fault, line, token.begin, "negative vertex id %s",
                         em_quote_token(token.begin, token.end, text));
        return false;
    case EM_NUMBER_OVERFLOW:
        em_line_fault_at(fault, line, token.begin, "vertex id %s is above the largest possible, 9223372036854775806",
                         em_quote_token(token.begin, token.end, text));
        return false;
    default:
        em_line_fault_at(fault, line, token.begin, "%s is no vertex id (digits only)%s",
                         em_quote_token(token.begin, token.end, text), id_hint(layout, token));
        return false;
    }
    if (*id < layout->base) {
        em_line_fault_at(fault, line, token.begin, "vertex id %s in an input whose smallest id is %u (--base=%u)",
                         em_quote_token(token.begin, token.end, text), layout->base, layout->base);
        return false;
    }
    *id -= layout->base;
    if (layout->vertices && !em_vertex_set_has(layout->vertices, *id)) {
        em_line_fault_at(fault, line, token.begin, "vertex id %s is not in the list of %s",
                         em_quote_token(token.begin, token.end, text), layout->id_limit_origin);
        return false;
    }
    if (*id >= layout->id_limit) {
        em_line_fault_at(fault, line, token.begin, "vertex id %s is past the last vertex of %s",
                         em_quote_token(token.begin, token.end, text), layout->id_limit_origin);
        return false;
    }
    return true;
}

bool em_text_parse_weight(const em_text_layout *layout, const char *line, em_field token, em_weight_kind kind,
                          em_text_arc *arc, em_line_fault *fault)
{
    if (layout->weights_auto && kind == EM_WEIGHT_I64 && !em_spelled_as_integer(token.begin, token.end))
        kind = EM_WEIGHT_F64;
    /* An integer goes through i64 even where floats around it decide the type: it must fit, and -0 is 0 wherever it
     * stands. */
    const bool integer = layout->weights_auto && kind == EM_WEIGHT_F64 && em_spelled_as_integer(token.begin, token.end);
    if (integer)
        kind = EM_WEIGHT_I64;
    arc->weight_kind = kind;
    const em_number_status number = em_parse_weight(token.begin, token.end, kind, &arc->weight);
    if (number == EM_NUMBER_OK && integer) {
        const int64_t exact = arc->weight.value.i64;
        arc->weight_kind = EM_WEIGHT_F64;
        arc->weight.value.f64 = (double)exact;
        arc->weight.rounded = !em_is_exact_f64(exact);
    }
    if (number == EM_NUMBER_OK)
        return true;
    char text[176];
    const char *const quoted = em_quote_token(token.begin, token.end, text);
    switch (number) {
    case EM_NUMBER_NOT_FINITE:
        em_line_fault_at(fault, line, token.begin, "weight %s is not finite", quoted);
        return false;
    case EM_NUMBER_FRACTION:
        em_line_fault_at(fault, line, token.begin,
                         "weight %s is not spelled as an integer, and --weights=%s asks for one", quoted,
                         em_weight_name(kind));
        return false;
    case EM_NUMBER_OVERFLOW:
        em_line_fault_at(fault, line, token.begin, "weight %s does not fit %s%s", quoted, em_weight_name(kind),
                         kind == EM_WEIGHT_I64 && layout->weights_auto ? "; --weights=f64 rounds it" : "");
        return false;
    default:
        em_line_fault_at(fault, line, token.begin, "weight %s is not a number; --weights=none ignores the column",
                         quoted);
        return false;
    }
}

em_line_kind em_text_parse_line(const em_text_layout *layout, const char *begin, const char *end, em_weight_kind kind,
                                em_text_arc *arc, em_line_fault *fault)
{
    char text[176];
    const char *const nul = memchr(begin, 0, (size_t)(end - begin));
    if (nul) {
        em_line_fault_at(fault, begin, nul, EM_NUL_BYTE);
        return EM_LINE_BAD;
    }
    const em_line_kind found = em_text_line_kind(layout, begin, end);
    if (found != EM_LINE_ARC)
        return found;
    if (end[-1] == '\r')
        end--;
    *arc = (em_text_arc){0};
    em_field source = {0}, target = {0}, weight = {0}, field;
    em_field_cursor cursor = em_fields(layout->separator, begin, end);
    uint32_t n_columns = 0;
    const uint32_t most = layout->source_column > layout->target_column ? layout->source_column : layout->target_column;
    const uint32_t last = most > layout->weight_column ? most : layout->weight_column;
    for (int got; (got = em_next_field(&cursor, &field)) != 0;) {
        if (got < 0) {
            em_line_fault_at(fault, begin, field.begin - 1, "a quoted field does not end on its line: %s",
                             em_quote_token(field.begin - 1, end, text));
            return EM_LINE_BAD;
        }
        n_columns++;
        if (n_columns == layout->source_column)
            source = field;
        if (n_columns == layout->target_column)
            target = field;
        if (n_columns == layout->weight_column)
            weight = field;
        arc->extra_columns |= n_columns > last && field.begin < field.end;
    }
    if (source.begin && !parse_id(layout, begin, source, "source", &arc->source, fault))
        return EM_LINE_BAD;
    if (n_columns < most) {
        em_line_fault_at(fault, begin, end, "%u column%s where the target is column %u: %s%s", n_columns,
                         n_columns == 1 ? "" : "s", most, em_quote_token(begin, end, text),
                         layout->separator == ' ' ? "" : "; a wrong --separator?");
        return EM_LINE_BAD;
    }
    if (!parse_id(layout, begin, target, "target", &arc->target, fault))
        return EM_LINE_BAD;
    if (!layout->weight_column)
        return EM_LINE_ARC;
    if (!weight.begin || weight.begin == weight.end) {
        em_line_fault_at(fault, begin, end, "no weight in column %u: %s; --weights=none reads the arcs alone",
                         layout->weight_column, em_quote_token(begin, end, text));
        return EM_LINE_BAD;
    }
    return em_text_parse_weight(layout, begin, weight, kind, arc, fault) ? EM_LINE_ARC : EM_LINE_BAD;
}
