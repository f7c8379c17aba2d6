/* outputs - usage-level checks of the outputs, before any input is opened.
 *
 * Two names are one file when they end at the same device and inode, or, where the file is not there yet, at the same
 * name in the same folder. Symbolic links are followed by hand because the last one may point at nothing.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/cli/cli.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where a path ends. */
typedef struct place {
    bool exists;
    struct stat file, folder; /* `folder` of a file that does not exist */
    char path[PATH_MAX];      /* links followed */
    char folder_path[PATH_MAX];
} place;

static const char *last_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void folder_of(const char *path, char *folder)
{
    const size_t length = (size_t)(last_name(path) - path);
    if (length == 0)
        memcpy(folder, ".", 2);
    else
        snprintf(folder, PATH_MAX, "%.*s", length == 1 ? 1 : (int)length - 1, path);
}

/* Follows the last component as long as it is a symbolic link. */
static bool follow(place *at)
{
    for (int links = 0; links < 40; links++) {
        char target[PATH_MAX], joined[2 * PATH_MAX];
        const ssize_t length = readlink(at->path, target, sizeof target - 1);
        if (length < 0)
            return true;
        target[length] = 0;
        folder_of(at->path, at->folder_path);
        const int n = snprintf(joined, sizeof joined, "%s%s%s", target[0] == '/' ? "" : at->folder_path,
                               target[0] == '/' ? "" : "/", target);
        if (n >= PATH_MAX)
            break;
        memcpy(at->path, joined, (size_t)n + 1);
    }
    errno = ELOOP;
    return false;
}

/* Fills `at`; false with errno where not even the folder is there. */
static bool locate(const char *path, place *at)
{
    *at = (place){0};
    if (strcmp(path, "-") == 0) {
        at->exists = fstat(STDOUT_FILENO, &at->file) == 0;
        memcpy(at->path, "-", 2);
        return true;
    }
    if (strlen(path) >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(at->path, path, strlen(path) + 1);
    if (!follow(at))
        return false;
    folder_of(at->path, at->folder_path);
    at->exists = stat(at->path, &at->file) == 0;
    return at->exists || stat(at->folder_path, &at->folder) == 0;
}

static bool same_inode(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool one_file(const place *a, const place *b)
{
    if (a->exists != b->exists)
        return false;
    if (a->exists) /* a device may be written twice, standard output may not */
        return same_inode(&a->file, &b->file) &&
               (!S_ISCHR(a->file.st_mode) || (strcmp(a->path, "-") == 0 && strcmp(b->path, "-") == 0));
    return same_inode(&a->folder, &b->folder) && strcmp(last_name(a->path), last_name(b->path)) == 0;
}

static em_status check_inputs(const char *output, const place *at, const em_cli_inputs *inputs, em_error *error)
{
    if (!at->exists || S_ISCHR(at->file.st_mode))
        return EM_OK;
    const char *const input = em_cli_inputs_find(inputs, &at->file);
    return input ? em_fail(error, EM_USAGE, "%s: the output is also the input %s",
                           strcmp(output, "-") == 0 ? "standard output" : output, input)
                 : EM_OK;
}

static em_status refuse_one_file(const char *one, const char *other, em_error *error)
{
    return em_fail(error, EM_USAGE, "%s and %s are one file, and both are outputs", one, other);
}

static em_status refuse_folder(const char *output, const place *at, int code, em_error *error)
{
    return em_fail(error, EM_ENVIRONMENT, "%s: cannot write in the folder %s: %s", output,
                   at->folder_path[0] ? at->folder_path : output, strerror(code));
}

static em_status check_writable(const char *output, const place *at, em_error *error)
{
    if (strcmp(output, "-") == 0)
        return at->exists ? EM_OK : em_fail_errno(error, "standard output", "is closed", EBADF);
    if (!*last_name(output) || (at->exists && S_ISDIR(at->file.st_mode)))
        return em_fail_errno(error, output, "cannot be written", EISDIR);
    if (at->exists && !S_ISREG(at->file.st_mode))
        return access(at->path, W_OK) == 0 ? EM_OK : em_fail_errno(error, output, "cannot be written", errno);
    if (access(at->folder_path, W_OK | X_OK) != 0)
        return refuse_folder(output, at, errno, error);
    return EM_OK;
}

em_status em_cli_check_shard(const em_cli_inputs *inputs, const char *const *outputs, int n_outputs, const char *shard,
                             em_error *error)
{
    place at, other;
    if (!locate(shard, &at))
        return refuse_folder(shard, &at, errno, error);
    em_status status = check_inputs(shard, &at, inputs, error);
    for (int i = 0; i < n_outputs && status == EM_OK; i++)
        if (locate(outputs[i], &other) && one_file(&at, &other))
            status = refuse_one_file(outputs[i], shard, error);
    return status == EM_OK ? check_writable(shard, &at, error) : status;
}

em_status em_cli_check_outputs(const em_cli_inputs *inputs, const char *const *outputs, int n_outputs, em_error *error)
{
    place *const at = calloc((size_t)n_outputs + 1, sizeof *at); /* some 8 KiB each */
    int *const failed = calloc((size_t)n_outputs + 1, sizeof *failed);
    em_status status = EM_OK;
    if (!at || !failed) {
        status = em_fail(error, EM_NO_MEMORY, "out of memory for %d names", n_outputs);
        goto done;
    }
    for (int i = 0; i < n_outputs && status == EM_OK; i++)
        failed[i] = locate(outputs[i], &at[i]) ? 0 : errno;
    for (int i = 0; i < n_outputs && status == EM_OK; i++) {
        if (failed[i])
            continue;
        status = check_inputs(outputs[i], &at[i], inputs, error);
        for (int j = 0; j < i && status == EM_OK; j++)
            if (!failed[j] && one_file(&at[i], &at[j]))
                status = refuse_one_file(outputs[j], outputs[i], error);
    }
    for (int i = 0; i < n_outputs && status == EM_OK; i++) {
        if (failed[i])
            status = refuse_folder(outputs[i], &at[i], failed[i], error);
        else
            status = check_writable(outputs[i], &at[i], error);
    }
done:
    free(at);
    free(failed);
    return status;
}
