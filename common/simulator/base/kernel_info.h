// What a module brings, as the CUDA runtime is told of it when it loads one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/simulator/base/handles.h"

namespace gridstride::sim {

/// A parameter of a kernel, as laid out in the argument buffer.
struct ParameterLayout {
  std::uint64_t offset = 0, size = 0;
};

struct KernelInfo {
  KernelId id = 0;
  std::string name;  ///< mangled, as registered by the program
  std::vector<ParameterLayout> parameters;
  std::uint64_t argument_bytes = 0;
  std::uint32_t registers = 0;       ///< a thread
  bool registers_estimated = false;  ///< from PTX; otherwise they are the compiler's
  std::uint64_t static_shared = 0;   ///< bytes
  std::uint64_t constant_bytes = 0, local_bytes = 0;
  std::uint32_t max_threads = 1024;  ///< a block; fewer by __launch_bounds__ or by its registers
  std::uint32_t architecture = 0;    ///< that its PTX was made for: 75
};

struct SymbolInfo {
  std::string name;
  DeviceAddress address = 0;
  std::uint64_t size = 0;
  bool is_constant = false;
  bool is_managed = false;  ///< on pages of its own
};

struct ModuleInfo {
  std::vector<KernelInfo> kernels;
  std::vector<SymbolInfo> symbols;
};

}  // namespace gridstride::sim
