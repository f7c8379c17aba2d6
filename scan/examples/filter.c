/* filter - a recursive filter: an average in which each sample counts half as much as the one after it.
 *
 * y[i] = y[i - 1] / 2 + x[i] / 2 follows a step from 0 to 8, and falls back once it ends.
 *
 * Prints:
 *     8  4.000 ################
 *     8  6.000 ########################
 *     8  7.000 ############################
 *     8  7.500 ##############################
 *     8  7.750 ###############################
 *     8  7.875 ################################
 *     0  3.938 ################
 *     0  1.969 ########
 *     0  0.984 ####
 *     0  0.492 ##
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>

#include "scan/uses.h"

enum { N = 10 };

static em_status show(em_context *context, em_error *error)
{
    const double x[N] = {8, 8, 8, 8, 8, 8, 0, 0, 0, 0};
    double halves[N], y[N];
    for (int i = 0; i < N; i++)
        halves[i] = x[i] / 2;
    const em_status status = em_filter_f64(context, 0.5, 0, halves, y, N, error);
    if (status != EM_OK)
        return status;
    for (int i = 0; i < N; i++)
        printf("%g %6.3f %.*s\n", x[i], y[i], (int)(y[i] * 4 + 0.5), "################################");
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
