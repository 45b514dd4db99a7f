// What atom and red make of the value they find, by operation and type.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/simulator/decode/modifiers.h"
#include "common/simulator/program/instruction.h"
#include "common/simulator/ptx/module.h"

namespace gridstride::sim {

/// One element of the lanes of an atomic. Registers are of 64 bits for elements of 64, else of 32.
struct AtomicLanes {
  std::byte* const* at = nullptr;  ///< by lane: where on the host its first element is
  std::size_t offset = 0;          ///< bytes from there to this element
  LaneMask mask = 0;
  const std::byte* b = nullptr;  ///< register of the operand
  const std::byte* c = nullptr;  ///< of the second, where there are two
  std::byte* results = nullptr;  ///< register for what was there before, or null
};
/// Does it lane by lane, lowest first. True when any left another value than it found.
using Combine = bool (*)(const AtomicLanes& lanes);

/// The same of all lanes on words in shared memory: each at its offset from `shared`. `results` is null
/// when nobody asks for them.
using CombineWords = bool (*)(std::byte* shared, const std::uint32_t* offsets,
                              const std::uint32_t* b, std::uint32_t* results);

/// Adds 1, for nobody who asks what was there: `b` and `results` are not looked at.
bool count_words(std::byte* shared, const std::uint32_t* offsets, const std::uint32_t* b,
                 std::uint32_t* results);

struct AtomicOperation {
  Combine in_shared = nullptr;   ///< null: there is no such operation
  Combine in_global = nullptr;   ///< the same, or as the L2 does it
  CombineWords words = nullptr;  ///< as `in_shared`; null: there is none
  ptx::Type type = ptx::Type::none;
  bool is_add = false;
  bool is_float = false;   ///< of numbers, not only of bits
  bool exchanges = false;  ///< exch and cas: what was there has no part in the new value
  bool takes_two = false;  ///< cas: a value to compare with and one to store
};

/// Takes the operation and its type from the modifiers.
AtomicOperation take_atomic_operation(Modifiers& modifiers);

}  // namespace gridstride::sim
