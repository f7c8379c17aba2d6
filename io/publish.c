/* publish - see publish.h.
 *
 * The new file is made under a name nobody can foresee, in the folder of the target, so that the rename that publishes
 * it is atomic (POSIX rename(2)); the folder is synced after it, so that the name survives a power cut, too. The lock
 * tells a living writer from one that was killed: the system drops it with the process, whatever ended it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/publish_parts.h"
#include "io/temporaries.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { RANDOM_LETTERS = 6, MOST_LINKS = 40 };
static const char MIDDLE[] = ".edgemill-";

/* --- opening -------------------------------------------------------------------------------------- */

static const char *last_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static em_status keep_text(em_output *output, const char *text, char **kept, em_error *error)
{
    const size_t n_bytes = strlen(text) + 1;
    void *memory;
    const em_status status = em_allocate(output->context, n_bytes, &memory, error);
    if (status == EM_OK)
        *kept = memcpy(memory, text, n_bytes);
    return status;
}

/* target := path with symbolic links of its last name followed, whether or not the end exists. */
static em_status follow_links(em_output *output, em_error *error)
{
    char link[PATH_MAX], target[PATH_MAX];
    memcpy(target, output->path, strlen(output->path) + 1);
    for (int i = 0; i < MOST_LINKS; i++) {
        const ssize_t length = readlink(target, link, sizeof link - 1);
        if (length < 0) /* no link: a file, or nothing yet */
            return keep_text(output, target, &output->target, error);
        link[length] = '\0';
        const size_t folder = link[0] == '/' ? 0 : (size_t)(last_name(target) - target);
        if (folder + (size_t)length >= sizeof target)
            return em_fail_errno(error, output->path, "open", ENAMETOOLONG);
        memcpy(target + folder, link, (size_t)length + 1);
    }
    return em_fail_errno(error, output->path, "open", ELOOP);
}

static em_status open_folder(em_output *output, em_error *error)
{
    char folder[PATH_MAX];
    const size_t length = (size_t)(output->target_name - output->target);
    memcpy(folder, output->target, length);
    memcpy(folder + length, ".", 2);
    output->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    output->can_sync_folder = output->folder >= 0;
    if (output->folder < 0 && errno == EACCES) /* a folder may be writable and yet not be read */
        output->folder = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (output->folder < 0)
        return em_fail_errno(error, output->path, "create", errno);
    return EM_OK;
}

/* Whether it is the temporary file of another target, left by a writer that was killed. */
static bool is_stale(const em_output *output, const char *name)
{
    const size_t n = strlen(name), tail = sizeof MIDDLE - 1 + RANDOM_LETTERS;
    if (n <= tail || name[0] != '.' || strncmp(name + n - tail, MIDDLE, sizeof MIDDLE - 1) != 0)
        return false;
    const int file = openat(output->folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    const bool stale = file >= 0 && flock(file, LOCK_SH | LOCK_NB) == 0;
    if (file >= 0)
        close(file);
    return stale;
}

/* Removes temporaries of the same target that no living writer holds. Failing to is no error: they only take room. */
static void remove_stale(em_output *output, const char *prefix)
{
    const int copy = output->can_sync_folder ? openat(output->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    DIR *entries = copy >= 0 ? fdopendir(copy) : NULL;
    if (!entries) {
        if (copy >= 0)
            close(copy);
        return;
    }
    const size_t length = strlen(prefix);
    output->folder_is_clean = true;
    for (const struct dirent *entry; (entry = readdir(entries));) {
        if (strncmp(entry->d_name, prefix, length) != 0 || strlen(entry->d_name) != length + RANDOM_LETTERS) {
            output->folder_is_clean &= !is_stale(output, entry->d_name);
            continue;
        }
        const int file = openat(output->folder, entry->d_name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (file < 0)
            continue;
        struct stat opened, named;
        if (flock(file, LOCK_EX | LOCK_NB) == 0 && fstat(file, &opened) == 0 && S_ISREG(opened.st_mode) &&
            fstatat(output->folder, entry->d_name, &named, AT_SYMLINK_NOFOLLOW) == 0 && em_same_file(&opened, &named) &&
            unlinkat(output->folder, entry->d_name, 0) == 0) {
            char note[PATH_MAX + NAME_MAX + 64];
            snprintf(note, sizeof note, "removed a stale temporary file %.*s%s",
                     (int)(output->target_name - output->target), output->target, entry->d_name);
            em_output_free_text(output, output->note);
            output->note = NULL;
            keep_text(output, note, &output->note, NULL);
        }
        close(file);
    }
    closedir(entries);
}

static void random_letters(char *into)
{
    static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_=";
    unsigned char noise[RANDOM_LETTERS];
    if (getrandom(noise, sizeof noise, 0) != (ssize_t)sizeof noise) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        uint64_t mixed = ((uint64_t)now.tv_nsec ^ (uint64_t)getpid() << 32) * UINT64_C(0x9E3779B97F4A7C15);
        memcpy(noise, (const char *)&mixed + 2, sizeof noise);
    }
    for (int i = 0; i < RANDOM_LETTERS; i++)
        into[i] = letters[noise[i] & 63];
    into[RANDOM_LETTERS] = '\0';
}

/* Creates and locks. Between the two another writer may take the file for stale and remove it; then again. */
static em_status create_temporary(em_output *output, const char *prefix, em_error *error)
{
    char name[PATH_MAX];
    const int folder = (int)(output->target_name - output->target);
    const int length = snprintf(name, sizeof name, "%.*s%s%*s", folder, output->target, prefix, RANDOM_LETTERS, "");
    if (length < 0 || (size_t)length >= sizeof name)
        return em_fail_errno(error, output->path, "create", ENAMETOOLONG);
    const em_status status = keep_text(output, name, &output->temporary, error);
    if (status != EM_OK)
        return status;
    char *const letters = output->temporary + length - RANDOM_LETTERS;
    for (int i = 0; i < 100; i++) {
        random_letters(letters);
        output->temporary_name = output->temporary + folder;
        output->slot = em_temporary_claim(output->temporary);
        if (output->slot < 0)
            return em_fail(error, EM_ENVIRONMENT, "%s: create: more than %d outputs are open", output->path,
                           EM_TEMPORARIES);
        output->file =
            openat(output->folder, output->temporary_name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        const int code = output->file < 0 ? errno : 0;
        if (code == 0) {
            struct stat file;
            if (flock(output->file, LOCK_EX) == 0 && fstat(output->file, &file) == 0 && file.st_nlink > 0)
                return EM_OK;
            unlinkat(output->folder, output->temporary_name, 0);
            close(output->file);
            output->file = -1;
        }
        em_temporary_release(output->slot);
        output->slot = -1;
        if (code != 0 && code != EEXIST && code != EINTR)
            return em_fail_errno(error, output->path, "create", code);
    }
    return em_fail_errno(error, output->path, "create", EEXIST);
}

static bool same_folder(const em_output *a, const em_output *b)
{
    struct stat left, right;
    return fstat(a->folder, &left) == 0 && fstat(b->folder, &right) == 0 && em_same_file(&left, &right);
}

static em_status open_regular(em_output *output, const em_output *beside, const struct stat *replaced, em_error *error)
{
    em_status status = follow_links(output, error);
    if (status != EM_OK)
        return status;
    output->target_name = last_name(output->target);
    if (*output->target_name == '\0')
        return em_fail_errno(error, output->path, "create", EISDIR);
    /* A file that may not be written is not replaced either, although its folder would allow it. */
    if (replaced && access(output->target, W_OK) != 0)
        return em_fail_errno(error, output->path, "open for writing", errno);
    status = open_folder(output, error);
    if (status != EM_OK)
        return status;
    char prefix[NAME_MAX + 1];
    const int room = NAME_MAX - 1 - (int)(sizeof MIDDLE - 1) - RANDOM_LETTERS;
    if (strlen(output->target_name) > NAME_MAX)
        return em_fail_errno(error, output->path, "create", ENAMETOOLONG);
    snprintf(prefix, sizeof prefix, ".%.*s%s", room, output->target_name, MIDDLE);
    output->folder_is_clean = beside && beside->folder_is_clean && same_folder(output, beside);
    if (!output->folder_is_clean)
        remove_stale(output, prefix);
    status = create_temporary(output, prefix, error);
    if (status != EM_OK)
        return status;
    output->regular = true;
    if (replaced && fchmod(output->file, replaced->st_mode & 07777) != 0)
        return em_fail_errno(error, output->path, "set the mode", errno);
    return EM_OK;
}

static em_status open_any(em_output *output, const em_output *beside, em_error *error)
{
    if (strcmp(output->path, "-") == 0) {
        output->file = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
        return output->file < 0 ? em_fail_errno(error, "standard output", "open", errno) : EM_OK;
    }
    struct stat there;
    if (stat(output->path, &there) != 0) {
        if (errno != ENOENT)
            return em_fail_errno(error, output->path, "create", errno);
        return open_regular(output, beside, NULL, error);
    }
    if (S_ISREG(there.st_mode))
        return open_regular(output, beside, &there, error);
    output->file = open(output->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    return output->file < 0 ? em_fail_errno(error, output->path, "open for writing", errno) : EM_OK;
}

em_status em_output_open(em_context *context, const char *path, em_output **output, em_error *error)
{
    return em_output_open_beside(context, path, NULL, output, error);
}

em_status em_output_open_beside(em_context *context, const char *path, const em_output *beside, em_output **output,
                                em_error *error)
{
    *output = NULL;
    const size_t length = strlen(path);
    if (length == 0)
        return em_fail(error, EM_USAGE, "the output has no name");
    if (length >= PATH_MAX)
        return em_fail_errno(error, path, "create", ENAMETOOLONG);
    void *memory;
    em_status status = em_allocate_zeroed(context, sizeof **output, &memory, error);
    if (status != EM_OK)
        return status;
    em_output *made = memory;
    made->context = context;
    made->file = made->folder = made->slot = -1;
    status = keep_text(made, path, &made->path, error);
    if (status == EM_OK)
        status = open_any(made, beside, error);
    if (status != EM_OK)
        em_output_drop(made);
    else
        *output = made;
    return status;
}

const char *em_output_path(const em_output *output)
{
    return output->path;
}

const char *em_output_temporary(const em_output *output)
{
    return output->regular ? output->temporary : NULL;
}

const char *em_output_note(const em_output *output)
{
    return output->note;
}

bool em_output_is_regular(const em_output *output)
{
    return output->regular;
}

bool em_output_is_same(const em_output *a, const em_output *b)
{
    struct stat left, right;
    const int left_handle = a->regular ? a->folder : a->file, right_handle = b->regular ? b->folder : b->file;
    if (a->regular != b->regular || fstat(left_handle, &left) != 0 || fstat(right_handle, &right) != 0 ||
        !em_same_file(&left, &right))
        return false;
    if (a->regular)
        return strcmp(a->target_name, b->target_name) == 0;
    return !S_ISCHR(left.st_mode) || (strcmp(a->path, "-") == 0 && strcmp(b->path, "-") == 0);
}

em_status em_output_supersede(em_output *output, const char *name, em_error *error)
{
    struct stat facts;
    void *memory;
    if (!output->regular || strlen(name) > NAME_MAX || strchr(name, '/') ||
        fstatat(output->folder, name, &facts, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(facts.st_mode))
        return EM_OK;
    const em_status status = em_allocate(output->context, sizeof(em_superseded), &memory, error);
    if (status != EM_OK)
        return status;
    em_superseded *const one = memory;
    *one = (em_superseded){.next = output->superseded, .facts = facts};
    memcpy(one->name, name, strlen(name) + 1);
    output->superseded = one;
    return EM_OK;
}

/* --- the end -------------------------------------------------------------------------------------- */

/* Frees all but what is published; the temporary goes if it is still there. */
void em_output_finish(em_output *output)
{
    if (output->slot >= 0) {
        if (output->temporary_name)
            unlinkat(output->folder, output->temporary_name, 0);
        em_temporary_release(output->slot);
    }
    if (output->file >= 0)
        close(output->file); /* after the unlink: the lock is held until the name is gone */
    if (output->folder >= 0)
        close(output->folder);
    em_output_free_text(output, output->path);
    em_output_free_text(output, output->target);
    em_output_free_text(output, output->temporary);
    em_output_free_text(output, output->note);
    for (em_superseded *one = output->superseded, *next; one; one = next) {
        next = one->next;
        em_free(output->context, one, sizeof *one);
    }
    em_free(output->context, output, sizeof *output);
}

void em_output_drop(em_output *output)
{
    if (output)
        em_output_finish(output);
}
