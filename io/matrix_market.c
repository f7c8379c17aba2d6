/* matrix_market - see matrix_market.h.
 *
 * Only the banner and the size line are read here; the entries are lines like those of any edge list. A sink in front
 * of the sink mirrors the entries of symmetric files.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/matrix_market.h"

#include "io/edge_text_write.h"
#include "io/mirror.h"
#include "io/text_body.h"

#include <inttypes.h>
#include <stdio.h>
#include <strings.h>

typedef struct matrix_head {
    em_text_head text;
    const char *path;
    em_symmetry symmetry;
    em_weight_kind kind;
    uint64_t n_entries, size_line;           /* physical line */
    uint64_t n_comment_lines, n_blank_lines; /* between banner and size line */
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
        head->symmetry = EM_GENERAL;
    else if (field_is(words[4], "symmetric"))
        head->symmetry = EM_MIRRORED;
    else if (field_is(words[4], "skew-symmetric"))
        head->symmetry = EM_MIRRORED_NEGATED;
    else
        return refuse_field(head, line, words[4], "symmetries that are read: general, symmetric, skew-symmetric",
                            error);
    if (head->symmetry == EM_MIRRORED_NEGATED && head->kind == EM_WEIGHT_NONE)
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
        head->n_comment_lines = head->n_blank_lines = 0;
        for (uint64_t number = 1; at < text_end; number++) {
            const char *end = line_end(at, text_end);
            if (end == text_end && !whole)
                break;
            const char *const next = end < text_end ? end + 1 : end;
            if (end > at && end[-1] == '\r')
                end--;
            const em_line_kind kind = em_text_line_kind(&head->text.layout, at, end);
            if (number == 1) {
                if ((status = read_banner(head, at, end, error)) != EM_OK)
                    return status;
            } else if (kind == EM_LINE_ARC) {
                head->size_line = head->text.n_lines_before = number;
                head->text.data_offset = (uint64_t)(next - text);
                return read_size(head, at, end, size ? size - head->text.data_offset : 0, error);
            } else {
                head->n_comment_lines += kind == EM_LINE_COMMENT;
                head->n_blank_lines += kind == EM_LINE_BLANK;
            }
            at = next;
        }
        if (whole)
            return em_fail(error, EM_MALFORMED, "%s: %s", head->path,
                           n_bytes ? "ends before the MatrixMarket size line" : "empty: no MatrixMarket banner");
    }
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
    return em_plan_weighted(plan, head->path, kind != EM_WEIGHT_NONE, error);
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
    em_mirror mirror = {0};
    const uint64_t arcs_before = report->n_arcs, lines_before = report->n_lines;
    const em_arc_sink straight = plan->sink;
    if (head->symmetry != EM_GENERAL)
        plan->sink = em_mirror_sink(&mirror, plan->context, &straight, head->symmetry);
    em_status status = em_text_body_read(plan, source, &head->text, error);
    plan->sink = straight;
    uint64_t n_below, n_above;
    em_mirror_end(&mirror, &n_below, &n_above);
    if (status != EM_OK)
        return status;
    if (report->n_skipped_lines == 0)
        status = check_count(plan, path, head, report->n_arcs - arcs_before, report->n_lines - lines_before, error);
    report->n_arcs += n_below + n_above;
    report->n_comment_lines += head->n_comment_lines;
    report->n_blank_lines += head->n_blank_lines;
    report->undirected |= head->symmetry != EM_GENERAL;
    if (n_below && n_above)
        em_note(report,
                "%s: a symmetric matrix with entries on both sides of its diagonal: each was mirrored, so that edges "
                "given twice are there twice",
                head->path);
    if (head->text.n_vertices > report->n_vertices) {
        report->n_vertices = head->text.n_vertices;
        snprintf(report->n_declared_at, sizeof report->n_declared_at, "%.120s:%" PRIu64 ":1", head->path,
                 head->size_line);
    }
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
