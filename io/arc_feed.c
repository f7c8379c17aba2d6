/* arc_feed - see arc_feed.h.
 *
 * A worker takes the next chunk of arcs and passes it on in batches of 4,096, which stay in L1: one pass over the
 * input.
 *
 * Weights. With --weights=auto a single input keeps its type; where there are several, integers become i64 and floats
 * f64, which every reader can mix (see the table of options); both widenings are exact.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/arc_feed.h"
#include "io/weight_convert.h"
#include "scan/base/parallel.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t CHUNK_BYTES = UINT64_C(1) << 22; /* of pairs: small beside the input, large beside a batch */

typedef struct feeding {
    em_read_plan *plan;
    const em_arc_feed *feed;
    uint64_t chunk_arcs;
    uint8_t weight_kind; /* what the sink gets */
    uint8_t least_id_bytes;
    pthread_mutex_t lock;                /* guards all that follows and `next` of the feed */
    uint64_t next_chunk, n_done, n_arcs; /* chunks nobody has; arcs passed on; arcs taken */
    uint64_t smallest_id, largest_id;
    em_weight_changes changes;
    uint8_t id_bytes;
    bool at_end;
} feeding;

/* One worker's buffers and counts. */
typedef struct feeder {
    feeding *all;
    uint32_t number;
    uint64_t *pairs;   /* 2 * EM_BATCH_ARCS ids of either width */
    uint64_t *weights; /* EM_BATCH_ARCS values of either width */
    uint64_t *stream;  /* a whole chunk, where the input is read in order */
    uint64_t n_arcs, smallest_id, largest_id;
    em_weight_changes changes;
    uint8_t id_bytes;
} feeder;

static em_status refuse_id(const feeding *all, uint64_t first_arc, const void *pairs, uint32_t n, em_error *error)
{
    const em_arc_feed *feed = all->feed;
    const em_read_plan *plan = all->plan;
    for (uint64_t i = 0; i < 2 * (uint64_t)n; i++) {
        const uint64_t id = em_id_at(pairs, feed->id_bytes, i), arc = first_arc + i / 2;
        const char *which = i % 2 ? "target" : "source";
        if (id < feed->base)
            return em_fail_at(error, EM_MALFORMED, arc, "%s: %s %llu: %s %llu is below the base, %u", feed->path,
                              feed->unit, (unsigned long long)arc, which, (unsigned long long)id, feed->base);
        if (id - feed->base >= plan->id_limit)
            return em_fail_at(error, EM_MALFORMED, arc, "%s: %s %llu: %s %llu is not below %llu", feed->path,
                              feed->unit, (unsigned long long)arc, which, (unsigned long long)id,
                              (unsigned long long)(plan->id_limit + feed->base));
        if (plan->vertices && !em_vertex_set_has(plan->vertices, id - feed->base))
            return em_fail_at(error, EM_MALFORMED, arc, "%s: %s %llu: %s %llu is none of the listed vertices",
                              feed->path, feed->unit, (unsigned long long)arc, which, (unsigned long long)id);
    }
    return EM_OK;
}

typedef struct bounds {
    uint64_t smallest, largest_source, largest_target;
} bounds;

#define BOUNDS_OF(type)                                                                                                \
    do {                                                                                                               \
        const type *ids = pairs;                                                                                       \
        type low = ids[0], high_source = ids[0], high_target = ids[1];                                                 \
        for (uint32_t i = 0; i < n; i++) {                                                                             \
            const type source = ids[2 * i], target = ids[2 * i + 1];                                                   \
            low = source < low ? source : low;                                                                         \
            low = target < low ? target : low;                                                                         \
            high_source = source > high_source ? source : high_source;                                                 \
            high_target = target > high_target ? target : high_target;                                                 \
        }                                                                                                              \
        return (bounds){low, high_source, high_target};                                                                \
    } while (0)

static bounds bounds_of(const void *pairs, uint8_t id_bytes, uint32_t n)
{
    if (id_bytes == 4)
        BOUNDS_OF(uint32_t);
    BOUNDS_OF(uint64_t);
}

/* Takes the base off and brings ids from `from` to `to` bytes, in place; to < from only where all ids fit. */
static void adapt_ids(void *pairs, uint32_t n, uint8_t from, uint8_t to, uint32_t base)
{
    uint32_t *narrow = pairs;
    uint64_t *wide = pairs;
    if (from == 4 && to == 4 && base)
        for (uint32_t i = 0; i < 2 * n; i++)
            narrow[i] -= base;
    else if (from == 8 && to == 8 && base)
        for (uint32_t i = 0; i < 2 * n; i++)
            wide[i] -= base;
    else if (from == 8 && to == 4)
        for (uint32_t i = 0; i < 2 * n; i++) {
            const uint32_t id = (uint32_t)(wide[i] - base);
            memcpy((char *)pairs + 4 * (size_t)i, &id, sizeof id);
        }
    else if (from == 4 && to == 8)
        for (uint32_t i = 2 * n; i-- > 0;) {
            uint32_t id;
            memcpy(&id, (const char *)pairs + 4 * (size_t)i, sizeof id);
            wide[i] = id - base;
        }
}

/* Where the sink refuses an arc, its number in the input is named. */
static em_status hand_on(const feeder *own, const em_arc_batch *batch, uint64_t first_arc, em_error *error)
{
    const em_arc_sink *const sink = &own->all->plan->sink;
    em_error refused;
    refused.status = EM_OK;
    refused.position = EM_NO_POSITION;
    const em_status status = sink->take(sink->state, own->number, batch, &refused);
    if (status == EM_MALFORMED && refused.position < batch->n_arcs) {
        const uint64_t arc = first_arc + refused.position;
        return em_fail_at(error, EM_MALFORMED, arc, "%s: %s %llu: %.*s", own->all->feed->path, own->all->feed->unit,
                          (unsigned long long)arc, EM_MESSAGE_BYTES / 2, refused.message);
    }
    if (status != EM_OK)
        em_error_merge(error, &refused);
    return status;
}

/* Passes own->pairs and own->weights on. */
static em_status pass_on(feeder *own, uint64_t chunk, uint64_t first_arc, uint32_t n, em_error *error)
{
    const feeding *all = own->all;
    const em_arc_feed *feed = all->feed;
    const bounds raw = bounds_of(own->pairs, feed->id_bytes, n);
    const uint64_t largest = raw.largest_source > raw.largest_target ? raw.largest_source : raw.largest_target;
    if (raw.smallest < feed->base || largest - feed->base >= all->plan->id_limit || all->plan->vertices) {
        const em_status status = refuse_id(all, first_arc, own->pairs, n, error);
        if (status != EM_OK)
            return status;
    }
    if (largest - feed->base > UINT32_MAX)
        own->id_bytes = 8;
    adapt_ids(own->pairs, n, feed->id_bytes, own->id_bytes, feed->base);
    em_arc_batch batch = {.pairs = own->pairs,
                          .first = UINT64_MAX,
                          .chunk = chunk,
                          .largest_source = raw.largest_source - feed->base,
                          .largest_target = raw.largest_target - feed->base,
                          .n_arcs = n,
                          .id_bytes = own->id_bytes,
                          .weight_kind = all->weight_kind};
    if (all->weight_kind != EM_WEIGHT_NONE) {
        const em_status status = em_weights_convert(own->weights, feed->weight_kind, all->weight_kind, n, &own->changes,
                                                    feed->path, first_arc, error);
        if (status != EM_OK)
            return status;
        batch.weights = own->weights;
    }
    if (raw.smallest - feed->base < own->smallest_id)
        own->smallest_id = raw.smallest - feed->base;
    if (largest - feed->base > own->largest_id)
        own->largest_id = largest - feed->base;
    own->n_arcs += n;
    return hand_on(own, &batch, first_arc, error);
}

static em_status feed_range(feeder *own, uint64_t chunk, uint64_t begin, uint64_t end, em_error *error)
{
    const em_arc_feed *feed = own->all->feed;
    em_status status = EM_OK;
    while (status == EM_OK && begin < end) {
        const uint32_t n = (uint32_t)(end - begin < EM_BATCH_ARCS ? end - begin : EM_BATCH_ARCS);
        void *weights = own->all->weight_kind != EM_WEIGHT_NONE ? own->weights : NULL;
        status = feed->fill(feed->state, begin, n, own->pairs, weights, error);
        if (status == EM_OK)
            status = pass_on(own, own->all->plan->next_chunk + chunk, begin, n, error);
        begin += n;
    }
    return status;
}

static em_status feed_ranges(feeder *own, em_error *error)
{
    feeding *all = own->all;
    em_status status = EM_OK;
    while (status == EM_OK) {
        const uint64_t chunk = __atomic_fetch_add(&all->next_chunk, 1, __ATOMIC_RELAXED);
        const uint64_t n_arcs = all->feed->n_arcs;
        if (chunk > n_arcs / all->chunk_arcs || chunk * all->chunk_arcs == n_arcs)
            break;
        const uint64_t begin = chunk * all->chunk_arcs;
        const uint64_t end = n_arcs - begin < all->chunk_arcs ? n_arcs : begin + all->chunk_arcs;
        status = feed_range(own, chunk, begin, end, error);
        if (status == EM_OK)
            status = own->number == 0 ? em_context_report(all->plan->context, "load", end, n_arcs, error)
                                      : em_context_check(all->plan->context, error);
    }
    if (status != EM_OK && status != EM_MALFORMED) /* malformed: an earlier chunk may hold an earlier error */
        __atomic_store_n(&all->next_chunk, all->feed->n_arcs / all->chunk_arcs + 1, __ATOMIC_RELAXED);
    return status;
}

/* Reads the next chunk while no other worker does. */
static em_status take_chunk(feeder *own, uint64_t *chunk, uint64_t *begin, uint64_t *n, em_error *error)
{
    feeding *all = own->all;
    const em_arc_feed *feed = all->feed;
    em_status status = EM_OK;
    *n = 0;
    pthread_mutex_lock(&all->lock);
    *chunk = all->next_chunk++;
    *begin = all->n_arcs;
    while (status == EM_OK && !all->at_end && *n < all->chunk_arcs) {
        const uint64_t left = all->chunk_arcs - *n;
        uint32_t got = 0;
        status = feed->next(feed->state, (uint32_t)(left < EM_BATCH_ARCS ? left : EM_BATCH_ARCS),
                            (char *)own->stream + *n * 2 * feed->id_bytes, &got, error);
        all->at_end = got == 0 || status != EM_OK;
        *n += got;
    }
    all->n_arcs += *n;
    pthread_mutex_unlock(&all->lock);
    return status;
}

static em_status feed_stream(feeder *own, em_error *error)
{
    feeding *all = own->all;
    const uint64_t pair_bytes = 2 * (uint64_t)all->feed->id_bytes;
    void *memory = NULL;
    em_status status = em_allocate_array(all->plan->context, all->chunk_arcs, pair_bytes, &memory, error);
    own->stream = memory;
    while (status == EM_OK) {
        uint64_t chunk, begin, n;
        em_error read_error = {0};
        const em_status read_status = take_chunk(own, &chunk, &begin, &n, &read_error);
        for (uint64_t i = 0; status == EM_OK && i < n; i += EM_BATCH_ARCS) { /* before the error: earlier arcs */
            const uint32_t portion = (uint32_t)(n - i < EM_BATCH_ARCS ? n - i : EM_BATCH_ARCS);
            memcpy(own->pairs, (const char *)own->stream + i * pair_bytes, portion * pair_bytes);
            status = pass_on(own, all->plan->next_chunk + chunk, begin + i, portion, error);
        }
        if (status == EM_OK && read_status != EM_OK)
            status = em_fail_at(error, read_status, read_error.position, "%s", read_error.message);
        if (status == EM_OK && n == 0)
            break;
        if (status == EM_OK)
            status = own->number == 0 ? em_context_report(all->plan->context, "load", begin + n, 0, error)
                                      : em_context_check(all->plan->context, error);
    }
    if (status != EM_OK) {
        pthread_mutex_lock(&all->lock);
        all->at_end = true;
        pthread_mutex_unlock(&all->lock);
    }
    em_free(all->plan->context, own->stream, all->chunk_arcs * pair_bytes);
    return status;
}

static void add_up(feeding *all, const feeder *own)
{
    pthread_mutex_lock(&all->lock);
    all->n_done += own->n_arcs;
    all->smallest_id = own->smallest_id < all->smallest_id ? own->smallest_id : all->smallest_id;
    all->largest_id = own->largest_id > all->largest_id ? own->largest_id : all->largest_id;
    all->changes.n_rounded += own->changes.n_rounded;
    all->changes.n_zeroed += own->changes.n_zeroed;
    all->id_bytes = own->id_bytes > all->id_bytes ? own->id_bytes : all->id_bytes;
    pthread_mutex_unlock(&all->lock);
}

static em_status feed_worker(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    feeding *all = state;
    em_context *context = all->plan->context;
    enum { PAIRS = 2 * EM_BATCH_ARCS * 8, WEIGHTS = EM_BATCH_ARCS * 8 };
    feeder own = {.all = all, .number = worker, .smallest_id = UINT64_MAX, .id_bytes = all->least_id_bytes};
    void *memory = NULL;
    (void)n_workers;
    em_status status = em_allocate(context, PAIRS + WEIGHTS, &memory, error);
    if (status != EM_OK)
        return status;
    own.pairs = memory;
    own.weights = own.pairs + PAIRS / sizeof *own.pairs;
    status = all->feed->next ? feed_stream(&own, error) : feed_ranges(&own, error);
    add_up(all, &own);
    em_free(context, memory, PAIRS + WEIGHTS);
    return status;
}

static uint8_t wanted_weights(const em_read_plan *plan, uint8_t given)
{
    static const uint8_t asked[] = {[EM_WEIGHTS_I32] = EM_WEIGHT_I32,
                                    [EM_WEIGHTS_I64] = EM_WEIGHT_I64,
                                    [EM_WEIGHTS_F32] = EM_WEIGHT_F32,
                                    [EM_WEIGHTS_F64] = EM_WEIGHT_F64};
    const em_weights_option option = plan->options->weights;
    if (given == EM_WEIGHT_NONE || option == EM_WEIGHTS_NONE)
        return EM_WEIGHT_NONE;
    if (option != EM_WEIGHTS_AUTO)
        return asked[option];
    if (plan->options->n_paths <= 1)
        return given;
    const bool floats = given == EM_WEIGHT_F32 || given == EM_WEIGHT_F64 || plan->weight_kind == EM_WEIGHT_F64;
    return floats ? EM_WEIGHT_F64 : EM_WEIGHT_I64;
}

static void report(const feeding *all)
{
    em_read_plan *plan = all->plan;
    plan->next_chunk += all->next_chunk;
    plan->wide |= all->id_bytes == 8;
    if (all->weight_kind != EM_WEIGHT_NONE)
        plan->weight_kind = all->weight_kind;
    em_read_report *into = plan->report;
    if (all->n_done > 0) {
        into->smallest_id =
            into->n_arcs == 0 || all->smallest_id < into->smallest_id ? all->smallest_id : into->smallest_id;
        into->largest_id = all->largest_id > into->largest_id ? all->largest_id : into->largest_id;
    }
    into->n_arcs += all->n_done;
    into->n_weights_rounded += all->changes.n_rounded;
    into->n_weights_zeroed += all->changes.n_zeroed;
    into->n_vertices = all->feed->n_vertices > into->n_vertices ? all->feed->n_vertices : into->n_vertices;
}

em_status em_arc_feed_run(em_read_plan *plan, const em_arc_feed *feed, em_error *error)
{
    const uint64_t arc_bytes = 2 * (uint64_t)feed->id_bytes;
    feeding all = {.plan = plan, .feed = feed, .smallest_id = UINT64_MAX, .lock = PTHREAD_MUTEX_INITIALIZER};
    all.chunk_arcs = em_knob(em_context_knobs(plan->context)->chunk_bytes, CHUNK_BYTES) / arc_bytes;
    all.chunk_arcs += all.chunk_arcs == 0;
    all.least_id_bytes = all.id_bytes = plan->wide ? 8 : 4;
    all.weight_kind = wanted_weights(plan, feed->weight_kind);
    em_status status = EM_OK;
    if (plan->options->weights > EM_WEIGHTS_NONE && feed->weight_kind == EM_WEIGHT_NONE && feed->n_arcs > 0)
        return em_fail(error, EM_MALFORMED, "%s: has no weights", feed->path);
    if (plan->options->weights != EM_WEIGHTS_NONE && (feed->n_arcs > 0 || feed->next || plan->options->n_paths == 1))
        status = em_plan_weighted(plan, feed->path, feed->weight_kind != EM_WEIGHT_NONE, error);
    if (status != EM_OK)
        return status;
    const uint32_t n_threads = em_context_threads(plan->context);
    const uint32_t n_workers = !feed->next && feed->n_arcs <= all.chunk_arcs ? 1 : n_threads;
    const em_read_hint hint = {.n_workers = n_workers,
                               .n_vertices = plan->options->n_paths == 1 ? feed->n_vertices : 0,
                               .n_arcs = feed->n_arcs,
                               .largest_source = feed->n_vertices ? feed->n_vertices - 1 : 0,
                               .largest_target = feed->n_vertices ? feed->n_vertices - 1 : 0};
    status = plan->sink.begin(plan->sink.state, &hint, error);
    if (status == EM_OK)
        status = em_parallel(plan->context, n_workers, feed_worker, &all, error);
    if (status == EM_OK)
        report(&all);
    pthread_mutex_destroy(&all.lock);
    return status;
}
