/* random - a linear congruential generator on all threads, and a jump in its sequence.
 *
 * x -> a x + c applied n times is another map of that kind: a thread finds its own without the numbers before its
 * share.
 *
 * Prints:
 *     number 1: 1013904223
 *     number 2: 1196435762
 *     number 3: 3519870697
 *     number 4: 2868466484
 *     number 5: 1649599747
 *     number 6: 2670642822
 *     by a jump: 2670642822
 *     2^31 on:   2147483648
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>

#include "scan/uses.h"

enum { N = 6 };

static em_status show(em_context *context, em_error *error)
{
    const uint32_t factor = 1664525, term = 1013904223, seed = 0;
    uint32_t numbers[N];
    const em_status status = em_congruential(context, factor, term, seed, N, numbers, error);
    if (status != EM_OK)
        return status;
    for (int i = 0; i < N; i++)
        printf("number %d: %10lu\n", i + 1, (unsigned long)numbers[i]);
    printf("by a jump: %10lu\n", (unsigned long)em_congruential_jump(factor, term, seed, N));
    printf("2^31 on:   %10lu\n", (unsigned long)em_congruential_jump(factor, term, seed, UINT64_C(1) << 31));
    return EM_OK;
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
