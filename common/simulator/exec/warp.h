// The state of one warp.
#pragma once

#include <cstddef>

#include "common/simulator/exec/instruction.h"

namespace gridstride::sim {

/// Arithmetic handlers use `registers` and nothing else.
class Warp {
 public:
  std::byte* registers = nullptr;  ///< register file of this warp, 64-byte aligned
};

}  // namespace gridstride::sim
