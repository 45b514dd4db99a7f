// To which unit of a multiprocessor an instruction goes: for counting and for the scoreboard. What
// is known of its opcode stands in opcodes.def, what its modifiers add is decided here.
#pragma once

#include <cstdint>

#include "common/simulator/ptx/module.h"

namespace gridstride::sim {

enum class Unit : std::uint8_t {
  integer,           ///< 8 to 64-bit integers, logic, comparisons of integers, predicates
  single_precision,  ///< f32 and the half-precision types
  double_precision,
  special,  ///< rcp, sqrt, rsqrt, sin, cos, ex2, lg2, tanh, approximate division
  move,     ///< mov, cvt, cvta, selp …: neither integer nor float work
  memory,   ///< ld, st and what fetches or orders memory
  atomic,   ///< atom, red
  warp,     ///< shfl, vote, match, redux, activemask
  barrier,
  control,  ///< bra, call, ret, exit, trap
};

/// The entry of LatencyTable (engine.h) that a dependent instruction waits for.
enum class Latency : std::uint8_t {
  arithmetic,
  special,
  double_precision,
  shared,
  constant,
  global,   ///< what the caches make of it
  texture,  ///< the same, and the filter
  shared_atomic,
  global_atomic,
  shuffle,
  match,
  barrier,
  branch,
};

/// Of loads: from memory that all blocks share.
inline bool is_of_global_memory(Latency latency) {
  return latency == Latency::global || latency == Latency::texture;
}

/// Where ptxas may put an instruction, within a run that no branch enters or leaves.
enum class SchedulingConstraint : std::uint8_t {
  free,   ///< anywhere that operands allow
  load,   ///< not before a store that it stands behind
  store,  ///< anywhere that operands allow, but no load passes it; an atomic in shared memory, too,
          ///< which loads from global memory pass
  fixed,  ///< it stays, and nothing passes it: other atomics, fences, volatile, barriers, branches,
          ///< clocks
  subroutine,  ///< the same, and nothing begins before it is through: it branches within
};

/// Which counters an instruction's executions and accesses go to (access_counters.cpp).
enum class CounterGroup : std::uint8_t {
  loads,  ///< and whatever counts no access, or only those that have counters of their own
  stores,
  atomics,
  copies,    ///< from global to shared memory
  branches,  ///< those at which lanes may part
  shuffles,
};

struct InstructionClass {
  Unit unit = Unit::integer;
  Latency latency = Latency::arithmetic;
  /// Floating-point operations of an active lane: 1 an add or mul, 2 an fma, twice that for packed
  /// halves; 1 a division or a special function; of a product of matrices its share.
  std::uint16_t flops = 0;
  std::uint8_t sass_instructions = 1;  ///< see sass_instructions.h
  /// Of the units for integers, in times of a warp's 32 lanes on 64 of them a clock: what only the unit
  /// for logic, shifts, comparisons, minima and selections does, also of floats; sums, which the
  /// multipliers take over as well; what the multipliers do.
  std::uint8_t logic_slots = 0, sum_slots = 0, product_slots = 0;
  /// Of the units for special functions: how often they are asked. A division of floats that rounds
  /// correctly asks for a reciprocal and whether its operands are rare ones.
  std::uint8_t special_slots = 0;
  SchedulingConstraint scheduling = SchedulingConstraint::free;
  CounterGroup counters = CounterGroup::loads;
};

/// For an instruction that another one does the work of.
inline void take_no_slots(InstructionClass& of) {
  of.sass_instructions = of.logic_slots = of.sum_slots = of.product_slots = 0;
}
/// For one of 64 bits that works on numbers of 32: logic, or a product that is one of mul.wide.
inline void take_slots_of_32_bits(InstructionClass& of) {
  of.sass_instructions = 1;
  if (of.logic_slots != 0) of.logic_slots = 1;
  if (of.product_slots != 0) of.product_slots = 2;
}

/// A pure function of the instruction and its row in opcodes.def. Throws Unsupported when there is
/// none.
InstructionClass classify(const ptx::Instruction& instruction);

}  // namespace gridstride::sim
