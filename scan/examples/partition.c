/* partition - weighted partition: eight tasks of known weights for three workers, who get consecutive ones.
 *
 * The weights before each task are an exclusive sum; part q begins where it reaches ceil(q * 24 / 3).
 *
 * Prints:
 *     weights  3  1  7  0  4  2  1  6
 *     before   0  3  4 11 11 15 17 18
 *     part 0: tasks 0 to 2, weight 11 of 24
 *     part 1: tasks 3 to 5, weight 6 of 24
 *     part 2: tasks 6 to 7, weight 7 of 24
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>

#include "scan/uses.h"

enum { N = 8, PARTS = 3 };

static em_status show(em_context *context, em_error *error)
{
    const uint32_t weights[N] = {3, 1, 7, 0, 4, 2, 1, 6};
    uint64_t before[N + 1], begins[PARTS + 1];
    em_status status = em_scan_offsets(context, EM_U32, weights, before, N, error);
    if (status == EM_OK)
        status = em_partition_tasks(context, EM_U32, weights, N, PARTS, begins, error);
    if (status != EM_OK)
        return status;
    printf("weights");
    for (int i = 0; i < N; i++)
        printf(" %2d", (int)weights[i]);
    printf("\nbefore ");
    for (int i = 0; i < N; i++)
        printf(" %2d", (int)before[i]);
    printf("\n");
    for (int q = 0; q < PARTS; q++)
        printf("part %d: tasks %d to %d, weight %d of 24\n", q, (int)begins[q], (int)begins[q + 1] - 1,
               (int)(before[begins[q + 1]] - before[begins[q]]));
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
