/* vertex_set - the ids of --vertices-from, for membership tests while arcs are read; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_IO_VERTEX_SET_H
#define EM_IO_VERTEX_SET_H

#include "scan/base/context.h"

typedef struct em_vertex_set em_vertex_set;

/* Reads one id a line (comments, blanks, CRLF as in an edge list; further columns ignored); ids are as in the text,
 * `base` is taken off. The caller frees *set. */
em_status em_vertex_set_read(em_context *context, const char *path, uint32_t base, em_vertex_set **set,
                             em_error *error);
void em_vertex_set_free(em_vertex_set *set);
uint64_t em_vertex_set_end(const em_vertex_set *set);           /* largest id + 1; 0 when empty */
uint64_t em_vertex_set_further_lines(const em_vertex_set *set); /* lines with more than the id */
uint64_t em_vertex_set_count(const em_vertex_set *set);
/* ids[em_vertex_set_count], ascending. */
void em_vertex_set_list(const em_vertex_set *set, uint64_t *ids);
bool em_vertex_set_has(const em_vertex_set *set, uint64_t id);

#endif
