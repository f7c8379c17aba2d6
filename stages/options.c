/* options - see options.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/options.h"

#include "stages/stages.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool em_option(const char *word, const char *name, const char **value)
{
    const size_t n = strlen(name);
    if (strncmp(word, name, n) != 0 || (word[n] != 0 && word[n] != '='))
        return false;
    *value = word[n] ? word + n + 1 : NULL;
    return true;
}

em_status em_option_value(const char *name, const char *value, em_error *error)
{
    if (value && *value)
        return EM_OK;
    return em_point_at(error, value,
                       name[0] == '-' ? em_fail(error, EM_USAGE, "%s needs a value: %s=VALUE", name, name)
                                      : em_fail(error, EM_USAGE, "%s needs a value", name));
}

static em_status parse_number(const char *name, const char *between, const char *value, uint64_t least, uint64_t most,
                              uint64_t *number, em_error *error)
{
    const em_status status = em_option_value(name, value, error);
    if (status != EM_OK)
        return status;
    char *end;
    errno = 0;
    const unsigned long long parsed = strtoull(value, &end, 10);
    if (errno || *end || *value < '0' || *value > '9' || parsed < least || parsed > most)
        return em_point_at(error, value,
                           em_fail(error, EM_USAGE, "%s%s%s: wanted a whole number from %llu to %llu", name, between,
                                   value, (unsigned long long)least, (unsigned long long)most));
    *number = parsed;
    return EM_OK;
}

em_status em_option_number(const char *name, const char *value, uint64_t least, uint64_t most, uint64_t *number,
                           em_error *error)
{
    return parse_number(name, "=", value, least, most, number, error);
}

em_status em_operand_number(const char *stage, const char *word, uint64_t least, uint64_t most, uint64_t *number,
                            em_error *error)
{
    return parse_number(stage, " ", word, least, most, number, error);
}

static em_status parse_choice(const char *name, const char *between, const char *value, const char *const *choices,
                              uint32_t *index, em_error *error)
{
    const em_status status = em_option_value(name, value, error);
    if (status != EM_OK)
        return status;
    char list[256] = "";
    for (uint32_t i = 0; choices[i]; i++) {
        if (strcmp(value, choices[i]) == 0) {
            *index = i;
            return EM_OK;
        }
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", choices[i]);
    }
    return em_point_at(error, value, em_fail(error, EM_USAGE, "%s%s%s: wanted one of %s", name, between, value, list));
}

em_status em_option_choice(const char *name, const char *value, const char *const *choices, uint32_t *index,
                           em_error *error)
{
    return parse_choice(name, "=", value, choices, index, error);
}

em_status em_operand_choice(const char *stage, const char *word, const char *const *choices, uint32_t *index,
                            em_error *error)
{
    return parse_choice(stage, " ", word, choices, index, error);
}

em_status em_option_character(const char *name, const char *value, char *character, em_error *error)
{
    const em_status status = em_option_value(name, value, error);
    if (status != EM_OK)
        return status;
    if (strcmp(value, "tab") == 0 || strcmp(value, "\\t") == 0)
        *character = '\t';
    else if (strcmp(value, "space") == 0)
        *character = ' ';
    else if (value[1] == 0)
        *character = *value;
    else
        return em_point_at(error, value,
                           em_fail(error, EM_USAGE, "%s=%s: wanted one character, or tab, space, \\t", name, value));
    if ((*character >= '0' && *character <= '9') || *character == '.' || *character == '-' || *character == '+' ||
        *character == '"' || *character == '\n' || *character == '\r' || (unsigned char)*character >= 0x80)
        return em_point_at(error, value,
                           em_fail(error, EM_USAGE,
                                   "%s=%s: digits, signs, points, quotes and line ends separate nothing", name, value));
    return EM_OK;
}

/* The option that word number *at is; *at moves on to its value where that is the next word. */
static em_status parse_option(int argc, char **argv, int *at, const em_word_option *known, const char **values,
                              em_error *error)
{
    const char *value, *const word = argv[*at];
    for (int i = 0; known && known[i].name; i++) {
        if (!em_option(word, known[i].name, &value))
            continue;
        if (known[i].kind == EM_WORD_FLAG && value)
            return em_fail(error, EM_USAGE, "%s: %s takes no value", argv[0], known[i].name);
        if (known[i].kind == EM_WORD_VALUE && !value && *at + 1 < argc)
            value = argv[++*at];
        if (values[i] && value) /* one of them would do nothing */
            return em_fail(error, EM_USAGE, "%s: %s is given twice: %s and %s", argv[0], known[i].name, values[i],
                           value);
        values[i] = value ? value : "";
        return known[i].kind == EM_WORD_VALUE ? em_option_value(known[i].name, value, error) : EM_OK;
    }
    return em_fail(error, EM_USAGE, "%s: unknown option '%s'", argv[0], word);
}

em_status em_next_operand(em_words *words, const em_word_option *known, const char **values, const char **operand,
                          em_error *error)
{
    *operand = NULL;
    while (++words->at < words->argc) {
        const char *const word = words->argv[words->at];
        if (words->operands_only || word[0] != '-' || !word[1]) {
            *operand = word;
            return EM_OK;
        }
        words->operands_only = strcmp(word, "--") == 0;
        const em_status status =
            words->operands_only ? EM_OK : parse_option(words->argc, words->argv, &words->at, known, values, error);
        if (status != EM_OK)
            return em_point_at(error, word, status);
    }
    return EM_OK;
}

em_status em_parse_words(int argc, char **argv, const em_word_option *known, const char **values, const char **operand,
                         const char *wanted, em_error *error)
{
    em_words words = {.argc = argc, .argv = argv};
    const char *found = NULL, *word;
    em_status status = em_next_operand(&words, known, values, &word, error);
    for (; status == EM_OK && word; status = em_next_operand(&words, known, values, &word, error)) {
        if (!wanted)
            return em_point_at(error, word, em_fail(error, EM_USAGE, "%s takes no operand: '%s'", argv[0], word));
        if (found)
            return em_point_at(error, word,
                               em_fail(error, EM_USAGE, "%s: one %.*s, not '%s' and '%s'", argv[0],
                                       (int)strcspn(wanted + (*wanted == '['), "]"), wanted + (*wanted == '['), found,
                                       word));
        found = word;
    }
    if (status == EM_OK && wanted && !found && *wanted != '[')
        status = em_fail(error, EM_USAGE, "%s needs %s", argv[0], wanted);
    if (operand)
        *operand = found;
    return status;
}

em_status em_parse_nothing(em_context *context, int argc, char **argv, void **options, em_error *error)
{
    (void)context;
    *options = NULL;
    return argc == 1
               ? EM_OK
               : em_point_at(error, argv[1], em_fail(error, EM_USAGE, "%s takes no options: '%s'", argv[0], argv[1]));
}

void em_free_nothing(em_context *context, void *options)
{
    (void)context;
    (void)options;
}
