/* sort_records_avx2 - sorts of records: nine widths of keys and payloads, where shifts by any number are one operation.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#if defined(__x86_64__)
#define SORT_ISA(name) name##_avx2
#define SORT_BUCKET    bucket_avx2
#include "scan/sort_records.inc"
#else
typedef int no_avx2_here;
#endif
