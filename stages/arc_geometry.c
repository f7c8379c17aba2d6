/* arc_geometry - how an arc store cuts and packs arcs: see arc_store.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/arc_store.h"

enum {
    BLOCK_LEAST = 256,
    BLOCK_MOST = 1 << 13,
    BUCKET_BITS_MOST = 11,
    PACKED_BUCKET_BITS_MOST = 12,
    KNOB_BUCKET_BITS_MOST = 16,
    BLOCKS_OF_LIST = 16, /* of which half of one is empty */
    LARGE_SLABS = 4      /* a group that needs so many of the largest gets no smaller ones */
};

/* Buckets whose targets fill about half an L2 (512 KiB), of at most 8,192 sources, so that counters stay in L1. */
em_geometry em_store_geometry(const em_context *context, bool flat, uint32_t source_bits, uint32_t target_bits,
                              uint64_t n_arcs, em_weight_kind kind, bool has_positions)
{
    const em_knobs *const knobs = em_context_knobs(context);
    const uint64_t arcs = n_arcs ? n_arcs : UINT64_C(1) << 22;
    em_geometry geometry = {
        .weight_kind = kind, .weight_bytes = (uint8_t)em_weight_bytes(kind), .position_bytes = has_positions ? 8 : 0};
    source_bits = source_bits ? source_bits : 1;
    target_bits = target_bits ? target_bits : 1;
    uint32_t bucket_bits = em_bit_length(arcs >> 17);
    if (source_bits > 13 && source_bits - 13 > bucket_bits)
        bucket_bits = source_bits - 13;
    if (bucket_bits > BUCKET_BITS_MOST)
        bucket_bits = BUCKET_BITS_MOST;
    /* 4 bytes an arc are worth more buckets */
    const uint32_t both_bits = source_bits + target_bits, packed_bits = both_bits > 32 ? both_bits - 32 : 0;
    if (!knobs->bucket_bits && packed_bits > bucket_bits && packed_bits <= PACKED_BUCKET_BITS_MOST && arcs >> 22)
        bucket_bits = packed_bits;
    if (knobs->bucket_bits)
        bucket_bits = (uint32_t)knobs->bucket_bits - 1;
    if (flat)
        bucket_bits = 0;
    if (bucket_bits > KNOB_BUCKET_BITS_MOST)
        bucket_bits = KNOB_BUCKET_BITS_MOST;
    if (bucket_bits > source_bits)
        bucket_bits = source_bits;
    geometry.source_bits = (uint8_t)source_bits;
    geometry.target_bits = (uint8_t)target_bits;
    geometry.shift = (uint8_t)(source_bits - bucket_bits);
    geometry.n_buckets = UINT32_C(1) << bucket_bits;
    const bool packs = !flat && target_bits < 32 && geometry.shift + target_bits <= 32;
    geometry.arc_bytes = source_bits > 32 || target_bits > 32 ? 16 : packs ? 4 : 8;
    uint64_t block_bytes =
        arcs / em_context_threads(context) * em_entry_bytes(&geometry) / geometry.n_buckets / BLOCKS_OF_LIST;
    block_bytes = em_knob(knobs->block_bytes, block_bytes < BLOCK_LEAST  ? BLOCK_LEAST
                                              : block_bytes > BLOCK_MOST ? BLOCK_MOST
                                                                         : block_bytes);
    geometry.block_bytes = UINT32_C(1) << (em_bit_length(block_bytes) - 1);
    if (geometry.block_bytes < 64)
        geometry.block_bytes = 64;
    const uint64_t worker_bytes = n_arcs / em_context_threads(context) * em_entry_bytes(&geometry);
    if (worker_bytes / (flat ? 1 : EM_STORE_GROUPS) >= LARGE_SLABS * EM_HUGE_PAGE_BYTES)
        geometry.slab_bytes = EM_HUGE_PAGE_BYTES;
    return geometry;
}

/* Slabs are huge pages, which can become pages of the result. Where little or nobody knows how much is to come they
 * grow up to that by an eighth, lest much lies empty at the end, and begin differently, lest all grow at once where
 * arcs are spread evenly; in large stores they grow beyond: mappings are not endless. */
uint64_t em_store_slab_bytes(const em_geometry *geometry, uint32_t group, uint64_t before, uint64_t worker_bytes)
{
    enum { FIRST = 1 << 14, LARGE = 32 << 20, PAGES_MOST_BYTES = 512 << 20 };
    const uint64_t least = FIRST < 4 * geometry->block_bytes ? 4 * geometry->block_bytes : FIRST;
    if (worker_bytes > PAGES_MOST_BYTES)
        return LARGE;
    if (geometry->slab_bytes)
        return geometry->slab_bytes;
    const uint64_t next = before ? before + before / 8 : least / EM_STORE_GROUPS * (EM_STORE_GROUPS + group);
    return next < EM_HUGE_PAGE_BYTES ? next : EM_HUGE_PAGE_BYTES;
}
