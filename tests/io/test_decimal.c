/* test_decimal - numbers as text: shortest, exact, in any locale.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/decimal.h"
#include "tests/support_files.h"

#include <float.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static em_context *context;
static em_powers_of_ten *powers;

static int begin(void **state)
{
    (void)state;
    context = files_context(1, NULL);
    return em_powers_of_ten_make(context, &powers, NULL);
}

static int end(void **state)
{
    (void)state;
    em_powers_of_ten_free(context, powers);
    assert_int_equal(em_context_memory(context).current_bytes, 0);
    em_context_free(context);
    return 0;
}

static const char *f64(double value)
{
    static char text[EM_F64_DIGITS + 1];
    *em_put_f64(text, value, powers) = '\0';
    return text;
}

static const char *f32(float value)
{
    static char text[EM_F64_DIGITS + 1];
    *em_put_f32(text, value, powers) = '\0';
    return text;
}

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static void integers_are_printed_as_printf_does(void **state)
{
    (void)state;
    char ours[32], theirs[32];
    uint64_t seed = 1;
    for (int i = 0; i < 200000; i++) {
        const uint64_t random = next_random(&seed) >> (i % 64);
        const uint64_t values[] = {random, i < 20 ? (uint64_t)pow(10, i) : random,
                                   i < 20 ? (uint64_t)pow(10, i) - 1 : 0};
        for (int k = 0; k < 3; k++) {
            *em_put_u64(ours, values[k]) = '\0';
            snprintf(theirs, sizeof theirs, "%" PRIu64, values[k]);
            assert_string_equal(ours, theirs);
        }
        *em_put_i64(ours, (int64_t)random) = '\0';
        snprintf(theirs, sizeof theirs, "%" PRId64, (int64_t)random);
        assert_string_equal(ours, theirs);
    }
    *em_put_i64(ours, INT64_MIN) = '\0';
    assert_string_equal(ours, "-9223372036854775808");
    *em_put_u64(ours, UINT64_MAX) = '\0';
    assert_string_equal(ours, "18446744073709551615");
}

static void floats_by_hand(void **state)
{
    (void)state;
    assert_string_equal(f64(0.0), "0.0");
    assert_string_equal(f64(-0.0), "-0.0");
    assert_string_equal(f64(1.0), "1.0");
    assert_string_equal(f64(-2.5), "-2.5");
    assert_string_equal(f64(0.1), "0.1");
    assert_string_equal(f64(0.30000000000000004), "0.30000000000000004");
    assert_string_equal(f64(100.0), "100.0");
    assert_string_equal(f64(0.001), "0.001");
    assert_string_equal(f64(0.0001), "1e-4");
    assert_string_equal(f64(1e15), "1000000000000000.0");
    assert_string_equal(f64(1e16), "1e16");
    assert_string_equal(f64(1.5e300), "1.5e300");
    assert_string_equal(f64(5e-324), "5e-324");
    assert_string_equal(f64(DBL_MAX), "1.7976931348623157e308");
    assert_string_equal(f64(DBL_MIN), "2.2250738585072014e-308");
    assert_string_equal(f64(9007199254740993.0), "9007199254740992.0");
    assert_string_equal(f64(2e23), "2e23");
    assert_string_equal(f64(9.5367431640625e-07), "9.5367431640625e-7");
    assert_string_equal(f32(0.1f), "0.1");
    assert_string_equal(f32(16777216.0f), "16777216.0");
    assert_string_equal(f32(FLT_MAX), "3.4028235e38");
    assert_string_equal(f32(1.4e-45f), "1e-45");
    assert_string_equal(f32(FLT_MIN), "1.1754944e-38");
}

static int significant(const char *text)
{
    int n = 0, zeros = 0;
    for (; *text && *text != 'e'; text++)
        if (*text >= '0' && *text <= '9') {
            zeros = *text == '0' ? zeros + (n > 0) : 0;
            n += n > 0 || *text != '0';
        }
    return n - zeros;
}

/* Shortest: printf with as many digits as ours reads back the same, with one less it does not. */
static void assert_shortest_f64(double value)
{
    const char *ours = f64(value);
    char theirs[64];
    if (strtod(ours, NULL) != value)
        fail_msg("%s is not %.17g", ours, value);
    const int n = significant(ours);
    snprintf(theirs, sizeof theirs, "%.*e", n > 1 ? n - 2 : 0, value);
    if (n > 1 && strtod(theirs, NULL) == value)
        fail_msg("%s is shorter than %s", theirs, ours);
    snprintf(theirs, sizeof theirs, "%.*e", n - 1, value);
    if (strtod(theirs, NULL) == value && strtold(theirs, NULL) != strtold(ours, NULL))
        fail_msg("%s is closer than %s", theirs, ours);
}

static void floats_are_shortest_and_closest(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int i = 0; i < 300000; i++) {
        uint64_t bits = next_random(&seed);
        double value;
        if (i % 8 == 0)
            bits &= UINT64_C(0xfff) << 52; /* powers of two: the lopsided interval */
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value) && value != 0)
            assert_shortest_f64(value);
        assert_shortest_f64((double)(int64_t)(bits >> 40) / 1000 + 1);
        assert_shortest_f64((double)(bits >> 11) * 0x1p-53 + 1e-9);
    }
    for (int e = -1074; e < 1024; e++) {
        assert_shortest_f64(ldexp(1, e));
        assert_shortest_f64(nextafter(ldexp(1, e), 0) > 0 ? nextafter(ldexp(1, e), 0) : 1);
        assert_shortest_f64(nextafter(ldexp(1, e), INFINITY));
    }
    for (int e = -307; e < 309; e++) {
        char text[16];
        snprintf(text, sizeof text, "1e%d", e);
        assert_shortest_f64(strtod(text, NULL));
    }
}

static void single_floats_are_shortest(void **state)
{
    (void)state;
    for (uint64_t bits = 1; bits < UINT64_C(0x7f800000); bits += 4001) {
        const uint32_t narrow = (uint32_t)bits;
        float value;
        char theirs[64];
        memcpy(&value, &narrow, sizeof value);
        const char *ours = f32(value);
        if (strtof(ours, NULL) != value)
            fail_msg("%s is not %.9g", ours, (double)value);
        const int n = significant(ours);
        snprintf(theirs, sizeof theirs, "%.*e", n > 1 ? n - 2 : 0, (double)value);
        if (n > 1 && strtof(theirs, NULL) == value)
            fail_msg("%s is shorter than %s", theirs, ours);
    }
}

static void the_locale_changes_nothing(void **state)
{
    (void)state;
    if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "de_DE"))
        skip();
    assert_string_equal(f64(1.25), "1.25");
    setlocale(LC_ALL, "C");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(integers_are_printed_as_printf_does), TEST(floats_by_hand),
        TEST(floats_are_shortest_and_closest),     TEST(single_floats_are_shortest),
        TEST(the_locale_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
