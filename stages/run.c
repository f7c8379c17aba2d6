/* run - what stages tell the runner while they run: phases, counts, outputs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/base/clock.h"
#include "stages/stages.h"

#include <stdio.h>
#include <string.h>

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

/* NULL: there is none yet. Words are compared as far as they are kept. */
static em_tally *find(em_read_report *read, const char *stage, const char *what)
{
    for (em_tally *tally = read->tallies; tally < read->tallies + read->n_tallies; tally++)
        if (strncmp(tally->stage, stage, sizeof tally->stage - 1) == 0 &&
            strncmp(tally->what, what, sizeof tally->what - 1) == 0)
            return tally;
    return NULL;
}

void em_run_tally(em_run *run, const char *stage, const char *what, uint64_t n)
{
    em_read_report *const read = run->read;
    if (read->n_tallies >= EM_TALLIES - 1 && !find(read, stage, what)) { /* only a user's stages have so many kinds */
        stage = "further stages";
        what = "counts of other kinds";
    }
    em_tally *tally = find(read, stage, what);
    if (!tally) {
        tally = &read->tallies[read->n_tallies++];
        *tally = (em_tally){0};
        snprintf(tally->stage, sizeof tally->stage, "%s", stage);
        snprintf(tally->what, sizeof tally->what, "%s", what);
    }
    tally->n += n;
}

em_status em_run_open_output(em_run *run, const void *owner, const char *path, em_error *error)
{
    if (run->opens_nothing)
        return EM_OK;
    if (run->n_outputs == run->output_capacity) {
        const uint32_t capacity = run->output_capacity ? 2 * run->output_capacity : 4;
        void *memory = run->outputs;
        const em_status status = em_resize(run->context, &memory, run->output_capacity * sizeof *run->outputs,
                                           capacity * sizeof *run->outputs, error);
        if (status != EM_OK)
            return status;
        run->outputs = memory;
        run->output_capacity = capacity;
    }
    em_run_output *const opened = &run->outputs[run->n_outputs];
    const em_output *const before = run->n_outputs ? run->outputs[run->n_outputs - 1].output : NULL;
    const em_status status = em_output_open_beside(run->context, path, before, &opened->output, error);
    if (status == EM_OK) {
        opened->owner = owner;
        run->n_outputs++;
    }
    return status;
}

em_output *em_run_output_of(const em_run *run, const void *owner, uint32_t index)
{
    for (uint32_t i = 0; i < run->n_outputs; i++)
        if (run->outputs[i].owner == owner && index-- == 0)
            return run->outputs[i].output;
    return NULL;
}
