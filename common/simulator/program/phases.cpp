// See phases.h. Code lies in program order, the bodies of loops contiguous (program_order.h).
#include "common/simulator/program/phases.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "common/simulator/program/call_site.h"
#include "common/simulator/program/program.h"

namespace gridstride::sim {
namespace {

/// For each instruction that begins an outermost loop its last one, otherwise -1.
std::vector<std::int32_t> outer_loops(const KernelCode& kernel) {
  std::vector<std::int32_t> last(kernel.code.size(), -1);
  const auto goes = [&](std::size_t from, std::int32_t to) {
    if (to < 0 || static_cast<std::size_t>(to) > from) return;
    std::int32_t& end = last[static_cast<std::size_t>(to)];
    end = std::max(end, static_cast<std::int32_t>(from));
  };
  for (std::size_t pc = 0; pc < kernel.code.size(); ++pc) {
    const Inst& inst = kernel.code[pc];
    if (inst.control == Control::branch) goes(pc, inst.target);
    if (inst.control == Control::branch_table) {
      const auto& table = *static_cast<const BranchTable*>(inst.extra);
      for (const std::int32_t target : std::span(table.targets, table.count)) goes(pc, target);
    }
  }
  std::int32_t open = -1, head = -1;  // the loop that pc lies in
  for (std::size_t pc = 0; pc < last.size(); ++pc) {
    if (last[pc] < 0) continue;
    if (static_cast<std::int32_t>(pc) <= open) {
      open = std::max(open, last[pc]);
      last[static_cast<std::size_t>(head)] = open;
      last[pc] = -1;
    } else {
      head = static_cast<std::int32_t>(pc);
      open = last[pc];
    }
  }
  return last;
}

bool calls_functions(const KernelCode& kernel) {
  return std::any_of(kernel.code.begin(), kernel.code.end(), [](const Inst& inst) {
    return inst.control == Control::call && !static_cast<const CallSite*>(inst.extra)->intrinsic;
  });
}

bool loads_global(const KernelCode& kernel, std::size_t pc) {
  return kernel.classes[pc].unit == Unit::memory && is_of_global_memory(kernel.classes[pc].latency);
}

}  // namespace

CodePhases phases_of(const KernelCode& kernel) {
  CodePhases phases;
  phases.of.assign(kernel.code.size(), 0);
  phases.behind_barrier = {false};
  if (calls_functions(kernel)) return phases;
  std::set<VectorRegister> loaded;  // in this phase
  const auto next = [&](bool barrier) {
    phases.behind_barrier.push_back(barrier);
    loaded.clear();
  };
  const std::vector<std::int32_t> loops = outer_loops(kernel);
  for (std::size_t pc = 0; pc < kernel.code.size(); ++pc) {
    const auto phase = [&] { return static_cast<std::uint32_t>(phases.behind_barrier.size() - 1); };
    if (loops[pc] >= 0) {
      const auto last = static_cast<std::size_t>(loops[pc]);
      next(false);
      std::fill(phases.of.begin() + static_cast<std::ptrdiff_t>(pc),
                phases.of.begin() + static_cast<std::ptrdiff_t>(last) + 1, phase());
      next(false);
      pc = last;
      continue;
    }
    const Dependences& registers = kernel.dependences[pc];
    if (std::any_of(registers.reads.begin(), registers.reads.end(),
                    [&](VectorRegister at) { return loaded.contains(at); })) {
      next(false);
    }
    phases.of[pc] = phase();
    if (loads_global(kernel, pc)) loaded.insert(registers.writes.begin(), registers.writes.end());
    if (kernel.code[pc].control == Control::barrier) next(true);
  }
  return phases;
}

}  // namespace gridstride::sim
