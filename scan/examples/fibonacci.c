/* fibonacci - a linear recurrence on all threads: F(i) = F(i - 1) + F(i - 2) modulo a prime.
 *
 * Each number needs the two before it, yet powers of the matrix (1,1;1,0) can be multiplied in any grouping.
 *
 * Prints:
 *     0 1 1 2 3 5 8 13 21 34 55 89 144 233 377 610
 *     F(1000000) = 918091266 modulo 1000000007
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>

#include "scan/uses.h"

static em_status show(em_context *context, em_error *error)
{
    enum { N = 1000001 };
    uint32_t *numbers = malloc(N * sizeof *numbers);
    if (!numbers)
        return em_fail(error, EM_NO_MEMORY, "out of memory");
    const em_status status = em_fibonacci(context, 1000000007, N, numbers, error);
    if (status == EM_OK) {
        for (int i = 0; i < 16; i++)
            printf("%s%d", i ? " " : "", (int)numbers[i]);
        printf("\nF(1000000) = %d modulo 1000000007\n", (int)numbers[N - 1]);
    }
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
