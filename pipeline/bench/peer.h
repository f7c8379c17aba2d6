/* peer - how other libraries are called: the tables that edgemill-peers.so hands out.
 *
 * Peers are C++ and the program is C, so they are an object of their own that `edgemill bench` loads when it is there.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_PIPELINE_BENCH_PEER_H
#define EM_PIPELINE_BENCH_PEER_H

#include <stdint.h>

enum { EM_PEERS_ABI = 1 };

/* What a peer writes: em_scan_kind, in its order. */
enum { EM_PEER_INCLUSIVE = 0, EM_PEER_EXCLUSIVE, EM_PEER_EXCLUSIVE_TOTAL };

typedef struct em_peer {
    const char *name;     /* "std::inclusive_scan" */
    const char *element;  /* the case that it scans: "u32", "mat2", "offsets-u32" */
    int32_t kind;         /* EM_PEER_… */
    int32_t uses_threads; /* it takes n_threads; else one */
    void (*run)(const void *in, void *out, uint64_t n, uint32_t n_threads);
} em_peer;

#define EM_PEERS_SYMBOL "edgemill_peers"

/* The table of *n peers, or NULL for an abi that is not known. */
typedef const em_peer *em_peers_entry(uint32_t abi, uint64_t *n);

/* Compaction: keeps the items below *least of in[n], in their order, and returns how many there are. */
typedef struct em_compact_peer {
    const char *name;     /* "std::copy_if" */
    const char *element;  /* "u32" */
    int32_t uses_threads; /* it takes n_threads; else one */
    uint64_t (*run)(const void *in, void *out, uint64_t n, const void *least, uint32_t n_threads);
} em_compact_peer;

#define EM_COMPACT_PEERS_SYMBOL "edgemill_compact_peers"

typedef const em_compact_peer *em_compact_peers_entry(uint32_t abi, uint64_t *n);

/* Sorts records[n] in place: numbers, or {u32 key, u32 payload} by their keys. */
typedef struct em_sort_peer {
    const char *name;     /* "std::sort" */
    const char *element;  /* "u32", "u64", "arcs" (which are u64), "pairs" */
    int32_t uses_threads; /* it takes n_threads; else one */
    int32_t is_stable;
    void (*run)(void *records, uint64_t n, uint32_t n_threads);
} em_sort_peer;

#define EM_SORT_PEERS_SYMBOL "edgemill_sort_peers"

typedef const em_sort_peer *em_sort_peers_entry(uint32_t abi, uint64_t *n);

#endif
