/* test_text_number - ids and weights against strtod, strtof and hand-picked edges.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support.h"

#include "io/text_number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static em_number_status id_of(const char *text, uint64_t *id)
{
    return em_parse_id(text, text + strlen(text), id);
}

static em_number_status weight_of(const char *text, em_weight_kind kind, em_weight *weight)
{
    return em_parse_weight(text, text + strlen(text), kind, weight);
}

static void reads_ids_up_to_the_largest(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        em_number_status status;
        uint64_t id;
    } rows[] = {
        {"0", EM_NUMBER_OK, 0},
        {"007", EM_NUMBER_OK, 7},
        {"4294967296", EM_NUMBER_OK, UINT64_C(4294967296)},
        {"9223372036854775806", EM_NUMBER_OK, UINT64_C(9223372036854775806)},
        {"00000000000000000000000009223372036854775806", EM_NUMBER_OK, UINT64_C(9223372036854775806)},
        {"9223372036854775807", EM_NUMBER_OVERFLOW, 0},
        {"18446744073709551615", EM_NUMBER_OVERFLOW, 0},
        {"18446744073709551616", EM_NUMBER_OVERFLOW, 0},
        {"184467440737095516160", EM_NUMBER_OVERFLOW, 0},
        {"99999999999999999999999999999999999999999", EM_NUMBER_OVERFLOW, 0},
        {"-1", EM_NUMBER_NEGATIVE, 0},
        {"-", EM_NUMBER_BAD, 0},
        {"-1x", EM_NUMBER_BAD, 0},
        {"+4", EM_NUMBER_BAD, 0},
        {"", EM_NUMBER_BAD, 0},
        {"1e3", EM_NUMBER_BAD, 0},
        {"0x10", EM_NUMBER_BAD, 0},
        {"2abc", EM_NUMBER_BAD, 0},
        {"1.0", EM_NUMBER_BAD, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t id = 0;
        assert_int_equal(id_of(rows[i].text, &id), rows[i].status);
        if (rows[i].status == EM_NUMBER_OK)
            assert_int_equal(id, rows[i].id);
    }
}

static void rounds_once_like_the_c_library(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (uint32_t i = 0; i < 300000; i++) {
        char text[64];
        const uint64_t r = ref_random(&seed), mantissa = ref_random(&seed) >> (ref_random(&seed) % 64);
        switch (r % 5) {
        case 0:
            snprintf(text, sizeof text, "%llu.%llu", (unsigned long long)(mantissa % 1000),
                     (unsigned long long)(ref_random(&seed) >> (ref_random(&seed) % 64)));
            break;
        case 1:
            snprintf(text, sizeof text, "%llue%d", (unsigned long long)mantissa, (int)(r >> 8) % 60 - 30);
            break;
        case 2: {
            double any;
            const uint64_t bits = ref_random(&seed);
            memcpy(&any, &bits, sizeof any);
            if (any != any || any - any != 0)
                continue;
            snprintf(text, sizeof text, "%.*e", (int)(r >> 16) % 20, any);
            break;
        }
        case 3:
            snprintf(text, sizeof text, "-0.%0*llu", 1 + (int)((r >> 8) % 22), (unsigned long long)mantissa);
            break;
        default:
            snprintf(text, sizeof text, "%.17g", (double)mantissa / 3);
        }
        em_weight weight;
        const double expected = strtod(text, NULL);
        if (expected - expected != 0) {
            assert_int_equal(weight_of(text, EM_WEIGHT_F64, &weight), EM_NUMBER_OVERFLOW);
        } else {
            assert_int_equal(weight_of(text, EM_WEIGHT_F64, &weight), EM_NUMBER_OK);
            assert_memory_equal(&weight.value.f64, &expected, sizeof expected);
        }
        const float single = strtof(text, NULL);
        if (single - single != 0) {
            assert_int_equal(weight_of(text, EM_WEIGHT_F32, &weight), EM_NUMBER_OVERFLOW);
        } else {
            assert_int_equal(weight_of(text, EM_WEIGHT_F32, &weight), EM_NUMBER_OK);
            assert_memory_equal(&weight.value.f32, &single, sizeof single);
        }
    }
}

static void tells_what_a_type_cannot_hold(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        em_weight_kind kind;
        em_number_status status;
        bool rounded, zeroed;
    } rows[] = {
        {"9007199254740993", EM_WEIGHT_F64, EM_NUMBER_OK, true, false},
        {"9007199254740992", EM_WEIGHT_F64, EM_NUMBER_OK, false, false},
        {"16777217", EM_WEIGHT_F32, EM_NUMBER_OK, true, false},
        {"0.1", EM_WEIGHT_F32, EM_NUMBER_OK, false, false},
        {"1e-400", EM_WEIGHT_F64, EM_NUMBER_OK, false, true},
        {"0e5", EM_WEIGHT_F64, EM_NUMBER_OK, false, false},
        {"1e-50", EM_WEIGHT_F32, EM_NUMBER_OK, false, true},
        {"1e400", EM_WEIGHT_F64, EM_NUMBER_OVERFLOW, false, false},
        {"1e39", EM_WEIGHT_F32, EM_NUMBER_OVERFLOW, false, false},
        {"inf", EM_WEIGHT_F64, EM_NUMBER_NOT_FINITE, false, false},
        {"-Infinity", EM_WEIGHT_F64, EM_NUMBER_NOT_FINITE, false, false},
        {"NaN", EM_WEIGHT_F64, EM_NUMBER_NOT_FINITE, false, false},
        {"9223372036854775807", EM_WEIGHT_I64, EM_NUMBER_OK, false, false},
        {"9223372036854775808", EM_WEIGHT_I64, EM_NUMBER_OVERFLOW, false, false},
        {"-9223372036854775808", EM_WEIGHT_I64, EM_NUMBER_OK, false, false},
        {"-9223372036854775809", EM_WEIGHT_I64, EM_NUMBER_OVERFLOW, false, false},
        {"2147483648", EM_WEIGHT_I32, EM_NUMBER_OVERFLOW, false, false},
        {"-2147483648", EM_WEIGHT_I32, EM_NUMBER_OK, false, false},
        {"1.0", EM_WEIGHT_I64, EM_NUMBER_FRACTION, false, false},
        {"1e3", EM_WEIGHT_I32, EM_NUMBER_FRACTION, false, false},
        {"1,5", EM_WEIGHT_F64, EM_NUMBER_BAD, false, false},
        {".", EM_WEIGHT_F64, EM_NUMBER_BAD, false, false},
        {"-", EM_WEIGHT_F64, EM_NUMBER_BAD, false, false},
        {"1e", EM_WEIGHT_F64, EM_NUMBER_BAD, false, false},
        {"1e+", EM_WEIGHT_F64, EM_NUMBER_BAD, false, false},
        {"0x1p3", EM_WEIGHT_F64, EM_NUMBER_BAD, false, false},
        {"", EM_WEIGHT_F64, EM_NUMBER_BAD, false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        em_weight weight;
        if (weight_of(rows[i].text, rows[i].kind, &weight) != rows[i].status)
            fail_msg("%s as %s", rows[i].text, em_weight_name(rows[i].kind));
        if (rows[i].status == EM_NUMBER_OK) {
            assert_int_equal(weight.rounded, rows[i].rounded);
            assert_int_equal(weight.zeroed, rows[i].zeroed);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_ids_up_to_the_largest),
        cmocka_unit_test(rounds_once_like_the_c_library),
        cmocka_unit_test(tells_what_a_type_cannot_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
