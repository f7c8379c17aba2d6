/* peers_compact - the compaction of libstdc++, in one thread and on TBB, for `edgemill bench compact`.
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

template <typename T> uint64_t copy_if(const void *in, void *out, uint64_t n, const void *least, uint32_t)
{
    const T *from = static_cast<const T *>(in), c = *static_cast<const T *>(least);
    T *to = static_cast<T *>(out);
    return static_cast<uint64_t>(std::copy_if(from, from + n, to, [c](T x) { return x < c; }) - to);
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

template <typename T> uint64_t copy_if_par(const void *in, void *out, uint64_t n, const void *least, uint32_t n_threads)
{
    const T *from = static_cast<const T *>(in), c = *static_cast<const T *>(least);
    T *to = static_cast<T *>(out);
    allow(n_threads);
    return static_cast<uint64_t>(
        std::copy_if(std::execution::par_unseq, from, from + n, to, [c](T x) { return x < c; }) - to);
}
#endif

std::vector<em_compact_peer> peers;

template <typename T> void add(const char *element)
{
    peers.push_back({"std::copy_if", element, 0, copy_if<T>});
#if defined(EM_HAVE_TBB)
    peers.push_back({"std::copy_if par", element, 1, copy_if_par<T>});
#endif
}

} // namespace

extern "C" __attribute__((visibility("default"))) const em_compact_peer *edgemill_compact_peers(uint32_t abi,
                                                                                                uint64_t *n)
{
    if (abi != EM_PEERS_ABI)
        return nullptr;
    if (peers.empty()) {
        add<uint32_t>("u32");
        add<uint64_t>("u64");
    }
    *n = peers.size();
    return peers.data();
}
