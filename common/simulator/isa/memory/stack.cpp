// alloca, stacksave, stackrestore: local memory whose size is known only when a function runs.
//
// A function that uses them has a fixed area more in its frame. The area's first word says how much
// of it is taken; it is all ones, as every fresh local variable, while that is nothing. Leaving the
// function gives everything back, as it must.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "common/simulator/base/cuda_error.h"
#include "common/simulator/base/round_up.h"
#include "common/simulator/decode/decode_context.h"
#include "common/simulator/decode/modifiers.h"
#include "common/simulator/decode/operands.h"
#include "common/simulator/exec/block.h"
#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/warp.h"

namespace gridstride::sim {
namespace {

using ptx::Instruction;
using ptx::Operand;
using ptx::Type;

constexpr std::uint32_t area_bytes = 16 << 10;
constexpr std::uint32_t header_bytes = 16, least_alignment = 8;
constexpr std::uint32_t untouched = ~0u;

std::uint32_t area_of(const Warp& warp, const Inst& inst) {
  return warp.frame->local_base + static_cast<std::uint32_t>(inst.imm);
}

/// The first word of a lane's area.
std::byte* taken_at(Warp& warp, const Inst& inst, std::uint32_t lane) {
  return warp.local + std::size_t{lane} * warp.grid->kernel.local_stack + area_of(warp, inst);
}

std::uint32_t taken(Warp& warp, const Inst& inst, std::uint32_t lane) {
  std::uint32_t bytes = 0;
  std::memcpy(&bytes, taken_at(warp, inst, lane), sizeof bytes);
  return bytes == untouched ? header_bytes : bytes;
}

void set_taken(Warp& warp, const Inst& inst, std::uint32_t lane, std::uint32_t bytes) {
  std::memcpy(taken_at(warp, inst, lane), &bytes, sizeof bytes);
}

void take_memory(Warp& warp, const Inst& inst, LaneMask mask) {
  std::uint64_t* to = vector_register<std::uint64_t>(warp.registers, inst.dst);
  const std::uint64_t* sizes = vector_register<std::uint64_t>(warp.registers, inst.a);
  const std::uint64_t align = std::uint64_t{1} << inst.flags;
  const std::uint64_t area = area_of(warp, inst);
  for (; mask != 0; mask &= mask - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
    const std::uint64_t bytes = sizes[lane];
    const std::uint64_t at = round_up(area + taken(warp, inst, lane), align);
    const std::uint64_t end = area + area_bytes;
    if (at > end || bytes > end - at) {
      warp.grid->findings.bad_instruction(
          thread_of(warp, lane), inst.source,
          "takes " + std::to_string(bytes) +
              " bytes with alloca, more than the thread's stack holds",
          error_hardware_stack);
    }
    to[lane] = at;
    set_taken(warp, inst, lane, static_cast<std::uint32_t>(at + bytes - area));
  }
}

void save(Warp& warp, const Inst& inst, LaneMask mask) {
  std::uint64_t* to = vector_register<std::uint64_t>(warp.registers, inst.dst);
  for (; mask != 0; mask &= mask - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
    to[lane] = taken(warp, inst, lane);
  }
}

void restore(Warp& warp, const Inst& inst, LaneMask mask) {
  const std::uint64_t* from = vector_register<std::uint64_t>(warp.registers, inst.a);
  for (; mask != 0; mask &= mask - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
    if (from[lane] < header_bytes || from[lane] > area_bytes) {
      warp.grid->findings.bad_instruction(thread_of(warp, lane), inst.source,
                                          "restores a stack that was never saved",
                                          error_launch_failure);
    }
    set_taken(warp, inst, lane, static_cast<std::uint32_t>(from[lane]));
  }
}

}  // namespace

bool decode_alloca(const Instruction& instruction, DecodeContext& base, Inst& out) {
  auto& context = static_cast<ProgramContext&>(base);
  Modifiers modifiers(instruction);
  const auto& operands = instruction.operands;
  if (!modifiers.take("u64") || !modifiers.done()) return false;
  if (operands.size() != 2 && operands.size() != 3) return false;
  std::uint64_t align = least_alignment;
  if (operands.size() == 3) {
    if (operands[2].kind != Operand::Kind::immediate) return false;
    align = operands[2].bits;
  }
  if (!std::has_single_bit(align) || align > 256) return false;
  out.flags = static_cast<std::uint8_t>(std::countr_zero(align));
  out.imm = context.stack_area(area_bytes);
  out.handler = out.full_handler = take_memory;
  return bind_source(operands[1], Type::u64, context, out.a) &&
         bind_destination(operands[0], Type::u64, context, out.dst);
}

bool decode_stacksave(const Instruction& instruction, DecodeContext& base, Inst& out) {
  auto& context = static_cast<ProgramContext&>(base);
  Modifiers modifiers(instruction);
  if (!modifiers.take("u64") || !modifiers.done() || instruction.operands.size() != 1) return false;
  out.imm = context.stack_area(area_bytes);
  out.handler = out.full_handler = save;
  return bind_destination(instruction.operands[0], Type::u64, context, out.dst);
}

bool decode_stackrestore(const Instruction& instruction, DecodeContext& base, Inst& out) {
  auto& context = static_cast<ProgramContext&>(base);
  Modifiers modifiers(instruction);
  if (!modifiers.take("u64") || !modifiers.done() || instruction.operands.size() != 1) return false;
  out.imm = context.stack_area(area_bytes);
  out.handler = out.full_handler = restore;
  return bind_source(instruction.operands[0], Type::u64, context, out.a);
}

}  // namespace gridstride::sim
