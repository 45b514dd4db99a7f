// See calls.h.
#include "common/simulator/exec/calls.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

#include "common/simulator/base/cuda_error.h"
#include "common/simulator/exec/block.h"
#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/exec/warp_splits.h"
#include "common/simulator/program/call_site.h"

namespace gridstride::sim {
namespace {

void enter(Warp& warp, const FunctionCode& callee, const CallSite& site, std::int32_t return_to) {
  WarpSplit& split = warp.splits[warp.current];
  Frame* caller = split.frame;
  Frame* frame = warp.block->push_frame(warp, callee, return_to);
  const std::size_t from_stride = caller->function->frame.param_bytes;
  const std::size_t to_stride = callee.frame.param_bytes;
  for (std::size_t i = 0; i < site.arguments.size(); ++i) {
    const ParamCopy& copy = site.arguments[i];
    // A call by pointer knows the callee's layout only now.
    const ParamSlot to = site.callee ? ParamSlot{copy.to, copy.bytes} : callee.parameters.at(i);
    for (LaneMask rest = split.mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
      std::copy_n(caller->params + lane * from_stride + copy.from, std::min(copy.bytes, to.bytes),
                  frame->params + lane * to_stride + to.offset);
    }
  }
  split.frame = frame;
  split.pc = callee.entry;
}

}  // namespace

void call(Warp& warp, const Inst& inst, std::int32_t pc) {
  const auto& site = *static_cast<const CallSite*>(inst.extra);
  if (site.intrinsic) {
    site.intrinsic(warp, inst, site, warp.mask());
    warp.splits[warp.current].pc = pc + 1;
    return;
  }
  if (site.callee) {
    enter(warp, *site.callee, site, pc + 1);
    return;
  }
  // By pointer: lanes diverge by where they go; this turn takes those of the first lane.
  const std::uint64_t* pointers = vector_register<std::uint64_t>(warp.registers, inst.a);
  const LaneMask mask = warp.mask();
  const std::uint64_t pointer = pointers[std::countr_zero(mask)];
  LaneMask others = 0;
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (pointers[lane] != pointer) others |= 1u << lane;
  }
  const auto& functions = warp.grid->kernel.by_index;
  const auto callee = functions.find(static_cast<std::uint32_t>(pointer - function_address_base));
  if (pointer - function_address_base > 0xffffffffu || callee == functions.end() ||
      callee->second->parameters.size() != site.arguments.size()) {
    warp.grid->findings.bad_instruction(
        thread_of(warp, first_lane(mask & ~others)), inst.source,
        "calls through a pointer that is not the address of a device function of this signature; "
        "was the pointer set on the host?",
        error_invalid_pc);
  }
  if (others != 0) split_off(warp, others, pc);
  enter(warp, *callee->second, site, pc + 1);
}

void return_from(Warp& warp) {
  WarpSplit& split = warp.splits[warp.current];
  Frame* frame = split.frame;
  if (!frame->caller) {  // `ret` in a kernel ends the thread
    exit_lanes(warp);
    return;
  }
  const Inst& at = warp.grid->kernel.code[static_cast<std::size_t>(frame->return_to - 1)];
  const auto& site = *static_cast<const CallSite*>(at.extra);
  const FunctionCode& callee = *frame->function;
  const std::size_t from_stride = callee.frame.param_bytes;
  const std::size_t to_stride = frame->caller->function->frame.param_bytes;
  for (std::size_t i = 0; i < site.results.size() && i < callee.results.size(); ++i) {
    const ParamSlot& from = callee.results[i];
    for (LaneMask rest = split.mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
      std::copy_n(frame->params + lane * from_stride + from.offset,
                  std::min(site.results[i].bytes, from.bytes),
                  frame->caller->params + lane * to_stride + site.results[i].from);
    }
  }
  split.frame = frame->caller;
  split.pc = frame->return_to;
  frame->lanes &= ~split.mask;
}

void branch_table(Warp& warp, const Inst& inst) {
  const auto& table = *static_cast<const BranchTable*>(inst.extra);
  const std::uint32_t* indices = vector_register<std::uint32_t>(warp.registers, inst.a);
  const LaneMask mask = warp.mask();
  const std::uint32_t index = indices[std::countr_zero(mask)];
  LaneMask others = 0;
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (indices[lane] != index) others |= 1u << lane;
  }
  if (index >= table.count) {
    warp.grid->findings.bad_instruction(
        thread_of(warp, first_lane(mask & ~others)), inst.source,
        fmt::format("jumps to entry {} of a table of {}", index, table.count), error_invalid_pc);
  }
  if (others != 0) split_off(warp, others, warp.splits[warp.current].pc);
  warp.splits[warp.current].pc = table.targets[index];
}

}  // namespace gridstride::sim
