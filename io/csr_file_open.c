/* csr_file_open - maps a native file and checks all of it before anyone uses it: one pass, by all threads.
 *
 * A worker takes the next 4 MiB block, hashes it, and looks at its offsets or targets while they are in cache.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/csr_file_parts.h"
#include "io/decoder.h"
#include "io/whole_file.h"
#include "scan/base/parallel.h"

#include <string.h>
#include <xxhash.h>

enum { POSITIONS = 3 };

typedef struct checking {
    const char *path;
    unsigned char *bytes;
    em_csr_file_header header;
    uint64_t section_bytes[EM_CSR_FILE_SECTIONS];
    uint64_t first_block[EM_CSR_FILE_SECTIONS + 1];
    uint64_t *hashes;
    uint64_t next; /* atomic */
} checking;

/* Index of the first id that is not below n, or n_ids. Chunks without a branch inside, so that they vectorize. */
static uint64_t first_beyond(const void *ids, uint8_t id_bytes, uint64_t n_ids, uint64_t n)
{
    if (id_bytes == 4 && n > UINT32_MAX)
        return n_ids;
    for (uint64_t begin = 0, end; begin < n_ids; begin = end) {
        end = n_ids - begin < 4096 ? n_ids : begin + 4096;
        bool beyond = false;
        if (id_bytes == 4)
            for (uint64_t i = begin; i < end; i++)
                beyond |= ((const uint32_t *)ids)[i] >= (uint32_t)n;
        else
            for (uint64_t i = begin; i < end; i++)
                beyond |= ((const uint64_t *)ids)[i] >= n;
        while (beyond && em_id_at(ids, id_bytes, begin) < n)
            begin++;
        if (beyond)
            return begin;
    }
    return n_ids;
}

static em_status check_targets(const checking *all, const unsigned char *block, uint64_t n_bytes, uint64_t begin,
                               em_error *error)
{
    const uint8_t id_bytes = all->header.id_bytes;
    const uint64_t n_ids = n_bytes / id_bytes, n_targets = em_csr_file_n_targets(&all->header),
                   found = first_beyond(block, id_bytes, n_ids, n_targets);
    if (found == n_ids)
        return EM_OK;
    return em_fail_at(error, EM_MALFORMED, all->header.at[1] + begin + found * id_bytes,
                      "%s: arc %llu has target %llu, but there are %llu vertices", all->path,
                      (unsigned long long)(begin / id_bytes + found),
                      (unsigned long long)em_id_at(block, id_bytes, found), (unsigned long long)n_targets);
}

/* Each offset against the one before it, which may lie in the block before. */
static em_status check_offsets(const checking *all, const unsigned char *block, uint64_t n_bytes, uint64_t begin,
                               em_error *error)
{
    const uint64_t *offsets = (const uint64_t *)block, n = n_bytes / sizeof *offsets, first = begin / sizeof *offsets;
    uint64_t before = first ? offsets[-1] : 0;
    for (uint64_t i = 0; i < n; i++) {
        if (offsets[i] < before || (first + i == 0 && offsets[i] != 0))
            return em_fail_at(error, EM_MALFORMED, all->header.at[0] + (first + i) * sizeof *offsets,
                              "%s: offset %llu is %llu after %llu: offsets begin with 0, never fall and end with the "
                              "number of arcs, %llu",
                              all->path, (unsigned long long)(first + i), (unsigned long long)offsets[i],
                              (unsigned long long)before, (unsigned long long)all->header.n_arcs);
        before = offsets[i];
    }
    if (first + n == all->header.n_vertices + 1 && before != all->header.n_arcs)
        return em_fail_at(error, EM_MALFORMED, all->header.at[0] + all->section_bytes[0],
                          "%s: the offsets end with %llu, but there are %llu arcs", all->path,
                          (unsigned long long)before, (unsigned long long)all->header.n_arcs);
    return EM_OK;
}

/* Input arc numbers become positions, in the private copy of the pages that are being looked at. */
static em_status double_positions(const checking *all, unsigned char *block, uint64_t n_bytes, uint64_t begin,
                                  em_error *error)
{
    uint64_t *const positions = (uint64_t *)block, n = n_bytes / sizeof *positions;
    for (uint64_t i = 0; i < n; i++) {
        if (positions[i] > INT64_MAX)
            return em_fail_at(error, EM_MALFORMED, all->header.at[POSITIONS] + begin + i * sizeof *positions,
                              "%s: arc %llu has the input arc number %llu, which is none", all->path,
                              (unsigned long long)(begin / sizeof *positions + i), (unsigned long long)positions[i]);
        positions[i] *= 2;
    }
    return EM_OK;
}

static em_status check_blocks(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    checking *all = state;
    (void)worker, (void)n_workers;
    for (;;) {
        const uint64_t number = __atomic_fetch_add(&all->next, 1, __ATOMIC_RELAXED);
        if (number >= all->first_block[EM_CSR_FILE_SECTIONS])
            return EM_OK;
        int section = 0;
        while (number >= all->first_block[section + 1])
            section++;
        const uint64_t begin = (number - all->first_block[section]) * EM_CSR_FILE_BLOCK_BYTES;
        const uint64_t left = all->section_bytes[section] - begin;
        const uint64_t n_bytes = left < EM_CSR_FILE_BLOCK_BYTES ? left : EM_CSR_FILE_BLOCK_BYTES;
        unsigned char *const block = all->bytes + all->header.at[section] + begin;
        all->hashes[number] = XXH3_64bits(block, n_bytes);
        em_status status = EM_OK;
        if (section == 0)
            status = check_offsets(all, block, n_bytes, begin, error);
        else if (section == 1)
            status = check_targets(all, block, n_bytes, begin, error);
        else if (section == POSITIONS)
            status = double_positions(all, block, n_bytes, begin, error);
        if (status != EM_OK)
            return status;
    }
}

static em_status check_padding(const checking *all, em_error *error)
{
    uint64_t end = sizeof all->header;
    for (int i = 0; i <= EM_CSR_FILE_SECTIONS; i++) {
        const uint64_t begin = i < EM_CSR_FILE_SECTIONS ? all->header.at[i] : all->header.checksums_at;
        for (; begin && end < begin; end++)
            if (all->bytes[end] != 0)
                return em_fail(error, EM_MALFORMED, "%s: byte %llu between two sections is not zero", all->path,
                               (unsigned long long)end);
        if (begin && i < EM_CSR_FILE_SECTIONS)
            end = begin + all->section_bytes[i];
    }
    return EM_OK;
}

static em_status check_checksums(const checking *all, em_error *error)
{
    for (int i = 0; i < EM_CSR_FILE_SECTIONS; i++) {
        const uint64_t begin = all->first_block[i], n = all->first_block[i + 1] - begin;
        const uint64_t wanted = all->header.at[i] ? XXH3_64bits(all->hashes + begin, n * sizeof *all->hashes) : 0;
        uint64_t kept;
        memcpy(&kept, all->bytes + all->header.checksums_at + (uint64_t)i * sizeof kept, sizeof kept);
        if (kept != wanted)
            return em_fail(error, EM_MALFORMED, "%s: the checksum of the %s does not match: the file is damaged",
                           all->path, em_csr_file_section_name(i));
    }
    return EM_OK;
}

static em_status check_sections(em_context *context, checking *all, em_error *error)
{
    em_csr_file_sizes(&all->header, all->header.at[3] != 0, all->section_bytes);
    for (int i = 0; i < EM_CSR_FILE_SECTIONS; i++)
        all->first_block[i + 1] = all->first_block[i] + em_csr_file_blocks(all->section_bytes[i]);
    const uint64_t n_blocks = all->first_block[EM_CSR_FILE_SECTIONS];
    void *memory = NULL;
    em_status status = em_allocate_array(context, n_blocks, sizeof *all->hashes, &memory, error);
    if (status != EM_OK)
        return status;
    all->hashes = memory;
    status = check_padding(all, error);
    if (status == EM_OK)
        status =
            em_parallel(context, all->header.file_bytes > EM_CSR_FILE_BLOCK_BYTES ? 0 : 1, check_blocks, all, error);
    if (status == EM_OK)
        status = check_checksums(all, error);
    em_free(context, all->hashes, n_blocks * sizeof *all->hashes);
    return status;
}

static void cut(const checking *all, em_whole_file *file, em_csr *csr)
{
    const em_csr_file_header *header = &all->header;
    em_buffer *const buffers[] = {&csr->offsets, &csr->targets, &csr->weights, &csr->positions};
    *csr = (em_csr){.n_vertices = header->n_vertices,
                    .n_arcs = header->n_arcs,
                    .first_vertex = header->first_vertex,
                    .n_targets = header->n_targets,
                    .id_bytes = header->id_bytes,
                    .weight_kind = header->weight_kind,
                    .facts = header->flags << EM_CSR_FILE_FLAG_SHIFT};
    for (int i = 0; i < EM_CSR_FILE_SECTIONS; i++)
        if (header->at[i])
            *buffers[i] = em_whole_file_buffer(file, header->at[i], all->section_bytes[i]);
}

em_status em_csr_file_open(em_context *context, const char *path, em_csr *csr, em_error *error)
{
    em_whole_file *file = NULL;
    checking all = {.path = em_input_name(path)};
    *csr = (em_csr){0};
    em_status status = em_whole_file_open(context, path, &file, error);
    if (status != EM_OK)
        return status;
    all.bytes = file->bytes;
    status = em_csr_file_read_header(file->bytes, file->n_bytes, all.path, &all.header, error);
    if (status == EM_OK)
        status = check_sections(context, &all, error);
    if (status == EM_OK)
        cut(&all, file, csr);
    em_whole_file_release(file);
    return status;
}

em_status em_csr_file_facts(em_context *context, const char *path, em_csr_file_header *header,
                            uint64_t checksums[EM_CSR_FILE_SECTIONS], em_error *error)
{
    em_whole_file *file = NULL;
    em_status status = em_whole_file_open(context, path, &file, error);
    if (status != EM_OK)
        return status;
    status = em_csr_file_read_header(file->bytes, file->n_bytes, em_input_name(path), header, error);
    if (status == EM_OK)
        memcpy(checksums, file->bytes + header->checksums_at, EM_CSR_FILE_SECTIONS * sizeof *checksums);
    em_whole_file_release(file);
    return status;
}
