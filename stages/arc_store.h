/* arc_store - arcs kept while the input is read, partitioned by ranges of sources; not installed.
 *
 * The sink behind `load`. Each worker appends every arc to the block list of its bucket (source >> shift), packed in 4
 * bytes where range and target allow; buckets are sized so that counting, scanning and scattering one of them runs in
 * cache, with no atomics and in stable order. With `flat` there is one bucket and the arcs come out as a coordinate
 * list. Input order across workers is kept by runs: where a worker's chunks stop being consecutive it notes the end of
 * every block list. Prior art: propagation blocking (Beamer, Asanović, Patterson 2017), radix-sorted adjacency
 * (Malicevic et al. 2017).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_STAGES_ARC_STORE_H
#define EM_STAGES_ARC_STORE_H

#include "io/io.h"
#include "stages/page_pool.h"

/* How arcs are cut and packed. Entries are arc_bytes, then weight_bytes, then position_bytes:
 *   4: (source - bucket's first source) << target_bits | target     8: source << 32 | target     16: source, target */
typedef struct em_geometry {
    uint8_t source_bits, target_bits; /* of the largest ids that fit */
    uint8_t shift, arc_bytes, weight_bytes;
    uint8_t position_bytes; /* 0, or 8 where arcs carry their place in the input */
    em_weight_kind weight_kind;
    uint32_t n_buckets;   /* a power of 2 */
    uint32_t block_bytes; /* the same */
    uint32_t slab_bytes;  /* of a group's first slab; 0: as small as the blocks allow */
} em_geometry;

/* A block list's block begins with the address of the next one and ends at a multiple of block_bytes. */
typedef struct em_store_block {
    struct em_store_block *next;
} em_store_block;

/* Where a worker's run of consecutive chunks begins in each bucket: n_buckets cursors from marks[run * n_buckets] on.
 */
typedef struct em_store_run {
    uint64_t first_chunk;
    uint32_t worker, index;
} em_store_run;

/* Bits of the largest id: 0 for 0. */
static inline uint32_t em_bit_length(uint64_t value)
{
    return value ? 64 - (uint32_t)__builtin_clzll(value) : 0;
}

/* Blocks of some buckets lie together, so that their memory is free once these buckets are read up. */
enum { EM_STORE_GROUPS = 8, EM_STORE_RANGES = 32 };
typedef struct em_store_group {
    char *slab_at, *slab_end;
    struct em_slab *slabs;
    uint64_t slab_bytes; /* of the last slab */
} em_store_group;

typedef struct em_store_worker {
    _Alignas(64) em_geometry geometry;
    char **cursors;          /* of each bucket: behind its last arc; NULL: no arc */
    em_store_block **firsts; /* of each bucket */
    em_store_group groups[EM_STORE_GROUPS];
    uint64_t slabs_bytes; /* of all slabs */
    em_store_run *runs;
    char **marks;
    uint32_t n_runs, run_capacity;
    uint64_t last_chunk, n_arcs, n_rounded;
} em_store_worker;

typedef struct em_arc_store {
    em_context *context;
    bool flat;
    em_store_worker *workers;
    uint32_t n_workers;
    uint64_t expected_arcs, largest_source, largest_target; /* hints */
    /* after em_store_finish */
    em_store_run *order; /* all runs by first chunk */
    uint32_t n_runs;
    uint64_t n_arcs, n_rounded;
    uint64_t *bucket_begins; /* [n_buckets + 1]: arcs in front of each bucket */
} em_arc_store;

em_status em_store_open(em_context *context, bool flat, em_arc_store *store, em_error *error);
void em_store_close(em_arc_store *store); /* {0} is fine */
em_arc_sink em_store_sink(em_arc_store *store);

/* Brings all workers to one geometry and weight kind and puts the runs in order. `wide`: there are more than 2^32
 * vertices, and ids take 8 bytes, else 4, whatever was guessed. Afterwards no more arcs. */
em_status em_store_finish(em_arc_store *store, em_weight_kind kind, bool wide, em_error *error);

/* Geometry for sources below 2^source_bits, targets below 2^target_bits and about n_arcs arcs (0: unknown). */
em_geometry em_store_geometry(const em_context *context, bool flat, uint32_t source_bits, uint32_t target_bits,
                              uint64_t n_arcs, em_weight_kind kind, bool has_positions);

/* --- reading it back ------------------------------------------------------------------------------ */

/* The group of a bucket, below EM_STORE_GROUPS: buckets are cut into ranges, which are dealt out so that the first few
 * of them, where skewed graphs have most arcs, go to different groups. */
static inline uint32_t em_store_group_of(const em_geometry *geometry, uint32_t bucket)
{
    const uint32_t range = geometry->n_buckets > EM_STORE_RANGES
                               ? (uint32_t)((uint64_t)bucket * EM_STORE_RANGES / geometry->n_buckets)
                               : bucket;
    return (range ^ range * EM_STORE_GROUPS / EM_STORE_RANGES) % EM_STORE_GROUPS;
}
/* Bytes of the slab behind one of so many (0: a group's first), in a worker that has worker_bytes of slabs. */
uint64_t em_store_slab_bytes(const em_geometry *geometry, uint32_t group, uint64_t before, uint64_t worker_bytes);
/* Bytes of blocks in a slab of n_bytes at least: its header and its ends cost one. */
static inline uint64_t em_slab_blocks_bytes(const em_geometry *geometry, uint64_t n_bytes)
{
    return n_bytes / geometry->block_bytes * geometry->block_bytes - geometry->block_bytes;
}
/* Gives up the memory of a group whose buckets are read up: pages of EM_HUGE_PAGE_BYTES to the pool. */
void em_store_release_group(em_arc_store *store, uint32_t group, em_page_pool *pool);

/* A walk over [from, to) of one block list, a piece of contiguous entries at a time. */
typedef struct em_store_walk {
    const char *at, *to;
    const em_store_block *block;
    uintptr_t mask;
    uint32_t data_bytes; /* of a full block */
    bool done;
} em_store_walk;

static inline uint32_t em_entry_bytes(const em_geometry *geometry)
{
    return geometry->arc_bytes + geometry->weight_bytes + geometry->position_bytes;
}

/* Bytes of all entries of a finished store, which a pass over it moves. */
static inline uint64_t em_store_bytes(const em_arc_store *store)
{
    return store->n_arcs * em_entry_bytes(&store->workers[0].geometry);
}

/* Bytes of entries in a full block: what is left behind the link, in whole entries. They lie at the block's end. */
static inline uint32_t em_block_data_bytes(const em_geometry *geometry)
{
    const uint32_t entry = em_entry_bytes(geometry);
    return (geometry->block_bytes - (uint32_t)sizeof(em_store_block)) / entry * entry;
}

/* The arcs of `bucket` in run `run` of a worker; run == UINT32_MAX: in all of its runs. */
em_store_walk em_store_walk_begin(const em_store_worker *worker, uint32_t bucket, uint32_t run);
/* The next piece; false: there is none. */
bool em_store_walk_next(em_store_walk *walk, const char **begin, const char **end);

#endif
