/* publish_commit - outputs get their names, several of them as one.
 *
 * What can fail for want of room or a broken disk is done first: every file is synced before the first one is renamed,
 * so that such a failure leaves all targets as they were. Files are synced side by side, since a disk answers many as
 * soon as one. Folders are synced twice at most: behind all names but the last, and behind the last, so that whoever
 * finds the last one finds the others, also after a power cut.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/publish_parts.h"
#include "scan/base/parallel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static int sync_file(int file)
{
    int answer;
    do
        answer = fsync(file);
    while (answer != 0 && errno == EINTR);
    return answer == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : errno; /* some file systems cannot sync */
}

/* Outputs that a team syncs. */
typedef struct syncing {
    em_output *const *outputs;
    uint32_t n, next; /* next: atomic */
} syncing;

static em_status sync_some(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    syncing *const all = state;
    (void)worker, (void)n_workers;
    for (uint32_t i; (i = __atomic_fetch_add(&all->next, 1, __ATOMIC_RELAXED)) < all->n;) {
        const em_output *const output = all->outputs[i];
        const int code = output->regular ? sync_file(output->file) : 0;
        if (code != 0)
            return em_fail_errno(error, output->path, "sync", code);
    }
    return EM_OK;
}

static em_status give_name(em_output *output, em_error *error)
{
    if (!output->regular) {
        const int file = output->file; /* what a device held back may fail only now */
        output->file = -1;
        return close(file) != 0 && errno != EINTR ? em_fail_errno(error, em_output_shown(output->path), "close", errno)
                                                  : EM_OK;
    }
    if (renameat(output->folder, output->temporary_name, output->folder, output->target_name) != 0)
        return em_fail_errno(error, output->path, "rename", errno);
    output->temporary_name = NULL;
    return EM_OK;
}

static bool share_folder(const em_output *a, const em_output *b)
{
    struct stat left, right;
    return a->regular && b->regular && fstat(a->folder, &left) == 0 && fstat(b->folder, &right) == 0 &&
           em_same_file(&left, &right);
}

/* The folders of n outputs, each once for neighbours that share it. */
static em_status sync_folders(em_output *const *outputs, uint32_t n, em_error *error)
{
    for (uint32_t i = 0; i < n; i++) {
        const em_output *const output = outputs[i];
        if (!output->can_sync_folder || (i + 1 < n && share_folder(output, outputs[i + 1])))
            continue;
        const int code = sync_file(output->folder);
        if (code != 0)
            return em_fail_errno(error, output->path, "sync the folder", code);
    }
    return EM_OK;
}

/* What the output supersedes goes, if it is still the same file. */
static em_status remove_superseded(const em_output *output, em_error *error)
{
    em_status status = EM_OK;
    for (const em_superseded *one = output->superseded; one; one = one->next) {
        struct stat now;
        if (fstatat(output->folder, one->name, &now, AT_SYMLINK_NOFOLLOW) != 0 || !em_same_file(&now, &one->facts) ||
            now.st_mtim.tv_sec != one->facts.st_mtim.tv_sec || now.st_mtim.tv_nsec != one->facts.st_mtim.tv_nsec)
            continue;
        if (unlinkat(output->folder, one->name, 0) != 0 && errno != ENOENT && status == EM_OK)
            status = em_fail(error, EM_ENVIRONMENT, "%s is written, but %s, which it supersedes, cannot be removed: %s",
                             output->path, one->name, strerror(errno));
    }
    return status;
}

em_status em_outputs_commit(em_output *const *outputs, uint32_t n, em_error *error)
{
    if (n == 0)
        return EM_OK;
    syncing all = {.outputs = outputs, .n = n};
    em_status status = em_parallel(outputs[0]->context, n > 1 ? 0 : 1, sync_some, &all, error);
    for (uint32_t i = 0; i < n && status == EM_OK; i++) {
        if (i + 1 == n)
            status = sync_folders(outputs, i, error);
        if (status == EM_OK)
            status = give_name(outputs[i], error);
    }
    if (status == EM_OK)
        status = sync_folders(outputs + n - 1, 1, error);
    const bool published = status == EM_OK;
    for (uint32_t i = 0; i < n && published; i++) {
        const em_status removed = remove_superseded(outputs[i], status == EM_OK ? error : NULL);
        status = status == EM_OK ? removed : status;
    }
    for (uint32_t i = 0; i < n; i++)
        em_output_finish(outputs[i]);
    return status;
}

em_status em_output_commit(em_output *output, em_error *error)
{
    return em_outputs_commit(&output, 1, error);
}
