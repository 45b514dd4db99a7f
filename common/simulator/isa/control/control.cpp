// bra, brx, ret, exit, trap, call, bar, barrier, membar, fence, nanosleep.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "common/simulator/base/unsupported.h"
#include "common/simulator/decode/decode_context.h"
#include "common/simulator/decode/modifiers.h"
#include "common/simulator/decode/operands.h"
#include "common/simulator/device_runtime/intrinsics.h"
#include "common/simulator/exec/block.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/isa/memory/memory_access.h"
#include "common/simulator/program/barrier_use.h"
#include "common/simulator/program/call_site.h"

namespace gridstride::sim {

bool decode_warp_barrier(const ptx::Instruction& instruction, DecodeContext& base, Inst& out);

namespace {

using ptx::Instruction;
using ptx::Operand;
using ptx::Type;

/// Where the caller keeps what it passes.
ParamCopy caller_slot(const ProgramContext& context, const Operand& operand) {
  const ParamSlot* slot = context.frame_param(operand.name);
  if (!slot) throw Unsupported("an argument that is not a .param variable");
  return {slot->offset, 0, slot->bytes};
}

bool take_reduction(Modifiers& modifiers, BarrierUse& use, Type& result) {
  result = Type::pred;
  if (modifiers.take("popc")) {
    use.kind = BarrierUse::Kind::popc;
    result = Type::u32;
    return modifiers.take("u32");
  }
  if (modifiers.take("and")) {
    use.kind = BarrierUse::Kind::all;
  } else if (modifiers.take("or")) {
    use.kind = BarrierUse::Kind::any;
  } else {
    return false;
  }
  return modifiers.take("pred");
}

/// Memory is sequentially consistent here: a fence matters to the race checker alone. Inst::flags:
/// whether it is for the whole device.
void fence(Warp& warp, const Inst& inst, LaneMask mask) {
  warp.may_give_way(inst);
  if (!warp.block->checks_order()) return;
  warp.block->order.fence(lanes_of(warp, mask), inst.flags != 0);
}

void no_fence(Warp&, const Inst&, LaneMask) {}

/// It lies between stores to shared memory and bulk copies that read them.
void proxy_fence(Warp& warp, const Inst&, LaneMask mask) {
  if (warp.block->races) warp.block->bulk.fence(lanes_of(warp, mask));
}

/// Fences for one thread's accesses by several ways (names of the same memory, asynchronous copies,
/// which are done when they are begun), and those for the making of mbarriers, which do not lie in
/// memory: they order nothing between threads. Those of tensor maps are as unknown as these.
bool is_fence_of_one_thread(Modifiers modifiers) {
  if (modifiers.take("proxy")) {
    if (modifiers.take("alias")) return modifiers.done();
    const bool is_known = modifiers.take("async");
    for (const char* part : {"global", "shared::cta", "shared::cluster"}) modifiers.take(part);
    return is_known && modifiers.done();
  }
  return modifiers.take("mbarrier_init") && modifiers.take("release") &&
         modifiers.take("cluster") && modifiers.done();
}

/// The modelled clock moves only for those who may look at it: to others the time they wait is that
/// of whom they wait for.
void sleep(Warp& warp, const Inst& inst, LaneMask mask) {
  constexpr std::uint32_t longest = 1'000'000;  // nanoseconds, by the PTX ISA
  if (warp.grid->kernel.reads_clock) {
    const auto* const times = vector_register<const std::uint32_t>(warp.registers, inst.a);
    std::uint32_t time = 0;
    for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
      time = std::max(time, times[std::countr_zero(rest)]);
    }
    const double asleep = std::min(time, longest) * 1e-9 * warp.grid->request.clock_hz;
    warp.times.fence(warp.times.next + asleep);
  }
  warp.time_slice -= polling_cost;
  warp.polled = true;
  warp.may_give_way(inst);
}

}  // namespace

bool decode_bra(const Instruction& instruction, DecodeContext&, Inst& out) {
  Modifiers modifiers(instruction);
  modifiers.take("uni");
  out.control = Control::branch;  // its target is known once all is laid out
  return modifiers.done() && instruction.operands.size() == 1;
}

bool decode_brx(const Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  modifiers.take("uni");
  if (!modifiers.take("idx") || !modifiers.done() || instruction.operands.size() != 2) return false;
  out.control = Control::branch_table;
  return bind_source(instruction.operands[0], Type::u32, context, out.a);
}

bool decode_ret(const Instruction& instruction, DecodeContext&, Inst& out) {
  Modifiers modifiers(instruction);
  modifiers.take("uni");
  out.control = Control::ret;
  return modifiers.done() && instruction.operands.empty();
}

bool decode_exit(const Instruction& instruction, DecodeContext&, Inst& out) {
  out.control = Control::exit;
  return instruction.modifiers.empty() && instruction.operands.empty();
}

bool decode_trap(const Instruction& instruction, DecodeContext&, Inst& out) {
  out.control = Control::trap;
  return instruction.modifiers.empty() && instruction.operands.empty();
}

bool decode_call(const Instruction& instruction, DecodeContext& base, Inst& out) {
  auto& context = static_cast<ProgramContext&>(base);
  Modifiers modifiers(instruction);
  modifiers.take("uni");
  if (!modifiers.done() || instruction.operands.size() < 3) return false;
  KernelCode& kernel = context.kernel();
  kernel.calls.push_back(std::make_unique<CallSite>());
  CallSite& site = *kernel.calls.back();
  for (const Operand& result : instruction.operands[0].elements) {
    site.results.push_back(caller_slot(context, result));
  }
  for (const Operand& argument : instruction.operands[2].elements) {
    site.arguments.push_back(caller_slot(context, argument));
  }
  out.control = Control::call;
  out.extra = &site;
  const Operand& callee = instruction.operands[1];
  if (callee.kind == Operand::Kind::reg) {
    return bind_source(callee, Type::b64, context, out.a);
  }
  const auto index = context.symbols().functions.find(callee.name);
  const auto code = index == context.symbols().functions.end()
                        ? kernel.by_index.end()
                        : kernel.by_index.find(index->second);
  if (code == kernel.by_index.end()) {
    site.intrinsic = find_intrinsic(callee.name);
    if (!site.intrinsic) throw Unsupported("the function '" + demangled(callee.name) + "'");
    kernel.uses_device_runtime |= is_of_device_runtime(callee.name);
    return true;
  }
  site.callee = code->second;
  if (site.callee->parameters.size() != site.arguments.size()) return false;
  for (std::size_t i = 0; i < site.arguments.size(); ++i) {
    site.arguments[i].to = site.callee->parameters[i].offset;
  }
  return true;
}

bool decode_barrier(const Instruction& instruction, DecodeContext& base, Inst& out) {
  auto& context = static_cast<ProgramContext&>(base);
  Modifiers modifiers(instruction);
  if (modifiers.take("warp")) {
    return modifiers.take("sync") && modifiers.done() &&
           decode_warp_barrier(instruction, base, out);
  }
  modifiers.take("cta");
  modifiers.take("aligned");
  auto* use = context.make<BarrierUse>();
  const auto& operands = instruction.operands;
  std::size_t next = 0;
  bool reduces = false;
  if (modifiers.take("arrive")) {
    use->kind = BarrierUse::Kind::arrive;
  } else if (modifiers.take("red")) {
    reduces = true;
    Type result{};
    if (!take_reduction(modifiers, *use, result) || operands.size() < 3) return false;
    if (!bind_destination(operands[next++], result, context, out.dst)) return false;
    const Operand& predicate = operands.back();
    use->predicate = context.source(predicate, Type::pred);
    use->predicate_negated = predicate.negate;
  } else if (!modifiers.take("sync")) {
    return false;
  }
  const std::size_t end = operands.size() - (reduces ? 1 : 0);
  if (!modifiers.done() || next >= end || end - next > 2) return false;
  if (!bind_source(operands[next++], Type::u32, context, use->id)) return false;
  if (next < end && !bind_source(operands[next], Type::u32, context, use->threads)) return false;
  if (use->kind == BarrierUse::Kind::arrive && use->threads == no_register) return false;
  out.control = Control::barrier;
  out.extra = use;
  return true;
}

bool decode_fence(const Instruction& instruction, DecodeContext&, Inst& out) {
  Modifiers modifiers(instruction);
  if (is_fence_of_one_thread(modifiers)) {
    const bool of_bulk_copies = instruction.has("async") && !instruction.has("global");
    out.handler = out.full_handler = of_bulk_copies ? proxy_fence : no_fence;
    return instruction.operands.empty();
  }
  out.flags = modifiers.take("cta") ? 0 : 1;
  for (const char* known : {"gl", "gpu", "sys", "cluster", "sc", "acq_rel", "acquire", "release"}) {
    modifiers.take(known);
  }
  out.handler = out.full_handler = fence;
  return modifiers.done() && instruction.operands.empty();
}

bool decode_nanosleep(const Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  if (!modifiers.take("u32") || !modifiers.done() || instruction.operands.size() != 1) return false;
  out.handler = out.full_handler = sleep;
  return bind_source(instruction.operands[0], Type::u32, context, out.a);
}

}  // namespace gridstride::sim
