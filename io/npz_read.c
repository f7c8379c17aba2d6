/* npz_read - see npz.h.
 *
 * Stored members are read where the mapped file has them; deflated ones are inflated first, each by a worker of its
 * own. Items are then copied into the types of em_csr block by block, by all workers: two passes over the file, one
 * for the CRC-32s. A coo is counted and scattered serially; that path is for convenience, not for speed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/npy.h"
#include "io/npz.h"
#include "io/whole_file.h"
#include "io/zip.h"
#include "scan/base/parallel.h"

#include <string.h>
#include <zlib.h>

typedef enum part { FORMAT, SHAPE, INDPTR, INDICES, DATA, ROW, COL, UNWEIGHTED, N_PARTS } part;
static const char *const NAMES[N_PARTS] = {"format.npy", "shape.npy", "indptr.npy", "indices.npy",
                                           "data.npy",   "row.npy",   "col.npy",    "edgemill_unweighted.npy"};

typedef struct array {
    bool there;
    em_zip_member zip;
    const unsigned char *bytes; /* the member, inflated */
    unsigned char *inflated;    /* from the allocator, or NULL */
    em_npy npy;
} array;

typedef struct opening {
    em_context *context;
    const char *path;
    em_whole_file *file;
    array arrays[N_PARTS];
    char format[8];
    uint64_t next; /* atomic: work nobody has */
    uint32_t *crcs;
    array *checked;
} opening;

static em_status refuse(const opening *all, part which, const char *what, em_error *error)
{
    return em_fail(error, EM_MALFORMED, "%s: %s: %s", all->path, NAMES[which], what);
}

/* --- bytes of the members ------------------------------------------------------------------------- */

static em_status inflate_member(const opening *all, array *member, em_error *error)
{
    const em_zip_member *zip = &member->zip;
    /* deflate packs at most 1,032 bytes into one: more is a lie that would only cost memory */
    if (zip->n_bytes / 1032 > zip->stored_bytes + 64)
        return em_fail(error, EM_MALFORMED, "%s: %s: its size cannot be true: the file is damaged", all->path,
                       zip->name);
    void *memory = NULL;
    em_status status = em_allocate(all->context, zip->n_bytes, &memory, error);
    if (status != EM_OK)
        return status;
    member->bytes = member->inflated = memory;
    z_stream stream = {0};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
        return em_fail(error, EM_NO_MEMORY, "%s: %s: out of memory while inflating", all->path, zip->name);
    const unsigned char *in = all->file->bytes + zip->data_at, *in_end = in + zip->stored_bytes;
    unsigned char *out = member->inflated, *out_end = out + zip->n_bytes;
    int answer = Z_OK;
    stream.next_in = (unsigned char *)in;
    stream.next_out = out;
    while (answer == Z_OK) {
        const uint64_t in_left = (uint64_t)(in_end - stream.next_in), out_left = (uint64_t)(out_end - stream.next_out);
        stream.avail_in = (uInt)(in_left < 1u << 30 ? in_left : 1u << 30);
        stream.avail_out = (uInt)(out_left < 1u << 30 ? out_left : 1u << 30);
        answer = inflate(&stream, Z_NO_FLUSH);
        if (answer == Z_OK && in_left == 0 && stream.avail_out > 0)
            break;
    }
    const bool whole = answer == Z_STREAM_END && stream.next_out == out_end;
    inflateEnd(&stream);
    if (!whole || em_crc32(0, member->bytes, zip->n_bytes) != zip->crc)
        return em_fail(error, EM_MALFORMED, "%s: %s: its compressed data are damaged", all->path, zip->name);
    return EM_OK;
}

static em_status inflate_members(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    opening *all = state;
    (void)worker, (void)n_workers;
    for (;;) {
        const uint64_t which = __atomic_fetch_add(&all->next, 1, __ATOMIC_RELAXED);
        if (which >= N_PARTS)
            return EM_OK;
        array *member = &all->arrays[which];
        if (!member->there || member->zip.method != EM_ZIP_DEFLATED)
            continue;
        const em_status status = inflate_member(all, member, error);
        if (status != EM_OK)
            return status;
    }
}

enum { CRC_BLOCK_BYTES = 1 << 22 };

static em_status checksum_blocks(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    opening *all = state;
    const uint64_t n_bytes = all->checked->zip.n_bytes;
    (void)worker, (void)n_workers, (void)error;
    for (;;) {
        const uint64_t number = __atomic_fetch_add(&all->next, 1, __ATOMIC_RELAXED), begin = number * CRC_BLOCK_BYTES;
        if (begin >= n_bytes)
            return EM_OK;
        const uint64_t left = n_bytes - begin;
        all->crcs[number] = em_crc32(0, all->checked->bytes + begin, left < CRC_BLOCK_BYTES ? left : CRC_BLOCK_BYTES);
    }
}

static em_status check_stored(opening *all, array *member, em_error *error)
{
    const uint64_t n_bytes = member->zip.n_bytes, n_blocks = (n_bytes + CRC_BLOCK_BYTES - 1) / CRC_BLOCK_BYTES;
    void *memory = NULL;
    em_status status = em_allocate_array(all->context, n_blocks, sizeof *all->crcs, &memory, error);
    if (status != EM_OK)
        return status;
    all->crcs = memory;
    all->checked = member;
    all->next = 0;
    status = em_parallel(all->context, n_blocks > 1 ? 0 : 1, checksum_blocks, all, error);
    uint32_t crc = em_crc32(0, member->bytes, 0);
    for (uint64_t i = 0; i < n_blocks; i++) {
        const uint64_t left = n_bytes - i * CRC_BLOCK_BYTES;
        crc = em_crc32_join(crc, all->crcs[i], left < CRC_BLOCK_BYTES ? left : CRC_BLOCK_BYTES);
    }
    em_free(all->context, memory, n_blocks * sizeof *all->crcs);
    if (status == EM_OK && crc != member->zip.crc)
        status = em_fail(error, EM_MALFORMED, "%s: %s: its CRC-32 does not match: the file is damaged", all->path,
                         member->zip.name);
    return status;
}

static em_status find_members(opening *all, em_error *error)
{
    em_zip_member *members;
    uint64_t n_members;
    const unsigned char *bytes = all->file->bytes;
    em_status status = em_zip_read(all->context, bytes, all->file->n_bytes, all->path, &members, &n_members, error);
    if (status != EM_OK)
        return status;
    for (uint64_t i = 0; status == EM_OK && i < n_members; i++)
        for (int which = 0; which < N_PARTS; which++)
            if (status == EM_OK && strcmp(members[i].name, NAMES[which]) == 0) {
                array *found = &all->arrays[which];
                if (found->there)
                    status = refuse(all, which, "is there twice", error);
                found->there = true;
                found->zip = members[i];
                if (status == EM_OK)
                    status = em_zip_locate(bytes, all->file->n_bytes, all->path, &found->zip, error);
                if (status == EM_OK && found->zip.method != EM_ZIP_STORED && found->zip.method != EM_ZIP_DEFLATED)
                    status = refuse(all, which, "is compressed by a method other than deflate", error);
                found->bytes = bytes + found->zip.data_at;
            }
    em_free(all->context, members, n_members * sizeof *members);
    return status;
}

static em_status load_members(opening *all, em_error *error)
{
    em_status status = find_members(all, error);
    all->next = 0;
    if (status == EM_OK)
        status = em_parallel(all->context, 0, inflate_members, all, error);
    for (int which = 0; status == EM_OK && which < N_PARTS; which++) {
        array *member = &all->arrays[which];
        if (!member->there)
            continue;
        if (member->zip.method == EM_ZIP_STORED)
            status = check_stored(all, member, error);
        if (status == EM_OK)
            status = em_npy_read(member->bytes, member->zip.n_bytes, all->path, NAMES[which], &member->npy, error);
    }
    return status;
}

/* --- what the members say ------------------------------------------------------------------------- */

static em_status wanted(const opening *all, part which, em_error *error)
{
    return all->arrays[which].there ? EM_OK : refuse(all, which, "is missing: this is no scipy sparse matrix", error);
}

static em_status read_format(opening *all, em_error *error)
{
    const array *from = &all->arrays[FORMAT];
    const em_status status = wanted(all, FORMAT, error);
    if (status != EM_OK)
        return status;
    const em_npy *npy = &from->npy;
    const uint32_t step = npy->kind == 'U' ? 4 : 1, length = npy->item_bytes / step;
    if ((npy->kind != 'S' && npy->kind != 'U') || npy->n_items != 1 || length >= sizeof all->format)
        return refuse(all, FORMAT, "is no word", error);
    for (uint32_t i = 0; i < length; i++)
        all->format[i] = (char)from->bytes[npy->data_at + (uint64_t)i * step];
    if (strcmp(all->format, "csr") != 0 && strcmp(all->format, "csc") != 0 && strcmp(all->format, "coo") != 0)
        return em_fail(error, EM_MALFORMED,
                       "%s: format.npy: a matrix in the format %s is not read; csr, csc and coo are", all->path,
                       all->format);
    return EM_OK;
}

/* One integer item, widened; a negative one turns into something past 2^63. */
static uint64_t integer_at(const array *from, uint64_t index)
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

static em_status read_shape(const opening *all, uint64_t *n_vertices, em_error *error)
{
    const array *shape = &all->arrays[SHAPE];
    const em_status status = wanted(all, SHAPE, error);
    if (status != EM_OK)
        return status;
    if (!is_integer(&shape->npy) || shape->npy.n_dimensions != 1 || shape->npy.n_items != 2)
        return refuse(all, SHAPE, "is not two integers", error);
    const uint64_t rows = integer_at(shape, 0), columns = integer_at(shape, 1);
    if (rows != columns)
        return em_fail(error, EM_MALFORMED, "%s: shape.npy: %llu rows and %llu columns: not square, so no graph",
                       all->path, (unsigned long long)rows, (unsigned long long)columns);
    if (rows > UINT64_C(1) << 58)
        return refuse(all, SHAPE, "has no possible size", error);
    *n_vertices = rows;
    return EM_OK;
}

static em_status wanted_integers(const opening *all, part which, em_error *error)
{
    const em_status status = wanted(all, which, error);
    if (status != EM_OK)
        return status;
    if (!is_integer(&all->arrays[which].npy) || all->arrays[which].npy.n_dimensions != 1)
        return refuse(all, which, "is not a list of integers", error);
    return EM_OK;
}

/* The type that holds all of data exactly; none where it only says that the arcs are there. */
static em_status weight_kind_of(const opening *all, em_weight_kind *kind, em_error *error)
{
    const em_npy *npy = &all->arrays[DATA].npy;
    *kind = EM_WEIGHT_NONE;
    if (npy->n_dimensions != 1)
        return refuse(all, DATA, "is not a list", error);
    if (all->arrays[UNWEIGHTED].there || npy->kind == 'b')
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
    const opening *all;
    const array *from;
    part which;
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
                          NAMES[copy->which], (unsigned long long)index, shown);
    return em_fail_at(error, EM_MALFORMED, index, "%s: %s: item %llu is %llu: more than %llu", copy->all->path,
                      NAMES[copy->which], (unsigned long long)index, (unsigned long long)shown,
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

static em_status copy_array(const opening *all, part which, em_buffer *into, uint32_t into_bytes, uint64_t limit,
                            em_error *error)
{
    const array *from = &all->arrays[which];
    em_status status = em_buffer_allocate(all->context, into, from->npy.n_items, into_bytes, error);
    if (status != EM_OK)
        return status;
    copying copy = {.all = all,
                    .from = from,
                    .which = which,
                    .into = into->at,
                    .into_bytes = into_bytes,
                    .as_is = from->npy.kind == 'f' ||
                             (which == DATA && from->npy.item_bytes == into_bytes && from->npy.kind == 'i'),
                    .limit = limit};
    return em_parallel(all->context, from->npy.n_items > COPY_ITEMS ? 0 : 1, copy_blocks, &copy, error);
}

static em_status copy_weights(const opening *all, em_csr *csr, em_error *error)
{
    if (csr->weight_kind == EM_WEIGHT_NONE)
        return EM_OK;
    /* only u64 can pass its type, i64; the wrapped negatives of signed types are meant */
    const uint64_t limit = all->arrays[DATA].npy.kind == 'u' ? INT64_MAX : UINT64_MAX;
    return copy_array(all, DATA, &csr->weights, em_weight_bytes(csr->weight_kind), limit, error);
}

static em_status open_compressed(const opening *all, em_csr *csr, em_error *error)
{
    em_status status = wanted_integers(all, INDPTR, error);
    if (status == EM_OK)
        status = wanted_integers(all, INDICES, error);
    if (status != EM_OK)
        return status;
    csr->n_arcs = all->arrays[INDICES].npy.n_items;
    if (all->arrays[INDPTR].npy.n_items != csr->n_vertices + 1)
        return em_fail(error, EM_MALFORMED, "%s: indptr.npy: %llu items for %llu rows; there must be one more",
                       all->path, (unsigned long long)all->arrays[INDPTR].npy.n_items,
                       (unsigned long long)csr->n_vertices);
    status = copy_array(all, INDPTR, &csr->offsets, 8, INT64_MAX, error);
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
    if (csr->n_vertices == 0) /* no id is below 0 */
        return csr->n_arcs ? refuse(all, INDICES, "has items, but there are no rows", error)
                           : em_buffer_allocate(all->context, &csr->targets, 0, csr->id_bytes, error);
    return copy_array(all, INDICES, &csr->targets, csr->id_bytes, csr->n_vertices - 1, error);
}

/* Arcs as listed into rows, each in the order of the list: count, scan, scatter. */
static em_status open_coordinates(const opening *all, em_csr *csr, em_error *error)
{
    em_buffer sources = {0}, targets = {0}, weights = {0};
    em_status status = wanted_integers(all, ROW, error);
    if (status == EM_OK)
        status = wanted_integers(all, COL, error);
    if (status != EM_OK)
        return status;
    csr->n_arcs = all->arrays[ROW].npy.n_items;
    if (all->arrays[COL].npy.n_items != csr->n_arcs)
        return refuse(all, COL, "has another number of items than row.npy", error);
    if (csr->n_vertices == 0 && csr->n_arcs > 0)
        return refuse(all, ROW, "has items, but the matrix has no rows", error);
    const uint64_t n_offset_bytes = (csr->n_vertices + 1) * 8;
    if (n_offset_bytes > UINT64_C(1) << 30 && n_offset_bytes / 64 > csr->n_arcs)
        return em_fail(error, EM_ENVIRONMENT,
                       "%s: shape.npy: %llu rows for %llu arcs would need %llu bytes of offsets alone", all->path,
                       (unsigned long long)csr->n_vertices, (unsigned long long)csr->n_arcs,
                       (unsigned long long)n_offset_bytes);
    const uint64_t last = csr->n_vertices - (csr->n_vertices > 0);
    const uint32_t id_bytes = csr->id_bytes, weight_bytes = em_weight_bytes(csr->weight_kind);
    status = copy_array(all, ROW, &sources, id_bytes, last, error);
    if (status == EM_OK)
        status = copy_array(all, COL, &targets, id_bytes, last, error);
    if (status == EM_OK)
        status = copy_weights(all, csr, error);
    if (status == EM_OK)
        status = em_buffer_allocate(all->context, &csr->targets, csr->n_arcs, id_bytes, error);
    weights = csr->weights;
    csr->weights = (em_buffer){0};
    if (status == EM_OK && weight_bytes)
        status = em_buffer_allocate(all->context, &csr->weights, csr->n_arcs, weight_bytes, error);
    if (status == EM_OK)
        status = em_buffer_allocate(all->context, &csr->offsets, csr->n_vertices + 1, 8, error);
    if (status != EM_OK)
        goto done;
    uint64_t *offsets = csr->offsets.at;
    memset(offsets, 0, n_offset_bytes);
    for (uint64_t i = 0; i < csr->n_arcs; i++)
        offsets[em_id_at(sources.at, csr->id_bytes, i)]++;
    uint64_t sum = 0;
    for (uint64_t i = 0; i <= csr->n_vertices; i++) { /* ends of rows, which the scatter below lowers to begins */
        sum += offsets[i];
        offsets[i] = sum;
    }
    for (uint64_t i = csr->n_arcs; i-- > 0;) {
        const uint64_t at = --offsets[em_id_at(sources.at, csr->id_bytes, i)];
        memcpy((char *)csr->targets.at + at * id_bytes, (const char *)targets.at + i * id_bytes, id_bytes);
        if (weight_bytes)
            memcpy((char *)csr->weights.at + at * weight_bytes, (const char *)weights.at + i * weight_bytes,
                   weight_bytes);
    }
done:
    em_buffer_free(&sources);
    em_buffer_free(&targets);
    em_buffer_free(&weights);
    return status;
}

static em_status open_arrays(opening *all, em_csr *csr, em_error *error)
{
    em_status status = read_format(all, error);
    if (status == EM_OK)
        status = read_shape(all, &csr->n_vertices, error);
    if (status == EM_OK)
        status = wanted(all, DATA, error);
    em_weight_kind kind = EM_WEIGHT_NONE;
    if (status == EM_OK)
        status = weight_kind_of(all, &kind, error);
    if (status != EM_OK)
        return status;
    csr->weight_kind = (uint8_t)kind;
    csr->id_bytes = em_id_bytes(csr->n_vertices);
    const bool coordinates = strcmp(all->format, "coo") == 0;
    const uint64_t n_data = all->arrays[DATA].npy.n_items;
    const array *ids = &all->arrays[coordinates ? ROW : INDICES];
    if (ids->there && ids->npy.n_items != n_data)
        return em_fail(error, EM_MALFORMED, "%s: data.npy: %llu items for %llu arcs", all->path,
                       (unsigned long long)n_data, (unsigned long long)ids->npy.n_items);
    if (coordinates)
        return open_coordinates(all, csr, error);
    status = open_compressed(all, csr, error);
    return status == EM_OK ? copy_weights(all, csr, error) : status;
}

em_status em_npz_open(em_context *context, const char *path, em_csr *csr, em_error *error)
{
    opening all = {.context = context, .path = strcmp(path, "-") == 0 ? "standard input" : path};
    em_csr opened = {0};
    *csr = (em_csr){0};
    em_status status = em_whole_file_open(context, path, &all.file, error);
    if (status != EM_OK)
        return status;
    status = load_members(&all, error);
    if (status == EM_OK)
        status = open_arrays(&all, &opened, error);
    for (int i = 0; i < N_PARTS; i++)
        em_free(context, all.arrays[i].inflated, all.arrays[i].zip.n_bytes);
    em_whole_file_release(all.file);
    if (status != EM_OK)
        em_csr_free(&opened);
    else
        *csr = opened;
    return status;
}
