// Which bytes of what a load brings are used.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/simulator/ptx/module.h"

namespace gridstride::sim {

/// One bit for each byte that a load brings, the lowest for the first.
struct NeededBytes {
  /// Something depends on it that is more than a copy: an address, a condition, a sum.
  std::uint32_t used = ~std::uint32_t{0};
  /// It is no more than moved and stored again, as StoredBytes follows it, perhaps after a bit-field
  /// was set in it: what copies a structure copies the padding too. So does who hands one to a function, or
  /// returns it.
  std::uint32_t copied = 0;
};

/// Of what instruction number `at` of `function` loads. Compilers load a structure in words, the
/// padding behind a bool with it, and then take the low byte: the others are neither used nor
/// copied. All are used of what is no plain load.
NeededBytes needed_bytes(const ptx::Function& function, std::size_t at);

}  // namespace gridstride::sim
