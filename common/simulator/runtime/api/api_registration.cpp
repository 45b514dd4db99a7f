// What the code that nvcc generates calls: registration of device code and the <<<…>>> launch.
#include <cstddef>
#include <vector>

#include "common/simulator/base/cuda_error.h"
#include "common/simulator/runtime/launch.h"
#include "common/simulator/runtime/long_wait.h"
#include "common/simulator/runtime/runtime.h"

using namespace gridstride::sim;

namespace {

struct CallConfiguration {
  dim3 grid, block;
  std::size_t shared = 0;
  cudaStream_t stream = nullptr;
};
thread_local std::vector<CallConfiguration> configurations;

/// What a program says that registers its device code. It never asks whether that went well: what
/// could not be registered is unknown to the calls that need it.
constexpr const char* registration = "registration of the program's device code";

FatBinary& binary_of(void** handle) {
  if (handle == nullptr) {
    throw DeviceError(error_invalid_kernel_image, false,
                      "the program's device code was not registered");
  }
  return *reinterpret_cast<FatBinary*>(handle);
}

}  // namespace

GRIDSTRIDE_CUDART void** __cudaRegisterFatBinary(void* wrapper) {
  FatBinary* added = nullptr;
  guarded(registration, [&](Runtime& runtime) {
    long_wait();  // counts from here, before main()
    added = runtime.modules().add(wrapper);
  });
  return reinterpret_cast<void**>(added);
}

GRIDSTRIDE_CUDART void __cudaRegisterFatBinaryEnd(void**) {}

GRIDSTRIDE_CUDART void __cudaUnregisterFatBinary(void** handle) {
  guarded(registration, [&](Runtime& runtime) {
    runtime.modules().remove(reinterpret_cast<FatBinary*>(handle));
  });
}

/// Called before the host's first use of a __managed__ variable.
GRIDSTRIDE_CUDART char __cudaInitModule(void** handle) {
  const cudaError_t done = guarded("the program's __managed__ variables", [&](Runtime& runtime) {
    runtime.modules().load(runtime.device(), binary_of(handle));
  });
  return done == cudaSuccess ? 1 : 0;
}

GRIDSTRIDE_CUDART void __cudaRegisterFunction(void** handle, const char* host_function, char*,
                                              const char* device_name, int, uint3*, uint3*, dim3*,
                                              dim3*, int*) {
  guarded(registration, [&](Runtime& runtime) {
    runtime.modules().add_kernel(&binary_of(handle), host_function, device_name);
  });
}

GRIDSTRIDE_CUDART void __cudaRegisterVar(void** handle, char* host_variable, char*,
                                         const char* device_name, int, std::size_t, int, int) {
  guarded(registration, [&](Runtime& runtime) {
    runtime.modules().add_variable(&binary_of(handle), host_variable, device_name);
  });
}

/// `pointer`: through which the host's code reaches the variable; its address names it.
GRIDSTRIDE_CUDART void __cudaRegisterManagedVar(void** handle, void** pointer, char*,
                                                const char* name, int, std::size_t, int, int) {
  guarded(registration, [&](Runtime& runtime) {
    runtime.modules().add_managed(&binary_of(handle), pointer, name);
  });
}

/// Not 0: the kernel is not called.
GRIDSTRIDE_CUDART unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared,
                                                       cudaStream_t stream) {
  const cudaError_t pushed = guarded("kernel launch", [&](Runtime&) {
    configurations.push_back({.grid = grid, .block = block, .shared = shared, .stream = stream});
  });
  return pushed == cudaSuccess ? 0 : 1;
}

GRIDSTRIDE_CUDART cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block,
                                                         std::size_t* shared, void* stream) {
  return guarded("kernel launch", [&](Runtime&) {
    if (configurations.empty()) {
      throw DeviceError(cudaErrorMissingConfiguration, false, "a kernel called without <<<…>>>");
    }
    const CallConfiguration configuration = configurations.back();
    configurations.pop_back();
    *grid = configuration.grid;
    *block = configuration.block;
    *shared = configuration.shared;
    *static_cast<cudaStream_t*>(stream) = configuration.stream;
  });
}

GRIDSTRIDE_CUDART cudaError_t __cudaGetKernel(cudaKernel_t* handle, const void* host_function) {
  return guarded("cudaGetKernel", [&](Runtime& runtime) {
    const RegisteredKernel* kernel = runtime.modules().registered(host_function);
    if (kernel == nullptr) {
      throw DeviceError(error_invalid_device_function, false,
                        "this is not a __global__ function of the program");
    }
    *handle = reinterpret_cast<cudaKernel_t>(const_cast<RegisteredKernel*>(kernel));
  });
}

GRIDSTRIDE_CUDART cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block,
                                                 void** arguments, std::size_t shared,
                                                 cudaStream_t stream) {
  return launch("kernel launch", kernel, grid, block, arguments, shared, stream, false);
}
