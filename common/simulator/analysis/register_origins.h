// What can be said about registers without running the kernel.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/simulator/ptx/module.h"

namespace gridstride::sim {

struct RegisterOrigin {
  /// All lanes of a warp hold the same value: it comes from parameters, block indices, constants.
  bool uniform = true;
  /// The one variable whose address it is computed from; empty when there is none, or several.
  std::string variable;
  /// A power of two, at most 16, of which its value is a multiple, as far as ptxas can tell.
  std::uint32_t alignment = 1;
};

/// One entry a register of `function`. Flow-insensitive.
std::vector<RegisterOrigin> register_origins(const ptx::Function& function);

}  // namespace gridstride::sim
