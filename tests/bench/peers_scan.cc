/* peers_scan - the scans of libstdc++, TBB and gcc's `omp simd`, for `edgemill bench scan`.
 *
 * Built for the machine it is built on (-O3 -march=native): a peer should have every advantage. Without TBB the
 * parallel ones are left out. The parallel algorithms of libstdc++ run on TBB as well.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/bench/peer.h"

#include <functional>
#include <memory>
#include <numeric>
#include <vector>
#if defined(EM_HAVE_TBB)
#include <execution>
#include <tbb/global_control.h>
#include <tbb/parallel_scan.h>
#endif

namespace
{

struct mat2 {
    uint32_t a, b, c, d;
};

struct times {
    mat2 operator()(const mat2 &x, const mat2 &y) const
    {
        return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
    }
};

/* What is scanned: Item to Sum by Plus, from zero(). */
template <typename T> struct numbers {
    using Item = T;
    using Sum = T;
    using Plus = std::plus<T>;
    static Sum zero()
    {
        return 0;
    }
};
template <typename T> struct counts {
    using Item = T;
    using Sum = uint64_t;
    using Plus = std::plus<uint64_t>;
    static Sum zero()
    {
        return 0;
    }
};
struct matrices {
    using Item = mat2;
    using Sum = mat2;
    using Plus = times;
    static Sum zero()
    {
        return {1, 0, 0, 1};
    }
};

template <typename S> const typename S::Item *items(const void *in)
{
    return static_cast<const typename S::Item *>(in);
}
template <typename S> typename S::Sum *sums(void *out)
{
    return static_cast<typename S::Sum *>(out);
}

/* --- one thread -------------------------------------------------------------------------------------------- */

template <typename S> void partial_sum(const void *in, void *out, uint64_t n, uint32_t)
{
    std::partial_sum(items<S>(in), items<S>(in) + n, sums<S>(out), typename S::Plus());
}

template <typename S> void inclusive(const void *in, void *out, uint64_t n, uint32_t)
{
    std::inclusive_scan(items<S>(in), items<S>(in) + n, sums<S>(out), typename S::Plus());
}

template <typename S> void exclusive(const void *in, void *out, uint64_t n, uint32_t)
{
    std::exclusive_scan(items<S>(in), items<S>(in) + n, sums<S>(out), S::zero(), typename S::Plus());
}

template <typename S> void offsets(const void *in, void *out, uint64_t n, uint32_t)
{
    sums<S>(out)[0] = 0;
    std::inclusive_scan(items<S>(in), items<S>(in) + n, sums<S>(out) + 1, typename S::Plus(), S::zero());
}

template <typename S> void simd_inclusive(const void *in, void *out, uint64_t n, uint32_t)
{
    const auto *from = items<S>(in);
    auto *to = sums<S>(out);
    typename S::Sum sum = 0;
#pragma omp simd reduction(inscan, + : sum)
    for (uint64_t i = 0; i < n; i++) {
        sum += from[i];
#pragma omp scan inclusive(sum)
        to[i] = sum;
    }
}

template <typename S> void simd_exclusive(const void *in, void *out, uint64_t n, uint32_t)
{
    const auto *from = items<S>(in);
    auto *to = sums<S>(out);
    typename S::Sum sum = 0;
#pragma omp simd reduction(inscan, + : sum)
    for (uint64_t i = 0; i < n; i++) {
        to[i] = sum;
#pragma omp scan exclusive(sum)
        sum += from[i];
    }
}

template <typename S> void simd_offsets(const void *in, void *out, uint64_t n, uint32_t threads)
{
    sums<S>(out)[0] = 0;
    simd_inclusive<S>(in, sums<S>(out) + 1, n, threads);
}

/* --- all threads ------------------------------------------------------------------------------------------- */

#if defined(EM_HAVE_TBB)
/* Kept from call to call: making it anew would be part of every small scan. */
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

template <typename S> void par_inclusive(const void *in, void *out, uint64_t n, uint32_t n_threads)
{
    allow(n_threads);
    std::inclusive_scan(std::execution::par_unseq, items<S>(in), items<S>(in) + n, sums<S>(out), typename S::Plus());
}

template <typename S> void par_exclusive(const void *in, void *out, uint64_t n, uint32_t n_threads)
{
    allow(n_threads);
    std::exclusive_scan(std::execution::par_unseq, items<S>(in), items<S>(in) + n, sums<S>(out), S::zero(),
                        typename S::Plus());
}

template <typename S> void par_offsets(const void *in, void *out, uint64_t n, uint32_t n_threads)
{
    allow(n_threads);
    sums<S>(out)[0] = 0;
    std::inclusive_scan(std::execution::par_unseq, items<S>(in), items<S>(in) + n, sums<S>(out) + 1, typename S::Plus(),
                        S::zero());
}

template <typename S, bool EXCLUSIVE>
void tbb_scan(const typename S::Item *from, typename S::Sum *to, uint64_t n, uint32_t n_threads)
{
    using Sum = typename S::Sum;
    const typename S::Plus plus;
    allow(n_threads);
    tbb::parallel_scan(
        tbb::blocked_range<uint64_t>(0, n), S::zero(),
        [=](const tbb::blocked_range<uint64_t> &range, Sum sum, bool is_final) {
            for (uint64_t i = range.begin(); i < range.end(); i++) {
                const Sum before = sum;
                sum = plus(sum, from[i]);
                if (is_final)
                    to[i] = EXCLUSIVE ? before : sum;
            }
            return sum;
        },
        plus);
}

template <typename S> void tbb_inclusive(const void *in, void *out, uint64_t n, uint32_t n_threads)
{
    tbb_scan<S, false>(items<S>(in), sums<S>(out), n, n_threads);
}

template <typename S> void tbb_exclusive(const void *in, void *out, uint64_t n, uint32_t n_threads)
{
    tbb_scan<S, true>(items<S>(in), sums<S>(out), n, n_threads);
}

template <typename S> void tbb_offsets(const void *in, void *out, uint64_t n, uint32_t n_threads)
{
    sums<S>(out)[0] = 0;
    tbb_scan<S, false>(items<S>(in), sums<S>(out) + 1, n, n_threads);
}
#endif

/* --- the table --------------------------------------------------------------------------------------------- */

std::vector<em_peer> peers;

template <typename S> void add_common(const char *element)
{
    peers.push_back({"std::partial_sum", element, EM_PEER_INCLUSIVE, 0, partial_sum<S>});
    peers.push_back({"std::inclusive_scan", element, EM_PEER_INCLUSIVE, 0, inclusive<S>});
    peers.push_back({"std::exclusive_scan", element, EM_PEER_EXCLUSIVE, 0, exclusive<S>});
#if defined(EM_HAVE_TBB)
    peers.push_back({"std::inclusive_scan par", element, EM_PEER_INCLUSIVE, 1, par_inclusive<S>});
    peers.push_back({"std::exclusive_scan par", element, EM_PEER_EXCLUSIVE, 1, par_exclusive<S>});
    peers.push_back({"tbb::parallel_scan", element, EM_PEER_INCLUSIVE, 1, tbb_inclusive<S>});
    peers.push_back({"tbb::parallel_scan", element, EM_PEER_EXCLUSIVE, 1, tbb_exclusive<S>});
#endif
}

template <typename S> void add_numbers(const char *element)
{
    add_common<S>(element);
    peers.push_back({"omp simd", element, EM_PEER_INCLUSIVE, 0, simd_inclusive<S>});
    peers.push_back({"omp simd", element, EM_PEER_EXCLUSIVE, 0, simd_exclusive<S>});
}

template <typename S> void add_offsets(const char *element)
{
    peers.push_back({"std::inclusive_scan", element, EM_PEER_EXCLUSIVE_TOTAL, 0, offsets<S>});
    peers.push_back({"omp simd", element, EM_PEER_EXCLUSIVE_TOTAL, 0, simd_offsets<S>});
#if defined(EM_HAVE_TBB)
    peers.push_back({"std::inclusive_scan par", element, EM_PEER_EXCLUSIVE_TOTAL, 1, par_offsets<S>});
    peers.push_back({"tbb::parallel_scan", element, EM_PEER_EXCLUSIVE_TOTAL, 1, tbb_offsets<S>});
#endif
}

} // namespace

extern "C" __attribute__((visibility("default"))) const em_peer *edgemill_peers(uint32_t abi, uint64_t *n)
{
    if (abi != EM_PEERS_ABI)
        return nullptr;
    if (peers.empty()) {
        add_numbers<numbers<uint32_t>>("u32");
        add_numbers<numbers<int32_t>>("i32");
        add_numbers<numbers<uint64_t>>("u64");
        add_numbers<numbers<int64_t>>("i64");
        add_numbers<numbers<float>>("f32");
        add_numbers<numbers<double>>("f64");
        add_common<matrices>("mat2");
        add_offsets<counts<uint32_t>>("offsets-u32");
        add_offsets<counts<uint64_t>>("offsets-u64");
    }
    *n = peers.size();
    return peers.data();
}
