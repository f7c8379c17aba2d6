/* sort_arcs - sorts of arcs: columns of sources, targets and weights, for any processor.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define SORT_ISA(name) name
#define SORT_BUCKET    bucket
#include "scan/sort_arcs.inc"
