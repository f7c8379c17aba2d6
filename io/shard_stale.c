/* shard_stale - see shard_stale.h.
 *
 * Whoever partitions into fewer parts than before would leave shards that nobody lists, and that look as if they
 * belonged to the new ones. They may go only where there is no doubt: the manifest that is replaced names them, they
 * are called as shards of this output are, and they are what that manifest says they are.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/shard_stale.h"
#include "io/npz.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Whether `file` is called as shards are, and is none of those written now. */
static bool is_other_shard(const em_shard_names *names, const char *file)
{
    char fresh[NAME_MAX + 1];
    if (strncmp(file, names->stem, (size_t)names->stem_bytes) != 0 || file[names->stem_bytes] != '.')
        return false;
    const char *const digits = file + names->stem_bytes + 1;
    const size_t n_digits = strspn(digits, "0123456789");
    if (n_digits == 0 || n_digits > 8 || digits[n_digits] != '.')
        return false;
    const unsigned long number = strtoul(digits, NULL, 10);
    snprintf(fresh, sizeof fresh, "%.*s.%0*lu%s", names->stem_bytes, names->stem, names->digits, number, names->suffix);
    return number >= names->n || strcmp(file, fresh) != 0;
}

/* Whether the file at `path` is the shard that the manifest lists. */
static bool is_listed_shard(em_context *context, const em_shard_manifest *manifest, const em_shard *shard,
                            const char *path)
{
    struct stat facts;
    em_csr csr = {0};
    if (lstat(path, &facts) != 0 || !S_ISREG(facts.st_mode))
        return false;
    if (strcmp(manifest->format->name, "csr") == 0) {
        em_csr_file_header header;
        uint64_t checksums[EM_CSR_FILE_SECTIONS];
        if (!shard->has_checksums || em_csr_file_facts(context, path, &header, checksums, NULL) != EM_OK ||
            memcmp(checksums, shard->checksums, sizeof checksums) != 0)
            return false;
        csr = (em_csr){.n_vertices = header.n_vertices,
                       .n_arcs = header.n_arcs,
                       .first_vertex = header.first_vertex,
                       .n_targets = header.n_targets};
    } else if (strcmp(manifest->format->name, "npz") != 0 || em_npz_facts(context, path, &csr, NULL) != EM_OK) {
        return false;
    }
    return em_csr_n_targets(&csr) == manifest->n_vertices && csr.first_vertex == shard->first_vertex &&
           csr.n_vertices == shard->end_vertex - shard->first_vertex && csr.n_arcs == shard->n_arcs;
}

em_status em_shards_stale(em_context *context, const char *path, const em_shard_names *names,
                          em_status (*take)(void *state, const char *file, em_error *error), void *state,
                          em_error *error)
{
    em_shard_manifest manifest;
    struct stat facts;
    unsigned char head[64];
    char shard_path[PATH_MAX];
    em_error ignored = {0};
    const char *const slash = strrchr(path, '/');
    const int folder = slash ? (int)(slash - path) + 1 : 0;
    if (lstat(path, &facts) != 0 || !S_ISREG(facts.st_mode))
        return EM_OK;
    FILE *const file = fopen(path, "rb");
    const size_t n_bytes = file ? fread(head, 1, sizeof head, file) : 0;
    if (file)
        fclose(file);
    if (!em_shard_manifest_detect(head, n_bytes))
        return EM_OK;
    em_status status = em_shard_manifest_open(context, path, &manifest, &ignored);
    if (status != EM_OK) /* it is no manifest of ours: what it lists is not known */
        return status == EM_NO_MEMORY ? em_fail(error, status, "%s", ignored.message) : EM_OK;
    for (uint64_t i = 0; i < manifest.n_shards && status == EM_OK; i++) {
        const em_shard *const shard = &manifest.shards[i];
        if (is_other_shard(names, shard->file) &&
            snprintf(shard_path, sizeof shard_path, "%.*s%s", folder, path, shard->file) < PATH_MAX &&
            is_listed_shard(context, &manifest, shard, shard_path))
            status = take(state, shard->file, error);
    }
    em_shard_manifest_free(&manifest);
    return status;
}
