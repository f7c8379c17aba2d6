/* sort_pairs - sorts of a column of keys with a column of payloads, for any processor.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define SORT_ISA(name) name
#define SORT_BUCKET    bucket
#include "scan/sort_pairs.inc"
