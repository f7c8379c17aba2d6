/* arc_feed - arcs that need no parsing (an opened CSR, coordinate arrays, binary pairs) go into an arc sink, by all
 * workers; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_IO_ARC_FEED_H
#define EM_IO_ARC_FEED_H

#include "io/read.h"

typedef struct em_arc_feed em_arc_feed;
struct em_arc_feed {
    const char *path; /* for messages */
    const char *unit; /* what messages call an arc of this input: "arc", "record" */
    uint64_t n_arcs;
    uint64_t n_vertices; /* fixed by the format, or 0: largest id + 1 */
    uint8_t id_bytes;    /* of the pairs that `fill` writes */
    uint8_t weight_kind; /* of the weights that `fill` writes */
    uint32_t base;       /* taken off every id */
    void *state;
    /* Writes n (at most EM_BATCH_ARCS) arcs from number `begin` on: pairs, and weights unless there are none. Called
     * by any worker, in any order. */
    em_status (*fill)(void *state, uint64_t begin, uint32_t n, void *pairs, void *weights, em_error *error);
    /* Instead of `fill` where the input can only be read in order: the next arcs, at most n; *n_got == 0 at the end.
     * Never called by two workers at once. n_arcs is then unknown and 0. */
    em_status (*next)(void *state, uint32_t n, void *pairs, uint32_t *n_got, em_error *error);
};

/* Feeds all arcs to the plan's sink in chunks that keep their order, checks ids against the plan, turns weights into
 * what the options ask for, and adds to the plan's report. */
em_status em_arc_feed_run(em_read_plan *plan, const em_arc_feed *feed, em_error *error);

/* A CSR as a feed; rows in order, arcs of a row as stored. The CSR is borrowed. */
em_arc_feed em_csr_feed(const em_csr *csr, const char *path);

/* Arcs of a list. */
typedef struct em_coordinates {
    const em_csr *csr; /* all but its offsets: targets, weights, in the order of the list */
    const em_buffer *sources;
} em_coordinates;
em_arc_feed em_coordinates_feed(const em_coordinates *list, const char *path);

#endif
