/* cost_arcs - what em_run_arcs holds: the store of arcs, the building of rows, lists through steps.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/arc_store.h"
#include "stages/cost.h"
#include "stages/csr_bucket.h"
#include "stages/load.h"

#include <string.h>

enum {
    READING_BYTES = 400 << 10, /* of a worker that reads text: its piece, batch and lines */
    STEPS_BYTES = 64 << 10,    /* of a worker: two slices on their way through steps */
    TILE_ARCS = 1 << 13        /* of a list that goes through steps */
};

/* --- the store ------------------------------------------------------------------------------------------------ */

/* Slabs of one worker and group for blocks of n_bytes, where n_groups have as many. Of huge pages half of the last one
 * is left where arcs are spread by chance: what lies a third of the way from an even spread to that is said. */
static uint64_t slabs_for(uint64_t n_bytes, const em_geometry *geometry, uint32_t group, uint64_t n_groups)
{
    uint64_t sum = 0, room = 0, last = 0;
    while (room < n_bytes) {
        last = em_store_slab_bytes(geometry, group, last, sum * n_groups);
        room += em_slab_blocks_bytes(geometry, last);
        sum += last;
    }
    const uint64_t by_chance = sum - (room - n_bytes) + last / 2;
    return last >= EM_HUGE_PAGE_BYTES ? sum / 3 * 2 + by_chance / 3 : sum;
}

static em_geometry geometry_of(const em_context *context, bool flat, const em_shape *arcs, uint64_t n_expected)
{
    const uint32_t bits = arcs->id_bytes == 8 ? 33 : em_bit_length(arcs->n_vertices ? arcs->n_vertices - 1 : 0);
    const em_weight_kind kind =
        arcs->weight_kind == EM_WEIGHT_UNKNOWN ? EM_WEIGHT_F64 : (em_weight_kind)arcs->weight_kind;
    return em_store_geometry(context, flat, bits, bits, n_expected == EM_UNKNOWN ? 0 : n_expected, kind,
                             arcs->facts & EM_HAS_POSITIONS);
}

uint64_t em_cost_store(const em_context *context, bool flat, const em_shape *arcs, uint64_t n_expected)
{
    if (arcs->n_arcs == EM_UNKNOWN || arcs->n_vertices == EM_UNKNOWN)
        return EM_UNKNOWN;
    const em_geometry geometry = geometry_of(context, flat, arcs, n_expected);
    const uint64_t n_workers = em_context_threads(context), data_bytes = em_block_data_bytes(&geometry);
    const uint64_t n_used = arcs->n_vertices ? ((arcs->n_vertices - 1) >> geometry.shift) + 1 : 1;
    const uint64_t bucket_bytes = arcs->n_arcs / n_workers / n_used * em_entry_bytes(&geometry);
    const uint64_t half = arcs->n_arcs ? geometry.block_bytes / 2 : 0; /* of the last block, empty on average */
    const uint64_t blocks_bytes = bucket_bytes / data_bytes * geometry.block_bytes + bucket_bytes % data_bytes + half;
    uint64_t sum = 0, used[EM_STORE_GROUPS] = {0};
    for (uint32_t bucket = 0; bucket < n_used && bucket < geometry.n_buckets; bucket++)
        used[em_store_group_of(&geometry, bucket)]++;
    uint64_t n_groups = 0;
    for (uint32_t group = 0; group < EM_STORE_GROUPS; group++)
        n_groups += used[group] != 0;
    for (uint32_t group = 0; group < EM_STORE_GROUPS; group++)
        sum += slabs_for(used[group] * blocks_bytes, &geometry, group, n_groups);
    return em_times(n_workers, sum + 3 * geometry.n_buckets * sizeof(void *));
}

/* Space for a bucket a worker, and the order of buckets. */
uint64_t em_cost_build(const em_context *context, const em_shape *csr, uint64_t n_expected, bool sorts)
{
    if (csr->n_arcs == EM_UNKNOWN || csr->n_vertices == EM_UNKNOWN)
        return EM_UNKNOWN;
    const em_geometry geometry = geometry_of(context, false, csr, n_expected);
    const uint32_t entry_bytes = em_entry_bytes(&geometry);
    const bool by_kernels = entry_bytes == geometry.arc_bytes && csr->id_bytes == 4 && em_row_kernels_of(context);
    const uint64_t entries = em_digits_bytes(em_most_by_digits(csr->n_arcs, geometry.n_buckets), entry_bytes);
    const uint64_t counters = (UINT64_C(4) << geometry.shift) + (sorts && !by_kernels ? entries : 0);
    return em_plus(em_times(em_context_threads(context), counters), geometry.n_buckets * sizeof(uint64_t));
}

/* --- em_run_arcs ---------------------------------------------------------------------------------------------- */

typedef struct arcs_group {
    em_context *context;
    const em_shape *shapes;
    uint32_t n_steps, first_step, n_stages;
    bool loads, builds, sorts;
    const em_fused_stage *dedup; /* NULL: none */
    em_shape kept;               /* behind the last step */
    uint64_t growth;
    uint64_t held;   /* by all steps */
    uint64_t opened; /* the most that opening a step needs, all in all */
} arcs_group;

static em_status ask_steps(arcs_group *group, const em_fused_stage *stages, em_error *error)
{
    em_status status = EM_OK;
    for (uint32_t i = group->first_step; i < group->first_step + group->n_steps && status == EM_OK; i++) {
        em_shape out = group->shapes[i + 1];
        em_cost step = {0};
        if (stages[i].stage->estimate)
            status =
                stages[i].stage->estimate(group->context, stages[i].options, &group->shapes[i], &out, &step, error);
        group->held = em_plus(group->held, step.scratch_bytes);
        group->opened = em_larger(group->opened, step.peak_bytes);
        group->growth *= strcmp(stages[i].stage->name, "symmetrize") == 0 ? 2 : 1;
    }
    return status;
}

/* A list through steps: in place, or beside itself where arcs may become two. */
static void list_cost(const arcs_group *group, em_cost *cost)
{
    const em_shape *const in = group->shapes, *const out = &group->shapes[group->n_stages];
    const uint64_t tiles = TILE_ARCS * group->growth * (em_shape_list_arc(in) + sizeof(uint64_t)) + STEPS_BYTES;
    const uint64_t most = group->growth > 1 ? em_times(em_times(in->n_arcs, group->growth), em_shape_list_arc(in)) : 0;
    cost->n_bytes_read = em_shape_list(in);
    cost->n_bytes_written = em_shape_list(out);
    cost->scratch_bytes = em_plus(group->held, em_times(em_context_threads(group->context), tiles));
    cost->peak_bytes = em_plus(em_plus(em_shape_bytes(in), most), cost->scratch_bytes);
}

/* Labels that are text, as they lie in the table by which they are numbered; see label_table.c. */
static uint64_t labels_bytes(const em_shape *shape)
{
    return shape->text_bytes ? em_plus(shape->text_bytes, em_times(shape->n_vertices, 14)) : 0;
}

/* Slots of that table, gone once all is read. */
static uint64_t slots_bytes(const em_shape *shape)
{
    return shape->text_bytes ? em_times(shape->n_vertices, shape->id_bytes ? 42 : 18) : 0;
}

/* The table beside the list, the new numbers and what becomes the labels of the graph. */
static uint64_t numbering_bytes(const em_shape *shape)
{
    const uint64_t labels = em_plus(shape->text_bytes, em_times(shape->n_vertices, 2 * sizeof(uint64_t)));
    return shape->text_bytes ? em_plus(em_shape_list(shape), em_plus(labels_bytes(shape), labels)) : 0;
}

/* Through a store: read or list beside it first, then what is made of it. */
static void store_cost(const arcs_group *group, em_cost *cost)
{
    const em_shape *const in = group->shapes, *const out = &group->shapes[group->n_stages];
    const em_shape *const kept = &group->kept;
    const uint64_t n_expected = em_times(group->shapes[group->first_step].n_arcs, group->growth);
    const uint64_t n_threads = em_context_threads(group->context);
    const uint64_t store = em_cost_store(group->context, !group->builds, kept, n_expected);
    const uint64_t source =
        group->loads ? em_plus(em_times(n_threads, READING_BYTES), slots_bytes(out)) : em_shape_list(in);
    const uint64_t labels = group->loads ? labels_bytes(out) : 0;
    em_shape rows = *out; /* with room for duplicates */
    rows.n_arcs = kept->n_arcs;
    const uint64_t result = group->builds ? em_shape_csr(&rows) : em_shape_list(out);
    const uint64_t space = group->builds ? em_cost_build(group->context, kept, n_expected, group->sorts) : 0;
    const uint64_t beside = group->loads ? 0 : em_shape_beside(in);
    const uint64_t steps = group->n_steps ? em_plus(group->held, n_threads * STEPS_BYTES) : 0;
    cost->n_bytes_read = em_plus(group->loads ? 0 : em_shape_list(in), em_times(store, group->builds ? 2 : 1));
    cost->n_bytes_written = em_plus(store, result);
    cost->scratch_bytes = em_plus(store, em_larger(steps, space));
    cost->peak_bytes =
        em_plus(em_plus(beside, em_plus(labels, store)), em_larger(em_plus(source, steps), em_plus(result, space)));
    if (group->loads)
        cost->peak_bytes = em_larger(cost->peak_bytes, numbering_bytes(out));
}

/* A list in order becomes rows as it is; only dedup may need anything. */
static em_status take_cost(const arcs_group *group, em_cost *cost, em_error *error)
{
    const em_shape *const in = group->shapes, *const out = &group->shapes[group->n_stages];
    const uint64_t offsets = em_times(em_plus(in->n_vertices, 1), sizeof(uint64_t));
    em_shape left = *in;
    em_cost dedup = {0};
    em_status status = EM_OK;
    left.n_arcs = out->n_arcs;
    if (group->dedup)
        status = em_estimate_dedup(group->context, group->dedup->options, in, &left, &dedup, error);
    cost->n_bytes_read = em_shape_list(in);
    cost->n_bytes_written = em_plus(dedup.n_bytes_written, offsets);
    cost->scratch_bytes = dedup.scratch_bytes;
    cost->peak_bytes = em_larger(dedup.peak_bytes, em_plus(em_shape_bytes(&left), offsets));
    return status;
}

em_status em_cost_arcs(em_context *context, const em_fused_stage *stages, uint32_t n_stages, const em_shape *shapes,
                       em_cost *cost, em_error *error)
{
    arcs_group group = {.context = context, .shapes = shapes, .n_stages = n_stages, .growth = 1};
    uint32_t i = 0;
    group.loads = stages[0].stage == &em_stage_load;
    group.first_step = group.loads;
    for (i = group.first_step; i < n_stages && stages[i].stage->step; i++)
        group.n_steps++;
    for (; i < n_stages; i++) {
        group.builds |= strcmp(stages[i].stage->name, "scatter") == 0;
        group.sorts |= strcmp(stages[i].stage->name, "sort") == 0;
        if (strcmp(stages[i].stage->name, "dedup") == 0)
            group.dedup = &stages[i];
    }
    group.kept = shapes[group.first_step + group.n_steps];
    const em_status status = ask_steps(&group, stages, error);
    if (status != EM_OK)
        return status;
    if (group.builds && !group.loads && group.n_steps == 0 && group.kept.facts & EM_SORTED)
        return take_cost(&group, cost, error);
    group.sorts &= !(group.kept.facts & EM_SORTED);
    if (!group.loads && !group.builds)
        list_cost(&group, cost);
    else
        store_cost(&group, cost);
    cost->peak_bytes = em_larger(cost->peak_bytes, group.opened);
    return EM_OK;
}
