/* text_body_parts - what the readers of lines of ids and of lines of labels share; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_IO_TEXT_BODY_PARTS_H
#define EM_IO_TEXT_BODY_PARTS_H

#include "io/text_fast.h"
#include "io/text_layout.h"

#include <pthread.h>

/* A line that could not be read, or whose arc the sink refused (column 0); its place within its chunk. */
typedef struct em_text_fault {
    uint64_t chunk, line;
    em_line_fault fault;
} em_text_fault;

/* Arcs of a batch that stand on consecutive lines: arc first_arc on line first_line of the chunk, and so on. */
typedef struct em_text_stretch {
    uint64_t first_line;
    uint32_t first_arc;
} em_text_stretch;

typedef struct em_label_group em_label_group;

typedef struct em_text_worker {
    _Alignas(64) em_text_batch batch;
    em_text_stretch *stretches; /* [batch.capacity], of the batch: where its arcs stood */
    uint32_t n_stretches;
    uint64_t n_lines, n_comment_lines, n_blank_lines, n_skipped_lines, n_extra_lines, n_arcs;
    uint64_t n_rounded, n_zeroed, largest, smallest;
    uint64_t chunk, chunk_first_line; /* n_lines when the chunk began */
    bool failed;
    em_text_fault failure;
    em_text_fault *skipped; /* [EM_SKIPPED_KEPT]: the first ones */
    uint32_t n_listed;      /* of them, those in the report */
    em_label_group *group;  /* where ids are labels: label_body.h */
} em_text_worker;

typedef struct em_text_read {
    em_read_plan *plan;
    em_source *source;
    em_text_head head;
    em_text_fast *fast;
    em_text_worker *workers;
    uint32_t n_workers;
    uint64_t fault_chunk; /* atomic: the first chunk known to hold a fault */
    pthread_mutex_t lock;
    uint64_t *chunk_lines; /* 1 + lines of each chunk that was read to its end */
    uint64_t n_chunks, capacity;
} em_text_read;

void em_text_clear(em_text_worker *worker); /* an empty batch */

/* Arc `arc` of the batch stands on this line of the chunk. To be told of the first one of consecutive lines at least,
 * in their order. */
void em_text_note_line(em_text_worker *worker, uint32_t arc, uint64_t line);

/* Hands the batch to the sink. Where that refuses an arc the worker has failed, whatever had failed on a later line. */
em_status em_text_flush(em_text_read *read, em_text_worker *worker, uint32_t number, em_error *error);

/* Adds the arc of a line to the worker's batch, which goes to the sink when it is full: then the worker may have
 * failed. `line` is its number within the chunk. */
em_status em_text_append(em_text_read *read, em_text_worker *worker, uint32_t number, uint64_t line,
                         const em_text_arc *arc, em_error *error);

/* A line cannot be read: it is skipped and listed, or the worker has failed. `line` is its number within the chunk. */
void em_text_record_fault(em_text_read *read, em_text_worker *worker, uint64_t line, const em_line_fault *fault);

#endif
