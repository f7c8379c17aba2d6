/* test_pack - left-packing by every set of instructions against a loop, and that it keeps to its bounds.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support_uses.h"

#include <stdlib.h>
#include <string.h>

#include "scan/pack.h"
#include "tests/reference.h"

enum { MOST = 700, ITEM_BYTES = 16, GUARD = 128 };

/* A context limited to each set of instructions; those that the machine lacks repeat the next lower one. */
static em_context *limited(em_isa isa)
{
    const em_context_options options = {.n_threads = 1, .knobs = {.isa_at_most = isa, .isa_limited = true}};
    em_context *context = NULL;
    assert_int_equal(em_context_create(&options, &context, NULL), EM_OK);
    return context;
}

static void packs_four_of_eight(void **state)
{
    (void)state;
    const uint32_t in[8] = {10, 11, 12, 13, 14, 15, 16, 17}, kept[4] = {11, 14, 15, 16};
    const uint64_t bits = 0x72; /* bits 1, 4, 5 and 6 */
    for (int isa = 0; isa <= (int)EM_ISA_AVX512; isa++) {
        em_context *context = limited((em_isa)isa);
        uint32_t out[8] = {0};
        assert_int_equal(em_packers_of(context)->of_4(in, &bits, 8, out), 4);
        assert_memory_equal(out, kept, sizeof kept);
        em_context_free(context);
    }
}

static void there_are_packers_of_three_sizes(void **state)
{
    (void)state;
    em_context *context = limited(EM_ISA_AVX512);
    const em_packers *all = em_packers_of(context);
    assert_true(em_packer_of(context, 4) == all->of_4);
    assert_true(em_packer_of(context, 8) == all->of_8);
    assert_true(em_packer_of(context, 16) == all->of_16);
    assert_true(em_packer_of(context, 12) == NULL);
    assert_true(em_packer_ahead_of(context, 4) == all->ahead_of_4);
    assert_true(em_packer_ahead_of(context, 8) == all->ahead_of_8);
    assert_true(em_packer_ahead_of(context, 16) == all->ahead_of_16);
    assert_true(em_packer_ahead_of(context, 3) == NULL);
    assert_true(em_packer_of(context, 0) == NULL);
    em_context_free(context);
}

/* Input begins `shift` bytes into its array; output lies `down` items before it, in place for 0, or apart for less. */
static void try_pack(const em_context *context, uint64_t bytes, uint64_t n, const uint64_t *bits, uint64_t shift,
                     int down)
{
    const uint64_t size = 2 * GUARD + 4 * ITEM_BYTES + n * bytes;
    unsigned char *array = malloc(size), *apart = malloc(size), *expected = malloc(n * bytes + 1);
    uint64_t seed = n * 31 + bytes, n_expected = 0;
    for (uint64_t i = 0; i < size; i++)
        array[i] = (unsigned char)ref_random(&seed);
    memset(apart, 0x5A, size);
    unsigned char *const in = array + GUARD + 4 * ITEM_BYTES + shift;
    unsigned char *const room = down < 0 ? apart : array;
    unsigned char *const out = down < 0 ? apart + GUARD + shift : in - (uint64_t)down * bytes;
    for (uint64_t i = 0; i < n; i++)
        if (bits[i / 64] >> i % 64 & 1)
            memcpy(expected + n_expected++ * bytes, in + i * bytes, bytes);
    unsigned char *const before = malloc(size);
    memcpy(before, room, size);
    if (n % 2)
        assert_int_equal(em_packer_of(context, bytes)(in, bits, n, out), n_expected);
    else
        assert_int_equal(em_packer_ahead_of(context, bytes)(in, bits, n, out, in), n_expected);
    assert_memory_equal(out, expected, n_expected * bytes);
    assert_memory_equal(room, before, (size_t)(out - room));
    const uint64_t end = (uint64_t)(out - room) + n * bytes;
    assert_memory_equal(room + end, before + end, size - end); /* nothing from out[n] on is written */
    free(array), free(apart), free(expected), free(before);
}

static void try_length(const em_context *context, uint64_t n, uint64_t of_8, uint64_t *seed)
{
    uint64_t bits[MOST / 64 + 1] = {0};
    for (uint64_t i = 0; i < n; i++)
        bits[i / 64] |= (uint64_t)(ref_random(seed) % 8 < of_8) << i % 64;
    if (n >= 256 && of_8 > 3)
        bits[1] = 0, bits[2] = ~UINT64_C(0);
    for (uint64_t bytes = 4; bytes <= 16; bytes *= 2)
        for (int down = -1; down <= 2; down++)
            try_pack(context, bytes, n, bits, n % 7, down);
}

static void packing_matches_a_loop(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (int isa = 0; isa <= (int)EM_ISA_AVX512; isa++) {
        em_context *context = limited((em_isa)isa);
        for (uint64_t n = 0; n <= 200; n++)
            try_length(context, n, ref_random(&seed) % 9, &seed);
        for (uint64_t of_8 = 0; of_8 <= 8; of_8++)
            try_length(context, MOST - of_8, of_8, &seed);
        em_context_free(context);
    }
}

/* Every mask of eight lanes, by itself. */
static void every_mask_is_packed(void **state)
{
    (void)state;
    for (int isa = 0; isa <= (int)EM_ISA_AVX512; isa++) {
        em_context *context = limited((em_isa)isa);
        for (uint64_t mask = 0; mask < 256; mask++) {
            uint64_t bits[1] = {mask * UINT64_C(0x0101010101010101)};
            for (uint64_t bytes = 4; bytes <= 16; bytes *= 2)
                try_pack(context, bytes, 64, bits, 0, 0);
        }
        em_context_free(context);
    }
}

static void puts_bytes_and_nothing_beside(void **state)
{
    (void)state;
    enum { N = 1000 };
    unsigned char from[N + 64], to[N + 128];
    uint64_t seed = 8;
    for (uint64_t i = 0; i < sizeof from; i++)
        from[i] = (unsigned char)ref_random(&seed);
    for (uint64_t n = 0; n <= N; n += 1 + n / 9)
        for (uint64_t shift = 0; shift < 64; shift += 4)
            for (int stream = 0; stream < 2; stream++) {
                memset(to, 0xEE, sizeof to);
                if (n % 2)
                    em_put_ahead(to + shift, from + shift / 2, n, stream, from, shift * 9);
                else
                    em_put(to + shift, from + shift / 2, n, stream);
                assert_memory_equal(to + shift, from + shift / 2, n);
                for (uint64_t i = 0; i < sizeof to; i++)
                    assert_true((i >= shift && i < shift + n) || to[i] == 0xEE);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packs_four_of_eight),           cmocka_unit_test(there_are_packers_of_three_sizes),
        cmocka_unit_test(packing_matches_a_loop),        cmocka_unit_test(every_mask_is_packed),
        cmocka_unit_test(puts_bytes_and_nothing_beside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
