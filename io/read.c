/* read - em_read: the inputs one after the other, as one list.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/read.h"

#include "io/edge_text.h"
#include "io/label_list.h"
#include "io/text_number.h"

#include <inttypes.h>
#include <stdio.h>

void em_note(em_read_report *report, const char *format, ...)
{
    if (report->n_notes == sizeof report->notes / sizeof *report->notes)
        return;
    va_list words;
    va_start(words, format);
    vsnprintf(report->notes[report->n_notes++], sizeof *report->notes, format, words);
    va_end(words);
}

em_status em_plan_weighted(em_read_plan *plan, const char *path, bool weighted, em_error *error)
{
    if (plan->weighted >= 0 && plan->weighted != weighted)
        return em_fail(error, EM_MALFORMED, "%s: %s weights, and %s has %s; --weights=none reads both without", path,
                       weighted ? "has" : "has no", plan->weighted_path, weighted ? "none" : "some");
    plan->weighted = weighted;
    plan->weighted_path = path;
    return EM_OK;
}

static uint64_t offsets_bytes(uint64_t n_vertices)
{
    return n_vertices > UINT64_MAX / 8 - 1 ? UINT64_MAX : (n_vertices + 1) * 8;
}

bool em_is_sparse(const em_context *context, uint64_t n_vertices, uint64_t n_arcs)
{
    enum { MOST_ARC_BYTES = 64 };
    const uint64_t n_bytes = offsets_bytes(n_vertices);
    return n_bytes > em_knob(em_context_knobs(context)->sparse_bytes, UINT64_C(1) << 30) &&
           n_bytes / MOST_ARC_BYTES > n_arcs;
}

em_status em_check_sparse(em_context *context, const char *path, uint64_t n_vertices, uint64_t n_arcs, bool n_is_given,
                          em_error *error)
{
    if (n_is_given || !em_is_sparse(context, n_vertices, n_arcs))
        return EM_OK;
    return em_fail(error, EM_ENVIRONMENT,
                   "%s%ssparse ids: the largest is %" PRIu64 ", so that the offsets of %" PRIu64
                   " arcs alone would need %" PRIu64
                   " bytes; number the vertices anew (--relabel=dense), or insist with --vertices=%" PRIu64,
                   path ? path : "", path ? ": " : "", n_vertices - 1, n_arcs, offsets_bytes(n_vertices), n_vertices);
}

em_status em_check_sparse_list(em_context *context, const em_edges *edges, em_error *error)
{
    return em_check_sparse(context, NULL, edges->n_vertices, edges->n_arcs, edges->n_is_given, error);
}

/* --- the checksum of all arcs: a sink in front of the sink ------------------------------------------- */

/* Arcs with i64 weights are summed as f64, too: with --weights=auto a later input may make all of them that. */
typedef struct padded_sum {
    _Alignas(64) uint64_t sum;
    uint64_t sum_as_f64;
} padded_sum;

typedef struct checksum_sink {
    em_context *context;
    em_arc_sink next;
    padded_sum *sums;
    uint32_t n_sums;
} checksum_sink;

static em_status checksum_begin(void *state, const em_read_hint *hint, em_error *error)
{
    checksum_sink *const sink = state;
    if (hint->n_workers > sink->n_sums) {
        void *memory;
        const em_status status =
            em_allocate_zeroed(sink->context, hint->n_workers * sizeof *sink->sums, &memory, error);
        if (status != EM_OK)
            return status;
        for (uint32_t i = 0; i < sink->n_sums; i++)
            ((padded_sum *)memory)[i] = sink->sums[i];
        em_free(sink->context, sink->sums, sink->n_sums * sizeof *sink->sums);
        sink->sums = memory;
        sink->n_sums = hint->n_workers;
    }
    return sink->next.begin(sink->next.state, hint, error);
}

uint64_t em_weight_bits(em_weight_kind kind, const void *weights, uint64_t index)
{
    union {
        int64_t i;
        double f;
        uint64_t bits;
    } wide = {.bits = 0};
    switch (kind) {
    case EM_WEIGHT_NONE:
        break;
    case EM_WEIGHT_I32:
        wide.i = ((const int32_t *)weights)[index];
        break;
    case EM_WEIGHT_I64:
        wide.i = ((const int64_t *)weights)[index];
        break;
    case EM_WEIGHT_F32:
        wide.f = (double)((const float *)weights)[index];
        break;
    case EM_WEIGHT_F64:
        wide.f = ((const double *)weights)[index];
        break;
    }
    return wide.bits;
}

static em_status checksum_take(void *state, uint32_t worker, const em_arc_batch *batch, em_error *error)
{
    checksum_sink *const sink = state;
    uint64_t sum = 0, sum_as_f64 = 0;
    for (uint32_t i = 0; i < batch->n_arcs; i++) {
        const uint64_t source = em_id_at(batch->pairs, batch->id_bytes, 2 * i);
        const uint64_t target = em_id_at(batch->pairs, batch->id_bytes, 2 * i + 1);
        const uint64_t hash = em_arc_hash(source, target, em_weight_bits(batch->weight_kind, batch->weights, i));
        sum += hash;
        if (batch->weight_kind == EM_WEIGHT_I64) {
            const double weight = (double)((const int64_t *)batch->weights)[i];
            sum_as_f64 += em_arc_hash(source, target, em_weight_bits(EM_WEIGHT_F64, &weight, 0));
        } else {
            sum_as_f64 += hash;
        }
    }
    sink->sums[worker].sum += sum;
    sink->sums[worker].sum_as_f64 += sum_as_f64;
    return sink->next.take(sink->next.state, worker, batch, error);
}

/* --- the inputs --------------------------------------------------------------------------------------- */

static em_status set_limits(em_read_plan *plan, em_vertex_set **vertices, char origin[static 48], em_error *error)
{
    const em_read_options *const options = plan->options;
    plan->id_limit = EM_LARGEST_ID + 1;
    plan->id_limit_origin = "the largest possible id";
    if (options->has_vertices && options->vertices_from)
        return em_fail(error, EM_USAGE, "--vertices and --vertices-from exclude each other");
    if (options->has_vertices) {
        plan->id_limit = options->n_vertices;
        snprintf(origin, 48, "--vertices=%" PRIu64, options->n_vertices);
        plan->id_limit_origin = origin;
    }
    if (plan->labels && (options->base || options->has_vertices))
        return em_fail(error, EM_USAGE, "--ids=string excludes %s: labels are no numbers",
                       options->base ? "--base" : "--vertices");
    if (plan->labels && options->vertices_from) {
        const em_status status =
            em_label_list_read(plan->labels, plan->context, options->vertices_from, options->comment, error);
        plan->id_limit = em_label_table_count(plan->labels);
        plan->id_limit_origin = options->vertices_from;
        return status;
    }
    if (options->vertices_from) {
        const em_status status =
            em_vertex_set_read(plan->context, options->vertices_from, options->base, vertices, error);
        if (status != EM_OK)
            return status;
        plan->vertices = *vertices;
        plan->id_limit = em_vertex_set_end(*vertices);
        plan->id_limit_origin = options->vertices_from;
        const uint64_t n_further = em_vertex_set_further_lines(*vertices);
        if (n_further)
            em_note(plan->report, "%s: %" PRIu64 " lines have more than a vertex id; the rest of them is not read",
                    options->vertices_from, n_further);
    }
    return EM_OK;
}

em_status em_check_labels(const em_read_options *options, const em_format *format, const char *path, em_error *error)
{
    if (options->ids != EM_IDS_STRING || format->read == em_edge_text_read)
        return EM_OK;
    return em_fail(error, EM_USAGE, "%s: --ids=string reads edge lists as text (el, csv), and %s holds no labels", path,
                   format->name);
}

static em_status read_input(em_read_plan *plan, size_t i, bool checks, em_error *error)
{
    const char *const path = plan->options->paths[i];
    const em_format *format;
    em_status status = em_format_of_input(plan->context, path, plan->options->from, &format, error);
    if (status == EM_OK)
        status = checks ? em_check_labels(plan->options, format, path, error) : format->read(plan, path, error);
    return status;
}

static em_status read_inputs(em_context *context, const em_read_options *options, const em_arc_sink *sink,
                             em_label_table *labels, em_read_report *report, em_error *error)
{
    *report = (em_read_report){0};
    checksum_sink summing = {.context = context, .next = *sink};
    em_read_plan plan = {
        .context = context, .options = options, .sink = *sink, .report = report, .labels = labels, .weighted = -1};
    if (options->checksum)
        plan.sink = (em_arc_sink){&summing, checksum_begin, checksum_take};
    em_vertex_set *vertices = NULL;
    char origin[48];
    em_status status = set_limits(&plan, &vertices, origin, error);
    for (size_t i = 0; labels && i < options->n_paths && status == EM_OK; i++)
        status = read_input(&plan, i, true, error);
    for (size_t i = 0; i < options->n_paths && status == EM_OK; i++)
        status = read_input(&plan, i, false, error);
    if (status == EM_OK) {
        const uint64_t seen =
            report->n_arcs ? report->largest_id + 1 : 0; /* inputs without an n of their own may go past one that has */
        if (em_n_is_given(options) || seen > report->n_vertices)
            report->n_declared_at[0] = 0;
        report->n_vertices = em_n_is_given(options)      ? plan.id_limit
                             : report->n_vertices > seen ? report->n_vertices
                                                         : seen;
        if (labels)
            report->smallest_id = 0; /* labels say nothing about a base */
        report->id_bytes = em_id_bytes(report->n_vertices);
        report->weight_kind = plan.weighted > 0 ? plan.weight_kind : EM_WEIGHT_NONE;
        for (uint32_t i = 0; i < summing.n_sums; i++)
            report->arc_checksum +=
                report->weight_kind == EM_WEIGHT_F64 ? summing.sums[i].sum_as_f64 : summing.sums[i].sum;
    }
    if (status == EM_OK && vertices && options->listed) {
        status = em_buffer_allocate(context, options->listed, em_vertex_set_count(vertices), sizeof(uint64_t), error);
        if (status == EM_OK)
            em_vertex_set_list(vertices, options->listed->at);
    }
    em_free(context, summing.sums, summing.n_sums * sizeof *summing.sums);
    em_vertex_set_free(vertices);
    return status;
}

em_status em_read(em_context *context, const em_read_options *options, const em_arc_sink *sink, em_read_report *report,
                  em_error *error)
{
    *report = (em_read_report){0};
    if (options->ids == EM_IDS_STRING)
        return em_fail(error, EM_USAGE, "--ids=string: labels are numbered by the stage load alone");
    return read_inputs(context, options, sink, NULL, report, error);
}

em_status em_read_labels(em_context *context, const em_read_options *options, const em_arc_sink *sink,
                         em_label_table *labels, em_read_report *report, em_error *error)
{
    return read_inputs(context, options, sink, labels, report, error);
}
