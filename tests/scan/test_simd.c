/* test_simd - every vector kernel of this processor against the scalar kernel of the same operator: bytes must agree.
 *
 * The functions of em_monoid are called as the engines call them. Arrays end where their memory ends, so that the
 * address sanitizer sees what goes past them. With -DWITHOUT_CMOCKA it is a program of its own (test_neon.sh).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scan/kernel.h"

#if defined(WITHOUT_CMOCKA)
#define fail_msg(...) (printf(__VA_ARGS__), printf("\n"), exit(1))
#else
#include <cmocka.h>
#endif

enum { MOST_ALIGN = 64, ELEM_BYTES = 64, MOST_AGGREGATES = 64 };

typedef struct named_table {
    const char *name;
    const scan_table *table;
} named_table;

/* The tables that this processor can run; how many. */
static int list_tables(named_table tables[2])
{
#if defined(__x86_64__)
    int n = 0;
    if (__builtin_cpu_supports("avx2"))
        tables[n++] = (named_table){"avx2", &scan_table_avx2};
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq"))
        tables[n++] = (named_table){"avx512", &scan_table_avx512};
    return n;
#elif defined(__aarch64__)
    tables[0] = (named_table){"neon", &scan_table_neon};
    return 1;
#else
    (void)tables;
    return 0;
#endif
}

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* --- items ----------------------------------------------------------------------------------------------------- */

/* Zeros, ones, extremes, and as floats: infinities, NaNs of both signs with and without payload, quiet and signalling,
 * the least and the greatest subnormal and normal numbers. */
static const uint32_t SPECIAL_32[] = {0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x807fffff,
                                      0x00800000, 0x80800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
                                      0x7f800001, 0xff800001, 0x7fc00000, 0xffc00000, 0x7fc12345, 0xffd54321,
                                      0x7fffffff, 0xffffffff, 0x3f800000, 0xbf800000, 2,          3};
static const uint64_t SPECIAL_64[] = {0,
                                      UINT64_C(0x8000000000000000),
                                      1,
                                      UINT64_C(0x8000000000000001),
                                      UINT64_C(0x000fffffffffffff),
                                      UINT64_C(0x800fffffffffffff),
                                      UINT64_C(0x0010000000000000),
                                      UINT64_C(0x8010000000000000),
                                      UINT64_C(0x7fefffffffffffff),
                                      UINT64_C(0xffefffffffffffff),
                                      UINT64_C(0x7ff0000000000000),
                                      UINT64_C(0xfff0000000000000),
                                      UINT64_C(0x7ff0000000000001),
                                      UINT64_C(0xfff0000000000001),
                                      UINT64_C(0x7ff8000000000000),
                                      UINT64_C(0xfff8000000000000),
                                      UINT64_C(0x7ff8123456789abc),
                                      UINT64_C(0xfff9876543210fed),
                                      UINT64_C(0x7fffffffffffffff),
                                      UINT64_C(0xffffffffffffffff),
                                      UINT64_C(0x3ff0000000000000),
                                      UINT64_C(0xbff0000000000000),
                                      UINT64_C(0x0000000100000000),
                                      UINT64_C(0x000000ffffffffff)};

/* RISING and FALLING (as integers, and mostly as floats) change an extreme at every item; SPARSE holds a NaN or an
 * extreme now and then, so that most prefixes have met none. */
typedef enum pattern { SMALL, BITS, SPECIAL, NUMBERS, RISING, FALLING, SPARSE, N_PATTERNS } pattern;

static uint64_t word(pattern of, uint64_t i, uint32_t word_bytes, uint64_t *seed)
{
    const uint64_t bits = next_random(seed), n_special = sizeof SPECIAL_32 / sizeof *SPECIAL_32;
    const bool small = word_bytes == 4;
    switch (of) {
    case SMALL:
        return bits % 100;
    case SPECIAL:
        return small ? SPECIAL_32[bits % n_special] : SPECIAL_64[bits % n_special];
    case NUMBERS: /* finite, of a few binary orders, of both signs */
        return small ? (bits & 0x80ffffff) | 0x3f000000
                     : (bits & UINT64_C(0x801fffffffffffff)) | UINT64_C(0x3fe0000000000000);
    case RISING:
        return (small ? 0x3f800000 : UINT64_C(0x3ff0000000000000)) + i;
    case FALLING:
        return (small ? 0x40000000 : UINT64_C(0x4000000000000000)) - i;
    case SPARSE:
        if (bits % 97 == 0)
            return small ? SPECIAL_32[bits / 97 % n_special] : SPECIAL_64[bits / 97 % n_special];
        return (small ? 0x3f800000 : UINT64_C(0x3ff0000000000000)) + bits % 1000;
    default:
        return bits;
    }
}

static void fill(void *items, uint64_t n_bytes, uint32_t word_bytes, pattern of, uint64_t *seed)
{
    for (uint64_t i = 0; i < n_bytes / word_bytes; i++) {
        const uint64_t bits = word(of, i, word_bytes, seed);
        const uint32_t low = (uint32_t)bits;
        memcpy((char *)items + i * word_bytes, word_bytes == 4 ? (const void *)&low : &bits, word_bytes);
    }
}

/* --- one call against another -------------------------------------------------------------------------------- */

typedef struct call {
    uint64_t n, n_next;
    uint32_t in_shift, out_shift; /* bytes past an address of 64 */
    unsigned how;
    pattern items, initial;
    bool reduced, in_place;
} call;

/* Memory that ends n_bytes past an address that is `shift` past a multiple of 64. */
typedef struct block {
    unsigned char *base, *at;
} block;

static block make_block(uint64_t n_bytes, uint32_t shift)
{
    void *base = NULL;
    if (posix_memalign(&base, MOST_ALIGN, shift + n_bytes + 1)) /* never of no bytes */
        abort();
    memset(base, 0x5A, shift + n_bytes + 1);
    return (block){base, (unsigned char *)base + shift};
}

/* Where the grouping is specified NaNs of elements may differ, so what is written for them is compared. */
static bool same_element(const em_monoid *of, const void *one, const void *other)
{
    _Alignas(64) unsigned char results[2][ELEM_BYTES] = {{0}};
    if (!of->leaf_items)
        return memcmp(one, other, of->elem_bytes) == 0;
    of->lower(of, one, results[0]);
    of->lower(of, other, results[1]);
    return memcmp(results[0], results[1], of->result_bytes) == 0;
}

static bool same_total(const em_monoid *kernel, const em_monoid *scalar, const void *aggregates, const em_tile *tile)
{
    _Alignas(64) unsigned char expected[MOST_AGGREGATES * ELEM_BYTES], totals[2][ELEM_BYTES];
    const em_tile whole = {tile->in, NULL, tile->n, expected};
    scalar->reduce(scalar, &whole);
    kernel->identity(kernel, totals[0]);
    kernel->identity(kernel, totals[1]);
    scan_fold(kernel, totals[0], aggregates, scan_n_aggregates(kernel, tile->n));
    scan_fold(scalar, totals[1], expected, scan_n_aggregates(scalar, tile->n));
    return same_element(kernel, totals[0], totals[1]);
}

/* What differs, or NULL. */
static const char *compare(const em_monoid *kernel, const em_monoid *scalar, call with, uint64_t *seed)
{
    const uint32_t word_bytes = kernel->item_align < 8 ? 4 : 8;
    const uint64_t in_bytes = with.n * kernel->item_bytes, out_bytes = with.n * kernel->result_bytes;
    const uint64_t next_bytes = with.n_next * kernel->item_bytes;
    const block expected = make_block(out_bytes, 0), next = make_block(next_bytes, with.in_shift);
    const block in = make_block(in_bytes, with.in_place ? with.out_shift : with.in_shift);
    const block apart = make_block(out_bytes, with.out_shift), out = with.in_place ? in : apart;
    _Alignas(64) unsigned char aggregates[2][MOST_AGGREGATES * ELEM_BYTES], carries[2][ELEM_BYTES], words[ELEM_BYTES];
    fill(in.at, in_bytes, word_bytes, with.items, seed);
    fill(next.at, next_bytes, word_bytes, with.items, seed);
    /* an element that some items could have */
    fill(words, sizeof words, word_bytes, with.initial, seed);
    kernel->lift(kernel, words, carries[0]);
    memcpy(carries[1], carries[0], sizeof carries[0]);

    const char *wrong = NULL;
    const em_tile none = {0}, plain = {in.at, expected.at, with.n, NULL};
    const em_tile tile = {in.at, out.at, with.n, with.reduced && with.n ? aggregates[0] : NULL};
    const em_tile after = {next.at, NULL, with.n_next, aggregates[1]};
    scalar->scan(scalar, &plain, carries[1], &none, with.how & EM_TILE_EXCLUSIVE);
    if (tile.aggregates)
        kernel->reduce(kernel, &tile);
    if (tile.aggregates && !same_total(kernel, scalar, aggregates[0], &tile))
        wrong = "aggregates";
    kernel->scan(kernel, &tile, carries[0], with.n_next ? &after : &none, with.how);
    if (memcmp(out.at, expected.at, out_bytes) != 0)
        wrong = "results";
    if (!same_element(kernel, carries[0], carries[1]))
        wrong = "the carry";
    if (with.n_next && !same_total(kernel, scalar, aggregates[1], &after))
        wrong = "the next tile's aggregates";
    for (uint32_t i = 0; i < with.out_shift; i++)
        if (out.base[i] != 0x5A)
            wrong = "memory before the results";
    if (out.at[out_bytes] != 0x5A)
        wrong = "memory behind the results";
    free(expected.base), free(next.base), free(in.base), free(apart.base);
    return wrong;
}

static void check(const char *isa, const em_monoid *kernel, const em_monoid *scalar, call with, uint64_t *seed)
{
    const char *wrong = compare(kernel, scalar, with, seed);
    if (wrong)
        fail_msg("%s %s: %s: n %d next %d how %u shifts %u %u items %d initial %d%s%s", isa, kernel->name, wrong,
                 (int)with.n, (int)with.n_next, with.how, with.in_shift, with.out_shift, (int)with.items,
                 (int)with.initial, with.reduced ? " reduced" : "", with.in_place ? " in place" : "");
}

static call random_call(const em_monoid *of, uint64_t n, uint64_t *seed)
{
    const uint64_t bits = next_random(seed);
    call with = {.n = n, .how = bits & 3, .reduced = bits >> 2 & 1};
    with.in_place = of->item_bytes == of->result_bytes && (bits >> 3 & 3) == 0;
    with.n_next = (bits >> 5 & 3) < 2 ? n : (bits >> 5 & 3) == 2 ? 0 : next_random(seed) % 700;
    with.out_shift = (uint32_t)(next_random(seed) % (64 / of->result_align) * of->result_align);
    if ((bits >> 7 & 3) == 0) /* as pages and as memory from malloc lie */
        with.out_shift = (bits >> 9 & 1) * 16 / of->result_align * of->result_align;
    with.in_shift = (uint32_t)(next_random(seed) % (64 / of->item_align) * of->item_align);
    with.items = (pattern)(next_random(seed) % N_PATTERNS);
    with.initial = (pattern)(next_random(seed) % N_PATTERNS);
    return with;
}

static void check_monoid(const char *isa, const em_monoid *kernel, const em_monoid *scalar)
{
    static const uint64_t LARGE[] = {511, 512, 513, 1000, 1024, 2047, 4095, 4096, 4097, 5000, 8192, 8999};
    uint64_t seed = 3;
    for (uint64_t n = 0; n <= 300; n++)
        for (int k = 0; k < 24; k++)
            check(isa, kernel, scalar, random_call(kernel, n, &seed), &seed);
    for (size_t i = 0; i < sizeof LARGE / sizeof *LARGE; i++)
        for (int k = 0; k < 24; k++)
            check(isa, kernel, scalar, random_call(kernel, LARGE[i], &seed), &seed);
    /* every way to call, on a few lines a lane and more */
    for (unsigned bits = 0; bits < 32; bits++)
        for (uint32_t shift = 0; shift < 64; shift += kernel->result_align) {
            const call with = {.n = 333,
                               .n_next = bits & 4 ? 333 : 332,
                               .how = bits & 3,
                               .out_shift = shift,
                               .in_shift = kernel->item_align,
                               .items = (pattern)(shift / kernel->result_align % N_PATTERNS),
                               .initial = SPECIAL,
                               .reduced = bits & 8,
                               .in_place = bits & 16 && kernel->item_bytes == kernel->result_bytes};
            check(isa, kernel, scalar, with, &seed);
        }
}

/* --- tests ------------------------------------------------------------------------------------------------------- */

static void gives_the_bytes_of_the_scalar_kernels(void **state)
{
    (void)state;
    named_table tables[2];
    const int n_tables = list_tables(tables);
    for (int i = 0; i < n_tables; i++)
        for (int operation = 0; operation < EM_N_OPERATORS; operation++)
            for (int type = 0; type < EM_N_TYPES; type++)
                if ((*tables[i].table)[operation][type])
                    check_monoid(tables[i].name, (*tables[i].table)[operation][type],
                                 scan_table_scalar[operation][type]);
}

static void has_a_kernel_of_its_own_name_for_every_exact_operator_on_numbers(void **state)
{
    (void)state;
    named_table tables[2];
    const int n_tables = list_tables(tables);
    static const em_operator OPERATORS[] = {EM_SUM, EM_MIN, EM_MAX, EM_AND, EM_OR, EM_XOR};
    for (int i = 0; i < n_tables; i++)
        for (size_t k = 0; k < sizeof OPERATORS / sizeof *OPERATORS; k++)
            for (int type = 0; type < EM_N_TYPES; type++) {
                const em_monoid *scalar = scan_table_scalar[OPERATORS[k]][type];
                const em_monoid *kernel = (*tables[i].table)[OPERATORS[k]][type];
                if (!scalar || scalar->leaf_items)
                    continue;
                if (!kernel || strcmp(kernel->name, scalar->name) != 0)
                    fail_msg("%s has no kernel for %s", tables[i].name, scalar->name);
                else if (kernel->item_bytes != scalar->item_bytes || kernel->elem_bytes != scalar->elem_bytes ||
                         kernel->result_bytes != scalar->result_bytes ||
                         kernel->starts_at_zero != scalar->starts_at_zero)
                    fail_msg("%s %s differs in size from the scalar kernel", tables[i].name, scalar->name);
            }
}

/* By hand: 3 1 7 0 4 2 1 6, seventy times over, so that every path of a kernel runs. */
static void scans_the_textbook_example_over_and_over(void **state)
{
    (void)state;
    static const uint32_t ROUND[8] = {3, 1, 7, 0, 4, 2, 1, 6}, SUMS[8] = {3, 4, 11, 11, 15, 17, 18, 24};
    enum { N = 560 };
    uint32_t in[N], out[N] = {0}, sum;
    for (uint32_t i = 0; i < N; i++)
        in[i] = ROUND[i % 8];
    named_table tables[2];
    const int n_tables = list_tables(tables);
    for (int i = 0; i < n_tables; i++)
        for (unsigned how = 0; how < 2; how++) {
            const em_monoid *kernel = (*tables[i].table)[EM_SUM][EM_U32];
            const em_tile tile = {in, out, N, NULL}, none = {0};
            sum = 5;
            kernel->scan(kernel, &tile, &sum, &none, how);
            if (sum != 5 + 24 * N / 8)
                fail_msg("%s: the total is %u", tables[i].name, sum);
            for (uint32_t k = 0; k < N; k++)
                if (out[k] != 5 + k / 8 * 24 + SUMS[k % 8] - (how ? ROUND[k % 8] : 0))
                    fail_msg("%s: how %u: result %u is %u", tables[i].name, how, k, out[k]);
        }
}

#if defined(WITHOUT_CMOCKA)
int main(void)
{
    gives_the_bytes_of_the_scalar_kernels(NULL);
    has_a_kernel_of_its_own_name_for_every_exact_operator_on_numbers(NULL);
    scans_the_textbook_example_over_and_over(NULL);
    return 0;
}
#else
int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scans_the_textbook_example_over_and_over),
        cmocka_unit_test(has_a_kernel_of_its_own_name_for_every_exact_operator_on_numbers),
        cmocka_unit_test(gives_the_bytes_of_the_scalar_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
