/* use_intervals - intersection of intervals: a commutative monoid of one's own, made by serial.inc.
 *
 * The later begin and the earlier end; an intersection in which nothing is left stays so, whatever is added.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/monoids.h"
#include "scan/uses.h"

SCAN_INLINE em_interval intersection(em_interval earlier, em_interval later)
{
    const em_interval both = {later.begin > earlier.begin ? later.begin : earlier.begin,
                              later.end < earlier.end ? later.end : earlier.end};
    return both;
}

SCAN_DEFINE(intervals, em_interval, em_interval, em_interval, 0, 0, 1000, ((em_interval){INT64_MIN, INT64_MAX}), item,
            intersection(earlier, later), element)

#define MONOID              intervals
#define FN(name)            SCAN_PASTE(MONOID, name)
#define SCAN_KERNEL_LINKAGE static
#include "scan/serial.inc"

const em_monoid *em_monoid_intervals(void)
{
    return &intervals_scalar;
}
