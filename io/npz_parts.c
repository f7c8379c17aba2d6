/* npz_parts - see npz_parts.h.
 *
 * Stored members are read where the mapped file has them; deflated ones are inflated first, each by a worker of its
 * own. The CRC-32 of a stored member is made in blocks by all workers: one pass over the file.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/npz_parts.h"
#include "io/decoder.h"
#include "scan/base/parallel.h"

#include <string.h>
#include <zlib.h>

const char *em_npz_part_name(em_npz_part part)
{
    static const char *const names[EM_NPZ_PARTS] = {"format.npy",
                                                    "shape.npy",
                                                    "indptr.npy",
                                                    "indices.npy",
                                                    "data.npy",
                                                    "row.npy",
                                                    "col.npy",
                                                    "edgemill_unweighted.npy",
                                                    "edgemill_first_vertex.npy"};
    return names[part];
}

em_status em_npz_refuse(const em_npz *npz, em_npz_part part, const char *what, em_error *error)
{
    return em_fail(error, EM_MALFORMED, "%s: %s: %s", npz->path, em_npz_part_name(part), what);
}

/* Work that a team shares. */
typedef struct shared {
    em_npz *npz;
    const em_npz_array *checked;
    uint32_t *crcs; /* one a block of `checked` */
    uint64_t next;  /* atomic: work nobody has */
} shared;

static em_status inflate_member(const em_npz *all, em_npz_array *member, em_error *error)
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
    shared *all = state;
    (void)worker, (void)n_workers;
    for (;;) {
        const uint64_t which = __atomic_fetch_add(&all->next, 1, __ATOMIC_RELAXED);
        if (which >= EM_NPZ_PARTS)
            return EM_OK;
        em_npz_array *member = &all->npz->arrays[which];
        if (!member->there || member->zip.method != EM_ZIP_DEFLATED)
            continue;
        const em_status status = inflate_member(all->npz, member, error);
        if (status != EM_OK)
            return status;
    }
}

enum { CRC_BLOCK_BYTES = 1 << 22 };

static em_status checksum_blocks(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    shared *all = state;
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

static em_status check_stored(em_npz *all, const em_npz_array *member, em_error *error)
{
    const uint64_t n_bytes = member->zip.n_bytes, n_blocks = (n_bytes + CRC_BLOCK_BYTES - 1) / CRC_BLOCK_BYTES;
    void *memory = NULL;
    em_status status = em_allocate_array(all->context, n_blocks, sizeof(uint32_t), &memory, error);
    if (status != EM_OK)
        return status;
    shared work = {.checked = member, .crcs = memory};
    status = em_parallel(all->context, n_blocks > 1 ? 0 : 1, checksum_blocks, &work, error);
    uint32_t crc = em_crc32(0, member->bytes, 0);
    for (uint64_t i = 0; i < n_blocks; i++) {
        const uint64_t left = n_bytes - i * CRC_BLOCK_BYTES;
        crc = em_crc32_join(crc, work.crcs[i], left < CRC_BLOCK_BYTES ? left : CRC_BLOCK_BYTES);
    }
    em_free(all->context, memory, n_blocks * sizeof(uint32_t));
    if (status == EM_OK && crc != member->zip.crc)
        status = em_fail(error, EM_MALFORMED, "%s: %s: its CRC-32 does not match: the file is damaged", all->path,
                         member->zip.name);
    return status;
}

static em_status find_members(em_npz *all, em_error *error)
{
    em_zip_member *members;
    uint64_t n_members;
    const unsigned char *bytes = all->file->bytes;
    em_status status = em_zip_read(all->context, bytes, all->file->n_bytes, all->path, &members, &n_members, error);
    if (status != EM_OK)
        return status;
    for (uint64_t i = 0; status == EM_OK && i < n_members; i++) {
        /* those that nothing uses as well: a damaged name may have made them so */
        status = em_zip_locate(bytes, all->file->n_bytes, all->path, &members[i], error);
        for (int which = 0; which < EM_NPZ_PARTS; which++)
            if (status == EM_OK && strcmp(members[i].name, em_npz_part_name(which)) == 0) {
                em_npz_array *found = &all->arrays[which];
                if (found->there)
                    status = em_npz_refuse(all, which, "is there twice", error);
                found->there = true;
                found->zip = members[i];
                if (status == EM_OK && found->zip.method != EM_ZIP_STORED && found->zip.method != EM_ZIP_DEFLATED)
                    status = em_npz_refuse(all, which, "is compressed by a method other than deflate", error);
                found->bytes = bytes + found->zip.data_at;
            }
    }
    em_free(all->context, members, n_members * sizeof *members);
    return status;
}

static em_status load_members(em_npz *all, em_error *error)
{
    shared work = {.npz = all};
    uint32_t n_deflated = 0;
    em_status status = find_members(all, error);
    for (int which = 0; which < EM_NPZ_PARTS; which++)
        n_deflated += all->arrays[which].there && all->arrays[which].zip.method == EM_ZIP_DEFLATED;
    if (status == EM_OK)
        status = em_parallel(all->context, n_deflated > 1 ? 0 : 1, inflate_members, &work, error);
    for (int which = 0; status == EM_OK && which < EM_NPZ_PARTS; which++) {
        em_npz_array *member = &all->arrays[which];
        if (!member->there)
            continue;
        if (member->zip.method == EM_ZIP_STORED)
            status = check_stored(all, member, error);
        if (status == EM_OK)
            status = em_npy_read(member->bytes, member->zip.n_bytes, all->path, em_npz_part_name(which), &member->npy,
                                 error);
    }
    return status;
}

em_status em_npz_load(em_context *context, const char *path, em_npz *npz, em_error *error)
{
    *npz = (em_npz){.context = context, .path = em_input_name(path)};
    const em_status status = em_whole_file_open(context, path, &npz->file, error);
    return status == EM_OK ? load_members(npz, error) : status;
}

void em_npz_close(em_npz *npz)
{
    for (int i = 0; i < EM_NPZ_PARTS; i++)
        em_free(npz->context, npz->arrays[i].inflated, npz->arrays[i].zip.n_bytes);
    em_whole_file_release(npz->file);
}
