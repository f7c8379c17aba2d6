/* peers - finds and loads what other libraries do.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/bench/bench.h"
#include "pipeline/companion.h"

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

static const char file_name[] = "edgemill-peers.so";

em_status bench_load_peers(bench *run, em_error *error)
{
    char path[sizeof run->peers_file] = "";
    if (run->peers_path) {
        /* A name without a slash would be looked for among the system's libraries. */
        const int n = snprintf(path, sizeof path, "%s%s", strchr(run->peers_path, '/') ? "" : "./", run->peers_path);
        if (n < 0 || (size_t)n >= sizeof path)
            return em_fail(error, EM_USAGE, "--peers: the name is too long");
    } else if (!em_find_companion(file_name, R_OK, path, sizeof path)) {
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

void *bench_find_peers(const bench *run, const char *symbol)
{
    return run->peers_handle ? dlsym(run->peers_handle, symbol) : NULL;
}
