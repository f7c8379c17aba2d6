/* publish_write - bytes into an output, all of them or an error.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/publish_parts.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

static const uint64_t MOST_AT_ONCE = UINT64_C(1) << 30; /* Linux cuts one write at 2 GiB - 4 KiB */

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
        return em_fail_errno(error, em_output_shown(output->path), "write", code);
    output->at += n_bytes;
    grow(output, output->at);
    return EM_OK;
}

em_status em_output_write_at(em_output *output, const void *bytes, uint64_t n_bytes, uint64_t offset, em_error *error)
{
    if (!output->regular)
        return em_fail(error, EM_USAGE, "%s: cannot be written at an offset", em_output_shown(output->path));
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
        return em_fail(error, EM_USAGE, "%s: cannot be resized", em_output_shown(output->path));
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
