// The CUDA driver: libcuda.so.1, opened when it is needed, so that nothing here asks for it on a
// machine that has none.
#pragma once

#include <cuda.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "common/simulator/base/device_error.h"

namespace gridstride::sim {

/// No GPU answers; what() says why, in one line.
class NoGpu : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// clang-format off
#define GRIDSTRIDE_DRIVER_CALLS(CALL) \
  CALL(cuInit) CALL(cuDriverGetVersion) CALL(cuGetErrorName) CALL(cuGetErrorString) \
  CALL(cuDeviceGetCount) CALL(cuDeviceGet) CALL(cuDeviceGetName) CALL(cuDeviceGetPCIBusId) CALL(cuDeviceGetAttribute) CALL(cuDeviceTotalMem) \
  CALL(cuDevicePrimaryCtxRetain) CALL(cuDevicePrimaryCtxSetFlags) CALL(cuCtxSetCurrent) CALL(cuCtxSynchronize) \
  CALL(cuCtxSetLimit) CALL(cuCtxResetPersistingL2Cache) \
  CALL(cuMemGetInfo) CALL(cuMemGetAllocationGranularity) CALL(cuMemAddressReserve) CALL(cuMemAddressFree) \
  CALL(cuMemCreate) CALL(cuMemRelease) CALL(cuMemMap) CALL(cuMemUnmap) CALL(cuMemSetAccess) \
  CALL(cuMemHostAlloc) CALL(cuMemFreeHost) CALL(cuMemHostGetDevicePointer) \
  CALL(cuMemcpyHtoDAsync) CALL(cuMemcpyDtoHAsync) CALL(cuMemcpyDtoDAsync) CALL(cuMemcpy3DAsync) \
  CALL(cuMemsetD8Async) CALL(cuMemsetD16Async) CALL(cuMemsetD32Async) CALL(cuMemsetD2D8Async) \
  CALL(cuModuleLoadData) CALL(cuModuleUnload) CALL(cuModuleGetFunctionCount) CALL(cuModuleEnumerateFunctions) \
  CALL(cuModuleGetGlobal) CALL(cuLinkCreate) CALL(cuLinkAddData) CALL(cuLinkComplete) CALL(cuLinkDestroy) \
  CALL(cuFuncGetName) CALL(cuFuncGetParamInfo) CALL(cuFuncGetAttribute) CALL(cuFuncSetAttribute) CALL(cuFuncLoad) \
  CALL(cuLaunchKernelEx) CALL(cuOccupancyMaxActiveBlocksPerMultiprocessor) \
  CALL(cuStreamCreate) CALL(cuStreamDestroy) CALL(cuStreamSynchronize) CALL(cuStreamQuery) \
  CALL(cuStreamWaitEvent) CALL(cuStreamWaitValue32) \
  CALL(cuEventCreate) CALL(cuEventDestroy) CALL(cuEventRecord) CALL(cuEventElapsedTime) \
  CALL(cuArray3DCreate) CALL(cuArrayDestroy) CALL(cuTexObjectCreate) CALL(cuTexObjectDestroy) \
  CALL(cuSurfObjectCreate) CALL(cuSurfObjectDestroy)
// clang-format on

/// Its functions, under their names in cuda.h.
struct Driver {
  /// Throws NoGpu.
  Driver();
  /// Without a library: whoever wants to call a function has to set it. For tests.
  struct Unopened {};
  explicit Driver(Unopened) {}

#define GRIDSTRIDE_MEMBER(name) decltype(&::name) name = nullptr;
  GRIDSTRIDE_DRIVER_CALLS(GRIDSTRIDE_MEMBER)
#undef GRIDSTRIDE_MEMBER

  /// "CUDA_ERROR_INVALID_VALUE: invalid argument".
  std::string words(CUresult result) const;

  struct Close {
    void operator()(void* library) const;
  };
  std::unique_ptr<void, Close> library;
};

/// Errors after which a context is of no more use.
bool is_sticky(CUresult result);

/// Throws DeviceError: the driver's errors have the numbers that the runtime's have.
void check(const Driver& driver, CUresult result, const std::string& what);

}  // namespace gridstride::sim
