// How the race checker of shared memory packs who has made an access (SharedRaceChecker::Slot).
#pragma once

#include <cstdint>

#include "common/simulator/check/access_strength.h"
#include "common/simulator/check/clocks.h"

namespace gridstride::sim::race_cells {

constexpr std::uint32_t thread_shift = 21;
constexpr std::uint32_t warp_shift = thread_shift + 5;
constexpr std::uint32_t kind_shift = 19;
constexpr std::uint32_t instruction_mask = (1u << kind_shift) - 1;

inline AccessStrength kind_of(std::uint32_t who) {
  return static_cast<AccessStrength>(who >> kind_shift & 3);
}
/// Or the thread + BlockClock::copies_of.
inline std::uint32_t thread_of(std::uint32_t who) { return who >> thread_shift; }
constexpr std::uint32_t of_a_copy = BlockClock::copies_of << thread_shift;
/// A condition as a number: the loops over cells have no branches, so that they are vectorised.
inline std::uint32_t bit(bool condition) { return condition ? 1u : 0u; }

}  // namespace gridstride::sim::race_cells
