/* test_dispatch - em_scan_sum and em_scan_offsets through every engine, processor path, thread count and tile size.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scan/monoids.h"
#include "scan/scan.h"
#include "tests/support_turns.h"

static const uint32_t SIZES[] = {4, 4, 8, 8, 4, 8}; /* by em_type */

typedef struct setting {
    uint32_t n_threads;
    uint64_t tile_bytes;
    bool serial;
    em_isa isa;
} setting;

static em_context *make_context(setting with)
{
    em_context_options options = {.n_threads = with.n_threads};
    options.knobs.tile_bytes = with.tile_bytes;
    options.knobs.serial_below = with.serial ? UINT64_MAX : 1;
    options.knobs.isa_limited = true;
    options.knobs.isa_at_most = with.isa;
    em_context *context;
    assert_int_equal(em_context_create(&options, &context, NULL), EM_OK);
    return context;
}

/* Calls `check` under every engine, path, team and tile worth trying. */
static void under_every_setting(void (*check)(em_context *context, void *state), void *state)
{
    static const uint64_t TILES[] = {1, 12, 1000, 20000};
    static uint64_t turn;
    for (em_isa isa = EM_ISA_SCALAR; isa <= EM_ISA_AVX512; isa++) {
        em_context *serial = make_context((setting){1, 0, true, isa});
        check(serial, state);
        em_context_free(serial);
        for (uint32_t n_threads = 1; n_threads <= 5; n_threads += 1 + (n_threads == 3))
            for (size_t i = 0; i < sizeof TILES / sizeof *TILES; i++) {
                if (!support_turn(&turn))
                    continue;
                em_context *context = make_context((setting){n_threads, TILES[i], false, isa});
                check(context, state);
                assert_int_equal(em_context_memory(context).current_bytes, 0);
                em_context_free(context);
            }
    }
}

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* Bytes, because what is written as one type must not be read as another. */
static void fill_random(void *into, uint64_t n_words, uint64_t *seed)
{
    for (uint64_t i = 0; i < n_words; i++) {
        const uint64_t word = next_random(seed);
        memcpy((char *)into + i * sizeof word, &word, sizeof word);
    }
}

/* --- by hand ------------------------------------------------------------------------------------ */

static void scans_the_textbook_example(em_context *context, void *state)
{
    (void)state;
    const uint32_t in[8] = {3, 1, 7, 0, 4, 2, 1, 6};
    const uint32_t inclusive[8] = {3, 4, 11, 11, 15, 17, 18, 24}, exclusive[8] = {0, 3, 4, 11, 11, 15, 17, 18};
    uint32_t out[8];
    assert_int_equal(em_scan_sum(context, EM_U32, EM_INCLUSIVE, in, out, 8, NULL), EM_OK);
    assert_memory_equal(out, inclusive, sizeof out);
    assert_int_equal(em_scan_sum(context, EM_U32, EM_EXCLUSIVE, in, out, 8, NULL), EM_OK);
    assert_memory_equal(out, exclusive, sizeof out);
    const double numbers[4] = {0.5, -2, 4, 1}, sums[4] = {0.5, -1.5, 2.5, 3.5};
    double written[4];
    assert_int_equal(em_scan_sum(context, EM_F64, EM_INCLUSIVE, numbers, written, 4, NULL), EM_OK);
    assert_memory_equal(written, sums, sizeof sums);
    const uint64_t offsets[9] = {0, 3, 4, 11, 11, 15, 17, 18, 24};
    uint64_t got[9];
    assert_int_equal(em_scan_offsets(context, EM_U32, in, got, 8, NULL), EM_OK);
    assert_memory_equal(got, offsets, sizeof got);
}

static void scans_the_textbook_example_on_every_path(void **state)
{
    under_every_setting(scans_the_textbook_example, *state);
}

static void gives_one_offset_for_no_counts(void **state)
{
    (void)state;
    em_context *context = make_context((setting){.n_threads = 2});
    uint64_t offset = 7;
    assert_int_equal(em_scan_offsets(context, EM_U32, NULL, &offset, 0, NULL), EM_OK);
    assert_int_equal(offset, 0);
    assert_int_equal(em_scan_sum(context, EM_F32, EM_EXCLUSIVE, NULL, NULL, 0, NULL), EM_OK);
    em_context_free(context);
}

/* --- random integers against a loop -------------------------------------------------------------- */

typedef struct integers {
    uint64_t n;
    void *in, *inclusive, *exclusive, *out;
    em_type type;
    uint64_t shift; /* of out, in elements */
} integers;

static void matches_the_loop(em_context *context, void *state)
{
    const integers *own = state;
    const uint64_t size = SIZES[own->type], n_bytes = own->n * size;
    char *out = (char *)own->out + own->shift * size;
    assert_int_equal(em_scan_sum(context, own->type, EM_INCLUSIVE, own->in, out, own->n, NULL), EM_OK);
    assert_memory_equal(out, own->inclusive, n_bytes);
    memcpy(out, own->in, n_bytes);
    assert_int_equal(em_scan_sum(context, own->type, EM_INCLUSIVE, out, out, own->n, NULL), EM_OK);
    assert_memory_equal(out, own->inclusive, n_bytes);
    assert_int_equal(em_scan_sum(context, own->type, EM_EXCLUSIVE, own->in, out, own->n, NULL), EM_OK);
    assert_memory_equal(out, own->exclusive, n_bytes);
    memcpy(out, own->in, n_bytes);
    assert_int_equal(em_scan_sum(context, own->type, EM_EXCLUSIVE, out, out, own->n, NULL), EM_OK);
    assert_memory_equal(out, own->exclusive, n_bytes);
}

static void scan_by_loop(integers *own)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < own->n; i++) {
        if (SIZES[own->type] == 4) {
            ((uint32_t *)own->exclusive)[i] = (uint32_t)sum;
            sum += ((const uint32_t *)own->in)[i];
            ((uint32_t *)own->inclusive)[i] = (uint32_t)sum;
        } else {
            ((uint64_t *)own->exclusive)[i] = sum;
            sum += ((const uint64_t *)own->in)[i];
            ((uint64_t *)own->inclusive)[i] = sum;
        }
    }
}

static void sums_of_integers_match_a_loop(void **state)
{
    (void)state;
    static const uint64_t LENGTHS[] = {1, 2, 3, 7, 8, 9, 31, 33, 64, 65, 129, 1000, 5003};
    uint64_t seed = 1;
    for (em_type type = EM_U32; type <= EM_I64; type++)
        for (size_t i = 0; i < sizeof LENGTHS / sizeof *LENGTHS; i++) {
            if ((type == EM_I32 || type == EM_I64) && i % 4)
                continue;
            integers own = {.n = LENGTHS[i], .type = type, .shift = i % 3};
            const size_t n_bytes = (own.n + 3) * 8;
            own.in = malloc(n_bytes), own.inclusive = malloc(n_bytes);
            own.exclusive = malloc(n_bytes), own.out = malloc(n_bytes);
            fill_random(own.in, own.n + 3, &seed);
            scan_by_loop(&own);
            under_every_setting(matches_the_loop, &own);
            free(own.in), free(own.inclusive), free(own.exclusive), free(own.out);
        }
}

/* Above the size from which results are streamed past the caches, at every alignment of the output. */
static void streamed_sums_match_a_loop(void **state)
{
    (void)state;
    integers own = {.n = 3000001, .type = EM_U32};
    const size_t n_bytes = (own.n + 16) * 8;
    own.in = malloc(n_bytes), own.inclusive = malloc(n_bytes), own.exclusive = malloc(n_bytes);
    own.out = malloc(n_bytes);
    uint64_t seed = 2, turn = 0;
    fill_random(own.in, own.n + 16, &seed);
    for (em_isa isa = EM_ISA_SCALAR; isa <= EM_ISA_AVX512; isa++)
        for (own.type = EM_U32; own.type <= EM_U64; own.type += 2) {
            scan_by_loop(&own);
            for (own.shift = 0; own.shift < 16; own.shift += 5) {
                if (!support_turn(&turn))
                    continue;
                em_context *serial = make_context((setting){1, 0, true, isa});
                em_context *team = make_context((setting){3, own.shift * 1000, false, isa});
                matches_the_loop(serial, &own);
                matches_the_loop(team, &own);
                em_context_free(serial), em_context_free(team);
            }
        }
    free(own.in), free(own.inclusive), free(own.exclusive), free(own.out);
}

/* --- offsets ------------------------------------------------------------------------------------ */

typedef struct counts {
    uint64_t n, *wide, *expected, *out;
    uint32_t *narrow;
    bool too_many;
} counts;

static void matches_the_offsets(em_context *context, void *state)
{
    const counts *own = state;
    const em_status expected = own->too_many ? EM_MALFORMED : EM_OK;
    em_error error = {0};
    assert_int_equal(em_scan_offsets(context, EM_U64, own->wide, own->out, own->n, &error), expected);
    assert_int_equal(error.status, expected);
    if (!own->too_many)
        assert_memory_equal(own->out, own->expected, (own->n + 1) * 8);
    memcpy(own->out, own->wide, own->n * 8);
    assert_int_equal(em_scan_offsets(context, EM_U64, own->out, own->out, own->n, NULL), expected);
    if (own->too_many)
        return;
    assert_memory_equal(own->out, own->expected, (own->n + 1) * 8);
    if (!own->narrow)
        return;
    assert_int_equal(em_scan_offsets(context, EM_U32, own->narrow, own->out, own->n, NULL), EM_OK);
    assert_memory_equal(own->out, own->expected, (own->n + 1) * 8);
}

static void try_counts(uint64_t n, uint64_t mask, uint64_t seed)
{
    counts own = {.n = n, .wide = malloc(n * 8 + 8), .expected = malloc(n * 8 + 8), .out = malloc(n * 8 + 8)};
    own.narrow = mask <= UINT32_MAX ? malloc(n * 4 + 4) : NULL;
    unsigned __int128 sum = 0;
    for (uint64_t i = 0; i < n; i++) {
        own.wide[i] = next_random(&seed) & mask;
        if (own.narrow)
            own.narrow[i] = (uint32_t)own.wide[i];
        own.expected[i] = (uint64_t)sum;
        sum += own.wide[i];
    }
    own.expected[n] = (uint64_t)sum;
    own.too_many = sum >> 64;
    under_every_setting(matches_the_offsets, &own);
    free(own.wide), free(own.expected), free(own.out), free(own.narrow);
}

static void offsets_match_a_loop(void **state)
{
    (void)state;
    static const uint64_t LENGTHS[] = {1, 5, 63, 65, 1000, 4099};
    for (size_t i = 0; i < sizeof LENGTHS / sizeof *LENGTHS; i++) {
        try_counts(LENGTHS[i], 7, i);
        try_counts(LENGTHS[i], UINT32_MAX, i);
        try_counts(LENGTHS[i], UINT64_MAX >> 16, i); /* fits, though not by its bits alone */
        try_counts(LENGTHS[i], UINT64_MAX, i);
    }
}

/* Totals at the edge of 64 bits, with the large counts anywhere. */
static void rejects_counts_that_pass_64_bits(void **state)
{
    (void)state;
    enum { N = 500 };
    uint64_t wide[N], expected[N + 1], out[N + 1], turn = 0;
    for (uint64_t at = 0; at < N; at += 71)
        for (uint64_t also = 0; also < N; also += 83)
            for (uint64_t excess = 0; excess < 2; excess++) {
                if (!support_turn(&turn))
                    continue;
                counts own = {.n = N, .wide = wide, .expected = expected, .out = out, .too_many = excess};
                memset(wide, 0, sizeof wide);
                wide[at] = UINT64_MAX - 5;
                wide[also] += 5;
                wide[N - 1] += excess;
                for (uint64_t i = 0; i <= N; i++)
                    expected[i] = i ? expected[i - 1] + wide[i - 1] : 0;
                em_context *serial = make_context((setting){1, 0, true, (em_isa)(at % 3)});
                em_context *team = make_context((setting){3, 8 * (1 + also % 100), false, (em_isa)(at % 3)});
                matches_the_offsets(serial, &own);
                matches_the_offsets(team, &own);
                em_context_free(serial), em_context_free(team);
            }
}

static void counts_many_times_round_are_rejected(void **state)
{
    (void)state;
    enum { N = 1000 };
    uint64_t wide[N], out[N + 1];
    counts own = {.n = N, .wide = wide, .out = out, .too_many = true};
    memset(wide, 0xFF, sizeof wide);
    under_every_setting(matches_the_offsets, &own);
    /* sums that come back to exactly 2^64 and 2^65 */
    memset(wide, 0, sizeof wide);
    wide[3] = wide[700] = UINT64_C(1) << 63;
    under_every_setting(matches_the_offsets, &own);
    wide[4] = wide[5] = UINT64_C(1) << 63;
    under_every_setting(matches_the_offsets, &own);
}

/* --- what is refused, what fails ------------------------------------------------------------------ */

static void refuses_arrays_that_cannot_be(void **state)
{
    (void)state;
    em_context *context = make_context((setting){.n_threads = 2});
    uint64_t a[16] = {0};
    uint32_t *narrow = (uint32_t *)a;
    assert_int_equal(em_scan_sum(context, EM_U64, EM_INCLUSIVE, a, a + 1, 8, NULL), EM_USAGE);
    assert_int_equal(em_scan_sum(context, EM_U64, EM_INCLUSIVE, a + 1, a, 8, NULL), EM_USAGE);
    assert_int_equal(em_scan_sum(context, EM_U64, EM_INCLUSIVE, a + 7, a, 8, NULL), EM_USAGE);
    assert_int_equal(em_scan_sum(context, EM_U64, EM_INCLUSIVE, a + 8, a, 8, NULL), EM_OK);
    assert_int_equal(em_scan_sum(context, EM_U64, EM_INCLUSIVE, NULL, a, 8, NULL), EM_USAGE);
    assert_int_equal(em_scan_sum(context, EM_U64, EM_INCLUSIVE, a, NULL, 8, NULL), EM_USAGE);
    assert_int_equal(em_scan_sum(context, EM_U64, EM_INCLUSIVE, (char *)a + 4, a, 1, NULL), EM_USAGE);
    assert_int_equal(em_scan_sum(context, EM_U64, EM_INCLUSIVE, a, a, UINT64_MAX / 4, NULL), EM_USAGE);
    assert_int_equal(em_scan_sum(context, (em_type)17, EM_INCLUSIVE, a, a, 8, NULL), EM_USAGE);
    assert_int_equal(em_scan_sum(context, EM_U64, (em_scan_kind)3, a, a, 8, NULL), EM_USAGE);
    assert_int_equal(em_scan_offsets(context, EM_U32, narrow, a, 4, NULL), EM_USAGE);
    assert_int_equal(em_scan_offsets(context, EM_U32, narrow + 10, a, 5, NULL), EM_USAGE);
    assert_int_equal(em_scan_offsets(context, EM_U32, narrow + 12, a, 5, NULL), EM_OK);
    assert_int_equal(em_scan_offsets(context, EM_I64, a, a, 5, NULL), EM_USAGE);
    assert_int_equal(em_scan_offsets(context, EM_U64, a, a + 1, 5, NULL), EM_USAGE);
    assert_int_equal(em_scan_offsets(context, EM_U64, NULL, a, UINT64_MAX, NULL), EM_USAGE);
    assert_int_equal(em_scan_offsets(context, EM_U64, NULL, NULL, 0, NULL), EM_USAGE);
    em_context_free(context);
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    enum { N = 10000 };
    static uint32_t in[N];
    static uint64_t out[N + 1];
    em_status status = EM_NO_MEMORY;
    uint64_t fail = 0;
    while (status != EM_OK) {
        em_context_options options = {.n_threads = 2};
        options.knobs.serial_below = 1;
        options.knobs.tile_bytes = 100;
        options.knobs.fail_allocation = ++fail;
        em_context *context;
        assert_int_equal(em_context_create(&options, &context, NULL), EM_OK);
        em_error error = {0};
        status = em_scan_offsets(context, EM_U32, in, out, N, &error);
        assert_true(status == EM_OK || status == EM_NO_MEMORY);
        assert_int_equal(em_context_memory(context).current_bytes, 0);
        em_context_free(context);
    }
    assert_true(fail > 1);
}

static bool refuse(void *state, const char *stage, uint64_t done, uint64_t total)
{
    (void)state, (void)stage, (void)done, (void)total;
    return false;
}

static void stops_once_cancelled(void **state)
{
    (void)state;
    static uint32_t in[10000], out[10000];
    for (uint64_t serial = 0; serial < 2; serial++) {
        em_context_options options = {.n_threads = 4, .progress = refuse};
        options.knobs.serial_below = serial ? UINT64_MAX : 1;
        options.knobs.tile_bytes = 64;
        em_context *context;
        assert_int_equal(em_context_create(&options, &context, NULL), EM_OK);
        assert_int_equal(em_context_report(context, "test", 0, 0, NULL), EM_CANCELLED);
        em_error error = {0};
        assert_int_equal(em_scan_sum(context, EM_U32, EM_INCLUSIVE, in, out, 10000, &error), EM_CANCELLED);
        assert_int_equal(em_context_memory(context).current_bytes, 0);
        em_context_free(context);
    }
}

/* --- floats ------------------------------------------------------------------------------------- */

/* The prefix of the row ending at `at`, by the definition: halves of halves. */
static float row_prefix(const float *row, uint64_t n, uint64_t at)
{
    if (n == 1)
        return row[0];
    if (at < n / 2)
        return row_prefix(row, n / 2, at);
    return row_prefix(row, n / 2, n / 2 - 1) + row_prefix(row + n / 2, n / 2, at - n / 2);
}

static void scan_by_definition(const float *in, float *out, uint64_t n)
{
    float leaf = 0;
    for (uint64_t begin = 0; begin < n; begin += SCAN_LEAF) {
        float rows = 0;
        for (uint64_t at = begin; at < n && at < begin + SCAN_LEAF; at += 8) {
            float row[8] = {0};
            memcpy(row, in + at, (n - at < 8 ? n - at : 8) * sizeof *row);
            for (uint64_t k = 0; k < 8 && at + k < n; k++)
                out[at + k] = leaf + (rows + row_prefix(row, 8, k));
            rows += row_prefix(row, 8, 7);
        }
        leaf += rows;
    }
}

typedef struct floats {
    em_type type;
    uint64_t n, shift;
    const void *in;
    const void *inclusive, *exclusive;
    char *out;
} floats;

static void gives_the_same_bytes(em_context *context, void *state)
{
    const floats *own = state;
    const uint64_t n_bytes = own->n * SIZES[own->type];
    char *out = own->out + own->shift * SIZES[own->type];
    assert_int_equal(em_scan_sum(context, own->type, EM_INCLUSIVE, own->in, out, own->n, NULL), EM_OK);
    assert_memory_equal(out, own->inclusive, n_bytes);
    memcpy(out, own->in, n_bytes);
    assert_int_equal(em_scan_sum(context, own->type, EM_EXCLUSIVE, out, out, own->n, NULL), EM_OK);
    assert_memory_equal(out, own->exclusive, n_bytes);
}

enum { N_FLOATS = 40000 };

static void f32_sums_are_grouped_as_specified(void **state)
{
    (void)state;
    static const uint64_t LENGTHS[] = {1, 7, 8, 9, 100, 4095, 4096, 4097, 8200, N_FLOATS - 3};
    static float in[N_FLOATS], inclusive[N_FLOATS], exclusive[N_FLOATS + 1], out[N_FLOATS];
    uint64_t seed = 3;
    for (uint64_t i = 0; i < N_FLOATS; i++)
        in[i] = (float)(next_random(&seed) >> 40) * (float)(1 << (next_random(&seed) % 20));
    for (size_t i = 0; i < sizeof LENGTHS / sizeof *LENGTHS; i++) {
        const uint64_t n = LENGTHS[i];
        scan_by_definition(in, inclusive, n);
        memcpy(exclusive + 1, inclusive, n * sizeof(float));
        floats own = {EM_F32, n, i % 3, in, inclusive, exclusive, (char *)out};
        under_every_setting(gives_the_same_bytes, &own);
        for (uint64_t k = 1; k < n; k++)
            assert_true(inclusive[k] >= inclusive[k - 1]);
    }
}

static void f64_sums_are_the_same_everywhere_and_close(void **state)
{
    (void)state;
    static double in[N_FLOATS], inclusive[N_FLOATS], exclusive[N_FLOATS + 1], out[N_FLOATS];
    uint64_t seed = 4;
    for (uint64_t i = 0; i < N_FLOATS; i++)
        in[i] = (double)(int64_t)next_random(&seed) * 0x1p-30;
    for (uint64_t n = 1; n <= N_FLOATS; n = n * 7 + 1) {
        em_context *scalar = make_context((setting){1, 0, true, EM_ISA_SCALAR});
        assert_int_equal(em_scan_sum(scalar, EM_F64, EM_INCLUSIVE, in, inclusive, n, NULL), EM_OK);
        em_context_free(scalar);
        long double sum = 0, largest = 0;
        for (uint64_t i = 0; i < n; i++) {
            sum += in[i];
            largest += in[i] < 0 ? -in[i] : in[i];
            const long double off = sum - inclusive[i];
            assert_true((off < 0 ? -off : off) <= largest * 0x1p-42L);
        }
        memcpy(exclusive + 1, inclusive, n * sizeof(double));
        floats own = {EM_F64, n, n % 3, in, inclusive, exclusive, (char *)out};
        under_every_setting(gives_the_same_bytes, &own);
    }
}

static void odd_floats_give_the_same_bytes_everywhere(void **state)
{
    (void)state;
    enum { N = 9000 };
    static const uint32_t ODD[] = {0x80000000, 0, 0x7F800000, 0xFF800000, 0x7FC12345, 0xFFC54321, 0x7F800001, 1};
    static uint32_t in[N], inclusive[N], exclusive[N + 1], out[N];
    uint64_t turn = 0;
    for (uint64_t first = 0; first < 40; first++) {
        if (!support_turn(&turn))
            continue;
        uint64_t seed = first;
        for (uint64_t i = 0; i < N; i++)
            in[i] = i < first * 131 ? 0x80000000 : ODD[next_random(&seed) % (first % 2 ? 8 : 2)];
        em_context *scalar = make_context((setting){1, 0, true, EM_ISA_SCALAR});
        assert_int_equal(em_scan_sum(scalar, EM_F32, EM_INCLUSIVE, in, inclusive, N, NULL), EM_OK);
        em_context_free(scalar);
        exclusive[0] = 0;
        for (uint64_t i = 0; i < N; i++) /* it begins with +0, and +0 + -0 is +0 */
            exclusive[i + 1] = inclusive[i] == 0x80000000 ? 0 : inclusive[i];
        if (first > 0)
            assert_int_equal(inclusive[0], 0x80000000); /* a sum of nothing but -0 is -0 */
        for (uint64_t i = 0; i < N; i++)
            if ((inclusive[i] & 0x7FFFFFFF) > 0x7F800000)
                assert_int_equal(inclusive[i], 0x7FC00000);
        floats own = {EM_F32, N, 0, in, inclusive, exclusive, (char *)out};
        for (em_isa isa = EM_ISA_SCALAR; isa <= EM_ISA_AVX512; isa++)
            for (uint64_t tile = 1; tile <= 40000; tile += 20000) {
                em_context *context = make_context((setting){3, tile, false, isa});
                gives_the_same_bytes(context, &own);
                em_context_free(context);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scans_the_textbook_example_on_every_path),
        cmocka_unit_test(gives_one_offset_for_no_counts),
        cmocka_unit_test(sums_of_integers_match_a_loop),
        cmocka_unit_test(streamed_sums_match_a_loop),
        cmocka_unit_test(offsets_match_a_loop),
        cmocka_unit_test(rejects_counts_that_pass_64_bits),
        cmocka_unit_test(counts_many_times_round_are_rejected),
        cmocka_unit_test(refuses_arrays_that_cannot_be),
        cmocka_unit_test(survives_every_failing_allocation),
        cmocka_unit_test(stops_once_cancelled),
        cmocka_unit_test(f32_sums_are_grouped_as_specified),
        cmocka_unit_test(f64_sums_are_the_same_everywhere_and_close),
        cmocka_unit_test(odd_floats_give_the_same_bytes_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
