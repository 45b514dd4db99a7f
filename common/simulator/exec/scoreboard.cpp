// See scoreboard.h.
#include "common/simulator/exec/scoreboard.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/simulator/analysis/classify.h"
#include "common/simulator/exec/block.h"
#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/program/branch_forms.h"

namespace gridstride::sim {
namespace {

double latency_of(Latency kind, const LatencyTable& table) {
  switch (kind) {
    case Latency::arithmetic:
      return table.arithmetic;
    case Latency::special:
      return table.special;
    case Latency::double_precision:
      return table.double_precision;
    case Latency::shared:
      return table.shared;
    case Latency::constant:
      return table.constant;
    case Latency::global:
      return table.global_l1;
    case Latency::texture:
      return table.texture;
    case Latency::shared_atomic:
      return table.shared_atomic;
    case Latency::global_atomic:
      return table.global_atomic;
    case Latency::shuffle:
    case Latency::match:
      return table.shuffle;
    case Latency::barrier:
      return table.barrier;
    case Latency::branch:
      return table.branch;
  }
  return table.arithmetic;
}

bool is_by_outcome(Latency kind) {
  return kind == Latency::shared || kind == Latency::constant || kind == Latency::global ||
         kind == Latency::texture || kind == Latency::shared_atomic ||
         kind == Latency::global_atomic || kind == Latency::match;
}

/// Of a load that brings lines from global memory.
double latency_of_line(const LatencyTable& table, const AccessOutcome& outcome) {
  const double place = outcome.dram ? table.global_dram
                       : outcome.l2 ? table.global_l2
                                    : table.global_l1;
  return std::max(place, outcome.arrives - outcome.time);
}

bool is_of_shared(Latency kind) {
  return kind == Latency::shared || kind == Latency::shared_atomic;
}

bool is_arithmetic(Latency kind) {
  return kind == Latency::arithmetic || kind == Latency::special ||
         kind == Latency::double_precision;
}

/// For each register whether a branch or another instruction is done only if it holds.
std::vector<bool> guards_of(const KernelCode& kernel) {
  std::vector<bool> guards;
  const auto add = [&](VectorRegister at) {
    if (at == no_register) return;
    guards.resize(std::max<std::size_t>(guards.size(), at / register_alignment + 1));
    guards[at / register_alignment] = true;
  };
  for (std::size_t pc = 0; pc < kernel.code.size(); ++pc) {
    add(kernel.code[pc].guard);
    for (const VectorRegister at : kernel.branches.conditions[pc]) add(at);
  }
  return guards;
}

/// Of each instruction, words that it loads from global memory from an address that does not follow from
/// what another load brings: such a load takes the register that its address has had.
std::vector<std::uint8_t> words_loaded(const KernelCode& kernel) {
  std::vector<std::uint8_t> words(kernel.code.size());
  std::vector<bool> from_loads;  // of each register
  for (std::size_t pc = 0; pc < kernel.code.size(); ++pc) {
    const Dependences& registers = kernel.dependences[pc];
    const bool follows =
        std::any_of(registers.reads.begin(), registers.reads.end(), [&](VectorRegister at) {
          return at / register_alignment < from_loads.size() && from_loads[at / register_alignment];
        });
    const InstructionClass& kind = kernel.classes[pc];
    const bool loads =
        is_of_global_memory(kind.latency) && kind.scheduling == SchedulingConstraint::load;
    if (loads && !follows) {
      const Inst& inst = kernel.code[pc];
      words[pc] = static_cast<std::uint8_t>(std::max(inst.count * inst.width / 4, 1));
    }
    for (const VectorRegister at : registers.writes) {
      const std::size_t place = at / register_alignment;
      from_loads.resize(std::max(from_loads.size(), place + 1));
      from_loads[place] = loads || follows;
    }
  }
  return words;
}

/// Of each instruction, whether it is a load that no store before it keeps from its place, up to where
/// nothing passes: each of those has the same base in the same register and other bytes, so ptxas moves
/// the load up. Rounds of a loop that it puts one behind the other are left as they are.
std::vector<bool> loads_that_pass(const KernelCode& kernel) {
  struct Store {
    bool shared = false;
    VectorRegister base = no_register;  // no_register: it may be changed by now
    std::int64_t begin = 0, end = 0;
  };
  const auto extent = [&](std::size_t pc, std::int64_t& begin, std::int64_t& end) {
    const Inst& inst = kernel.code[pc];
    begin = inst.imm;
    end = begin + inst.count * inst.width;
  };
  constexpr std::size_t most_looked_at =
      64;  // so that straight code is gone through in linear time
  std::vector<bool> passes(kernel.code.size());
  std::vector<Store> stores;
  for (std::size_t pc = 0; pc < kernel.code.size(); ++pc) {
    const InstructionClass& kind = kernel.classes[pc];
    const bool shared = is_of_shared(kind.latency);
    const bool stays = kind.scheduling == SchedulingConstraint::fixed ||
                       kind.scheduling == SchedulingConstraint::subroutine;
    if (stays && !kernel.branches.predicated[pc]) stores.clear();
    if (kind.scheduling == SchedulingConstraint::load && kernel.code[pc].a != no_register) {
      std::int64_t begin = 0, end = 0;
      extent(pc, begin, end);
      passes[pc] = stores.size() <= most_looked_at &&
                   std::all_of(stores.begin(), stores.end(), [&](const Store& store) {
                     return store.shared != shared || (store.base == kernel.code[pc].a &&
                                                       (store.end <= begin || end <= store.begin));
                   });
    }
    for (const VectorRegister written : kernel.dependences[pc].writes) {
      for (Store& store : stores) {
        if (store.base == written) store.base = no_register;
      }
    }
    if (kind.scheduling == SchedulingConstraint::store && stores.size() <= most_looked_at) {
      Store store{shared, kind.unit == Unit::atomic ? no_register : kernel.code[pc].a};
      extent(pc, store.begin, store.end);
      stores.push_back(store);
    }
  }
  for (std::size_t pc = 0; pc < kernel.code.size(); ++pc) {
    if (kernel.branches.rounds[pc] == 1) continue;
    std::fill(passes.begin() + kernel.code[pc].target,
              passes.begin() + static_cast<std::ptrdiff_t>(pc), false);
  }
  // What nobody stores to while the kernel runs: ld.global.nc.
  for (std::size_t pc = 0; pc < kernel.code.size(); ++pc) {
    const ptx::Instruction* source = kernel.origins[pc].instruction;
    const bool loads = kernel.classes[pc].scheduling == SchedulingConstraint::load;
    if (loads && source && source->has("nc")) passes[pc] = true;
  }
  return passes;
}

}  // namespace

IssuePlan::IssuePlan(const KernelCode& kernel, const LatencyTable& latencies) {
  steps.reserve(kernel.code.size());
  const auto add = [this](const std::vector<VectorRegister>& some) {
    for (const VectorRegister at : some) registers.push_back(at / register_alignment);
    return static_cast<std::uint32_t>(registers.size());
  };
  const BranchForms& branches = kernel.branches;
  loops = branches.loops;
  const std::vector<bool> guards = guards_of(kernel);
  const std::vector<std::uint8_t> words = words_loaded(kernel);
  const std::vector<bool> passes = loads_that_pass(kernel);
  for (std::size_t pc = 0; pc < kernel.code.size(); ++pc) {
    const InstructionClass& kind = kernel.classes[pc];
    Step step;
    step.kind = kind.latency;
    step.latency = latency_of(kind.latency, latencies);
    const Inst& inst = kernel.code[pc];
    const bool loads_constants = kind.latency == Latency::constant && inst.a != no_register;
    // Of one number whose address is known in each round an instruction does that uses it.
    if (loads_constants && (inst.count > 1 || !branches.written_out[pc])) {
      const double pairs = inst.count * inst.width / 8.0;  // of words; ptxas joins neighbours
      step.constant_cycles = latencies.constant_cycles * pairs;
      step.latency =
          latencies.constant_load + latencies.constant_cycles * (std::max(pairs, 1.0) - 1);
    }
    step.by_outcome = is_by_outcome(kind.latency);
    step.scheduling = branches.predicated[pc] ? SchedulingConstraint::free : kind.scheduling;
    step.floor = passes[pc]                   ? IssueTimes::of_all
                 : is_of_shared(kind.latency) ? IssueTimes::of_shared
                                              : IssueTimes::of_global;
    step.rounds = branches.rounds[pc];
    step.loaded = words[pc];
    step.computes = kind.scheduling == SchedulingConstraint::free &&
                    kernel.code[pc].control == Control::none && is_arithmetic(kind.latency);
    if (step.computes && kind.sass_instructions == 0) {
      // Another one does its work.
      step.issued = step.latency = 0;
    } else {
      // Those that become several wait for one another.
      step.issued = std::max<double>(kind.sass_instructions, 1);
      step.chain = (step.issued - 1) * latencies.arithmetic;
    }
    step.reads = static_cast<std::uint32_t>(registers.size());
    add(branches.conditions[pc]);
    step.writes = add(kernel.dependences[pc].reads);
    step.end = add(kernel.dependences[pc].writes);
    const bool guarding =
        std::any_of(registers.begin() + step.writes, registers.begin() + step.end,
                    [&](std::uint32_t at) { return at < guards.size() && guards[at]; });
    if (guarding && step.computes && step.latency > 0) {
      step.latency = std::max(step.latency, latencies.guard);
    }
    steps.push_back(step);
  }
}

bool IssuePlan::is_last_of_rounds(const Warp& warp, std::int32_t pc) const {
  const LoopCounter& loop = loops[static_cast<std::size_t>(pc)];
  const int lane = std::countr_zero(warp.mask());
  const auto value = [&](VectorRegister at) -> std::int64_t {
    if (loop.is_wide) return vector_register<const std::int64_t>(warp.registers, at)[lane];
    return vector_register<const std::int32_t>(warp.registers, at)[lane];
  };
  const auto distance = static_cast<std::int64_t>(static_cast<std::uint64_t>(value(loop.end)) -
                                                  static_cast<std::uint64_t>(value(loop.at)));
  const std::uint32_t done = warp.times.rounds;
  const std::uint32_t most = steps[static_cast<std::size_t>(pc)].rounds;
  // Those of this group, with as many as are left to come; more than a group is as good as a group.
  std::uint32_t all = done;
  for (std::int64_t at = 0; all < most && (loop.step > 0 ? at < distance : at > distance);
       at += loop.step) {
    ++all;
  }
  return done >= (all >= most ? most : all >= 2 ? 2 : 1);
}

double IssuePlan::cycles_of_lines(const Warp& warp) {
  const LatencyTable& table = warp.grid->request.latencies;
  return (warp.outcome.l2 ? table.line_missing : table.line_there) * (warp.outcome.passes - 1);
}

double IssuePlan::cycles_of_constant_miss(const Warp& warp) {
  return warp.outcome.constant_missed ? warp.grid->request.latencies.constant_miss : 0;
}

double IssuePlan::latency_of_access(const Warp& warp, const Step& step) {
  const LatencyTable& table = warp.grid->request.latencies;
  const AccessOutcome& outcome = warp.outcome;
  const double more_wavefronts =
      outcome.wavefronts > 1 ? table.shared_wavefront * (outcome.wavefronts - 1) : 0;
  const double more_sectors = outcome.sectors > 4 ? table.global_sector * (outcome.sectors - 4) : 0;
  const double more_lines = outcome.passes > 1 ? table.global_line * (outcome.passes - 1) : 0;
  switch (step.kind) {
    case Latency::shared:
      return step.latency + more_wavefronts;
    case Latency::constant:
      return step.latency + cycles_of_constant_miss(warp);
    case Latency::global:
      if (outcome.sectors == 0) return table.shared + more_wavefronts;  // generic, but shared
      return latency_of_line(table, outcome) + more_lines;
    case Latency::texture:
      return step.latency - table.global_l1 + latency_of_line(table, outcome) + more_lines;
    case Latency::shared_atomic:
      if (outcome.cas_iterations == 0) return step.latency + more_wavefronts;
      return table.shared_cas_iteration * outcome.cas_iterations;
    case Latency::global_atomic:
      return step.latency + more_sectors;
    case Latency::match:
      return step.latency + table.match_value * outcome.values;
    default:
      return step.latency;
  }
}

}  // namespace gridstride::sim
