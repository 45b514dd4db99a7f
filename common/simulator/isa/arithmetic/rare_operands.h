// Divisions, reciprocals and square roots of floats that round correctly, when operands are such that the
// few instructions that usually do them fail: a subroutine takes over, for the whole warp even if it is one
// lane's. What it takes beyond that was measured on an H200 (model/measure/subroutines.csv: "of zero",
// "of infinity"), in clocks of one multiprocessor with many warps and of one warp alone.
#pragma once

#include <cstdint>
#include <type_traits>

#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/isa/arithmetic/lanes.h"
#include "common/simulator/program/instruction.h"

namespace gridstride::sim::lanes {

/// Zero, subnormal, infinite or no number; or a divisor or a quotient close to what floats can be.
struct RareDivision {
  static constexpr std::uint32_t slots = 41;  ///< 15.0 clocks for 4.4, at 3.8 slots a clock
  static constexpr double cycles = 207;       ///< 270 for 63
  static bool is_rare(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t of_a = a >> 23 & 255, of_b = b >> 23 & 255;  // exponents
    return (of_a - 1 > 253) | (of_b - 1 > 251) | (of_a - of_b + 125 > 250);
  }
};
struct RareReciprocal {
  static constexpr std::uint32_t slots = 20;  ///< 8.7 clocks for 3.4
  static constexpr double cycles = 119;       ///< 202 for 83
  static bool is_rare(std::uint32_t a, std::uint32_t) { return (a >> 23 & 255) - 1 > 251; }
};
/// Also of what is less than 2^-101: ptxas compares bits, less 0x0d000000, with 0x727fffff.
struct RareRoot {
  static constexpr std::uint32_t slots = 10;  ///< 5.8 clocks for 3.2
  static constexpr double cycles = 82;        ///< 145 for 63
  static bool is_rare(std::uint32_t a, std::uint32_t) { return a - 0x0d000000 > 0x727fffff; }
};

/// `handler`, of an instruction that reads `a`, and `b` if it is a division.
template <Handler handler, class Rare, bool two>
void noting_rare(Warp& warp, const Inst& inst, LaneMask mask) {
  const auto* const a = vector_register<const std::uint32_t>(warp.registers, inst.a);
  const auto* const b = two ? vector_register<const std::uint32_t>(warp.registers, inst.b) : a;
  LaneMask rare = 0;
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    rare |= static_cast<LaneMask>(Rare::is_rare(a[lane], b[lane])) << lane;
  }
  if ((rare & mask) != 0 && warp.grid) {
    warp.outcome.rare_cycles = Rare::cycles;
    warp.grid->counters.rare_slots[inst.source] += Rare::slots;
  }
  handler(warp, inst, mask);
}

/// Handlers of F, which rounds to the nearest, on floats.
template <class F, class Rare>
bool set_noting_rare(Inst& out) {
  constexpr bool two = std::is_same_v<Rare, RareDivision>;
  if constexpr (two) {
    out.handler = noting_rare<masked<F, float, float, float>, Rare, two>;
    out.full_handler = noting_rare<full<F, float, float, float>, Rare, two>;
  } else {
    out.handler = noting_rare<masked<F, float, float>, Rare, two>;
    out.full_handler = noting_rare<full<F, float, float>, Rare, two>;
  }
  return true;
}

}  // namespace gridstride::sim::lanes
