/* test_simd_float - floating-point sums and matrices in vector registers against the scalar kernels, byte by byte.
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

#include "scan/kernel.h"

typedef struct kernel {
    em_operator operation;
    em_type type;
} kernel;

static const kernel SUM_F32 = {EM_SUM, EM_F32}, SUM_F64 = {EM_SUM, EM_F64}, MAT2 = {EM_MAT2, EM_U32};

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* --- one kernel against the scalar one -------------------------------------------------------------------------- */

/* Items in[n] and next[n_next]; what the scalar kernels make of them from `carry`. */
typedef struct scene {
    const em_monoid *scalar, *vector;
    unsigned char *in, *next;
    uint64_t n, n_next;
    _Alignas(16) unsigned char carry[16];
    unsigned char *inclusive, *exclusive, *next_sums; /* the last lowered, for each leaf or for all */
    _Alignas(16) unsigned char behind[16];            /* lowered */
} scene;

/* The leaf where a NaN's bits are not specified as an element: results are. */
static void put_lowered(const em_monoid *of, const void *element, unsigned char *result)
{
    of->lower(of, element, result);
}

static void lower_sums(const em_monoid *of, const unsigned char *sums, uint64_t n, unsigned char *lowered)
{
    const uint64_t n_sums = scan_n_aggregates(of, n);
    if (of->leaf_items) {
        for (uint64_t i = 0; i < n_sums; i++)
            put_lowered(of, sums + i * of->elem_bytes, lowered + i * of->result_bytes);
    } else {
        _Alignas(16) unsigned char all[16];
        of->identity(of, all);
        scan_fold(of, all, sums, n_sums);
        put_lowered(of, all, lowered);
    }
}

static uint64_t n_lowered(const em_monoid *of, uint64_t n)
{
    return of->leaf_items ? scan_n_aggregates(of, n) : 1;
}

static void *new_bytes(uint64_t n)
{
    void *made = malloc(n ? n : 1);
    assert_non_null(made);
    return made;
}

static unsigned char *new_sums(const em_monoid *of, uint64_t n)
{
    return new_bytes((scan_n_aggregates(of, n) + 1) * of->elem_bytes);
}

static void expect(scene *own)
{
    const em_monoid *of = own->scalar;
    const em_tile none = {0};
    own->inclusive = new_bytes(own->n * of->result_bytes);
    own->exclusive = new_bytes(own->n * of->result_bytes);
    own->next_sums = new_sums(of, own->n_next);
    em_tile tile = {own->in, own->inclusive, own->n, NULL};
    _Alignas(16) unsigned char carry[16];
    memcpy(carry, own->carry, sizeof carry);
    of->scan(of, &tile, carry, &none, 0);
    put_lowered(of, carry, own->behind);
    tile.out = own->exclusive;
    memcpy(carry, own->carry, sizeof carry);
    of->scan(of, &tile, carry, &none, EM_TILE_EXCLUSIVE);
    if (own->n_next) {
        unsigned char *sums = new_sums(of, own->n_next);
        of->reduce(of, &(em_tile){own->next, NULL, own->n_next, sums});
        lower_sums(of, sums, own->n_next, own->next_sums);
        free(sums);
    }
}

static void forget(scene *own)
{
    free(own->inclusive), free(own->exclusive), free(own->next_sums);
}

typedef struct way {
    unsigned how;
    bool reduced, in_place, fused;
    uint64_t shift; /* of out, in items from a multiple of 64 bytes */
} way;

enum { GUARD = 0x5A };

static void matches_the_scalar_kernel(const scene *own, way with)
{
    const em_monoid *of = own->vector;
    const uint64_t n_bytes = own->n * of->result_bytes, head = 64 + with.shift * of->result_align;
    unsigned char *room = aligned_alloc(64, (head + n_bytes + 127) / 64 * 64), *out = room + head;
    memset(room, GUARD, (head + n_bytes + 127) / 64 * 64);
    if (with.in_place)
        memcpy(out, own->in, n_bytes);
    unsigned char *sums = new_sums(of, own->n), *next_sums = new_sums(of, own->n_next);
    unsigned char *lowered = new_sums(own->scalar, own->n_next);
    _Alignas(16) unsigned char behind[16];
    const em_tile tile = {with.in_place ? out : own->in, out, own->n, with.reduced ? sums : NULL};
    const em_tile next = {own->next, NULL, with.fused ? own->n_next : 0, next_sums};
    _Alignas(16) unsigned char carry[16];
    memcpy(carry, own->carry, sizeof carry);
    if (with.reduced)
        of->reduce(of, &tile);
    of->scan(of, &tile, carry, &next, with.how);
#if defined(__x86_64__)
    __builtin_ia32_sfence();
#endif
    assert_memory_equal(out, with.how & EM_TILE_EXCLUSIVE ? own->exclusive : own->inclusive, n_bytes);
    put_lowered(of, carry, behind);
    assert_memory_equal(behind, own->behind, of->result_bytes);
    if (next.n) {
        lower_sums(of, next_sums, next.n, lowered);
        assert_memory_equal(lowered, own->next_sums, n_lowered(of, next.n) * of->result_bytes);
    }
    for (unsigned char *at = room; at < out; at++)
        assert_int_equal(*at, GUARD);
    for (uint64_t i = 0; i < 64; i++)
        assert_int_equal(out[n_bytes + i], GUARD);
    free(room), free(sums), free(next_sums), free(lowered);
}

static void reduces_as_the_scalar_kernel(const scene *own)
{
    const em_monoid *of = own->vector;
    if (!own->n_next)
        return;
    unsigned char *sums = new_sums(of, own->n_next), *lowered = new_sums(own->scalar, own->n_next);
    of->reduce(of, &(em_tile){own->next, NULL, own->n_next, sums});
    lower_sums(of, sums, own->n_next, lowered);
    assert_memory_equal(lowered, own->next_sums, n_lowered(of, own->n_next) * of->result_bytes);
    free(sums), free(lowered);
}

static void matches_in_every_way(const scene *own, uint64_t shift)
{
    reduces_as_the_scalar_kernel(own);
    for (unsigned i = 0; i < 32; i++) {
        const way with = {(i & 1 ? EM_TILE_EXCLUSIVE : 0) | (i & 2 ? EM_TILE_STREAM : 0), i & 4, i & 8, i & 16, shift};
        matches_the_scalar_kernel(own, with);
    }
}

/* Calls `check` with each vector kernel of this processor, its scalar kernel beside it. */
static void with_every_kernel(kernel of, void (*check)(scene *own, kernel of))
{
    const em_monoid *scalar = scan_table_scalar[of.operation][of.type], *last = scalar;
    for (em_isa isa = EM_ISA_NEON; isa <= EM_ISA_AVX512; isa++) {
        em_context_options options = {0};
        options.knobs.isa_limited = true;
        options.knobs.isa_at_most = isa;
        em_context *context;
        assert_int_equal(em_context_create(&options, &context, NULL), EM_OK);
        scene own = {.scalar = scalar, .vector = em_monoid_of(context, of.operation, of.type)};
        em_context_free(context);
        if (own.vector != last)
            check(&own, of);
        last = own.vector;
    }
}

/* --- inputs --------------------------------------------------------------------------------------------------------
 */

/* Bytes, because what is written as one type must not be read as another. */
static void put_f32(unsigned char *to, uint64_t i, float value)
{
    memcpy(to + i * sizeof value, &value, sizeof value);
}

static void put_f64(unsigned char *to, uint64_t i, double value)
{
    memcpy(to + i * sizeof value, &value, sizeof value);
}

static void put_number(kernel of, unsigned char *to, uint64_t i, double value)
{
    if (of.type == EM_F32)
        put_f32(to, i, (float)value);
    else
        put_f64(to, i, value);
}

/* Of both signs and of magnitudes so different that every grouping shows. */
static void fill(kernel of, unsigned char *to, uint64_t n, uint64_t *seed)
{
    static const em_mat2 GENERATORS[2] = {{1, 1, 0, 1}, {1, 0, 1, 1}};
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t random = next_random(seed);
        if (of.operation == EM_MAT2)
            memcpy(to + i * sizeof(em_mat2), &GENERATORS[random & 1], sizeof(em_mat2));
        else
            put_number(of, to, i, (double)(int32_t)random * (double)(UINT64_C(1) << (random >> 32) % 40));
    }
}

static void make_scene(scene *own, kernel of, uint64_t n, uint64_t n_next, uint64_t seed)
{
    own->n = n, own->n_next = n_next;
    own->in = new_bytes(n * own->scalar->item_bytes);
    own->next = new_bytes(n_next * own->scalar->item_bytes);
    fill(of, own->in, n, &seed);
    fill(of, own->next, n_next, &seed);
    fill(of, own->carry, 1, &seed);
}

static void end_scene(scene *own)
{
    forget(own);
    free(own->in), free(own->next);
}

static void try_lengths(scene *own, kernel of, uint64_t n, uint64_t n_next, uint64_t shift)
{
    make_scene(own, of, n, n_next, n * 7 + n_next);
    expect(own);
    matches_in_every_way(own, shift);
    end_scene(own);
}

/* --- lengths and places --------------------------------------------------------------------------------------------
 */

static void matches_at_small_lengths(scene *own, kernel of)
{
    for (uint64_t n = 1; n <= 200; n++)
        try_lengths(own, of, n, n % 3 ? n : 201 - n, n % 17);
}

static void matches_around_a_leaf(scene *own, kernel of)
{
    for (uint64_t n = SCAN_LEAF - 2; n <= SCAN_LEAF + 9; n++)
        try_lengths(own, of, n, n + 1, n % 16);
}

static void matches_over_several_leaves(scene *own, kernel of)
{
    static const uint64_t LEAVES[][2] = {{2, 2}, {4, 4}, {4, 8}, {8, 4}, {5, 5}, {9, 3}, {13, 13}, {13, 0}};
    for (size_t i = 0; i < sizeof LEAVES / sizeof *LEAVES; i++)
        for (uint64_t more = 0; more <= 5; more += 5)
            try_lengths(own, of, LEAVES[i][0] * SCAN_LEAF + more, LEAVES[i][1] * SCAN_LEAF + more, i * 2 + more / 5);
}

static void matches_wherever_results_begin(scene *own, kernel of)
{
    for (uint64_t shift = 0; shift <= 16; shift++)
        try_lengths(own, of, 5 * SCAN_LEAF + 11, 4 * SCAN_LEAF, shift);
}

static void sums_of_f32_match(void **state)
{
    (void)state;
    with_every_kernel(SUM_F32, matches_at_small_lengths);
    with_every_kernel(SUM_F32, matches_around_a_leaf);
    with_every_kernel(SUM_F32, matches_over_several_leaves);
    with_every_kernel(SUM_F32, matches_wherever_results_begin);
}

static void sums_of_f64_match(void **state)
{
    (void)state;
    with_every_kernel(SUM_F64, matches_at_small_lengths);
    with_every_kernel(SUM_F64, matches_around_a_leaf);
    with_every_kernel(SUM_F64, matches_over_several_leaves);
    with_every_kernel(SUM_F64, matches_wherever_results_begin);
}

static void products_of_matrices_match(void **state)
{
    (void)state;
    with_every_kernel(MAT2, matches_at_small_lengths);
    with_every_kernel(MAT2, matches_around_a_leaf);
    with_every_kernel(MAT2, matches_over_several_leaves);
    with_every_kernel(MAT2, matches_wherever_results_begin);
}

static void random_matrices_match(scene *own, kernel of)
{
    for (uint64_t n = 1; n < 3000; n += 1 + n / 2) {
        uint64_t seed = n;
        make_scene(own, of, n, n, n);
        for (uint64_t i = 0; i < n * 2; i++) {
            const uint64_t word = next_random(&seed);
            memcpy(own->in + i * sizeof word, &word, sizeof word);
        }
        expect(own);
        matches_in_every_way(own, n % 5);
        end_scene(own);
    }
}

static void products_of_random_matrices_match(void **state)
{
    (void)state;
    with_every_kernel(MAT2, random_matrices_match);
}

/* --- numbers that are none, or nearly none -------------------------------------------------------------------------
 */

static const uint32_t ODD_F32[] = {0x7FC12345, 0xFFC54321, 0x7F800001, 0xFF800001, 0x7F800000, 0xFF800000,
                                   0x80000000, 0x00000000, 0x00000001, 0x80000001, 0x7F7FFFFF, 0xFF7FFFFF};
static const uint64_t ODD_F64[] = {0x7FF8123456789ABC, 0xFFF8000000000001, 0x7FF0000000000001, 0xFFF0000000000001,
                                   0x7FF0000000000000, 0xFFF0000000000000, 0x8000000000000000, 0x0000000000000000,
                                   0x0000000000000001, 0x8000000000000001, 0x7FEFFFFFFFFFFFFF, 0xFFEFFFFFFFFFFFFF};
enum { N_ODD = 12, ODD_INFINITE = 4, ODD_ZERO = 6, ODD_LARGEST = 10 };

static void put_odd(kernel of, unsigned char *to, uint64_t i, uint64_t which)
{
    if (of.type == EM_F32)
        memcpy(to + i * sizeof *ODD_F32, &ODD_F32[which], sizeof *ODD_F32);
    else
        memcpy(to + i * sizeof *ODD_F64, &ODD_F64[which], sizeof *ODD_F64);
}

static void matches_with_one_odd_number(scene *own, kernel of)
{
    static const uint64_t PLACES[] = {0, 5, 4095, 4096, 5000, 8191, 12288, 16385, 20000};
    for (size_t place = 0; place < sizeof PLACES / sizeof *PLACES; place++)
        for (uint64_t which = 0; which < N_ODD; which++) {
            make_scene(own, of, 5 * SCAN_LEAF + 3, 4 * SCAN_LEAF, which);
            put_odd(of, own->in, PLACES[place], which);
            put_odd(of, own->next, PLACES[place] % own->n_next, which);
            expect(own);
            matches_in_every_way(own, place);
            end_scene(own);
        }
}

/* Nothing but odd numbers of a few kinds, so that infinities meet, sums overflow and come back, and zeros have signs.
 */
static void matches_with_nothing_else(scene *own, kernel of)
{
    for (uint64_t round = 0; round < 60; round++) {
        const uint64_t first = round % 3 ? round % N_ODD : (uint64_t)ODD_LARGEST, kinds = 1 + round % 5;
        uint64_t seed = round;
        make_scene(own, of, round % 2 ? 300 : 4 * SCAN_LEAF + 300, 4 * SCAN_LEAF, round);
        for (uint64_t i = 0; i < own->n; i++)
            put_odd(of, own->in, i, (first + next_random(&seed) % kinds) % N_ODD);
        put_odd(of, own->carry, 0, round / 5);
        expect(own);
        matches_in_every_way(own, round % 7);
        end_scene(own);
    }
}

/* The prefix is infinite, and only a part of one row overflows to the other side: its results are NaN, but the row, the
 * leaf and the prefix behind it are not. Likewise where an item has made the prefix infinite. */
static void matches_where_nan_is_forgotten(scene *own, kernel of)
{
    for (uint64_t sign = 0; sign < 2; sign++)
        for (uint64_t at = 0; at < 4 * SCAN_LEAF; at += 1366)
            for (uint64_t as_item = 0; as_item < 2; as_item++) {
                make_scene(own, of, 4 * SCAN_LEAF + 9, 4 * SCAN_LEAF, at);
                for (uint64_t i = 0; i < own->n; i++)
                    put_odd(of, own->in, i, ODD_ZERO + 1);
                const uint64_t row = (at + 8) / 8 * 8;
                put_odd(of, own->carry, 0, as_item ? (uint64_t)ODD_ZERO : ODD_INFINITE + sign);
                if (as_item)
                    put_odd(of, own->in, 0, ODD_INFINITE + sign);
                put_odd(of, own->in, row + 4, ODD_LARGEST + 1 - sign);
                put_odd(of, own->in, row + 6, ODD_LARGEST + 1 - sign);
                put_odd(of, own->in, row + 7, ODD_LARGEST + sign);
                expect(own);
                matches_in_every_way(own, at % 16);
                end_scene(own);
            }
}

static void odd_numbers_match(void **state)
{
    (void)state;
    with_every_kernel(SUM_F32, matches_with_one_odd_number);
    with_every_kernel(SUM_F64, matches_with_one_odd_number);
    with_every_kernel(SUM_F32, matches_with_nothing_else);
    with_every_kernel(SUM_F64, matches_with_nothing_else);
}

static void a_nan_that_the_prefix_forgets_is_written(void **state)
{
    (void)state;
    with_every_kernel(SUM_F32, matches_where_nan_is_forgotten);
    with_every_kernel(SUM_F64, matches_where_nan_is_forgotten);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_f32_match),          cmocka_unit_test(sums_of_f64_match),
        cmocka_unit_test(products_of_matrices_match), cmocka_unit_test(products_of_random_matrices_match),
        cmocka_unit_test(odd_numbers_match),          cmocka_unit_test(a_nan_that_the_prefix_forgets_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
