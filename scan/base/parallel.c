/* parallel - see parallel.h.
 *
 * OpenMP keeps its team alive between regions, which makes a region of two threads cost about a microsecond: libgomp's
 * threads spin for the next one, and for each other, 15 ms and more. Where other programs run beside, such a thread
 * spends its share of a processor on nothing, is then kept waiting, and everybody waits for it: scans of a million u32
 * by two threads took 12 to 24 ms instead of 0.2. With more threads than processors libgomp spins briefly (50 us)
 * instead. So where the caller was kept waiting, one thread more is asked for, which has no work, for the next regions.
 * Under the thread sanitizer pthreads take its place: gcc's libgomp is not instrumented, so its barriers look like
 * races.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/base/parallel.h"
#include "scan/base/clock.h"

#include <pthread.h>
#include <stdlib.h>

#if defined(__SANITIZE_THREAD__)
#define USE_PTHREADS 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define USE_PTHREADS 1
#endif
#endif

typedef struct region {
    em_context *context;
    em_work *work;
    void *state;
    em_error *error;
    pthread_mutex_t lock;
    em_status status; /* of the error kept */
    uint64_t position;
} region;

/* Non-temporal stores are ordered before whatever tells others that the work is done. */
static void fence(void)
{
#if defined(__x86_64__)
    __builtin_ia32_sfence();
#endif
}

static void run_worker(region *shared, uint32_t worker, uint32_t n_workers)
{
    em_error error = {0};
    const em_status status = shared->work(shared->state, worker, n_workers, &error);
    fence();
    if (status == EM_OK)
        return;
    if (error.status == EM_OK)
        em_fail(&error, status, "failed without a message");
    pthread_mutex_lock(&shared->lock);
    if (shared->status == EM_OK || error.position < shared->position) {
        shared->status = status;
        shared->position = error.position;
        em_error_merge(shared->error, &error);
    }
    pthread_mutex_unlock(&shared->lock);
}

#ifdef USE_PTHREADS
typedef struct seat {
    region *shared;
    uint32_t worker, n_workers;
} seat;

static void *sit(void *argument)
{
    const seat *own = argument;
    run_worker(own->shared, own->worker, own->n_workers);
    return NULL;
}

static void run_team(region *shared, uint32_t n_workers)
{
    enum { MOST = 256 };
    pthread_t threads[MOST];
    seat seats[MOST];
    if (n_workers > MOST)
        n_workers = MOST;
    uint32_t n_started = 1;
    for (uint32_t i = 0; i < n_workers; i++)
        seats[i] = (seat){shared, i, n_workers};
    for (; n_started < n_workers; n_started++)
        if (pthread_create(&threads[n_started], NULL, sit, &seats[n_started]) != 0)
            break;
    run_worker(shared, 0, n_workers);
    for (uint32_t i = n_started; i < n_workers; i++) /* seats without a thread are still work */
        run_worker(shared, i, n_workers);
    for (uint32_t i = 1; i < n_started; i++)
        pthread_join(threads[i], NULL);
}
#else
#include <omp.h>

static void *pass(void *gate)
{
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

/* A team that will start. libgomp ends the process where a thread does not, so threads are tried out before it is asked
 * for them: some 20 µs each, once a context. Where not all start, half of what there is room for is left to the work.
 */
static uint32_t team_that_starts(uint32_t n_workers)
{
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    pthread_t *const threads = malloc(n_workers * sizeof *threads);
    uint32_t n_started = 1;
    pthread_mutex_lock(&gate);
    while (threads && n_started < n_workers && pthread_create(&threads[n_started], NULL, pass, &gate) == 0)
        n_started++;
    pthread_mutex_unlock(&gate);
    for (uint32_t i = 1; i < n_started; i++)
        pthread_join(threads[i], NULL);
    free(threads);
    pthread_mutex_destroy(&gate);
    return n_started < n_workers ? (n_started + 1) / 2 : n_workers;
}

static void run_team(region *shared, uint32_t n_workers)
{
    enum { KEPT_WAITING_NS = 2000000, N_REGIONS = 100 };
    em_team *const known = em_context_team(shared->context);
    const uint32_t n_idle = known->n_crowded > 0;
    uint32_t n_team = n_workers + n_idle;
    if (n_team > known->n_started) {
        n_team = team_that_starts(n_team);
        known->n_started = n_team > known->n_started ? n_team : known->n_started;
    }
    uint64_t finished_ns = 0;
#pragma omp parallel num_threads((int)n_team)
    {
        const uint32_t worker = (uint32_t)omp_get_thread_num(), n_here = (uint32_t)omp_get_num_threads();
        const uint32_t n_working = n_here > n_idle ? n_here - n_idle : 1;
        if (worker < n_working)
            run_worker(shared, worker, n_working);
        if (worker == 0)
            finished_ns = em_clock_ns(CLOCK_MONOTONIC);
    }
    if (em_clock_ns(CLOCK_MONOTONIC) - finished_ns > KEPT_WAITING_NS)
        known->n_crowded = N_REGIONS;
    else if (known->n_crowded > 0)
        known->n_crowded--;
}
#endif

em_status em_parallel(em_context *context, uint32_t n_workers, em_work *work, void *state, em_error *error)
{
    if (n_workers == 0)
        n_workers = em_context_threads(context);
    if (n_workers == 1) {
        const em_status status = work(state, 0, 1, error);
        fence();
        return status;
    }
    region shared = {
        .context = context, .work = work, .state = state, .error = error, .lock = PTHREAD_MUTEX_INITIALIZER};
    run_team(&shared, n_workers);
    pthread_mutex_destroy(&shared.lock);
    return shared.status;
}

/* --- shares and parts --------------------------------------------------------------------------------------------- */

static em_status heed(em_context *context, uint32_t worker, const char *stage, uint64_t done, uint64_t total,
                      em_error *error)
{
    return worker == 0 ? em_context_report(context, stage, done, total, error) : em_context_check(context, error);
}

typedef struct share_work {
    em_context *context;
    const char *stage;
    em_portion *portion;
    void *state;
    uint64_t n;
} share_work;

static em_status run_share(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    const share_work *const all = state;
    const uint64_t begin = em_share(all->n, worker, n_workers), end = em_share(all->n, worker + 1, n_workers);
    for (uint64_t at = begin; at < end; at += EM_PORTION_ITEMS) { /* what one did, the others about did, too */
        em_status status = heed(all->context, worker, all->stage, (at - begin) * n_workers, all->n, error);
        if (status == EM_OK)
            status =
                all->portion(all->state, worker, at, end - at < EM_PORTION_ITEMS ? end : at + EM_PORTION_ITEMS, error);
        if (status != EM_OK)
            return status;
    }
    return EM_OK;
}

em_status em_each_share(em_context *context, const char *stage, uint64_t n, em_portion *portion, void *state,
                        em_error *error)
{
    enum { SERIAL_ITEMS = 32 << 10 }; /* some 10 µs of the cheapest of such loops: what a team costs that must wake */
    const uint64_t knob = em_context_knobs(context)->serial_below, least = knob ? knob - 1 : SERIAL_ITEMS;
    share_work all = {context, stage, portion, state, n};
    return n ? em_parallel(context, n < least ? 1 : 0, run_share, &all, error) : EM_OK;
}

bool em_next_part(em_parts *parts, uint32_t worker, uint64_t *part, em_status *status, em_error *error)
{
    if (*status != EM_OK)
        return false;
    *part = __atomic_fetch_add(&parts->next, 1, __ATOMIC_RELAXED);
    if (*part >= parts->n)
        return false;
    *status = heed(parts->context, worker, parts->stage, *part, parts->n, error);
    return *status == EM_OK;
}
