/* json_value - what our JSON documents are put together from, and how one is written.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_PIPELINE_JSON_VALUE_H
#define EM_PIPELINE_JSON_VALUE_H

#include "io/publish.h"

#include <jansson.h>

/* Set a member, or add to an array, and note failure (out of memory, or a text that is not UTF-8); `value` is always
 * taken over. */
void em_json_put(json_t *object, const char *key, json_t *value, bool *failed);
void em_json_append(json_t *array, json_t *value, bool *failed);

/* A string, or null; bytes that are not UTF-8 become '?'. */
json_t *em_json_text(const char *text);

/* Counts are integers, below 2^63. */
static inline json_t *em_json_count(uint64_t n)
{
    return json_integer((json_int_t)n);
}

/* Writes `root`, unless something `failed`, indented by so many blanks and ended by a newline, and releases it. */
em_status em_json_write(json_t *root, bool failed, unsigned indent, em_output *output, em_error *error);

#endif
