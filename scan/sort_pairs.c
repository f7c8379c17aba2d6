/* sort_pairs - sorts of a column of keys with a column of payloads.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/sort_copy.h"

#define NARROW      0
#define PLAIN       0
#define SHAPE(name) FN(name##_pairs)

#define KEY_BITS      32
#define PAYLOAD_BYTES 4
#include "scan/sort_pair.inc"

#define KEY_BITS      32
#define PAYLOAD_BYTES 8
#include "scan/sort_pair.inc"

#define KEY_BITS      64
#define PAYLOAD_BYTES 4
#include "scan/sort_pair.inc"

#define KEY_BITS      64
#define PAYLOAD_BYTES 8
#include "scan/sort_pair.inc"

const sort_shape *sort_shape_of_pairs(uint32_t key_bytes, uint32_t payload_bytes)
{
    static const sort_shape *const SHAPES[2][2] = {{&record32_4_shape_pairs, &record32_8_shape_pairs},
                                                   {&record64_4_shape_pairs, &record64_8_shape_pairs}};
    if ((key_bytes != 4 && key_bytes != 8) || (payload_bytes != 4 && payload_bytes != 8))
        return NULL;
    return SHAPES[key_bytes / 8][payload_bytes / 8];
}
