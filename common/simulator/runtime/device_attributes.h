// The modelled GPU in the words of cudaDeviceProp and cudaDeviceAttr.
#pragma once

#include "common/simulator/device/device.h"
#include "common/simulator/runtime/memory/cudart.h"

namespace gridstride::sim {

/// What the simulated GPU cannot do is 0, textures included.
cudaDeviceProp cuda_properties(const DeviceProperties& device);
/// Throws DeviceError (cudaErrorInvalidValue) for an attribute that does not exist.
int cuda_attribute(const DeviceProperties& device, cudaDeviceAttr attribute);

}  // namespace gridstride::sim
