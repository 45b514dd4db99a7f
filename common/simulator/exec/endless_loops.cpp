// A state is compared with one that was kept, and a newer one is kept after 1, 2, 4, … visits: so a
// period of any length is found once it is shorter than that (R. Brent, "An improved Monte Carlo
// factorization algorithm", 1980, section 2).
#include "common/simulator/exec/endless_loops.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

#include "common/simulator/exec/block.h"
#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/warp.h"

namespace gridstride::sim {
namespace {

/// The PTX instruction at or behind `pc`, past what the layout adds; its number in the body, or -1.
std::int64_t instruction_at(const KernelCode& kernel, const FunctionCode& function,
                            std::int32_t pc) {
  for (auto at = static_cast<std::size_t>(pc); at < kernel.origins.size(); ++at) {
    const Origin& origin = kernel.origins[at];
    if (origin.function != &function) return -1;
    if (origin.instruction) return origin.instruction - function.function->body.data();
    if (kernel.code[at].control == Control::branch)
      at = static_cast<std::size_t>(kernel.code[at].target) - 1;
  }
  return -1;
}

void append(std::vector<std::uint64_t>& state, const std::byte* from, std::size_t bytes) {
  const std::size_t at = state.size();
  state.resize(at + (bytes + 7) / 8);
  std::memcpy(state.data() + at, from, bytes);
}

}  // namespace

bool EndlessLoops::take_frame(const Frame& frame, std::int32_t pc, bool innermost,
                              std::vector<std::uint64_t>& state) {
  const FunctionCode& function = *frame.function;
  std::unique_ptr<LoopControls>& loops = loops_[&function];
  if (!loops) loops = std::make_unique<LoopControls>(*function.function);
  const std::int64_t at = instruction_at(kernel_, function, pc);
  const LoopControl* const loop = at < 0 ? nullptr : loops->at(static_cast<std::size_t>(at));
  // A caller that is in no loop goes on once only.
  if (!loop) return !innermost;
  if (!loop->by_registers_alone) return false;
  for (const std::int32_t index : loop->registers) {
    const VectorRegister reg = function.registers.at(static_cast<std::size_t>(index));
    if (reg == no_register) continue;
    const auto& declared = function.function->registers[static_cast<std::size_t>(index)];
    const std::size_t bytes = ptx::size_of(declared.type);
    append(state, frame.registers + reg,
           bytes == 0 ? sizeof(LaneMask) : (bytes == 8 ? 8 : 4) * std::size_t{warp_size});
  }
  return true;
}

bool EndlessLoops::take_state(const Warp& warp, std::vector<std::uint64_t>& state) {
  constexpr std::uint32_t deepest = 8;
  state.clear();
  // One that waits stands where it stood because it waits, and not because it has come back.
  const auto runs = [](const WarpSplit& split) {
    return split.state == WarpSplit::State::runnable;
  };
  if (std::ranges::none_of(warp.splits, runs)) return false;
  state.push_back(warp.current);
  for (const WarpSplit& split : warp.splits) {
    state.insert(state.end(), {static_cast<std::uint64_t>(split.pc), split.mask,
                               static_cast<std::uint64_t>(split.state), split.frame->depth});
    if (split.frame->depth > deepest) return false;
    std::int32_t pc = split.pc;
    for (const Frame* frame = split.frame; frame; frame = frame->caller) {
      const bool innermost = frame == split.frame && runs(split);
      if (!take_frame(*frame, pc, innermost, state)) return false;
      pc = frame->return_to;
      state.push_back(static_cast<std::uint64_t>(pc));
    }
  }
  return true;
}

bool EndlessLoops::is_endless(const Warp& warp) {
  // A warp that is not seen any more has ended, or was not in a loop that lasts.
  constexpr std::uint64_t patience = 256;
  const bool is_watched = kept_for_ != 0 && warp.block->linear == block_ && warp.index == warp_;
  if (!is_watched && kept_for_ != 0 && ++others_ < patience) return false;
  others_ = 0;
  if (!take_state(warp, now_)) {
    kept_for_ = 0;
    return false;
  }
  if (is_watched && now_ == kept_) return true;
  if (!is_watched || ++visits_ == kept_for_) {
    kept_for_ = is_watched ? 2 * kept_for_ : 1;
    visits_ = 0;
    block_ = warp.block->linear;
    warp_ = warp.index;
    kept_.swap(now_);
  }
  return false;
}

}  // namespace gridstride::sim
