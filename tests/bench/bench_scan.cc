/* bench_scan - scans beside the best copy of the same bytes and beside libstdc++, in one interleaved run.
 *
 *     bench_scan [N [PAIRS [ONLY]]]      defaults 100000000 and 11; ONLY: part of a title below
 *
 * A ratio is the median over pairs of time / time of the fastest of four copies in the same round (plain and
 * non-temporal, one thread and all), which moves as many bytes in all. Peers: std::inclusive_scan, sequential and
 * parallel (TBB).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
extern "C" {
#include "scan/base/bandwidth.h"
#include "scan/scan.h"
}

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <numeric>
#include <string>
#include <vector>
#if __has_include(<tbb/tbb.h>) /* libstdc++ runs its parallel algorithms on it */
#define WITH_TBB 1
#include <execution>
#endif

namespace
{

em_context *context;
void *in, *out;
const char *only = "";

double timed(const std::function<void()> &call)
{
    const auto begin = std::chrono::steady_clock::now();
    call();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

struct entry {
    std::string name;
    std::function<void()> call;
    std::vector<double> took, ratio;
};

/* n_bytes in and out together. */
void compare(const char *title, uint64_t n_bytes, int pairs, std::vector<entry> entries)
{
    if (!std::strstr(title, only))
        return;
    std::vector<double> best;
    for (int pair = -1; pair < pairs; pair++) { /* the first warms up */
        double copy = 1e9;
        for (int kind = 0; kind < EM_N_COPIES; kind++)
            copy = std::min(copy, timed([&] { em_copy(context, (em_copy_kind)kind, in, out, n_bytes / 2, nullptr); }));
        if (pair >= 0)
            best.push_back(copy);
        for (entry &one : entries) {
            const double took = timed(one.call);
            if (pair >= 0)
                one.took.push_back(took), one.ratio.push_back(took / copy);
        }
    }
    std::printf("%-12s best copy %7.2f ms, %5.1f GB/s\n", title, 1e3 * median(best),
                1e-9 * (double)n_bytes / median(best));
    for (entry &one : entries)
        std::printf("    %-28s %8.2f ms  ratio %.2f\n", one.name.c_str(), 1e3 * median(one.took), median(one.ratio));
    std::fflush(stdout);
}

template <typename T> void fill(uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        ((T *)in)[i] = (T)(i * 2654435761u % 1000);
}

template <typename T> void bench(const char *title, em_type type, uint64_t n, int pairs, em_context *single)
{
    fill<T>(n);
    const T *from = (const T *)in;
    T *to = (T *)out;
    compare(title, 2 * n * sizeof(T), pairs, {
        {"inclusive", [=] { em_scan_sum(context, type, EM_INCLUSIVE, in, out, n, nullptr); }, {}, {}},
            {"exclusive", [=] { em_scan_sum(context, type, EM_EXCLUSIVE, in, out, n, nullptr); }, {}, {}},
            {"inclusive, one thread", [=] { em_scan_sum(single, type, EM_INCLUSIVE, in, out, n, nullptr); }, {}, {}},
            {"std::inclusive_scan", [=] { std::inclusive_scan(from, from + n, to); }, {}, {}},
#if defined(WITH_TBB)
            {"std::inclusive_scan par",
             [=] { std::inclusive_scan(std::execution::par_unseq, from, from + n, to); },
             {},
             {}},
#endif
    });
}

/* Sizes at which the serial loop meets the team; loops of at least 1 ms. */
void bench_small(em_context *single)
{
    for (uint64_t n = 1000; n <= 10000000; n *= 10)
        for (uint64_t scale = 1; scale <= 3; scale += 2) {
            const uint64_t size = n * scale, repeats = 1 + 3000000 / size;
            std::vector<double> ours, alone, peer;
            for (int pair = 0; pair < 11; pair++) {
                ours.push_back(timed([&] {
                    for (uint64_t i = 0; i < repeats; i++)
                        em_scan_sum(context, EM_U32, EM_INCLUSIVE, in, out, size, nullptr);
                }));
                alone.push_back(timed([&] {
                    for (uint64_t i = 0; i < repeats; i++)
                        em_scan_sum(single, EM_U32, EM_INCLUSIVE, in, out, size, nullptr);
                }));
                peer.push_back(timed([&] {
                    for (uint64_t i = 0; i < repeats; i++)
                        std::inclusive_scan((uint32_t *)in, (uint32_t *)in + size, (uint32_t *)out);
                }));
            }
            std::printf("u32 %9llu: %10.2f us, one thread %10.2f us, std::inclusive_scan %10.2f us\n",
                        (unsigned long long)size, 1e6 * median(ours) / (double)repeats,
                        1e6 * median(alone) / (double)repeats, 1e6 * median(peer) / (double)repeats);
        }
}

} // namespace

int main(int argc, char **argv)
{
    const uint64_t n = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100000000;
    const int pairs = argc > 2 ? std::atoi(argv[2]) : 11;
    only = argc > 3 ? argv[3] : "";
    em_context_options options = {}, one = {};
    one.n_threads = 1;
    em_context *single;
    if (const char *tile = std::getenv("TILE"))
        options.knobs.tile_bytes = std::strtoull(tile, nullptr, 10);
    if (const char *isa = std::getenv("ISA")) {
        options.knobs.isa_limited = one.knobs.isa_limited = true;
        options.knobs.isa_at_most = one.knobs.isa_at_most = (em_isa)std::atoi(isa);
    }
    if (em_context_create(&options, &context, nullptr) != EM_OK || em_context_create(&one, &single, nullptr) != EM_OK ||
        em_allocate(context, (n + 1) * 8, &in, nullptr) != EM_OK ||
        em_allocate(context, (n + 1) * 8, &out, nullptr) != EM_OK) {
        std::fprintf(stderr, "bench_scan: out of memory\n");
        return 4;
    }
    std::memset(in, 0, (n + 1) * 8);
    std::memset(out, 0, (n + 1) * 8);
    std::printf("%llu elements, %u threads, median of %d pairs\n", (unsigned long long)n, em_context_threads(context),
                pairs);
    fill<uint32_t>(n);
    compare("offsets u32", n * 12, pairs,
            {{"u32 counts", [=] { em_scan_offsets(context, EM_U32, in, (uint64_t *)out, n, nullptr); }, {}, {}},
             {"u32 counts, one thread",
              [=] { em_scan_offsets(single, EM_U32, in, (uint64_t *)out, n, nullptr); },
              {},
              {}}});
    fill<uint64_t>(n);
    compare("offsets u64", n * 16, pairs,
            {{"u64 counts", [=] { em_scan_offsets(context, EM_U64, in, (uint64_t *)out, n, nullptr); }, {}, {}}});
    bench<uint32_t>("u32", EM_U32, n, pairs, single);
    bench<uint64_t>("u64", EM_U64, n, pairs, single);
    bench<float>("f32", EM_F32, n, pairs, single);
    bench<double>("f64", EM_F64, n, pairs, single);
    if (n >= 10000000 && std::strstr("small", only))
        bench_small(single);
    em_free(context, in, (n + 1) * 8);
    em_free(context, out, (n + 1) * 8);
    em_context_free(context);
    em_context_free(single);
    return 0;
}
