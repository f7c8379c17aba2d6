/* publish - an output file appears whole or not at all.
 *
 * Regular targets are written to `.NAME.edgemill-XXXXXX` beside them (O_EXCL, locked), then synced and renamed;
 * devices, FIFOs and "-" are written straight through. A symbolic link is followed and its target replaced.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_IO_PUBLISH_H
#define EM_IO_PUBLISH_H

#include "scan/base/context.h"

typedef struct em_output em_output;

/* Checks folder and permission and creates the temporary file. Also removes a stale one that nobody has locked;
 * em_output_note then says so. The caller ends with em_output_commit or em_output_drop. */
EM_API em_status em_output_open(em_context *context, const char *path, em_output **output, em_error *error);
/* The same where `beside` (may be NULL) was opened before: if there was nothing stale in its folder then, it is not
 * searched again. So many outputs are opened in no time. */
EM_API em_status em_output_open_beside(em_context *context, const char *path, const em_output *beside,
                                       em_output **output, em_error *error);
EM_API const char *em_output_path(const em_output *output); /* as given, for messages */
EM_API const char *
em_output_temporary(const em_output *output); /* what to read back before publishing; NULL: written straight through */
EM_API const char *em_output_note(const em_output *output); /* NULL, or "removed a stale temporary file …" */
EM_API bool em_output_is_regular(const em_output *output);  /* em_output_write_at works */
/* Whether both end in one file, which would then hold one of the two. Devices may be written twice. */
EM_API bool em_output_is_same(const em_output *a, const em_output *b);

/* The file of this name beside the output goes when the output has its own name, unless it is another file by then or
 * is none now. EM_NO_MEMORY. Regular outputs only. */
em_status em_output_supersede(em_output *output, const char *name, em_error *error);

/* Appends. */
EM_API em_status em_output_write(em_output *output, const void *bytes, uint64_t n_bytes, em_error *error);
/* Writes at an offset; any thread, regular outputs only. */
EM_API em_status em_output_write_at(em_output *output, const void *bytes, uint64_t n_bytes, uint64_t offset,
                                    em_error *error);
/* Gives a regular output its final size before it is written at offsets. */
EM_API em_status em_output_resize(em_output *output, uint64_t n_bytes, em_error *error);
EM_API uint64_t em_output_n_bytes(const em_output *output); /* written or resized to so far */

/* Sync, rename, sync the folder. On failure the old file stays and the temporary is gone. Frees the output either way.
 */
EM_API em_status em_output_commit(em_output *output, em_error *error);
/* The same for n outputs of one context, named in order: a failure to sync one of them publishes none, and the last is
 * named when the names of the others are on disk. Frees all of them either way. */
EM_API em_status em_outputs_commit(em_output *const *outputs, uint32_t n, em_error *error);
EM_API void em_output_drop(em_output *output); /* removes the temporary, frees; NULL is fine */

/* For a signal handler: unlinks every temporary file of the process. Async-signal-safe. */
EM_API void em_outputs_unlink_all(void);

#endif
