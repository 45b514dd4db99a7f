// What a block barrier instruction asks for.
#pragma once

#include <cstdint>

#include "common/simulator/program/instruction.h"

namespace gridstride::sim {

/// How a barrier instruction uses a barrier. `extra` of Control::barrier.
struct BarrierUse {
  enum class Kind : std::uint8_t { sync, arrive, popc, all, any } kind = Kind::sync;
  Row id = no_row;
  Row threads = no_row;    ///< or no_row: all of the block
  Row predicate = no_row;  ///< of a reduction
  bool predicate_negated = false;
};

}  // namespace gridstride::sim
