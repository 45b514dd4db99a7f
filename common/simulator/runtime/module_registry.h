// The device code that the program carries: what nvcc's generated constructors register.
//
// Registering copies nothing and loads nothing; a module goes to the device when one of its kernels
// or variables is first used, so a module that is refused costs only those who use it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/simulator/device/device.h"
#include "common/simulator/runtime/memory/managed_memory.h"

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
  void** pointer = nullptr;  ///< of a managed one: where the host's code looks for its address
};

/// Not thread-safe.
class ModuleRegistry {
 public:
  /// `managed` gets the __managed__ variables of modules, and must outlive this.
  explicit ModuleRegistry(ManagedMemory& managed) : managed_(managed) {}

  FatBinary* add(const void* wrapper);
  void remove(FatBinary* binary);
  void add_kernel(FatBinary* binary, const void* host_function, const char* name);
  void add_variable(FatBinary* binary, const void* host_variable, const char* name);
  void add_managed(FatBinary* binary, void** pointer, const char* name);

  /// Nothing if it is loaded. Throws DeviceError.
  void load(Device& device, FatBinary& binary);

  /// By the host function's address, or by the handle that __cudaGetKernel gave. The module is
  /// loaded if it is not yet. Throws DeviceError: cudaErrorInvalidResourceHandle when it is
  /// neither, cudaErrorInvalidDeviceFunction when the device code lacks it, or why that cannot be
  /// loaded.
  const KernelInfo& kernel(Device& device, const void* host_function_or_handle);
  /// Null when `host_function` was never registered. Loads nothing.
  const RegisteredKernel* registered(const void* host_function) const;
  /// The host function for either of the two; null for anything else.
  const void* host_function(const void* host_function_or_handle) const;
  /// Throws DeviceError (cudaErrorInvalidSymbol …).
  SymbolInfo variable(Device& device, const void* host_variable);
  /// True inside a variable of a loaded module.
  bool holds(DeviceAddress address) const;
  /// After a device reset everything is loaded anew.
  void unload();

 private:
  using Kernels = std::map<const void*, std::unique_ptr<RegisteredKernel>>;
  Kernels::const_iterator find_kernel(const void* host_function_or_handle) const;
  void share(const RegisteredVariable& variable);
  std::vector<std::string> variables_of(const FatBinary& binary) const;

  ManagedMemory& managed_;
  std::vector<std::unique_ptr<FatBinary>> binaries_;
  Kernels kernels_;                                      ///< by host function
  std::map<const void*, RegisteredVariable> variables_;  ///< by host variable
  std::vector<RegisteredVariable> managed_variables_;    ///< loaded: in variables_ by address
};

}  // namespace gridstride::sim
