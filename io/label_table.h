/* label_table - string ids: every label once, found by hash from all workers at once; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_IO_LABEL_TABLE_H
#define EM_IO_LABEL_TABLE_H

#include "scan/base/context.h"

typedef struct em_label_table em_label_table;

/* A label to be looked up, and its number. */
typedef struct em_label_query {
    const char *at; /* n_bytes, at most EM_LABEL_BYTES */
    uint64_t n_bytes;
    uint64_t id;
    uint64_t hash; /* the table's */
    const void *found;
} em_label_query;

#define EM_LABEL_BYTES   ((uint64_t)UINT32_MAX)
#define EM_LABEL_UNKNOWN UINT64_MAX

em_status em_label_table_open(em_context *context, em_label_table **table, em_error *error);
void em_label_table_free(em_label_table *table); /* NULL is fine */

/* Numbers queries[n]. A label that is new gets the next number, or in a closed table EM_LABEL_UNKNOWN. Workers below
 * the context's threads call this side by side; one alone gives numbers in the order of its queries. */
em_status em_label_table_find(em_label_table *table, uint32_t worker, em_label_query *queries, uint32_t n,
                              em_error *error);

uint64_t em_label_table_count(const em_label_table *table); /* NULL: 0 */

/* No label is added any more: the numbers are final. */
void em_label_table_close(em_label_table *table);
/* Before several workers add labels: their numbers will depend on who came first. */
void em_label_table_share(em_label_table *table);
/* Whether labels were numbered by first appearance, so that nobody need do it. */
bool em_label_table_is_ordered(const em_label_table *table);

/* Frees what lookups need; the labels stay. */
void em_label_table_end_lookups(em_label_table *table);

/* The labels as text and ends, em_label_table_count + 1 of them: label i is text[ends[i]] to
 * text[ends[i + 1]], where i is numbers[its number in the table], or that number where `numbers` is NULL. The caller
 * frees both buffers. */
struct em_buffer;
em_status em_label_table_take(em_label_table *table, const uint64_t *numbers, struct em_buffer *text,
                              struct em_buffer *ends, em_error *error);

/* Writes a label as a file of names has it: tab, newline and backslash as \t \n \\. `into` has room
 * for 2 * n_bytes. Returns the bytes written. */
uint64_t em_label_escape(const char *label, uint64_t n_bytes, char *into);

#endif
