/* label_body - see label_body.h.
 *
 * Lines are gathered in groups, so that the labels of many are looked up side by side. Plain lines (labels without
 * quotes or blanks at their ends, the first columns, nothing behind) are cut by a table of character classes; all
 * others go through label_line.h, which agrees with it. A line is judged whole before its labels are looked up: one
 * that is skipped adds none.
 *
 * Cost: one pass over the text, two cache misses a label, of which those of a group overlap.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/label_body.h"

#include "io/label_line.h"
#include "io/label_table.h"

enum { GROUP_ARCS = 64 };

/* An arc whose labels are queries 2i and 2i + 1. */
typedef struct pending {
    em_text_arc arc;
    uint64_t line;       /* within the chunk */
    uint32_t columns[2]; /* of the labels */
} pending;

struct em_label_group {
    em_label_query queries[2 * GROUP_ARCS];
    pending arcs[GROUP_ARCS];
    uint32_t n;
    em_weight_kind weight_kind; /* of the arc before */
    bool plain;                 /* source, target and weight are the first columns */
    uint8_t ends[256];          /* bytes that end a plain field, or that keep a line from being plain */
    void *unquoted;             /* labels whose doubled quotes were undone */
    uint64_t unquoted_bytes, unquoted_used;
};

em_status em_label_group_open(em_text_read *read, em_text_worker *worker, em_error *error)
{
    void *memory;
    const em_status status = em_allocate_zeroed(read->plan->context, sizeof *worker->group, &memory, error);
    if (status != EM_OK)
        return status;
    em_label_group *const group = worker->group = memory;
    const em_text_layout *const layout = &read->head.layout;
    group->plain = layout->source_column == 1 && layout->target_column == 2 &&
                   (layout->weight_column == 3 || layout->weight_column == 0);
    for (const char *end = " \t\n\r"; *end; end++)
        group->ends[(unsigned char)*end] = 1;
    group->ends[0] = group->ends[(unsigned char)layout->separator] = 1;
    return EM_OK;
}

void em_label_group_free(em_context *context, em_text_worker *worker)
{
    if (worker->group)
        em_free(context, worker->group->unquoted, worker->group->unquoted_bytes);
    em_free(context, worker->group, sizeof *worker->group);
    worker->group = NULL;
}

/* --- the lookups ------------------------------------------------------------------------------------------ */

/* Whether both labels are in the list of vertices. */
static bool known(const em_text_read *read, const em_label_query *queries, const pending *line, em_line_fault *fault)
{
    char text[176];
    for (int i = 0; i < 2; i++) {
        if (queries[i].id != EM_LABEL_UNKNOWN)
            continue;
        em_line_fault_at(fault, text, text, "label %s is not in the list of %s",
                         em_quote_token(queries[i].at, queries[i].at + queries[i].n_bytes, text),
                         read->head.layout.id_limit_origin);
        fault->column = line->columns[i];
        return false;
    }
    return true;
}

/* Looks the group's labels up and hands its arcs on. */
static em_status resolve(em_text_read *read, em_text_worker *worker, uint32_t number, em_error *error)
{
    em_label_group *const group = worker->group;
    em_line_fault fault;
    const uint32_t n = group->n;
    group->n = 0;
    group->unquoted_used = 0;
    em_status status = em_label_table_find(read->plan->labels, number, group->queries, 2 * n, error);
    for (uint32_t i = 0; i < n && status == EM_OK && !worker->failed; i++) {
        pending *const line = &group->arcs[i];
        if (!known(read, &group->queries[2 * i], line, &fault)) {
            em_text_record_fault(read, worker, line->line, &fault);
            continue;
        }
        line->arc.source = group->queries[2 * i].id;
        line->arc.target = group->queries[2 * i + 1].id;
        worker->n_extra_lines += line->arc.extra_columns;
        status = em_text_append(read, worker, number, line->line, &line->arc, error);
    }
    return status;
}

/* Room for n_bytes of undone quotes. Queries point into the memory: the group is resolved before it moves. */
static em_status reserve(em_text_read *read, em_text_worker *worker, uint32_t number, uint64_t n_bytes, em_error *error)
{
    em_label_group *const group = worker->group;
    if (group->unquoted_bytes - group->unquoted_used >= n_bytes)
        return EM_OK;
    em_status status = resolve(read, worker, number, error);
    if (status != EM_OK || group->unquoted_bytes >= n_bytes)
        return status;
    em_free(read->plan->context, group->unquoted, group->unquoted_bytes);
    group->unquoted_bytes = 0;
    if ((status = em_allocate(read->plan->context, 2 * n_bytes, &group->unquoted, error)) == EM_OK)
        group->unquoted_bytes = 2 * n_bytes;
    return status;
}

static em_label_query query_of(em_label_group *group, const em_label_field *label)
{
    if (!label->doubled)
        return (em_label_query){.at = label->begin, .n_bytes = (uint64_t)(label->end - label->begin)};
    char *const into = (char *)group->unquoted + group->unquoted_used;
    const uint64_t n_bytes = em_label_undouble(label, into);
    group->unquoted_used += n_bytes;
    return (em_label_query){.at = into, .n_bytes = n_bytes};
}

static uint64_t undone_bytes(const em_label_field *label)
{
    return label->doubled ? (uint64_t)(label->end - label->begin) : 0;
}

/* --- lines -------------------------------------------------------------------------------------------------- */

static uint64_t line_in_chunk(const em_text_worker *worker)
{
    return worker->n_lines - worker->chunk_first_line;
}

/* The next place of the group. */
static em_status next_pending(em_text_read *read, em_text_worker *worker, uint32_t number, em_error *error)
{
    return worker->group->n < GROUP_ARCS ? EM_OK : resolve(read, worker, number, error);
}

/* The last arc of the group has weights of this kind. Where that is a change it is made at once, or not at all if the
 * arc's labels are refused. */
static em_status kind_of(em_text_read *read, em_text_worker *worker, uint32_t number, em_weight_kind kind,
                         em_error *error)
{
    em_label_group *const group = worker->group;
    if (kind == group->weight_kind)
        return EM_OK;
    const em_status status = resolve(read, worker, number, error);
    group->weight_kind = worker->batch.weight_kind;
    return status;
}

/* The line at [at, end), its newline excluded. */
static em_status take_line(em_text_read *read, em_text_worker *worker, uint32_t number, const char *at, const char *end,
                           em_error *error)
{
    em_label_group *const group = worker->group;
    em_label_arc line;
    em_line_fault fault;
    worker->n_lines++;
    switch (em_label_parse_line(&read->head.layout, at, end, group->weight_kind, &line, &fault)) {
    case EM_LINE_COMMENT:
        worker->n_comment_lines++;
        return EM_OK;
    case EM_LINE_BLANK:
        worker->n_blank_lines++;
        return EM_OK;
    case EM_LINE_BAD: {
        const em_status status = resolve(read, worker, number, error); /* what comes first fails first */
        if (status == EM_OK && !worker->failed)
            em_text_record_fault(read, worker, line_in_chunk(worker), &fault);
        return status;
    }
    case EM_LINE_ARC:
        break;
    }
    em_status status = reserve(read, worker, number, undone_bytes(&line.source) + undone_bytes(&line.target), error);
    if (status != EM_OK || (status = next_pending(read, worker, number, error)) != EM_OK || worker->failed)
        return status;
    group->queries[2 * group->n] = query_of(group, &line.source);
    group->queries[2 * group->n + 1] = query_of(group, &line.target);
    group->arcs[group->n++] = (pending){.arc = line.arc,
                                        .line = line_in_chunk(worker),
                                        .columns = {(uint32_t)(line.source.begin - line.source.quoted - at) + 1,
                                                    (uint32_t)(line.target.begin - line.target.quoted - at) + 1}};
    return kind_of(read, worker, number, line.arc.weight_kind, error);
}

/* A plain field at `at`: where it ends, or NULL. */
static const char *plain_field(const em_label_group *group, const char *at)
{
    const char *end = at;
    while (!group->ends[(unsigned char)*end])
        end++;
    return end == at || *at == '"' || (uint64_t)(end - at) > EM_LABEL_BYTES ? NULL : end;
}

/* Behind the separator at `at`, or NULL. */
static const char *plain_separator(char separator, const char *at)
{
    if (separator != ' ')
        return *at == separator ? at + 1 : NULL;
    if (*at != ' ' && *at != '\t')
        return NULL;
    do
        at++;
    while (*at == ' ' || *at == '\t');
    return at;
}

/* Takes the line at `at`, which ends in a newline, if it is plain, and returns the begin of the next one; else NULL.
 * The group has a free place. */
static const char *take_plain(em_text_read *read, em_text_worker *worker, const char *at)
{
    em_label_group *const group = worker->group;
    const em_text_layout *const layout = &read->head.layout;
    if (layout->comment && *at == layout->comment)
        return NULL;
    const char *const source_end = plain_field(group, at);
    const char *const target = source_end ? plain_separator(layout->separator, source_end) : NULL;
    const char *const target_end = target ? plain_field(group, target) : NULL;
    if (!target_end)
        return NULL;
    pending *const line = &group->arcs[group->n];
    line->arc = (em_text_arc){0};
    const char *end = target_end;
    if (layout->weight_column) {
        const char *const weight = plain_separator(layout->separator, target_end);
        em_line_fault fault;
        if (!weight || !(end = plain_field(group, weight)) ||
            !em_text_parse_weight(layout, at, (em_field){weight, end}, group->weight_kind, &line->arc, &fault) ||
            line->arc.weight_kind != group->weight_kind)
            return NULL;
    }
    end += *end == '\r';
    if (*end != '\n')
        return NULL;
    worker->n_lines++;
    line->line = line_in_chunk(worker);
    line->columns[0] = 1;
    line->columns[1] = (uint32_t)(target - at) + 1;
    group->queries[2 * group->n] = (em_label_query){.at = at, .n_bytes = (uint64_t)(source_end - at)};
    group->queries[2 * group->n + 1] = (em_label_query){.at = target, .n_bytes = (uint64_t)(target_end - target)};
    group->n++;
    return end + 1;
}

em_status em_label_take_piece(em_text_read *read, em_text_worker *worker, uint32_t number, const char *at,
                              const char *end, em_error *error)
{
    em_label_group *const group = worker->group;
    em_status status = EM_OK;
    group->weight_kind = worker->batch.weight_kind;
    const char *const last = memrchr(at, '\n', (size_t)(end - at));
    while (at < end && status == EM_OK && !worker->failed) {
        if ((status = next_pending(read, worker, number, error)) != EM_OK)
            break;
        const char *const next = group->plain && last && at <= last ? take_plain(read, worker, at) : NULL;
        if (next) {
            at = next;
            continue;
        }
        const char *const newline = memchr(at, '\n', (size_t)(end - at));
        status = take_line(read, worker, number, at, newline ? newline : end, error);
        at = newline ? newline + 1 : end;
    }
    return status == EM_OK && !worker->failed ? resolve(read, worker, number, error) : status;
}
