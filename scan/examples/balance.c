/* balance - rows of a CSR for three threads: whole rows, and cut along the merge path.
 *
 * Row 1 is a hub with 12 of 17 arcs. Whole rows leave one thread with most of the work; the merge path cuts the hub,
 * and every thread gets as many steps (arcs, and ends of rows) as the others.
 *
 * Prints:
 *     whole rows, thread 0: 2 rows, 13 arcs
 *     whole rows, thread 1: 1 rows, 0 arcs
 *     whole rows, thread 2: 4 rows, 4 arcs
 *     merge path, thread 0: arcs 0 to 6, ends of rows 0 to 0
 *     merge path, thread 1: arcs 7 to 12, ends of rows 1 to 2
 *     merge path, thread 2: arcs 13 to 16, ends of rows 3 to 6
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>

#include "scan/uses.h"

enum { ROWS = 7, PARTS = 3 };

static em_status show(em_context *context, em_error *error)
{
    (void)context; /* offsets are sums already: nothing is left to scan */
    const uint64_t offsets[ROWS + 1] = {0, 1, 13, 13, 15, 15, 16, 17};
    uint64_t begins[PARTS + 1];
    em_row_arc points[PARTS + 1];
    em_status status = em_balance_rows(offsets, ROWS, PARTS, begins, error);
    if (status == EM_OK)
        status = em_balance_arcs(offsets, ROWS, PARTS, points, error);
    if (status != EM_OK)
        return status;
    for (int q = 0; q < PARTS; q++)
        printf("whole rows, thread %d: %d rows, %d arcs\n", q, (int)(begins[q + 1] - begins[q]),
               (int)(offsets[begins[q + 1]] - offsets[begins[q]]));
    for (int q = 0; q < PARTS; q++)
        printf("merge path, thread %d: arcs %d to %d, ends of rows %d to %d\n", q, (int)points[q].arc,
               (int)points[q + 1].arc - 1, (int)points[q].row, (int)points[q + 1].row - 1);
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
