/* context - everything a call may depend on: threads, memory, processor features, callbacks, test knobs.
 *
 * There is no global state: two contexts never see each other. One context may be used by one calling
 * thread at a time; the worker threads of a call share it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_SCAN_BASE_CONTEXT_H
#define EM_SCAN_BASE_CONTEXT_H

#include "scan/base/status.h"

typedef struct em_context em_context;

/* Processor paths, in the order in which they are preferred. */
typedef enum em_isa { EM_ISA_SCALAR = 0, EM_ISA_NEON, EM_ISA_AVX2, EM_ISA_AVX512 } em_isa;

/* Sizes that tests turn down to a few bytes and benchmarks sweep. 0 means: the measured default. */
typedef struct em_knobs {
    uint64_t chunk_bytes;       /* text one worker takes at a time; arcs keep their order by chunk number */
    uint64_t piece_bytes;       /* text read and parsed at a time within a chunk, to stay in L2 */
    uint64_t block_bytes;       /* blocks in which arcs are stored while the input is read */
    uint64_t bucket_bits;       /* log2 of the number of source ranges while partitioning, plus one (1: one bucket) */
    uint64_t tile_bytes;        /* scan tile */
    uint64_t sort_bucket_bytes; /* most bytes of records that are sorted by one thread in its cache */
    uint64_t serial_below;      /* elements below which a scan wakes no thread, plus one (1: never serial) */
    uint64_t sparse_bytes;      /* offsets of as many bytes are fine however few arcs there are */
    uint64_t sample;            /* 1: do not sample the largest id before reading */
    em_isa isa_at_most;         /* with `isa_limited`: the best path to use */
    bool isa_limited;
    uint64_t fail_allocation; /* the allocation with this number (from 1) fails, as do all after it */
} em_knobs;

typedef struct em_context_options {
    uint32_t n_threads;          /* 0: as many as the affinity mask allows */
    uint64_t memory_limit_bytes; /* 0: none */
    /* Called now and then, on the thread that called into the library; false cancels. `total` is 0 if unknown. */
    bool (*progress)(void *state, const char *stage, uint64_t done, uint64_t total);
    void *progress_state;
    em_knobs knobs;
} em_context_options;

/* What the allocator handed out, in bytes. */
typedef struct em_memory_use {
    uint64_t current_bytes, peak_bytes, n_allocations;
} em_memory_use;

/* `options` may be NULL. The caller owns *context and frees it with em_context_free. */
EM_API em_status em_context_create(const em_context_options *options, em_context **context, em_error *error);
EM_API void em_context_free(em_context *context); /* NULL is fine; all memory must have been freed before */

EM_API uint32_t em_context_threads(const em_context *context);
EM_API const em_knobs *em_context_knobs(const em_context *context);
/* What em_parallel knows of its team. */
typedef struct em_team {
    uint32_t n_started; /* the largest that was seen to start */
    uint32_t n_crowded; /* regions for which other programs are taken to be running */
} em_team;
em_team *em_context_team(em_context *context);
EM_API em_isa em_context_isa(const em_context *context);
uint64_t em_context_cache_bytes(const em_context *context); /* the second-level cache of a core, or a guess */
EM_API em_memory_use em_context_memory(const em_context *context);
EM_API void em_context_reset_peak(em_context *context); /* peak := current */
EM_API void em_context_trim(em_context *context);       /* gives memory that is not in use back to the system */

/* What other layers keep with a context, such as the stages registered on it: one block each, NULL until set. */
typedef enum em_context_slot { EM_SLOT_STAGES = 0, EM_N_SLOTS } em_context_slot;
void *em_context_slot_at(const em_context *context, em_context_slot slot);
/* `at` is a block of n_bytes from em_allocate, or NULL. The context frees the last one it was given. */
void em_context_slot_set(em_context *context, em_context_slot slot, void *at, uint64_t n_bytes);

/* The knob's value, or `otherwise` where it is 0. */
static inline uint64_t em_knob(uint64_t knob, uint64_t otherwise)
{
    return knob ? knob : otherwise;
}

/* Worker 0 (the calling thread) reports; answers EM_CANCELLED once the callback returned false. Cheap. */
EM_API em_status em_context_report(em_context *context, const char *stage, uint64_t done, uint64_t total,
                                   em_error *error);
/* Any worker: EM_CANCELLED once the callback returned false. */
EM_API em_status em_context_check(em_context *context, em_error *error);

/* Memory with accounting, 64-byte aligned, not cleared; from 2 MiB on in huge pages where the system has them
 * and is not slow to give them. 0 bytes give a valid pointer. Free with the same number of bytes. Any thread may call
 * these. The pages of large blocks that were freed stay with the context, for large blocks to come: it holds no more
 * than the most that was in use at once. */
EM_API em_status em_allocate(em_context *context, uint64_t n_bytes, void **memory, em_error *error);
EM_API em_status em_allocate_zeroed(em_context *context, uint64_t n_bytes, void **memory, em_error *error);
/* n * size bytes with the product checked. */
EM_API em_status em_allocate_array(em_context *context, uint64_t n, uint64_t size, void **memory, em_error *error);
EM_API void em_free(em_context *context, void *memory, uint64_t n_bytes); /* NULL is fine */
/* Frees a block of EM_HUGE_PAGE_BYTES; its page replaces the one at `into`, a multiple of that size within a large
 * block, where nothing has been written yet. What is there afterwards is anything. Without the system's help it is
 * freed, no more. */
EM_API void em_donate(em_context *context, void *memory, void *into);
enum { EM_HUGE_PAGE_BYTES = 2 << 20 };
/* Memory grows or shrinks to n_bytes, keeping what it holds; large blocks move by their page tables, not by copying.
 * NULL and 0 old bytes are a fresh block. On failure the old block stays. */
EM_API em_status em_resize(em_context *context, void **memory, uint64_t old_bytes, uint64_t n_bytes, em_error *error);

#endif
