// What barriers, fences and flags order. See the header for the idea.
#include "common/simulator/check/happens_before.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace gridstride::sim {
namespace {

constexpr std::uint32_t latest_time = 1u << 30;
constexpr std::size_t most_landings = 8;  // of one thread

std::size_t first_of(std::uint32_t mask) {
  return static_cast<std::size_t>(std::countr_zero(mask));
}

}  // namespace

void HappensBefore::LaneState::learn(const FlagMessage& message) {
  if (has_seen) {
    for (Knowledge* to : {&known, &seen}) {
      to->grid.join(message.device);
      to->join(message.in_block);
    }
    reads.join(message.reads);
    return;
  }
  keep_latest(message.block, message.device, message.in_block, message.reads);
}

void HappensBefore::LaneState::keep_latest(std::uint64_t block, const GridClock& device,
                                           const Knowledge& in_block, const GridClock& reads) {
  const bool continues = latest.device.chain() != 0 && latest.device.chain() == device.chain() &&
                         latest.in_block.is_same(in_block) && latest.reads.is_same(reads);
  if (continues && device.step() <= latest.device.step()) return;
  if (!continues) settle();
  latest = {block, device, in_block, reads};
}

void HappensBefore::LaneState::begin_to_see() {
  if (has_seen) return;
  settle();
  has_seen = true;
  seen = known;
}

void HappensBefore::LaneState::see(const FlagMessage& message, bool of_this_block) {
  reads.join(message.reads);
  begin_to_see();
  seen_in_block = seen_in_block || of_this_block;
  const Knowledge nothing;
  keep_latest(message.block, message.device, of_this_block ? message.in_block : nothing, {});
}

void HappensBefore::LaneState::pass_fence(bool device_wide) {
  // One for the block is enough where any of the flags was the block's: which of them matters is not known.
  if (!has_seen || (!device_wide && !seen_in_block)) return;
  settle();
  known = std::move(seen);
  seen = {};
  has_seen = seen_in_block = false;
}

void HappensBefore::LaneState::settle() const {
  if (latest.empty()) return;
  Knowledge& to = has_seen ? seen : known;
  to.grid.join(latest.device);
  to.join(latest.in_block);
  reads.join(latest.reads);
  latest = {};
}

void HappensBefore::LaneState::join(const LaneState& other) {
  settle(), other.settle();
  known.join(other.known);
  reads.join(other.reads);
  if (has_seen || other.has_seen) {
    begin_to_see();
    seen.join(known);
    seen.join(other.has_seen ? other.seen : other.known);
    seen_in_block = seen_in_block || other.seen_in_block;
  }
  in_block.join(other.in_block);
  device.join(other.device);
  appended.clear();
}

HappensBefore::LaneState HappensBefore::together(const WarpState& state) {
  if (!state.each) return state.all;
  LaneState sum;
  for (const LaneState& lane : *state.each) sum.join(lane);
  return sum;
}

void HappensBefore::pass_fence(WarpState& state) {
  state.all.pass_fence(true);
  if (!state.each) return;
  for (LaneState& lane : *state.each) lane.pass_fence(true);
}

void HappensBefore::share(WarpState& state, const LaneState& told) {
  state.all = told;
  state.each.reset();
}

HappensBefore::HappensBefore(std::uint32_t warps) : warps_(warps) { block_barrier(); }

bool HappensBefore::start_block(std::uint64_t block, const GridClock* before) {
  block_ = block;
  before_block_ = before;
  const bool over = now_ > latest_time;  // between blocks nothing is remembered
  if (over) now_ = 0;
  if (any_known_ || any_released_) {
    for (WarpState& state : warps_) share(state, {});
  }
  any_known_ = any_released_ = false;
  landings_.clear();
  ++released_version_;
  block_barrier();
  return over;
}

void HappensBefore::block_barrier() {
  last_block_barrier_ = ++now_;
  any_partial_ = false;
  if (any_known_ || any_released_) {
    for (WarpState& state : warps_) pass_fence(state);
    LaneState told = together(warps_.front());
    bool alike = !warps_.front().each;
    for (std::size_t w = 1; w < warps_.size(); ++w) {
      alike = alike && !warps_[w].each && warps_[w].all.is_same(told);
      if (!alike) told.join(together(warps_[w]));
    }
    told.known.own.clear();  // the epoch says more
    for (WarpState& state : warps_) share(state, told);
    if (!alike) ++released_version_;
  }
  for (WarpState& state : warps_) {
    state.epoch = state.lane_epoch = now_;
    state.vector_clock.clear();
    state.lane_clocks.reset();
  }
}

void HappensBefore::join(std::vector<std::uint32_t>& clock,
                         const std::vector<std::uint32_t>& other) {
  for (std::size_t warp = 0; warp < other.size(); ++warp)
    clock[warp] = std::max(clock[warp], other[warp]);
}

HappensBefore::Arrival HappensBefore::arrive(std::uint32_t warp) {
  WarpState& state = warps_[warp];
  pass_fence(state);
  Arrival arrival{warp, now_, state.epoch, state.vector_clock, together(state)};
  ++now_;  // what it does from here on is later
  return arrival;
}

void HappensBefore::partial_barrier(std::uint32_t warps, std::span<const Arrival> arrivals) {
  std::vector<std::uint32_t> joined(warps_.size(), 0);
  std::uint32_t epoch = 0;
  LaneState told;
  for (std::size_t w = 0; w < warps_.size(); ++w) {
    if (!(warps >> w & 1)) continue;
    WarpState& state = warps_[w];
    pass_fence(state);
    epoch = std::max(epoch, state.epoch);
    told.join(together(state));
    join(joined, state.vector_clock);
  }
  for (std::size_t w = 0; w < warps_.size(); ++w) {
    if (warps >> w & 1) joined[w] = now_;
  }
  for (const Arrival& arrival : arrivals) {
    joined[arrival.warp] = std::max(joined[arrival.warp], arrival.timestamp);
    join(joined, arrival.vector_clock);
    epoch = std::max(epoch, arrival.epoch);
    told.join(arrival.told);
  }
  ++now_;
  ++released_version_;
  any_partial_ = true;
  for (std::size_t w = 0; w < warps_.size(); ++w) {
    if (!(warps >> w & 1)) continue;
    warps_[w].epoch = epoch;
    warps_[w].lane_epoch = now_;
    warps_[w].vector_clock = joined;
    warps_[w].lane_clocks.reset();
    share(warps_[w], told);
  }
}

void HappensBefore::exchange(std::uint32_t warp, std::uint32_t mask) {
  WarpState& state = warps_[warp];
  if (!state.each) return;
  LaneState told;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const LaneState& lane = lane_of(warp, static_cast<std::uint32_t>(first_of(rest)));
    told.known.join(lane.known);
    told.reads.join(lane.reads);
    told.seen.join(lane.has_seen ? lane.seen : lane.known);
    told.has_seen = told.has_seen || lane.has_seen;
    told.seen_in_block = told.seen_in_block || lane.seen_in_block;
  }
  if (!told.has_seen) told.seen = {};
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    LaneState& lane = (*state.each)[first_of(rest)];
    lane.known = told.known;
    lane.reads = told.reads;
    lane.seen = told.seen;
    lane.seen_in_block = told.seen_in_block;
    lane.has_seen = told.has_seen;
  }
}

void HappensBefore::warp_barrier(std::uint32_t warp, std::uint32_t mask, std::uint32_t live) {
  WarpState& state = warps_[warp];
  const std::uint32_t before = now_;
  ++now_;
  // It does for a fence of those in the mask; the others have still passed none.
  if (!state.each && (live & ~mask) == 0)
    state.all.pass_fence(true);
  else if (state.all.has_seen)
    split(state);
  if (state.each) {
    LaneState told;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      told.join((*state.each)[first_of(rest)]);
    }
    told.pass_fence(true);
    ++released_version_;
    if ((live & ~mask) == 0) {
      share(state, told);
    } else {
      for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        (*state.each)[first_of(rest)] = told;
      }
    }
  }
  if ((live & ~mask) == 0) {
    state.lane_epoch = now_;
    state.lane_clocks.reset();
    return;
  }
  any_partial_ = true;
  if (!state.lane_clocks) state.lane_clocks = std::make_unique<LaneClocks>();
  std::array<std::uint32_t, 32> joined{};
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto& known = (*state.lane_clocks)[first_of(rest)];
    for (std::size_t other = 0; other < 32; ++other) {
      joined[other] = std::max(joined[other], known[other]);
    }
  }
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) joined[first_of(rest)] = before;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    (*state.lane_clocks)[first_of(rest)] = joined;
  }
}

void HappensBefore::split(WarpState& state) {
  if (state.each) return;
  state.each = std::make_unique<std::array<LaneState, 32>>();
  state.each->fill(state.all);
}

template <class Use>
void HappensBefore::for_each(const Lanes& lanes, Use use) {
  WarpState& state = warps_[lanes.warp];
  const bool is_all = (lanes.live & ~lanes.mask) == 0;
  if (is_all && !state.each) {
    use(state.all, static_cast<std::uint32_t>(first_of(lanes.mask)));
    return;
  }
  split(state);
  for (std::uint32_t rest = lanes.mask; rest != 0; rest &= rest - 1) {
    use((*state.each)[first_of(rest)], static_cast<std::uint32_t>(first_of(rest)));
  }
}

BlockClock HappensBefore::done_by(const Lanes& lanes, std::uint32_t lane) const {
  const WarpState& state = warps_[lanes.warp];
  BlockClock done;
  done.add_epoch(state.epoch);
  for (std::uint32_t other = 0; other < state.vector_clock.size(); ++other) {
    done.add(BlockClock::whole_warp + other, state.vector_clock[other]);
  }
  const std::uint32_t first = lanes.warp * 32;
  if ((lanes.live & ~lanes.mask) == 0) {
    done.add(BlockClock::whole_warp + lanes.warp, now_);
  } else {
    done.add(BlockClock::whole_warp + lanes.warp, state.lane_epoch - 1);
    for (std::uint32_t rest = lanes.mask; rest != 0; rest &= rest - 1) {
      done.add(first + static_cast<std::uint32_t>(first_of(rest)), now_);
    }
    if (state.lane_clocks) {
      for (std::uint32_t other = 0; other < 32; ++other) {
        done.add(first + other, (*state.lane_clocks)[lane][other]);
      }
    }
  }
  return done;
}

void HappensBefore::fence(const Lanes& lanes, bool device_wide) {
  for_each(lanes, [&](LaneState& state, std::uint32_t) { state.pass_fence(device_wide); });
  release(lanes, device_wide);
}

void HappensBefore::release(const Lanes& lanes, bool device_wide) {
  for_each(lanes, [&](LaneState& state, std::uint32_t lane) {
    state.settle();
    Knowledge all = state.known;
    all.own.join(done_by(lanes, lane));
    if (before_block_) all.grid.join(*before_block_);
    state.in_block = all;
    if (device_wide) state.device = std::move(all);
    state.appended.clear();
  });
  any_released_ = true;
  ++released_version_;
  ++now_;  // what they do from here on is not released
}

Knowledge HappensBefore::hand_over(const Lanes& lanes) {
  Knowledge all;
  if (!warps_[lanes.warp].each) {
    all = lane_of(lanes.warp, 0).known;
    all.own.join(done_by(lanes, static_cast<std::uint32_t>(first_of(lanes.mask))));
  } else {
    for (std::uint32_t rest = lanes.mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(first_of(rest));
      all.join(lane_of(lanes.warp, lane).known);
      all.own.join(done_by(lanes, lane));
    }
  }
  ++now_;
  return all;
}

Knowledge HappensBefore::launch(std::uint32_t warp, std::uint32_t lane, std::uint32_t live) {
  const LaneState& state = lane_of(warp, lane);
  Knowledge all = state.has_seen ? state.seen : state.known;
  all.own.join(done_by({.warp = warp, .mask = 1u << lane, .live = live}, lane));
  all.own.add(BlockClock::reads_of + warp, now_);
  ++now_;  // what the lane does from here on is not before the grid
  return all;
}

void HappensBefore::acquire(const Lanes& lanes, const Knowledge& handed_over) {
  if (handed_over.empty()) return;
  any_known_ = true;
  for_each(lanes, [&](LaneState& state, std::uint32_t) {
    state.known.join(handed_over);
    if (state.has_seen) state.seen.join(handed_over);
  });
}

void HappensBefore::acquire(const Lanes& lanes, const FlagMessage& message) {
  any_known_ = true;
  if (message.block == block_ || message.in_block.empty()) {
    for_each(lanes, [&](LaneState& state, std::uint32_t) { state.learn(message); });
    return;
  }
  FlagMessage for_us = message;
  for_us.in_block = {};
  for_each(lanes, [&](LaneState& state, std::uint32_t) { state.learn(for_us); });
}

void HappensBefore::see(const Lanes& lanes, const FlagMessage& message) {
  any_known_ = true;
  const bool own = message.block == block_;
  for_each(lanes, [&](LaneState& state, std::uint32_t) { state.see(message, own); });
}

void HappensBefore::see(const Lanes& lanes, const Knowledge& set_in_this_block) {
  if (set_in_this_block.empty()) return;
  any_known_ = true;
  for_each(lanes, [&](LaneState& state, std::uint32_t) {
    state.begin_to_see();
    state.seen.join(set_in_this_block);
    state.seen_in_block = true;
  });
}

void HappensBefore::acquire_copies(const Lanes& lanes, std::uint32_t thread) {
  any_known_ = true;
  for_each(lanes, [&](LaneState& state, std::uint32_t) {
    state.known.own.add(BlockClock::copies_of + thread, now_);
    if (state.has_seen) state.seen.own.add(BlockClock::copies_of + thread, now_);
  });
}

void HappensBefore::land_copies(std::uint32_t thread, std::uint32_t begun, bool for_others) {
  Landings& landings = landings_[thread];
  if (landings.latest.size() == most_landings) {
    landings.forgotten = landings.latest.front().begun;
    landings.latest.erase(landings.latest.begin());
  }
  landings.latest.push_back({begun, now_, for_others});
}

bool HappensBefore::copy_happens_before(std::uint32_t warp, std::uint32_t lane, std::uint32_t begun,
                                        std::uint32_t thread) const {
  const Landings* const landings = landings_.find(thread);
  if (landings == nullptr) return false;
  if (begun <= landings->forgotten) return true;
  return std::ranges::any_of(landings->latest, [&](const Landing& landing) {
    const std::uint32_t who = landing.for_others ? BlockClock::copies_of + thread : thread;
    return begun <= landing.begun && happens_before(warp, lane, landing.at, who);
  });
}

FlagMessage HappensBefore::message(std::uint32_t warp, std::uint32_t lane, bool publishes) {
  FlagMessage result;
  append(warp, lane, result);
  if (!publishes) return result;
  const LaneState& state = lane_of(warp, lane);
  const Knowledge& told = state.has_seen ? state.seen : state.known;
  result.reads = told.grid;
  result.reads.join(state.reads);
  BlockClock done = done_by({.warp = warp, .mask = ~0u}, lane);
  done.join(told.own);
  result.reads.add(block_, done);
  ++now_;
  return result;
}

bool HappensBefore::append(std::uint32_t warp, std::uint32_t lane, FlagMessage& to) const {
  const LaneState& state = lane_of(warp, lane);
  const bool known = to.block == block_ && !state.appended.empty() &&
                     to.device.is_same(state.appended) &&
                     to.in_block.is_same(state.appended_in_block);
  // Who has released nothing adds nothing, and takes nothing away from what another block's threads left
  // for their own.
  if (known || (state.in_block.empty() && state.device.empty())) return false;
  const FlagMessage before = to;
  // First what a chain knows already, which is cheap.
  to.device.join(state.device.grid);
  to.device.add(block_, state.device.own);
  if (to.block != block_) to.in_block = {};
  to.block = block_;
  if (!state.in_block.is_same(state.device)) to.in_block.join(state.in_block);
  state.appended = to.device;
  state.appended_in_block = to.in_block;
  return !to.device.is_same(before.device) || !to.in_block.is_same(before.in_block);
}

bool HappensBefore::knows(std::uint32_t warp, std::uint32_t lane,
                          const FlagMessage& message) const {
  if (!any_known_) return false;
  const LaneState& state = lane_of(warp, lane);
  const Knowledge& known = state.has_seen ? state.seen : state.known;
  if (!message.device.empty() && known.grid.includes(message.device)) return true;
  return message.block == block_ && !message.in_block.empty() && known.includes(message.in_block);
}

bool HappensBefore::misses_a_fence(std::uint32_t warp, std::uint32_t lane, std::uint64_t block,
                                   std::uint32_t thread, std::uint32_t timestamp) const {
  if (!any_known_) return false;
  const Knowledge& seen = lane_of(warp, lane).seen;
  return (block == block_ && seen.own.covers(thread, timestamp)) ||
         seen.grid.covers(block, thread, timestamp);
}

bool HappensBefore::happens_before_by_clocks(std::uint32_t warp, std::uint32_t lane,
                                             std::uint32_t timestamp, std::uint32_t thread) const {
  const WarpState& state = warps_[warp];
  if (thread < BlockClock::copies_of) {
    const std::uint32_t other = thread / 32;
    if (other != warp) {
      if (!state.vector_clock.empty() && timestamp <= state.vector_clock[other]) return true;
    } else {
      if (timestamp < state.lane_epoch) return true;
      if (state.lane_clocks && timestamp <= (*state.lane_clocks)[lane][thread % 32]) return true;
    }
  }
  if (!any_known_) return false;
  const Knowledge& known = lane_of(warp, lane).known;
  return known.own.covers(thread, timestamp) || known.grid.covers(block_, thread, timestamp);
}

}  // namespace gridstride::sim
