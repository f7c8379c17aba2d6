/* dedup_list - every arc of a coordinate list once.
 *
 * In order of (source, target): shares that are cut where the arc changes, each done in place by one worker. In input
 * order: (arc, number) records are radix sorted, which is stable, so that each arc's numbers come out ascending; the
 * first one's bit is set and its weight folded, and then columns are packed by these bits.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/base/parallel.h"
#include "scan/select.h"
#include "scan/sort.h"
#include "stages/dedup.h"
#include "stages/dedup_parts.h"
#include "stages/list.h"

typedef struct list_work {
    em_context *context;
    const em_dedup_rule *rule;
    em_edges *edges;
    void *kept_weights;
    em_dedup_part *parts; /* one more than n_parts, for where the last one ends */
    uint64_t n_parts, n_differing;
    em_parts todo;
    /* in input order */
    const char *records; /* key, then number */
    uint64_t *bits;
    uint32_t key_bytes, number_bytes;
} list_work;

/* Parts of some 2^18 arcs, n_parts + 1 of them to be filled in. */
static em_status open_parts(list_work *work, em_error *error)
{
    enum { PART_ARCS = 1 << 18, PARTS_MOST = 4096 };
    const uint64_t part_arcs = em_knob(em_context_knobs(work->context)->tile_bytes, PART_ARCS);
    const uint64_t n_parts = work->edges->n_arcs / part_arcs + 1;
    work->n_parts = n_parts < PARTS_MOST ? n_parts : PARTS_MOST;
    void *memory;
    const em_status status =
        em_allocate_zeroed(work->context, (work->n_parts + 1) * sizeof *work->parts, &memory, error);
    work->parts = memory;
    work->todo = (em_parts){work->context, "dedup", work->n_parts, 0};
    return status;
}

/* The first item of [at, n) that differs from the one in front of it, where equal ones are neighbours: steps that
 * double, then halves, as one arc may be most of the list. */
typedef bool same_items(const list_work *work, uint64_t a, uint64_t b);
static uint64_t next_change(const list_work *work, same_items *same, uint64_t at, uint64_t n)
{
    if (at == 0 || at >= n)
        return at < n ? at : n;
    const uint64_t last = at - 1;
    uint64_t step = 1, high = at;
    while (high < n && same(work, last, high)) {
        step *= 2;
        high = n - at < step ? n : at + step - 1;
    }
    uint64_t low = at; /* all before low are the same; high is not, or the end */
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (same(work, last, middle))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void cut(list_work *work, same_items *same)
{
    const uint64_t n = work->edges->n_arcs;
    for (uint64_t i = 1; i <= work->n_parts; i++) {
        const uint64_t at = em_share(n, (uint32_t)i, (uint32_t)work->n_parts), before = work->parts[i - 1].begin;
        work->parts[i].begin = next_change(work, same, at > before ? at : before, n);
    }
}

typedef em_status part_work(list_work *work, uint64_t part, em_space *space, em_error *error);

static em_status each_part(list_work *work, uint32_t worker, part_work *todo, em_error *error)
{
    em_space space = {.context = work->context};
    em_status status = EM_OK;
    for (uint64_t i; em_next_part(&work->todo, worker, &i, &status, error);)
        status = todo(work, i, &space, error);
    em_space_free(&space);
    return status;
}

/* --- in order ------------------------------------------------------------------------------------------------ */

static bool same_arcs(const list_work *work, uint64_t a, uint64_t b)
{
    const em_block *const block = work->edges->blocks;
    const uint8_t id_bytes = work->edges->id_bytes;
    return em_id_at(block->targets.at, id_bytes, a) == em_id_at(block->targets.at, id_bytes, b) &&
           em_id_at(block->sources.at, id_bytes, a) == em_id_at(block->sources.at, id_bytes, b);
}

static em_status ordered_part(list_work *work, uint64_t index, em_space *space, em_error *error)
{
    (void)space;
    const em_edges *const edges = work->edges;
    const em_block *const block = edges->blocks;
    const em_dedup_rule *const rule = work->rule;
    const uint64_t begin = work->parts[index].begin;
    em_dedup_job job = {.rule = rule,
                        .id_bytes = edges->id_bytes,
                        .sources = (char *)block->sources.at + begin * edges->id_bytes,
                        .targets = (char *)block->targets.at + begin * edges->id_bytes,
                        .n_arcs = work->parts[index + 1].begin - begin,
                        .number = begin};
    if (rule->from_bytes)
        job.weights = (const char *)block->weights.at + begin * rule->from_bytes;
    if (rule->to_bytes)
        job.kept_weights = (char *)work->kept_weights + begin * rule->to_bytes;
    if (block->positions.n_bytes)
        job.positions = (uint64_t *)block->positions.at + begin;
    const em_status status = job.n_arcs ? em_dedup_list_run(&job, error) : EM_OK;
    work->parts[index].n_kept = job.n_kept;
    __atomic_fetch_add(&work->n_differing, job.n_differing, __ATOMIC_RELAXED);
    return status;
}

static em_status ordered_parts(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    (void)n_workers;
    return each_part(state, worker, ordered_part, error);
}

/* --- in input order ------------------------------------------------------------------------------------------ */

static uint32_t record_bytes(const list_work *work)
{
    return work->key_bytes + work->number_bytes;
}

static uint64_t number_at(const list_work *work, uint64_t record)
{
    uint64_t number = 0;
    memcpy(&number, work->records + record * record_bytes(work) + work->key_bytes, work->number_bytes);
    return number;
}

static bool same_keys(const list_work *work, uint64_t a, uint64_t b)
{
    return memcmp(work->records + a * record_bytes(work), work->records + b * record_bytes(work), work->key_bytes) == 0;
}

/* Keys are source and target with the source as the higher half. */
static em_status make_records(void *state, uint32_t worker, uint64_t begin, uint64_t end, em_error *error)
{
    (void)worker;
    (void)error;
    list_work *const work = state;
    const em_edges *const edges = work->edges;
    const em_block *const block = edges->blocks;
    for (uint64_t i = begin; i < end; i++) {
        char *const at = (char *)(uintptr_t)work->records + i * record_bytes(work);
        const uint64_t source = em_id_at(block->sources.at, edges->id_bytes, i),
                       target = em_id_at(block->targets.at, edges->id_bytes, i);
        if (work->key_bytes == 8) {
            const uint64_t key = source << 32 | target;
            memcpy(at, &key, 8);
        } else {
            memcpy(at, &target, 8);
            memcpy(at + 8, &source, 8);
        }
        memcpy(at + work->key_bytes, &i, work->number_bytes);
    }
    return EM_OK;
}

static em_status keep_first(list_work *work, em_space *space, uint64_t begin, uint64_t end, em_error *error)
{
    const em_dedup_rule *const rule = work->rule;
    const em_block *const block = work->edges->blocks;
    const uint64_t first = number_at(work, begin), n = end - begin;
    __atomic_fetch_or(&work->bits[first / 64], UINT64_C(1) << first % 64, __ATOMIC_RELAXED);
    if (!rule->to_bytes)
        return EM_OK;
    char *const to = (char *)work->kept_weights + first * rule->to_bytes;
    if (n == 1) {
        em_dedup_single(rule, (const char *)block->weights.at + first * rule->from_bytes, to);
        return EM_OK;
    }
    const em_status status = em_space_reserve(space, n * rule->from_bytes, error);
    if (status != EM_OK)
        return status;
    for (uint64_t i = 0; i < n && rule->from_bytes; i++)
        memcpy((char *)space->at + i * rule->from_bytes,
               (const char *)block->weights.at + number_at(work, begin + i) * rule->from_bytes, rule->from_bytes);
    em_dedup_overflow overflow;
    const em_fold_result result = rule->fold(rule->policy, space->at, n, to, &overflow);
    if (result == EM_FOLD_DIFFERED)
        __atomic_fetch_add(&work->n_differing, 1, __ATOMIC_RELAXED);
    return result == EM_FOLD_OVERFLOWED
               ? em_dedup_refuse(rule, em_id_at(block->sources.at, work->edges->id_bytes, first),
                                 em_id_at(block->targets.at, work->edges->id_bytes, first), &overflow, begin, error)
               : EM_OK;
}

static em_status unordered_part(list_work *work, uint64_t index, em_space *space, em_error *error)
{
    const uint64_t end = work->parts[index + 1].begin;
    em_status status = EM_OK;
    for (uint64_t at = work->parts[index].begin, next; at < end; at = next) {
        for (next = at + 1; next < end && same_keys(work, at, next);)
            next++;
        const em_status kept = keep_first(work, space, at, next, error);
        if (kept != EM_OK && kept != EM_MALFORMED)
            return kept;
        status = kept == EM_OK ? status : kept;
    }
    return status;
}

static em_status unordered_parts(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    (void)n_workers;
    return each_part(state, worker, unordered_part, error);
}

static em_status marked(const void *state, uint32_t worker, uint64_t first_index, uint32_t n, uint64_t *bits,
                        em_error *error)
{
    (void)worker;
    (void)error;
    const list_work *const work = state;
    const uint64_t *const from = work->bits + first_index / 64;
    const uint32_t shift = first_index % 64;
    for (uint32_t i = 0; i < n; i += 64) /* one word of zeros lies behind the last */
        bits[i / 64] = shift ? from[i / 64] >> shift | from[i / 64 + 1] << (64 - shift) : from[i / 64];
    return EM_OK;
}

static em_status find_first_ones(list_work *work, em_error *error)
{
    const uint64_t n = work->edges->n_arcs;
    const uint8_t id_bytes = work->edges->id_bytes;
    work->key_bytes = 2 * id_bytes;
    work->number_bytes = n <= UINT32_MAX ? 4 : 8;
    const em_sort_layout layout = {.key_bytes = work->key_bytes, .payload_bytes = work->number_bytes};
    const uint64_t each = record_bytes(work);
    void *memory;
    em_status status = em_allocate_array(work->context, n, each, &memory, error);
    if (status != EM_OK)
        return status;
    work->records = memory;
    status = em_each_share(work->context, "dedup", n, make_records, work, error);
    if (status == EM_OK)
        status = em_sort_records(work->context, &layout, memory, n, error);
    if (status == EM_OK) {
        cut(work, same_keys);
        status = em_parallel(work->context, work->n_parts == 1 ? 1 : 0, unordered_parts, work, error);
    }
    em_free(work->context, memory, n * each);
    return status;
}

static em_status pack(list_work *work, em_error *error)
{
    em_edges *const edges = work->edges;
    em_block *const block = edges->blocks;
    em_buffer *const buffers[] = {&block->sources, &block->targets, &block->weights, &block->positions};
    em_column columns[4];
    uint32_t n_columns = 0;
    uint64_t n_kept = 0;
    const uint64_t n = edges->n_arcs;
    for (uint32_t i = 0; i < 4; i++)
        if (buffers[i]->n_bytes)
            columns[n_columns++] = (em_column){buffers[i]->at, buffers[i]->n_bytes / n};
    em_status status = em_select_columns(work->context, columns, n_columns, n, marked, work, &n_kept, error);
    if (status == EM_OK)
        status = em_list_shrink(edges, n_kept, error);
    return status;
}

/* --- both ---------------------------------------------------------------------------------------------------- */

/* The weights that the rule made, where they are no longer of the same kind. */
static void take_weights(em_edges *edges, const em_dedup_rule *rule, em_buffer *kept_weights)
{
    if (!kept_weights->release)
        return;
    em_buffer_free(&edges->blocks->weights);
    edges->blocks->weights = *kept_weights;
    edges->weight_kind = (uint8_t)rule->to;
    *kept_weights = (em_buffer){0};
}

em_status em_dedup_list(em_context *context, const em_dedup_rule *rule, bool ordered, em_edges *edges,
                        em_dedup_found *found, em_error *error)
{
    list_work work = {.context = context, .rule = rule, .edges = edges};
    const uint64_t n_before = edges->n_arcs, bits_bytes = (n_before / 64 + 2) * sizeof *work.bits;
    em_buffer kept_weights = {0};
    void *memory = NULL;
    em_status status = EM_OK;
    if (rule->to_bytes && !em_dedup_keeps_kind(rule))
        status = em_buffer_allocate(context, &kept_weights, edges->n_arcs, rule->to_bytes, error);
    work.kept_weights = kept_weights.release ? kept_weights.at : edges->blocks->weights.at;
    if (status == EM_OK)
        status = open_parts(&work, error);
    if (status == EM_OK && n_before && !ordered) {
        status = em_allocate_zeroed(context, bits_bytes, &memory, error);
        work.bits = memory;
        if (status == EM_OK)
            status = find_first_ones(&work, error);
        take_weights(edges, rule, &kept_weights);
        if (status == EM_OK)
            status = pack(&work, error);
    } else if (status == EM_OK) {
        cut(&work, same_arcs);
        status = em_parallel(context, work.n_parts == 1 ? 1 : 0, ordered_parts, &work, error);
        take_weights(edges, rule, &kept_weights);
        if (status == EM_OK)
            status = em_dedup_join_list(context, edges, work.parts, work.n_parts, error);
    }
    *found = (em_dedup_found){n_before - edges->n_arcs, work.n_differing};
    em_buffer_free(&kept_weights);
    em_free(context, work.bits, bits_bytes);
    if (work.parts)
        em_free(context, work.parts, (work.n_parts + 1) * sizeof *work.parts);
    return status;
}
