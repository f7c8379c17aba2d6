/* csr_file - the native file, `.csr`: made to be mapped and used in place.
 *
 * This table is the specification (version 1). All numbers are little-endian; ids and weights are as in em_csr.
 *
 *     at   bytes  what
 *      0   8      magic, the letters EDGEMILL
 *      8   4      version, 1
 *     12   1      bytes of an id: 4 iff targets are below 2^32 or less (n_targets, else n_vertices), else 8
 *     13   1      weight kind: 0 none, 1 i32, 2 i64, 3 f32, 4 f64
 *     14   1      bytes of an offset: 8
 *     15   1      0
 *     16   8      n_vertices: rows
 *     24   8      n_arcs
 *     32   8      flags: 1 rows sorted by target, 2 no arc twice, 4 no loops, 8 the reverse of every arc is there as
 *                 often; a clear flag means unknown
 *     40   8      file position of the offsets: n_vertices + 1 numbers
 *     48   8      … of the targets: n_arcs ids
 *     56   8      … of the weights: n_arcs values; 0: none
 *     64   8      … of the positions (input arc number of each arc, from 0): n_arcs numbers of 8 bytes; 0: none
 *     72   8      … of the checksums: four numbers, of offsets, targets, weights, positions; 0 for a section not there
 *     80   8      bytes of the whole file
 *     88   8      first_vertex: row i is vertex first_vertex + i
 *     96   8      n_targets: targets are below it; 0: they are below n_vertices
 *    104   16     0
 *    120   8      XXH3-64 of the 120 bytes before
 *
 * Sections come in this order, each at the first multiple of 4096 behind the one before; what lies between is zero. The
 * file ends with the checksums. A section is cut into blocks of 4 MiB (the last one shorter); its checksum is the
 * XXH3-64 of the XXH3-64s of its blocks, 8 bytes each: pieces are written and checked side by side, and an empty
 * section has the XXH3-64 of nothing. There is no time, path or program version in it: same graph, same bytes.
 *
 * A shard holds some of a graph's rows: first_vertex and n_targets are then what the whole graph makes them, targets
 * are ids of the whole graph, and the flag for reverses is clear. A file that holds all rows is no shard, and has 0 in
 * both places.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_IO_CSR_FILE_H
#define EM_IO_CSR_FILE_H

#include "io/io.h"

enum { EM_CSR_FILE_VERSION = 1, EM_CSR_FILE_HEADER_BYTES = 128, EM_CSR_FILE_SECTIONS = 4 };

/* The header as it lies in the file. */
typedef struct em_csr_file_header {
    char magic[8];
    uint32_t version;
    uint8_t id_bytes, weight_kind, offset_bytes, zero;
    uint64_t n_vertices, n_arcs, flags;
    uint64_t at[EM_CSR_FILE_SECTIONS]; /* offsets, targets, weights, positions */
    uint64_t checksums_at, file_bytes, first_vertex, n_targets, reserved[2], header_checksum;
} em_csr_file_header;
_Static_assert(sizeof(em_csr_file_header) == EM_CSR_FILE_HEADER_BYTES, "the header is 128 bytes");

bool em_csr_file_detect(const unsigned char *head, size_t n_bytes);

/* Maps the file and checks all of it: header, length, padding, checksums, monotone offsets, targets < n_vertices (of a
 * shard: < n_targets). One pass, by all threads. EM_MALFORMED says what is wrong, EM_ENVIRONMENT that it cannot be
 * read.
 *
 * Positions in memory say which way round an arc is (em_block), and in the file they do not: they are halved when they
 * are written and doubled when they are read. */
em_status em_csr_file_open(em_context *context, const char *path, em_csr *csr, em_error *error);
em_status em_csr_file_write(em_context *context, const em_csr *csr, em_output *output, em_error *error);

/* Header and section checksums of a file, with nothing but the header checked: for `info`. */
EM_API em_status em_csr_file_facts(em_context *context, const char *path, em_csr_file_header *header,
                                   uint64_t checksums[EM_CSR_FILE_SECTIONS], em_error *error);

#endif
