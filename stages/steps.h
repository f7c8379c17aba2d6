/* steps - arcs sent through the steps of several stages, a slice at a time in cache; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_STAGES_STEPS_H
#define EM_STAGES_STEPS_H

#include "stages/stages.h"

enum { EM_STEPS_MOST = 64, EM_STEPS_GROWTH_MOST = 1024 };

/* Opened steps and what each worker needs for them. {0} is fine to close. */
typedef struct em_steps {
    em_run *run;
    em_step steps[EM_STEPS_MOST];
    const char *names[EM_STEPS_MOST];
    uint32_t n_steps, growth; /* of all together */
    struct em_steps_worker *workers;
    uint32_t n_workers;
    bool is_list; /* the arcs are a list in memory */
    em_arc_sink inner;
} em_steps;

/* Opens the steps of stages[n_stages]; `graph` as in em_stage.step. EM_USAGE where arcs would be multiplied more than
 * EM_STEPS_GROWTH_MOST times, or a step's growth is not 1 or 2. The caller closes, also after an error. */
em_status em_steps_open(em_run *run, const em_fused_stage *stages, uint32_t n_stages, const em_graph *graph,
                        em_steps *steps, em_error *error);
void em_steps_close(em_steps *steps, bool is_done);

/* A batch as steps see it, borrowed. */
em_arcs em_arcs_of_batch(const em_arc_batch *batch, bool is_list);

/* Sends arcs through the steps; `taker` gets what is left of them, slice by slice. EM_MALFORMED at position i is about
 * arc i of `arcs`. */
typedef em_status em_steps_taker(void *state, uint32_t worker, const em_arcs *arcs, em_error *error);
em_status em_steps_send(em_steps *steps, uint32_t worker, const em_arcs *arcs, em_steps_taker *taker, void *state,
                        em_error *error);

/* A sink whose batches come to `inner` as the steps leave them, in the same chunks. `steps` must stay where it is.
 * Without steps it is `inner`. */
em_arc_sink em_steps_sink(em_steps *steps, em_arc_sink inner);

/* The list becomes what the steps leave of it. */
em_status em_steps_list(em_steps *steps, em_edges *edges, em_error *error);

#endif
