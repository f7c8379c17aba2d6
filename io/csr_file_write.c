/* csr_file_write - writes the native file: one pass over the graph, by all threads.
 *
 * A worker takes the next 4 MiB block of any section, hashes it and writes it while it is in cache. What cannot be
 * written at offsets (pipes, devices) is written in order by the calling thread; the bytes are the same.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/csr_file_parts.h"
#include "io/publish.h"
#include "scan/base/parallel.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { POSITIONS = 3 };

typedef struct writing {
    em_context *context;
    em_output *output;
    em_csr_file_header header;
    const unsigned char *sections[EM_CSR_FILE_SECTIONS];
    uint64_t bytes[EM_CSR_FILE_SECTIONS];
    uint64_t first_block[EM_CSR_FILE_SECTIONS + 1];
    uint64_t *hashes; /* one a block */
    uint64_t next;    /* atomic: the next block nobody has */
    bool positions;
} writing;

typedef struct block {
    const unsigned char *bytes;
    uint64_t n_bytes, at;
} block;

/* A worker's room for a block of halved positions; *room is NULL where there are none. */
static em_status room_open(const writing *all, void **room, em_error *error)
{
    *room = NULL;
    return all->positions ? em_allocate(all->context, EM_CSR_FILE_BLOCK_BYTES, room, error) : EM_OK;
}

static block block_of(const writing *all, uint64_t number, uint64_t *room)
{
    int section = 0;
    while (number >= all->first_block[section + 1])
        section++;
    const uint64_t begin = (number - all->first_block[section]) * EM_CSR_FILE_BLOCK_BYTES;
    const uint64_t left = all->bytes[section] - begin;
    block taken = {.bytes = all->sections[section] + begin,
                   .n_bytes = left < EM_CSR_FILE_BLOCK_BYTES ? left : EM_CSR_FILE_BLOCK_BYTES,
                   .at = all->header.at[section] + begin};
    if (section == POSITIONS && room) {
        const uint64_t *positions = (const uint64_t *)taken.bytes;
        for (uint64_t i = 0; i < taken.n_bytes / sizeof *room; i++)
            room[i] = positions[i] / 2;
        taken.bytes = (const unsigned char *)room;
    }
    return taken;
}

static em_status write_blocks(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    writing *all = state;
    const uint64_t n_blocks = all->first_block[EM_CSR_FILE_SECTIONS];
    void *room;
    (void)n_workers;
    em_status status = room_open(all, &room, error);
    while (status == EM_OK) {
        const uint64_t number = __atomic_fetch_add(&all->next, 1, __ATOMIC_RELAXED);
        if (number >= n_blocks)
            break;
        const block taken = block_of(all, number, room);
        all->hashes[number] = XXH3_64bits(taken.bytes, taken.n_bytes);
        status = em_output_write_at(all->output, taken.bytes, taken.n_bytes, taken.at, error);
        if (status == EM_OK)
            status = worker == 0 ? em_context_report(all->context, "save", number, n_blocks, error)
                                 : em_context_check(all->context, error);
    }
    if (status != EM_OK) /* nobody need go on */
        __atomic_store_n(&all->next, n_blocks, __ATOMIC_RELAXED);
    em_free(all->context, room, EM_CSR_FILE_BLOCK_BYTES);
    return status;
}

/* Zeros from where the output stands to `at`. */
static em_status pad(em_output *output, uint64_t at, em_error *error)
{
    static const unsigned char zeros[EM_CSR_FILE_ALIGNMENT];
    return em_output_write(output, zeros, at - em_output_n_bytes(output), error);
}

static em_status write_in_order(writing *all, em_error *error)
{
    void *room;
    em_status status = room_open(all, &room, error);
    if (status == EM_OK)
        status = em_output_write(all->output, &all->header, sizeof all->header, error);
    for (uint64_t i = 0; status == EM_OK && i < all->first_block[EM_CSR_FILE_SECTIONS]; i++) {
        const block taken = block_of(all, i, room);
        all->hashes[i] = XXH3_64bits(taken.bytes, taken.n_bytes);
        status = pad(all->output, taken.at, error);
        if (status == EM_OK)
            status = em_output_write(all->output, taken.bytes, taken.n_bytes, error);
        if (status == EM_OK)
            status = em_context_report(all->context, "save", i, all->first_block[EM_CSR_FILE_SECTIONS], error);
    }
    em_free(all->context, room, EM_CSR_FILE_BLOCK_BYTES);
    return status == EM_OK ? pad(all->output, all->header.checksums_at, error) : status;
}

static void combine(const writing *all, uint64_t checksums[EM_CSR_FILE_SECTIONS])
{
    for (int i = 0; i < EM_CSR_FILE_SECTIONS; i++) {
        const uint64_t begin = all->first_block[i], n = all->first_block[i + 1] - begin;
        checksums[i] = all->header.at[i] ? XXH3_64bits(all->hashes + begin, n * sizeof *all->hashes) : 0;
    }
}

em_status em_csr_file_write(em_context *context, const em_csr *csr, em_output *output, em_error *error)
{
    writing all = {.context = context, .output = output};
    const em_buffer *const buffers[] = {&csr->offsets, &csr->targets, &csr->weights, &csr->positions};
    uint64_t checksums[EM_CSR_FILE_SECTIONS];
    em_status status = em_csr_file_lay_out(csr, &all.header, error);
    if (status != EM_OK)
        return status;
    all.positions = all.header.at[POSITIONS] != 0;
    em_csr_file_sizes(&all.header, all.positions, all.bytes);
    for (int i = 0; i < EM_CSR_FILE_SECTIONS; i++) {
        all.sections[i] = buffers[i]->at;
        all.first_block[i + 1] = all.first_block[i] + em_csr_file_blocks(all.bytes[i]);
    }
    const uint64_t n_blocks = all.first_block[EM_CSR_FILE_SECTIONS];
    void *memory = NULL;
    status = em_allocate_array(context, n_blocks, sizeof *all.hashes, &memory, error);
    if (status != EM_OK)
        return status;
    all.hashes = memory;
    if (!em_output_is_regular(output)) {
        status = write_in_order(&all, error);
        combine(&all, checksums);
        if (status == EM_OK)
            status = em_output_write(output, checksums, sizeof checksums, error);
        goto done;
    }
    status = em_output_resize(output, all.header.file_bytes, error); /* what is not written reads as zero */
    if (status != EM_OK)
        goto done;
    const bool small = all.header.file_bytes <= EM_CSR_FILE_BLOCK_BYTES; /* blocks are few and short: wake nobody */
    status = em_parallel(context, small ? 1 : 0, write_blocks, &all, error);
    if (status != EM_OK)
        goto done;
    combine(&all, checksums);
    status = em_output_write_at(output, checksums, sizeof checksums, all.header.checksums_at, error);
    if (status == EM_OK)
        status = em_output_write_at(output, &all.header, sizeof all.header, 0, error);
done:
    em_free(context, all.hashes, n_blocks * sizeof *all.hashes);
    return status;
}
