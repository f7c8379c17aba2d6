/* expression_compile - items become a program: types are checked, constants folded, registers given out.
 *
 * One pass over the items with a stack of what each operand is. Slot i of the stack has a register for truth values
 * and two for numbers, so that a result leaves its operands where they are: what overflowed can still be looked at.
 * Variables have registers of their own and are loaded once a block. The right side of && and || runs under a mask of
 * the arcs for which it matters, and is jumped over where there are none.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/text_line.h"
#include "stages/expression_fold.h"
#include "stages/expression_parts.h"

#include <stdio.h>
#include <string.h>

/* Operands of the levels of precedence that may wait within every parenthesis. */
enum { STACK = 8 * (EM_EXPRESSION_DEPTH + 1), TRUTH_BYTES = EM_LANES / 8, NUMBER_BYTES = EM_LANES * EM_LANE_BYTES };

typedef enum value_type { INTEGER, FLOAT, TRUTH } value_type;

typedef struct operand {
    value_type type;
    bool constant;
    em_number value;             /* of a constant; `integer` is 0 or 1 for TRUTH */
    uint32_t at;                 /* the register of a number that is none */
    const em_item *item, *right; /* `right`: of a comparison, its right side */
} operand;

typedef struct compiler {
    const em_expression *expression;
    em_program *program;
    bool float_weights;
    operand stack[STACK];
    uint32_t n_stack;
    uint32_t pending[STACK], n_pending; /* the instructions that jump over the right side of && or || */
    uint32_t temporaries_at, truths_at;
    em_error *error;
} compiler;

/* --- messages ----------------------------------------------------------------------------------------------- */

static const char *const symbols[] = {
    [EM_ITEM_NEGATE] = "-",
    [EM_ITEM_NOT] = "!",
    [EM_ITEM_ADD] = "+",
    [EM_ITEM_SUBTRACT] = "-",
    [EM_ITEM_MULTIPLY] = "*",
    [EM_ITEM_DIVIDE] = "/",
    [EM_ITEM_REMAINDER] = "%",
    [EM_ITEM_LESS] = "<",
    [EM_ITEM_LESS_EQUAL] = "<=",
    [EM_ITEM_GREATER] = ">",
    [EM_ITEM_GREATER_EQUAL] = ">=",
    [EM_ITEM_EQUAL] = "==",
    [EM_ITEM_UNEQUAL] = "!=",
    [EM_ITEM_AND] = "&&",
    [EM_ITEM_OR] = "||",
    [EM_ITEM_AND_THEN] = "&&",
    [EM_ITEM_OR_ELSE] = "||",
};

static const char *quote(const compiler *compile, const em_item *item, char text[static 176])
{
    return em_quote_token(compile->expression->text + item->begin, compile->expression->text + item->end, text);
}

static em_status refuse_truth(const compiler *compile, const em_item *item, const operand *truth)
{
    char text[176];
    return em_expression_refuse(compile->expression, item->at, compile->error,
                                "'%s' wants numbers, and %s is a truth value", symbols[item->kind],
                                quote(compile, truth->item, text));
}

/* 1 < src < 5 */
static em_status refuse_chain(const compiler *compile, const em_item *item, const operand *left, const operand *right)
{
    const char *const text = compile->expression->text;
    const em_item *const whole = left->item, *const middle = left->right, *const last = right->item;
    if (whole->enclosed || !middle || last->end - whole->begin > 60)
        return refuse_truth(compile, item, left);
    char quoted[176];
    return em_expression_refuse(compile->expression, item->at, compile->error,
                                "'%s' compares numbers, and %s is a truth value; write '%.*s && %.*s %s %.*s'",
                                symbols[item->kind], quote(compile, whole, quoted), whole->end - whole->begin,
                                text + whole->begin, middle->end - middle->begin, text + middle->begin,
                                symbols[item->kind], last->end - last->begin, text + last->begin);
}

static em_status require_truth(const compiler *compile, const em_item *item, const operand *value)
{
    if (value->type == TRUTH)
        return EM_OK;
    char text[176];
    return em_expression_refuse(compile->expression, value->item->begin, compile->error,
                                "'%s' wants truth values, and %s is a number; compare it, such as with '!= 0'",
                                symbols[item->kind], quote(compile, value->item, text));
}

static em_status refuse_constant(const compiler *compile, const em_item *item, em_fault fault)
{
    char text[176];
    return em_expression_refuse(compile->expression, item->at, compile->error, "%s %s", quote(compile, item, text),
                                fault == EM_FAULT_ZERO ? "divides by zero" : "overflows a signed integer of 64 bits");
}

/* --- instructions --------------------------------------------------------------------------------------------- */

static uint32_t truth_at(const compiler *compile, uint32_t slot)
{
    return compile->truths_at + slot * TRUTH_BYTES;
}

static em_instruction *emit(compiler *compile, em_action action, const em_item *item)
{
    em_program *const program = compile->program;
    em_instruction *const instruction = &program->instructions[program->n_instructions++];
    *instruction = (em_instruction){.action = (uint8_t)action,
                                    .item = (uint16_t)(item - compile->expression->items),
                                    .mask = program->masks_at + compile->n_pending * TRUTH_BYTES};
    return instruction;
}

/* The place of a number, and its step: constants have one that does not move. */
static uint32_t place(compiler *compile, const operand *number, uint8_t *step)
{
    *step = number->constant ? 0 : EM_LANES_AT_ONCE;
    if (!number->constant)
        return number->at;
    em_program *const program = compile->program;
    uint32_t i = 0;
    while (i < program->n_constants &&
           program->constants[i].integer != number->value.integer) /* bits: -0.0 is not 0.0 */
        i++;
    if (i == program->n_constants)
        program->constants[program->n_constants++] = number->value;
    return program->constants_at + i * EM_LANES_AT_ONCE * EM_LANE_BYTES;
}

/* Calls a kernel on a and b (NULL: a alone) for slot `slot`; the kernel says whether a number or a truth comes out. */
static uint32_t emit_kernel(compiler *compile, em_kernel kernel, const em_item *item, const operand *a,
                            const operand *b, uint32_t slot)
{
    em_instruction *const instruction = emit(compile, EM_ACTION_KERNEL, item);
    instruction->kernel = (uint8_t)kernel;
    instruction->a = place(compile, a, &instruction->step_a);
    instruction->b = place(compile, b ? b : a, &instruction->step_b);
    instruction->to = compile->temporaries_at + 2 * slot * NUMBER_BYTES;
    if (instruction->to == instruction->a)
        instruction->to += NUMBER_BYTES;
    if (kernel >= EM_KERNEL_LESS)
        instruction->to = truth_at(compile, slot);
    return instruction->to;
}

static void emit_set(compiler *compile, const em_item *item, bool value, uint32_t slot)
{
    em_instruction *const instruction = emit(compile, EM_ACTION_SET, item);
    instruction->to = truth_at(compile, slot);
    instruction->jump = value;
}

static void emit_not(compiler *compile, const em_item *item, uint32_t slot)
{
    em_instruction *const instruction = emit(compile, EM_ACTION_NOT, item);
    instruction->to = instruction->a = truth_at(compile, slot);
}

/* --- operands ------------------------------------------------------------------------------------------------- */

static void push_variable(compiler *compile, const em_item *item)
{
    const em_variable variable = (em_variable)(item->kind - EM_ITEM_SOURCE);
    compile->stack[compile->n_stack++] =
        (operand){.type = variable == EM_VARIABLE_WEIGHT && compile->float_weights ? FLOAT : INTEGER,
                  .at = compile->program->variables[variable],
                  .item = item};
}

/* A number as a float, in the register of its slot unless it is constant. */
static void make_float(compiler *compile, operand *number, uint32_t slot)
{
    if (number->type == FLOAT)
        return;
    if (number->constant)
        number->value.real = (double)number->value.integer;
    else
        number->at = emit_kernel(compile, EM_KERNEL_TO_FLOATS, number->item, number, NULL, slot);
    number->type = FLOAT;
}

static em_status take_arithmetic(compiler *compile, const em_item *item)
{
    static const em_kernel kernels[][2] = {
        [EM_ITEM_NEGATE] = {EM_KERNEL_NEGATE, EM_KERNEL_NEGATE_FLOATS},
        [EM_ITEM_ADD] = {EM_KERNEL_ADD, EM_KERNEL_ADD_FLOATS},
        [EM_ITEM_SUBTRACT] = {EM_KERNEL_SUBTRACT, EM_KERNEL_SUBTRACT_FLOATS},
        [EM_ITEM_MULTIPLY] = {EM_KERNEL_MULTIPLY, EM_KERNEL_MULTIPLY_FLOATS},
        [EM_ITEM_DIVIDE] = {EM_KERNEL_DIVIDE, EM_KERNEL_DIVIDE_FLOATS},
        [EM_ITEM_REMAINDER] = {EM_KERNEL_REMAINDER, EM_N_KERNELS},
    };
    const bool unary = item->kind == EM_ITEM_NEGATE;
    const uint32_t slot = compile->n_stack - (unary ? 1 : 2);
    operand *const a = &compile->stack[slot], *const b = unary ? a : a + 1;
    if (a->type == TRUTH || b->type == TRUTH)
        return refuse_truth(compile, item, a->type == TRUTH ? a : b);
    const bool floats = a->type == FLOAT || b->type == FLOAT;
    if (floats && item->kind == EM_ITEM_REMAINDER) {
        char text[176];
        return em_expression_refuse(compile->expression, item->at, compile->error,
                                    "'%%' is for integers, and %s is a float; floats are rounded, and so would be what "
                                    "is left of a division",
                                    quote(compile, a->type == FLOAT ? a->item : b->item, text));
    }
    if (floats) {
        make_float(compile, a, slot);
        make_float(compile, b, slot + 1);
    }
    compile->n_stack = slot + 1;
    operand result = {.type = floats ? FLOAT : INTEGER, .constant = a->constant && b->constant, .item = item};
    if (result.constant && floats) {
        result.value.real = em_fold_floats(item->kind, a->value.real, b->value.real);
    } else if (result.constant) {
        const em_fault fault = em_fold_integers(item->kind, a->value.integer, b->value.integer, &result.value.integer);
        if (fault != EM_FAULT_NONE)
            return refuse_constant(compile, item, fault);
    } else {
        result.at = emit_kernel(compile, kernels[item->kind][floats], item, a, unary ? NULL : b, slot);
    }
    *a = result;
    return EM_OK;
}

/* The kernel for a comparison; *swap: its operands change places. */
static em_kernel comparison_kernel(em_item_kind kind, value_type a, value_type b, bool *swap)
{
    static const em_kernel mixed[] = {
        [EM_ITEM_LESS] = EM_KERNEL_LESS_MIXED,       [EM_ITEM_LESS_EQUAL] = EM_KERNEL_LESS_EQUAL_MIXED,
        [EM_ITEM_GREATER] = EM_KERNEL_GREATER_MIXED, [EM_ITEM_GREATER_EQUAL] = EM_KERNEL_GREATER_EQUAL_MIXED,
        [EM_ITEM_EQUAL] = EM_KERNEL_EQUAL_MIXED,     [EM_ITEM_UNEQUAL] = EM_KERNEL_EQUAL_MIXED,
    };
    static const em_item_kind mirrored[] = {
        [EM_ITEM_LESS] = EM_ITEM_GREATER, [EM_ITEM_LESS_EQUAL] = EM_ITEM_GREATER_EQUAL,
        [EM_ITEM_GREATER] = EM_ITEM_LESS, [EM_ITEM_GREATER_EQUAL] = EM_ITEM_LESS_EQUAL,
        [EM_ITEM_EQUAL] = EM_ITEM_EQUAL,  [EM_ITEM_UNEQUAL] = EM_ITEM_UNEQUAL,
    };
    const bool is_mixed = a != b;
    *swap = is_mixed ? a == FLOAT : kind == EM_ITEM_GREATER || kind == EM_ITEM_GREATER_EQUAL;
    if (*swap)
        kind = mirrored[kind];
    if (is_mixed)
        return mixed[kind];
    const bool floats = a == FLOAT;
    if (kind == EM_ITEM_LESS)
        return floats ? EM_KERNEL_LESS_FLOATS : EM_KERNEL_LESS;
    if (kind == EM_ITEM_LESS_EQUAL)
        return floats ? EM_KERNEL_LESS_EQUAL_FLOATS : EM_KERNEL_LESS_EQUAL;
    return floats ? EM_KERNEL_EQUAL_FLOATS : EM_KERNEL_EQUAL;
}

/* -1, 0, 1, or 2 where one is no number. */
static int order_of(const operand *a, const operand *b)
{
    if (a->type == FLOAT && b->type == FLOAT)
        return em_compare_floats(a->value.real, b->value.real);
    if (b->type == FLOAT)
        return em_compare_mixed(a->value.integer, b->value.real);
    if (a->type == INTEGER)
        return (a->value.integer > b->value.integer) - (a->value.integer < b->value.integer);
    const int order = em_compare_mixed(b->value.integer, a->value.real);
    return order == 2 ? 2 : -order;
}

static em_status take_comparison(compiler *compile, const em_item *item)
{
    const uint32_t slot = compile->n_stack - 2;
    operand *const a = &compile->stack[slot], *const b = a + 1;
    if (a->type == TRUTH)
        return refuse_chain(compile, item, a, b);
    if (b->type == TRUTH)
        return refuse_truth(compile, item, b);
    compile->n_stack = slot + 1;
    operand result = {.type = TRUTH, .constant = a->constant && b->constant, .item = item, .right = b->item};
    if (result.constant) {
        result.value.integer = em_holds(item->kind, order_of(a, b));
    } else {
        bool swap;
        const em_kernel kernel = comparison_kernel(item->kind, a->type, b->type, &swap);
        emit_kernel(compile, kernel, item, swap ? b : a, swap ? a : b, slot);
        if (item->kind == EM_ITEM_UNEQUAL)
            emit_not(compile, item, slot);
    }
    *a = result;
    return EM_OK;
}

/* The truth value on top of the stack comes to its register, where a constant is not yet. */
static em_status settle_truth(compiler *compile, const em_item *item)
{
    operand *const top = &compile->stack[compile->n_stack - 1];
    const em_status status = require_truth(compile, item, top);
    if (status == EM_OK && top->constant)
        emit_set(compile, top->item, top->value.integer, compile->n_stack - 1);
    top->constant = false;
    return status;
}

static em_status take_logic(compiler *compile, const em_item *item)
{
    operand *const top = &compile->stack[compile->n_stack - 1];
    em_status status;
    em_instruction *instruction;
    switch (item->kind) {
    case EM_ITEM_NOT:
        if ((status = require_truth(compile, item, top)) != EM_OK)
            return status;
        if (top->constant)
            top->value.integer = !top->value.integer;
        else
            emit_not(compile, item, compile->n_stack - 1);
        top->item = item;
        return EM_OK;
    case EM_ITEM_AND_THEN:
    case EM_ITEM_OR_ELSE:
        if ((status = settle_truth(compile, item)) != EM_OK)
            return status;
        compile->pending[compile->n_pending] = compile->program->n_instructions;
        instruction = emit(compile, item->kind == EM_ITEM_AND_THEN ? EM_ACTION_AND_THEN : EM_ACTION_OR_ELSE, item);
        instruction->a = truth_at(compile, compile->n_stack - 1);
        instruction->to = instruction->mask + TRUTH_BYTES;
        compile->n_pending++;
        return EM_OK;
    default:
        if ((status = settle_truth(compile, item)) != EM_OK)
            return status;
        compile->n_pending--;
        compile->n_stack--;
        instruction = emit(compile, item->kind == EM_ITEM_AND ? EM_ACTION_AND : EM_ACTION_OR, item);
        instruction->a = instruction->to = truth_at(compile, compile->n_stack - 1);
        instruction->b = truth_at(compile, compile->n_stack);
        compile->program->instructions[compile->pending[compile->n_pending]].jump = compile->program->n_instructions;
        compile->stack[compile->n_stack - 1] = (operand){.type = TRUTH, .item = item};
        return EM_OK;
    }
}

static em_status take_item(compiler *compile, const em_item *item)
{
    switch (item->kind) {
    case EM_ITEM_INTEGER:
    case EM_ITEM_FLOAT:
        compile->stack[compile->n_stack++] = (operand){.type = item->kind == EM_ITEM_FLOAT ? FLOAT : INTEGER,
                                                       .constant = true,
                                                       .value = item->value,
                                                       .item = item};
        return EM_OK;
    case EM_ITEM_SOURCE:
    case EM_ITEM_TARGET:
    case EM_ITEM_WEIGHT:
    case EM_ITEM_SOURCE_DEGREE:
    case EM_ITEM_TARGET_DEGREE:
        push_variable(compile, item);
        return EM_OK;
    case EM_ITEM_NEGATE:
    case EM_ITEM_ADD:
    case EM_ITEM_SUBTRACT:
    case EM_ITEM_MULTIPLY:
    case EM_ITEM_DIVIDE:
    case EM_ITEM_REMAINDER:
        return take_arithmetic(compile, item);
    case EM_ITEM_LESS:
    case EM_ITEM_LESS_EQUAL:
    case EM_ITEM_GREATER:
    case EM_ITEM_GREATER_EQUAL:
    case EM_ITEM_EQUAL:
    case EM_ITEM_UNEQUAL:
        return take_comparison(compile, item);
    default:
        return take_logic(compile, item);
    }
}

/* --- the whole ------------------------------------------------------------------------------------------------- */

/* The most operands that wait at once. */
static uint32_t deepest(const em_expression *expression)
{
    uint32_t depth = 0, most = 1;
    for (uint32_t i = 0; i < expression->n_items; i++) {
        const em_item_kind kind = expression->items[i].kind;
        depth += kind < EM_ITEM_NEGATE;
        depth -= kind > EM_ITEM_NOT && kind < EM_ITEM_AND_THEN;
        most = depth > most ? depth : most;
    }
    return most;
}

/* Variables, then what the slots have, masks, constants: the scratch from its first line on, which is the evaluator's.
 */
static void lay_out(compiler *compile, uint32_t n_slots)
{
    em_program *const program = compile->program;
    uint32_t at = EM_SCRATCH_HEAD_BYTES;
    for (uint32_t i = 0; i < EM_N_VARIABLES; i++) {
        program->variables[i] = at;
        at += compile->expression->variables[i] ? NUMBER_BYTES : 0;
    }
    compile->temporaries_at = at;
    compile->truths_at = compile->temporaries_at + 2 * n_slots * NUMBER_BYTES;
    program->masks_at = compile->truths_at + n_slots * TRUTH_BYTES;
    program->constants_at = program->masks_at + (n_slots + 1) * TRUTH_BYTES;
}

static em_status compile_items(compiler *compile)
{
    const em_expression *const expression = compile->expression;
    em_program *const program = compile->program;
    em_status status = EM_OK;
    for (uint32_t i = 0; i < expression->n_items && status == EM_OK; i++)
        status = take_item(compile, &expression->items[i]);
    if (status != EM_OK)
        return status;
    const operand *const top = &compile->stack[0];
    if (top->type != TRUTH) {
        char text[176];
        return em_expression_refuse(expression, top->item->begin, compile->error,
                                    "%s is a number, not a truth value; compare it, such as with '!= 0'",
                                    quote(compile, top->item, text));
    }
    if (top->constant)
        emit_set(compile, top->item, top->value.integer, 0);
    program->result = truth_at(compile, 0);
    program->scratch_bytes = program->constants_at + (uint64_t)program->n_constants * EM_LANES_AT_ONCE * EM_LANE_BYTES;
    return EM_OK;
}

em_status em_expression_compile(const em_expression *expression, bool float_weights, em_program *program,
                                em_error *error)
{
    em_context *const context = expression->context;
    void *memory = NULL;
    const uint32_t n_slots = deepest(expression);
    if (n_slots > STACK)
        return em_fail(error, EM_USAGE, "filter: an expression of more than %d operands that wait for each other",
                       STACK);
    em_status status = em_allocate(context, sizeof(compiler), &memory, error);
    if (status != EM_OK)
        return status;
    compiler *const compile = memory;
    *compile = (compiler){.expression = expression, .program = program, .float_weights = float_weights, .error = error};
    program->capacity = 2 * expression->n_items + 2; /* an item gives two instructions at most */
    status = em_allocate_array(context, program->capacity, sizeof *program->instructions, &memory, error);
    if (status != EM_OK)
        goto done;
    program->instructions = memory;
    status = em_allocate_array(context, program->capacity, sizeof *program->constants, &memory, error);
    if (status != EM_OK)
        goto done;
    program->constants = memory;
    lay_out(compile, n_slots);
    status = compile_items(compile);
done:
    em_free(context, compile, sizeof *compile);
    return status;
}
