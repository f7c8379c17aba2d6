/* factorial - an operator of your own by hand: factorials modulo a number that is known only at run time.
 *
 * The functions of an em_monoid get the monoid, and with it `own`. They are called for a whole tile, so the loops are
 * compiled here, with the types and the operator in sight.
 *
 * Prints:
 *     1! = 1 modulo 1000003
 *     5! = 120 modulo 1000003
 *     10! = 628791 modulo 1000003
 *     1000! = 864722 modulo 1000003
 *     1000000! = 500001 modulo 1000003
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>

#include "scan/scan.h"

static uint64_t times(const em_monoid *monoid, uint64_t a, uint64_t b)
{
    return a * b % *(const uint32_t *)monoid->own;
}

static void identity(const em_monoid *monoid, void *element)
{
    (void)monoid;
    *(uint64_t *)element = 1;
}

static void lift(const em_monoid *monoid, const void *item, void *element)
{
    *(uint64_t *)element = times(monoid, *(const uint32_t *)item, 1);
}

static void combine(const em_monoid *monoid, const void *earlier, const void *later, void *both)
{
    *(uint64_t *)both = times(monoid, *(const uint64_t *)earlier, *(const uint64_t *)later);
}

static void lower(const em_monoid *monoid, const void *element, void *result)
{
    (void)monoid;
    *(uint32_t *)result = (uint32_t) * (const uint64_t *)element;
}

static void reduce(const em_monoid *monoid, const em_tile *tile)
{
    const uint32_t *items = tile->in;
    uint64_t product = 1;
    for (uint64_t i = 0; i < tile->n; i++)
        product = times(monoid, product, items[i]);
    *(uint64_t *)tile->aggregates = product;
}

static void scan(const em_monoid *monoid, const em_tile *tile, void *carry, const em_tile *next, unsigned how)
{
    const uint32_t *items = tile->in;
    uint32_t *results = tile->out;
    uint64_t product = *(uint64_t *)carry;
    for (uint64_t i = 0; i < tile->n; i++) {
        const uint64_t with = times(monoid, product, items[i]); /* before the result: it may replace the item */
        results[i] = (uint32_t)(how & EM_TILE_EXCLUSIVE ? product : with);
        product = with;
    }
    *(uint64_t *)carry = product;
    if (next->n)
        reduce(monoid, next);
}

enum { N = 1000000 };

static em_status show(em_context *context, em_error *error)
{
    const uint32_t modulus = 1000003;
    const em_monoid product = {.name = "product modulo a prime",
                               .item_bytes = sizeof(uint32_t),
                               .elem_bytes = sizeof(uint64_t),
                               .result_bytes = sizeof(uint32_t),
                               .item_align = sizeof(uint32_t),
                               .elem_align = sizeof(uint64_t),
                               .result_align = sizeof(uint32_t),
                               .item_ps = 8000,
                               .own = &modulus,
                               .identity = identity,
                               .lift = lift,
                               .combine = combine,
                               .lower = lower,
                               .reduce = reduce,
                               .scan = scan};
    uint32_t *numbers = malloc(N * sizeof *numbers);
    if (!numbers)
        return em_fail(error, EM_NO_MEMORY, "out of memory");
    for (uint32_t i = 0; i < N; i++)
        numbers[i] = i + 1;
    const em_scan_call call = {.monoid = &product, .kind = EM_INCLUSIVE, .in = numbers, .out = numbers, .n = N};
    const em_status status = em_scan(context, &call, error);
    static const int SHOWN[] = {1, 5, 10, 1000, 1000000};
    for (int i = 0; i < 5 && status == EM_OK; i++)
        printf("%d! = %d modulo 1000003\n", SHOWN[i], (int)numbers[SHOWN[i] - 1]);
    free(numbers);
    return status;
}

int main(void)
{
    em_context *context = NULL;
    em_error error = {0};
    if (em_context_create(NULL, &context, &error) == EM_OK)
        show(context, &error);
    em_context_free(context);
    if (error.status != EM_OK)
        fprintf(stderr, "%s\n", error.message);
    return em_status_exit(error.status);
}
