/* npz_write - see npz.h.
 *
 * All sizes are known before the first byte, so every block of every member has its place: workers take the next block,
 * narrow it where needed, checksum it and write it while it is in cache; the CRC-32s of blocks are then joined. Where
 * the output cannot be written at offsets, a first pass makes the checksums, which stand before the data, and a second
 * one writes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/npy.h"
#include "io/npz.h"
#include "io/publish.h"
#include "io/zip.h"
#include "scan/base/parallel.h"

#include <string.h>

enum { MOST_MEMBERS = 7, BLOCK_ITEMS = 1 << 18, BLOCK_BYTES = BLOCK_ITEMS * 8 };

typedef enum filling { AS_IS, U64_TO_I32, U32_TO_I64, ONES } filling;

typedef struct member {
    em_zip_member zip;
    char header[EM_NPY_HEADER_BYTES];
    uint32_t header_bytes, item_bytes;
    uint64_t n_items, first_block;
    const void *items;
    filling how;
} member;

typedef struct writing {
    em_context *context;
    em_output *output;
    member members[MOST_MEMBERS];
    uint32_t n_members;
    uint64_t n_blocks, directory_at, shape[2], first_vertex, next; /* next: atomic */
    uint32_t *crcs;                                                /* one a block */
    bool only_checksums;
} writing;

static void add(writing *all, const char *name, const char *descr, uint32_t n_dimensions, uint64_t n_items,
                uint32_t item_bytes, const void *items, filling how)
{
    member *made = &all->members[all->n_members++];
    *made = (member){.n_items = n_items, .item_bytes = item_bytes, .items = items, .how = how};
    made->header_bytes = em_npy_header(descr, n_dimensions, n_items, made->header);
    strncpy(made->zip.name, name, sizeof made->zip.name - 1);
    made->zip.n_bytes = made->zip.stored_bytes = made->header_bytes + n_items * item_bytes;
}

static void add_members(writing *all, const em_csr *csr)
{
    static const char *const descrs[] = {"<i4", "<i4", "<i8", "<f4", "<f8"};
    static const char csr_word[] = "csr", yes[] = "\1";
    const bool narrow = em_csr_n_targets(csr) <= INT32_MAX && csr->n_arcs <= INT32_MAX;
    const char *index = narrow ? "<i4" : "<i8";
    const uint32_t index_bytes = narrow ? 4 : 8;
    all->shape[0] = csr->n_vertices;
    all->shape[1] = em_csr_n_targets(csr);
    all->first_vertex = csr->first_vertex;
    add(all, "format.npy", "|S3", 0, 1, 3, csr_word, AS_IS);
    add(all, "shape.npy", "<i8", 1, 2, 8, all->shape, AS_IS);
    add(all, "indptr.npy", index, 1, csr->n_vertices + 1, index_bytes, csr->offsets.at, narrow ? U64_TO_I32 : AS_IS);
    add(all, "indices.npy", index, 1, csr->n_arcs, index_bytes, csr->targets.at,
        !narrow && csr->id_bytes == 4 ? U32_TO_I64 : AS_IS);
    const uint32_t weight_bytes = em_weight_bytes(csr->weight_kind);
    if (weight_bytes) {
        add(all, "data.npy", descrs[csr->weight_kind], 1, csr->n_arcs, weight_bytes, csr->weights.at, AS_IS);
    } else {
        add(all, "data.npy", "<i4", 1, csr->n_arcs, 4, NULL, ONES);
        add(all, "edgemill_unweighted.npy", "|b1", 0, 1, 1, yes, AS_IS);
    }
    if (!em_csr_is_whole(csr))
        add(all, "edgemill_first_vertex.npy", "<i8", 0, 1, 8, &all->first_vertex, AS_IS);
}

static void place_members(writing *all)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < all->n_members; i++) {
        member *placed = &all->members[i];
        placed->zip.header_at = at;
        placed->zip.data_at = at + em_zip_local_header(&placed->zip, NULL);
        placed->first_block = all->n_blocks;
        all->n_blocks += (placed->n_items + BLOCK_ITEMS - 1) / BLOCK_ITEMS;
        at = placed->zip.data_at + placed->zip.n_bytes;
    }
    all->directory_at = at;
}

typedef struct block {
    const void *bytes;
    uint64_t n_bytes, at;
} block;

/* The items of a block as they lie in the file; `room` holds BLOCK_BYTES where they have to be made. */
static block make_block(const writing *all, uint64_t number, void *room)
{
    uint32_t index = all->n_members - 1;
    while (all->members[index].first_block > number)
        index--;
    const member *from = &all->members[index];
    const uint64_t begin = (number - from->first_block) * BLOCK_ITEMS;
    const uint64_t n = from->n_items - begin < BLOCK_ITEMS ? from->n_items - begin : BLOCK_ITEMS;
    block made = {.bytes = room,
                  .n_bytes = n * from->item_bytes,
                  .at = from->zip.data_at + from->header_bytes + begin * from->item_bytes};
    uint32_t *narrow = room;
    uint64_t *wide = room;
    switch (from->how) {
    case AS_IS:
        made.bytes = (const char *)from->items + begin * from->item_bytes;
        break;
    case U64_TO_I32:
        for (uint64_t i = 0; i < n; i++)
            narrow[i] = (uint32_t)((const uint64_t *)from->items)[begin + i];
        break;
    case U32_TO_I64:
        for (uint64_t i = 0; i < n; i++)
            wide[i] = ((const uint32_t *)from->items)[begin + i];
        break;
    case ONES:
        for (uint64_t i = 0; i < n; i++)
            narrow[i] = 1;
        break;
    }
    return made;
}

static em_status write_blocks(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    writing *all = state;
    void *room = NULL;
    (void)n_workers;
    em_status status = em_allocate(all->context, BLOCK_BYTES, &room, error);
    while (status == EM_OK) {
        const uint64_t number = __atomic_fetch_add(&all->next, 1, __ATOMIC_RELAXED);
        if (number >= all->n_blocks)
            break;
        const block made = make_block(all, number, room);
        all->crcs[number] = em_crc32(0, made.bytes, made.n_bytes);
        if (!all->only_checksums)
            status = em_output_write_at(all->output, made.bytes, made.n_bytes, made.at, error);
        if (status == EM_OK)
            status = worker == 0 ? em_context_report(all->context, "save", number, all->n_blocks, error)
                                 : em_context_check(all->context, error);
    }
    if (status != EM_OK)
        __atomic_store_n(&all->next, all->n_blocks, __ATOMIC_RELAXED);
    em_free(all->context, room, BLOCK_BYTES);
    return status;
}

static void join_checksums(writing *all)
{
    for (uint32_t i = 0; i < all->n_members; i++) {
        member *joined = &all->members[i];
        uint32_t crc = em_crc32(0, joined->header, joined->header_bytes);
        uint64_t left = joined->n_items;
        for (uint64_t number = joined->first_block; left > 0; number++) {
            const uint64_t n = left < BLOCK_ITEMS ? left : BLOCK_ITEMS;
            crc = em_crc32_join(crc, all->crcs[number], n * joined->item_bytes);
            left -= n;
        }
        joined->zip.crc = crc;
    }
}

static em_status write_piece(writing *all, const void *bytes, uint64_t n_bytes, uint64_t at, em_error *error)
{
    if (em_output_is_regular(all->output))
        return em_output_write_at(all->output, bytes, n_bytes, at, error);
    return em_output_write(all->output, bytes, n_bytes, error);
}

static em_status write_headers(writing *all, const member *of, em_error *error)
{
    unsigned char piece[EM_ZIP_PIECE_BYTES + EM_NPY_HEADER_BYTES];
    const uint32_t length = em_zip_local_header(&of->zip, piece);
    memcpy(piece + length, of->header, of->header_bytes);
    return write_piece(all, piece, length + of->header_bytes, of->zip.header_at, error);
}

static em_status write_directory(writing *all, em_error *error)
{
    unsigned char pieces[(MOST_MEMBERS + 1) * EM_ZIP_PIECE_BYTES];
    uint32_t length = 0;
    for (uint32_t i = 0; i < all->n_members; i++)
        length += em_zip_directory_entry(&all->members[i].zip, pieces + length);
    const uint32_t directory_bytes = length;
    length += em_zip_end(all->n_members, all->directory_at, directory_bytes, pieces + length);
    return write_piece(all, pieces, length, all->directory_at, error);
}

static em_status write_regular(writing *all, em_error *error)
{
    em_status status = em_output_resize(all->output, all->directory_at, error);
    if (status == EM_OK)
        status = em_parallel(all->context, all->n_blocks > MOST_MEMBERS ? 0 : 1, write_blocks, all, error);
    if (status != EM_OK)
        return status;
    join_checksums(all);
    for (uint32_t i = 0; status == EM_OK && i < all->n_members; i++)
        status = write_headers(all, &all->members[i], error);
    return status == EM_OK ? write_directory(all, error) : status;
}

static em_status write_in_order(writing *all, em_error *error)
{
    void *room = NULL;
    all->only_checksums = true;
    em_status status = em_parallel(all->context, all->n_blocks > MOST_MEMBERS ? 0 : 1, write_blocks, all, error);
    if (status == EM_OK)
        status = em_allocate(all->context, BLOCK_BYTES, &room, error);
    join_checksums(all);
    for (uint32_t i = 0; status == EM_OK && i < all->n_members; i++) {
        const uint64_t end = i + 1 < all->n_members ? all->members[i + 1].first_block : all->n_blocks;
        status = write_headers(all, &all->members[i], error);
        for (uint64_t number = all->members[i].first_block; status == EM_OK && number < end; number++) {
            const block made = make_block(all, number, room);
            status = em_output_write(all->output, made.bytes, made.n_bytes, error);
            if (status == EM_OK)
                status = em_context_check(all->context, error);
        }
    }
    em_free(all->context, room, BLOCK_BYTES);
    return status == EM_OK ? write_directory(all, error) : status;
}

em_status em_npz_write(em_context *context, const em_csr *csr, em_output *output, em_error *error)
{
    writing all = {.context = context, .output = output};
    add_members(&all, csr);
    place_members(&all);
    void *memory = NULL;
    em_status status = em_allocate_array(context, all.n_blocks, sizeof *all.crcs, &memory, error);
    if (status != EM_OK)
        return status;
    all.crcs = memory;
    status = em_output_is_regular(output) ? write_regular(&all, error) : write_in_order(&all, error);
    em_free(context, all.crcs, all.n_blocks * sizeof *all.crcs);
    return status;
}
