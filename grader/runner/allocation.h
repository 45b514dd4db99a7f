// Memory of one argument of a call, before anybody has made it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "grader/runner/arguments.h"

namespace gridstride {

/// Device memory of one argument, or the value of a scalar. The allocation is
/// `guard_bytes`, `offset_bytes`, `bytes`, `guard_bytes` long; the stage gets the address of the
/// third part, so an offset that is not a multiple of 256 gives an unaligned pointer.
struct Allocation {
  ArgumentKind kind{};
  std::uint64_t bytes = 0, offset_bytes = 0, guard_bytes = 0;
  std::vector<std::byte> value;  ///< of a scalar
  std::string name;              ///< of the argument, for messages

  std::uint64_t data_begin() const { return guard_bytes + offset_bytes; }
  std::uint64_t total() const { return data_begin() + bytes + guard_bytes; }
};

}  // namespace gridstride
