// Warps, frames and barriers of one block.
#include "common/simulator/exec/block.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include "common/simulator/base/cuda_error.h"
#include "common/simulator/base/pseudorandom.h"
#include "common/simulator/exec/interpreter.h"
#include "common/simulator/exec/observers.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/exec/warp_splits.h"
#include "common/simulator/program/pseudo_instructions.h"

namespace gridstride::sim {
namespace {

/// A round takes every warp of a block to its next barrier; a check walks over the whole program.
constexpr std::uint64_t rounds_between_checks = 256;

constexpr std::uint32_t deepest_call = 1000;

std::byte* aligned(std::vector<std::byte>& storage) {
  const auto address = reinterpret_cast<std::uintptr_t>(storage.data());
  return storage.data() + (64 - address % 64) % 64;
}

void fill_register(std::byte* registers, VectorRegister at, std::uint32_t bytes,
                   std::uint64_t value) {
  if (bytes == 0) {
    *vector_register<LaneMask>(registers, at) = static_cast<LaneMask>(value);
  } else if (bytes == 8) {
    std::fill_n(vector_register<std::uint64_t>(registers, at), warp_size, value);
  } else {
    std::fill_n(vector_register<std::uint32_t>(registers, at), warp_size,
                static_cast<std::uint32_t>(value));
  }
}

}  // namespace

Block::Block(GridRun& run)
    : grid(run),
      order(static_cast<std::uint32_t>((run.request.block.count() + warp_size - 1) / warp_size)) {
  const GridRequest& request = run.request;
  threads = static_cast<std::uint32_t>(request.block.count());
  const std::uint32_t count = (threads + warp_size - 1) / warp_size;
  shared.resize(run.shared_bytes);
  local_.resize(std::size_t{count} * warp_size * run.kernel.local_stack);
  if (request.checks.looks_for(FindingKind::shared_race) && run.shared_bytes > 0) {
    race_checker_ = std::make_unique<SharedRaceChecker>(run.shared_bytes, run.kernel.granule, order,
                                                        *this, run.kernel.different_atomics(),
                                                        run.kernel.reads_shared_in_bulk);
    races = race_checker_.get();
  }
  if (request.checks.looks_for(FindingKind::uninitialized_read)) {
    if (!shared.empty()) shared_bits_ = std::make_unique<InitialisedBytes>(shared.size());
    if (!local_.empty()) local_bits_ = std::make_unique<InitialisedBytes>(local_.size());
    local_initialised = local_bits_.get();
  }
  if (request.checks.looks_for(FindingKind::skipped_barrier)) {
    post_dominators_passed_.resize(std::size_t{run.kernel.barrier_post_dominators} * count *
                                   warp_size);
  }
  frames_.resize(count);
  warps.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    Warp& warp = warps[i];
    warp.grid = &run;
    warp.block = this;
    warp.index = i;
    const std::uint32_t lanes = std::min(threads - i * warp_size, warp_size);
    warp.present = lanes == warp_size ? full_mask : (1u << lanes) - 1;
    warp.splits.reserve(warp_size);
    warp.local = local_.data() + std::size_t{i} * warp_size * run.kernel.local_stack;
  }
}

void Block::start(std::uint64_t number, bool with_scoreboard) {
  linear = number;
  timed = with_scoreboard;
  if (timed && !grid.issue_plan) {
    grid.issue_plan = &grid.cache.issue_plan(grid.kernel, grid.request.latencies);
  }
  start_clock += end_time;
  end_time = 0;
  draws.clear();
  index = index_in(grid.request.grid, number);
  barriers_.fill({});
  std::ranges::fill(post_dominators_passed_, 0);
  // What a block has not written holds anything on the hardware. Here it is the same every time,
  // and shows: a NaN in float arithmetic, -1 in integers.
  std::ranges::fill(shared, std::byte{0xff});
  tell(BlockStart{*this});
  copies.start_block();
  bulk.start_block();
  mbarriers.start_block();
  // Another factor, so that a block of one schedule is no other block of the next (Steele, Vigna:
  // Computationally easy, spectrally good multipliers, 2021).
  constexpr std::uint64_t block_multiplier = 0xd1342543de82ef95;
  rounds_ = 1;
  random_ = (grid.request.schedule_seed + 1) * golden_multiplier ^ number * block_multiplier;
  live_warps_ = 0;
  for (Warp& warp : warps) {
    live_warps_ |= 1u << warp.index;
    warp.live = warp.present;
    warp.times = {};
    warp.lines = 0;
    warp.waiting_since = -1;
    warp.steps_to_turn = warp.turns_given = 0;
    warp.gives_way = false;
    warp.unwritten.clear();
    warp.followed.clear();
    warp.splits.clear();
    for (auto& frame : frames_[warp.index]) frame->lanes = 0;
    warp.frame = nullptr;
    warp.splits.push_back({.pc = grid.kernel.functions.front()->entry, .mask = warp.present});
    warp.current = 0;
    warp.splits.front().frame = push_frame(warp, *grid.kernel.functions.front(), -1);
  }
}

void Block::forget_shared() {
  shared_initialised = shared_bits_.get();
  if (!shared_initialised) return;
  // What CUDA reserves is its own business.
  const std::size_t own = grid.kernel.reserved_shared;
  shared_initialised->set(0, own);
  shared_initialised->clear(own, shared.size() - own);
  if (!grid.kernel.is_of_library) return;
  // Thrust's set operations read behind what they have loaded, instead of asking where that ends. Only what
  // they are given unwritten is of interest.
  shared_initialised->set(own, shared.size() - own);
  shared_initialised = nullptr;
}

void Block::leave_unwritten(std::uint32_t offset, std::uint32_t bytes) {
  if (!shared_bits_) return;
  shared_initialised = shared_bits_.get();
  shared_initialised->clear_of_lane(offset, bytes);
}

Frame* Block::push_frame(Warp& warp, const FunctionCode& function, std::int32_t return_to) {
  Frame* caller = warp.frame;
  const LaneMask lanes = warp.splits[warp.current].mask;
  auto& frames = frames_[warp.index];
  Frame* frame = nullptr;
  bool is_new = false;
  for (auto& candidate : frames) {
    const bool joins = candidate->lanes != 0 && candidate->caller == caller &&
                       candidate->function == &function && candidate->return_to == return_to;
    if (joins) {
      candidate->lanes |= lanes;
      poison_local(warp, *candidate, lanes);
      return candidate.get();
    }
    if (candidate->lanes == 0 && candidate->function == &function) frame = candidate.get();
  }
  if (!frame) {
    frames.push_back(std::make_unique<Frame>());
    frame = frames.back().get();
    frame->function = &function;
    const FrameLayout& layout = function.frame;
    frame->storage.resize(std::size_t{layout.register_bytes} + 64 +
                          std::size_t{layout.param_bytes} * warp_size);
    frame->registers = aligned(frame->storage);
    frame->params = frame->registers + layout.register_bytes;
    for (const ConstantRegister& constant : layout.constants) {
      fill_register(frame->registers, constant.at, constant.bytes, constant.bits);
    }
    is_new = true;
  }
  frame->caller = caller;
  frame->return_to = return_to;
  frame->lanes = lanes;
  frame->depth = caller ? caller->depth + 1 : 0;
  frame->local_base = caller ? caller->local_base + caller->function->frame.local_bytes : 0;
  if (timed) frame->ready.assign(function.frame.register_bytes / register_alignment, 0);
  const std::uint32_t top = frame->local_base + function.frame.local_bytes;
  if (frame->depth > deepest_call || top > grid.kernel.local_stack) {
    const auto at = static_cast<std::uint32_t>(warp.splits[warp.current].pc);
    grid.findings.bad_instruction(
        thread_of(warp, first_lane(lanes)), grid.kernel.code[at].source,
        "calls " + demangled(function.function->name) +
            " so deeply nested that the stack overflows; a recursion without an "
            "end?",
        error_hardware_stack);
  }
  poison_local(warp, *frame, lanes);
  fill_specials(warp, *frame, is_new);
  return frame;
}

/// As shared memory: local variables of a call that has just begun hold nothing of use, but 0xff.
void Block::poison_local(Warp& warp, const Frame& frame, LaneMask lanes) {
  const std::uint32_t bytes = frame.function->frame.local_bytes;
  if (bytes == 0) return;
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(lanes));
    std::byte* const variables = warp.local + lane * grid.kernel.local_stack + frame.local_base;
    std::fill_n(variables, bytes, std::byte{0xff});
    if (local_initialised) {
      local_initialised->clear(static_cast<std::uint64_t>(variables - local_.data()), bytes);
      warp.followed.forget_local(static_cast<std::uint32_t>(lane), frame.local_base, bytes);
    }
  }
}

std::uint64_t Block::special(const Warp& warp, const Frame& frame, Special kind,
                             std::uint32_t component, std::uint32_t lane) const {
  const GridRequest& request = grid.request;
  const auto axis = [component](const Dim3& d) {
    return component == 0 ? d.x : component == 1 ? d.y : d.z;
  };
  switch (kind) {
    case Special::tid: {
      const std::uint32_t thread = warp.index * warp_size + lane;
      return component == 0   ? thread % request.block.x
             : component == 1 ? thread / request.block.x % request.block.y
                              : thread / request.block.x / request.block.y;
    }
    case Special::ntid:
      return axis(request.block);
    case Special::ctaid:
      return axis(index);
    case Special::nctaid:
      return axis(request.grid);
    case Special::laneid:
      return lane;
    case Special::warpid:
      return warp.index;
    case Special::nwarpid:
      return warps.size();
    case Special::smid:
      return linear % std::max(request.resident_blocks, 1u);
    case Special::nsmid:
      return std::max(request.resident_blocks, 1u);
    case Special::gridid:
      return 1;
    case Special::lanemask_eq:
      return 1u << lane;
    case Special::lanemask_le:
      return (2ull << lane) - 1;
    case Special::lanemask_lt:
      return (1u << lane) - 1;
    case Special::lanemask_ge:
      return ~((1u << lane) - 1);
    case Special::lanemask_gt:
      return ~static_cast<std::uint32_t>((2ull << lane) - 1);
    case Special::dynamic_smem_size:
      return request.dynamic_shared;
    case Special::total_smem_size:
      return grid.shared_bytes - grid.kernel.reserved_shared;
    case Special::envreg:
      // Null tells grid.sync() that the launch is not cooperative.
      return !request.cooperative ? 0
             : component == 1     ? grid.program.grid_workspace >> 32
             : component == 2     ? grid.program.grid_workspace & 0xffffffffu
                                  : 0;
    case Special::local_address:
      return frame.local_base + component;
    case Special::zero:
      return 0;
    case Special::one:
      return 1;
    case Special::reserved_middle:
      return reserved_shared_bytes / 2;
    case Special::reserved_end:
      return reserved_shared_bytes;
    case Special::clock:
    case Special::clock64:
      return static_cast<std::uint64_t>(start_clock + warp.times.next);
    case Special::clock_hi:
      return static_cast<std::uint64_t>(start_clock + warp.times.next) >> 32;
    case Special::globaltimer:
    case Special::globaltimer_lo:
      return nanoseconds(warp);
    case Special::globaltimer_hi:
      return nanoseconds(warp) >> 32;
  }
  return 0;
}

std::uint64_t Block::nanoseconds(const Warp& warp) const {
  const GridRequest& request = grid.request;
  return static_cast<std::uint64_t>(
      1e9 * (request.start_seconds + (start_clock + warp.times.next) / request.clock_hz));
}

namespace {

/// `value(lane)` in the lanes of `mask`.
template <class Value>
void fill_special(std::byte* registers, const SpecialRegister& where, LaneMask mask, Value value) {
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint64_t bits = value(lane);
    if (where.bytes == 8) {
      vector_register<std::uint64_t>(registers, where.at)[lane] = bits;
    } else if (where.bytes == 4) {
      vector_register<std::uint32_t>(registers, where.at)[lane] = static_cast<std::uint32_t>(bits);
    } else {
      LaneMask& predicate = *vector_register<LaneMask>(registers, where.at);
      predicate = (predicate & ~(1u << lane)) | static_cast<LaneMask>(bits != 0) << lane;
    }
  }
}

}  // namespace

void Block::fill_specials(const Warp& warp, Frame& frame, bool is_new) const {
  for (const SpecialRegister& value : frame.function->frame.specials) {
    const bool by_block = value.special == Special::ctaid || value.special == Special::smid ||
                          value.special == Special::local_address;
    if (by_block) {
      fill_register(frame.registers, value.at, value.bytes,
                    special(warp, frame, value.special, value.component, 0));
    } else if (is_new) {  // the place of a warp in its block is always the same
      fill_special(frame.registers, value, full_mask, [&](std::uint32_t lane) {
        return special(warp, frame, value.special, value.component, lane);
      });
    }
  }
}

void refresh_special(Warp& warp, const Inst& inst, LaneMask mask) {
  const auto& value = *static_cast<const SpecialRegister*>(inst.extra);
  const std::uint64_t bits =
      warp.block->special(warp, *warp.frame, value.special, value.component, 0);
  fill_special(warp.registers, value, mask, [bits](std::uint32_t) { return bits; });
}

std::int32_t Block::time_slice() {
  if (grid.request.schedule_seed == 0) return full_time_slice;
  // In another order warps take turns within their loops as well, or one block alone empties a queue of
  // work. Slices of all magnitudes: some let others in at once, and most of the time goes to long ones.
  constexpr std::uint64_t magnitudes = std::bit_width(std::uint64_t{full_time_slice});
  return std::int32_t{1} << draw(random_) % magnitudes;
}

std::uint32_t Block::steps_to_turn(Warp& warp) {
  if (grid.request.schedule_seed == 0) return 0;
  // Soon at first, then ever less often: who takes a few steps stops at many of them, and who takes n of them
  // some two square roots of n times.
  const std::uint64_t stretch = std::uint64_t{1} << draw(random_) % 4;
  return 1 + static_cast<std::uint32_t>(draw(random_) % (stretch + warp.turns_given++));
}

Block::Progress Block::run() {
  std::vector<std::size_t> order(warps.size());
  std::iota(order.begin(), order.end(), 0);
  for (;; ++rounds_) {
    if (grid.request.schedule_seed != 0) {
      for (std::size_t i = order.size(); i > 1; --i) {
        std::swap(order[i - 1], order[draw(random_) % i]);
      }
    }
    bool ran = false, advanced = false, looped = false, gave_way = false;
    for (const std::size_t i : order) {
      Warp& warp = warps[i];
      const bool can_run = std::ranges::any_of(warp.splits, [](const WarpSplit& split) {
        return split.state == WarpSplit::State::runnable;
      });
      if (!can_run) continue;
      ran = true;
      // Who has given way stays away for as long as others may need.
      if (warp.gives_way && draw(random_) % 2 == 0) continue;
      const WarpStop stop = run_warp(warp, timed, recorder != nullptr);
      if (stop == WarpStop::yielded || stop == WarpStop::polled) {
        grid.check_budget(&warp);
        grid.check_endless(warp);
        looped = true;
      }
      if (stop == WarpStop::yielded || stop == WarpStop::blocked) advanced = true;
      if (stop == WarpStop::gave_way) gave_way = true;
      settle(warp);
    }
    if (live_warps_ == 0) return Progress::finished;
    if (!ran) report_deadlock();
    if (!advanced) return Progress::waiting;
    // A loop around a barrier never uses up a warp's time slice, so it is caught here.
    if (rounds_ % rounds_between_checks == 0) {
      const auto live =
          std::ranges::find_if(warps, [](const Warp& warp) { return warp.live != 0; });
      grid.check_budget(&*live);
      if (!looped) grid.check_endless(*this);
    }
    // In another order blocks take turns, too: at a barrier somebody else may be next.
    if (grid.request.schedule_seed != 0 && (gave_way || draw(random_) % 2 == 0)) {
      ++rounds_;
      return Progress::got_on;
    }
  }
}

}  // namespace gridstride::sim
