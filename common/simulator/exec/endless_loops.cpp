// See the header.
#include "common/simulator/exec/endless_loops.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <string_view>

#include "common/simulator/analysis/opcodes.h"
#include "common/simulator/exec/block.h"
#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/warp.h"

namespace gridstride::sim {
namespace {

/// The PTX instruction at or behind `pc`, past what the layout adds; its number in the body, or -1.
std::int64_t instruction_at(const KernelCode& kernel, const FunctionCode& function,
                            std::int32_t pc) {
  constexpr int most_added = 64;
  auto at = static_cast<std::size_t>(pc);
  for (int i = 0; i < most_added && at < kernel.origins.size(); ++i) {
    const Origin& origin = kernel.origins[at];
    if (origin.function != &function) return -1;
    if (origin.instruction) return origin.instruction - function.function->body.data();
    const bool jumps = kernel.code[at].control == Control::branch;
    at = jumps ? static_cast<std::size_t>(kernel.code[at].target) : at + 1;
  }
  return -1;
}

bool runs(const WarpSplit& split) { return split.state == WarpSplit::State::runnable; }

void append(std::vector<std::uint64_t>& state, const std::byte* from, std::size_t bytes) {
  const std::size_t at = state.size();
  state.resize(at + (bytes + 7) / 8);
  std::memcpy(state.data() + at, from, bytes);
}

std::uint64_t hash_of(const std::byte* from, std::size_t bytes) {
  return std::hash<std::string_view>{}({reinterpret_cast<const char*>(from), bytes});
}

}  // namespace

LoopInput EndlessLoops::take_frame(const Frame& frame, std::int32_t pc, bool innermost,
                                   std::vector<std::uint64_t>& state) {
  const FunctionCode& function = *frame.function;
  std::unique_ptr<LoopControls>& loops = loops_[&function];
  if (!loops) loops = std::make_unique<LoopControls>(*function.function);
  const std::int64_t at = instruction_at(grid_.kernel, function, pc);
  const LoopControl* const loop = at < 0 ? nullptr : loops->at(static_cast<std::size_t>(at));
  // A caller that is in no loop goes on once only.
  if (!loop) return innermost ? LoopInput::others : LoopInput::registers;
  if (loop->input == LoopInput::others) return LoopInput::others;
  for (const std::int32_t index : loop->registers) {
    const VectorRegister reg = function.registers.at(static_cast<std::size_t>(index));
    if (reg == no_register) continue;
    const auto& declared = function.function->registers[static_cast<std::size_t>(index)];
    const std::size_t bytes = ptx::size_of(declared.type);
    append(state, frame.registers + reg,
           bytes == 0 ? sizeof(LaneMask) : (bytes == 8 ? 8 : 4) * std::size_t{warp_size});
  }
  return loop->input;
}

LoopInput EndlessLoops::take_state(const Warp& warp, std::vector<std::uint64_t>& state) {
  constexpr std::uint32_t deepest = 8;
  state.clear();
  LoopInput input = LoopInput::registers;
  state.push_back(warp.current);
  for (const WarpSplit& split : warp.splits) {
    state.insert(state.end(), {static_cast<std::uint64_t>(split.pc), split.mask,
                               static_cast<std::uint64_t>(split.state), split.frame->depth});
    if (split.frame->depth > deepest) return LoopInput::others;
    std::int32_t pc = split.pc;
    for (const Frame* frame = split.frame; frame; frame = frame->caller) {
      const bool innermost = frame == split.frame && runs(split);
      input = std::max(input, take_frame(*frame, pc, innermost, state));
      pc = frame->return_to;
      state.push_back(static_cast<std::uint64_t>(pc));
    }
  }
  return input;
}

bool EndlessLoops::repeats_alone(const Warp& warp) {
  // A warp that is not seen any more has ended, or was not in a loop that lasts.
  constexpr std::uint64_t patience = 256;
  const bool is_watched = watches_ && warp.block->linear == block_ && warp.index == warp_;
  if (!is_watched && watches_ && ++others_ < patience) return false;
  others_ = 0;
  if (!is_watched) {
    watches_ = true;
    block_ = warp.block->linear;
    warp_ = warp.index;
    alone_ = {};
  }
  return alone_.comes_back(now_);
}

template <class Counts>
std::uint64_t EndlessLoops::executed(Counts counts) const {
  const KernelCode& kernel = grid_.kernel;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kernel.code.size(); ++i) {
    const ptx::Instruction* const instruction = kernel.origins[i].instruction;
    if (instruction && counts(*instruction, kernel.code[i]))
      sum += grid_.counters.counts[i].executed;
  }
  return sum;
}

std::uint64_t EndlessLoops::changes() const {
  return executed([](const ptx::Instruction& instruction, const Inst& inst) {
    if (inst.control == Control::barrier) return instruction.has("red");
    const Opcode* const opcode = find_opcode(instruction.opcode);
    const bool only_looks =
        opcode && (opcode->memory == MemoryEffect::none || opcode->memory == MemoryEffect::load) &&
        opcode->kind != OpcodeKind::barrier && inst.control != Control::exit;
    return !only_looks;
  });
}

std::uint64_t EndlessLoops::polls() const {
  return executed([](const ptx::Instruction& instruction, const Inst&) {
    const auto is_strong = [&](const char* how) { return instruction.has(how); };
    return instruction.opcode == "ld" && !instruction.has("shared") &&
           std::ranges::any_of(
               std::initializer_list<const char*>{"volatile", "relaxed", "acquire", "mmio"},
               is_strong);
  });
}

bool EndlessLoops::take_joint_state(const Block& block) {
  together_.clear();
  std::vector<std::uint64_t> one;
  for (const Warp& warp : block.warps) {
    if (warp.live == 0) continue;
    if (take_state(warp, one) == LoopInput::others) return false;
    together_.insert(together_.end(), one.begin(), one.end());
    together_.push_back(hash_of(warp.local, std::size_t{warp_size} * grid_.kernel.local_stack));
  }
  together_.push_back(hash_of(block.shared.data(), block.shared.size()));
  return true;
}

bool EndlessLoops::take_global_memory() {
  constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20;
  const GlobalMemory& memory = grid_.memory;
  const std::uint64_t bytes = memory.end() - GlobalMemory::base;
  if (bytes > most_bytes) return false;
  together_.push_back(hash_of(memory.host(GlobalMemory::base), bytes));
  return true;
}

bool EndlessLoops::repeats_with_its_block(const Warp& warp) {
  // Loads that poll are check_stuck()'s; in another order of blocks others have their turns meanwhile.
  if (warp.polled || grid_.request.schedule_seed != 0) return false;
  const Block& block = *warp.block;
  if (members_.empty() || members_of_ != block.linear) {
    if (members_of_ != block.linear) joint_ = {};
    members_of_ = block.linear;
    members_.clear();
    changes_ = changes();
  }
  if (pause_ > 0) --pause_;
  Member& member = members_[warp.index];
  if (member.state.comes_back(now_)) member.has_come_back = true;
  if (!member.has_come_back || pause_ > 0) return false;
  for (const Warp& other : block.warps) {
    const auto known = members_.find(other.index);
    const bool waits = std::ranges::none_of(other.splits, runs);
    if (other.live != 0 && !waits && (known == members_.end() || !known->second.has_come_back))
      return false;
  }
  if (changes() == changes_) return true;
  members_.clear();
  // Something was stored: the same as before, perhaps. Looking takes a small part of the time.
  constexpr std::uint64_t bytes_a_visit = 16 << 10;
  pause_ = (grid_.memory.end() - GlobalMemory::base) / bytes_a_visit;
  return take_joint_state(block) && take_global_memory() && joint_.comes_back(together_);
}

bool EndlessLoops::is_endless(const Warp& warp) {
  // One that waits stands where it stood because it waits, and not because it has come back.
  if (std::ranges::none_of(warp.splits, runs)) return false;
  switch (take_state(warp, now_)) {
    case LoopInput::registers:
      return repeats_alone(warp);
    case LoopInput::memory:
      return repeats_with_its_block(warp);
    case LoopInput::others:
      break;
  }
  return false;
}

bool EndlessLoops::is_endless(const Block& block) {
  AtBarriers& seen = at_barriers_[block.linear];
  // What another block sets may let this one go on.
  if (const std::uint64_t now = polls(); now != seen.polls) {
    seen = {};
    seen.polls = now;
  }
  if (!take_joint_state(block)) return false;
  std::vector<std::uint64_t> quiet = together_;
  quiet.push_back(changes());
  if (seen.quiet.comes_back(quiet)) return true;
  if (seen.pause > 0) {
    --seen.pause;
    return false;
  }
  constexpr std::uint64_t bytes_a_visit = 128
                                          << 10;  // some hundred rounds of all warps lie between
  seen.pause = (grid_.memory.end() - GlobalMemory::base) / bytes_a_visit;
  return take_global_memory() && seen.joint.comes_back(together_);
}

bool ReturningState::comes_back(std::vector<std::uint64_t>& state) {
  if (kept_for_ != 0 && state == kept_) return true;
  if (kept_for_ == 0 || ++visits_ == kept_for_) {
    kept_for_ = kept_for_ == 0 ? 1 : 2 * kept_for_;
    visits_ = 0;
    kept_.swap(state);
  }
  return false;
}

}  // namespace gridstride::sim
