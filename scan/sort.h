/* sort - stable radix sorts: keys, keys with payloads, records, arcs by (source, target).
 *
 * Keys are unsigned and come out ascending; what has equal keys keeps its order. The bytes are the same for any number
 * of threads. Arrays are the caller's, begin at a multiple of their elements' size, and must not overlap (EM_USAGE).
 * Every sort is in place as the caller sees it: it reads the arrays, works in scratch memory as large as its records
 * (and a few megabytes a thread), and leaves the result where the input was, which costs no pass of its own. The
 * context keeps scratch for the next call (see context.h). Already sorted input costs one pass of reading and no
 * scratch.
 *
 * Cost in memory traffic, where keys are spread: two passes of reading and two of writing, and one of reading more to
 * count; each part that is larger than a cache costs its own share of one more partition. After an error (EM_NO_MEMORY,
 * EM_CANCELLED) arrays hold what they held before if memory was refused at the beginning, anything otherwise. As
 * everywhere, one thread at a time calls with one context.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_SCAN_SORT_H
#define EM_SCAN_SORT_H

#include "scan/base/context.h"
#include "scan/monoid.h"

/* keys[n] of EM_U32 or EM_U64. Scratch: n keys. */
EM_API em_status em_sort(em_context *context, em_type type, void *keys, uint64_t n, em_error *error);

/* keys[n] of EM_U32 or EM_U64, and payloads[n] of payload_bytes (4 or 8), which move with their keys. Scratch: n keys
 * and payloads. */
EM_API em_status em_sort_pairs(em_context *context, em_type key_type, void *keys, uint32_t payload_bytes,
                               void *payloads, uint64_t n, em_error *error);

/* A record is a little-endian key of key_bytes (4, 8 or 16) and directly behind it a payload of payload_bytes (0, 4 or
 * 8): {u32 key, u32 payload}, {u64 target, u64 source} as one key of 16 bytes, and so on; nothing lies between or
 * behind, so that {u64, u32} takes 12 bytes. Only bits low to high - 1 of the key count, bit 0 being the least; both 0:
 * all of them. */
typedef struct em_sort_layout {
    uint32_t key_bytes, payload_bytes;
    uint32_t low, high;
} em_sort_layout;

/* records[n]. Scratch: n records. */
EM_API em_status em_sort_records(em_context *context, const em_sort_layout *layout, void *records, uint64_t n,
                                 em_error *error);

/* Arcs by (source, target): sources[n] and targets[n] of id_bytes (4 or 8), weights[n] of weight_bytes (4 or 8; 0:
 * none, and weights is NULL), which may be anything that belongs to an arc. Ids are below n_vertices, or n_vertices is
 * 0 and a sample tells; where either is wrong that costs one pass more. Scratch: what n arcs take at most; 8 bytes and
 * the weight an arc where both ids together have no more than 64 bits; and 4 where the first digit leaves 32 of them
 * (up to 2^21 vertices). */
EM_API em_status em_sort_arcs(em_context *context, uint32_t id_bytes, void *sources, void *targets,
                              uint32_t weight_bytes, void *weights, uint64_t n, uint64_t n_vertices, em_error *error);

/* Bytes of scratch that em_sort_arcs holds at most for n arcs that are not in order, provided that ids are below
 * n_vertices (0: unknown); what is left out are some kilobytes. It depends on these numbers, the context's threads and
 * the processor, and on nothing in the arrays. */
EM_API uint64_t em_sort_arcs_bytes(em_context *context, uint32_t id_bytes, uint32_t weight_bytes, uint64_t n,
                                   uint64_t n_vertices);

/* counts[1 << bits]: how many of keys[n] (EM_U32 or EM_U64) have each value of bits shift to shift + bits - 1; bits is
 * 1 to 16, and bits past a key's end are 0. One pass of reading. */
EM_API em_status em_histogram(em_context *context, em_type type, const void *keys, uint64_t n, uint32_t shift,
                              uint32_t bits, uint64_t *counts, em_error *error);

#endif
