/* openmp - the CPU engine, instantiated for every monoid.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/kernel.h"
#include "scan/lookback.h"

#define TEMPLATE "scan/openmp.inc"
#include "scan/monoid_list.inc"
