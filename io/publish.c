/* publish - see publish.h.
 *
 * The new file is made under a name nobody can foresee, in the folder of the target, so that the rename that publishes
 * it is atomic (POSIX rename(2)); the folder is synced after it, so that the name survives a power cut, too. The lock
 * tells a living writer from one that was killed: the system drops it with the process, whatever ended it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/publish.h"
#include "io/temporaries.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
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
static const uint64_t MOST_AT_ONCE = UINT64_C(1) << 30; /* Linux cuts one write at 2 GiB - 4 KiB */

struct em_output {
    em_context *context;
    int file, folder; /* folder: -1 where written straight through */
    int slot;         /* in the table; -1: none */
    bool regular, can_sync_folder;
    uint64_t at, n_bytes;                     /* n_bytes: atomic */
    char *path, *target, *temporary, *note;   /* of the allocator, each as long as it is; NULL: none */
    const char *target_name, *temporary_name; /* behind the last slash */
};

/* --- opening -------------------------------------------------------------------------------------- */

static const char *shown(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard output" : path;
}

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

static void free_text(em_output *output, char *text)
{
    em_free(output->context, text, text ? strlen(text) + 1 : 0);
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

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
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
    for (const struct dirent *entry; (entry = readdir(entries));) {
        if (strncmp(entry->d_name, prefix, length) != 0 || strlen(entry->d_name) != length + RANDOM_LETTERS)
            continue;
        const int file = openat(output->folder, entry->d_name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (file < 0)
            continue;
        struct stat opened, named;
        if (flock(file, LOCK_EX | LOCK_NB) == 0 && fstat(file, &opened) == 0 && S_ISREG(opened.st_mode) &&
            fstatat(output->folder, entry->d_name, &named, AT_SYMLINK_NOFOLLOW) == 0 && same_file(&opened, &named) &&
            unlinkat(output->folder, entry->d_name, 0) == 0) {
            char note[PATH_MAX + NAME_MAX + 64];
            snprintf(note, sizeof note, "removed a stale temporary file %.*s%s",
                     (int)(output->target_name - output->target), output->target, entry->d_name);
            free_text(output, output->note);
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

static em_status open_regular(em_output *output, const struct stat *replaced, em_error *error)
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
    remove_stale(output, prefix);
    status = create_temporary(output, prefix, error);
    if (status != EM_OK)
        return status;
    output->regular = true;
    if (replaced && fchmod(output->file, replaced->st_mode & 07777) != 0)
        return em_fail_errno(error, output->path, "set the mode", errno);
    return EM_OK;
}

static em_status open_any(em_output *output, em_error *error)
{
    if (strcmp(output->path, "-") == 0) {
        output->file = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
        return output->file < 0 ? em_fail_errno(error, "standard output", "open", errno) : EM_OK;
    }
    struct stat there;
    if (stat(output->path, &there) != 0) {
        if (errno != ENOENT)
            return em_fail_errno(error, output->path, "create", errno);
        return open_regular(output, NULL, error);
    }
    if (S_ISREG(there.st_mode))
        return open_regular(output, &there, error);
    output->file = open(output->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    return output->file < 0 ? em_fail_errno(error, output->path, "open for writing", errno) : EM_OK;
}

em_status em_output_open(em_context *context, const char *path, em_output **output, em_error *error)
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
        status = open_any(made, error);
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
        !same_file(&left, &right))
        return false;
    if (a->regular)
        return strcmp(a->target_name, b->target_name) == 0;
    return !S_ISCHR(left.st_mode) || (strcmp(a->path, "-") == 0 && strcmp(b->path, "-") == 0);
}

/* --- writing -------------------------------------------------------------------------------------- */

/* A pipe whose reader is gone raises SIGPIPE, which ends the process before it can clean up. The calling thread holds
 * the signal back and takes it off again if this write raised it, so that EPIPE is an error like any other. */
typedef struct pipe_guard {
    sigset_t before;
    bool was_pending;
} pipe_guard;

static void guard_begin(pipe_guard *guard)
{
    sigset_t pending, broken;
    sigpending(&pending);
    guard->was_pending = sigismember(&pending, SIGPIPE) == 1;
    sigemptyset(&broken);
    sigaddset(&broken, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken, &guard->before);
}

static void guard_end(const pipe_guard *guard, bool raised)
{
    if (raised && !guard->was_pending) {
        sigset_t broken;
        sigemptyset(&broken);
        sigaddset(&broken, SIGPIPE);
        const struct timespec at_once = {0, 0};
        while (sigtimedwait(&broken, NULL, &at_once) < 0 && errno == EINTR)
            ;
    }
    pthread_sigmask(SIG_SETMASK, &guard->before, NULL);
}

/* Writes all of it, in as many calls as the system makes of it; 0 or errno. offset < 0: where the file stands. */
static int write_all(int file, const char *bytes, uint64_t n_bytes, int64_t offset)
{
    while (n_bytes > 0) {
        const size_t portion = (size_t)(n_bytes < MOST_AT_ONCE ? n_bytes : MOST_AT_ONCE);
        const ssize_t written = offset < 0 ? write(file, bytes, portion) : pwrite(file, bytes, portion, offset);
        if (written < 0 && errno == EAGAIN) {
            struct pollfd ready = {.fd = file, .events = POLLOUT};
            poll(&ready, 1, -1);
            continue;
        }
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return errno;
        if (written == 0)
            return ENOSPC;
        bytes += written;
        n_bytes -= (uint64_t)written;
        offset += offset < 0 ? 0 : written;
    }
    return 0;
}

static void grow(em_output *output, uint64_t end)
{
    uint64_t known = __atomic_load_n(&output->n_bytes, __ATOMIC_RELAXED);
    while (known < end &&
           !__atomic_compare_exchange_n(&output->n_bytes, &known, end, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

em_status em_output_write(em_output *output, const void *bytes, uint64_t n_bytes, em_error *error)
{
    int code;
    if (output->regular) {
        code = write_all(output->file, bytes, n_bytes, (int64_t)output->at);
    } else {
        pipe_guard guard;
        guard_begin(&guard);
        code = write_all(output->file, bytes, n_bytes, -1);
        guard_end(&guard, code == EPIPE);
    }
    if (code != 0)
        return em_fail_errno(error, shown(output->path), "write", code);
    output->at += n_bytes;
    grow(output, output->at);
    return EM_OK;
}

em_status em_output_write_at(em_output *output, const void *bytes, uint64_t n_bytes, uint64_t offset, em_error *error)
{
    if (!output->regular)
        return em_fail(error, EM_USAGE, "%s: cannot be written at an offset", shown(output->path));
    if (offset > INT64_MAX || n_bytes > INT64_MAX - offset)
        return em_fail_errno(error, output->path, "write", EFBIG);
    const int code = write_all(output->file, bytes, n_bytes, (int64_t)offset);
    if (code != 0)
        return em_fail_errno(error, output->path, "write", code);
    grow(output, offset + n_bytes);
    return EM_OK;
}

em_status em_output_resize(em_output *output, uint64_t n_bytes, em_error *error)
{
    if (!output->regular)
        return em_fail(error, EM_USAGE, "%s: cannot be resized", shown(output->path));
    if (n_bytes > INT64_MAX)
        return em_fail_errno(error, output->path, "resize", EFBIG);
    int answer;
    do
        answer = ftruncate(output->file, (off_t)n_bytes);
    while (answer != 0 && errno == EINTR);
    if (answer != 0)
        return em_fail_errno(error, output->path, "resize", errno);
    __atomic_store_n(&output->n_bytes, n_bytes, __ATOMIC_RELAXED);
    return EM_OK;
}

uint64_t em_output_n_bytes(const em_output *output)
{
    return __atomic_load_n(&output->n_bytes, __ATOMIC_RELAXED);
}

/* --- the end -------------------------------------------------------------------------------------- */

static int sync_file(int file)
{
    int answer;
    do
        answer = fsync(file);
    while (answer != 0 && errno == EINTR);
    return answer == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : errno; /* some file systems cannot sync */
}

/* Frees all but what is published; the temporary goes if it is still there. */
static void finish(em_output *output)
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
    free_text(output, output->path);
    free_text(output, output->target);
    free_text(output, output->temporary);
    free_text(output, output->note);
    em_free(output->context, output, sizeof *output);
}

static em_status publish(em_output *output, em_error *error)
{
    int code = sync_file(output->file);
    if (code != 0)
        return em_fail_errno(error, output->path, "sync", code);
    if (renameat(output->folder, output->temporary_name, output->folder, output->target_name) != 0)
        return em_fail_errno(error, output->path, "rename", errno);
    output->temporary_name = NULL;
    code = output->can_sync_folder ? sync_file(output->folder) : 0;
    return code != 0 ? em_fail_errno(error, output->path, "sync the folder", code) : EM_OK;
}

em_status em_output_commit(em_output *output, em_error *error)
{
    em_status status = EM_OK;
    if (output->regular) {
        status = publish(output, error);
    } else {
        const int file = output->file; /* what a device held back may fail only now */
        output->file = -1;
        if (close(file) != 0 && errno != EINTR)
            status = em_fail_errno(error, shown(output->path), "close", errno);
    }
    finish(output);
    return status;
}

void em_output_drop(em_output *output)
{
    if (output)
        finish(output);
}
