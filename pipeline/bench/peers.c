/* peers - finds and loads the scans of other libraries.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/bench/bench.h"

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#ifndef EM_LIBEXECDIR
#define EM_LIBEXECDIR "/usr/local/libexec/edgemill"
#endif

static const char file_name[] = "edgemill-peers.so";

static bool is_there(const char *path, size_t n_bytes, int n_written)
{
    return n_written > 0 && (size_t)n_written < n_bytes && access(path, R_OK) == 0;
}

/* Beside the running program, in ../libexec/edgemill from there, or in libexec as it was named at compile time. */
static bool find(char *path, size_t n_bytes)
{
    char program[4096];
    const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    if (n > 0) {
        program[n] = '\0';
        char *const slash = strrchr(program, '/');
        if (slash)
            *slash = '\0';
        if (is_there(path, n_bytes, snprintf(path, n_bytes, "%s/%s", program, file_name)) ||
            is_there(path, n_bytes, snprintf(path, n_bytes, "%s/../libexec/edgemill/%s", program, file_name)))
            return true;
    }
    return is_there(path, n_bytes, snprintf(path, n_bytes, "%s/%s", EM_LIBEXECDIR, file_name));
}

em_status bench_load_peers(bench *run, em_error *error)
{
    char path[sizeof run->peers_file] = "";
    if (run->peers_path) {
        /* A name without a slash would be looked for among the system's libraries. */
        const int n = snprintf(path, sizeof path, "%s%s", strchr(run->peers_path, '/') ? "" : "./", run->peers_path);
        if (n < 0 || (size_t)n >= sizeof path)
            return em_fail(error, EM_USAGE, "--peers: the name is too long");
    } else if (!find(path, sizeof path)) {
        return EM_OK;
    }
    /* Never unloaded: the threads of TBB live as long as the program. */
    run->peers_handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!run->peers_handle)
        return em_fail(error, EM_ENVIRONMENT, "the peers cannot be loaded: %s", dlerror());
    em_peers_entry *entry;
    *(void **)&entry = dlsym(run->peers_handle, EM_PEERS_SYMBOL); /* as POSIX says it */
    if (!entry)
        return em_fail(error, EM_ENVIRONMENT, "%s: holds no peers of edgemill", path);
    run->peers = entry(EM_PEERS_ABI, &run->n_peers);
    if (!run->peers)
        return em_fail(error, EM_ENVIRONMENT, "%s: is of another version; 'make bench' builds it anew", path);
    memcpy(run->peers_file, path, sizeof path);
    return EM_OK;
}
