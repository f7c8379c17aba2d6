/* csr_file_parts - what the native file's header, writer and reader share; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_IO_CSR_FILE_PARTS_H
#define EM_IO_CSR_FILE_PARTS_H

#include "io/csr_file.h"

enum {
    EM_CSR_FILE_ALIGNMENT = 4096,
    EM_CSR_FILE_BLOCK_BYTES = 4 << 20,
    EM_CSR_FILE_FLAG_SHIFT = 8, /* EM_SORTED … EM_SYMMETRIC are bits 8 to 11 of the facts */
    EM_CSR_FILE_FLAGS = 15,
    EM_CSR_FILE_SHARD_FLAGS = 7 /* a shard does not know the reverses of its arcs */
};
_Static_assert(EM_SORTED >> EM_CSR_FILE_FLAG_SHIFT == 1 && EM_SYMMETRIC >> EM_CSR_FILE_FLAG_SHIFT == 8,
               "flags are facts, shifted");

static inline uint64_t em_csr_file_blocks(uint64_t n_bytes)
{
    return n_bytes / EM_CSR_FILE_BLOCK_BYTES + (n_bytes % EM_CSR_FILE_BLOCK_BYTES != 0);
}

const char *em_csr_file_section_name(int section);
/* Bytes of each section; false where they pass what a file can hold. */
bool em_csr_file_sizes(const em_csr_file_header *header, bool positions, uint64_t bytes[EM_CSR_FILE_SECTIONS]);
/* Targets are below this. */
static inline uint64_t em_csr_file_n_targets(const em_csr_file_header *header)
{
    return header->n_targets ? header->n_targets : header->n_vertices;
}
/* The complete header of a graph's file. */
em_status em_csr_file_lay_out(const em_csr *csr, em_csr_file_header *header, em_error *error);
/* Reads and checks the header of a file of n_bytes, whose first bytes (at least 128 of them, if there are) are here. */
em_status em_csr_file_read_header(const unsigned char *bytes, uint64_t n_bytes, const char *path,
                                  em_csr_file_header *header, em_error *error);

#endif
