/* stages - the parts of a pipeline: what each takes, gives, costs, and how it runs.
 *
 * A stage is data: an em_stage that any program may write and register (em_stage_register). It runs in one of two ways:
 * `run` works on the whole graph, `step` on a few arcs at a time. Steps are what fuses: behind `load` they run while
 * the input is read, side by side they run in one pass over the arcs, and in front of the building of a CSR they feed
 * it, all with the same result. A stage with a step needs no `run`.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_STAGES_STAGES_H
#define EM_STAGES_STAGES_H

#include "io/io.h"
#include "io/publish.h"
#include "scan/base/graph.h"

enum { EM_STAGE_ABI = 2 };
typedef enum em_engine { EM_ENGINE_SERIAL = 0, EM_ENGINE_OPENMP, EM_ENGINE_CUDA, EM_N_ENGINES } em_engine;

enum { EM_PHASES = 4 };

/* What a stage, or a phase within one, did. Times in ns; bytes as the algorithm must move them. */
typedef struct em_phase {
    char name[64];
    uint64_t wall_ns, cpu_ns, n_elements, n_bytes_moved;
} em_phase;

/* An output that a stage opened before the run. */
typedef struct em_run_output {
    em_output *output;
    const void *owner; /* the options of the stage */
} em_run_output;

/* One stage in execution. The runner owns it. */
typedef struct em_run {
    em_context *context;
    em_read_report *read;   /* what load found and what stages told */
    em_run_output *outputs; /* committed in order, the last one last */
    uint32_t n_outputs, output_capacity;
    uint64_t n_parts;           /* of the last `partition`; 0: none */
    const char *stage;          /* the name of the stage that runs */
    em_phase whole;             /* the stage fills n_elements and n_bytes_moved */
    em_phase phases[EM_PHASES]; /* optional, finer */
    uint32_t n_phases;
    bool in_phase;
    bool
        opens_nothing; /* `prepare` is asked what it refuses, and em_run_open_output opens no output: there is no run */
} em_run;

/* The runner's: a stage begins, a stage ends. */
void em_run_begin(em_run *run, const char *name);
void em_run_end(em_run *run);

/* Begins a phase: ends the one before; the last one ends with the stage. Name NULL: only ends. */
EM_API void em_run_phase(em_run *run, const char *name);
/* Adds to the current phase and to the whole. */
EM_API void em_run_count(em_run *run, uint64_t n_elements, uint64_t n_bytes_moved);
/* Adds n to what `stage` dropped, added or found; the report and the summary show it where it is not 0. */
EM_API void em_run_tally(em_run *run, const char *stage, const char *what, uint64_t n);

/* For `prepare`: opens an output that the runner publishes once all is done; nothing where run->opens_nothing. */
EM_API em_status em_run_open_output(em_run *run, const void *owner, const char *path, em_error *error);
/* The index-th output that `owner` opened; NULL: none. */
EM_API em_output *em_run_output_of(const em_run *run, const void *owner, uint32_t index);

/* --- shapes and costs ----------------------------------------------------------------------------------- */

/* What a stage will see, as far as known before it runs (EM_UNKNOWN and EM_WEIGHT_UNKNOWN: unknown). */
#define EM_UNKNOWN UINT64_MAX
enum { EM_WEIGHT_UNKNOWN = UINT8_MAX };
typedef struct em_shape {
    uint64_t n_vertices, n_arcs, facts;
    uint64_t n_parts, text_bytes;  /* of a partition; of all labels that are text */
    uint8_t id_bytes, weight_kind; /* id_bytes 0: as n_vertices has it */
    bool has_ids;                  /* labels that are numbers */
} em_shape;

/* What a stage does to memory. Peak: the most held at once while it runs, what it takes and makes included. */
typedef struct em_cost {
    uint64_t n_bytes_read, n_bytes_written, n_bytes_random, scratch_bytes, result_bytes, peak_bytes;
} em_cost;

/* Bytes that a graph of this shape holds; EM_UNKNOWN where its numbers are. */
EM_API uint64_t em_shape_bytes(const em_shape *shape);

/* --- steps ------------------------------------------------------------------------------------------------ */

/* A few arcs, at most EM_BATCH_ARCS as a step sees them. */
typedef struct em_arcs {
    void *pairs;         /* id_bytes each: source, target, source, target, … */
    void *weights;       /* NULL, or n_arcs values of weight_kind */
    uint64_t *positions; /* NULL, or n_arcs places in the input, as in em_block */
    uint64_t first;      /* number of the first arc in the list; EM_UNKNOWN while the input is read and behind a step */
    uint32_t n_arcs;
    uint8_t id_bytes, weight_kind; /* while the input is read they may grow from 4 to 8 and from I64 to F64 */
} em_arcs;

/* A stage at work on arcs. */
typedef struct em_step {
    void *state;
    /* Writes to `out`, which has room for growth times as many, what becomes of the arcs of `in`, in their order, and
     * sets out->n_arcs; everything else of `out` is set already. Sources are some that came in as sources and targets
     * some that came in as targets, but where it swaps or mirrors. Any worker, side by side. An error about arc i of
     * `in` is EM_MALFORMED at position i. */
    em_status (*apply)(void *state, uint32_t worker, const em_arcs *in, em_arcs *out, em_error *error);
    /* When all arcs went through (is_done) or something failed: tells what was counted, frees the state. */
    void (*close)(em_run *run, struct em_step *step, bool is_done);
    uint8_t growth;      /* most arcs that one becomes: 1 or 2 */
    bool swaps, mirrors; /* sources become targets and targets sources; both become both */
} em_step;

/* --- stages ----------------------------------------------------------------------------------------------- */

/* facts after = (facts before & keeps) | gives; everything in `takes` must hold before. What the graph holds and is no
 * fact any more is freed. */
typedef struct em_form {
    uint64_t takes, gives, keeps;
} em_form;

typedef em_status em_stage_run(em_run *run, const void *options, em_graph *graph, em_error *error);

/* All but what is said to be NULL must be there, and one of `run` (serial and OpenMP, which may be the same) and
 * `step`. Failures are told by em_fail. */
typedef struct em_stage {
    uint32_t abi; /* EM_STAGE_ABI */
    const char *name, *summary, *usage;
    em_form forms[2]; /* the first whose `takes` hold is used; an empty second one repeats no form */
    uint32_t layouts; /* of edges it accepts */
    /* argv[0] is the name; options may point to words of argv. So may an error (em_point_at), here, in `estimate` and
     * in `prepare`: its message then begins with where that stands in the pipeline's text. */
    em_status (*parse)(em_context *context, int argc, char **argv, void **options, em_error *error);
    void (*free_options)(em_context *context, void *options);
    /* What comes out and what it costs; `out` comes with the facts that hold behind the stage, and out->n_arcs and
     * out->n_vertices as the numbers to assume, or EM_UNKNOWN: then they are set to the most there can be. A peak of 0
     * is what comes in or out, whichever is more, and the scratch. May refuse what its options need and the facts lack
     * (EM_USAGE), so check asks it, too. NULL: as many as come in, at most, and nothing beside them. */
    em_status (*estimate)(em_context *context, const void *options, const em_shape *in, em_shape *out, em_cost *cost,
                          em_error *error);
    /* Called for every stage before the first one runs: what can fail early should. May be NULL. */
    em_status (*prepare)(em_run *run, const void *options, em_error *error);
    em_stage_run *run[EM_N_ENGINES];
    /* Opens a step; `graph` is NULL while the input is read, else its edges are about to go through. May be NULL. */
    em_status (*step)(em_run *run, const void *options, const em_graph *graph, em_step *step, em_error *error);
    /* Whether the step must see a list in memory: it counts over all arcs first, or needs their numbers. NULL: no.
     * knows_weights: the type of weights is settled before the input is read. */
    bool (*needs_list)(const void *options, bool knows_weights);
} em_stage;

/* `parse` and `free_options` of a stage without options: EM_USAGE if there is a word behind argv[0]. */
EM_API em_status em_parse_nothing(em_context *context, int argc, char **argv, void **options, em_error *error);
EM_API void em_free_nothing(em_context *context, void *options);

/* Several stages done in one go, with the same result: a row of fusion_list.inc. */
typedef struct em_fused_stage {
    const em_stage *stage;
    const void *options;
} em_fused_stage;
typedef em_status em_fused_run(em_run *run, const em_fused_stage *stages, uint32_t n_stages, em_graph *graph,
                               em_error *error);
em_fused_run em_run_arcs;

/* The i-th stage that the context knows, those of the library first; NULL: no more. context NULL: only those. */
EM_API const em_stage *em_stage_at(const em_context *context, size_t i);
EM_API const em_stage *em_stage_by_name(const em_context *context, const char *name); /* NULL: no such */
/* Makes a stage known to one context; it must stay where it is as long as the context. EM_USAGE: another abi, a name
 * that is taken or no word, or nothing that runs. Not while a pipeline of the context runs. */
EM_API em_status em_stage_register(em_context *context, const em_stage *stage, em_error *error);

#endif
