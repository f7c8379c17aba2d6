/* bandwidth - see bandwidth.h.
 *
 * A plain copy reads each line it writes before it writes it; a non-temporal one does not, but on some processors one
 * thread alone reaches less with it. Which of the four is fastest depends on the machine, so all are timed, in turn,
 * and the best round of the best kind counts: a yardstick must not be short because the machine was busy.
 *
 * The non-temporal copy moves 16 bytes at a time, which every x86-64 can; wider stores fill the same write-combining
 * buffer and gained 1 %. Elsewhere there is only the plain copy.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/base/bandwidth.h"
#include "scan/base/clock.h"
#include "scan/base/parallel.h"

#include <string.h>

#if defined(__x86_64__)
#include <emmintrin.h>

enum { LINE_BYTES = 64, AHEAD_BYTES = 1024 };

static void copy_streaming(const char *from, char *to, uint64_t n_bytes)
{
    const uint64_t past = (uintptr_t)to % LINE_BYTES;
    const uint64_t head = past ? LINE_BYTES - past : 0;
    if (n_bytes < head + LINE_BYTES) {
        memcpy(to, from, n_bytes);
        return;
    }
    memcpy(to, from, head);
    uint64_t at = head;
    for (; at + LINE_BYTES <= n_bytes; at += LINE_BYTES) {
        const __m128i *line = (const __m128i *)(const void *)(from + at);
        __m128i *out = (__m128i *)(void *)(to + at);
        _mm_prefetch(from + at + AHEAD_BYTES, _MM_HINT_T0);
        const __m128i a = _mm_loadu_si128(line), b = _mm_loadu_si128(line + 1);
        const __m128i c = _mm_loadu_si128(line + 2), d = _mm_loadu_si128(line + 3);
        _mm_stream_si128(out, a);
        _mm_stream_si128(out + 1, b);
        _mm_stream_si128(out + 2, c);
        _mm_stream_si128(out + 3, d);
    }
    memcpy(to + at, from + at, n_bytes - at);
    _mm_sfence();
}
#else
static void copy_streaming(const char *from, char *to, uint64_t n_bytes)
{
    memcpy(to, from, n_bytes);
}
#endif

typedef struct copy {
    const char *from;
    char *to;
    uint64_t n_bytes;
    bool streaming;
} copy;

static em_status copy_share(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    (void)error;
    const copy *of = state;
    const uint64_t begin = em_share(of->n_bytes, worker, n_workers), end = em_share(of->n_bytes, worker + 1, n_workers);
    if (of->streaming)
        copy_streaming(of->from + begin, of->to + begin, end - begin);
    else
        memcpy(of->to + begin, of->from + begin, end - begin);
    return EM_OK;
}

em_status em_copy(em_context *context, em_copy_kind kind, const void *from, void *to, uint64_t n_bytes, em_error *error)
{
    copy of = {from, to, n_bytes, kind == EM_COPY_STREAM_ONE || kind == EM_COPY_STREAM_ALL};
    const bool one = kind == EM_COPY_PLAIN_ONE || kind == EM_COPY_STREAM_ONE;
    if (n_bytes == 0)
        return EM_OK;
    return em_parallel(context, one ? 1 : 0, copy_share, &of, error);
}

em_status em_copy_bandwidth(em_context *context, uint64_t n_bytes, double *bytes_per_second, em_error *error)
{
    enum { N_ROUNDS = 4 }; /* the first touches the pages and does not count */
    void *from = NULL, *to = NULL;
    double best = 0;
    *bytes_per_second = 0;
    if (n_bytes == 0)
        return em_fail(error, EM_USAGE, "bandwidth: no bytes to copy");
    em_status status = em_allocate(context, n_bytes, &from, error);
    if (status == EM_OK)
        status = em_allocate(context, n_bytes, &to, error);
    if (status != EM_OK)
        goto done;
    memset(from, 1, n_bytes);
    for (int round = 0; round < N_ROUNDS; round++)
        for (int kind = 0; kind < EM_N_COPIES; kind++) {
            const uint64_t begin_ns = em_clock_ns(CLOCK_MONOTONIC);
            status = em_copy(context, (em_copy_kind)kind, from, to, n_bytes, error);
            const double took = 1e-9 * (double)(em_clock_ns(CLOCK_MONOTONIC) - begin_ns);
            if (status != EM_OK)
                goto done;
            if (round > 0 && took > 0 && 2 * (double)n_bytes / took > best)
                best = 2 * (double)n_bytes / took;
        }
    *bytes_per_second = best;
done:
    em_free(context, from, n_bytes);
    em_free(context, to, n_bytes);
    return status;
}
