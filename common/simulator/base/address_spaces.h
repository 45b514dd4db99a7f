// Where shared, local and parameter memory appear in generic addresses.
//
// A generic address is a 64-bit number that names memory of any space. Global and constant
// variables have their device address (memory/global_memory.h); the other spaces are windows below
// it, so that an address tells its space. Inside its own space an address counts from 0.
#pragma once

#include <cstdint>

namespace gridstride::sim {

constexpr std::uint64_t window_bytes = std::uint64_t{1} << 32;
constexpr std::uint64_t shared_window = 0x0900'0000'0000;
constexpr std::uint64_t local_window = shared_window + window_bytes;
constexpr std::uint64_t param_window = local_window + window_bytes;

/// True when the generic address lies in the window that starts at `window`.
constexpr bool in_window(std::uint64_t generic, std::uint64_t window) {
  return generic - window < window_bytes;
}

}  // namespace gridstride::sim
