// The simulated GPU's multipliers: hashes of addresses, and chance that is the same in every run.
#pragma once

#include <cstdint>

namespace gridstride::sim {

/// 2^64 and 2^32 divided by the golden ratio, to the nearest odd number and the nearest prime: a
/// product's upper bits depend on all bits of the other factor, and neighbours come to lie far
/// apart (Knuth, The Art of Computer Programming, volume 3, 6.4, multiplicative hashing).
inline constexpr std::uint64_t golden_multiplier = 0x9e3779b97f4a7c15;
inline constexpr std::uint32_t golden_multiplier_32 = 0x9e3779b1;

/// 31 bits: those of the next state that are random. The low bits of a linear congruential
/// generator are not. Multiplier and increment: Knuth's MMIX (volume 2, 3.3.4, table 1).
inline std::uint64_t draw(std::uint64_t& state) {
  constexpr std::uint64_t multiplier = 6364136223846793005, increment = 1442695040888963407;
  state = state * multiplier + increment;
  return state >> 33;
}

}  // namespace gridstride::sim
