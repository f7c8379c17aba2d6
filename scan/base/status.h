/* status - how every fallible call answers, and the message that goes with it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_SCAN_BASE_STATUS_H
#define EM_SCAN_BASE_STATUS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32) || defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "edgemill needs a little-endian POSIX system"
#endif

/* Marks what the shared library exports; everything else is hidden. */
#if defined(__cplusplus)
#define EM_API extern "C" __attribute__((visibility("default")))
#else
#define EM_API __attribute__((visibility("default")))
#endif

typedef enum em_status {
    EM_OK = 0,
    EM_DIFFERS,     /* a comparison or a verification found a difference */
    EM_USAGE,       /* options that make no sense, alone or together */
    EM_MALFORMED,   /* the input breaks its format */
    EM_ENVIRONMENT, /* open, read, write, full disk, missing program */
    EM_NO_MEMORY,   /* the allocator's limit or the system's */
    EM_NO_DEVICE,   /* no such accelerator, or built without it */
    EM_CANCELLED    /* the progress callback asked to stop */
} em_status;

enum { EM_MESSAGE_BYTES = 2048 };

/* Position of an error that has none in the input. */
#define EM_NO_POSITION UINT64_MAX

/* What went wrong. Starts as {0}; every function takes NULL instead. */
typedef struct em_error {
    em_status status;               /* EM_OK while nothing failed */
    uint64_t position;              /* orders errors of parallel work: the smallest is kept */
    const char *at;                 /* what is wrong in a text of the caller's, such as in a word of argv; or NULL */
    char message[EM_MESSAGE_BYTES]; /* one line, no newline at its end */
} em_error;

/* Records a message unless one is there already and returns `status`; position EM_NO_POSITION. */
EM_API em_status em_fail(em_error *error, em_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same at a place in the input, so that em_error_merge can tell which came first. */
EM_API em_status em_fail_at(em_error *error, em_status status, uint64_t position, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Points at what is wrong, unless `status` is EM_OK or something is pointed at already. Returns `status`. */
EM_API em_status em_point_at(em_error *error, const char *at, em_status status);

/* "PATH: DOING: strerror(code)", status EM_ENVIRONMENT; `path` may be NULL. */
EM_API em_status em_fail_errno(em_error *error, const char *path, const char *doing, int code);

/* Keeps in `into` the error with the smaller position; the one already there wins a tie. */
EM_API void em_error_merge(em_error *into, const em_error *from);

/* Exit status of a program that ends with `status`: 0 to 4. */
EM_API int em_status_exit(em_status status);

#endif
