// What atom and red make of the value they find, by operation and type.
#pragma once

#include <cstdint>

#include "common/simulator/exec/modifiers.h"
#include "common/simulator/ptx/module.h"

namespace gridstride::sim {

/// New value from the old one and the operands, all as bits; those of 16 bits zero-extended.
using Combine = std::uint64_t (*)(std::uint64_t old, std::uint64_t b, std::uint64_t c);

struct AtomicOperation {
  Combine in_shared = nullptr;  ///< null: there is no such operation
  Combine in_global = nullptr;  ///< the same, or as the L2 does it
  ptx::Type type = ptx::Type::none;
  bool is_add = false;
  bool is_float = false;   ///< of numbers, not only of bits
  bool exchanges = false;  ///< exch and cas: what was there has no part in the new value
  bool takes_two = false;  ///< cas: a value to compare with and one to store
};

/// Takes the operation and its type from the modifiers.
AtomicOperation take_atomic_operation(Modifiers& modifiers);

}  // namespace gridstride::sim
