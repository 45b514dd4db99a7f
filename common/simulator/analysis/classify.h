// To which unit of a multiprocessor an instruction goes: for counting and for the scoreboard.
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
  global,  ///< what the caches make of it
  shared_atomic,
  global_atomic,
  shuffle,
  match,
  barrier,
  branch,
};

/// What ptxas may move, within a run of instructions that no branch enters or leaves.
enum class Motion : std::uint8_t {
  free,     ///< as far as operands allow
  load,     ///< not to before a store
  store,    ///< as far as operands allow, but no load past it
  fixed,    ///< not at all, nor anything past it: atomics, fences, volatile, barriers, branches,
            ///< clocks
  routine,  ///< the same, and nothing begins before it is through: it branches within
};

struct InstructionClass {
  Unit unit = Unit::integer;
  Latency latency = Latency::arithmetic;
  /// Floating-point operations of an active lane: 1 an add or mul, 2 an fma, twice that for packed
  /// halves; 1 a division or a special function; of a product of matrices its share.
  std::uint16_t flops = 0;
  std::uint8_t machine_instructions = 1;  ///< see sass_instructions.h
  Motion motion = Motion::free;
};

/// A pure function of opcode and modifiers. An unknown opcode counts as integer arithmetic.
InstructionClass classify(const ptx::Instruction& instruction);

}  // namespace gridstride::sim
