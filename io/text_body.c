/* text_body - see text_body.h.
 *
 * Each worker takes a chunk, runs the fast loop over it and sends every line that the loop refuses through the careful
 * parser. Limits (--vertices, --base, a vertex list) cost the fast loop nothing: a batch that breaks one is taken
 * back and its lines are parsed again with care, which names the place. Line numbers are counted within chunks and
 * added up only when one is needed, so that messages do not depend on the number of threads. Where the sink refuses an
 * arc, text_batch.c knows its line.
 * Cost: one pass over the text; arcs leave in batches that stay in L1.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/text_body.h"

#include "io/label_body.h"
#include "io/label_table.h"
#include "io/text_sample.h"
#include "scan/base/parallel.h"

#include <stdio.h>

enum { BATCH_ARCS = 2048 };                     /* 16 KiB of 4-byte pairs: half an L1 */
static const uint64_t WORKER_BYTES = 256 << 10; /* text below which one more worker does not pay */

static em_text_fast *choose_fast(const em_context *context)
{
#if defined(__x86_64__)
    if (em_context_isa(context) == EM_ISA_AVX512)
        return em_text_fast_avx512;
    if (em_context_isa(context) == EM_ISA_AVX2)
        return em_text_fast_avx2;
#endif
    (void)context;
    return em_text_fast_scalar;
}

/* --- one line with care -------------------------------------------------------------------------- */

/* Parses the line at `at`; *next is the one behind it. */
static em_status take_line(em_text_read *read, em_text_worker *worker, uint32_t number, const char *at, const char *end,
                           const char **next, em_error *error)
{
    const char *const newline = memchr(at, '\n', (size_t)(end - at));
    *next = newline ? newline + 1 : end;
    em_text_arc arc;
    em_line_fault fault;
    worker->n_lines++;
    switch (
        em_text_parse_line(&read->head.layout, at, newline ? newline : end, worker->batch.weight_kind, &arc, &fault)) {
    case EM_LINE_ARC:
        worker->n_extra_lines += arc.extra_columns;
        return em_text_append(read, worker, number, worker->n_lines - worker->chunk_first_line, &arc, error);
    case EM_LINE_COMMENT:
        worker->n_comment_lines++;
        break;
    case EM_LINE_BLANK:
        worker->n_blank_lines++;
        break;
    case EM_LINE_BAD:
        em_text_record_fault(read, worker, worker->n_lines - worker->chunk_first_line, &fault);
        break;
    }
    return EM_OK;
}

/* --- pieces and chunks ---------------------------------------------------------------------------- */

/* Whether the arcs from `first` on keep the limits. An id below the base has wrapped around to the largest one. */
static bool within_limits(const em_text_read *read, const em_text_batch *batch, uint32_t first)
{
    const em_text_layout *const layout = &read->head.layout;
    if (batch->largest_source >= layout->id_limit || batch->largest_target >= layout->id_limit)
        return false;
    if (!layout->vertices)
        return true;
    bool all = true;
    for (uint32_t i = 2 * first; i < 2 * batch->n_arcs; i++)
        all &= em_vertex_set_has(layout->vertices, em_id_at(batch->pairs, batch->wide ? 8 : 4, i));
    return all;
}

static em_status take_piece(em_text_read *read, em_text_worker *worker, uint32_t number, const char *at,
                            const char *end, em_error *error)
{
    em_text_batch *const batch = &worker->batch;
    const bool fast = read->head.layout.plain;
    em_status status = EM_OK;
    while (at < end && status == EM_OK && !worker->failed) {
        const char *careful_until = at; /* lines in front of this one are parsed with care */
        if (fast) {
            if (batch->n_arcs + EM_FAST_ROOM > batch->capacity &&
                ((status = em_text_flush(read, worker, number, error)) != EM_OK || worker->failed))
                return status;
            const em_text_batch before = *batch;
            const char *const stop = read->fast(at, end, batch);
            if (batch->n_arcs > before.n_arcs && !within_limits(read, batch, before.n_arcs)) {
                *batch = before;
                careful_until = stop;
            } else {
                if (batch->n_arcs > before.n_arcs)
                    em_text_note_line(worker, before.n_arcs, worker->n_lines - worker->chunk_first_line + 1);
                worker->n_lines += batch->n_arcs - before.n_arcs;
                at = careful_until = stop;
            }
            if (batch->n_arcs + EM_FAST_ROOM > batch->capacity)
                continue;
        }
        do {
            if (at == end)
                break;
            status = take_line(read, worker, number, at, end, &at, error);
        } while (at < careful_until && status == EM_OK && !worker->failed);
    }
    return status;
}

static em_status remember_lines(em_text_read *read, uint64_t chunk, uint64_t n_lines, em_error *error)
{
    em_context *const context = read->plan->context;
    em_status status = EM_OK;
    pthread_mutex_lock(&read->lock);
    if (chunk >= read->capacity) {
        const uint64_t capacity = (chunk + 1) * 2;
        void *memory;
        if ((status = em_allocate_zeroed(context, capacity * sizeof *read->chunk_lines, &memory, error)) == EM_OK) {
            if (read->chunk_lines)
                memcpy(memory, read->chunk_lines, read->capacity * sizeof *read->chunk_lines);
            em_free(context, read->chunk_lines, read->capacity * sizeof *read->chunk_lines);
            read->chunk_lines = memory;
            read->capacity = capacity;
        }
    }
    if (status == EM_OK)
        read->chunk_lines[chunk] = 1 + n_lines;
    if (chunk >= read->n_chunks)
        read->n_chunks = chunk + 1;
    pthread_mutex_unlock(&read->lock);
    return status;
}

static em_status take_chunk(em_text_read *read, em_text_worker *worker, uint32_t number, em_source_reader *reader,
                            em_error *error)
{
    worker->chunk_first_line = worker->n_lines;
    for (;;) {
        if (__atomic_load_n(&read->fault_chunk, __ATOMIC_RELAXED) < worker->chunk)
            return EM_OK;
        const char *begin, *end;
        em_status status = em_source_next_piece(reader, &begin, &end, error);
        if (status != EM_OK)
            return status;
        if (begin == end)
            break;
        status = read->plan->labels ? em_label_take_piece(read, worker, number, begin, end, error)
                                    : take_piece(read, worker, number, begin, end, error);
        if (status != EM_OK)
            return status;
        if (worker->failed) /* an arc in front of the bad line may be refused: then that is what failed first */
            return em_text_flush(read, worker, number, error);
    }
    const em_status status = em_text_flush(read, worker, number, error);
    if (worker->failed)
        return status;
    return status == EM_OK ? remember_lines(read, worker->chunk, worker->n_lines - worker->chunk_first_line, error)
                           : status;
}

static em_status work(void *state, uint32_t number, uint32_t n_workers, em_error *error)
{
    (void)n_workers;
    em_text_read *const read = state;
    em_text_worker *const worker = &read->workers[number];
    em_context *const context = read->plan->context;
    em_source_reader reader = {0};
    em_status status = em_source_reader_open(read->source, &reader, error);
    while (status == EM_OK && !worker->failed) {
        status = number == 0 ? em_context_report(context, "load", em_source_consumed_bytes(read->source),
                                                 em_source_file_bytes(read->source), error)
                             : em_context_check(context, error);
        if (status != EM_OK || (status = em_source_next_chunk(&reader, &worker->chunk, error)) != EM_OK)
            break;
        if (worker->chunk == UINT64_MAX || __atomic_load_n(&read->fault_chunk, __ATOMIC_RELAXED) < worker->chunk)
            break;
        status = take_chunk(read, worker, number, &reader, error);
    }
    if (status != EM_OK || worker->failed) /* nobody need wait for text that will not be read */
        em_source_stop(read->source);
    em_source_reader_close(&reader);
    return status;
}

/* --- before and after ------------------------------------------------------------------------------ */

static em_status open_workers(em_text_read *read, uint32_t n_workers, em_error *error)
{
    em_context *const context = read->plan->context;
    void *memory;
    em_status status = em_allocate_zeroed(context, n_workers * sizeof *read->workers, &memory, error);
    if (status != EM_OK)
        return status;
    read->workers = memory;
    read->n_workers = n_workers;
    for (uint32_t i = 0; i < n_workers; i++) {
        em_text_worker *const worker = &read->workers[i];
        worker->smallest = UINT64_MAX;
        if ((status = em_allocate(context, BATCH_ARCS * 2 * sizeof(uint64_t), &worker->batch.pairs, error)) != EM_OK ||
            (status = em_allocate(context, BATCH_ARCS * sizeof(uint64_t), &worker->batch.weights, error)) != EM_OK ||
            (status = em_allocate(context, BATCH_ARCS * sizeof *worker->stretches, &memory, error)) != EM_OK)
            return status;
        worker->stretches = memory;
        status = em_allocate(context, EM_SKIPPED_KEPT * sizeof *worker->skipped, &memory, error);
        if (status != EM_OK)
            return status;
        worker->skipped = memory;
        worker->batch.capacity = BATCH_ARCS;
        worker->batch.base = read->head.layout.base;
        worker->batch.separator = read->head.layout.separator;
        worker->batch.weight_kind = read->head.layout.weight_kind;
        worker->batch.wide = read->plan->wide;
        worker->batch.extra = read->head.extra;
        em_text_clear(worker);
        if (read->plan->labels && (status = em_label_group_open(read, worker, error)) != EM_OK)
            return status;
    }
    return EM_OK;
}

static void close_workers(em_text_read *read)
{
    em_context *const context = read->plan->context;
    for (uint32_t i = 0; i < read->n_workers; i++) {
        em_text_worker *const worker = &read->workers[i];
        em_free(context, worker->batch.pairs, BATCH_ARCS * 2 * sizeof(uint64_t));
        em_free(context, worker->batch.weights, BATCH_ARCS * sizeof(uint64_t));
        em_free(context, worker->stretches, BATCH_ARCS * sizeof *worker->stretches);
        em_free(context, worker->skipped, EM_SKIPPED_KEPT * sizeof *worker->skipped);
        em_label_group_free(context, worker);
    }
    em_free(context, read->workers, read->n_workers * sizeof *read->workers);
    em_free(context, read->chunk_lines, read->capacity * sizeof *read->chunk_lines);
}

/* The physical line, from 1, of a place within a chunk. Chunks in front of it were all read to their end. */
static uint64_t line_number(const em_text_read *read, const em_text_fault *at)
{
    uint64_t line = read->head.n_lines_before + at->line;
    for (uint64_t i = 0; i < at->chunk && i < read->n_chunks; i++)
        line += read->chunk_lines[i] - 1;
    return line;
}

/* Whether every chunk in front of this one was read to its end: not where memory or the disk gave out in one. */
static bool read_up_to(const em_text_read *read, uint64_t chunk)
{
    for (uint64_t i = 0; i < chunk; i++)
        if (i >= read->n_chunks || !read->chunk_lines[i])
            return false;
    return true;
}

/* The first bad line, unless something else failed in front of it. */
static em_status first_failure(const em_text_read *read, em_error *error)
{
    const em_text_fault *first = NULL;
    for (uint32_t i = 0; i < read->n_workers; i++) {
        const em_text_worker *const worker = &read->workers[i];
        if (worker->failed && (!first || worker->failure.chunk < first->chunk))
            first = &worker->failure;
    }
    if (!first || !read_up_to(read, first->chunk))
        return EM_OK;
    const uint64_t line = line_number(read, first);
    char column[16] = "";
    if (first->fault.column)
        snprintf(column, sizeof column, ":%u", first->fault.column);
    return em_fail_at(error, EM_MALFORMED, line, "%s:%llu%s: %s", em_source_path(read->source),
                      (unsigned long long)line, column, first->fault.what);
}

/* The first lines that were skipped, in the order of the input: workers hold theirs in that order. */
static void report_skipped(em_text_read *read, em_read_report *report)
{
    while (report->n_skipped_kept < EM_SKIPPED_KEPT) {
        const em_text_fault *first = NULL;
        em_text_worker *whose = NULL;
        for (uint32_t i = 0; i < read->n_workers; i++) {
            em_text_worker *const worker = &read->workers[i];
            if (worker->n_listed == EM_SKIPPED_KEPT || worker->n_listed == worker->n_skipped_lines)
                continue;
            const em_text_fault *const next = &worker->skipped[worker->n_listed];
            if (!first || next->chunk < first->chunk) {
                first = next;
                whose = worker;
            }
        }
        if (!first)
            return;
        whose->n_listed++;
        em_skipped_line *const kept = &report->skipped[report->n_skipped_kept++];
        kept->line = line_number(read, first);
        snprintf(kept->path, sizeof kept->path, "%s", em_source_path(read->source));
        snprintf(kept->why, sizeof kept->why, "%.159s", first->fault.what);
    }
}

static void report_counts(em_text_read *read)
{
    em_read_report *const report = read->plan->report;
    report->n_lines += read->head.n_lines_before;
    if (read->plan->labels) { /* where the workers did not see them */
        report->n_comment_lines += read->head.n_comment_lines;
        report->n_blank_lines += read->head.n_blank_lines;
    }
    const bool had_arcs = report->n_arcs > 0;
    uint64_t smallest = UINT64_MAX;
    report_skipped(read, report);
    for (uint32_t i = 0; i < read->n_workers; i++) {
        const em_text_worker *const worker = &read->workers[i];
        report->n_arcs += worker->n_arcs;
        report->n_lines += worker->n_lines;
        report->n_comment_lines += worker->n_comment_lines;
        report->n_blank_lines += worker->n_blank_lines;
        report->n_skipped_lines += worker->n_skipped_lines;
        report->n_extra_column_lines += worker->n_extra_lines + worker->batch.n_extra;
        report->n_weights_rounded += worker->n_rounded;
        report->n_weights_zeroed += worker->n_zeroed;
        if (worker->largest > report->largest_id)
            report->largest_id = worker->largest;
        if (worker->n_arcs && worker->smallest < smallest)
            smallest = worker->smallest;
        read->plan->wide |= worker->batch.wide;
        if (worker->batch.weight_kind > read->plan->weight_kind)
            read->plan->weight_kind = worker->batch.weight_kind;
    }
    if (smallest != UINT64_MAX && (!had_arcs || smallest < report->smallest_id))
        report->smallest_id = smallest;
    report->weight_column = read->head.layout.weight_column ? read->head.layout.weight_column : report->weight_column;
    report->n_file_bytes += em_source_file_bytes(read->source);
    report->n_text_bytes += em_source_text_bytes(read->source);
    const char *const note = em_source_note(read->source);
    if (note)
        em_note(report, "%s: %s", em_source_path(read->source), note);
}

/* A stream has a thread of its own that reads ahead, and inflating is slower than parsing: it should not have to share
 * a core. */
static uint32_t useful_workers(const em_text_read *read)
{
    const em_context *const context = read->plan->context;
    const uint32_t n_threads = em_context_threads(context);
    if (em_context_knobs(context)->chunk_bytes)
        return n_threads;
    if (!em_source_is_file(read->source))
        return n_threads > 1 ? n_threads - 1 : 1;
    const uint64_t n = em_source_file_bytes(read->source) / WORKER_BYTES + 1;
    return n < n_threads ? (uint32_t)n : n_threads;
}

em_status em_text_body_read(em_read_plan *plan, em_source *source, const em_text_head *head, em_error *error)
{
    em_text_read read = {.plan = plan,
                         .source = source,
                         .head = *head,
                         .fast = choose_fast(plan->context),
                         .fault_chunk = UINT64_MAX,
                         .lock = PTHREAD_MUTEX_INITIALIZER};
    em_read_hint hint = {.n_workers = useful_workers(&read), .n_vertices = head->n_vertices};
    em_error parallel_error = {0};
    if (plan->labels && hint.n_workers > 1)
        em_label_table_share(plan->labels);
    if (plan->labels) /* numbers grow as labels come */
        hint.largest_source = hint.largest_target = UINT32_MAX;
    em_status status = open_workers(&read, hint.n_workers, error);
    if (status != EM_OK)
        goto done;
    if (head->layout.plain && !em_context_knobs(plan->context)->sample &&
        (status = em_text_sample(source, head->data_offset, read.fast, read.workers[0].batch, &hint, error)) != EM_OK)
        goto done;
    if ((status = plan->sink.begin(plan->sink.state, &hint, error)) != EM_OK)
        goto done;
    em_source_skip(source, head->data_offset);
    status = em_parallel(plan->context, hint.n_workers, work, &read, &parallel_error);
    if (status != EM_CANCELLED && first_failure(&read, error) != EM_OK)
        status = EM_MALFORMED;
    else if (status != EM_OK)
        em_error_merge(error, &parallel_error);
    else
        report_counts(&read);
    plan->next_chunk += read.n_chunks;
done:
    close_workers(&read);
    pthread_mutex_destroy(&read.lock);
    return status;
}
