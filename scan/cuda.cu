/* cuda - the probe for CUDA devices, and the shared scan text compiled for them.
 *
 * The runtime is linked statically and loads the driver when it is first asked, so a program built here also starts
 * where there is none: it then counts no device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
extern "C" {
#include "scan/base/device.h"
}
#include "scan/lookback.h"
#include "scan/monoids.h"

#include <cuda_runtime.h>

extern "C" uint32_t em_cuda_devices(void)
{
    int n_devices = 0;
    if (cudaGetDeviceCount(&n_devices) != cudaSuccess) {
        (void)cudaGetLastError(); /* the next call must not report it again */
        return 0;
    }
    return n_devices > 0 ? (uint32_t)n_devices : 0;
}

extern "C" em_status em_cuda_require(em_error *error)
{
    int n_devices = 0;
    const cudaError_t failed = cudaGetDeviceCount(&n_devices);
    if (failed == cudaSuccess && n_devices > 0)
        return EM_OK;
    (void)cudaGetLastError();
    return em_fail(error, EM_NO_DEVICE, "no CUDA device: %s",
                   failed == cudaSuccess ? "none is visible" : cudaGetErrorString(failed));
}

#define TEMPLATE "scan/cuda_chain.inc"
#include "scan/monoid_list.inc"
