/* publish_parts - what the files of publish share; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_IO_PUBLISH_PARTS_H
#define EM_IO_PUBLISH_PARTS_H

#include "io/publish.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>

/* A file that goes when the output is published. */
typedef struct em_superseded {
    struct em_superseded *next;
    struct stat facts; /* when it was named */
    char name[NAME_MAX + 1];
} em_superseded;

struct em_output {
    em_context *context;
    int file, folder;                               /* folder: -1 where written straight through */
    int slot;                                       /* in the table; -1: none */
    bool regular, can_sync_folder, folder_is_clean; /* clean: nothing of a killed writer, whatever its name */
    uint64_t at, n_bytes;                           /* n_bytes: atomic */
    char *path, *target, *temporary, *note;         /* of the allocator, each as long as it is; NULL: none */
    const char *target_name, *temporary_name;       /* behind the last slash */
    em_superseded *superseded;
};

static inline const char *em_output_shown(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard output" : path;
}

static inline bool em_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static inline void em_output_free_text(em_output *output, char *text)
{
    em_free(output->context, text, text ? strlen(text) + 1 : 0);
}

/* Frees all but what is published; the temporary goes if it is still there. */
void em_output_finish(em_output *output);

#endif
