/* read - what em_read and the format readers share; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_IO_READ_H
#define EM_IO_READ_H

#include "io/io.h"
#include "io/label_table.h"
#include "io/vertex_set.h"

/* One em_read call as the format readers see it. Chunk numbers go on from input to input. */
struct em_read_plan {
    em_context *context;
    const em_read_options *options;
    em_arc_sink sink;
    em_read_report *report;
    const em_vertex_set *vertices; /* NULL: any id */
    em_label_table *labels;        /* where ids are labels; else NULL */
    uint64_t id_limit;             /* ids below this are fine: n of --vertices, of the vertex file, or 2^63 - 1 */
    const char *id_limit_origin;   /* what set the limit, for messages: "--vertices=5", a file name */
    em_weight_kind weight_kind;    /* what batches had so far: an input begins where the one before it ended */
    bool wide;                     /* batches had 8-byte ids */
    uint64_t next_chunk;           /* first chunk number that is free */
    int weighted;                  /* -1: no input told yet; else 0 or 1: inputs must agree */
    const char *weighted_path;     /* the input that told */
};

/* em_read of labels (options->ids) with an empty table of the same context: batches hold its numbers, which are final
 * where em_label_table_is_ordered. EM_USAGE also for --base, --vertices, and formats that hold no labels. */
em_status em_read_labels(em_context *context, const em_read_options *options, const em_arc_sink *sink,
                         em_label_table *labels, em_read_report *report, em_error *error);

/* EM_USAGE where ids are labels and the format, of `path`, holds none. */
em_status em_check_labels(const em_read_options *options, const em_format *format, const char *path, em_error *error);

/* weights[index] widened to i64 or f64, as bits; 0 without weights. */
uint64_t em_weight_bits(em_weight_kind kind, const void *weights, uint64_t index);

/* Records whether `path` has weights; EM_MALFORMED where an earlier input said otherwise. */
em_status em_plan_weighted(em_read_plan *plan, const char *path, bool weighted, em_error *error);

/* Whether the user says which vertices there are. */
static inline bool em_n_is_given(const em_read_options *options)
{
    return options->has_vertices || options->vertices_from;
}

/* Whether arrays of n_vertices are out of proportion: offsets alone would need over 1 GiB and over 64 bytes an arc. */
bool em_is_sparse(const em_context *context, uint64_t n_vertices, uint64_t n_arcs);
/* Refuses such arrays unless n_is_given.
 * `path` is for the message: an input, or NULL. */
em_status em_check_sparse(em_context *context, const char *path, uint64_t n_vertices, uint64_t n_arcs, bool n_is_given,
                          em_error *error);
/* The same for a list in memory. */
em_status em_check_sparse_list(em_context *context, const em_edges *edges, em_error *error);

#endif
