/* npy - the header of a numpy array file, read and written; not installed.
 *
 * Source: numpy/lib/format.py, versions 1.0 to 3.0.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_IO_NPY_H
#define EM_IO_NPY_H

#include "scan/base/status.h"

/* An array: items of `item_bytes` from byte `data_at` on. */
typedef struct em_npy {
    char kind; /* b bool, i signed, u unsigned, f float, S bytes, U UCS-4 text; anything else unread */
    uint32_t item_bytes;
    uint32_t n_dimensions; /* 0: one item */
    uint64_t shape[2];     /* of the first two dimensions */
    uint64_t n_items;
    uint64_t data_at;
    char descr[16]; /* as written, for messages */
} em_npy;

/* Reads the header at the front of a member that lies in memory. EM_MALFORMED names file and member: no npy header,
 * big-endian or structured items, fewer bytes than the shape says. */
em_status em_npy_read(const unsigned char *bytes, uint64_t n_bytes, const char *path, const char *member, em_npy *array,
                      em_error *error);

enum { EM_NPY_HEADER_BYTES = 128 };
/* Writes the header as numpy does (version 1.0, 64-byte aligned): `descr` such as "<i4", shape () for n_dimensions 0
 * else (n_items,). Returns its length, at most EM_NPY_HEADER_BYTES. */
uint32_t em_npy_header(const char *descr, uint32_t n_dimensions, uint64_t n_items, char *into);

#endif
