/* use_fibonacci - Fibonacci numbers modulo any m, by powers of (1,1;1,0).
 *
 * (1,1;1,0)^i = (F(i+1), F(i); F(i), F(i-1)), so the exclusive scan of as many of these matrices is the sequence. A
 * monoid whose functions are written by hand shows what serial.inc cannot do: the modulus is known at run time (`own`);
 * items need not be read, since all are the same matrix; a tile's product is a power, found by squaring in 2 log2 n
 * multiplications; and within a tile that knows its first two numbers an addition an item is enough.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/monoids.h"
#include "scan/uses.h"

static uint32_t modulus_of(const em_monoid *monoid)
{
    return *(const uint32_t *)monoid->own;
}

/* a b + c d modulo m for numbers below m: (2^32 - 2)^2 + 2^32 - 2 fits 64 bits. */
static uint32_t sum_of_products(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint32_t m)
{
    return (uint32_t)((a * b % m + c * d) % m);
}

static em_mat2 multiply(em_mat2 x, em_mat2 y, uint32_t m)
{
    return scan_mat2(sum_of_products(x.a, y.a, x.b, y.c, m), sum_of_products(x.a, y.b, x.b, y.d, m),
                     sum_of_products(x.c, y.a, x.d, y.c, m), sum_of_products(x.c, y.b, x.d, y.d, m));
}

static em_mat2 power(uint64_t n, uint32_t m)
{
    em_mat2 product = scan_mat2(1, 0, 0, 1), square = scan_mat2(1, 1, 1, 0);
    for (; n; n /= 2) {
        if (n % 2)
            product = multiply(product, square, m);
        square = multiply(square, square, m);
    }
    return product;
}

static void identity(const em_monoid *monoid, void *element)
{
    (void)monoid;
    *(em_mat2 *)element = scan_mat2(1, 0, 0, 1);
}

static void lift(const em_monoid *monoid, const void *item, void *element)
{
    (void)monoid, (void)item;
    *(em_mat2 *)element = scan_mat2(1, 1, 1, 0);
}

static void combine(const em_monoid *monoid, const void *earlier, const void *later, void *both)
{
    *(em_mat2 *)both = multiply(*(const em_mat2 *)earlier, *(const em_mat2 *)later, modulus_of(monoid));
}

static void lower(const em_monoid *monoid, const void *element, void *result)
{
    (void)monoid;
    *(uint32_t *)result = ((const em_mat2 *)element)->b;
}

static void reduce(const em_monoid *monoid, const em_tile *tile)
{
    *(em_mat2 *)tile->aggregates = power(tile->n, modulus_of(monoid));
}

static uint32_t add(uint32_t a, uint32_t b, uint32_t m)
{
    const uint64_t sum = (uint64_t)a + b;
    return (uint32_t)(sum < m ? sum : sum - m);
}

static void scan(const em_monoid *monoid, const em_tile *tile, void *carry, const em_tile *next, unsigned how)
{
    const uint32_t m = modulus_of(monoid);
    const em_mat2 before = *(em_mat2 *)carry;
    uint32_t *out = tile->out, at = before.b, after = before.a;
    for (uint64_t i = 0; i < tile->n; i++) {
        out[i] = how & EM_TILE_EXCLUSIVE ? at : after;
        const uint32_t sum = add(at, after, m);
        at = after;
        after = sum;
    }
    *(em_mat2 *)carry = scan_mat2(after, at, at, add(after, m - at, m));
    if (next->n)
        reduce(monoid, next);
}

em_status em_fibonacci(em_context *context, uint32_t modulus, uint64_t n, uint32_t *out, em_error *error)
{
    if (modulus < 2)
        return em_fail(error, EM_USAGE, "fibonacci: the modulus must be 2 or more, not %lu", (unsigned long)modulus);
    const em_monoid monoid = {.name = "fibonacci",
                              .item_bytes = sizeof *out,
                              .elem_bytes = sizeof(em_mat2),
                              .result_bytes = sizeof *out,
                              .item_align = _Alignof(uint32_t),
                              .elem_align = _Alignof(em_mat2),
                              .result_align = _Alignof(uint32_t),
                              .item_ps = 1000,
                              .own = &modulus,
                              .identity = identity,
                              .lift = lift,
                              .combine = combine,
                              .lower = lower,
                              .reduce = reduce,
                              .scan = scan};
    /* In place of items that nobody reads. */
    const em_scan_call call = {.monoid = &monoid, .kind = EM_EXCLUSIVE, .in = out, .out = out, .n = n};
    return em_scan(context, &call, error);
}
