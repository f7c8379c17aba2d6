/* stages - the parts of a pipeline: what each takes, gives, costs, and how it runs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_STAGES_STAGES_H
#define EM_STAGES_STAGES_H

#include "io/io.h"
#include "io/publish.h"
#include "scan/base/graph.h"

enum { EM_STAGE_ABI = 1 };
typedef enum em_engine { EM_ENGINE_SERIAL = 0, EM_ENGINE_OPENMP, EM_ENGINE_CUDA, EM_N_ENGINES } em_engine;

enum { EM_PHASES = 4, EM_OUTPUTS = 4 };

/* What a stage, or a phase within one, did. Times in ns; bytes as the algorithm must move them. */
typedef struct em_phase {
    char name[64];
    uint64_t wall_ns, cpu_ns, n_elements, n_bytes_moved;
} em_phase;

/* One stage in execution. The runner owns it. */
typedef struct em_run {
    em_context *context;
    em_read_report *read;           /* what load found */
    em_output *outputs[EM_OUTPUTS]; /* opened by `prepare`; the runner commits them in order, the last one last */
    const void *output_owners[EM_OUTPUTS]; /* options of the stage that opened it */
    uint32_t n_outputs;
    em_phase whole;             /* the stage fills n_elements and n_bytes_moved */
    em_phase phases[EM_PHASES]; /* optional, finer */
    uint32_t n_phases;
    bool in_phase;
} em_run;

/* The runner's: a stage begins, a stage ends. */
void em_run_begin(em_run *run, const char *name);
void em_run_end(em_run *run);

/* Begins a phase: ends the one before; the last one ends with the stage. Name NULL: only ends. */
EM_API void em_run_phase(em_run *run, const char *name);
/* Adds to the current phase and to the whole. */
EM_API void em_run_count(em_run *run, uint64_t n_elements, uint64_t n_bytes_moved);

/* What a stage will see and need, as far as known before it runs (UINT64_MAX: unknown). */
typedef struct em_shape {
    uint64_t n_vertices, n_arcs, facts;
    uint8_t id_bytes, weight_kind;
} em_shape;
typedef struct em_cost {
    uint64_t n_bytes_read, n_bytes_written, n_bytes_random, scratch_bytes, result_bytes;
} em_cost;

/* facts after = (facts before & keeps) | gives; everything in `takes` must hold before. */
typedef struct em_form {
    uint64_t takes, gives, keeps;
} em_form;

typedef em_status em_stage_run(em_run *run, const void *options, em_graph *graph, em_error *error);

typedef struct em_stage {
    uint32_t abi;
    const char *name, *summary, *usage;
    em_form forms[2]; /* the first whose `takes` hold is used; an empty second one repeats no form */
    uint32_t layouts; /* of edges it accepts */
    em_status (*parse)(em_context *context, int argc, char **argv, void **options,
                       em_error *error); /* argv[0] is the name */
    void (*free_options)(em_context *context, void *options);
    em_status (*estimate)(const void *options, const em_shape *in, em_shape *out, em_cost *cost,
                          em_error *error); /* may be NULL */
    /* Called for every stage before the first one runs: what can fail early should. May be NULL. */
    em_status (*prepare)(em_run *run, const void *options, em_error *error);
    em_stage_run *run[EM_N_ENGINES];
} em_stage;

/* Several stages done in one go, with the same result: options[i] are those of the i-th. A row of fusion_list.inc. */
typedef em_status em_fused_run(em_run *run, const void *const *options, em_graph *graph, em_error *error);
em_fused_run em_run_load_csr, em_run_load_csr_sorted;

EM_API size_t em_stages(const em_stage *const **stages);
EM_API const em_stage *em_stage_by_name(const char *name); /* NULL: no such */

#endif
