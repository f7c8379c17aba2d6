/* use_balance - rows of a CSR shared by threads.
 *
 * Offsets are prefix sums already, so a part is found by binary search. Whole rows serve as long as no row is larger
 * than a part. Past that the walk is cut anywhere: it merges the ends of rows (offsets[1] to offsets[n_rows]) with the
 * arcs 0, 1, 2, …, one step each, and part q begins after ceil(q * steps / n_parts) steps. Which of the first d steps
 * were ends of rows is found by binary search along the diagonal row + arc = d. (Merrill and Garland, SC 2016; Odeh et
 * al., Merge path, 2012.)
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/use_share.h"
#include "scan/uses.h"

static use_total cost_of_all(const uint64_t *offsets, uint64_t n_rows)
{
    return (use_total)(offsets[n_rows] - offsets[0]) + n_rows;
}

uint64_t em_row_begin(const uint64_t *offsets, uint64_t n_rows, uint64_t part, uint64_t n_parts)
{
    if (part >= n_parts)
        return n_rows;
    return use_first_reaching(offsets, n_rows, 1, use_share(cost_of_all(offsets, n_rows), part, n_parts));
}

em_status em_balance_rows(const uint64_t *offsets, uint64_t n_rows, uint64_t n_parts, uint64_t *begins, em_error *error)
{
    const em_status status = use_check_parts("balance", offsets, n_rows, n_parts, begins, sizeof *begins, error);
    if (status != EM_OK)
        return status;
    for (uint64_t part = 0; part <= n_parts; part++)
        begins[part] = em_row_begin(offsets, n_rows, part, n_parts);
    return EM_OK;
}

/* The end of row r is the step after the arcs up to offsets[r + 1] and the ends of the r rows before it: it is among
 * the first d steps if offsets[r + 1] - offsets[0] + r < d. */
em_row_arc em_merge_point(const uint64_t *offsets, uint64_t n_rows, uint64_t part, uint64_t n_parts)
{
    const use_total n_steps = use_share(cost_of_all(offsets, n_rows), part, n_parts);
    uint64_t begin = 0, end = n_rows;
    while (begin < end) {
        const uint64_t middle = begin + (end - begin) / 2;
        if ((use_total)(offsets[middle + 1] - offsets[0]) + middle < n_steps)
            begin = middle + 1;
        else
            end = middle;
    }
    return (em_row_arc){begin, offsets[0] + (uint64_t)(n_steps - begin)};
}

em_status em_balance_arcs(const uint64_t *offsets, uint64_t n_rows, uint64_t n_parts, em_row_arc *points,
                          em_error *error)
{
    const em_status status = use_check_parts("balance", offsets, n_rows, n_parts, points, sizeof *points, error);
    if (status != EM_OK)
        return status;
    for (uint64_t part = 0; part <= n_parts; part++)
        points[part] = em_merge_point(offsets, n_rows, part, n_parts);
    return EM_OK;
}
