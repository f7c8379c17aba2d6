/* csr_file - edgemill's native file, read from its documented layout alone.
 *
 * A 128-byte header, then offsets, targets, weights and positions, each at a multiple of 4096, then a checksum a
 * section: XXH3-64 over the XXH3-64s of its 4 MiB blocks. What keeps the arrays from being found is malformed; wrong
 * checksums and padding are differences, so that the rows are compared all the same.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/judge/judge.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { N_SECTIONS = 4, SECTION_ALIGNMENT = 4096, BLOCK_BYTES = 4 << 20, HEADER_BYTES = 128 };
enum { AT_SECTIONS = 40, AT_CHECKSUMS = 72, AT_FILE_BYTES = 80, AT_FIRST_VERTEX = 88, AT_N_TARGETS = 96 };
enum { AT_RESERVED = 104, AT_HEADER_CHECKSUM = 120 };

static const char *const section_names[] = {"offsets", "targets", "weights", "positions"};

static uint64_t number(const unsigned char *bytes, uint32_t at)
{
    return little_endian(bytes + at, 8);
}

/* Bytes of a section by what the header says of n, m and widths. */
static uint64_t section_bytes(const struct stored *stored, int section)
{
    switch (section) {
    case 0:
        return 8 * (stored->n_vertices + 1);
    case 1:
        return stored->target_bytes * stored->n_arcs;
    case 2:
        return weight_bytes(stored->kind) * stored->n_arcs;
    default:
        return 8 * stored->n_arcs;
    }
}

void open_csr_file(struct stored *stored, const unsigned char *bytes, uint64_t n_bytes)
{
    const char *path = stored->path;
    if (n_bytes < HEADER_BYTES || number(bytes, AT_FILE_BYTES) != n_bytes)
        fail(EXIT_MALFORMED, "%s: %llu bytes are not what the header says", path, (unsigned long long)n_bytes);
    if (little_endian(bytes + 8, 4) != 1)
        fail(EXIT_MALFORMED, "%s: version %u, 1 is known", path, (unsigned)little_endian(bytes + 8, 4));
    stored->is_native = true;
    stored->target_bytes = bytes[12];
    stored->kind = bytes[13];
    stored->offset_bytes = bytes[14];
    stored->n_vertices = number(bytes, 16);
    stored->n_arcs = number(bytes, 24);
    if (XXH3_64bits(bytes, AT_HEADER_CHECKSUM) == number(bytes, AT_HEADER_CHECKSUM)) { /* a damaged one is no shard */
        stored->first_vertex = number(bytes, AT_FIRST_VERTEX);
        stored->n_targets = number(bytes, AT_N_TARGETS);
    }
    uint64_t n = stored->n_targets ? stored->n_targets : stored->n_vertices;
    if (stored->first_vertex > n || stored->n_vertices > n - stored->first_vertex)
        fail(EXIT_MALFORMED, "%s: its rows lie outside of the graph", path);
    uint64_t flags = number(bytes, 32), limit = n_bytes / 4;
    if (stored->n_vertices >= limit || stored->n_arcs > limit || stored->kind > WEIGHT_F64 ||
        stored->offset_bytes != 8 || stored->target_bytes != (n <= UINT64_C(1) << 32 ? 4 : 8) || flags > 15)
        fail(EXIT_MALFORMED, "%s: the header makes no sense", path);
    stored->sorted = flags & 1;
    stored->unique = flags & 2;
    stored->no_loops = flags & 4;
    stored->symmetric = flags & 8;
    uint64_t end = HEADER_BYTES;
    for (int i = 0; i < N_SECTIONS; i++) {
        uint64_t at = number(bytes, (uint32_t)(AT_SECTIONS + 8 * i));
        bool absent = i == 2 ? stored->kind == WEIGHT_NONE : i == 3 && at == 0;
        if (absent && at == 0)
            continue;
        uint64_t begin = (end + SECTION_ALIGNMENT - 1) / SECTION_ALIGNMENT * SECTION_ALIGNMENT;
        end = begin + section_bytes(stored, i);
        if (absent || at != begin || end > n_bytes)
            fail(EXIT_MALFORMED, "%s: the section of %s is misplaced", path, section_names[i]);
    }
    uint64_t sums = number(bytes, AT_CHECKSUMS);
    if (sums % 8 || sums < end || sums > n_bytes || n_bytes - sums != 8 * N_SECTIONS)
        fail(EXIT_MALFORMED, "%s: the checksums are misplaced", path);
    stored->offsets = bytes + number(bytes, AT_SECTIONS);
    stored->targets = bytes + number(bytes, AT_SECTIONS + 8);
    stored->weights = bytes + number(bytes, AT_SECTIONS + 16);
    if (number(bytes, AT_SECTIONS + 24))
        stored->positions = bytes + number(bytes, AT_SECTIONS + 24);
}

static uint64_t section_checksum(const unsigned char *bytes, uint64_t n_bytes)
{
    uint64_t n_blocks = (n_bytes + BLOCK_BYTES - 1) / BLOCK_BYTES;
    unsigned char *sums = allocate(n_blocks, 8);
    for (uint64_t i = 0; i < n_blocks; i++) {
        uint64_t begin = i * BLOCK_BYTES, length = n_bytes - begin < BLOCK_BYTES ? n_bytes - begin : BLOCK_BYTES;
        uint64_t sum = XXH3_64bits(bytes + begin, length);
        for (int byte = 0; byte < 8; byte++)
            sums[8 * i + (uint64_t)byte] = (unsigned char)(sum >> 8 * byte);
    }
    uint64_t sum = XXH3_64bits(sums, 8 * n_blocks);
    free(sums);
    return sum;
}

static void check_zero(const struct stored *stored, uint64_t begin, uint64_t end, struct verdict *verdict)
{
    const unsigned char *bytes = stored->mapped;
    for (uint64_t i = begin; i < end; i++) {
        if (bytes[i]) {
            differ(verdict, "%s: padding at byte %llu is not zero", stored->path, (unsigned long long)i);
            return;
        }
    }
}

void check_csr_sums(const struct stored *stored, struct verdict *verdict)
{
    const unsigned char *bytes = stored->mapped;
    uint64_t sums = number(bytes, AT_CHECKSUMS), end = HEADER_BYTES;
    if (XXH3_64bits(bytes, AT_HEADER_CHECKSUM) != number(bytes, AT_HEADER_CHECKSUM))
        differ(verdict, "%s: the checksum of the header is wrong", stored->path);
    check_zero(stored, 15, 16, verdict);
    check_zero(stored, AT_RESERVED, AT_HEADER_CHECKSUM, verdict);
    for (int i = 0; i < N_SECTIONS; i++) {
        uint64_t at = number(bytes, (uint32_t)(AT_SECTIONS + 8 * i)),
                 expected = number(bytes + sums, (uint32_t)(8 * i));
        if (at == 0) {
            if (expected)
                differ(verdict, "%s: a checksum of %s, which are not there", stored->path, section_names[i]);
            continue;
        }
        check_zero(stored, end, at, verdict);
        end = at + section_bytes(stored, i);
        if (section_checksum(bytes + at, section_bytes(stored, i)) != expected)
            differ(verdict, "%s: the checksum of %s is wrong", stored->path, section_names[i]);
    }
    check_zero(stored, end, sums, verdict);
}
