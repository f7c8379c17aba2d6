/* device - which accelerators there are.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_SCAN_BASE_DEVICE_H
#define EM_SCAN_BASE_DEVICE_H

#include "scan/base/status.h"

/* How many CUDA devices can be used: 0 without a device, without its driver, or in a build without CUDA. Any thread. */
EM_API uint32_t em_cuda_devices(void);

/* EM_OK where there is at least one, else EM_NO_DEVICE with the reason. Any thread. */
EM_API em_status em_cuda_require(em_error *error);

#endif
