// The device code that a program brings, loaded into a real GPU.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/simulator/base/handles.h"
#include "common/simulator/base/kernel_info.h"
#include "common/simulator/gpu/driver.h"

namespace gridstride::sim {

struct GpuKernel {
  CUfunction function = nullptr;
  std::string name;  ///< demangled
  std::vector<ParameterLayout> parameters;
  std::uint64_t argument_bytes = 0;
};

/// Of one context, whose end unloads them.
class GpuModules {
 public:
  explicit GpuModules(const Driver& driver) : driver_(driver) {}

  /// As Device's. Machine code is taken where it fits the GPU; otherwise the driver compiles PTX.
  ModuleInfo load(const std::vector<std::vector<std::byte>>& containers,
                  const std::vector<std::string>& variables);
  /// Throws DeviceError (cudaErrorInvalidDeviceFunction).
  const GpuKernel& kernel(KernelId id) const;
  /// Bytes of local memory that a thread may need: the most of any kernel, as one may launch another.
  std::uint64_t local_bytes() const { return local_bytes_; }
  /// True inside a variable of a module.
  bool holds(DeviceAddress address) const;

 private:
  /// The module, and no more of the GPU's memory than it may take.
  CUmodule loaded(const std::vector<std::vector<std::byte>>& containers);
  CUmodule linked(const std::vector<std::vector<std::byte>>& containers);
  std::vector<CUfunction> functions_of(CUmodule module) const;
  KernelInfo add(CUfunction function);
  int attribute(CUfunction function, CUfunction_attribute which) const;

  const Driver& driver_;
  std::uint64_t local_bytes_ = 0;
  std::size_t loaded_ = 0;                            ///< modules
  std::vector<GpuKernel> kernels_;                    ///< KernelId is the index plus one
  std::map<DeviceAddress, std::uint64_t> variables_;  ///< bytes, by address
};

}  // namespace gridstride::sim
