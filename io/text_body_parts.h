/* text_body_parts - what the readers of lines of ids and of lines of labels share; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_IO_TEXT_BODY_PARTS_H
#define EM_IO_TEXT_BODY_PARTS_H

#include "io/text_fast.h"
#include "io/text_layout.h"

#include <pthread.h>

/* A line that could not be read, its place within its chunk. */
typedef struct em_text_fault {
    uint64_t chunk, line;
    em_line_fault fault;
} em_text_fault;

typedef struct em_text_worker {
    _Alignas(64) em_text_batch batch;
    uint64_t n_lines, n_comment_lines, n_blank_lines, n_skipped_lines, n_extra_lines, n_arcs;
    uint64_t n_rounded, n_zeroed, largest, smallest;
    uint64_t chunk, chunk_first_line; /* n_lines when the chunk began */
    bool failed;
    em_text_fault failure;
    em_text_fault *skipped; /* [EM_SKIPPED_KEPT]: the first ones */
    uint32_t n_listed;      /* of them, those in the report */
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

/* Adds an arc to the worker's batch, which goes to the sink when it is full. */
em_status em_text_append(em_text_read *read, em_text_worker *worker, uint32_t number, const em_text_arc *arc,
                         em_error *error);

/* A line cannot be read: it is skipped and listed, or the worker has failed. `line` is its number within the chunk. */
void em_text_record_fault(em_text_read *read, em_text_worker *worker, uint64_t line, const em_line_fault *fault);

#endif
