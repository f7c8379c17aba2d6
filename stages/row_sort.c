/* row_sort - see row_sort.h.
 *
 * Short rows by insertion; longer ones by least-significant-digit radix sort of 8 bits a pass (a counting sort each,
 * hence stable), passes in which all targets share the digit left out.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/row_sort.h"

#include <string.h>

#define ID           uint32_t
#define WEIGHT_BYTES 0
#include "stages/row_sort.inc"
#define WEIGHT_BYTES 4
#include "stages/row_sort.inc"
#define WEIGHT_BYTES 8
#include "stages/row_sort.inc"
#undef ID
#define ID           uint64_t
#define WEIGHT_BYTES 0
#include "stages/row_sort.inc"
#define WEIGHT_BYTES 4
#include "stages/row_sort.inc"
#define WEIGHT_BYTES 8
#include "stages/row_sort.inc"
#undef ID

void em_sort_row(void *targets, void *weights, uint64_t n, uint8_t id_bytes, uint32_t weight_bytes, void *space)
{
    switch (id_bytes << 4 | (int)weight_bytes) {
    case 4 << 4 | 0:
        sort_uint32_t_0(targets, weights, n, space);
        break;
    case 4 << 4 | 4:
        sort_uint32_t_4(targets, weights, n, space);
        break;
    case 4 << 4 | 8:
        sort_uint32_t_8(targets, weights, n, space);
        break;
    case 8 << 4 | 0:
        sort_uint64_t_0(targets, weights, n, space);
        break;
    case 8 << 4 | 4:
        sort_uint64_t_4(targets, weights, n, space);
        break;
    case 8 << 4 | 8:
        sort_uint64_t_8(targets, weights, n, space);
        break;
    }
}
