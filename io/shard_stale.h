/* shard_stale - shards that an older manifest lists and the one that takes its place does not; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_IO_SHARD_STALE_H
#define EM_IO_SHARD_STALE_H

#include "io/publish.h"
#include "io/shard_manifest.h"

/* How the shards of an output are called: stem, '.', digits, suffix. */
typedef struct em_shard_names {
    const char *stem; /* stem_bytes, without a folder */
    int stem_bytes;
    uint64_t n; /* shards that are written now, from 0 */
    int digits; /* of their numbers */
    const char *suffix;
} em_shard_names;

/* Calls `take` with the name of each shard that the manifest at `path` lists, that has such a name and is none of those
 * written now, and that lies beside it, a file of this program with the rows that the manifest says. No manifest of
 * ours at `path`: nothing. */
em_status em_shards_stale(em_context *context, const char *path, const em_shard_names *names,
                          em_status (*take)(void *state, const char *file, em_error *error), void *state,
                          em_error *error);

#endif
