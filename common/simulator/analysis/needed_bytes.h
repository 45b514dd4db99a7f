// Which bytes of what a load brings are used.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/simulator/ptx/module.h"

namespace gridstride::sim {

/// One bit for each byte that instruction number `at` of `function` loads, the lowest for the
/// first: clear when nothing that is done with the loaded register depends on the byte. Compilers
/// load a structure in words, the padding behind a bool with it, and then take the low byte. All
/// set for what is no plain load.
std::uint32_t needed_bytes(const ptx::Function& function, std::size_t at);

}  // namespace gridstride::sim
