/* timing - contenders called in turn, round after round.
 *
 * A call that is shorter than a millisecond is repeated until the loop is that long, so that neither the clock nor an
 * interrupt decides. Each round begins with another contender: who comes after whom is no advantage.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/bench/bench.h"
#include "scan/base/clock.h"

enum { LEAST_NS = 1000000 };

em_status bench_call(const bench_contender *contender, em_error *error)
{
    if (contender->work)
        return contender->work(contender->state, error);
    switch (contender->who) {
    case BENCH_COPY:
        return em_copy(contender->context, contender->copy, contender->call.in, contender->call.out, contender->n_bytes,
                       error);
    case BENCH_OURS:
        return em_scan(contender->context, &contender->call, error);
    default:
        contender->peer->run(contender->call.in, contender->call.out, contender->call.n, contender->n_threads);
        return EM_OK;
    }
}

/* Nanoseconds of `repeats` calls. */
static em_status timed(const bench_contender *contender, uint64_t repeats, double *ns, em_error *error)
{
    em_status status = EM_OK;
    const uint64_t begin_ns = em_clock_ns(CLOCK_MONOTONIC);
    for (uint64_t i = 0; i < repeats && status == EM_OK; i++)
        status = bench_call(contender, error);
    *ns = (double)(em_clock_ns(CLOCK_MONOTONIC) - begin_ns);
    return status;
}

em_status bench_calibrate(bench_contender *contender, em_error *error)
{
    contender->repeats = 1;
    for (;;) {
        double ns;
        const em_status status = timed(contender, contender->repeats, &ns, error);
        if (status != EM_OK || ns >= LEAST_NS)
            return status;
        /* Straight to the goal when the loop is long enough to foretell it; the margin is for the next, warmer loop. */
        const double wanted = 1.2 * LEAST_NS / (ns > 1 ? ns : 1);
        contender->repeats = (uint64_t)((double)contender->repeats * (wanted < 2 ? 2 : wanted > 32 ? 32 : wanted));
    }
}

em_status bench_interleave(bench_contender *contenders, uint32_t n, uint32_t n_pairs, em_error *error)
{
    em_status status = EM_OK;
    for (uint32_t i = 0; i < n && status == EM_OK; i++)
        status = bench_calibrate(&contenders[i], error);
    for (uint32_t round = 0; round < n_pairs; round++)
        for (uint32_t i = 0; i < n && status == EM_OK; i++) {
            bench_contender *contender = &contenders[(round + i) % n];
            double ns;
            status = timed(contender, contender->repeats, &ns, error);
            contender->ns[round] = ns / (double)contender->repeats;
        }
    return status;
}

em_status bench_each(const bench_contender *contender, double *ns, uint32_t n, em_error *error)
{
    em_status status = EM_OK;
    for (uint32_t i = 0; i < n && status == EM_OK; i++)
        status = timed(contender, 1, &ns[i], error);
    return status;
}
