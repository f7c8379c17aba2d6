/* csr_file - the header of a native file: laid out, read and checked. The layout is in csr_file.h; sections are
 * written by csr_file_write.c and checked by csr_file_open.c.
 *
 * Checksums: XXH3-64 (https://github.com/Cyan4973/xxHash), because it runs at the speed of memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/csr_file_parts.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>

static const char MAGIC[8] = {'E', 'D', 'G', 'E', 'M', 'I', 'L', 'L'};

bool em_csr_file_detect(const unsigned char *head, size_t n_bytes)
{
    return n_bytes >= sizeof MAGIC && memcmp(head, MAGIC, sizeof MAGIC) == 0;
}

const char *em_csr_file_section_name(int section)
{
    static const char *const names[] = {"offsets", "targets", "weights", "positions"};
    return names[section];
}

static uint64_t aligned(uint64_t at)
{
    return (at + EM_CSR_FILE_ALIGNMENT - 1) & ~(uint64_t)(EM_CSR_FILE_ALIGNMENT - 1);
}

bool em_csr_file_sizes(const em_csr_file_header *header, bool positions, uint64_t bytes[EM_CSR_FILE_SECTIONS])
{
    const uint64_t n = header->n_vertices, m = header->n_arcs, most = UINT64_C(1) << 59;
    if (n >= most || m >= most)
        return false;
    bytes[0] = (n + 1) * sizeof(uint64_t);
    bytes[1] = m * header->id_bytes;
    bytes[2] = m * em_weight_bytes(header->weight_kind);
    bytes[3] = positions ? m * sizeof(uint64_t) : 0;
    return true;
}

static void place(em_csr_file_header *header, bool positions, const uint64_t bytes[EM_CSR_FILE_SECTIONS])
{
    const bool there[] = {true, true, header->weight_kind != EM_WEIGHT_NONE, positions};
    uint64_t end = sizeof *header;
    for (int i = 0; i < EM_CSR_FILE_SECTIONS; i++) {
        header->at[i] = there[i] ? aligned(end) : 0;
        if (there[i])
            end = header->at[i] + bytes[i];
    }
    header->checksums_at = aligned(end);
    header->file_bytes = header->checksums_at + EM_CSR_FILE_SECTIONS * sizeof(uint64_t);
    header->header_checksum = XXH3_64bits(header, offsetof(em_csr_file_header, header_checksum));
}

/* Whether the rows lie within the graph, and only a shard says that it is one. */
static bool rows_fit(const em_csr_file_header *header)
{
    const uint64_t first = header->first_vertex, n = header->n_vertices, n_targets = header->n_targets;
    if (n_targets == 0)
        return first == 0;
    return n_targets < UINT64_C(1) << 59 && first <= n_targets && n <= n_targets - first && n < n_targets;
}

em_status em_csr_file_lay_out(const em_csr *csr, em_csr_file_header *header, em_error *error)
{
    const uint64_t n_targets = em_csr_n_targets(csr);
    const bool whole = em_csr_is_whole(csr);
    *header = (em_csr_file_header){
        .version = EM_CSR_FILE_VERSION,
        .id_bytes = csr->id_bytes,
        .weight_kind = csr->weight_kind,
        .offset_bytes = sizeof(uint64_t),
        .n_vertices = csr->n_vertices,
        .n_arcs = csr->n_arcs,
        .flags = csr->facts >> EM_CSR_FILE_FLAG_SHIFT & (whole ? EM_CSR_FILE_FLAGS : EM_CSR_FILE_SHARD_FLAGS),
        .first_vertex = csr->first_vertex,
        .n_targets = whole ? 0 : n_targets,
    };
    memcpy(header->magic, MAGIC, sizeof MAGIC);
    uint64_t bytes[EM_CSR_FILE_SECTIONS];
    const bool positions = csr->positions.at != NULL;
    if (csr->id_bytes != em_id_bytes(n_targets) || !rows_fit(header) || !em_csr_file_sizes(header, positions, bytes))
        return em_fail(error, EM_USAGE, "a graph of %llu vertices with ids of %u bytes is no graph of the native file",
                       (unsigned long long)n_targets, csr->id_bytes);
    place(header, positions, bytes);
    return EM_OK;
}

static em_status check_magic(const unsigned char *bytes, uint64_t n_bytes, const char *path, em_error *error)
{
    if (em_csr_file_detect(bytes, n_bytes))
        return EM_OK;
    char reversed[sizeof MAGIC];
    for (size_t i = 0; i < sizeof MAGIC; i++)
        reversed[i] = MAGIC[sizeof MAGIC - 1 - i];
    if (n_bytes >= sizeof MAGIC && memcmp(bytes, reversed, sizeof MAGIC) == 0)
        return em_fail(error, EM_MALFORMED,
                       "%s: the magic EDGEMILL is reversed: the file was written in the other byte order", path);
    if (n_bytes < sizeof MAGIC && memcmp(bytes, MAGIC, n_bytes) == 0)
        return em_fail(error, EM_MALFORMED, "%s: truncated: %llu bytes, shorter than a header of %d", path,
                       (unsigned long long)n_bytes, EM_CSR_FILE_HEADER_BYTES);
    return em_fail(error, EM_MALFORMED,
                   "%s: not an edgemill file: it does not begin with the magic EDGEMILL (Gunrock's .csr has no magic "
                   "and is another format)",
                   path);
}

/* What is placed must be where `place` would put it: one graph has one layout. */
static em_status check_layout(const em_csr_file_header *header, uint64_t n_bytes, const char *path, em_error *error)
{
    uint64_t bytes[EM_CSR_FILE_SECTIONS];
    const bool positions = header->at[3] != 0;
    const uint64_t flags = header->n_targets ? EM_CSR_FILE_SHARD_FLAGS : EM_CSR_FILE_FLAGS;
    if (!rows_fit(header))
        return em_fail(error, EM_MALFORMED,
                       "%s: the header makes no sense: %llu rows from vertex %llu on, of a graph of %llu", path,
                       (unsigned long long)header->n_vertices, (unsigned long long)header->first_vertex,
                       (unsigned long long)header->n_targets);
    if (header->id_bytes != em_id_bytes(em_csr_file_n_targets(header)) || header->offset_bytes != 8 ||
        header->weight_kind > EM_WEIGHT_F64 || header->flags & ~flags || header->zero ||
        !em_csr_file_sizes(header, positions, bytes))
        return em_fail(error, EM_MALFORMED, "%s: the header holds values that version %d does not know", path,
                       EM_CSR_FILE_VERSION);
    em_csr_file_header wanted = *header;
    memset(wanted.reserved, 0, sizeof wanted.reserved);
    place(&wanted, positions, bytes);
    if (memcmp(&wanted, header, sizeof wanted) != 0)
        return em_fail(error, EM_MALFORMED,
                       "%s: the header places sections where they cannot be, or fills what is reserved", path);
    if (n_bytes < header->file_bytes)
        return em_fail(error, EM_MALFORMED, "%s: truncated: %llu of %llu bytes are missing", path,
                       (unsigned long long)(header->file_bytes - n_bytes), (unsigned long long)header->file_bytes);
    if (n_bytes > header->file_bytes)
        return em_fail(error, EM_MALFORMED, "%s: %llu bytes too many behind the end at byte %llu", path,
                       (unsigned long long)(n_bytes - header->file_bytes), (unsigned long long)header->file_bytes);
    return EM_OK;
}

em_status em_csr_file_read_header(const unsigned char *bytes, uint64_t n_bytes, const char *path,
                                  em_csr_file_header *header, em_error *error)
{
    const em_status status = check_magic(bytes, n_bytes, path, error);
    if (status != EM_OK)
        return status;
    if (n_bytes >= 12) {
        uint32_t version;
        memcpy(&version, bytes + offsetof(em_csr_file_header, version), sizeof version);
        if (version != EM_CSR_FILE_VERSION)
            return em_fail(error, EM_MALFORMED, "%s: version %u of the native file; this program reads version %d",
                           path, version, EM_CSR_FILE_VERSION);
    }
    if (n_bytes < sizeof *header)
        return em_fail(error, EM_MALFORMED, "%s: truncated: %llu bytes, shorter than a header of %d", path,
                       (unsigned long long)n_bytes, EM_CSR_FILE_HEADER_BYTES);
    memcpy(header, bytes, sizeof *header);
    if (header->header_checksum != XXH3_64bits(header, offsetof(em_csr_file_header, header_checksum)))
        return em_fail(error, EM_MALFORMED, "%s: the checksum of the header does not match: the file is damaged", path);
    return check_layout(header, n_bytes, path, error);
}
