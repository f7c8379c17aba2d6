/* expression_parse - the text of an expression becomes items in postfix order: see expression.h.
 *
 * Precedence climbing (Richards' and Clarke's operator precedence by recursive calls: an operand, then operators as
 * long as they bind tighter than what waits) in one pass over the text. The recursion is as deep as parentheses and
 * signs nest, times the levels of precedence, and both are limited. Whatever comes after works on the items from the
 * first to the last and recurses no more.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/text_line.h"
#include "io/text_number.h"
#include "stages/expression_parts.h"

#include <stdio.h>

typedef enum token_kind { TOKEN_END, TOKEN_OPEN, TOKEN_CLOSE, TOKEN_NUMBER, TOKEN_WORD, TOKEN_OPERATOR } token_kind;

typedef struct lexeme {
    token_kind kind;
    em_item_kind symbol; /* where kind is TOKEN_OPERATOR; '-' is EM_ITEM_SUBTRACT */
    uint32_t begin, end;
} lexeme;

typedef struct parser {
    em_expression *expression;
    lexeme token;
    uint32_t end_of_last; /* where the token before this one ended */
    uint32_t depth;
    em_error *error;
} parser;

em_status em_expression_refuse(const em_expression *expression, uint32_t at, em_error *error, const char *format, ...)
{
    char words[EM_MESSAGE_BYTES / 2];
    (void)expression;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    return em_fail_at(error, EM_USAGE, at, "filter: column %u: %s", at + 1, words);
}

/* --- tokens ----------------------------------------------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Digits, a point and digits, an exponent; whatever letters follow belong to it, so that it is refused as a whole. */
static uint32_t number_end(const char *text, uint32_t at)
{
    for (; is_digit(text[at]) || is_word(text[at]) || text[at] == '.'; at++)
        if ((text[at] == 'e' || text[at] == 'E') && (text[at + 1] == '+' || text[at + 1] == '-'))
            at++;
    return at;
}

static const struct {
    const char *text;
    em_item_kind kind;
} operators[] = {
    {"&&", EM_ITEM_AND},   {"||", EM_ITEM_OR},       {"<=", EM_ITEM_LESS_EQUAL}, {">=", EM_ITEM_GREATER_EQUAL},
    {"==", EM_ITEM_EQUAL}, {"!=", EM_ITEM_UNEQUAL},  {"<", EM_ITEM_LESS},        {">", EM_ITEM_GREATER},
    {"!", EM_ITEM_NOT},    {"+", EM_ITEM_ADD},       {"-", EM_ITEM_SUBTRACT},    {"*", EM_ITEM_MULTIPLY},
    {"/", EM_ITEM_DIVIDE}, {"%", EM_ITEM_REMAINDER},
};

static em_status refuse_character(parser *parse, uint32_t at)
{
    const char c = parse->expression->text[at];
    const char *const end = parse->expression->text + parse->expression->n_text_bytes;
    const char *const from = parse->expression->text + at;
    const char *hint = "";
    const char *to = from + 1;
    while (to < end && ((unsigned char)*to & 0xC0) == 0x80) /* the whole of a character of several bytes */
        to++;
    char quoted[176];
    if (c == '=')
        hint = "; equality is '=='";
    else if (c == '&')
        hint = "; and is '&&'";
    else if (c == '|')
        hint = "; or is '||'";
    else if (c == '^')
        hint = "; there are no powers";
    return em_expression_refuse(parse->expression, at, parse->error, "%s means nothing here%s",
                                em_quote_token(from, to, quoted), hint);
}

static em_status next_token(parser *parse)
{
    const char *const text = parse->expression->text;
    uint32_t at = parse->token.end;
    parse->end_of_last = at;
    while (text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\r')
        at++;
    lexeme *const token = &parse->token;
    *token = (lexeme){.begin = at, .end = at + 1};
    if (at == parse->expression->n_text_bytes) {
        token->kind = TOKEN_END;
        token->end = at;
    } else if (text[at] == '(') {
        token->kind = TOKEN_OPEN;
    } else if (text[at] == ')') {
        token->kind = TOKEN_CLOSE;
    } else if (is_digit(text[at]) || (text[at] == '.' && is_digit(text[at + 1]))) {
        token->kind = TOKEN_NUMBER;
        token->end = number_end(text, at);
    } else if (is_word(text[at])) {
        token->kind = TOKEN_WORD;
        while (is_word(text[token->end]) || is_digit(text[token->end]))
            token->end++;
    } else {
        token->kind = TOKEN_OPERATOR;
        size_t i = 0;
        const size_t n = sizeof operators / sizeof *operators;
        while (i < n && strncmp(text + at, operators[i].text, strlen(operators[i].text)) != 0)
            i++;
        if (i == n)
            return refuse_character(parse, at);
        token->symbol = operators[i].kind;
        token->end = at + (uint32_t)strlen(operators[i].text);
    }
    return EM_OK;
}

static const char *quote(const parser *parse, uint32_t begin, uint32_t end, char text[static 176])
{
    return em_quote_token(parse->expression->text + begin, parse->expression->text + end, text);
}

static em_status refuse_token(parser *parse, const char *wanted)
{
    char text[176];
    const lexeme *const token = &parse->token;
    if (token->kind == TOKEN_END)
        return em_expression_refuse(parse->expression, token->begin, parse->error,
                                    "the expression ends, and %s is missing", wanted);
    return em_expression_refuse(parse->expression, token->begin, parse->error, "%s where %s is wanted",
                                quote(parse, token->begin, token->end, text), wanted);
}

/* --- items ------------------------------------------------------------------------------------------------ */

/* There is room: a token gives two items at most, and the capacity is two for every byte. */
static em_item *emit(parser *parse, em_item_kind kind, uint32_t at, uint32_t begin, uint32_t end)
{
    em_item *const item = &parse->expression->items[parse->expression->n_items++];
    *item = (em_item){.kind = kind, .at = (uint16_t)at, .begin = (uint16_t)begin, .end = (uint16_t)end};
    return item;
}

/* The token is a number. `negative`: a sign stands in front, and the smallest integer may follow it. */
static em_status take_number(parser *parse, bool negative, uint32_t begin)
{
    const lexeme token = parse->token;
    const char *const from = parse->expression->text + token.begin, *const to = parse->expression->text + token.end;
    char text[176];
    bool digits = true;
    for (const char *at = from; at < to; at++)
        digits &= is_digit(*at);
    em_item *const item = emit(parse, digits ? EM_ITEM_INTEGER : EM_ITEM_FLOAT, token.begin, begin, token.end);
    uint64_t magnitude = 0;
    bool overflow = false;
    for (const char *at = from; digits && at < to; at++)
        overflow |= __builtin_mul_overflow(magnitude, 10, &magnitude) |
                    __builtin_add_overflow(magnitude, (uint64_t)(*at - '0'), &magnitude);
    if (digits && (overflow || magnitude > (uint64_t)INT64_MAX + negative))
        return em_expression_refuse(parse->expression, token.begin, parse->error,
                                    "%s does not fit a signed integer of 64 bits; with a point it is a float",
                                    quote(parse, token.begin, token.end, text));
    if (digits) {
        item->value.integer = (int64_t)(negative ? -magnitude : magnitude);
        return next_token(parse);
    }
    em_weight weight;
    switch (em_parse_weight(from, to, EM_WEIGHT_F64, &weight)) {
    case EM_NUMBER_OK:
        break;
    case EM_NUMBER_OVERFLOW:
        return em_expression_refuse(parse->expression, token.begin, parse->error, "%s does not fit a float of 64 bits",
                                    quote(parse, token.begin, token.end, text));
    default:
        return em_expression_refuse(parse->expression, token.begin, parse->error, "%s is no number",
                                    quote(parse, token.begin, token.end, text));
    }
    item->value.real = negative ? -weight.value.f64 : weight.value.f64;
    return next_token(parse);
}

static bool word_is(const parser *parse, const lexeme *token, const char *word)
{
    const uint32_t n = token->end - token->begin;
    return strlen(word) == n && memcmp(parse->expression->text + token->begin, word, n) == 0;
}

static void use(parser *parse, em_variable variable)
{
    static const uint8_t uses[] = {0, 0, EM_EXPRESSION_WEIGHT, EM_EXPRESSION_DEGREE, EM_EXPRESSION_DEGREE};
    parse->expression->variables[variable] = true;
    parse->expression->uses |= uses[variable];
}

static em_status take_degree(parser *parse)
{
    const uint32_t begin = parse->token.begin;
    em_status status = next_token(parse);
    if (status == EM_OK && parse->token.kind != TOKEN_OPEN)
        status = refuse_token(parse, "'(': degree(src) or degree(dst)");
    if (status == EM_OK)
        status = next_token(parse);
    if (status != EM_OK)
        return status;
    const bool source = word_is(parse, &parse->token, "src");
    if (!source && !word_is(parse, &parse->token, "dst"))
        return refuse_token(parse, "src or dst, whose degree it is,");
    if ((status = next_token(parse)) != EM_OK)
        return status;
    if (parse->token.kind != TOKEN_CLOSE)
        return refuse_token(parse, "')'");
    use(parse, source ? EM_VARIABLE_SOURCE_DEGREE : EM_VARIABLE_TARGET_DEGREE);
    emit(parse, source ? EM_ITEM_SOURCE_DEGREE : EM_ITEM_TARGET_DEGREE, begin, begin, parse->token.end);
    return next_token(parse);
}

static em_status take_word(parser *parse)
{
    static const struct {
        const char *word, *hint;
    } others[] = {
        {"source", "; the source of an arc is 'src'"},
        {"target", "; the target of an arc is 'dst'"},
        {"and", "; and is '&&'"},
        {"or", "; or is '||'"},
        {"not", "; not is '!'"},
        {"w", "; the weight of an arc is 'weight'"},
        {"deg", "; it is degree(src) or degree(dst)"},
    };
    const lexeme token = parse->token;
    if (word_is(parse, &token, "degree"))
        return take_degree(parse);
    static const char *const words[] = {"src", "dst", "weight"};
    for (uint32_t i = 0; i < 3; i++)
        if (word_is(parse, &token, words[i])) {
            use(parse, (em_variable)i);
            emit(parse, (em_item_kind)(EM_ITEM_SOURCE + i), token.begin, token.begin, token.end);
            return next_token(parse);
        }
    const char *hint = "; there are src, dst, weight, degree(src) and degree(dst)";
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (word_is(parse, &token, others[i].word))
            hint = others[i].hint;
    char text[176];
    return em_expression_refuse(parse->expression, token.begin, parse->error, "%s is unknown%s",
                                quote(parse, token.begin, token.end, text), hint);
}

/* --- grammar ------------------------------------------------------------------------------------------------ */

/* How tightly an operator binds; 0: it does not stand between operands. */
static uint32_t precedence(const lexeme *token)
{
    static const uint8_t levels[] = {
        [EM_ITEM_OR] = 1,        [EM_ITEM_AND] = 2,        [EM_ITEM_EQUAL] = 3,    [EM_ITEM_UNEQUAL] = 3,
        [EM_ITEM_LESS] = 4,      [EM_ITEM_LESS_EQUAL] = 4, [EM_ITEM_GREATER] = 4,  [EM_ITEM_GREATER_EQUAL] = 4,
        [EM_ITEM_ADD] = 5,       [EM_ITEM_SUBTRACT] = 5,   [EM_ITEM_MULTIPLY] = 6, [EM_ITEM_DIVIDE] = 6,
        [EM_ITEM_REMAINDER] = 6,
    };
    return token->kind == TOKEN_OPERATOR ? levels[token->symbol] : 0;
}

static em_status take_binary(parser *parse, uint32_t least);

static em_status deeper(parser *parse)
{
    if (parse->depth++ < EM_EXPRESSION_DEPTH)
        return EM_OK;
    return em_expression_refuse(parse->expression, parse->token.begin, parse->error,
                                "more than %d parentheses and signs within each other", EM_EXPRESSION_DEPTH);
}

static em_status take_enclosed(parser *parse)
{
    const uint32_t begin = parse->token.begin;
    em_status status = deeper(parse);
    if (status == EM_OK)
        status = next_token(parse);
    if (status == EM_OK)
        status = take_binary(parse, 1);
    if (status != EM_OK)
        return status;
    if (parse->token.kind != TOKEN_CLOSE) {
        char wanted[64];
        snprintf(wanted, sizeof wanted, "')' for the '(' of column %u", begin + 1);
        return refuse_token(parse, wanted);
    }
    em_item *const last = &parse->expression->items[parse->expression->n_items - 1];
    last->begin = (uint16_t)begin;
    last->end = (uint16_t)parse->token.end;
    last->enclosed = true;
    parse->depth--;
    return next_token(parse);
}

static em_status take_operand(parser *parse)
{
    const lexeme sign = parse->token;
    switch (sign.kind) {
    case TOKEN_OPEN:
        return take_enclosed(parse);
    case TOKEN_NUMBER:
        return take_number(parse, false, sign.begin);
    case TOKEN_WORD:
        return take_word(parse);
    default:
        break;
    }
    if (sign.kind != TOKEN_OPERATOR || (sign.symbol != EM_ITEM_NOT && sign.symbol != EM_ITEM_SUBTRACT))
        return refuse_token(parse, "a number, a name or '('");
    em_status status = next_token(parse);
    if (status == EM_OK && sign.symbol == EM_ITEM_SUBTRACT && parse->token.kind == TOKEN_NUMBER)
        return take_number(parse, true, sign.begin);
    if (status == EM_OK)
        status = deeper(parse);
    if (status == EM_OK)
        status = take_operand(parse);
    if (status != EM_OK)
        return status;
    parse->depth--;
    emit(parse, sign.symbol == EM_ITEM_NOT ? EM_ITEM_NOT : EM_ITEM_NEGATE, sign.begin, sign.begin, parse->end_of_last);
    return EM_OK;
}

/* An operand and all operators behind it that bind at least that tightly. */
static em_status take_binary(parser *parse, uint32_t least)
{
    const uint32_t begin = parse->token.begin;
    em_status status = take_operand(parse);
    for (uint32_t level; status == EM_OK && (level = precedence(&parse->token)) >= least;) {
        const lexeme operation = parse->token;
        if (operation.symbol == EM_ITEM_AND || operation.symbol == EM_ITEM_OR)
            emit(parse, operation.symbol == EM_ITEM_AND ? EM_ITEM_AND_THEN : EM_ITEM_OR_ELSE, operation.begin, begin,
                 operation.end);
        if ((status = next_token(parse)) == EM_OK && (status = take_binary(parse, level + 1)) == EM_OK)
            emit(parse, operation.symbol, operation.begin, begin, parse->end_of_last);
    }
    return status;
}

static em_status take_all(em_expression *expression, em_error *error)
{
    parser parse = {.expression = expression, .error = error};
    em_status status = next_token(&parse);
    if (status == EM_OK && parse.token.kind == TOKEN_END)
        return em_fail_at(error, EM_USAGE, 0, "filter: an empty expression; 'src < dst' is one");
    if (status == EM_OK)
        status = take_binary(&parse, 1);
    if (status == EM_OK && parse.token.kind != TOKEN_END)
        status = parse.token.kind == TOKEN_CLOSE
                     ? em_expression_refuse(expression, parse.token.begin, error, "')' without its '('")
                     : refuse_token(&parse, "an operator");
    return status;
}

/* --- the whole ---------------------------------------------------------------------------------------------- */

static const em_expression_kernels *choose_kernels(const em_context *context)
{
#if defined(__x86_64__)
    if (em_context_isa(context) == EM_ISA_AVX512)
        return &em_expression_kernels_avx512;
    if (em_context_isa(context) == EM_ISA_AVX2)
        return &em_expression_kernels_avx2;
#endif
    (void)context;
    return &em_expression_kernels_scalar;
}

static em_status copy_text(em_expression *expression, const char *text, em_error *error)
{
    const size_t n = strlen(text);
    if (n > EM_EXPRESSION_BYTES)
        return em_fail(error, EM_USAGE, "filter: an expression of %zu bytes; at most %d are possible", n,
                       EM_EXPRESSION_BYTES);
    void *memory;
    em_status status = em_allocate(expression->context, n + 1, &memory, error);
    if (status != EM_OK)
        return status;
    expression->text = memory;
    expression->n_text_bytes = (uint32_t)n;
    memcpy(expression->text, text, n + 1);
    expression->item_capacity = 2 * expression->n_text_bytes + 1;
    status =
        em_allocate_array(expression->context, expression->item_capacity, sizeof *expression->items, &memory, error);
    expression->items = memory;
    return status;
}

/* A program for each type of weights; where only one of them makes sense, the other's error is kept for who has such
 * weights. */
static em_status compile_all(em_expression *expression, em_error *error)
{
    em_program *const programs = expression->programs;
    const bool both = expression->uses & EM_EXPRESSION_WEIGHT;
    for (uint32_t i = 0; i < (both ? EM_N_PROGRAMS : 1); i++) {
        const em_status status =
            em_expression_compile(expression, i == EM_PROGRAM_FLOAT, &programs[i], &programs[i].error);
        if (status != EM_OK && (status != EM_USAGE || i + 1 == (both ? EM_N_PROGRAMS : 1)) &&
            (status != EM_USAGE || programs[0].error.status != EM_OK)) {
            em_error_merge(error, &programs[status == EM_USAGE ? 0 : i].error);
            return status;
        }
    }
    return EM_OK;
}

em_status em_expression_parse(em_context *context, const char *text, em_expression **expression, em_error *error)
{
    void *memory;
    *expression = NULL;
    em_status status = em_allocate_zeroed(context, sizeof **expression, &memory, error);
    if (status != EM_OK)
        return status;
    em_expression *const made = memory;
    made->context = context;
    made->kernels = choose_kernels(context);
    status = copy_text(made, text, error);
    if (status == EM_OK)
        status = take_all(made, error);
    if (status == EM_OK)
        status = compile_all(made, error);
    if (status == EM_OK)
        *expression = made;
    else
        em_expression_free(made);
    return status;
}

void em_expression_free(em_expression *expression)
{
    if (!expression)
        return;
    em_context *const context = expression->context;
    for (uint32_t i = 0; i < EM_N_PROGRAMS; i++) {
        em_program *const program = &expression->programs[i];
        em_free(context, program->instructions, program->capacity * sizeof *program->instructions);
        em_free(context, program->constants, program->capacity * sizeof *program->constants);
    }
    em_free(context, expression->items, expression->item_capacity * sizeof *expression->items);
    em_free(context, expression->text, expression->n_text_bytes + UINT64_C(1));
    em_free(context, expression, sizeof *expression);
}

uint32_t em_expression_uses(const em_expression *expression)
{
    return expression->uses;
}

uint64_t em_expression_scratch_bytes(const em_expression *expression)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < EM_N_PROGRAMS; i++)
        most = expression->programs[i].scratch_bytes > most ? expression->programs[i].scratch_bytes : most;
    return most;
}
