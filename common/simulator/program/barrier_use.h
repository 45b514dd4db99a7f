// What a block barrier instruction asks for.
#pragma once

#include <cstdint>

#include "common/simulator/program/instruction.h"

namespace gridstride::sim {

/// How a barrier instruction uses a barrier. `extra` of Control::barrier.
struct BarrierUse {
  enum class Kind : std::uint8_t { sync, arrive, popc, all, any } kind = Kind::sync;
  VectorRegister id = no_register;
  VectorRegister threads = no_register;    ///< or no_register: all of the block
  VectorRegister predicate = no_register;  ///< of a reduction
  bool predicate_negated = false;
};

}  // namespace gridstride::sim
