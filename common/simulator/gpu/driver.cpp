// Loads the driver's functions by name.
#include "common/simulator/gpu/driver.h"

#include <cuda.h>
#include <dlfcn.h>

#include <string>

#include "common/simulator/base/device_error.h"

namespace gridstride::sim {

void Driver::Close::operator()(void* opened) const { dlclose(opened); }

Driver::Driver() : library(dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL)) {
  if (!library) {
    const char* why = dlerror();
    throw NoGpu(std::string("no NVIDIA driver: ") + (why != nullptr ? why : "libcuda.so.1"));
  }
  const auto find = [this]<class Function>(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(dlsym(library.get(), name));
    if (function != nullptr) return;
    throw NoGpu(std::string("the NVIDIA driver is older than CUDA 13.0 needs: it lacks ") + name);
  };
  // What cuda.h calls cuStreamDestroy is cuStreamDestroy_v2 in the library.
#define GRIDSTRIDE_TEXT(name) #name
#define GRIDSTRIDE_LOAD(name) find(name, GRIDSTRIDE_TEXT(name));
  GRIDSTRIDE_DRIVER_CALLS(GRIDSTRIDE_LOAD)
#undef GRIDSTRIDE_LOAD
#undef GRIDSTRIDE_TEXT
}

std::string Driver::words(CUresult result) const {
  const char *name = nullptr, *text = nullptr;
  cuGetErrorName(result, &name);
  cuGetErrorString(result, &text);
  const std::string number = "CUDA error " + std::to_string(result);
  return (name != nullptr ? name : number) + (text != nullptr ? std::string(": ") + text : "");
}

bool is_sticky(CUresult result) {
  switch (result) {
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
      return true;
    default:
      return false;
  }
}

void check(const Driver& driver, CUresult result, const std::string& what) {
  if (result == CUDA_SUCCESS) return;
  throw DeviceError(static_cast<int>(result), is_sticky(result),
                    what + ": " + driver.words(result));
}

}  // namespace gridstride::sim
