/* mirror - a sink in front of a sink that gives every arc its reverse; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_IO_MIRROR_H
#define EM_IO_MIRROR_H

#include "io/io.h"

typedef enum em_symmetry {
    EM_GENERAL = 0,
    EM_MIRRORED,        /* j -> i with the weight of i -> j; loops stay single */
    EM_MIRRORED_NEGATED /* with its negative; loops are EM_MALFORMED */
} em_symmetry;

typedef struct em_mirror {
    em_context *context;
    em_arc_sink next;
    em_symmetry symmetry;
    struct em_mirror_worker *workers;
    uint32_t n_workers;
} em_mirror;

/* The reverse of an arc follows it directly, so that both have its place in the input. Errors about an arc are at its
 * position in the batch (see em_arc_sink). */
em_arc_sink em_mirror_sink(em_mirror *mirror, em_context *context, const em_arc_sink *next, em_symmetry symmetry);
/* Frees what the sink needed; {0} is fine. Arcs it was given with source > target and with source < target. */
void em_mirror_end(em_mirror *mirror, uint64_t *n_below, uint64_t *n_above);

#endif
