// Launches, and what can be asked and set about a kernel.
#include <cstddef>
#include <cstdint>
#include <string>

#include "common/simulator/base/cuda_error.h"
#include "common/simulator/runtime/launch.h"
#include "common/simulator/runtime/runtime.h"
#include "common/simulator/runtime/work.h"

using namespace gridstride::sim;

namespace gridstride::sim {
cudaError_t launch(const char* call, const void* kernel, dim3 grid, dim3 block, void** arguments,
                   std::size_t shared, cudaStream_t stream, bool cooperative) {
  return guarded(call, [&](Runtime& runtime) {
    KernelWork work = kernel_work(runtime, kernel, grid, block, arguments, shared);
    work.cooperative = cooperative;
    submit(runtime, stream, work);
  });
}

}  // namespace gridstride::sim

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             std::size_t shared, cudaStream_t stream) {
  return launch("cudaLaunchKernel", function, grid, block, arguments, shared, stream, false);
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block,
                                        void** arguments, std::size_t shared, cudaStream_t stream) {
  return launch("cudaLaunchCooperativeKernel", function, grid, block, arguments, shared, stream,
                true);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function,
                                void** arguments) {
  return guarded("cudaLaunchKernelExC", [&](Runtime& runtime) {
    if (config == nullptr) invalid("no launch configuration");
    KernelWork work = kernel_work(runtime, function, config->gridDim, config->blockDim, arguments,
                                  config->dynamicSmemBytes);
    if (config->attrs == nullptr && config->numAttrs > 0) invalid("no launch attributes");
    for (unsigned i = 0; i < config->numAttrs; ++i) {
      set_attribute(runtime, work, config->attrs[i].id, config->attrs[i].val);
    }
    submit(runtime, config->stream, work);
  });
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  return guarded("cudaFuncGetAttributes", [&](Runtime& runtime) {
    if (attributes == nullptr) invalid("no place for the attributes");
    const KernelInfo& info = runtime.modules().kernel(runtime.device(), function);
    const DeviceProperties properties = runtime.device().properties();
    const auto capability = static_cast<int>(properties.capability);
    *attributes = {};
    attributes->sharedSizeBytes = info.static_shared;
    attributes->constSizeBytes = info.constant_bytes;
    attributes->localSizeBytes = info.local_bytes;
    attributes->maxThreadsPerBlock = static_cast<int>(info.max_threads);
    attributes->numRegs = static_cast<int>(info.registers);
    // Compiled from PTX for the device at hand, as a driver does.
    attributes->ptxVersion = static_cast<int>(info.architecture);
    attributes->binaryVersion = capability;
    const Runtime::KernelSettings& set = runtime.kernel_settings[info.id];
    attributes->maxDynamicSharedSizeBytes = set.dynamic_shared.value_or(
        static_cast<int>(properties.shared_per_block - info.static_shared));
    attributes->preferredShmemCarveout = set.carveout;
  });
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return guarded("cudaFuncSetAttribute", [&](Runtime& runtime) {
    const KernelInfo& info = runtime.modules().kernel(runtime.device(), function);
    if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) {
      if (value < 0) invalid("a negative size of shared memory");
      runtime.device().allow_dynamic_shared(info.id, static_cast<std::uint64_t>(value));
      runtime.kernel_settings[info.id].dynamic_shared = value;
    } else if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) {
      if (value < cudaSharedmemCarveoutDefault || value > cudaSharedmemCarveoutMaxShared) {
        invalid("a carveout is -1, or 0 to 100 per cent");
      }
      runtime.kernel_settings[info.id].carveout = value;
    } else {
      const std::string name = "function attribute " + std::to_string(attribute);
      runtime.refuse_call(name);
      throw DeviceError(error_not_supported, false, name + " is not supported");
    }
  });
}

cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache) {
  return guarded("cudaFuncSetCacheConfig",
                 [&](Runtime& runtime) { runtime.modules().kernel(runtime.device(), function); });
}

cudaError_t cudaFuncSetSharedMemConfig(const void* function, cudaSharedMemConfig) {
  return guarded("cudaFuncSetSharedMemConfig",
                 [&](Runtime& runtime) { runtime.modules().kernel(runtime.device(), function); });
}

cudaError_t cudaFuncGetParamInfo(const void* function, std::size_t index, std::size_t* offset,
                                 std::size_t* size) {
  return guarded("cudaFuncGetParamInfo", [&](Runtime& runtime) {
    const KernelInfo& info = runtime.modules().kernel(runtime.device(), function);
    if (offset == nullptr || index >= info.parameters.size()) invalid("no such parameter");
    *offset = info.parameters[index].offset;
    if (size != nullptr) *size = info.parameters[index].size;
  });
}

cudaError_t cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  return guarded("cudaGetKernel", [&](Runtime& runtime) {
    const RegisteredKernel* registered = runtime.modules().registered(function);
    if (kernel == nullptr || registered == nullptr) {
      throw DeviceError(error_invalid_device_function, false,
                        "this is not a __global__ function of the program");
    }
    *kernel = reinterpret_cast<cudaKernel_t>(const_cast<RegisteredKernel*>(registered));
  });
}

cudaError_t cudaFuncGetName(const char** name, const void* function) {
  return guarded("cudaFuncGetName", [&](Runtime& runtime) {
    if (name == nullptr) invalid("no place for the name");
    *name = runtime.modules().kernel(runtime.device(), function).name.c_str();
  });
}
