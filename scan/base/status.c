/* status - see status.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/base/status.h"

#include <stdio.h>
#include <string.h>

static em_status fail(em_error *error, em_status status, uint64_t position, const char *format, va_list words)
{
    if (error && error->status == EM_OK) {
        error->status = status;
        error->position = position;
        error->at = NULL;
        vsnprintf(error->message, sizeof error->message, format, words);
    }
    return status;
}

em_status em_fail(em_error *error, em_status status, const char *format, ...)
{
    va_list words;
    va_start(words, format);
    fail(error, status, EM_NO_POSITION, format, words);
    va_end(words);
    return status;
}

em_status em_fail_at(em_error *error, em_status status, uint64_t position, const char *format, ...)
{
    va_list words;
    va_start(words, format);
    fail(error, status, position, format, words);
    va_end(words);
    return status;
}

em_status em_point_at(em_error *error, const char *at, em_status status)
{
    if (error && status != EM_OK && !error->at)
        error->at = at;
    return status;
}

em_status em_fail_errno(em_error *error, const char *path, const char *doing, int code)
{
    char storage[128];
    return em_fail(error, EM_ENVIRONMENT, "%s%s%s: %s", path ? path : "", path ? ": " : "", doing,
                   strerror_r(code, storage, sizeof storage));
}

void em_error_merge(em_error *into, const em_error *from)
{
    if (!into || from->status == EM_OK)
        return;
    if (into->status == EM_OK || from->position < into->position)
        *into = *from;
}

int em_status_exit(em_status status)
{
    static const int exits[] = {
        [EM_OK] = 0,          [EM_DIFFERS] = 1,   [EM_USAGE] = 2,     [EM_MALFORMED] = 3,
        [EM_ENVIRONMENT] = 4, [EM_NO_MEMORY] = 4, [EM_NO_DEVICE] = 4, [EM_CANCELLED] = 4,
    };
    return exits[status];
}
