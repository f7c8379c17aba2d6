/* shard_manifest - the list of the files that hold the rows of one graph; not installed.
 *
 * JSON, in this order and with nothing else (version 1):
 *
 *     {"edgemill_shards": 1,               the version; that this key comes first tells the format
 *      "format": "csr",                    of the files: csr or npz
 *      "vertices": n, "arcs": m, "id_bytes": 4 or 8, "weights": "none", "i32", "i64", "f32" or "f64",
 *      "flags": ["sorted", "unique", "no-loops", "symmetric"],     what holds for the whole graph; absent: unknown
 *      "shards": [{"file": "web.0.csr",    in the folder of the manifest
 *                  "first_vertex": 0, "end_vertex": 10,            its rows
 *                  "first_arc": 0, "arcs": 25,                     how many arcs come before it, and its own
 *                  "checksums": {"offsets": "hexadecimal", …}},    of csr: those at the end of the file
 *                 …]}
 *
 * Shards follow one another without gaps, from vertex 0 to n and arc 0 to m; a shard may have no rows. There is no
 * time, path or program version in it: same graph, same parts, same bytes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_IO_SHARD_MANIFEST_H
#define EM_IO_SHARD_MANIFEST_H

#include "io/csr_file.h"
#include "io/read.h"

enum { EM_SHARD_MANIFEST_VERSION = 1 };

typedef struct em_shard {
    const char *file; /* without a folder */
    uint64_t first_vertex, end_vertex, first_arc, n_arcs;
    bool has_checksums;
    uint64_t checksums[EM_CSR_FILE_SECTIONS]; /* 0: no such section */
} em_shard;

typedef struct em_shard_manifest {
    const em_format *format;
    uint64_t n_vertices, n_arcs;
    uint8_t id_bytes, weight_kind;
    uint64_t facts; /* EM_SORTED … EM_SYMMETRIC of the whole graph */
    em_shard *shards;
    uint64_t n_shards;
    em_context *owner; /* of `shards`, where the manifest was read */
    void *document;    /* what the names of files point into, where the manifest was read */
} em_shard_manifest;

/* EM_USAGE: a name is no UTF-8 text, which JSON cannot hold. */
em_status em_shard_manifest_write(const em_shard_manifest *manifest, em_output *output, em_error *error);
/* The caller frees. EM_MALFORMED: no such JSON, or shards that leave gaps; files are not looked at. */
em_status em_shard_manifest_open(em_context *context, const char *path, em_shard_manifest *manifest, em_error *error);
void em_shard_manifest_free(em_shard_manifest *manifest); /* {0} is fine */

bool em_shard_manifest_detect(const unsigned char *head, size_t n_bytes);
/* All shards in order, each checked against the manifest, as one input. */
em_status em_shard_manifest_read(em_read_plan *plan, const char *path, em_error *error);

#endif
