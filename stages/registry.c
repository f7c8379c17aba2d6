/* registry - the stages there are, and what stages tell the runner while they run.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/base/clock.h"
#include "stages/stages.h"

#include <stdio.h>
#include <string.h>

#define STAGE(name) extern const em_stage em_stage_##name;
#include "stages/stage_list.inc"
#undef STAGE

static const em_stage *const stages[] = {
#define STAGE(name) &em_stage_##name,
#include "stages/stage_list.inc"
#undef STAGE
};

size_t em_stages(const em_stage *const **list)
{
    *list = stages;
    return sizeof stages / sizeof *stages;
}

const em_stage *em_stage_by_name(const char *name)
{
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
        if (strcmp(stages[i]->name, name) == 0)
            return stages[i];
    return NULL;
}

/* A phase holds its start times until it ends. */
static void start(em_phase *phase)
{
    phase->wall_ns = em_clock_ns(CLOCK_MONOTONIC);
    phase->cpu_ns = em_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

static void stop(em_phase *phase)
{
    phase->wall_ns = em_clock_ns(CLOCK_MONOTONIC) - phase->wall_ns;
    phase->cpu_ns = em_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - phase->cpu_ns;
}

void em_run_begin(em_run *run, const char *name)
{
    run->n_phases = 0;
    run->in_phase = false;
    run->whole = (em_phase){0};
    snprintf(run->whole.name, sizeof run->whole.name, "%s", name);
    start(&run->whole);
}

void em_run_phase(em_run *run, const char *name)
{
    if (run->in_phase)
        stop(&run->phases[run->n_phases - 1]);
    run->in_phase = name && run->n_phases < EM_PHASES;
    if (!run->in_phase)
        return;
    em_phase *const phase = &run->phases[run->n_phases++];
    *phase = (em_phase){0};
    snprintf(phase->name, sizeof phase->name, "%s", name);
    start(phase);
}

void em_run_count(em_run *run, uint64_t n_elements, uint64_t n_bytes_moved)
{
    if (run->in_phase) {
        run->phases[run->n_phases - 1].n_elements += n_elements;
        run->phases[run->n_phases - 1].n_bytes_moved += n_bytes_moved;
    }
    if (n_elements > run->whole.n_elements)
        run->whole.n_elements = n_elements;
    run->whole.n_bytes_moved += n_bytes_moved;
}

void em_run_end(em_run *run)
{
    em_run_phase(run, NULL);
    stop(&run->whole);
}
