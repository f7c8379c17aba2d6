/* expression_parts - what parsing, compiling and evaluating an expression share; not installed.
 *
 * Text becomes items, the expression in postfix order, and items become a program for each type that weights may have:
 * instructions on registers that hold a value for each of EM_LANES arcs. Registers are places in the worker's scratch.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_STAGES_EXPRESSION_PARTS_H
#define EM_STAGES_EXPRESSION_PARTS_H

#include "stages/expression.h"
#include "stages/expression_kernels.h"

typedef enum em_item_kind {
    EM_ITEM_INTEGER,
    EM_ITEM_FLOAT,
    EM_ITEM_SOURCE,
    EM_ITEM_TARGET,
    EM_ITEM_WEIGHT,
    EM_ITEM_SOURCE_DEGREE,
    EM_ITEM_TARGET_DEGREE,
    EM_ITEM_NEGATE,
    EM_ITEM_NOT,
    EM_ITEM_ADD,
    EM_ITEM_SUBTRACT,
    EM_ITEM_MULTIPLY,
    EM_ITEM_DIVIDE,
    EM_ITEM_REMAINDER,
    EM_ITEM_LESS,
    EM_ITEM_LESS_EQUAL,
    EM_ITEM_GREATER,
    EM_ITEM_GREATER_EQUAL,
    EM_ITEM_EQUAL,
    EM_ITEM_UNEQUAL,
    EM_ITEM_AND,
    EM_ITEM_OR,
    EM_ITEM_AND_THEN, /* between the left side of && and its right one */
    EM_ITEM_OR_ELSE
} em_item_kind;

typedef union em_number {
    int64_t integer;
    double real;
} em_number;

/* A leaf or an operator behind its operands. */
typedef struct em_item {
    em_item_kind kind;
    uint16_t at;         /* the token: an offset in the text */
    uint16_t begin, end; /* the text of the whole, parentheses around it included */
    bool enclosed;       /* by parentheses */
    em_number value;
} em_item;

/* Registers that variables have while they are used. */
typedef enum em_variable {
    EM_VARIABLE_SOURCE,
    EM_VARIABLE_TARGET,
    EM_VARIABLE_WEIGHT,
    EM_VARIABLE_SOURCE_DEGREE,
    EM_VARIABLE_TARGET_DEGREE,
    EM_N_VARIABLES
} em_variable;

/* What an instruction does beside calling a kernel. */
typedef enum em_action {
    EM_ACTION_KERNEL,
    EM_ACTION_SET,      /* to = jump: all true or all false */
    EM_ACTION_NOT,      /* to = !a */
    EM_ACTION_AND_THEN, /* what follows counts where the mask and a hold; where that is nowhere, go on at jump */
    EM_ACTION_OR_ELSE,  /* … the mask and !a … */
    EM_ACTION_AND,      /* to = a & b, and the mask is that of before */
    EM_ACTION_OR
} em_action;

/* Operands are offsets in the scratch; a step is that to the next EM_LANES_AT_ONCE lanes: 0 for constants. */
typedef struct em_instruction {
    uint8_t action, kernel, step_a, step_b;
    uint32_t a, b, to, jump;
    uint32_t mask; /* of the lanes that count */
    uint16_t item;
} em_instruction;

typedef struct em_program {
    em_instruction *instructions;
    uint32_t n_instructions, capacity;
    em_number *constants; /* n_constants, each in every lane of its place from constants_at on */
    uint32_t n_constants, constants_at;
    uint32_t result; /* truth register */
    uint32_t variables[EM_N_VARIABLES];
    uint32_t masks_at;
    uint64_t scratch_bytes;
    em_error error; /* why there is none: EM_OK if there is */
} em_program;

/* The evaluator's own part of the scratch. */
enum { EM_SCRATCH_HEAD_BYTES = 64 };

/* What weights may be to an expression. */
enum { EM_PROGRAM_INTEGER, EM_PROGRAM_FLOAT, EM_N_PROGRAMS };

struct em_expression {
    em_context *context;
    char *text;
    uint32_t n_text_bytes;
    em_item *items;
    uint32_t n_items, item_capacity;
    uint32_t uses;
    bool variables[EM_N_VARIABLES];
    em_program programs[EM_N_PROGRAMS]; /* one alone where the weight is not used */
    const em_expression_kernels *kernels;
};

/* Compiles for weights that are floats or not. EM_USAGE; EM_NO_MEMORY. */
em_status em_expression_compile(const em_expression *expression, bool float_weights, em_program *program,
                                em_error *error);

/* "filter: column C: ", then the words. */
em_status em_expression_refuse(const em_expression *expression, uint32_t at, em_error *error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
