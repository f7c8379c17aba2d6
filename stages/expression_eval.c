/* expression_eval - runs the program of an expression over blocks of arcs.
 *
 * EM_LANES arcs at a time: variables are loaded into registers, then every instruction goes over all lanes in turn,
 * which costs one call for 512 arcs and keeps what it reads and writes in L1. Arithmetic that may have gone wrong is
 * looked at again lane by lane, under the mask of the arcs for which the value matters. From then on the lanes behind
 * the failed one no longer count, so that the arc which is named is the first one, whatever the order of instructions.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/expression_fold.h"
#include "stages/expression_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { TRUTH_WORDS = EM_LANES / EM_LANES_AT_ONCE };

/* The evaluator's part of the scratch. */
typedef struct scratch_head {
    const em_program *prepared; /* whose constants are in their places */
} scratch_head;

/* EM_LANES arcs, or fewer, at work. */
typedef struct portion {
    const em_expression *expression;
    const em_program *program;
    const em_expression_block *block;
    char *scratch;
    uint32_t begin, n, n_words;   /* arcs of the block */
    const em_instruction *failed; /* NULL: nothing went wrong */
    uint32_t failed_lane;         /* the first one for which it did */
    em_fault fault;
    int64_t left, right;
} portion;

/* --- variables ---------------------------------------------------------------------------------------------- */

/* Whole groups of lanes are loaded as they lie, the rest from a copy with zeros behind it. */
static void load_ids(const portion *at, int64_t *sources, int64_t *targets)
{
    const em_expression_block *const block = at->block;
    const uint32_t pair_bytes = 2 * (uint32_t)block->id_bytes, whole = at->n / EM_LANES_AT_ONCE * EM_LANES_AT_ONCE;
    const char *const pairs = (const char *)block->pairs + (uint64_t)at->begin * pair_bytes;
    const em_expression_kernels *const kernels = at->expression->kernels;
    void (*const take)(const void *, uint32_t, int64_t *, int64_t *) =
        block->id_bytes == 4 ? kernels->take_4 : kernels->take_8;
    take(pairs, whole, sources, targets);
    if (whole < at->n) {
        uint64_t rest[2 * EM_LANES_AT_ONCE] = {0};
        memcpy(rest, pairs + (uint64_t)whole * pair_bytes, (uint64_t)(at->n - whole) * pair_bytes);
        take(rest, EM_LANES_AT_ONCE, sources ? sources + whole : NULL, targets ? targets + whole : NULL);
    }
}

static void take_weights(const portion *at, const void *weights, uint32_t n, void *into)
{
    switch (at->block->weight_kind) {
    case EM_WEIGHT_I32:
        at->expression->kernels->take_i32(weights, n, into);
        break;
    case EM_WEIGHT_F32:
        at->expression->kernels->take_f32(weights, n, into);
        break;
    default:
        memcpy(into, weights, (uint64_t)n * EM_LANE_BYTES);
    }
}

static void load_weights(const portion *at, void *into)
{
    const uint32_t weight_bytes = em_weight_bytes(at->block->weight_kind);
    const uint32_t whole = at->n / EM_LANES_AT_ONCE * EM_LANES_AT_ONCE;
    const char *const weights = (const char *)at->block->weights + (uint64_t)at->begin * weight_bytes;
    take_weights(at, weights, whole, into);
    if (whole < at->n) {
        uint64_t rest[EM_LANES_AT_ONCE] = {0};
        memcpy(rest, weights + (uint64_t)whole * weight_bytes, (uint64_t)(at->n - whole) * weight_bytes);
        take_weights(at, rest, EM_LANES_AT_ONCE, (char *)into + (uint64_t)whole * EM_LANE_BYTES);
    }
}

static void load_degrees(const portion *at, uint32_t which, int64_t *into)
{
    const em_expression_block *const block = at->block;
    for (uint32_t i = 0; i < at->n; i++) {
        const uint64_t id = em_id_at(block->pairs, block->id_bytes, 2 * (uint64_t)(at->begin + i) + which);
        into[i] = (int64_t)block->degrees[id];
    }
    for (uint32_t i = at->n; i % EM_LANES_AT_ONCE; i++)
        into[i] = 0;
}

static void load_variables(const portion *at)
{
    const bool *const used = at->expression->variables;
    void *registers[EM_N_VARIABLES];
    for (uint32_t i = 0; i < EM_N_VARIABLES; i++)
        registers[i] = used[i] ? at->scratch + at->program->variables[i] : NULL;
    if (used[EM_VARIABLE_SOURCE] || used[EM_VARIABLE_TARGET])
        load_ids(at, registers[EM_VARIABLE_SOURCE], registers[EM_VARIABLE_TARGET]);
    if (used[EM_VARIABLE_WEIGHT])
        load_weights(at, registers[EM_VARIABLE_WEIGHT]);
    if (used[EM_VARIABLE_SOURCE_DEGREE])
        load_degrees(at, 0, registers[EM_VARIABLE_SOURCE_DEGREE]);
    if (used[EM_VARIABLE_TARGET_DEGREE])
        load_degrees(at, 1, registers[EM_VARIABLE_TARGET_DEGREE]);
}

/* --- instructions ------------------------------------------------------------------------------------------- */

static uint64_t *truth(const portion *at, uint32_t place)
{
    return (uint64_t *)(void *)(at->scratch + place);
}

/* Lanes from `lane` on no longer count, under no mask. */
static void forget_from(const portion *at, uint32_t first)
{
    uint64_t *const masks = truth(at, at->program->masks_at);
    const uint32_t n_masks = (at->program->constants_at - at->program->masks_at) / (EM_LANES / 8);
    for (uint32_t mask = 0; mask < n_masks; mask++)
        for (uint32_t w = first / 64; w < TRUTH_WORDS; w++)
            masks[mask * TRUTH_WORDS + w] &= w == first / 64 ? (UINT64_C(1) << first % 64) - 1 : 0;
}

/* Looks for the first lane that counts in which integers really overflowed or were divided by zero. */
static void check_lanes(portion *at, const em_instruction *instruction)
{
    const em_item_kind kind = at->expression->items[instruction->item].kind;
    const uint64_t *const mask = truth(at, instruction->mask);
    const int64_t *const left = (const int64_t *)(const void *)(at->scratch + instruction->a);
    const int64_t *const right = (const int64_t *)(const void *)(at->scratch + instruction->b);
    for (uint32_t w = 0; w < at->n_words; w++)
        for (uint64_t lanes = mask[w]; lanes; lanes &= lanes - 1) {
            const uint32_t i = 64 * w + (uint32_t)__builtin_ctzll(lanes);
            const int64_t a = left[instruction->step_a ? i : 0], b = right[instruction->step_b ? i : 0];
            int64_t result;
            const em_fault fault = em_fold_integers(kind, a, b, &result);
            if (fault == EM_FAULT_NONE)
                continue;
            at->failed = instruction;
            at->failed_lane = i;
            at->fault = fault;
            at->left = a;
            at->right = b;
            forget_from(at, i);
            return;
        }
}

/* Sets the mask of what follows && or ||; false: nothing counts there. */
static bool enter(const portion *at, const em_instruction *instruction)
{
    const uint64_t *const mask = truth(at, instruction->mask), *const left = truth(at, instruction->a);
    uint64_t *const inner = truth(at, instruction->to);
    const uint64_t flip = instruction->action == EM_ACTION_OR_ELSE ? UINT64_MAX : 0;
    uint64_t any = 0;
    for (uint32_t w = 0; w < at->n_words; w++)
        any |= inner[w] = mask[w] & (left[w] ^ flip);
    return any != 0;
}

static void run_program(portion *at)
{
    const em_program *const program = at->program;
    const em_expression_kernels *const kernels = at->expression->kernels;
    for (uint32_t i = 0; i < program->n_instructions;) {
        const em_instruction *const instruction = &program->instructions[i++];
        uint64_t *const to = truth(at, instruction->to);
        const uint64_t *const a = truth(at, instruction->a), *const b = truth(at, instruction->b);
        switch ((em_action)instruction->action) {
        case EM_ACTION_KERNEL:
            if (kernels->run[instruction->kernel](a, instruction->step_a, b, instruction->step_b, to, at->n_words))
                check_lanes(at, instruction);
            break;
        case EM_ACTION_SET:
            for (uint32_t w = 0; w < at->n_words; w++)
                to[w] = instruction->jump ? UINT64_MAX : 0;
            break;
        case EM_ACTION_NOT:
            for (uint32_t w = 0; w < at->n_words; w++)
                to[w] = ~a[w];
            break;
        case EM_ACTION_AND_THEN:
        case EM_ACTION_OR_ELSE:
            if (!enter(at, instruction))
                i = instruction->jump;
            break;
        case EM_ACTION_AND:
            for (uint32_t w = 0; w < at->n_words; w++)
                to[w] = a[w] & b[w];
            break;
        case EM_ACTION_OR:
            for (uint32_t w = 0; w < at->n_words; w++)
                to[w] = a[w] | b[w];
            break;
        }
    }
}

/* --- the whole ------------------------------------------------------------------------------------------------ */

static const em_program *program_for(const em_expression *expression, em_weight_kind kind, em_error *error)
{
    if (!(expression->uses & EM_EXPRESSION_WEIGHT))
        return &expression->programs[0];
    if (kind == EM_WEIGHT_NONE) {
        em_fail(error, EM_USAGE, "filter: the expression asks for the weight of arcs that have none");
        return NULL;
    }
    const bool is_float = kind == EM_WEIGHT_F32 || kind == EM_WEIGHT_F64;
    const em_program *const program = &expression->programs[is_float ? EM_PROGRAM_FLOAT : EM_PROGRAM_INTEGER];
    if (program->error.status == EM_OK)
        return program;
    em_fail(error, EM_USAGE, "%s (weights are %s)", program->error.message, em_weight_name(kind));
    return NULL;
}

em_status em_expression_check(const em_expression *expression, em_weight_kind kind, em_error *error)
{
    return program_for(expression, kind, error) ? EM_OK : EM_USAGE;
}

/* Constants lie where the last program's did not, so they are put in place once. */
static void prepare(const em_program *program, char *scratch)
{
    scratch_head *const head = (scratch_head *)(void *)scratch;
    if (head->prepared == program)
        return;
    em_number *at = (em_number *)(void *)(scratch + program->constants_at);
    for (uint32_t i = 0; i < program->n_constants; i++)
        for (uint32_t k = 0; k < EM_LANES_AT_ONCE; k++)
            *at++ = program->constants[i];
    head->prepared = program;
}

/* 5, -5, or in parentheses behind an operator: 3 - (-5). */
static const char *number(int64_t value, bool enclosed, char text[static 32])
{
    snprintf(text, 32, enclosed && value < 0 ? "(%" PRId64 ")" : "%" PRId64, value);
    return text;
}

static em_status refuse(const portion *at, em_error *error)
{
    static const char *const symbols[] = {[EM_ITEM_ADD] = "+",
                                          [EM_ITEM_SUBTRACT] = "-",
                                          [EM_ITEM_MULTIPLY] = "*",
                                          [EM_ITEM_DIVIDE] = "/",
                                          [EM_ITEM_REMAINDER] = "%"};
    const em_expression_block *const block = at->block;
    const em_item_kind kind = at->expression->items[at->failed->item].kind;
    const uint32_t arc = at->begin + at->failed_lane;
    char left[32], right[32], what[96], which[32] = "";
    if (kind == EM_ITEM_NEGATE)
        snprintf(what, sizeof what, "-%s", number(at->left, true, left));
    else
        snprintf(what, sizeof what, "%s %s %s", number(at->left, false, left), symbols[kind],
                 number(at->right, true, right));
    if (block->first != UINT64_MAX)
        snprintf(which, sizeof which, " number %" PRIu64 ",", block->first + arc);
    return em_fail_at(error, EM_MALFORMED, arc, "filter: %s %s for the arc%s %" PRIu64 " -> %" PRIu64, what,
                      at->fault == EM_FAULT_ZERO ? "divides by zero" : "overflows", which,
                      em_id_at(block->pairs, block->id_bytes, 2 * (uint64_t)arc),
                      em_id_at(block->pairs, block->id_bytes, 2 * (uint64_t)arc + 1));
}

em_status em_expression_eval(const em_expression *expression, em_expression_block *block, uint64_t *bits,
                             em_error *error)
{
    const em_program *const program = program_for(expression, block->weight_kind, error);
    if (!program)
        return EM_USAGE;
    portion at = {.expression = expression, .program = program, .block = block, .scratch = block->scratch};
    prepare(program, at.scratch);
    for (; at.begin < block->n; at.begin += EM_LANES) {
        at.n = block->n - at.begin < EM_LANES ? block->n - at.begin : EM_LANES;
        at.n_words = (at.n + 63) / 64;
        uint64_t *const all = truth(&at, program->masks_at), *const out = bits + at.begin / 64;
        for (uint32_t w = 0; w < at.n_words; w++)
            all[w] = at.n - 64 * w < 64 ? (UINT64_C(1) << (at.n - 64 * w)) - 1 : UINT64_MAX;
        load_variables(&at);
        run_program(&at);
        if (at.failed) {
            block->failed = at.begin + at.failed_lane;
            return refuse(&at, error);
        }
        const uint64_t *const result = truth(&at, program->result);
        for (uint32_t w = 0; w < at.n_words; w++)
            out[w] = result[w] & all[w];
    }
    return EM_OK;
}
