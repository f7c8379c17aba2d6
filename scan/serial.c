/* serial - the scalar kernels, instantiated for every monoid.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/kernel.h"

#define SCAN_KERNEL_LINKAGE
#define TEMPLATE "scan/serial.inc"
#include "scan/monoid_list.inc"
