/* sort_records - sorts of records: nine widths of keys and payloads, for any processor.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define SORT_ISA(name) name
#define SORT_BUCKET    bucket
#include "scan/sort_records.inc"
