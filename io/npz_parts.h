/* npz_parts - the members of an .npz in memory, for npz_read.c; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_IO_NPZ_PARTS_H
#define EM_IO_NPZ_PARTS_H

#include "io/npy.h"
#include "io/whole_file.h"
#include "io/zip.h"

typedef enum em_npz_part {
    EM_NPZ_FORMAT,
    EM_NPZ_SHAPE,
    EM_NPZ_INDPTR,
    EM_NPZ_INDICES,
    EM_NPZ_DATA,
    EM_NPZ_ROW,
    EM_NPZ_COL,
    EM_NPZ_UNWEIGHTED,
    EM_NPZ_FIRST_VERTEX,
    EM_NPZ_PARTS
} em_npz_part;

/* One member: its array, inflated. */
typedef struct em_npz_array {
    bool there;
    em_zip_member zip;
    const unsigned char *bytes; /* the member, inflated */
    unsigned char *inflated;    /* from the allocator, or NULL */
    em_npy npy;
} em_npz_array;

typedef struct em_npz {
    em_context *context;
    const char *path; /* as messages name it */
    em_whole_file *file;
    em_npz_array arrays[EM_NPZ_PARTS];
} em_npz;

/* Opens `path` and reads the members that are known by name, with CRC-32s checked and headers understood. The caller
 * ends with em_npz_close, whatever the answer. */
em_status em_npz_load(em_context *context, const char *path, em_npz *npz, em_error *error);
void em_npz_close(em_npz *npz);
/* EM_MALFORMED, "PATH: MEMBER: what". */
em_status em_npz_refuse(const em_npz *npz, em_npz_part part, const char *what, em_error *error);
const char *em_npz_part_name(em_npz_part part);

#endif
