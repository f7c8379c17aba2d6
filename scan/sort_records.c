/* sort_records - sorts of records: nine widths of keys and payloads.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/sort_copy.h"

#define NARROW      0
#define PLAIN       1
#define SHAPE(name) FN(name##_plain)

#define KEY_BITS      32
#define PAYLOAD_BYTES 0
#include "scan/sort_plain.inc"

#define KEY_BITS      32
#define PAYLOAD_BYTES 4
#include "scan/sort_plain.inc"

#define KEY_BITS      32
#define PAYLOAD_BYTES 8
#include "scan/sort_plain.inc"

#define KEY_BITS      64
#define PAYLOAD_BYTES 0
#include "scan/sort_plain.inc"

#define KEY_BITS      64
#define PAYLOAD_BYTES 4
#include "scan/sort_plain.inc"

#define KEY_BITS      64
#define PAYLOAD_BYTES 8
#include "scan/sort_plain.inc"

#define KEY_BITS      128
#define PAYLOAD_BYTES 0
#include "scan/sort_plain.inc"

#define KEY_BITS      128
#define PAYLOAD_BYTES 4
#include "scan/sort_plain.inc"

#define KEY_BITS      128
#define PAYLOAD_BYTES 8
#include "scan/sort_plain.inc"

const sort_shape *sort_shape_of_records(uint32_t key_bytes, uint32_t payload_bytes)
{
    static const sort_shape *const SHAPES[3][3] = {
        {&record32_0_shape_plain, &record32_4_shape_plain, &record32_8_shape_plain},
        {&record64_0_shape_plain, &record64_4_shape_plain, &record64_8_shape_plain},
        {&record128_0_shape_plain, &record128_4_shape_plain, &record128_8_shape_plain},
    };
    if ((key_bytes != 4 && key_bytes != 8 && key_bytes != 16) || payload_bytes % 4 || payload_bytes > 8)
        return NULL;
    return SHAPES[key_bytes / 8][payload_bytes / 4];
}
