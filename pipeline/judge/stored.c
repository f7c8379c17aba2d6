/* stored - a CSR in a file, .csr or .npz, or in several that a manifest lists, as arrays.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/judge/judge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

void stored_open(struct stored *stored, const char *path, int file)
{
    struct stat facts;
    *stored = (struct stored){.path = path};
    if (fstat(file, &facts) != 0)
        fail(EXIT_ENVIRONMENT, "%s: %s", path, strerror(errno));
    if (facts.st_size < 22)
        fail(EXIT_MALFORMED, "%s: too short for a .csr or .npz file", path);
    stored->mapped_bytes = (uint64_t)facts.st_size;
    stored->mapped = mmap(NULL, stored->mapped_bytes, PROT_READ, MAP_PRIVATE, file, 0);
    if (stored->mapped == MAP_FAILED)
        fail(EXIT_ENVIRONMENT, "%s: map: %s", path, strerror(errno));
    if (memcmp(stored->mapped, "EDGEMILL", 8) == 0)
        open_csr_file(stored, stored->mapped, stored->mapped_bytes);
    else if (memcmp(stored->mapped, "PK", 2) == 0)
        open_npz(stored, stored->mapped, stored->mapped_bytes);
    else if (is_manifest(stored->mapped, stored->mapped_bytes))
        open_manifest(stored, stored->mapped, stored->mapped_bytes);
    else
        fail(EXIT_MALFORMED, "%s: neither a .csr of edgemill nor an .npz, nor a list of shards", path);
}

void stored_close(struct stored *stored)
{
    for (uint32_t i = 0; i < stored->n_inflated; i++)
        free(stored->inflated[i]);
    if (stored->shards)
        close_shards(stored);
    munmap(stored->mapped, stored->mapped_bytes);
}

uint64_t stored_offset(const struct stored *stored, uint64_t vertex)
{
    return little_endian(stored->offsets + vertex * stored->offset_bytes, stored->offset_bytes);
}

uint64_t stored_target(const struct stored *stored, uint64_t arc)
{
    return little_endian(stored->targets + arc * stored->target_bytes, stored->target_bytes);
}

uint64_t stored_weight(const struct stored *stored, uint64_t arc)
{
    uint32_t n_bytes = weight_bytes(stored->kind);
    return n_bytes ? little_endian(stored->weights + arc * n_bytes, n_bytes) : 0;
}

void stored_check(const struct stored *stored, struct verdict *verdict)
{
    uint64_t n = stored->n_vertices, m = stored->n_arcs;
    if (!stored->is_coo) {
        if (stored_offset(stored, 0) != 0)
            differ(verdict, "%s: offsets[0] is %llu, not 0", stored->path,
                   (unsigned long long)stored_offset(stored, 0));
        if (stored_offset(stored, n) != m)
            differ(verdict, "%s: offsets[%llu] is %llu, not the number of arcs, %llu", stored->path,
                   (unsigned long long)n, (unsigned long long)stored_offset(stored, n), (unsigned long long)m);
        for (uint64_t v = 0; v < n; v++) {
            uint64_t begin = stored_offset(stored, v), end = stored_offset(stored, v + 1);
            if (begin > end)
                differ(verdict, "%s: offsets[%llu] is %llu, offsets[%llu] is %llu", stored->path, (unsigned long long)v,
                       (unsigned long long)begin, (unsigned long long)v + 1, (unsigned long long)end);
        }
    }
    for (uint64_t arc = 0; arc < m; arc++) {
        if (stored_target(stored, arc) >= n || (stored->is_coo && stored_offset(stored, arc) >= n))
            differ(verdict, "%s: arc %llu: an id is past the %llu vertices", stored->path, (unsigned long long)arc,
                   (unsigned long long)n);
    }
}
