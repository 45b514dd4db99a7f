// The device code that the program carries: what nvcc's generated constructors register.
//
// Registering copies nothing and loads nothing; a module goes to the device when one of its kernels
// or variables is first used, so a module that is refused costs only those who use it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/simulator/device/device.h"

namespace gridstride::sim {

/// One __cudaRegisterFatBinary: the handle that the program gets is a pointer to it.
struct FatBinary {
  const void* wrapper = nullptr;     ///< in the program's memory
  std::optional<ModuleInfo> module;  ///< once loaded
};

struct RegisteredKernel {
  FatBinary* binary = nullptr;
  std::string name;  ///< mangled
  KernelInfo info;   ///< id 0 until its module is loaded
};

struct RegisteredVariable {
  FatBinary* binary = nullptr;
  std::string name;
};

/// Not thread-safe.
class ModuleRegistry {
 public:
  FatBinary* add(const void* wrapper);
  void remove(FatBinary* binary);
  void add_kernel(FatBinary* binary, const void* host_function, const char* name);
  void add_variable(FatBinary* binary, const void* host_variable, const char* name);

  /// By the host function's address, or by the handle that __cudaGetKernel gave. The module is
  /// loaded if it is not yet. Throws DeviceError: cudaErrorInvalidResourceHandle when it is
  /// neither, cudaErrorInvalidDeviceFunction when the device code lacks it, or why that cannot be
  /// loaded.
  const KernelInfo& kernel(Device& device, const void* host_function_or_handle);
  /// Null when `host_function` was never registered. Loads nothing.
  const RegisteredKernel* registered(const void* host_function) const;
  /// Throws DeviceError (cudaErrorInvalidSymbol …).
  SymbolInfo variable(Device& device, const void* host_variable);
  /// After a device reset everything is loaded anew.
  void unload();

 private:
  void load(Device& device, FatBinary& binary);

  std::vector<std::unique_ptr<FatBinary>> binaries_;
  std::map<const void*, std::unique_ptr<RegisteredKernel>> kernels_;  ///< by host function
  std::map<const void*, RegisteredVariable> variables_;               ///< by host variable
};

}  // namespace gridstride::sim
