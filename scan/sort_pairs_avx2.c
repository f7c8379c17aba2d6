/* sort_pairs_avx2 - sorts of a column of keys with a column of payloads, where shifts by any number are one operation.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#if defined(__x86_64__)
#define SORT_ISA(name) name##_avx2
#define SORT_BUCKET    bucket_avx2
#include "scan/sort_pairs.inc"
#else
typedef int no_avx2_here;
#endif
