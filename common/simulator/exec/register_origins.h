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
};

/// One entry a register of `function`. Flow-insensitive.
std::vector<RegisterOrigin> register_origins(const ptx::Function& function);

}  // namespace gridstride::sim
