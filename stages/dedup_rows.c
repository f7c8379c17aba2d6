/* dedup_rows - see dedup_rows.h.
 *
 * Where equal arcs are neighbours: one pass, in place, reading everything once and writing what is kept. Bare arcs take
 * a loop without branches. Rows in input order are sorted by target with the numbers of their arcs (row_sort), which
 * brings equal ones together, and then packed in their own order; the row is read twice more.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/dedup_rows.h"

#include "stages/row_sort.h"

/* The weight of n > 0 equal arcs; `from` may hold `to`. */
static inline em_status weigh(em_dedup_job *job, const void *from, uint64_t n, void *to, uint64_t source,
                              uint64_t target, uint64_t place, em_error *error)
{
    if (n == 1) {
        em_dedup_single(job->rule, from, to);
        return EM_OK;
    }
    em_dedup_overflow overflow;
    const em_fold_result result = job->rule->fold(job->rule->policy, from, n, to, &overflow);
    job->n_differing += result == EM_FOLD_DIFFERED;
    return result == EM_FOLD_OVERFLOWED
               ? em_dedup_refuse(job->rule, source, target, &overflow, job->number + place, error)
               : EM_OK;
}

#define ID uint32_t
#include "stages/dedup_rows.inc"
#undef ID
#define ID uint64_t
#include "stages/dedup_rows.inc"
#undef ID

em_status em_dedup_list_run(em_dedup_job *job, em_error *error)
{
    return job->id_bytes == 4 ? list_uint32_t(job, error) : list_uint64_t(job, error);
}

em_status em_dedup_rows_run(em_dedup_job *job, em_error *error)
{
    return job->id_bytes == 4 ? rows_uint32_t(job, error) : rows_uint64_t(job, error);
}

/* --- rows in input order ----------------------------------------------------------------------------------- */

/* The parts of a worker's space for a row of n arcs, each from a multiple of 8 bytes on. */
typedef struct row_space {
    void *keys, *numbers, *weights, *sort;
    bool *keeps;
    uint32_t number_bytes;
} row_space;

static em_status open_row(uint64_t n, em_space *space, row_space *row, em_error *error)
{
    row->number_bytes = n <= UINT32_MAX ? 4 : 8;
    const uint64_t most = 8 * n;
    const em_status status = em_space_reserve(space, 5 * most + n, error);
    if (status != EM_OK)
        return status;
    row->keys = space->at;
    row->numbers = (char *)space->at + most;
    row->weights = (char *)space->at + 2 * most;
    row->sort = (char *)space->at + 3 * most;
    row->keeps = (bool *)space->at + 5 * most;
    return EM_OK;
}

/* Arcs numbers[0 .. n - 1], in input order, of one target: the first one stays, with the weight of all. */
static em_status keep_first(em_dedup_job *job, const row_space *row, uint64_t source, uint64_t begin, uint64_t at,
                            uint64_t n, em_error *error)
{
    const uint32_t from_bytes = job->rule->from_bytes, to_bytes = job->rule->to_bytes;
    const uint64_t first = em_id_at(row->numbers, (uint8_t)row->number_bytes, at);
    row->keeps[first] = true;
    if (!to_bytes)
        return EM_OK;
    for (uint64_t i = 0; i < n && from_bytes; i++)
        memcpy((char *)row->weights + i * from_bytes,
               (const char *)job->weights +
                   (begin + em_id_at(row->numbers, (uint8_t)row->number_bytes, at + i)) * from_bytes,
               from_bytes);
    return weigh(job, row->weights, n, (char *)job->kept_weights + (begin + first) * to_bytes, source,
                 em_id_at(row->keys, job->id_bytes, at), begin + at, error);
}

static void move_arc(const em_dedup_job *job, uint64_t from, uint64_t to)
{
    const uint32_t weight_bytes = job->rule->to_bytes, id_bytes = job->id_bytes;
    if (from == to)
        return;
    memcpy((char *)job->targets + to * id_bytes, (const char *)job->targets + from * id_bytes, id_bytes);
    if (weight_bytes)
        memcpy((char *)job->kept_weights + to * weight_bytes, (const char *)job->kept_weights + from * weight_bytes,
               weight_bytes);
    if (job->positions)
        job->positions[to] = job->positions[from];
}

/* The row [begin, end) goes to `*to`. */
static em_status unordered_row(em_dedup_job *job, uint64_t source, uint64_t begin, uint64_t end, uint64_t *to,
                               em_space *space, em_error *error)
{
    const uint64_t n = end - begin;
    row_space row;
    em_status status = n ? open_row(n, space, &row, error) : EM_OK;
    if (status != EM_OK || n == 0)
        return status;
    memcpy(row.keys, (const char *)job->targets + begin * job->id_bytes, n * job->id_bytes);
    for (uint64_t i = 0; i < n; i++)
        em_id_put(row.numbers, (uint8_t)row.number_bytes, i, i);
    em_sort_row(row.keys, row.numbers, n, job->id_bytes, row.number_bytes, row.sort);
    memset(row.keeps, 0, n);
    for (uint64_t at = 0, next; at < n; at = next) {
        const uint64_t target = em_id_at(row.keys, job->id_bytes, at);
        for (next = at + 1; next < n && em_id_at(row.keys, job->id_bytes, next) == target;)
            next++;
        const em_status kept = keep_first(job, &row, source, begin, at, next - at, error);
        status = kept == EM_OK ? status : kept;
    }
    for (uint64_t i = 0; i < n; i++)
        if (row.keeps[i])
            move_arc(job, begin + i, (*to)++);
    return status;
}

em_status em_dedup_unordered_run(em_dedup_job *job, em_space *space, em_error *error)
{
    uint64_t *const offsets = job->offsets + job->first_row;
    const uint64_t base = job->n_rows ? offsets[0] : 0;
    uint64_t begin = 0, to = 0;
    em_status status = EM_OK;
    for (uint64_t i = 0; i < job->n_rows; i++) {
        const uint64_t end = i + 1 < job->n_rows ? offsets[i + 1] - base : job->n_arcs;
        offsets[i] = base + to;
        const em_status done = unordered_row(job, job->first_row + i, begin, end, &to, space, error);
        if (done != EM_OK && done != EM_MALFORMED)
            return done;
        status = done == EM_OK ? status : done;
        begin = end;
    }
    job->n_kept = to;
    return status;
}
