/* test_expression - the language of filters: by hand, what it refuses, and words in any order.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support_expression.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- by hand ------------------------------------------------------------------------------------------------- */

static const uint32_t hand_pairs[] = {0, 0, 0, 1, 1, 0, 2, 5, 7, 3, 4, 4};
static const int64_t hand_weights[] = {0, -1, 2, 3, 10, 7};
static const uint64_t hand_degrees[] = {2, 1, 1, 0, 1, 0, 0, 1};
enum { N_HAND = 6 };

static em_status try_text(const char *text, em_weight_kind kind, const void *weights, uint64_t first, uint64_t *bits,
                          em_error *error)
{
    em_context *const context = expression_context((em_knobs){0});
    em_expression *expression;
    em_status status = em_expression_parse(context, text, &expression, error);
    if (status == EM_OK) {
        em_expression_block block = {.pairs = hand_pairs,
                                     .weights = weights,
                                     .degrees = hand_degrees,
                                     .first = first,
                                     .n = N_HAND,
                                     .id_bytes = 4,
                                     .weight_kind = (uint8_t)kind};
        status = expression_evaluate(context, expression, &block, bits, error);
        if (status == EM_MALFORMED && error)
            assert_int_equal(error->position, block.failed);
        em_expression_free(expression);
    }
    assert_int_equal(em_context_memory(context).current_bytes, 0);
    em_context_free(context);
    return status;
}

/* `expected`: an x for each arc that is kept. */
static void check_hand(const char *text, const char *expected)
{
    uint64_t bits = UINT64_MAX;
    em_error error = {0};
    if (try_text(text, EM_WEIGHT_I64, hand_weights, UINT64_MAX, &bits, &error) != EM_OK)
        fail_msg("%s: %s", text, error.message);
    char got[N_HAND + 1] = "";
    for (uint32_t i = 0; i < N_HAND; i++)
        got[i] = bits >> i & 1 ? 'x' : '.';
    if (strcmp(got, expected) != 0)
        fail_msg("%s: %s, not %s", text, got, expected);
    assert_int_equal(bits >> N_HAND, 0);
}

static void knows_every_word_and_operator(void **state)
{
    (void)state;
    /*        arcs: 0->0 0->1 1->0 2->5 7->3 4->4; weights 0 -1 2 3 10 7 */
    check_hand("src < dst", ".x.x..");
    check_hand("src <= dst", "xx.x.x");
    check_hand("src > dst", "..x.x.");
    check_hand("src >= dst", "x.x.xx");
    check_hand("src == dst", "x....x");
    check_hand("src != dst", ".xxxx.");
    check_hand("!(src == dst)", ".xxxx.");
    check_hand("weight > 2", "...xxx");
    check_hand("weight > 2.5", "...xxx");
    check_hand("weight >= 2.0", "..xxxx");
    check_hand("3 == weight", "...x..");
    check_hand("src != dst && weight >= 2", "..xxx.");
    check_hand("src == 0 || dst == 0", "xxx...");
    check_hand("src - dst < 0", ".x.x..");
    check_hand("-src == -4", ".....x");
    check_hand("src + dst == 7", "...x..");
    check_hand("src * dst == 10", "...x..");
    check_hand("src / 2 == 1", "...x..");
    check_hand("-7 / 2 == -3 && src == 2", "...x..");
    check_hand("-7 % 2 == -1 && src == 2", "...x..");
    check_hand("src % 2 == 1", "..x.x.");
    check_hand("(src - dst) % 2 == -1", ".x.x..");
    check_hand("degree(src) > 1", "xx....");
    check_hand("degree(dst) == 1", ".x...x");
    check_hand("1 < 2", "xxxxxx");
    check_hand("!(1 < 2)", "......");
    check_hand("1 < 2 && src == 0", "xx....");
    check_hand("src == 0 && 1 < 2", "xx....");
    check_hand("src == 0 || 1 > 2", "xx....");
    check_hand("  src==0\t", "xx....");
    check_hand("src < 1e0", "xx....");
    check_hand("src * .5 == 1.", "...x..");
    check_hand("weight / 2 == 1.5", "......");
    check_hand("weight / 2. == 1.5", "...x..");
}

static void binds_as_c_does(void **state)
{
    (void)state;
    check_hand("src + 1 * 2 == 2", "xx....");
    check_hand("src - 1 - 1 == 0", "...x..");
    check_hand("8 / 4 / 2 == src", "..x...");
    check_hand("src == 0 || src == 1 && dst == 1", "xx....");
    check_hand("(src == 0 || src == 1) && dst == 1", ".x....");
    check_hand("!(src == 0) && dst == 0", "..x...");
    check_hand("src < dst + 1 && dst < src + 1", "x....x");
    check_hand("- src + 4 == 0", ".....x");
    check_hand("-(src + 4) == -5", "..x...");
    check_hand("2 - -src == 3", "..x...");
}

static void keeps_to_short_circuits_for_each_arc(void **state)
{
    (void)state;
    check_hand("src != 0 && 10 / src > 1", "..xx.x");
    check_hand("src == 0 || 10 / src > 1", "xxxx.x");
    check_hand("!(src == 0 || 10 / src <= 1)", "..xx.x");
    check_hand("src != 0 && (dst != 0 && 10 / (src * dst) >= 1)", "...x..");
    check_hand("src > 100 && 1 / (src - src) > 0", "......");
    check_hand("1 > 2 && 1 / (src - src) > 0", "......");
    check_hand("1 < 2 || 1 / (src - src) > 0", "xxxxxx");
    check_hand("src > 100 && 1 / (src - src) > 0 || dst == 3", "....x.");
}

static void compares_integers_with_floats_exactly(void **state)
{
    (void)state;
    static const int64_t weights[N_HAND] = {
        INT64_MAX, INT64_MAX - 1, INT64_MIN, (INT64_C(1) << 53) + 1, (INT64_C(1) << 53), 0};
    static const struct {
        const char *text;
        uint64_t bits;
    } cases[] = {
        {"weight < 9223372036854775808.0", 63},
        {"weight == 9223372036854775808.0", 0},
        {"weight >= -9223372036854775808.", 63},
        {"weight == -9223372036854775808.", 4},
        {"weight > 9007199254740992.0", 11},
        {"weight == 9007199254740992.0", 16},
        {"9007199254740992.0 < weight", 11},
        {"9007199254740992.0 != weight", 47},
        {"9007199254740992.0 >= weight", 52},
        {"weight <= 9007199254740992.0", 52},
        {"weight <= 1e300", 63},
        {"weight > -1e300", 63},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t bits = 0;
        em_error error = {0};
        assert_int_equal(try_text(cases[i].text, EM_WEIGHT_I64, weights, 0, &bits, &error), EM_OK);
        if (bits != cases[i].bits)
            fail_msg("%s: %" PRIx64, cases[i].text, bits);
    }
}

static void takes_weights_of_every_kind(void **state)
{
    (void)state;
    static const int32_t i32[N_HAND] = {INT32_MIN, -1, 0, 1, 2, INT32_MAX};
    static const float f32[N_HAND] = {-1.5F, -0.F, 0, 0.5F, 1, 3e38F};
    static const double f64[N_HAND] = {-1.5, -0., 0, 0.5, 1, 1e308};
    uint64_t bits = 0;
    assert_int_equal(try_text("weight < 1", EM_WEIGHT_I32, i32, 0, &bits, NULL), EM_OK);
    assert_int_equal(bits, 7);
    assert_int_equal(try_text("weight * 2 < 1", EM_WEIGHT_I32, i32, 0, &bits, NULL), EM_OK);
    assert_int_equal(bits, 7);
    assert_int_equal(try_text("weight < 1", EM_WEIGHT_F32, f32, 0, &bits, NULL), EM_OK);
    assert_int_equal(bits, 15);
    assert_int_equal(try_text("weight * weight > 1", EM_WEIGHT_F64, f64, 0, &bits, NULL), EM_OK);
    assert_int_equal(bits, 33);
    assert_int_equal(try_text("weight == 0 && 1 / weight < 0", EM_WEIGHT_F64, f64, 0, &bits, NULL), EM_OK);
    assert_int_equal(bits, 2); /* 1 / -0.0 is -inf */
}

static void follows_weights_that_become_floats(void **state)
{
    (void)state;
    em_context *const context = expression_context((em_knobs){0});
    em_expression *expression;
    assert_int_equal(em_expression_parse(context, "weight / 2 == 1 && src != 3", &expression, NULL), EM_OK);
    assert_int_equal(em_expression_uses(expression), EM_EXPRESSION_WEIGHT);
    const uint64_t n_bytes = em_expression_scratch_bytes(expression);
    void *scratch;
    assert_int_equal(em_allocate_zeroed(context, n_bytes, &scratch, NULL), EM_OK);
    const int64_t integers[] = {2, 3};
    const double floats[] = {2, 3};
    const uint64_t pairs[] = {1, 2, 3, 4};
    em_expression_block block = {.pairs = pairs, .n = 2, .id_bytes = 8, .scratch = scratch};
    const uint64_t narrow[] = {1, 1, 4, 1};
    for (int round = 0; round < 2; round++) {
        uint64_t bits = 0;
        block.pairs = narrow;
        block.weights = integers;
        block.weight_kind = EM_WEIGHT_I64;
        assert_int_equal(em_expression_eval(expression, &block, &bits, NULL), EM_OK);
        assert_int_equal(bits, 3);
        block.weights = floats;
        block.weight_kind = EM_WEIGHT_F64;
        assert_int_equal(em_expression_eval(expression, &block, &bits, NULL), EM_OK);
        assert_int_equal(bits, 1);
        block.pairs = pairs;
    }
    em_free(context, scratch, n_bytes);
    em_expression_free(expression);
    assert_int_equal(em_context_memory(context).current_bytes, 0);
    em_context_free(context);
}

/* --- refusals -------------------------------------------------------------------------------------------------- */

static void refuses_what_is_no_expression_and_names_the_column(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "filter: an empty expression; 'src < dst' is one"},
        {"  ", "filter: an empty expression; 'src < dst' is one"},
        {"src <", "filter: column 6: the expression ends, and a number, a name or '(' is missing"},
        {"src < < dst", "filter: column 7: '<' where a number, a name or '(' is wanted"},
        {"src dst", "filter: column 5: 'dst' where an operator is wanted"},
        {"(src < dst", "filter: column 11: the expression ends, and ')' for the '(' of column 1 is missing"},
        {"src < dst)", "filter: column 10: ')' without its '('"},
        {"(src < dst]", "filter: column 11: ']' means nothing here"},
        {"src = dst", "filter: column 5: '=' means nothing here; equality is '=='"},
        {"src < 1 & dst < 1", "filter: column 9: '&' means nothing here; and is '&&'"},
        {"src < 1 | dst < 1", "filter: column 9: '|' means nothing here; or is '||'"},
        {"src ^ 2 < 3", "filter: column 5: '^' means nothing here; there are no powers"},
        {"src < \xc3\xa4", "filter: column 7: '\xc3\xa4' means nothing here"},
        {"src < \x01", "filter: column 7: '\\x01' means nothing here"},
        {"source < 3", "filter: column 1: 'source' is unknown; the source of an arc is 'src'"},
        {"src < 3 and dst < 3", "filter: column 9: 'and' where an operator is wanted"},
        {"not src", "filter: column 1: 'not' is unknown; not is '!'"},
        {"src < x", "filter: column 7: 'x' is unknown; there are src, dst, weight, degree(src) and degree(dst)"},
        {"degree < 3", "filter: column 8: '<' where '(': degree(src) or degree(dst) is wanted"},
        {"degree(weight) < 3", "filter: column 8: 'weight' where src or dst, whose degree it is, is wanted"},
        {"degree(src + 1) < 3", "filter: column 12: '+' where ')' is wanted"},
        {"src < 3x", "filter: column 7: '3x' is no number"},
        {"src < 0x10", "filter: column 7: '0x10' is no number"},
        {"src < 1.2.3", "filter: column 7: '1.2.3' is no number"},
        {"src < 1e", "filter: column 7: '1e' is no number"},
        {"src < 1e999", "filter: column 7: '1e999' does not fit a float of 64 bits"},
        {"src < 9223372036854775808", "filter: column 7: '9223372036854775808' does not fit a signed integer of 64 "
                                      "bits; with a point it is a float"},
        {"src < -9223372036854775809", "filter: column 8: '9223372036854775809' does not fit a signed integer of 64 "
                                       "bits; with a point it is a float"},
        {"src", "filter: column 1: 'src' is a number, not a truth value; compare it, such as with '!= 0'"},
        {"src + 1", "filter: column 1: 'src + 1' is a number, not a truth value; compare it, such as with '!= 0'"},
        {"1 < src < 5", "filter: column 9: '<' compares numbers, and '1 < src' is a truth value; write '1 < src && src "
                        "< 5'"},
        {"src == dst == 1", "filter: column 12: '==' compares numbers, and 'src == dst' is a truth value; write 'src "
                            "== dst && dst == 1'"},
        {"(src < dst) == 1", "filter: column 13: '==' wants numbers, and '(src < dst)' is a truth value"},
        {"1 + (src < dst) > 1", "filter: column 3: '+' wants numbers, and '(src < dst)' is a truth value"},
        {"-(src < dst) > 1", "filter: column 1: '-' wants numbers, and '(src < dst)' is a truth value"},
        {"src && dst < 1", "filter: column 1: '&&' wants truth values, and 'src' is a number; compare it, such as with "
                           "'!= 0'"},
        {"dst < 1 || src", "filter: column 12: '||' wants truth values, and 'src' is a number; compare it, such as "
                           "with '!= 0'"},
        {"!src == 1", "filter: column 2: '!' wants truth values, and 'src' is a number; compare it, such as with '!= "
                      "0'"},
        {"src % 2.0 == 1", "filter: column 5: '%' is for integers, and '2.0' is a float; floats are rounded, and so "
                           "would be what is left of a division"},
        {"src < 1 / 0", "filter: column 9: '1 / 0' divides by zero"},
        {"src < 5 % (2 - 2)", "filter: column 9: '5 % (2 - 2)' divides by zero"},
        {"src < 9223372036854775807 + 1",
         "filter: column 27: '9223372036854775807 + 1' overflows a signed integer of 64 bits"},
        {"src < -9223372036854775808 / -1",
         "filter: column 28: '-9223372036854775808 / -1' overflows a signed integer of 64 bits"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        em_error error = {0};
        uint64_t bits = 0;
        assert_int_equal(try_text(cases[i].text, EM_WEIGHT_I64, hand_weights, 0, &bits, &error), EM_USAGE);
        if (strcmp(error.message, cases[i].message) != 0)
            fail_msg("%s:\n  %s\nnot %s", cases[i].text, error.message, cases[i].message);
    }
}

static void refuses_weights_it_makes_no_sense_for(void **state)
{
    (void)state;
    em_error error = {0};
    uint64_t bits = 0;
    static const double f64[N_HAND] = {0};
    assert_int_equal(try_text("weight > 1", EM_WEIGHT_NONE, NULL, 0, &bits, &error), EM_USAGE);
    assert_string_equal(error.message, "filter: the expression asks for the weight of arcs that have none");
    error = (em_error){0};
    assert_int_equal(try_text("src == 1 && weight % 2 == 1", EM_WEIGHT_F64, f64, 0, &bits, &error), EM_USAGE);
    assert_string_equal(error.message,
                        "filter: column 20: '%' is for integers, and 'weight' is a float; floats are rounded, and so "
                        "would be what is left of a division (weights are f64)");
    assert_int_equal(try_text("src == 1 && weight % 2 == 1", EM_WEIGHT_I64, hand_weights, 0, &bits, NULL), EM_OK);
}

static void names_the_first_arc_that_overflows(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t first;
        const char *message;
    } cases[] = {
        {"10 / src > 1", UINT64_MAX, "filter: 10 / 0 divides by zero for the arc 0 -> 0"},
        {"src != 0 || 10 % (src - dst) > 1", 100, "filter: 10 % 0 divides by zero for the arc number 100, 0 -> 0"},
        {"src == 0 || 9223372036854775807 + src > 0", UINT64_MAX,
         "filter: 9223372036854775807 + 1 overflows for the arc 1 -> 0"},
        {"src == 0 || -9223372036854775807 - src - dst > 0", 0,
         "filter: -9223372036854775807 - 2 overflows for the arc number 3, 2 -> 5"},
        {"src < 7 || src * 5000000000000000000 > 0", 0,
         "filter: 7 * 5000000000000000000 overflows for the arc number 4, 7 -> 3"},
        {"-9223372036854775808 / weight != 1 || src == src", UINT64_MAX,
         "filter: -9223372036854775808 / 0 divides by zero for the arc 0 -> 0"},
        {"weight != -1 || -9223372036854775808 / weight != 1", UINT64_MAX,
         "filter: -9223372036854775808 / (-1) overflows for the arc 0 -> 1"},
        {"weight != -1 || -9223372036854775808 % weight != 1", UINT64_MAX,
         "filter: -9223372036854775808 % (-1) overflows for the arc 0 -> 1"},
        {"src < 7 || -(src - 7 - 9223372036854775807 - 1) > 0", UINT64_MAX,
         "filter: -(-9223372036854775808) overflows for the arc 7 -> 3"},
        /* the second instruction fails for an earlier arc */
        {"src != 7 || 1 / (src - 7) > 0 && 1 / 1 > 0", UINT64_MAX, "filter: 1 / 0 divides by zero for the arc 7 -> 3"},
        {"1 / (src - 7) + 1 / (src - 2) > 0", UINT64_MAX, "filter: 1 / 0 divides by zero for the arc 2 -> 5"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        em_error error = {0};
        uint64_t bits = 0;
        assert_int_equal(try_text(cases[i].text, EM_WEIGHT_I64, hand_weights, cases[i].first, &bits, &error),
                         EM_MALFORMED);
        if (strcmp(error.message, cases[i].message) != 0)
            fail_msg("%s:\n  %s\nnot %s", cases[i].text, error.message, cases[i].message);
    }
}

/* n times `word`, then `tail`, then n times `close`. */
static char *repeat(const char *word, uint32_t n, const char *tail, const char *close)
{
    char *const text = malloc(n * (strlen(word) + strlen(close)) + strlen(tail) + 1), *at = text;
    for (uint32_t i = 0; i < n; i++)
        at = stpcpy(at, word);
    at = stpcpy(at, tail);
    for (uint32_t i = 0; i < n; i++)
        at = stpcpy(at, close);
    return text;
}

static void limits_depth_and_length(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        uint32_t n;
        const char *tail, *close, *message;
    } cases[] = {
        {"(", 64, "src < dst", ")", NULL},
        {"(", 65, "src < dst", ")", "filter: column 65: more than 64 parentheses and signs within each other"},
        {"!", 64, "(src < dst)", "", "filter: column 65: more than 64 parentheses and signs within each other"},
        {"!", 63, "(src < dst)", "", NULL},
        {"-", 10000, "src < dst", "", "filter: column 66: more than 64 parentheses and signs within each other"},
        {"src == 17 || ", 1200, "src < dst", "", NULL},
        {"src == 17 && ", 1200, "src < dst", "", NULL},
        {"1 + ", 4000, "src < dst", "", NULL},
        {"(src<1||src<2&&1!=dst+2*", 64, "src", ")", "filter: column 1512: '*' wants numbers"},
        {"(src<1||src<2&&(", 32, "src<dst", "))", NULL},
        {"(1+src*", 64, "src", "", "filter: column 452: the expression ends"},
        {"src==1||", 2100, "src < dst", "", "filter: an expression of 16809 bytes; at most 16384 are possible"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *const text = repeat(cases[i].word, cases[i].n, cases[i].tail, cases[i].close);
        em_error error = {0};
        uint64_t bits = 0;
        const em_status status = try_text(text, EM_WEIGHT_I64, hand_weights, 0, &bits, &error);
        if (status != (cases[i].message ? EM_USAGE : EM_OK))
            fail_msg("%.40s…: %s", text, error.message);
        if (cases[i].message && strncmp(error.message, cases[i].message, strlen(cases[i].message)) != 0)
            fail_msg("%.40s…: %s", text, error.message);
        free(text);
    }
}

static void says_what_it_uses(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t uses;
    } cases[] = {
        {"src < dst", 0},
        {"weight < 1", EM_EXPRESSION_WEIGHT},
        {"degree(src) < 1", EM_EXPRESSION_DEGREE},
        {"degree(dst) < weight", EM_EXPRESSION_WEIGHT | EM_EXPRESSION_DEGREE},
    };
    em_context *const context = expression_context((em_knobs){0});
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        em_expression *expression;
        assert_int_equal(em_expression_parse(context, cases[i].text, &expression, NULL), EM_OK);
        assert_int_equal(em_expression_uses(expression), cases[i].uses);
        em_expression_free(expression);
    }
    em_expression_free(NULL);
    em_context_free(context);
}

/* --- anything at all --------------------------------------------------------------------------------------------- */

static void survives_words_in_any_order(void **state)
{
    (void)state;
    static const char *const words[] = {"src", "dst", "weight", "degree(src)", "degree", "(", ")",  "(",  ")",
                                        "<",   "==",  "&&",     "||",          "!",      "-", "+",  "/",  "%",
                                        "1",   "2.5", "0",      "*",           "\x80",   ".", "1e", "!=", " "};
    em_context *const context = expression_context((em_knobs){0});
    uint64_t seed = 11, n_good = 0;
    for (uint32_t round = 0; round < 100000; round++) {
        char text[256] = "";
        const uint32_t n = (uint32_t)(ref_random(&seed) % 12);
        for (uint32_t i = 0; i < n; i++)
            strcat(text, words[ref_random(&seed) % (sizeof words / sizeof *words)]);
        em_expression *expression;
        em_error error = {0};
        const em_status status = em_expression_parse(context, text, &expression, &error);
        if (status == EM_OK) {
            uint64_t bits = 0;
            em_expression_block block = {.pairs = hand_pairs,
                                         .weights = hand_weights,
                                         .degrees = hand_degrees,
                                         .n = N_HAND,
                                         .id_bytes = 4,
                                         .weight_kind = EM_WEIGHT_I64};
            expression_evaluate(context, expression, &block, &bits, &error);
            n_good++;
        } else {
            assert_int_equal(status, EM_USAGE);
            assert_null(expression);
            assert_memory_equal(error.message, "filter: ", 8);
        }
        em_expression_free(expression);
    }
    assert_true(n_good > 100);
    assert_int_equal(em_context_memory(context).current_bytes, 0);
    em_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_every_word_and_operator),
        cmocka_unit_test(binds_as_c_does),
        cmocka_unit_test(keeps_to_short_circuits_for_each_arc),
        cmocka_unit_test(compares_integers_with_floats_exactly),
        cmocka_unit_test(takes_weights_of_every_kind),
        cmocka_unit_test(follows_weights_that_become_floats),
        cmocka_unit_test(refuses_what_is_no_expression_and_names_the_column),
        cmocka_unit_test(refuses_weights_it_makes_no_sense_for),
        cmocka_unit_test(names_the_first_arc_that_overflows),
        cmocka_unit_test(limits_depth_and_length),
        cmocka_unit_test(says_what_it_uses),
        cmocka_unit_test(survives_words_in_any_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
