/* peers_sort - the sorts of libstdc++, in one thread and on TBB, for `edgemill bench sort`.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/bench/peer.h"

#include <algorithm>
#include <vector>
#if defined(EM_HAVE_TBB)
#include <execution>
#include <memory>
#include <tbb/global_control.h>
#endif

namespace
{

/* A key and what moves with it. */
struct pair {
    uint32_t key, payload;
    bool operator<(const pair &other) const
    {
        return key < other.key;
    }
};

template <typename T> void sort(void *records, uint64_t n, uint32_t)
{
    std::sort(static_cast<T *>(records), static_cast<T *>(records) + n);
}

template <typename T> void stable_sort(void *records, uint64_t n, uint32_t)
{
    std::stable_sort(static_cast<T *>(records), static_cast<T *>(records) + n);
}

#if defined(EM_HAVE_TBB)
/* Kept from call to call: making it anew would be part of every small one. */
void allow(uint32_t n_threads)
{
    static std::unique_ptr<tbb::global_control> allowed;
    static uint32_t n_allowed = 0;
    if (n_threads == n_allowed)
        return;
    allowed.reset();
    allowed = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism, n_threads);
    n_allowed = n_threads;
}

template <typename T> void sort_par(void *records, uint64_t n, uint32_t n_threads)
{
    allow(n_threads);
    std::sort(std::execution::par_unseq, static_cast<T *>(records), static_cast<T *>(records) + n);
}

template <typename T> void stable_sort_par(void *records, uint64_t n, uint32_t n_threads)
{
    allow(n_threads);
    std::stable_sort(std::execution::par_unseq, static_cast<T *>(records), static_cast<T *>(records) + n);
}
#endif

std::vector<em_sort_peer> peers;

template <typename T> void add(const char *element)
{
    peers.push_back({"std::sort", element, 0, 0, sort<T>});
    peers.push_back({"std::stable_sort", element, 0, 1, stable_sort<T>});
#if defined(EM_HAVE_TBB)
    peers.push_back({"std::sort par", element, 1, 0, sort_par<T>});
    peers.push_back({"std::stable_sort par", element, 1, 1, stable_sort_par<T>});
#endif
}

} // namespace

extern "C" __attribute__((visibility("default"))) const em_sort_peer *edgemill_sort_peers(uint32_t abi, uint64_t *n)
{
    if (abi != EM_PEERS_ABI)
        return nullptr;
    if (peers.empty()) {
        add<uint32_t>("u32");
        add<uint64_t>("u64");
        add<uint64_t>("arcs");
        add<pair>("pairs");
    }
    *n = peers.size();
    return peers.data();
}
