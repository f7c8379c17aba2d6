/* zip - the directory of a zip archive read, and stored members written; what an .npz needs; not installed.
 *
 * Source: PKWARE APPNOTE.TXT 6.3.x, sections 4.3 and 4.5.3 (zip64).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_IO_ZIP_H
#define EM_IO_ZIP_H

#include "scan/base/context.h"

enum { EM_ZIP_NAME_BYTES = 40 };

/* One member. */
typedef struct em_zip_member {
    char name[EM_ZIP_NAME_BYTES]; /* cut where it is longer */
    uint64_t header_at;           /* of its local header */
    uint64_t data_at;             /* of its bytes as stored; found by em_zip_locate */
    uint64_t stored_bytes, n_bytes;
    uint32_t crc;
    uint16_t name_bytes;    /* of the whole name */
    uint16_t method, flags; /* method: 0 stored, 8 deflated */
} em_zip_member;

enum { EM_ZIP_STORED = 0, EM_ZIP_DEFLATED = 8 };

bool em_zip_detect(const unsigned char *head, size_t n_bytes);

/* Reads the directory of an archive that lies in memory: *members (n_members, from em_allocate_array). EM_MALFORMED:
 * truncated, or none. */
em_status em_zip_read(em_context *context, const unsigned char *bytes, uint64_t n_bytes, const char *path,
                      em_zip_member **members, uint64_t *n_members, em_error *error);
/* Fills data_at, and checks that the data lie within the archive and that the name there is the directory's. */
em_status em_zip_locate(const unsigned char *bytes, uint64_t n_bytes, const char *path, em_zip_member *member,
                        em_error *error);

/* CRC-32 (IEEE 802.3), as zlib's, and of two parts joined. */
uint32_t em_crc32(uint32_t crc, const void *bytes, uint64_t n_bytes);
uint32_t em_crc32_join(uint32_t first, uint32_t second, uint64_t second_bytes);

/* Bytes of the pieces of a stored member; `into` NULL only counts. All times are 1980-01-01, so that same content gives
 * same bytes. zip64 fields appear where 32 bits do not do. */
enum { EM_ZIP_PIECE_BYTES = 128 };
uint32_t em_zip_local_header(const em_zip_member *member, unsigned char *into);
uint32_t em_zip_directory_entry(const em_zip_member *member, unsigned char *into);
uint32_t em_zip_end(uint64_t n_members, uint64_t directory_at, uint64_t directory_bytes, unsigned char *into);

#endif
