/* matrix_market - see matrix_market.h.
 *
 * Only the banner and the size line are read here; the entries are lines like those of any edge list. A sink in front
 * of the sink mirrors the entries of symmetric files.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/matrix_market.h"

#include "io/edge_text_write.h"
#include "io/text_body.h"

#include <inttypes.h>
#include <stdio.h>
#include <strings.h>

typedef enum symmetry { GENERAL = 0, SYMMETRIC, SKEW } symmetry;

typedef struct matrix_head {
    em_text_head text;
    const char *path;
    symmetry symmetry;
    em_weight_kind kind;
    uint64_t n_entries, size_line; /* physical line */
} matrix_head;

bool em_matrix_market_detect(const unsigned char *head, size_t n_bytes)
{
    static const char banner[] = "%%MatrixMarket";
    return n_bytes >= sizeof banner - 1 && strncasecmp((const char *)head, banner, sizeof banner - 1) == 0;
}

/* --- banner and size ------------------------------------------------------------------------------- */

static bool field_is(em_field field, const char *word)
{
    const size_t n = strlen(word);
    return (size_t)(field.end - field.begin) == n && strncasecmp(field.begin, word, n) == 0;
}

static em_status refuse_field(const matrix_head *head, const char *line, em_field field, const char *why,
                              em_error *error)
{
    char text[176];
    return em_fail_at(error, EM_MALFORMED, 1, "%s:1:%u: %s: %s", head->path, (unsigned)(field.begin - line) + 1,
                      em_quote_token(field.begin, field.end, text), why);
}

static em_status read_banner(matrix_head *head, const char *line, const char *end, em_error *error)
{
    em_field words[5] = {0}, word;
    em_field_cursor cursor = em_fields(' ', line, end);
    uint32_t n = 0;
    while (n < 5 && em_next_field(&cursor, &word))
        words[n++] = word;
    if (n == 0 || !field_is(words[0], "%%MatrixMarket"))
        return em_fail_at(
            error, EM_MALFORMED, 1,
            "%s:1:1: no '%%%%MatrixMarket' banner on the first line; --from=el reads it as a plain edge list",
            head->path);
    if (n < 5)
        return em_fail_at(error, EM_MALFORMED, 1,
                          "%s:1:%u: the MatrixMarket banner has %u words of 5: matrix coordinate FIELD SYMMETRY",
                          head->path, (unsigned)(end - line) + 1, n);
    if (!field_is(words[1], "matrix") || !field_is(words[2], "coordinate"))
        return refuse_field(head, line, field_is(words[1], "matrix") ? words[2] : words[1],
                            "only coordinate matrices are graphs", error);
    if (field_is(words[3], "pattern"))
        head->kind = EM_WEIGHT_NONE;
    else if (field_is(words[3], "integer"))
        head->kind = EM_WEIGHT_I64;
    else if (field_is(words[3], "real") || field_is(words[3], "double"))
        head->kind = EM_WEIGHT_F64;
    else
        return refuse_field(head, line, words[3], "fields that are read: real, integer, pattern", error);
    if (field_is(words[4], "general"))
        head->symmetry = GENERAL;
    else if (field_is(words[4], "symmetric"))
        head->symmetry = SYMMETRIC;
    else if (field_is(words[4], "skew-symmetric"))
        head->symmetry = SKEW;
    else
        return refuse_field(head, line, words[4], "symmetries that are read: general, symmetric, skew-symmetric",
                            error);
    if (head->symmetry == SKEW && head->kind == EM_WEIGHT_NONE)
        return refuse_field(head, line, words[4], "a pattern has no sign to be skew-symmetric", error);
    return EM_OK;
}

static em_status read_size(matrix_head *head, const char *line, const char *end, uint64_t n_bytes_left, em_error *error)
{
    uint64_t sizes[3];
    em_field field;
    em_field_cursor cursor = em_fields(' ', line, end);
    char text[176];
    const unsigned long long at = head->size_line;
    for (uint32_t i = 0; i < 3; i++) {
        if (!em_next_field(&cursor, &field))
            return em_fail_at(error, EM_MALFORMED, at, "%s:%llu:%u: the size line wants rows, columns and entries: %s",
                              head->path, at, (unsigned)(end - line) + 1, em_quote_token(line, end, text));
        const em_number_status number = em_parse_id(field.begin, field.end, &sizes[i]);
        if (number == EM_NUMBER_OVERFLOW ||
            (number == EM_NUMBER_OK && i == 2 && n_bytes_left && sizes[i] > n_bytes_left / 4 + 1))
            return em_fail_at(error, EM_MALFORMED, at, "%s:%llu:%u: %s: more than the file can hold", head->path, at,
                              (unsigned)(field.begin - line) + 1, em_quote_token(field.begin, field.end, text));
        if (number != EM_NUMBER_OK)
            return em_fail_at(error, EM_MALFORMED, at, "%s:%llu:%u: %s is no size", head->path, at,
                              (unsigned)(field.begin - line) + 1, em_quote_token(field.begin, field.end, text));
    }
    if (sizes[0] != sizes[1])
        return em_fail_at(error, EM_MALFORMED, at,
                          "%s:%llu:1: a matrix of %" PRIu64 " x %" PRIu64 " is not square, hence no graph", head->path,
                          at, sizes[0], sizes[1]);
    head->text.n_vertices = sizes[0];
    head->n_entries = sizes[2];
    return EM_OK;
}

static const char *line_end(const char *at, const char *end)
{
    const char *const newline = memchr(at, '\n', (size_t)(end - at));
    return newline ? newline : end;
}

/* Peeks as far as the size line. */
static em_status read_head(em_source *source, matrix_head *head, em_error *error)
{
    head->path = em_source_path(source);
    const uint64_t size = em_source_is_file(source) ? em_source_file_bytes(source) : 0;
    for (uint64_t wanted = 1 << 16;; wanted *= 2) {
        const char *text;
        uint64_t n_bytes;
        em_status status = em_source_peek(source, wanted, &text, &n_bytes, error);
        if (status != EM_OK)
            return status;
        const bool whole = n_bytes < wanted;
        const char *const text_end = text + n_bytes;
        const char *at = text;
        for (uint64_t number = 1; at < text_end; number++) {
            const char *end = line_end(at, text_end);
            if (end == text_end && !whole)
                break;
            const char *const next = end < text_end ? end + 1 : end;
            if (end > at && end[-1] == '\r')
                end--;
            if (number == 1) {
                if ((status = read_banner(head, at, end, error)) != EM_OK)
                    return status;
            } else if (em_text_line_kind(&head->text.layout, at, end) == EM_LINE_ARC) {
                head->size_line = head->text.n_lines_before = number;
                head->text.data_offset = (uint64_t)(next - text);
                return read_size(head, at, end, size ? size - head->text.data_offset : 0, error);
            }
            at = next;
        }
        if (whole)
            return em_fail(error, EM_MALFORMED, "%s: %s", head->path,
                           n_bytes ? "ends before the MatrixMarket size line" : "empty: no MatrixMarket banner");
    }
}

/* --- mirroring -------------------------------------------------------------------------------------- */

typedef struct mirror_worker {
    _Alignas(64) uint64_t n_below, n_above; /* entries below and above the diagonal */
    void *pairs, *weights;
} mirror_worker;

typedef struct mirror_sink {
    em_context *context;
    em_arc_sink next;
    const matrix_head *head;
    mirror_worker *workers;
    uint32_t n_workers;
} mirror_sink;

static em_status mirror_begin(void *state, const em_read_hint *hint, em_error *error)
{
    mirror_sink *const sink = state;
    void *memory;
    em_status status = em_allocate_zeroed(sink->context, hint->n_workers * sizeof *sink->workers, &memory, error);
    if (status != EM_OK)
        return status;
    sink->workers = memory;
    sink->n_workers = hint->n_workers;
    for (uint32_t i = 0; i < hint->n_workers; i++)
        if ((status = em_allocate(sink->context, EM_BATCH_ARCS * 2 * sizeof(uint64_t), &sink->workers[i].pairs,
                                  error)) != EM_OK ||
            (status = em_allocate(sink->context, EM_BATCH_ARCS * sizeof(uint64_t), &sink->workers[i].weights, error)) !=
                EM_OK)
            return status;
    em_read_hint doubled = *hint;
    doubled.n_arcs *= 2;
    return sink->next.begin(sink->next.state, &doubled, error);
}

static void mirror_end(mirror_sink *sink)
{
    for (uint32_t i = 0; i < sink->n_workers; i++) {
        em_free(sink->context, sink->workers[i].pairs, EM_BATCH_ARCS * 2 * sizeof(uint64_t));
        em_free(sink->context, sink->workers[i].weights, EM_BATCH_ARCS * sizeof(uint64_t));
    }
    em_free(sink->context, sink->workers, sink->n_workers * sizeof *sink->workers);
}

/* weights[to] = -from[index]; false where i64 has no such number. */
static bool negate(em_weight_kind kind, const void *from, uint32_t index, void *weights, uint32_t to)
{
    switch (kind) {
    case EM_WEIGHT_I32:
        return !__builtin_sub_overflow(0, ((const int32_t *)from)[index], &((int32_t *)weights)[to]);
    case EM_WEIGHT_I64:
        return !__builtin_sub_overflow(0, ((const int64_t *)from)[index], &((int64_t *)weights)[to]);
    case EM_WEIGHT_F32:
        ((float *)weights)[to] = -((const float *)from)[index];
        return true;
    case EM_WEIGHT_F64:
        ((double *)weights)[to] = -((const double *)from)[index];
        return true;
    default:
        return true;
    }
}

static void put_pair(const em_arc_batch *batch, void *pairs, uint32_t at, uint64_t source, uint64_t target)
{
    if (batch->id_bytes == 4) {
        ((uint32_t *)pairs)[2 * at] = (uint32_t)source;
        ((uint32_t *)pairs)[2 * at + 1] = (uint32_t)target;
    } else {
        ((uint64_t *)pairs)[2 * at] = source;
        ((uint64_t *)pairs)[2 * at + 1] = target;
    }
}

static em_status mirror_take(void *state, uint32_t number, const em_arc_batch *batch, em_error *error)
{
    mirror_sink *const sink = state;
    mirror_worker *const worker = &sink->workers[number];
    const uint32_t weight_bytes = em_weight_bytes(batch->weight_kind);
    em_arc_batch out = *batch;
    out.pairs = worker->pairs;
    out.weights = batch->weights ? worker->weights : NULL;
    out.largest_source = out.largest_target =
        batch->largest_source > batch->largest_target ? batch->largest_source : batch->largest_target;
    for (uint32_t first = 0; first < batch->n_arcs;) {
        uint32_t n = 0;
        for (; first < batch->n_arcs && n + 2 <= EM_BATCH_ARCS; first++) {
            const uint64_t source = em_id_at(batch->pairs, batch->id_bytes, 2 * first);
            const uint64_t target = em_id_at(batch->pairs, batch->id_bytes, 2 * first + 1);
            worker->n_below += source > target;
            worker->n_above += source < target;
            put_pair(batch, worker->pairs, n, source, target);
            if (weight_bytes)
                memcpy((char *)worker->weights + n * weight_bytes, (const char *)batch->weights + first * weight_bytes,
                       weight_bytes);
            n++;
            if (source == target) {
                if (sink->head->symmetry == SKEW)
                    return em_fail_at(error, EM_MALFORMED, batch->chunk,
                                      "%s: a skew-symmetric matrix with an entry on its diagonal: vertex %" PRIu64,
                                      sink->head->path, source + 1);
                continue;
            }
            put_pair(batch, worker->pairs, n, target, source);
            if (sink->head->symmetry == SKEW) {
                if (!negate(batch->weight_kind, batch->weights, first, worker->weights, n))
                    return em_fail_at(error, EM_MALFORMED, batch->chunk, "%s: the smallest integer has no negative",
                                      sink->head->path);
            } else if (weight_bytes) {
                memcpy((char *)worker->weights + n * weight_bytes, (const char *)batch->weights + first * weight_bytes,
                       weight_bytes);
            }
            n++;
        }
        out.n_arcs = n;
        const em_status status = sink->next.take(sink->next.state, number, &out, error);
        if (status != EM_OK)
            return status;
    }
    return EM_OK;
}

/* --- the whole --------------------------------------------------------------------------------------- */

static em_weight_kind wanted_kind(em_weights_option option, em_weight_kind field)
{
    static const em_weight_kind kinds[] = {[EM_WEIGHTS_I32] = EM_WEIGHT_I32,
                                           [EM_WEIGHTS_I64] = EM_WEIGHT_I64,
                                           [EM_WEIGHTS_F32] = EM_WEIGHT_F32,
                                           [EM_WEIGHTS_F64] = EM_WEIGHT_F64};
    return option == EM_WEIGHTS_AUTO ? field : option == EM_WEIGHTS_NONE ? EM_WEIGHT_NONE : kinds[option];
}

static em_status settle(em_read_plan *plan, matrix_head *head, char origin[static 64], em_error *error)
{
    em_text_layout *const layout = &head->text.layout;
    const em_weight_kind kind = wanted_kind(plan->options->weights, head->kind);
    if (kind != EM_WEIGHT_NONE && head->kind == EM_WEIGHT_NONE)
        return em_fail(error, EM_USAGE, "%s: --weights=%s, and a pattern has none", head->path, em_weight_name(kind));
    if (plan->options->separator || plan->options->header_lines || plan->options->columns || plan->options->base)
        return em_fail(error, EM_USAGE,
                       "%s: --separator, --header, --columns and --base are for edge lists; MatrixMarket fixes them",
                       head->path);
    layout->separator = ' ';
    layout->plain = true;
    layout->source_column = 1;
    layout->target_column = 2;
    layout->weight_column = kind ? 3 : 0;
    layout->weight_kind = kind;
    layout->base = 1;
    layout->vertices = plan->vertices;
    layout->id_limit = head->text.n_vertices;
    snprintf(origin, 64, "the %" PRIu64 " of the size line", head->text.n_vertices);
    layout->id_limit_origin = origin;
    if (plan->id_limit < layout->id_limit) {
        layout->id_limit = plan->id_limit;
        layout->id_limit_origin = plan->id_limit_origin;
    }
    head->text.extra = kind == EM_WEIGHT_NONE && head->kind != EM_WEIGHT_NONE;
    const em_status status = em_plan_weighted(plan, head->path, kind != EM_WEIGHT_NONE, error);
    if (status != EM_OK)
        return status;
    em_error sparse = {0};
    if (em_check_sparse(plan->options, head->text.n_vertices, head->n_entries, &sparse) != EM_OK)
        return em_fail(error, EM_ENVIRONMENT, "%s:%" PRIu64 ":1: %s", head->path, head->size_line, sparse.message);
    return EM_OK;
}

/* The physical line of data line number `wanted` from 0, by reading a plain file again. 0: cannot be told. */
static uint64_t find_entry(em_context *context, const char *path, const matrix_head *head, uint64_t wanted)
{
    em_source *source = NULL;
    em_source_reader reader = {0};
    uint64_t found = 0, line = head->text.n_lines_before, n_entries = 0, chunk;
    const char *at, *end;
    if (em_source_open(context, path, &source, NULL) == EM_OK && em_source_is_file(source)) {
        em_source_skip(source, head->text.data_offset);
        if (em_source_reader_open(source, &reader, NULL) == EM_OK)
            while (!found && em_source_next_chunk(&reader, &chunk, NULL) == EM_OK && chunk != UINT64_MAX)
                while (!found && em_source_next_piece(&reader, &at, &end, NULL) == EM_OK && at < end)
                    for (; at < end && !found; at++) {
                        const char *const stop = line_end(at, end);
                        line++;
                        if (em_text_line_kind(&head->text.layout, at, stop) == EM_LINE_ARC && n_entries++ == wanted)
                            found = line;
                        at = stop;
                    }
    }
    em_source_reader_close(&reader);
    em_source_close(source);
    return found;
}

static em_status check_count(em_read_plan *plan, const char *path, const matrix_head *head, uint64_t n_entries,
                             uint64_t last_line, em_error *error)
{
    if (n_entries == head->n_entries)
        return EM_OK;
    uint64_t line = last_line;
    if (n_entries > head->n_entries) {
        const uint64_t found = find_entry(plan->context, path, head, head->n_entries);
        line = found ? found : last_line;
    }
    return em_fail_at(error, EM_MALFORMED, line,
                      "%s:%" PRIu64 ":1: %s entries than the %" PRIu64 " that line %" PRIu64 " declares: %" PRIu64,
                      head->path, line, n_entries > head->n_entries ? "more" : "fewer", head->n_entries,
                      head->size_line, n_entries);
}

static em_status read_entries(em_read_plan *plan, em_source *source, const char *path, const matrix_head *head,
                              em_error *error)
{
    em_read_report *const report = plan->report;
    mirror_sink mirror = {.context = plan->context, .next = plan->sink, .head = head};
    const uint64_t arcs_before = report->n_arcs, lines_before = report->n_lines;
    if (head->symmetry != GENERAL)
        plan->sink = (em_arc_sink){&mirror, mirror_begin, mirror_take};
    em_status status = em_text_body_read(plan, source, &head->text, error);
    plan->sink = head->symmetry != GENERAL ? mirror.next : plan->sink;
    uint64_t n_below = 0, n_above = 0;
    for (uint32_t i = 0; i < mirror.n_workers; i++) {
        n_below += mirror.workers[i].n_below;
        n_above += mirror.workers[i].n_above;
    }
    mirror_end(&mirror);
    if (status != EM_OK)
        return status;
    if (report->n_skipped_lines == 0)
        status = check_count(plan, path, head, report->n_arcs - arcs_before, report->n_lines - lines_before, error);
    report->n_arcs += n_below + n_above;
    report->undirected |= head->symmetry != GENERAL;
    if (n_below && n_above)
        em_note(report,
                "%s: a symmetric matrix with entries on both sides of its diagonal: each was mirrored, so that edges "
                "given twice are there twice",
                head->path);
    if (head->text.n_vertices > report->n_vertices)
        report->n_vertices = head->text.n_vertices;
    return status;
}

em_status em_matrix_market_read(em_read_plan *plan, const char *path, em_error *error)
{
    matrix_head head = {.text.layout.comment = '%'};
    char origin[64];
    em_source *source = NULL;
    em_status status = em_source_open(plan->context, path, &source, error);
    if (status == EM_OK)
        status = read_head(source, &head, error);
    if (status == EM_OK)
        status = settle(plan, &head, origin, error);
    if (status == EM_OK)
        status = read_entries(plan, source, path, &head, error);
    em_source_close(source);
    return status;
}

em_status em_matrix_market_write(em_context *context, const em_csr *csr, em_output *output, em_error *error)
{
    const em_weight_kind kind = (em_weight_kind)csr->weight_kind;
    const char *const field = kind == EM_WEIGHT_NONE                           ? "pattern"
                              : kind == EM_WEIGHT_I32 || kind == EM_WEIGHT_I64 ? "integer"
                                                                               : "real";
    char header[160];
    snprintf(header, sizeof header,
             "%%%%MatrixMarket matrix coordinate %s general\n%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", field,
             csr->n_vertices, csr->n_vertices, csr->n_arcs);
    return em_text_lines_write(context, csr, output, ' ', 1, header, error);
}
