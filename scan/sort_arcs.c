/* sort_arcs - sorts of arcs: columns of sources, targets and weights.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/sort_copy.h"

#define PLAIN 0

#define SHAPE(name)   FN(name##_arcs_narrow)
#define ID_BITS       32
#define KEY_BITS      64
#define PAYLOAD_BYTES 0
#define NARROW        1
#include "scan/sort_arc.inc"
#define ID_BITS       32
#define KEY_BITS      64
#define PAYLOAD_BYTES 4
#define NARROW        1
#include "scan/sort_arc.inc"
#define ID_BITS       32
#define KEY_BITS      64
#define PAYLOAD_BYTES 8
#define NARROW        1
#include "scan/sort_arc.inc"
#undef SHAPE

#define SHAPE(name)   FN(name##_arcs)
#define NARROWER      FN(shape_arcs_narrow)
#define ID_BITS       32
#define KEY_BITS      64
#define PAYLOAD_BYTES 0
#define NARROW        0
#include "scan/sort_arc.inc"
#define ID_BITS       32
#define KEY_BITS      64
#define PAYLOAD_BYTES 4
#define NARROW        0
#include "scan/sort_arc.inc"
#define ID_BITS       32
#define KEY_BITS      64
#define PAYLOAD_BYTES 8
#define NARROW        0
#include "scan/sort_arc.inc"
#undef NARROWER
#undef SHAPE

#define SHAPE(name)   FN(name##_packed_narrow)
#define ID_BITS       64
#define KEY_BITS      64
#define PAYLOAD_BYTES 0
#define NARROW        1
#include "scan/sort_arc.inc"
#define ID_BITS       64
#define KEY_BITS      64
#define PAYLOAD_BYTES 4
#define NARROW        1
#include "scan/sort_arc.inc"
#define ID_BITS       64
#define KEY_BITS      64
#define PAYLOAD_BYTES 8
#define NARROW        1
#include "scan/sort_arc.inc"
#undef SHAPE

#define SHAPE(name)   FN(name##_packed)
#define NARROWER      FN(shape_packed_narrow)
#define ID_BITS       64
#define KEY_BITS      64
#define PAYLOAD_BYTES 0
#define NARROW        0
#include "scan/sort_arc.inc"
#define ID_BITS       64
#define KEY_BITS      64
#define PAYLOAD_BYTES 4
#define NARROW        0
#include "scan/sort_arc.inc"
#define ID_BITS       64
#define KEY_BITS      64
#define PAYLOAD_BYTES 8
#define NARROW        0
#include "scan/sort_arc.inc"
#undef NARROWER
#undef SHAPE

#define SHAPE(name)   FN(name##_wide)
#define ID_BITS       64
#define KEY_BITS      128
#define PAYLOAD_BYTES 0
#define NARROW        0
#include "scan/sort_arc.inc"
#define ID_BITS       64
#define KEY_BITS      128
#define PAYLOAD_BYTES 4
#define NARROW        0
#include "scan/sort_arc.inc"
#define ID_BITS       64
#define KEY_BITS      128
#define PAYLOAD_BYTES 8
#define NARROW        0
#include "scan/sort_arc.inc"
#undef SHAPE

const sort_shape *sort_shape_of_arcs(uint32_t id_bytes, uint32_t weight_bytes, uint32_t key_bytes)
{
    static const sort_shape *const SHAPES[3][3] = {
        {&record64_0_shape_arcs, &record64_4_shape_arcs, &record64_8_shape_arcs},
        {&record64_0_shape_packed, &record64_4_shape_packed, &record64_8_shape_packed},
        {&record128_0_shape_wide, &record128_4_shape_wide, &record128_8_shape_wide},
    };
    if ((id_bytes != 4 && id_bytes != 8) || weight_bytes % 4 || weight_bytes > 8)
        return NULL;
    return SHAPES[id_bytes == 4 ? 0 : key_bytes / 8][weight_bytes / 4];
}
