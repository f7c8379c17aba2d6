/* cuda_absent - stands in for cuda.cu where nvcc was absent.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/base/device.h"

uint32_t em_cuda_devices(void)
{
    return 0;
}

em_status em_cuda_require(em_error *error)
{
    return em_fail(error, EM_NO_DEVICE, "no CUDA device: built without CUDA (nvcc was not there)");
}
