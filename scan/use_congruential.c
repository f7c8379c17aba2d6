/* use_congruential - a linear congruential sequence on all threads: powers of one affine map.
 *
 * x -> factor x + term applied i times is an affine map again, found by squaring; so a tile of the sequence can begin
 * without the ones before it. (Brown, Random number generation with arbitrary strides, 1994.) Within a tile JUMP
 * numbers are computed side by side, each from the one JUMP before it, since a multiplication waits for the last one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/kernel.h"
#include "scan/uses.h"

enum { JUMP = 16 };

typedef struct generator {
    em_affine_u32 step, jump; /* jump: JUMP steps */
} generator;

static em_affine_u32 power(em_affine_u32 map, uint64_t n)
{
    em_affine_u32 product = affine_u32_identity();
    for (; n; n /= 2) {
        if (n % 2)
            product = affine_u32_combine(product, map);
        map = affine_u32_combine(map, map);
    }
    return product;
}

static uint32_t apply(em_affine_u32 map, uint32_t x)
{
    return map.factor * x + map.term;
}

static void lift(const em_monoid *monoid, const void *item, void *element)
{
    (void)item;
    *(em_affine_u32 *)element = ((const generator *)monoid->own)->step;
}

/* What is combined begins with the constant map to the seed, so it is a constant map itself. */
static void lower(const em_monoid *monoid, const void *element, void *result)
{
    (void)monoid;
    *(uint32_t *)result = ((const em_affine_u32 *)element)->term;
}

static void reduce(const em_monoid *monoid, const em_tile *tile)
{
    *(em_affine_u32 *)tile->aggregates = power(((const generator *)monoid->own)->step, tile->n);
}

static void scan(const em_monoid *monoid, const em_tile *tile, void *carry, const em_tile *next, unsigned how)
{
    const generator *own = monoid->own;
    const em_affine_u32 before = *(em_affine_u32 *)carry, jump = own->jump;
    uint32_t *out = tile->out, x = how & EM_TILE_EXCLUSIVE ? before.term : apply(own->step, before.term);
    uint32_t row[JUMP];
    for (uint64_t k = 0; k < JUMP; k++, x = apply(own->step, x))
        row[k] = x;
    uint64_t i = 0;
    for (; tile->n - i >= JUMP; i += JUMP)
        for (uint64_t k = 0; k < JUMP; k++) {
            out[i + k] = row[k];
            row[k] = apply(jump, row[k]);
        }
    for (uint64_t k = 0; i < tile->n; i++, k++)
        out[i] = row[k];
    *(em_affine_u32 *)carry = affine_u32_combine(before, power(own->step, tile->n));
    if (next->n)
        reduce(monoid, next);
}

em_status em_congruential(em_context *context, uint32_t factor, uint32_t term, uint32_t seed, uint64_t n, uint32_t *out,
                          em_error *error)
{
    const em_affine_u32 step = {factor, term}, to_seed = {0, seed};
    const generator own = {step, power(step, JUMP)};
    em_monoid monoid = affine_u32_scalar; /* what is combined is as ever */
    monoid.name = "congruential";
    monoid.own = &own;
    monoid.item_bytes = monoid.result_bytes = sizeof *out;
    monoid.item_align = monoid.result_align = _Alignof(uint32_t);
    monoid.item_ps = 700;
    monoid.lift = lift;
    monoid.lower = lower;
    monoid.reduce = reduce;
    monoid.scan = scan;
    /* In place of items that nobody reads. */
    const em_scan_call call = {
        .monoid = &monoid, .kind = EM_INCLUSIVE, .in = out, .out = out, .n = n, .initial = &to_seed};
    return em_scan(context, &call, error);
}

uint32_t em_congruential_jump(uint32_t factor, uint32_t term, uint32_t seed, uint64_t n_steps)
{
    return apply(power((em_affine_u32){factor, term}, n_steps), seed);
}
