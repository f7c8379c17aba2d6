/* npz_read - see npz.h.
 *
 * Items are copied into the types of em_csr block by block, by all workers: one pass. A coo is counted and scattered
 * serially; that path is for convenience, not for speed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/decoder.h"
#include "io/npz.h"
#include "io/npz_parts.h"
#include "io/read.h"
#include "scan/base/parallel.h"

#include <string.h>

/* --- what the members say ------------------------------------------------------------------------- */

static em_status wanted(const em_npz *all, em_npz_part which, em_error *error)
{
    return all->arrays[which].there ? EM_OK
                                    : em_npz_refuse(all, which, "is missing: this is no scipy sparse matrix", error);
}

static em_status read_format(const em_npz *all, char format[8], em_error *error)
{
    const em_npz_array *from = &all->arrays[EM_NPZ_FORMAT];
    const em_status status = wanted(all, EM_NPZ_FORMAT, error);
    if (status != EM_OK)
        return status;
    const em_npy *npy = &from->npy;
    const uint32_t step = npy->kind == 'U' ? 4 : 1, length = npy->item_bytes / step;
    if ((npy->kind != 'S' && npy->kind != 'U') || npy->n_items != 1 || length >= 8)
        return em_npz_refuse(all, EM_NPZ_FORMAT, "is no word", error);
    for (uint32_t i = 0; i < length; i++)
        format[i] = (char)from->bytes[npy->data_at + (uint64_t)i * step];
    if (strcmp(format, "csr") != 0 && strcmp(format, "csc") != 0 && strcmp(format, "coo") != 0)
        return em_fail(error, EM_MALFORMED,
                       "%s: format.npy: a matrix in the format %s is not read; csr, csc and coo are", all->path,
                       format);
    return EM_OK;
}

/* One integer item, widened; a negative one turns into something past 2^63. */
static uint64_t integer_at(const em_npz_array *from, uint64_t index)
{
    const unsigned char *at = from->bytes + from->npy.data_at + index * from->npy.item_bytes;
    uint64_t value = 0;
    memcpy(&value, at, from->npy.item_bytes);
    const uint32_t spare = 64 - 8 * from->npy.item_bytes;
    if (from->npy.kind == 'i')
        value = (uint64_t)((int64_t)(value << spare) >> spare);
    return value;
}

static bool is_integer(const em_npy *npy)
{
    const uint32_t bytes = npy->item_bytes;
    return (npy->kind == 'i' || npy->kind == 'u') && (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8);
}

/* Rows of a shard: which ones. */
static em_status read_first_vertex(const em_npz *all, em_csr *csr, em_error *error)
{
    const em_npz_array *first = &all->arrays[EM_NPZ_FIRST_VERTEX];
    if (!is_integer(&first->npy) || first->npy.n_items != 1)
        return em_npz_refuse(all, EM_NPZ_FIRST_VERTEX, "is not one integer", error);
    csr->first_vertex = integer_at(first, 0);
    if (csr->first_vertex > csr->n_targets || csr->n_vertices > csr->n_targets - csr->first_vertex)
        return em_fail(error, EM_MALFORMED, "%s: edgemill_first_vertex.npy: %llu rows from %llu on, of %llu vertices",
                       all->path, (unsigned long long)csr->n_vertices, (unsigned long long)csr->first_vertex,
                       (unsigned long long)csr->n_targets);
    if (em_csr_is_whole(csr))
        csr->n_targets = 0;
    return EM_OK;
}

static em_status read_shape(const em_npz *all, bool is_csr, em_csr *csr, em_error *error)
{
    const em_npz_array *shape = &all->arrays[EM_NPZ_SHAPE];
    const em_status status = wanted(all, EM_NPZ_SHAPE, error);
    if (status != EM_OK)
        return status;
    if (!is_integer(&shape->npy) || shape->npy.n_dimensions != 1 || shape->npy.n_items != 2)
        return em_npz_refuse(all, EM_NPZ_SHAPE, "is not two integers", error);
    const uint64_t rows = integer_at(shape, 0), columns = integer_at(shape, 1);
    const bool shard = is_csr && all->arrays[EM_NPZ_FIRST_VERTEX].there;
    if (rows != columns && !shard)
        return em_fail(error, EM_MALFORMED, "%s: shape.npy: %llu rows and %llu columns: not square, so no graph",
                       all->path, (unsigned long long)rows, (unsigned long long)columns);
    if (rows > UINT64_C(1) << 58 || columns > UINT64_C(1) << 58)
        return em_npz_refuse(all, EM_NPZ_SHAPE, "has no possible size", error);
    csr->n_vertices = rows;
    csr->n_targets = shard ? columns : 0;
    return shard ? read_first_vertex(all, csr, error) : EM_OK;
}

static em_status wanted_integers(const em_npz *all, em_npz_part which, em_error *error)
{
    const em_status status = wanted(all, which, error);
    if (status != EM_OK)
        return status;
    if (!is_integer(&all->arrays[which].npy) || all->arrays[which].npy.n_dimensions != 1)
        return em_npz_refuse(all, which, "is not a list of integers", error);
    return EM_OK;
}

/* The type that holds all of data exactly; none where it only says that the arcs are there. */
static em_status weight_kind_of(const em_npz *all, em_weight_kind *kind, em_error *error)
{
    const em_npy *npy = &all->arrays[EM_NPZ_DATA].npy;
    *kind = EM_WEIGHT_NONE;
    if (npy->n_dimensions != 1)
        return em_npz_refuse(all, EM_NPZ_DATA, "is not a list", error);
    if (all->arrays[EM_NPZ_UNWEIGHTED].there || npy->kind == 'b')
        return EM_OK;
    if (npy->kind == 'f' && (npy->item_bytes == 4 || npy->item_bytes == 8))
        *kind = npy->item_bytes == 4 ? EM_WEIGHT_F32 : EM_WEIGHT_F64;
    else if (is_integer(npy))
        *kind = npy->item_bytes < 4 || (npy->item_bytes == 4 && npy->kind == 'i') ? EM_WEIGHT_I32 : EM_WEIGHT_I64;
    else
        return em_fail(error, EM_MALFORMED, "%s: data.npy: weights of type %s are not read", all->path, npy->descr);
    return EM_OK;
}

/* --- items into the types of em_csr --------------------------------------------------------------- */

typedef struct copying {
    const em_npz *all;
    const em_npz_array *from;
    em_npz_part which;
    void *into;
    uint32_t into_bytes;
    bool as_is;
    uint64_t limit; /* an item past it is malformed */
    uint64_t next;  /* atomic */
} copying;

enum { COPY_ITEMS = 1 << 18 };

/* Items `type` at `at`, unaligned, into u32 or u64; the largest one, as u64, tells whether all are in range. */
#define COPY(type)                                                                                                     \
    for (uint64_t i = 0; i < n; i++) {                                                                                 \
        type item;                                                                                                     \
        memcpy(&item, at + i * sizeof item, sizeof item);                                                              \
        const uint64_t value = (uint64_t)(int64_t)item;                                                                \
        largest = value > largest ? value : largest;                                                                   \
        if (into_bytes == 4)                                                                                           \
            ((uint32_t *)into)[i] = (uint32_t)value;                                                                   \
        else                                                                                                           \
            ((uint64_t *)into)[i] = value;                                                                             \
    }

static uint64_t copy_items(const em_npy *npy, const unsigned char *at, uint64_t n, void *into, uint32_t into_bytes)
{
    uint64_t largest = 0;
    switch (npy->item_bytes * 2 + (npy->kind == 'i')) {
    case 2:
        COPY(uint8_t) break;
    case 3:
        COPY(int8_t) break;
    case 4:
        COPY(uint16_t) break;
    case 5:
        COPY(int16_t) break;
    case 8:
        COPY(uint32_t) break;
    case 9:
        COPY(int32_t) break;
    case 16:
        COPY(uint64_t) break;
    case 17:
        COPY(int64_t) break;
    }
    return largest;
}

static em_status refuse_item(const copying *copy, uint64_t index, em_error *error)
{
    const long long shown = (long long)integer_at(copy->from, index);
    if (shown < 0 && copy->from->npy.kind == 'i')
        return em_fail_at(error, EM_MALFORMED, index, "%s: %s: item %llu is %lld: negative", copy->all->path,
                          em_npz_part_name(copy->which), (unsigned long long)index, shown);
    return em_fail_at(error, EM_MALFORMED, index, "%s: %s: item %llu is %llu: more than %llu", copy->all->path,
                      em_npz_part_name(copy->which), (unsigned long long)index, (unsigned long long)shown,
                      (unsigned long long)copy->limit);
}

static em_status copy_blocks(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    copying *copy = state;
    const em_npy *npy = &copy->from->npy;
    (void)worker, (void)n_workers;
    for (;;) {
        const uint64_t begin = __atomic_fetch_add(&copy->next, 1, __ATOMIC_RELAXED) * COPY_ITEMS;
        if (begin >= npy->n_items)
            return EM_OK;
        const uint64_t n = npy->n_items - begin < COPY_ITEMS ? npy->n_items - begin : COPY_ITEMS;
        const unsigned char *at = copy->from->bytes + npy->data_at + begin * npy->item_bytes;
        char *into = (char *)copy->into + begin * copy->into_bytes;
        if (copy->as_is) {
            memcpy(into, at, n * npy->item_bytes);
            continue;
        }
        if (copy_items(npy, at, n, into, copy->into_bytes) <= copy->limit)
            continue;
        uint64_t index = begin;
        while (integer_at(copy->from, index) <= copy->limit)
            index++;
        return refuse_item(copy, index, error);
    }
}

static em_status copy_array(const em_npz *all, em_npz_part which, em_buffer *into, uint32_t into_bytes, uint64_t limit,
                            em_error *error)
{
    const em_npz_array *from = &all->arrays[which];
    em_status status = em_buffer_allocate(all->context, into, from->npy.n_items, into_bytes, error);
    if (status != EM_OK)
        return status;
    copying copy = {.all = all,
                    .from = from,
                    .which = which,
                    .into = into->at,
                    .into_bytes = into_bytes,
                    .as_is = from->npy.kind == 'f' ||
                             (which == EM_NPZ_DATA && from->npy.item_bytes == into_bytes && from->npy.kind == 'i'),
                    .limit = limit};
    return em_parallel(all->context, from->npy.n_items > COPY_ITEMS ? 0 : 1, copy_blocks, &copy, error);
}

static em_status copy_weights(const em_npz *all, em_csr *csr, em_error *error)
{
    if (csr->weight_kind == EM_WEIGHT_NONE)
        return EM_OK;
    /* only u64 can pass its type, i64; the wrapped negatives of signed types are meant */
    const uint64_t limit = all->arrays[EM_NPZ_DATA].npy.kind == 'u' ? INT64_MAX : UINT64_MAX;
    return copy_array(all, EM_NPZ_DATA, &csr->weights, em_weight_bytes(csr->weight_kind), limit, error);
}

static em_status open_compressed(const em_npz *all, em_csr *csr, em_error *error)
{
    em_status status = wanted_integers(all, EM_NPZ_INDPTR, error);
    if (status == EM_OK)
        status = wanted_integers(all, EM_NPZ_INDICES, error);
    if (status != EM_OK)
        return status;
    csr->n_arcs = all->arrays[EM_NPZ_INDICES].npy.n_items;
    if (all->arrays[EM_NPZ_INDPTR].npy.n_items != csr->n_vertices + 1)
        return em_fail(error, EM_MALFORMED, "%s: indptr.npy: %llu items for %llu rows; there must be one more",
                       all->path, (unsigned long long)all->arrays[EM_NPZ_INDPTR].npy.n_items,
                       (unsigned long long)csr->n_vertices);
    status = copy_array(all, EM_NPZ_INDPTR, &csr->offsets, 8, INT64_MAX, error);
    if (status != EM_OK)
        return status;
    const uint64_t *offsets = csr->offsets.at;
    for (uint64_t i = 0; i < csr->n_vertices; i++) /* before indices: the better message where both are wrong */
        if (offsets[i + 1] < offsets[i])
            return em_fail(error, EM_MALFORMED, "%s: indptr.npy: item %llu is %llu, below the %llu before it",
                           all->path, (unsigned long long)i + 1, (unsigned long long)offsets[i + 1],
                           (unsigned long long)offsets[i]);
    if (offsets[0] != 0 || offsets[csr->n_vertices] != csr->n_arcs)
        return em_fail(error, EM_MALFORMED, "%s: indptr.npy: goes from %llu to %llu, but indices.npy has %llu items",
                       all->path, (unsigned long long)offsets[0], (unsigned long long)offsets[csr->n_vertices],
                       (unsigned long long)csr->n_arcs);
    const uint64_t n_targets = em_csr_n_targets(csr);
    if (n_targets == 0) /* no id is below 0 */
        return csr->n_arcs ? em_npz_refuse(all, EM_NPZ_INDICES, "has items, but there are no rows", error)
                           : em_buffer_allocate(all->context, &csr->targets, 0, csr->id_bytes, error);
    return copy_array(all, EM_NPZ_INDICES, &csr->targets, csr->id_bytes, n_targets - 1, error);
}

/* A coo: targets and weights as listed, and their sources. */
static em_status open_coordinates(const em_npz *all, em_csr *csr, em_buffer *sources, em_error *error)
{
    em_status status = wanted_integers(all, EM_NPZ_ROW, error);
    if (status == EM_OK)
        status = wanted_integers(all, EM_NPZ_COL, error);
    if (status != EM_OK)
        return status;
    csr->n_arcs = all->arrays[EM_NPZ_ROW].npy.n_items;
    if (all->arrays[EM_NPZ_COL].npy.n_items != csr->n_arcs)
        return em_npz_refuse(all, EM_NPZ_COL, "has another number of items than row.npy", error);
    if (csr->n_vertices == 0 && csr->n_arcs > 0)
        return em_npz_refuse(all, EM_NPZ_ROW, "has items, but the matrix has no rows", error);
    const uint64_t last = csr->n_vertices - (csr->n_vertices > 0);
    status = copy_array(all, EM_NPZ_ROW, sources, csr->id_bytes, last, error);
    if (status == EM_OK)
        status = copy_array(all, EM_NPZ_COL, &csr->targets, csr->id_bytes, last, error);
    return status == EM_OK ? copy_weights(all, csr, error) : status;
}

/* Arcs as listed into rows, each in the order of the list: count, scan, scatter. */
static em_status make_rows(em_context *context, const char *path, const em_buffer *sources, em_csr *csr,
                           em_error *error)
{
    em_buffer targets = csr->targets, weights = csr->weights;
    const uint32_t id_bytes = csr->id_bytes, weight_bytes = em_weight_bytes(csr->weight_kind);
    em_status status;
    csr->targets = csr->weights = (em_buffer){0};
    if (em_is_sparse(context, csr->n_vertices, csr->n_arcs)) {
        status = em_fail(error, EM_ENVIRONMENT,
                         "%s: shape.npy: %llu rows for %llu arcs would need %llu bytes of offsets alone",
                         em_input_name(path), (unsigned long long)csr->n_vertices, (unsigned long long)csr->n_arcs,
                         (unsigned long long)(csr->n_vertices + 1) * 8);
        goto done;
    }
    status = em_buffer_allocate(context, &csr->targets, csr->n_arcs, id_bytes, error);
    if (status == EM_OK && weight_bytes)
        status = em_buffer_allocate(context, &csr->weights, csr->n_arcs, weight_bytes, error);
    if (status == EM_OK)
        status = em_buffer_allocate(context, &csr->offsets, csr->n_vertices + 1, 8, error);
    if (status != EM_OK)
        goto done;
    uint64_t *offsets = csr->offsets.at;
    memset(offsets, 0, csr->offsets.n_bytes);
    for (uint64_t i = 0; i < csr->n_arcs; i++)
        offsets[em_id_at(sources->at, csr->id_bytes, i)]++;
    uint64_t sum = 0;
    for (uint64_t i = 0; i <= csr->n_vertices; i++) { /* ends of rows, which the scatter below lowers to begins */
        sum += offsets[i];
        offsets[i] = sum;
    }
    for (uint64_t i = csr->n_arcs; i-- > 0;) {
        const uint64_t at = --offsets[em_id_at(sources->at, csr->id_bytes, i)];
        memcpy((char *)csr->targets.at + at * id_bytes, (const char *)targets.at + i * id_bytes, id_bytes);
        if (weight_bytes)
            memcpy((char *)csr->weights.at + at * weight_bytes, (const char *)weights.at + i * weight_bytes,
                   weight_bytes);
    }
done:
    em_buffer_free(&targets);
    em_buffer_free(&weights);
    return status;
}

static em_status open_arrays(const em_npz *all, em_csr *csr, em_buffer *sources, em_error *error)
{
    char format[8] = {0};
    em_status status = read_format(all, format, error);
    if (status == EM_OK)
        status = read_shape(all, strcmp(format, "csr") == 0, csr, error);
    if (status == EM_OK)
        status = wanted(all, EM_NPZ_DATA, error);
    em_weight_kind kind = EM_WEIGHT_NONE;
    if (status == EM_OK)
        status = weight_kind_of(all, &kind, error);
    if (status != EM_OK)
        return status;
    csr->weight_kind = (uint8_t)kind;
    csr->id_bytes = em_id_bytes(em_csr_n_targets(csr));
    const bool coordinates = strcmp(format, "coo") == 0;
    const uint64_t n_data = all->arrays[EM_NPZ_DATA].npy.n_items;
    const em_npz_array *ids = &all->arrays[coordinates ? EM_NPZ_ROW : EM_NPZ_INDICES];
    if (ids->there && ids->npy.n_items != n_data)
        return em_fail(error, EM_MALFORMED, "%s: data.npy: %llu items for %llu arcs", all->path,
                       (unsigned long long)n_data, (unsigned long long)ids->npy.n_items);
    if (coordinates)
        return open_coordinates(all, csr, sources, error);
    status = open_compressed(all, csr, error);
    return status == EM_OK ? copy_weights(all, csr, error) : status;
}

em_status em_npz_facts(em_context *context, const char *path, em_csr *csr, em_error *error)
{
    em_npz all;
    char format[8] = {0};
    *csr = (em_csr){0};
    em_status status = em_npz_load(context, path, &all, error);
    if (status == EM_OK)
        status = read_format(&all, format, error);
    if (status == EM_OK)
        status = read_shape(&all, strcmp(format, "csr") == 0, csr, error);
    if (status == EM_OK)
        status = wanted_integers(&all, EM_NPZ_INDICES, error);
    if (status == EM_OK)
        csr->n_arcs = all.arrays[EM_NPZ_INDICES].npy.n_items;
    em_npz_close(&all);
    return status;
}

em_status em_npz_open_listed(em_context *context, const char *path, em_csr *csr, em_buffer *sources, em_error *error)
{
    em_npz all;
    em_csr opened = {0};
    *csr = (em_csr){0};
    *sources = (em_buffer){0};
    em_status status = em_npz_load(context, path, &all, error);
    if (status == EM_OK)
        status = open_arrays(&all, &opened, sources, error);
    em_npz_close(&all);
    if (status == EM_OK) {
        *csr = opened;
        return EM_OK;
    }
    em_csr_free(&opened);
    em_buffer_free(sources);
    return status;
}

em_status em_npz_open(em_context *context, const char *path, em_csr *csr, em_error *error)
{
    em_buffer sources;
    em_status status = em_npz_open_listed(context, path, csr, &sources, error);
    if (status == EM_OK && sources.at) {
        status = make_rows(context, path, &sources, csr, error);
        if (status != EM_OK)
            em_csr_free(csr);
    }
    em_buffer_free(&sources);
    return status;
}
