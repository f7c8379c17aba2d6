/* intervals - when can everybody who was asked so far meet? The intersection of intervals, which is commutative.
 *
 * Hours from begin to end; once nothing is left, it stays so.
 *
 * Prints:
 *     1 asked, free  9 to 17: all can meet from 9 to 17
 *     2 asked, free  8 to 14: all can meet from 9 to 14
 *     3 asked, free 11 to 20: all can meet from 11 to 14
 *     4 asked, free 10 to 13: all can meet from 11 to 13
 *     5 asked, free 14 to 18: no time is left
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>

#include "scan/uses.h"

enum { N = 5 };

static em_status show(em_context *context, em_error *error)
{
    const em_interval free_hours[N] = {{9, 17}, {8, 14}, {11, 20}, {10, 13}, {14, 18}};
    em_interval common[N] = {{0}};
    const em_scan_call call = {
        .monoid = em_monoid_intervals(), .kind = EM_INCLUSIVE, .in = free_hours, .out = common, .n = N};
    const em_status status = em_scan(context, &call, error);
    for (int i = 0; i < N && status == EM_OK; i++) {
        printf("%d asked, free %2d to %2d: ", i + 1, (int)free_hours[i].begin, (int)free_hours[i].end);
        if (common[i].begin < common[i].end)
            printf("all can meet from %d to %d\n", (int)common[i].begin, (int)common[i].end);
        else
            printf("no time is left\n");
    }
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
