/* weight_convert - weights of one type as another, each rounded once, what was lost counted; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_IO_WEIGHT_CONVERT_H
#define EM_IO_WEIGHT_CONVERT_H

#include "scan/base/graph.h"

typedef struct em_weight_changes {
    uint64_t n_rounded; /* integers that the new type could not hold exactly */
    uint64_t n_zeroed;  /* non-zero numbers that became 0 */
} em_weight_changes;

/* Converts n weights in place, in an array with room for n 8-byte values. A float to an integer type, an integer or a
 * finite float past the new type's range: EM_MALFORMED naming `path` and the arc (weight 0 belongs to arc
 * `first_arc`). */
em_status em_weights_convert(void *weights, em_weight_kind from, em_weight_kind to, uint32_t n,
                             em_weight_changes *changes, const char *path, uint64_t first_arc, em_error *error);

#endif
