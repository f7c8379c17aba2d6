/* scan_number - numbers of the command scan as text: what is read, exactly, and what is printed.
 *
 * A text is looked through twice: once to count its numbers and to see whether all are integers, once to read them, so
 * that an array of the right size and type can be made in between.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/text_number.h"
#include "pipeline/cli/scan.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const uint32_t TYPE_BYTES[EM_N_TYPES] = {4, 4, 8, 8, 4, 8};

static bool is_float(em_type type)
{
    return type == EM_F32 || type == EM_F64;
}

static bool is_arg(em_operator operation)
{
    return operation == EM_ARG_MIN || operation == EM_ARG_MAX;
}

static uint32_t n_numbers(em_operator operation)
{
    if (operation == EM_MAT2 || operation == EM_MAT2_PRIME)
        return 4;
    return operation == EM_AFFINE ? 2 : 1;
}

/* --- words of a text ------------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

typedef struct cursor {
    const char *at, *end;
    bool after_number; /* since the last comma: else a comma has nothing before it */
} cursor;

static cursor start(const em_scan_text *text)
{
    cursor c = {text->bytes, text->bytes + text->n_bytes, false};
    if (text->n_bytes >= 3 && memcmp(c.at, "\xEF\xBB\xBF", 3) == 0)
        c.at += 3;
    return c;
}

/* Finds the next word [*begin, c->at); a comma without a number before it is one. False: there are none left. */
static bool next_word(cursor *c, const char **begin)
{
    while (c->at < c->end && (is_blank(*c->at) || (*c->at == ',' && c->after_number))) {
        if (*c->at == ',')
            c->after_number = false;
        c->at++;
    }
    *begin = c->at;
    if (c->at == c->end)
        return false;
    if (*c->at == ',')
        return c->at++, true;
    while (c->at < c->end && !is_blank(*c->at) && *c->at != ',')
        c->at++;
    return c->after_number = true;
}

static bool all_integers(const char *at, const char *end)
{
    for (const char *part = at;; part = at + 1) {
        at = memchr(part, ':', (size_t)(end - part));
        const char *part_end = at ? at : end;
        const char *index = memchr(part, '@', (size_t)(part_end - part));
        if (!em_spelled_as_integer(part, index ? index : part_end))
            return false;
        if (!at)
            return true;
    }
}

void em_scan_survey_text(em_scan_survey *survey, const em_scan_text *text)
{
    cursor c = start(text);
    const char *begin;
    while (next_word(&c, &begin)) {
        survey->n_items++;
        survey->fractions = survey->fractions || !all_integers(begin, c.at);
    }
}

em_type em_scan_suitable_type(const em_context *context, em_operator operation, bool fractions)
{
    static const em_type ORDER[2][5] = {{EM_I64, EM_U64, EM_U32, EM_F64, EM_F32},
                                        {EM_F64, EM_F32, EM_I64, EM_U64, EM_U32}};
    for (int i = 0; i < 5; i++)
        if (em_monoid_of(context, operation, ORDER[fractions][i]))
            return ORDER[fractions][i];
    return EM_I64;
}

/* --- one number -------------------------------------------------------------------------------------------- */

/* [sign] digits. */
typedef struct integer {
    bool negative, overflow;
    uint64_t magnitude;
} integer;

static bool parse_integer(const char *at, const char *end, integer *number)
{
    *number = (integer){0};
    if (at < end && (*at == '-' || *at == '+'))
        number->negative = *at++ == '-';
    if (at == end)
        return false;
    for (; at < end; at++) {
        if (*at < '0' || *at > '9')
            return false;
        number->overflow |= __builtin_mul_overflow(number->magnitude, UINT64_C(10), &number->magnitude) |
                            __builtin_add_overflow(number->magnitude, (uint64_t)(*at - '0'), &number->magnitude);
    }
    return true;
}

/* The magnitudes that fit. */
static uint64_t limit(em_type type, bool negative)
{
    static const uint64_t LARGEST[] = {UINT32_MAX, INT32_MAX, UINT64_MAX, INT64_MAX};
    if (!negative)
        return LARGEST[type];
    return type == EM_U32 || type == EM_U64 ? 0 : LARGEST[type] + 1;
}

/* Where a word stands, for messages. */
typedef struct word {
    const em_scan_words *words;
    const em_scan_text *text;
    const char *begin, *end;
} word;

/* "FILE:LINE:COLUMN: 'word'" with what is not printable left out. */
static em_status refuse(const word *at, em_error *error, const char *format, ...) __attribute__((format(printf, 3, 4)));
static em_status refuse(const word *at, em_error *error, const char *format, ...)
{
    enum { MOST = 60 };
    char place[PATH_MAX + 64], shown[MOST + 4], why[512];
    size_t n = 0;
    for (const char *c = at->begin; c < at->end && n < MOST; c++)
        shown[n++] = (char)((unsigned char)*c < ' ' || *c == 127 ? '?' : *c);
    snprintf(shown + n, sizeof shown - n, "%s", at->end - at->begin > MOST ? "..." : "");
    uint64_t line = 1;
    const char *line_begin = at->text->bytes, *newline;
    while ((newline = memchr(line_begin, '\n', (size_t)(at->begin - line_begin)))) {
        line_begin = newline + 1;
        line++;
    }
    if (at->text->name)
        snprintf(place, sizeof place, "%s:%" PRIu64 ":%td", at->text->name, line, at->begin - line_begin + 1);
    else if (at->text->operand)
        snprintf(place, sizeof place, "operand %d", at->text->operand);
    else
        snprintf(place, sizeof place, "--initial");
    va_list list;
    va_start(list, format);
    vsnprintf(why, sizeof why, format, list);
    va_end(list);
    return em_fail(error, at->text->name || at->text->operand ? EM_MALFORMED : EM_USAGE, "%s: '%s' %s", place, shown,
                   why);
}

/* The first type that holds the integer and that the operator has. */
static const char *wider(const em_scan_words *words, const integer *number)
{
    for (int type = EM_U32; type <= EM_I64; type++)
        if (!number->overflow && number->magnitude <= limit((em_type)type, number->negative) &&
            em_monoid_of(words->context, words->operation, (em_type)type))
            return em_type_name((em_type)type);
    for (int type = EM_F64; type >= EM_F32; type--)
        if (em_monoid_of(words->context, words->operation, (em_type)type))
            return em_type_name((em_type)type);
    return NULL;
}

static em_status refuse_integer(const word *at, const integer *number, em_error *error)
{
    const em_type type = at->words->type;
    const char *other = wider(at->words, number);
    if (limit(type, number->negative) == 0 && number->negative)
        return refuse(at, error, "is below 0, and the type is %s%s%s%s", em_type_name(type), other ? "; --type=" : "",
                      other ? other : "", other ? " reads it" : "");
    return refuse(at, error, "does not fit %s, which ends at %s%" PRIu64 "%s%s%s", em_type_name(type),
                  number->negative ? "-" : "", limit(type, number->negative), other ? "; --type=" : "",
                  other ? other : "", other ? " reads it" : "");
}

/* Why [begin, end) is no integer, or no number at all. */
static em_status refuse_number(const word *at, const char *begin, const char *end, em_error *error)
{
    em_weight number;
    const em_number_status why = em_parse_weight(begin, end, EM_WEIGHT_F64, &number);
    if (begin < end && *begin == ',')
        return refuse(at, error, "has no number before it");
    if (why == EM_NUMBER_NOT_FINITE)
        return refuse(at, error, "is not finite");
    if (is_float(at->words->type) && (why == EM_NUMBER_OK || why == EM_NUMBER_OVERFLOW))
        return refuse(at, error, "is too large for %s%s", em_type_name(at->words->type),
                      why == EM_NUMBER_OK ? "; --type=f64 reads it" : "");
    if (why == EM_NUMBER_OK || why == EM_NUMBER_OVERFLOW)
        return refuse(at, error, "is no integer, and the type is %s%s", em_type_name(at->words->type),
                      em_monoid_of(at->words->context, at->words->operation, EM_F64) ? "; --type=f64 reads it" : "");
    char path[PATH_MAX];
    const size_t n = (size_t)(at->end - at->begin);
    if (!at->text->name && at->text->operand && n < sizeof path) {
        memcpy(path, at->begin, n);
        path[n] = 0;
        if (access(path, F_OK) == 0)
            return refuse(at, error, "is no number; a file is named by --input=FILE");
    }
    if (n_numbers(at->words->operation) == 1 && memchr(at->begin, ':', n))
        return refuse(at, error, "is no number: those of %s are single", em_operator_name(at->words->operation));
    return refuse(at, error, "is no number");
}

/* Reads [begin, end), which is in the word, as a number of the type. */
static em_status read_number(const word *at, const char *begin, const char *end, void *into, em_error *error)
{
    const em_type type = at->words->type;
    if (is_float(type)) {
        em_weight number;
        if (em_parse_weight(begin, end, type == EM_F32 ? EM_WEIGHT_F32 : EM_WEIGHT_F64, &number) != EM_NUMBER_OK)
            return refuse_number(at, begin, end, error);
        memcpy(into, &number.value, TYPE_BYTES[type]);
        return EM_OK;
    }
    integer number;
    if (!parse_integer(begin, end, &number))
        return refuse_number(at, begin, end, error);
    if (number.overflow || number.magnitude > limit(type, number.negative))
        return refuse_integer(at, &number, error);
    const uint64_t value = number.negative ? 0 - number.magnitude : number.magnitude;
    memcpy(into, &value, TYPE_BYTES[type]); /* little-endian: the low bytes are the narrow number */
    return EM_OK;
}

/* --- items ---------------------------------------------------------------------------------------------------- */

static em_status read_item(const word *at, unsigned char *item, em_error *error)
{
    static const char *const PARTS[] = {"", "number", "factor:term", "", "a:b:c:d"};
    const uint32_t n = n_numbers(at->words->operation);
    const char *part = at->begin;
    for (uint32_t i = 0; i < n; i++) {
        const char *colon = n > 1 ? memchr(part, ':', (size_t)(at->end - part)) : NULL;
        if ((colon != NULL) != (i + 1 < n) && *at->begin != ',')
            return refuse(at, error, "is no item of %s: %u numbers are wanted, %s",
                          em_operator_name(at->words->operation), n, PARTS[n]);
        const em_status status =
            read_number(at, part, colon ? colon : at->end, item + i * TYPE_BYTES[at->words->type], error);
        if (status != EM_OK)
            return status;
        part = colon ? colon + 1 : at->end;
    }
    return EM_OK;
}

em_status em_scan_read_text(const em_scan_words *words, const em_scan_text *text, void *items, uint64_t *n_items,
                            em_error *error)
{
    cursor c = start(text);
    word at = {.words = words, .text = text};
    em_status status = EM_OK;
    while (status == EM_OK && next_word(&c, &at.begin)) {
        unsigned char *item = (unsigned char *)items + *n_items * words->monoid->item_bytes;
        at.end = c.at;
        status = read_item(&at, item, error);
        if (is_arg(words->operation))
            memcpy(item + TYPE_BYTES[words->type], n_items, sizeof *n_items);
        ++*n_items;
    }
    return status;
}

em_status em_scan_read_initial(const em_scan_words *words, const char *text, void *element, em_error *error)
{
    _Alignas(16) unsigned char item[32];
    const em_scan_text whole = {.bytes = text, .n_bytes = strlen(text)};
    const char *at_sign = is_arg(words->operation) ? strchr(text, '@') : NULL;
    word at = {words, &whole, text, text + whole.n_bytes};
    if (is_arg(words->operation)) {
        integer index;
        if (!at_sign || !parse_integer(at_sign + 1, at.end, &index) || index.negative || index.overflow ||
            index.magnitude == UINT64_MAX)
            return refuse(&at, error, "is no value with its index, value@index");
        memcpy(item + TYPE_BYTES[words->type], &index.magnitude, sizeof index.magnitude);
        at.end = at_sign;
    }
    const em_status status = read_item(&at, item, error);
    if (status == EM_OK)
        words->monoid->lift(words->monoid, item, element);
    return status;
}

static void put_number(em_type type, uint64_t value, unsigned char *into)
{
    const float f32 = (float)value;
    const double f64 = (double)value;
    if (type == EM_F32)
        memcpy(into, &f32, sizeof f32);
    else if (type == EM_F64)
        memcpy(into, &f64, sizeof f64);
    else
        memcpy(into, &value, TYPE_BYTES[type]);
}

void em_scan_make_item(const em_scan_words *words, uint64_t index, void *item)
{
    static const em_mat2 GENERATORS[2] = {{1, 1, 0, 1}, {1, 0, 1, 1}};
    unsigned char *bytes = item;
    if (n_numbers(words->operation) == 4) {
        memcpy(item, &GENERATORS[index % 2], sizeof *GENERATORS);
        return;
    }
    put_number(words->type, words->operation == EM_AFFINE ? 1 : index, bytes);
    if (words->operation == EM_AFFINE)
        put_number(words->type, index, bytes + TYPE_BYTES[words->type]);
    if (is_arg(words->operation))
        memcpy(bytes + TYPE_BYTES[words->type], &index, sizeof index);
}

/* --- results ---------------------------------------------------------------------------------------------------- */

static char *put_float(char *into, double value, bool single, const em_powers_of_ten *powers)
{
    if (value != value)
        return memcpy(into, "nan", 3), into + 3;
    if (value - value != 0)
        return into + sprintf(into, value < 0 ? "-inf" : "inf");
    return single ? em_put_f32(into, (float)value, powers) : em_put_f64(into, value, powers);
}

static char *put_typed(const em_scan_words *words, em_type type, const void *number, char *into)
{
    uint64_t value = 0;
    float f32;
    double f64;
    switch (type) {
    case EM_F32:
        memcpy(&f32, number, sizeof f32);
        return put_float(into, (double)f32, true, words->powers);
    case EM_F64:
        memcpy(&f64, number, sizeof f64);
        return put_float(into, f64, false, words->powers);
    case EM_I32:
    case EM_I64:
        memcpy(&value, number, TYPE_BYTES[type]);
        return em_put_i64(into, type == EM_I32 ? (int64_t)(int32_t)(uint32_t)value : (int64_t)value);
    default:
        memcpy(&value, number, TYPE_BYTES[type]);
        return em_put_u64(into, value);
    }
}

char *em_scan_put_result(const em_scan_words *words, const void *result, char into[EM_SCAN_WORD_BYTES])
{
    static const em_type WIDE[EM_N_TYPES] = {EM_U64, EM_I64, EM_U64, EM_I64, EM_F32, EM_F64};
    const unsigned char *bytes = result;
    const uint32_t n = n_numbers(words->operation), n_bytes = TYPE_BYTES[words->type];
    uint64_t index;
    char *at = into;
    if (words->operation == EM_SUM_WIDE)
        return put_typed(words, WIDE[words->type], result, into);
    if (is_arg(words->operation)) {
        memcpy(&index, bytes + n_bytes, sizeof index);
        if (index == UINT64_MAX)
            return memcpy(into, "none", 4), into + 4;
        at = put_typed(words, words->type, result, into);
        *at++ = '@';
        return em_put_u64(at, index);
    }
    for (uint32_t i = 0; i < n; i++) {
        if (i)
            *at++ = ':';
        at = put_typed(words, words->type, bytes + i * n_bytes, at);
    }
    return at;
}

char *em_scan_put_element(const em_scan_words *words, const void *element, char into[EM_SCAN_WORD_BYTES])
{
    _Alignas(16) unsigned char result[32];
    words->monoid->lower(words->monoid, element, result);
    return em_scan_put_result(words, result, into);
}
