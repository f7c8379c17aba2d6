/* sort_record - the records that are sorted: keys of 32, 64 and 128 bits, payloads of 0, 4 and 8 bytes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_SCAN_SORT_RECORD_H
#define EM_SCAN_SORT_RECORD_H

#include "scan/sort_shape.h"

#define SORT_RECORD_TYPES
#define KEY_BITS      32
#define PAYLOAD_BYTES 0
#include "scan/sort_record.inc"
#include "scan/sort_record_end.inc"
#define KEY_BITS      32
#define PAYLOAD_BYTES 4
#include "scan/sort_record.inc"
#include "scan/sort_record_end.inc"
#define KEY_BITS      32
#define PAYLOAD_BYTES 8
#include "scan/sort_record.inc"
#include "scan/sort_record_end.inc"
#define KEY_BITS      64
#define PAYLOAD_BYTES 0
#include "scan/sort_record.inc"
#include "scan/sort_record_end.inc"
#define KEY_BITS      64
#define PAYLOAD_BYTES 4
#include "scan/sort_record.inc"
#include "scan/sort_record_end.inc"
#define KEY_BITS      64
#define PAYLOAD_BYTES 8
#include "scan/sort_record.inc"
#include "scan/sort_record_end.inc"
#define KEY_BITS      128
#define PAYLOAD_BYTES 0
#include "scan/sort_record.inc"
#include "scan/sort_record_end.inc"
#define KEY_BITS      128
#define PAYLOAD_BYTES 4
#include "scan/sort_record.inc"
#include "scan/sort_record_end.inc"
#define KEY_BITS      128
#define PAYLOAD_BYTES 8
#include "scan/sort_record.inc"
#include "scan/sort_record_end.inc"
#undef SORT_RECORD_TYPES

#endif
