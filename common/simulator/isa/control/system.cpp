// What says how the hardware should go about it and changes no result: hints about caches,
// registers and the grid that follows; and what concerns clusters, which here have one block.
#include <bit>
#include <cstdint>
#include <span>
#include <string>

#include "common/simulator/base/cuda_error.h"
#include "common/simulator/decode/decode_context.h"
#include "common/simulator/decode/modifiers.h"
#include "common/simulator/decode/operands.h"
#include "common/simulator/exec/block.h"
#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/warp.h"

namespace gridstride::sim {
namespace {

using ptx::Instruction;
using ptx::Type;

void do_nothing(Warp&, const Inst&, LaneMask) {}

/// Every modifier must be one of `known`.
bool decode_hint(const Instruction& instruction, std::span<const char* const> known, Inst& out) {
  Modifiers modifiers(instruction);
  for (const char* modifier : known) modifiers.take(modifier);
  out.handler = out.full_handler = do_nothing;
  return modifiers.done();
}

/// mapa: the same place in the shared memory of a block of the cluster, by its rank.
template <class T>
void map_address(Warp& warp, const Inst& inst, LaneMask mask) {
  const T* const from = vector_register<const T>(warp.registers, inst.a);
  const auto* const rank = vector_register<const std::uint32_t>(warp.registers, inst.b);
  T* const to = vector_register<T>(warp.registers, inst.dst);
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (rank[lane] != 0) {
      warp.grid->findings.bad_instruction(
          thread_of(warp, lane), inst.source,
          "names block " + std::to_string(rank[lane]) + " of a cluster that has one block",
          error_launch_failure);
    }
    to[lane] = from[lane];
  }
}

}  // namespace

bool decode_cache_hint(const Instruction& instruction, DecodeContext&, Inst& out) {
  constexpr const char* known[] = {"global",           "local", "L1",     "L2", "L2::evict_last",
                                   "L2::evict_normal", "const", "generic"};
  return !instruction.operands.empty() && decode_hint(instruction, known, out);
}

/// Without a debugger a breakpoint passes, and so does an event that no profiler counts.
bool decode_debug_hint(const Instruction& instruction, DecodeContext&, Inst& out) {
  constexpr const char* known[] = {"mask"};
  return decode_hint(instruction, known, out);
}

/// Grids run one after the other: what a grid waits for has happened.
bool decode_grid_hint(const Instruction& instruction, DecodeContext&, Inst& out) {
  constexpr const char* known[] = {"launch_dependents", "wait"};
  return instruction.operands.empty() && instruction.modifiers.size() == 1 &&
         decode_hint(instruction, known, out);
}

bool decode_register_hint(const Instruction& instruction, DecodeContext&, Inst& out) {
  constexpr const char* known[] = {"inc", "dec", "sync", "aligned", "u32"};
  return instruction.operands.size() == 1 && decode_hint(instruction, known, out);
}

/// A policy for .L2::cache_hint, which nothing here looks at.
bool decode_policy(const Instruction& instruction, DecodeContext& context, Inst& out) {
  constexpr const char* known[] = {"fractional",
                                   "range",
                                   "cvt",
                                   "L2",
                                   "global",
                                   "L2::evict_last",
                                   "L2::evict_normal",
                                   "L2::evict_first",
                                   "L2::evict_unchanged",
                                   "b64"};
  const auto zero = [](Warp& warp, const Inst& inst, LaneMask mask) {
    auto* const to = vector_register<std::uint64_t>(warp.registers, inst.dst);
    for (LaneMask rest = mask; rest != 0; rest &= rest - 1) to[std::countr_zero(rest)] = 0;
  };
  if (instruction.operands.empty() || !decode_hint(instruction, known, out) ||
      !bind_destination(instruction.operands[0], Type::b64, context, out.dst)) {
    return false;
  }
  out.handler = out.full_handler = zero;
  return true;
}

bool decode_mapa(const Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  modifiers.take("shared::cluster");
  const Type type = modifiers.take_type();
  if (!modifiers.done() || (type != Type::u32 && type != Type::u64) ||
      !bind(instruction, context, out, type, {type, Type::u32})) {
    return false;
  }
  out.handler = out.full_handler =
      type == Type::u64 ? map_address<std::uint64_t> : map_address<std::uint32_t>;
  return true;
}

/// The rank of the block whose shared memory an address is in.
bool decode_rank(const Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  modifiers.take("shared::cluster");
  const Type type = modifiers.take_type();
  const auto zero = [](Warp& warp, const Inst& inst, LaneMask mask) {
    auto* const to = vector_register<std::uint32_t>(warp.registers, inst.dst);
    for (LaneMask rest = mask; rest != 0; rest &= rest - 1) to[std::countr_zero(rest)] = 0;
  };
  out.handler = out.full_handler = zero;
  return modifiers.done() && (type == Type::u32 || type == Type::u64) &&
         bind(instruction, context, out, Type::u32, {type});
}

}  // namespace gridstride::sim
