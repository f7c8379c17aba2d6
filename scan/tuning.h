/* tuning - the numbers that decide between engines, each beside the measurement it came from.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_SCAN_TUNING_H
#define EM_SCAN_TUNING_H

#include <stdint.h>

#ifndef SCAN_AHEAD_BYTES
#define SCAN_AHEAD_BYTES 2048
#endif
#define SCAN_SPINS             256u
#define SCAN_SERIAL_BELOW      UINT64_C(1000000)
#define SCAN_TILE_BYTES        UINT64_C(131072)
#define SCAN_STREAM_FROM_BYTES (UINT64_C(8) << 20)

#endif
