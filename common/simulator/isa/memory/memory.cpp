// ld, ldu, st, isspacep.
#include <bit>
#include <cstddef>
#include <cstdint>

#include "common/simulator/base/address_spaces.h"
#include "common/simulator/base/unsupported.h"
#include "common/simulator/decode/decode_context.h"
#include "common/simulator/decode/modifiers.h"
#include "common/simulator/decode/operands.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/isa/memory/memory_access.h"
#include "common/simulator/isa/memory/memory_decode.h"
#include "common/simulator/memory/global_memory.h"
#include "common/simulator/program/memory_use.h"

namespace gridstride::sim {

using ptx::Instruction;
using ptx::Operand;
using ptx::Space;
using ptx::Type;

Space take_space(Modifiers& modifiers) {
  if (modifiers.take("global")) return Space::global;
  if (modifiers.take("shared") || modifiers.take("shared::cta")) return Space::shared;
  if (modifiers.take("const")) return Space::constant;
  if (modifiers.take("local")) return Space::local;
  if (modifiers.take("param") || modifiers.take("param::entry") || modifiers.take("param::func")) {
    return Space::param;
  }
  return Space::generic;
}

void take_order(Modifiers& modifiers, MemoryUse& use) {
  const bool is_volatile = modifiers.take("volatile");
  const bool acquires = modifiers.take("acquire"), releases = modifiers.take("release");
  const bool both = modifiers.take("acq_rel");
  const bool relaxed = modifiers.take("relaxed"), mmio = modifiers.take("mmio");
  modifiers.take("weak");
  const bool block_only = modifiers.take("cta");
  for (const std::string_view scope : {"cluster", "gpu", "sys"}) modifiers.take(scope);
  use.polls = is_volatile || relaxed || acquires || both || mmio;
  const bool strong = acquires || releases || both || relaxed || mmio;
  use.kind = strong && block_only ? AccessStrength::strong_in_block
             : strong             ? AccessStrength::strong
             : is_volatile        ? AccessStrength::polling
                                  : AccessStrength::plain;
  use.releases = releases || both;
  use.acquires = acquires || both;
  use.device_wide = !block_only;
}

void take_cache_hints(Modifiers& modifiers) {
  // They change where data is kept, not what is read.
  for (const std::string_view hint : {"ca",
                                      "cg",
                                      "cs",
                                      "lu",
                                      "cv",
                                      "wb",
                                      "wt",
                                      "nc",
                                      "unified",
                                      "L1::evict_normal",
                                      "L1::evict_unchanged",
                                      "L1::evict_first",
                                      "L1::evict_last",
                                      "L1::no_allocate",
                                      "L2::64B",
                                      "L2::128B",
                                      "L2::256B",
                                      "L2::evict_unchanged",
                                      "L2::evict_normal",
                                      "L2::evict_first",
                                      "L2::evict_last"}) {
    modifiers.take(hint);
  }
}

std::size_t take_cache_policy(ProgramContext& context, Modifiers& modifiers,
                              const Instruction& instruction) {
  if (!modifiers.take("L2::cache_hint") || instruction.operands.empty()) return 0;
  context.source(instruction.operands.back(), Type::b64);
  return 1;
}

void bind_shared_variable(ProgramContext& context, const MemoryOperand& operand, MemoryUse& use) {
  const KernelCode& kernel = context.kernel();
  const auto it = kernel.shared_index.find(operand.variable);
  if (it == kernel.shared_index.end()) return;
  const SharedVariable& variable = kernel.shared[static_cast<std::size_t>(it->second)];
  use.variable = it->second;
  use.low = variable.offset;
  use.high = variable.bytes == 0 ? ~0u : variable.offset + variable.bytes;
}

bool decode_address(ProgramContext& context, const Operand& operand, Space space, Inst& out,
                    MemoryUse& use, MemoryOperand& memory) {
  if (operand.kind != Operand::Kind::address || !operand.elements.empty()) return false;
  use.space = space;
  if (const ParamSlot* slot = space == Space::param ? context.frame_param(operand.name) : nullptr) {
    use.frame_param = true;
    out.imm = operand.offset + slot->offset;
    const bool inside =
        operand.offset >= 0 && operand.offset + out.width * out.count <= std::int64_t{slot->bytes};
    if (!inside) throw Unsupported("an access outside '" + operand.name + "'");
  } else {
    memory = context.memory(operand);
    out.a = memory.base;
    out.imm = memory.offset;
    use.base_bytes = static_cast<std::uint8_t>(memory.base_bytes);
    if (space == Space::shared || space == Space::generic)
      bind_shared_variable(context, memory, use);
    if (space == Space::local || space == Space::generic)
      use.local_array = context.local_array(operand);
  }
  out.extra = &use;
  return true;
}

namespace {

/// True when a load does not look into the L1.
bool passes_l1(const Instruction& instruction) {
  for (const std::string_view modifier :
       {"cg", "cv", "volatile", "relaxed", "acquire", "mmio", "L1::no_allocate"}) {
    if (instruction.has(modifier)) return true;
  }
  return false;
}

/// Type, vector length and registers of the elements. `value` is the destination of a load or the
/// source of a store; its registers are asked for behind those of the address.
bool take_shape(Modifiers& modifiers, Inst& out, Type& type) {
  out.count = 1;
  if (modifiers.take("v2")) out.count = 2;
  if (modifiers.take("v4")) out.count = 4;
  type = modifiers.take_type();
  const std::size_t width = ptx::size_of(type);
  if (width == 0 || width > 8) return false;
  out.width = static_cast<std::uint8_t>(width);
  return width * out.count <= 16;
}

bool bind_registers(ProgramContext& context, const Operand& value, Type type, bool is_load,
                    const Inst& out, MemoryUse& use) {
  const bool vector = value.kind == Operand::Kind::vector;
  if ((vector ? value.elements.size() : 1) != out.count) return false;
  for (std::size_t k = 0; k < out.count; ++k) {
    const Operand& one = vector ? value.elements[k] : value;
    use.registers[k] = is_load ? context.destination(one, type) : context.source(one, type);
    const auto bytes = static_cast<std::uint8_t>(context.lane_bytes_of(one, type));
    if (k > 0 && bytes != use.lane_bytes && one.kind != Operand::Kind::sink) return false;
    use.lane_bytes = bytes;
  }
  return true;
}

bool is_signed(Type type) {
  return type == Type::s8 || type == Type::s16 || type == Type::s32 || type == Type::s64;
}

void choose_load(Inst& out, const MemoryUse& use) {
  const bool natural =
      use.lane_bytes == (out.width == 8 ? 8 : 4) && !(use.sign_extends && out.width < 4);
  Handlers handlers;
  if (use.space == Space::param && use.frame_param) {
    handlers = {load_frame_param, load_frame_param};
  } else if (use.space == Space::param && out.a == no_register) {
    handlers = {load_kernel_param, load_kernel_param};
  } else if (natural && use.space == Space::global) {
    handlers = global_load(out.width, out.count);
  } else if (natural && use.space == Space::shared) {
    handlers = shared_load(out.width, out.count);
  } else if (natural && use.space == Space::constant) {
    handlers = constant_load(out.width, out.count);
  }
  if (!handlers.masked) handlers = {load_anywhere, load_anywhere};
  out.handler = handlers.masked;
  out.full_handler = handlers.full;
}

std::uint64_t window_of(Space space) {
  switch (space) {
    case Space::shared:
      return shared_window;
    case Space::local:
      return local_window;
    case Space::param:
      return param_window;
    default:
      return 0;
  }
}

void is_in_space(Warp& warp, const Inst& inst, LaneMask mask) {
  const std::uint64_t* addresses = vector_register<const std::uint64_t>(warp.registers, inst.a);
  LaneMask inside = 0;
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    const std::uint64_t address = addresses[lane];
    const bool outside = !in_window(address, shared_window) && !in_window(address, local_window) &&
                         !in_window(address, param_window);
    const auto window = static_cast<std::uint64_t>(inst.imm);
    const bool yes = window != 0 ? in_window(address, window) : outside;
    if (yes) inside |= 1u << lane;
  }
  LaneMask& predicate = *vector_register<LaneMask>(warp.registers, inst.dst);
  predicate = (predicate & ~mask) | (inside & mask);
}

void is_constant(Warp& warp, const Inst& inst, LaneMask mask) {
  const std::uint64_t* addresses = vector_register<const std::uint64_t>(warp.registers, inst.a);
  LaneMask inside = 0;
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const Allocation* allocation = warp.grid->memory.find(addresses[lane]);
    if (allocation && allocation->read_only) inside |= 1u << lane;
  }
  LaneMask& predicate = *vector_register<LaneMask>(warp.registers, inst.dst);
  predicate = (predicate & ~mask) | (inside & mask);
}

}  // namespace

bool decode_load(const Instruction& instruction, DecodeContext& base, Inst& out) {
  auto& context = static_cast<ProgramContext&>(base);
  Modifiers modifiers(instruction);
  if (instruction.operands.size() != 2 + take_cache_policy(context, modifiers, instruction)) {
    return false;
  }
  const Space space = take_space(modifiers);
  auto* use = context.make<MemoryUse>();
  take_order(modifiers, *use);
  use->guesses = context.is_guess(instruction);
  use->read_only = instruction.has("nc");
  take_cache_hints(modifiers);
  Type type{};
  if (!take_shape(modifiers, out, type) || !modifiers.done()) return false;
  MemoryOperand memory;
  if (!decode_address(context, instruction.operands[1], space, out, *use, memory) ||
      !bind_registers(context, instruction.operands[0], type, true, out, *use)) {
    return false;
  }
  use->passes_l1 = passes_l1(instruction);
  use->sign_extends = is_signed(type);
  if (space == Space::param && !use->frame_param && out.a == no_register) {
    const bool inside = out.imm >= 0 && out.imm + out.width * out.count <=
                                            std::int64_t{context.kernel().argument_bytes};
    if (!inside) throw Unsupported("a load beyond the kernel's parameters");
  }
  choose_load(out, *use);
  return true;
}

bool decode_store(const Instruction& instruction, DecodeContext& base, Inst& out) {
  auto& context = static_cast<ProgramContext&>(base);
  Modifiers modifiers(instruction);
  if (instruction.operands.size() != 2 + take_cache_policy(context, modifiers, instruction)) {
    return false;
  }
  const Space space = take_space(modifiers);
  auto* use = context.make<MemoryUse>();
  take_order(modifiers, *use);
  use->polls = false;
  take_cache_hints(modifiers);
  Type type{};
  if (!take_shape(modifiers, out, type) || !modifiers.done()) return false;
  if (space == Space::constant) return false;
  MemoryOperand memory;
  if (!decode_address(context, instruction.operands[0], space, out, *use, memory) ||
      !bind_registers(context, instruction.operands[1], type, false, out, *use)) {
    return false;
  }
  if (space == Space::param && !use->frame_param) return false;
  Handlers handlers;
  const bool natural = use->lane_bytes == (out.width == 8 ? 8 : 4);
  if (use->frame_param) {
    handlers = {store_frame_param, store_frame_param};
  } else if (natural && space == Space::global) {
    handlers = global_store(out.width, out.count);
  } else if (natural && space == Space::shared) {
    handlers = shared_store(out.width, out.count);
  }
  if (!handlers.masked) handlers = {store_anywhere, store_anywhere};
  out.handler = handlers.masked;
  out.full_handler = handlers.full;
  return true;
}

bool decode_isspacep(const Instruction& instruction, DecodeContext& context, Inst& out) {
  if (instruction.operands.size() != 2) return false;
  Modifiers modifiers(instruction);
  // A cluster has one block, whose shared memory is all that it has.
  const bool of_cluster = modifiers.take("shared::cluster");
  const Space space = of_cluster ? Space::shared : take_space(modifiers);
  if (space == Space::generic || !modifiers.done()) return false;
  if (!bind(instruction, context, out, Type::pred, {Type::u64})) return false;
  out.imm = static_cast<std::int64_t>(window_of(space));
  out.handler = out.full_handler = space == Space::constant ? is_constant : is_in_space;
  return true;
}

}  // namespace gridstride::sim
