// The families of the ladder by name, and which half each belongs to.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ladder.h"

namespace ladder {

struct Family {
  const char* name;
  Kernels (*make)();  ///< with its inputs on the device
};

const std::vector<Family>& families();

/// What the model may be fitted to, and what only judges it. The rule was there before any time was
/// taken: bit 2 of the 32-bit FNV-1a hash of the family's name, the lowest bit that leaves neither
/// half with less than 45 in 100 of the kernels. All ways to do one task are in one half, and nobody
/// chooses which. A family keeps its name, so that it stays where it is.
enum class Half { fit, held_out };

constexpr Half half_of(std::string_view family) {
  std::uint32_t hash = 2166136261U;
  for (const char letter : family) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 16777619U;
  }
  return (hash >> 2) % 2 == 0 ? Half::fit : Half::held_out;
}

}  // namespace ladder
