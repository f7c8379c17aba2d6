/* npz - scipy's sparse matrices: a zip file of .npy arrays, members stored or deflated.
 *
 * Found through the central directory (with its zip64 forms); every member's CRC-32 is checked. Spec: PKWARE APPNOTE
 * 6.3, numpy/lib/format.py, scipy/sparse/_matrix_io.py. Cost: one pass over the file; deflated members are inflated
 * whole.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/judge/judge.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

struct file {
    const char *path;
    const unsigned char *at;
    uint64_t n_bytes;
};

/* One array: `count` values of `bytes` each; kind is numpy's letter (i u f b S). */
struct array {
    const unsigned char *at;
    uint64_t count;
    uint32_t bytes;
    char kind;
};

static void need(const struct file *file, uint64_t at, uint64_t n_bytes)
{
    if (at > file->n_bytes || n_bytes > file->n_bytes - at)
        fail(EXIT_MALFORMED, "%s: the zip directory points behind the end of the file", file->path);
}

static uint64_t field(const struct file *file, uint64_t at, uint32_t n_bytes)
{
    need(file, at, n_bytes);
    return little_endian(file->at + at, n_bytes);
}

/* Where the central directory begins and how many entries it has. */
static uint64_t find_directory(const struct file *file, uint64_t *n_entries)
{
    for (uint64_t back = 22; back <= file->n_bytes && back <= 22 + 65535; back++) {
        uint64_t end = file->n_bytes - back;
        if (memcmp(file->at + end, "PK\5\6", 4) != 0)
            continue;
        *n_entries = field(file, end + 10, 2);
        uint64_t at = field(file, end + 16, 4);
        if (end >= 20 && memcmp(file->at + end - 20, "PK\6\7", 4) == 0) {
            uint64_t end64 = field(file, end - 20 + 8, 8);
            *n_entries = field(file, end64 + 32, 8);
            at = field(file, end64 + 48, 8);
        }
        return at;
    }
    fail(EXIT_MALFORMED, "%s: no zip directory at its end", file->path);
}

struct member {
    uint64_t packed_bytes, n_bytes, header;
    uint32_t method, crc;
};

/* The zip64 extra field replaces, in this order, the sizes that read 0xffffffff. */
static void widen(const struct file *file, uint64_t at, uint64_t end, struct member *member)
{
    while (at + 4 <= end) {
        uint64_t tag = field(file, at, 2), n = field(file, at + 2, 2);
        uint64_t *const wide[] = {&member->n_bytes, &member->packed_bytes, &member->header};
        at += 4;
        for (uint64_t i = 0, from = at; tag == 1 && i < 3; i++) {
            if (*wide[i] == UINT32_MAX) {
                *wide[i] = field(file, from, 8);
                from += 8;
            }
        }
        at += n;
    }
}

static bool find_member(const struct file *file, const char *name, struct member *member)
{
    uint64_t n_entries, at = find_directory(file, &n_entries);
    for (uint64_t i = 0; i < n_entries; i++) {
        if (field(file, at, 4) != 0x02014b50)
            fail(EXIT_MALFORMED, "%s: damaged zip directory", file->path);
        uint64_t n_name = field(file, at + 28, 2), n_extra = field(file, at + 30, 2), n_note = field(file, at + 32, 2);
        *member = (struct member){.method = (uint32_t)field(file, at + 10, 2),
                                  .crc = (uint32_t)field(file, at + 16, 4),
                                  .packed_bytes = field(file, at + 20, 4),
                                  .n_bytes = field(file, at + 24, 4),
                                  .header = field(file, at + 42, 4)};
        need(file, at + 46, n_name + n_extra + n_note);
        widen(file, at + 46 + n_name, at + 46 + n_name + n_extra, member);
        if (n_name == strlen(name) && memcmp(file->at + at + 46, name, n_name) == 0)
            return true;
        at += 46 + n_name + n_extra + n_note;
    }
    return false;
}

static unsigned char *inflated(const struct file *file, const char *name, const unsigned char *from,
                               const struct member *member)
{
    unsigned char *out = allocate(member->n_bytes, 1);
    z_stream stream = {0};
    uint64_t in_left = member->packed_bytes, out_left = member->n_bytes;
    int code = inflateInit2(&stream, -15);
    stream.next_in = (unsigned char *)from;
    stream.next_out = out;
    while (code == Z_OK && (in_left || stream.avail_in)) {
        if (stream.avail_in == 0) {
            stream.avail_in = in_left < 1u << 30 ? (unsigned)in_left : 1u << 30;
            in_left -= stream.avail_in;
        }
        if (stream.avail_out == 0) {
            stream.avail_out = out_left < 1u << 30 ? (unsigned)out_left : 1u << 30;
            out_left -= stream.avail_out;
        }
        code = inflate(&stream, Z_NO_FLUSH);
    }
    if (code != Z_STREAM_END || out_left || stream.avail_out)
        fail(EXIT_MALFORMED, "%s: %s: damaged deflate data", file->path, name);
    inflateEnd(&stream);
    return out;
}

static const unsigned char *open_member(const struct file *file, struct stored *stored, const char *name,
                                        uint64_t *n_bytes)
{
    struct member member;
    if (!find_member(file, name, &member))
        return NULL;
    if (field(file, member.header, 4) != 0x04034b50)
        fail(EXIT_MALFORMED, "%s: %s: damaged zip header", file->path, name);
    uint64_t at = member.header + 30 + field(file, member.header + 26, 2) + field(file, member.header + 28, 2);
    need(file, at, member.packed_bytes);
    const unsigned char *bytes = file->at + at;
    if (member.method == 8) {
        bytes = inflated(file, name, bytes, &member);
        stored->inflated[stored->n_inflated++] = (void *)bytes;
    } else if (member.method != 0 || member.packed_bytes != member.n_bytes) {
        fail(EXIT_MALFORMED, "%s: %s: zip method %u", file->path, name, member.method);
    }
    if (crc32_z(0, bytes, member.n_bytes) != member.crc)
        fail(EXIT_MALFORMED, "%s: %s: CRC-32 mismatch", file->path, name);
    *n_bytes = member.n_bytes;
    return bytes;
}

/* The value behind a key of the header's dictionary. */
static const char *value_of(const struct file *file, const char *name, const char *header, const char *key)
{
    const char *found = strstr(header, key);
    if (found)
        found = strchr(found, ':');
    if (!found)
        fail(EXIT_MALFORMED, "%s: %s: no %s in the npy header", file->path, name, key);
    return found + 1 + strspn(found + 1, " ");
}

/* A one-dimensional array, or a scalar as an array of one. False: the member is not there. */
static bool open_array(const struct file *file, struct stored *stored, const char *name, struct array *array)
{
    uint64_t n_bytes;
    const unsigned char *bytes = open_member(file, stored, name, &n_bytes);
    if (!bytes)
        return false;
    uint32_t wide = n_bytes >= 12 && bytes[6] >= 2 ? 4 : 2;
    if (n_bytes < 12 || memcmp(bytes, "\x93NUMPY", 6) != 0)
        fail(EXIT_MALFORMED, "%s: %s: no npy header", file->path, name);
    uint64_t n_header = little_endian(bytes + 8, wide), begin = 8 + wide + n_header;
    if (begin > n_bytes)
        fail(EXIT_MALFORMED, "%s: %s: cut npy header", file->path, name);
    char *header = memcpy(allocate(n_header + 1, 1), bytes + 8 + wide, n_header);
    const char *descr = value_of(file, name, header, "'descr'"), *shape = value_of(file, name, header, "'shape'");
    char order = descr[0] ? descr[1] : 0;
    if (descr[0] != '\'' || !strchr("<|", order) || shape[0] != '(')
        fail(EXIT_MALFORMED, "%s: %s: array of an unknown type", file->path, name);
    array->kind = descr[2];
    array->bytes = (uint32_t)strtoul(descr + 3, NULL, 10) * (descr[2] == 'U' ? 4 : 1);
    array->count = shape[1] == ')' ? 1 : strtoull(shape + 1, NULL, 10);
    if (shape[1] != ')' && strspn(shape + 1, "0123456789 ,") != strcspn(shape + 1, ")"))
        fail(EXIT_MALFORMED, "%s: %s: damaged shape", file->path, name);
    const char *comma = shape[1] == ')' ? NULL : strchr(shape, ',');
    if (comma && comma[1 + strspn(comma + 1, " ")] != ')')
        fail(EXIT_MALFORMED, "%s: %s: more than one dimension", file->path, name);
    array->at = bytes + begin;
    if (array->bytes == 0 || (n_bytes - begin) / array->bytes < array->count)
        fail(EXIT_MALFORMED, "%s: %s: shorter than its shape", file->path, name);
    free(header);
    return true;
}

static struct array integers(const struct file *file, struct stored *stored, const char *name)
{
    struct array array;
    if (!open_array(file, stored, name, &array))
        fail(EXIT_MALFORMED, "%s: no member %s", file->path, name);
    if ((array.kind != 'i' && array.kind != 'u') || (array.bytes != 4 && array.bytes != 8))
        fail(EXIT_MALFORMED, "%s: %s: integers of 4 or 8 bytes are expected", file->path, name);
    return array;
}

static void open_weights(const struct file *file, struct stored *stored)
{
    struct array array;
    if (open_array(file, stored, "edgemill_unweighted.npy", &array))
        return;
    if (!open_array(file, stored, "data.npy", &array))
        fail(EXIT_MALFORMED, "%s: no member data.npy", file->path);
    if (array.kind == 'b')
        return;
    if ((array.kind != 'i' && array.kind != 'f') || (array.bytes != 4 && array.bytes != 8))
        fail(EXIT_MALFORMED, "%s: data.npy: weights of type %c%u", file->path, array.kind, array.bytes);
    if (array.count < stored->n_arcs)
        fail(EXIT_MALFORMED, "%s: data.npy: fewer weights than arcs", file->path);
    stored->kind =
        array.kind == 'i' ? (array.bytes == 4 ? WEIGHT_I32 : WEIGHT_I64) : (array.bytes == 4 ? WEIGHT_F32 : WEIGHT_F64);
    stored->weights = array.at;
}

void open_npz(struct stored *stored, const unsigned char *bytes, uint64_t n_bytes)
{
    struct file file = {stored->path, bytes, n_bytes};
    struct array format, first, shape = integers(&file, stored, "shape.npy"), heads, tails;
    if (!open_array(&file, stored, "format.npy", &format) || format.bytes < 3)
        fail(EXIT_MALFORMED, "%s: no member format.npy", stored->path);
    char name[4] = {0};
    for (uint32_t i = 0, step = format.kind == 'U' ? 4 : 1; i < 3 && i * step < format.bytes; i++)
        name[i] = (char)format.at[i * step];
    if (shape.count != 2)
        fail(EXIT_MALFORMED, "%s: the matrix is not square", stored->path);
    stored->n_vertices = little_endian(shape.at, shape.bytes);
    uint64_t n_columns = little_endian(shape.at + shape.bytes, shape.bytes);
    if (strcmp(name, "csr") == 0 && open_array(&file, stored, "edgemill_first_vertex.npy", &first)) {
        stored->n_targets = n_columns;
        stored->first_vertex = first.count == 1 && first.bytes <= 8 ? little_endian(first.at, first.bytes) : UINT64_MAX;
        if (stored->first_vertex > n_columns || stored->n_vertices > n_columns - stored->first_vertex)
            fail(EXIT_MALFORMED, "%s: its rows lie outside of the graph", stored->path);
    } else if (stored->n_vertices != n_columns) {
        fail(EXIT_MALFORMED, "%s: the matrix is not square", stored->path);
    }
    stored->is_coo = strcmp(name, "coo") == 0;
    stored->by_column = strcmp(name, "csc") == 0;
    if (!stored->is_coo && !stored->by_column && strcmp(name, "csr") != 0)
        fail(EXIT_MALFORMED, "%s: sparse format %s", stored->path, name);
    heads = integers(&file, stored, stored->is_coo ? "row.npy" : "indptr.npy");
    tails = integers(&file, stored, stored->is_coo ? "col.npy" : "indices.npy");
    if (stored->is_coo ? heads.count != tails.count : heads.count != stored->n_vertices + 1)
        fail(EXIT_MALFORMED, "%s: arrays of the wrong length", stored->path);
    stored->n_arcs = tails.count;
    stored->offsets = heads.at;
    stored->offset_bytes = heads.bytes;
    stored->targets = tails.at;
    stored->target_bytes = tails.bytes;
    open_weights(&file, stored);
}
