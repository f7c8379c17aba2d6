/* options - the words of a stage: `--name=value`, `--name value`, `--name`, operands; reentrant, unlike getopt. Not
 * installed. Errors point at the value or the word.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_STAGES_OPTIONS_H
#define EM_STAGES_OPTIONS_H

#include "scan/base/context.h"

/* Whether `word` is --name or --name=value; *value is NULL for the first. */
bool em_option(const char *word, const char *name, const char **value);

/* EM_USAGE unless the option has a value. */
em_status em_option_value(const char *name, const char *value, em_error *error);
/* A decimal number from `least` to `most`. */
em_status em_option_number(const char *name, const char *value, uint64_t least, uint64_t most, uint64_t *number,
                           em_error *error);
/* One of `choices` (NULL at the end): its index. */
em_status em_option_choice(const char *name, const char *value, const char *const *choices, uint32_t *index,
                           em_error *error);
/* The same of an operand, which messages show behind the stage's name. */
em_status em_operand_number(const char *stage, const char *word, uint64_t least, uint64_t most, uint64_t *number,
                            em_error *error);
em_status em_operand_choice(const char *stage, const char *word, const char *const *choices, uint32_t *index,
                            em_error *error);
/* One character, or `tab`, `space`, `\t`. */
em_status em_option_character(const char *name, const char *value, char *character, em_error *error);

/* The words of a stage that has a few options and at most one operand. */
typedef enum em_word_kind { EM_WORD_FLAG = 0, EM_WORD_VALUE, EM_WORD_MAYBE } em_word_kind;
typedef struct em_word_option {
    const char *name; /* "--name"; NULL behind the last */
    em_word_kind kind;
} em_word_option;
/* The words of a stage, one operand after another. Starts as {.argc = argc, .argv = argv}. */
typedef struct em_words {
    int argc;
    char **argv;
    int at; /* the number of the last word used */
    bool operands_only;
} em_words;
/* The next operand, NULL: no more; options in front of it go to `values` as em_parse_words has it. */
em_status em_next_operand(em_words *words, const em_word_option *known, const char **values, const char **operand,
                          em_error *error);
/* values[i], NULL before: of known[i] if it is among argv[1…], "" for one without a value; two values are an error.
 * `known` may be NULL. *operand: the
 * operand, called `wanted` in messages; wanted NULL: there is none; wanted in brackets: there need not be one. "--"
 * ends the options; a word that is "-" or begins otherwise is the operand. */
em_status em_parse_words(int argc, char **argv, const em_word_option *known, const char **values, const char **operand,
                         const char *wanted, em_error *error);

#endif
