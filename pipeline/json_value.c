/* json_value - see json_value.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/json_value.h"

#include <stdlib.h>
#include <string.h>

void em_json_put(json_t *object, const char *key, json_t *value, bool *failed)
{
    if (json_object_set_new(object, key, value) != 0)
        *failed = true;
}

void em_json_append(json_t *array, json_t *value, bool *failed)
{
    if (json_array_append_new(array, value) != 0)
        *failed = true;
}

typedef struct writer {
    em_output *output;
    em_error *error;
    em_status status;
} writer;

static int write_some(const char *bytes, size_t n_bytes, void *state)
{
    writer *to = state;
    to->status = em_output_write(to->output, bytes, n_bytes, to->error);
    return to->status == EM_OK ? 0 : -1;
}

em_status em_json_write(json_t *root, bool failed, unsigned indent, em_output *output, em_error *error)
{
    writer to = {output, error, EM_OK};
    em_status status = EM_OK;
    if (failed || !root)
        status = em_fail(error, EM_NO_MEMORY, "%s: out of memory for JSON", em_output_path(output));
    else if (json_dump_callback(root, write_some, &to, JSON_INDENT(indent) | JSON_REAL_PRECISION(9)) != 0)
        status = to.status != EM_OK
                     ? to.status
                     : em_fail(error, EM_NO_MEMORY, "%s: JSON cannot be written", em_output_path(output));
    else
        status = em_output_write(output, "\n", 1, error);
    json_decref(root);
    return status;
}

json_t *em_json_text(const char *text)
{
    if (!text)
        return json_null();
    json_t *value = json_string(text);
    char *ascii = value ? NULL : strdup(text);
    if (!ascii)
        return value;
    for (char *at = ascii; *at; at++)
        if (*at & 0x80)
            *at = '?';
    value = json_string(ascii);
    free(ascii);
    return value;
}
