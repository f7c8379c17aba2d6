/* spec - see spec.h. One pass over the text, a character at a time.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/chain.h"

#include <stdio.h>
#include <string.h>

static const em_macro macros[] = {
#define MACRO(name, summary, ...) {name, summary, {__VA_ARGS__, NULL}},
#include "pipeline/macro_list.inc"
#undef MACRO
};

const em_macro *em_macro_at(size_t i)
{
    return i < sizeof macros / sizeof *macros ? &macros[i] : NULL;
}

/* --- places ------------------------------------------------------------------------------------------------ */

char *em_spec_place_text(char *text, size_t n_bytes, const em_spec_place *place)
{
    *text = 0;
    if (place->column && place->origin)
        snprintf(text, n_bytes, "%s:%u:%u: ", place->origin, place->line, place->column);
    else if (place->column && place->many_lines)
        snprintf(text, n_bytes, "line %u, column %u: ", place->line, place->column);
    else if (place->column)
        snprintf(text, n_bytes, "column %u: ", place->column);
    return text;
}

void em_spec_place_error(em_error *error, const em_spec_place *place)
{
    char where[EM_MESSAGE_BYTES / 2], message[EM_MESSAGE_BYTES];
    if (!error || error->status == EM_OK)
        return;
    const size_t n = strlen(em_spec_place_text(where, sizeof where, place));
    memcpy(message, error->message, sizeof message);
    snprintf(error->message, sizeof error->message, "%s%.*s", where, (int)(EM_MESSAGE_BYTES - 1 - n), message);
}

/* --- words ------------------------------------------------------------------------------------------------- */

/* A text that is read, and the words of the stage at hand. */
typedef struct spec_reader {
    em_pipeline *pipeline;
    const char *at;
    em_spec_place place;    /* of `at` */
    em_spec_place stage;    /* of the first word */
    em_spec_place bar;      /* of the last |, column 0 before the first */
    char **words, *letters; /* room for all words of the text */
    em_spec_point *points;  /* where the letters stand, those of a stage one behind another */
    uint32_t n_words;
} spec_reader;

static em_status refuse(const em_spec_place *place, const char *what, em_error *error)
{
    const em_status status = em_fail(error, EM_USAGE, "%s", what);
    em_spec_place_error(error, place);
    return status;
}

static void advance(spec_reader *reader)
{
    if (*reader->at == '\n') {
        reader->place.line++;
        reader->place.column = 1;
    } else if ((reader->at[1] & 0xC0) != 0x80) { /* the next byte begins a character */
        reader->place.column++;
    }
    reader->at++;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_letter_or_digit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static void put(spec_reader *reader, char letter)
{
    *reader->letters++ = letter;
    *reader->points++ = (em_spec_point){reader->place.line, reader->place.column};
}

static void take(spec_reader *reader)
{
    put(reader, *reader->at);
    advance(reader);
}

static em_status take_quoted(spec_reader *reader, em_error *error)
{
    const em_spec_place opened = reader->place;
    const char quote = *reader->at;
    for (advance(reader); *reader->at != quote; take(reader)) {
        if (quote == '"' && *reader->at == '\\' && (reader->at[1] == '"' || reader->at[1] == '\\'))
            advance(reader);
        if (!*reader->at)
            return refuse(&opened, quote == '"' ? "this \" is not closed" : "this ' is not closed", error);
    }
    advance(reader);
    return EM_OK;
}

static em_status take_escaped(spec_reader *reader, em_error *error)
{
    const em_spec_place place = reader->place;
    advance(reader);
    if (!*reader->at)
        return refuse(&place, "a backslash at the end", error);
    if (is_letter_or_digit(*reader->at))
        return refuse(&place,
                      "a backslash in front of a letter or digit: it stands in front of blanks, quotes, | and #; put "
                      "what has backslashes in single quotes",
                      error);
    if (*reader->at == '\n') /* the line goes on */
        advance(reader);
    else
        take(reader);
    return EM_OK;
}

static em_status read_word(spec_reader *reader, em_error *error)
{
    em_status status = EM_OK;
    if (reader->n_words == 0)
        reader->stage = reader->place;
    reader->words[reader->n_words++] = reader->letters;
    em_spec_point *const first = reader->points;
    const em_spec_point begin = {reader->place.line, reader->place.column};
    while (*reader->at && *reader->at != '|' && !is_blank(*reader->at) && status == EM_OK) {
        if (*reader->at == '\'' || *reader->at == '"')
            status = take_quoted(reader, error);
        else if (*reader->at == '\\')
            status = take_escaped(reader, error);
        else
            take(reader);
    }
    put(reader, 0);
    *first = begin; /* a word begins with its quote */
    return status;
}

static void skip_blanks(spec_reader *reader)
{
    while (is_blank(*reader->at) || *reader->at == '#' || (*reader->at == '\\' && reader->at[1] == '\n')) {
        if (*reader->at == '#') {
            while (*reader->at && *reader->at != '\n')
                advance(reader);
        } else {
            advance(reader);
        }
    }
}

/* The words up to the next | or the end. */
static em_status read_stage(spec_reader *reader, em_error *error)
{
    em_status status = EM_OK;
    reader->n_words = 0;
    skip_blanks(reader);
    while (*reader->at && *reader->at != '|' && status == EM_OK) {
        status = read_word(reader, error);
        skip_blanks(reader);
    }
    if (status != EM_OK)
        return status;
    if (*reader->at == '|' && reader->at[1] == '|')
        return refuse(&reader->place, "an empty stage between | and |; an expression with || stands in quotes", error);
    if (reader->n_words)
        return EM_OK;
    if (*reader->at == '|')
        return refuse(&reader->place, "an empty stage in front of this |", error);
    return reader->bar.column ? refuse(&reader->bar, "an empty stage behind this |", error)
                              : em_fail(error, EM_USAGE, "an empty pipeline");
}

/* --- stages ------------------------------------------------------------------------------------------------ */

/* `points` of the letters of the stage's words. */
static em_status add_stage(spec_reader *reader, const em_spec_point *points, em_error *error)
{
    for (size_t i = 0; i < sizeof macros / sizeof *macros; i++) {
        if (strcmp(macros[i].name, reader->words[0]) != 0)
            continue;
        char what[160];
        em_spec_place second = reader->stage;
        const em_spec_point *const point = &points[strlen(reader->words[0]) + 1];
        snprintf(what, sizeof what, "%s is %s, and takes no options", macros[i].name, macros[i].summary);
        if (reader->n_words > 1) {
            second.line = point->line;
            second.column = point->column;
            return refuse(&second, what, error);
        }
        em_status status = EM_OK;
        for (int k = 0; macros[i].stages[k] && status == EM_OK; k++)
            status = em_pipeline_add_at(reader->pipeline, 1, (char *[]){(char *)macros[i].stages[k], NULL},
                                        &reader->stage, NULL, error);
        return status;
    }
    return em_pipeline_add_at(reader->pipeline, (int)reader->n_words, reader->words, &reader->stage, points, error);
}

em_status em_pipeline_add_spec_from(em_pipeline *pipeline, const char *text, const char *origin, em_error *error)
{
    const uint64_t n = strlen(text), n_pointers = n / 2 + 2, n_letters = n + 2;
    const uint64_t n_bytes = n_pointers * sizeof(char *) + n_letters * (sizeof(em_spec_point) + 1);
    const char *const line_end = strchr(text, '\n');
    const uint32_t n_links = pipeline->n_links;
    spec_reader reader = {.pipeline = pipeline, .at = text, .place = {origin, 1, 1, line_end && line_end[1]}};
    void *memory;
    em_status status = em_allocate(pipeline->context, n_bytes, &memory, error);
    if (status != EM_OK)
        return status;
    if (strncmp(text, "\xEF\xBB\xBF", 3) == 0) /* a byte order mark is no character of the text */
        reader.at += 3;
    for (bool more = true; more && status == EM_OK;) {
        reader.words = memory;
        em_spec_point *const points = (em_spec_point *)(reader.words + n_pointers);
        reader.points = points;
        reader.letters = (char *)(points + n_letters);
        status = read_stage(&reader, error);
        if (status == EM_OK)
            status = add_stage(&reader, points, error);
        more = *reader.at == '|';
        reader.bar = reader.place;
        if (more)
            advance(&reader);
    }
    em_free(pipeline->context, memory, n_bytes);
    if (status != EM_OK)
        em_pipeline_drop_links(pipeline, n_links);
    return status;
}

em_status em_pipeline_add_spec(em_pipeline *pipeline, const char *text, em_error *error)
{
    return em_pipeline_add_spec_from(pipeline, text, NULL, error);
}
