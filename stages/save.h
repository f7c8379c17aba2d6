/* save - what the parts of `save` share; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_STAGES_SAVE_H
#define EM_STAGES_SAVE_H

#include "stages/stages.h"

#include <limits.h>

typedef struct em_save_options {
    const em_format *format;
    const char *path, *map, *edge_ids; /* map, edge_ids: NULL where not wanted */
} em_save_options;

extern const em_stage em_stage_save;

/* One line a vertex, new ids ascending: the id, a tab, what the vertex was called in the input. In labels that are text
 * a tab, a newline and a backslash are written as \t, \n and \\. */
em_status em_save_map(em_context *context, const em_labels *labels, uint64_t n_vertices, em_output *output,
                      em_error *error);
/* One line an arc, in the order of the rows: the number of the arc in the input. EM_USAGE without positions. */
em_status em_save_edge_ids(em_context *context, const em_csr *csr, em_output *output, em_error *error);

/* Opens n_parts shards, in order, and then the manifest. Of web.csr these are web.0.csr, web.1.csr, … and web.csr.json,
 * numbers as wide as the last one; a path that ends in .json names the manifest. EM_USAGE: the format holds no shards,
 * or the output is not a file; EM_ENVIRONMENT: more files than may be open. */
em_status em_save_shards_open(em_run *run, const em_save_options *save, uint64_t n_parts, em_error *error);
/* The path of shard `part` of n_parts; part n_parts is the manifest. EM_ENVIRONMENT: the name is too long. */
em_status em_save_shard_path(const em_save_options *save, uint64_t n_parts, uint64_t part, char path[PATH_MAX],
                             em_error *error);
/* Calls `take` with the file, in the folder of save->path, of each shard that goes once n_parts others are published:
 * those that the manifest there now lists and the new one will not. */
em_status em_save_stale_shards(em_context *context, const em_save_options *save, uint64_t n_parts,
                               em_status (*take)(void *state, const char *file, em_error *error), void *state,
                               em_error *error);
/* Writes the parts of the graph to outputs[n_parts + 1], opened as above. Offsets are shifted in place while their
 * shard is written. */
em_status em_save_shards(em_run *run, const em_save_options *save, const em_run_output *outputs, em_graph *graph,
                         em_error *error);

#endif
