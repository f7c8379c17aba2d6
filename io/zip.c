/* zip - see zip.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/zip.h"

#include <string.h>
#include <zlib.h>
#ifdef EM_HAVE_ISAL
#include <isa-l/crc.h>
#endif

static const uint32_t LOCAL = 0x04034b50, ENTRY = 0x02014b50, END = 0x06054b50, END64 = 0x06064b50,
                      LOCATOR64 = 0x07064b50;
enum { LOCAL_BYTES = 30, ENTRY_BYTES = 46, END_BYTES = 22, END64_BYTES = 56, LOCATOR64_BYTES = 20 };
enum { NARROW_VERSION = 20, WIDE_VERSION = 45, DATE_1980 = 1 << 5 | 1, UNIX = 3 << 8 };

bool em_zip_detect(const unsigned char *head, size_t n_bytes)
{
    return n_bytes >= 4 && head[0] == 'P' && head[1] == 'K' &&
           ((head[2] == 3 && head[3] == 4) || (head[2] == 5 && head[3] == 6));
}

uint32_t em_crc32(uint32_t crc, const void *bytes, uint64_t n_bytes)
{
#ifdef EM_HAVE_ISAL
    return crc32_gzip_refl(crc, bytes, n_bytes);
#else
    return (uint32_t)crc32_z(crc, bytes, n_bytes);
#endif
}

uint32_t em_crc32_join(uint32_t first, uint32_t second, uint64_t second_bytes)
{
    return (uint32_t)crc32_combine64(first, second, (z_off64_t)second_bytes);
}

static uint64_t number(const unsigned char *at, int n_bytes)
{
    uint64_t value = 0;
    memcpy(&value, at, (size_t)n_bytes);
    return value;
}

/* --- reading -------------------------------------------------------------------------------------- */

typedef struct directory {
    uint64_t at, n_bytes, n_members;
} directory;

static em_status truncated(const char *path, em_error *error)
{
    return em_fail(error, EM_MALFORMED, "%s: truncated or damaged: its zip directory is missing or incomplete", path);
}

/* The end record is the last thing but for a comment of up to 65,535 bytes. */
static em_status find_directory(const unsigned char *bytes, uint64_t n_bytes, const char *path, directory *found,
                                em_error *error)
{
    if (!em_zip_detect(bytes, n_bytes))
        return em_fail(error, EM_MALFORMED, "%s: not an .npz file: it does not begin as a zip archive does", path);
    if (n_bytes < END_BYTES)
        return truncated(path, error);
    uint64_t at = n_bytes - END_BYTES;
    const uint64_t lowest = at > UINT16_MAX ? at - UINT16_MAX : 0;
    while (number(bytes + at, 4) != END || at + END_BYTES + number(bytes + at + 20, 2) != n_bytes) {
        if (at == lowest)
            return truncated(path, error);
        at--;
    }
    *found = (directory){.at = number(bytes + at + 16, 4),
                         .n_bytes = number(bytes + at + 12, 4),
                         .n_members = number(bytes + at + 10, 2)};
    if (at >= LOCATOR64_BYTES && number(bytes + at - LOCATOR64_BYTES, 4) == LOCATOR64) {
        const uint64_t at64 = number(bytes + at - LOCATOR64_BYTES + 8, 8);
        if (at64 > at || at - at64 < END64_BYTES || number(bytes + at64, 4) != END64)
            return truncated(path, error);
        *found = (directory){.at = number(bytes + at64 + 48, 8),
                             .n_bytes = number(bytes + at64 + 40, 8),
                             .n_members = number(bytes + at64 + 32, 8)};
    }
    if (found->at > at || found->n_bytes > at - found->at || found->n_members > found->n_bytes / ENTRY_BYTES)
        return truncated(path, error);
    return EM_OK;
}

/* Values that read 0xffffffff stand in the zip64 field, in this order. */
static bool read_zip64(const unsigned char *extra, uint64_t n_bytes, em_zip_member *member)
{
    uint64_t *const wide[] = {&member->n_bytes, &member->stored_bytes, &member->header_at};
    while (n_bytes >= 4) {
        const uint64_t id = number(extra, 2), length = number(extra + 2, 2);
        if (length > n_bytes - 4)
            return false;
        if (id == 1) {
            uint64_t used = 0;
            for (int i = 0; i < 3; i++) {
                if (*wide[i] != UINT32_MAX)
                    continue;
                if (used + 8 > length)
                    return false;
                *wide[i] = number(extra + 4 + used, 8);
                used += 8;
            }
            return true;
        }
        extra += 4 + length;
        n_bytes -= 4 + length;
    }
    return true;
}

em_status em_zip_read(em_context *context, const unsigned char *bytes, uint64_t n_bytes, const char *path,
                      em_zip_member **members, uint64_t *n_members, em_error *error)
{
    directory found = {0};
    *members = NULL;
    *n_members = 0;
    em_status status = find_directory(bytes, n_bytes, path, &found, error);
    if (status != EM_OK)
        return status;
    void *memory = NULL;
    status = em_allocate_array(context, found.n_members, sizeof **members, &memory, error);
    if (status != EM_OK)
        return status;
    em_zip_member *list = memory;
    const unsigned char *at = bytes + found.at, *end = at + found.n_bytes;
    for (uint64_t i = 0; i < found.n_members; i++) {
        if (end - at < ENTRY_BYTES || number(at, 4) != ENTRY)
            goto damaged;
        const uint64_t name = number(at + 28, 2), extra = number(at + 30, 2), comment = number(at + 32, 2);
        if ((uint64_t)(end - at) - ENTRY_BYTES < name + extra + comment)
            goto damaged;
        em_zip_member *member = &list[i];
        *member = (em_zip_member){.name_bytes = (uint16_t)name,
                                  .flags = (uint16_t)number(at + 8, 2),
                                  .method = (uint16_t)number(at + 10, 2),
                                  .crc = (uint32_t)number(at + 16, 4),
                                  .stored_bytes = number(at + 20, 4),
                                  .n_bytes = number(at + 24, 4),
                                  .header_at = number(at + 42, 4)};
        memcpy(member->name, at + ENTRY_BYTES, name < sizeof member->name ? name : sizeof member->name - 1);
        if (!read_zip64(at + ENTRY_BYTES + name, extra, member))
            goto damaged;
        at += ENTRY_BYTES + name + extra + comment;
    }
    *members = list;
    *n_members = found.n_members;
    return EM_OK;
damaged:
    em_free(context, list, found.n_members * sizeof *list);
    return truncated(path, error);
}

em_status em_zip_locate(const unsigned char *bytes, uint64_t n_bytes, const char *path, em_zip_member *member,
                        em_error *error)
{
    const uint64_t at = member->header_at;
    if (at > n_bytes || n_bytes - at < LOCAL_BYTES || number(bytes + at, 4) != LOCAL)
        return em_fail(error, EM_MALFORMED, "%s: %s: its header is missing: the file is damaged", path, member->name);
    if (member->flags & 1)
        return em_fail(error, EM_MALFORMED, "%s: %s: is encrypted", path, member->name);
    const uint64_t kept = member->name_bytes < sizeof member->name ? member->name_bytes : sizeof member->name - 1;
    if (n_bytes - at - LOCAL_BYTES < kept || number(bytes + at + 26, 2) != member->name_bytes ||
        memcmp(bytes + at + LOCAL_BYTES, member->name, kept) != 0)
        return em_fail(error, EM_MALFORMED, "%s: %s: has another name in its own header: the file is damaged", path,
                       member->name);
    member->data_at = at + LOCAL_BYTES + number(bytes + at + 26, 2) + number(bytes + at + 28, 2);
    if (member->data_at > n_bytes || member->stored_bytes > n_bytes - member->data_at)
        return em_fail(error, EM_MALFORMED, "%s: %s: truncated", path, member->name);
    if (member->method == EM_ZIP_STORED && member->stored_bytes != member->n_bytes)
        return em_fail(error, EM_MALFORMED, "%s: %s: two sizes that differ: the file is damaged", path, member->name);
    return EM_OK;
}

/* --- writing -------------------------------------------------------------------------------------- */

typedef struct pen {
    unsigned char *into; /* NULL: count only */
    uint32_t n_bytes;
} pen;

static void put(pen *to, uint64_t value, int n_bytes)
{
    if (to->into)
        memcpy(to->into + to->n_bytes, &value, (size_t)n_bytes);
    to->n_bytes += (uint32_t)n_bytes;
}

static void put_name(pen *to, const char *name)
{
    const size_t length = strlen(name);
    if (to->into)
        memcpy(to->into + to->n_bytes, name, length);
    to->n_bytes += (uint32_t)length;
}

static uint64_t narrow(uint64_t value)
{
    return value < UINT32_MAX ? value : UINT32_MAX;
}

static void put_common(pen *to, const em_zip_member *member, uint64_t version)
{
    put(to, version, 2);
    put(to, 0, 2); /* flags */
    put(to, EM_ZIP_STORED, 2);
    put(to, 0, 2); /* time */
    put(to, DATE_1980, 2);
    put(to, member->crc, 4);
    put(to, narrow(member->n_bytes), 4);
    put(to, narrow(member->n_bytes), 4);
    put(to, strlen(member->name), 2);
}

uint32_t em_zip_local_header(const em_zip_member *member, unsigned char *into)
{
    pen to = {.into = into};
    const bool wide = member->n_bytes >= UINT32_MAX;
    put(&to, LOCAL, 4);
    put_common(&to, member, wide ? WIDE_VERSION : NARROW_VERSION);
    put(&to, wide ? 20 : 0, 2);
    put_name(&to, member->name);
    if (wide) {
        put(&to, 1, 2);
        put(&to, 16, 2);
        put(&to, member->n_bytes, 8);
        put(&to, member->n_bytes, 8);
    }
    return to.n_bytes;
}

uint32_t em_zip_directory_entry(const em_zip_member *member, unsigned char *into)
{
    pen to = {.into = into};
    const bool wide = member->n_bytes >= UINT32_MAX, far = member->header_at >= UINT32_MAX;
    const uint64_t version = wide || far ? WIDE_VERSION : NARROW_VERSION;
    put(&to, ENTRY, 4);
    put(&to, UNIX | version, 2);
    put_common(&to, member, version);
    const uint64_t extra = (wide ? 16 : 0) + (far ? 8 : 0);
    put(&to, extra ? extra + 4 : 0, 2);
    put(&to, 0, 2); /* comment */
    put(&to, 0, 2); /* disk */
    put(&to, 0, 2); /* internal attributes */
    put(&to, UINT64_C(0100600) << 16, 4);
    put(&to, narrow(member->header_at), 4);
    put_name(&to, member->name);
    if (extra) {
        put(&to, 1, 2);
        put(&to, extra, 2);
    }
    if (wide) {
        put(&to, member->n_bytes, 8);
        put(&to, member->n_bytes, 8);
    }
    if (far)
        put(&to, member->header_at, 8);
    return to.n_bytes;
}

uint32_t em_zip_end(uint64_t n_members, uint64_t directory_at, uint64_t directory_bytes, unsigned char *into)
{
    pen to = {.into = into};
    if (directory_at >= UINT32_MAX) {
        put(&to, END64, 4);
        put(&to, END64_BYTES - 12, 8);
        put(&to, UNIX | WIDE_VERSION, 2);
        put(&to, WIDE_VERSION, 2);
        put(&to, 0, 4);
        put(&to, 0, 4);
        put(&to, n_members, 8);
        put(&to, n_members, 8);
        put(&to, directory_bytes, 8);
        put(&to, directory_at, 8);
        put(&to, LOCATOR64, 4);
        put(&to, 0, 4);
        put(&to, directory_at + directory_bytes, 8);
        put(&to, 1, 4);
    }
    put(&to, END, 4);
    put(&to, 0, 4);
    put(&to, n_members, 2);
    put(&to, n_members, 2);
    put(&to, directory_bytes, 4);
    put(&to, narrow(directory_at), 4);
    put(&to, 0, 2);
    return to.n_bytes;
}
