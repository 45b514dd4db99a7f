// See waiting_polls.h.
#include "common/simulator/exec/waiting_polls.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "common/simulator/analysis/waiting_loads.h"
#include "common/simulator/base/pseudorandom.h"
#include "common/simulator/check/global_races.h"
#include "common/simulator/exec/block.h"
#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/program/memory_use.h"

namespace gridstride::sim {
namespace {

/// Instructions between the load and the end of its loop.
constexpr int most_steps = 64;
/// Threads that poll at once; more learn what stands there.
constexpr std::size_t most_polls = 4096;

}  // namespace

std::uint64_t WaitingPolls::way_out(const Poll& poll) const {
  const KernelCode& kernel = grid_.kernel;
  const Inst& load = kernel.code[poll.instruction];
  const MemoryUse& use = use_of(load);
  const std::size_t size = poll.frame->function->frame.register_bytes;
  registers_.resize(size + 64);
  std::byte* const registers =
      registers_.data() + (64 - reinterpret_cast<std::uintptr_t>(registers_.data()) % 64) % 64;
  std::memcpy(registers, poll.frame->registers, size);
  std::uint64_t value = 0;
  std::memcpy(&value, grid_.memory.host(poll.address), load.width);
  if (use.lane_bytes == 8) {
    vector_register<std::uint64_t>(registers, use.registers[0])[poll.lane] = value;
  } else {
    vector_register<std::uint32_t>(registers, use.registers[0])[poll.lane] =
        static_cast<std::uint32_t>(value);
  }
  Warp trial;
  trial.registers = registers;
  const LaneMask lane = 1u << poll.lane;
  const auto guarded = [&](const Inst& inst) {
    if (inst.guard == no_register) return true;
    const LaneMask predicate = *vector_register<const LaneMask>(registers, inst.guard);
    return ((inst.guard_negated ? ~predicate : predicate) & lane) != 0;
  };
  auto pc = static_cast<std::int32_t>(poll.instruction) + 1;
  std::uint64_t way = 1;
  for (int step = 0; step < most_steps; ++step) {
    if (pc == static_cast<std::int32_t>(poll.instruction)) return 0;  // it polls again
    way = (way + static_cast<std::uint64_t>(pc)) * golden_multiplier | 1;
    const Inst& inst = kernel.code[static_cast<std::size_t>(pc)];
    const ptx::Instruction* const source = kernel.origins[static_cast<std::size_t>(pc)].instruction;
    if (inst.control == Control::branch) {
      pc = guarded(inst) ? inst.target : pc + 1;
      continue;
    }
    if (inst.control != Control::none) return way;
    if (source && only_computes(*source)) {
      if (guarded(inst)) inst.handler(trial, inst, lane);
    } else if (source && !only_waits(*source)) {
      return way;
    }
    ++pc;
  }
  return way;
}

void WaitingPolls::before_change(std::uint64_t address, std::uint32_t bytes) {
  for (Poll& poll : polls_) {
    const std::uint32_t width = grid_.kernel.code[poll.instruction].width;
    const bool here = poll.address < address + bytes && address < poll.address + width;
    if (!here || poll.way != 0) continue;
    poll.way = way_out(poll);
    if (poll.way == 0) continue;
    const AccessStrength kind = use_of(grid_.kernel.code[poll.instruction]).kind;
    poll.message = grid_.global_races->message_at(poll.warp->block->order, kind, poll.address);
  }
}

std::optional<FlagMessage> WaitingPolls::poll(Warp& warp, const Inst& inst, std::uint32_t lane,
                                              std::uint64_t address) {
  const auto known = std::ranges::find_if(polls_, [&](const Poll& poll) {
    return poll.warp == &warp && poll.lane == lane && poll.block == warp.block->linear;
  });
  Poll now{&warp, warp.block->linear, lane, inst.source, warp.frame, address, 0, {}};
  const std::uint64_t way = way_out(now);
  std::optional<FlagMessage> learnt;
  // Where it goes on waiting, a slower one would not have seen this value.
  if (way == 0) learnt.emplace();
  if (known != polls_.end()) {
    const bool same = known->instruction == inst.source && known->frame == warp.frame &&
                      known->address == address;
    if (way != 0 && same && known->way == way) learnt = std::move(known->message);
    polls_.erase(known);
  }
  if (way == 0 && polls_.size() < most_polls) polls_.push_back(std::move(now));
  return learnt;
}

void WaitingPolls::end_block(std::uint64_t block) {
  std::erase_if(polls_, [&](const Poll& poll) { return poll.block == block; });
}

}  // namespace gridstride::sim
