// What barriers, fences and flags order. See the header for the idea.
#include "common/simulator/check/happens_before.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace gridstride::sim {
namespace {

constexpr std::uint32_t latest_time = 1u << 30;

std::size_t first_of(std::uint32_t mask) {
  return static_cast<std::size_t>(std::countr_zero(mask));
}

}  // namespace

void Releases::add(std::uint64_t block, Event event, Covers covers) {
  event.step = ++step_;
  std::vector<Event>& events = (covers == Covers::everything ? fences_ : stores_)[block];
  // A later release of the same warp that covers nothing more says nothing new.
  if (!events.empty()) {
    const Event& last = events.back();
    const bool same = last.warp == event.warp && last.stamp == event.stamp &&
                      last.floor == event.floor && last.device_wide == event.device_wide;
    if (same) return;
  }
  events.push_back(event);
}

void Releases::end_block(std::uint64_t block) {
  const auto it = fences_.find(block);
  if (it == fences_.end()) return;
  std::erase_if(it->second, [](const Event& event) { return !event.device_wide; });
  if (it->second.empty()) fences_.erase(it);
}

bool Releases::cover(std::uint64_t block, std::uint32_t warp, std::uint32_t stamp,
                     std::uint32_t known, bool same_block, Covers what) const {
  const auto any_of = [&](const ByBlock& all) {
    const auto it = all.find(block);
    if (it == all.end()) return false;
    // Stamps and steps of a block grow together: those from the stamp on and up to the step count.
    const auto begin = std::ranges::lower_bound(it->second, stamp, {}, &Event::stamp);
    const auto end = std::ranges::upper_bound(it->second, known, {}, &Event::step);
    const auto covers = [&](const Event& event) {
      return (event.device_wide || same_block) && (event.warp == warp || event.floor > stamp);
    };
    if (begin >= end) return false;
    return covers(*(end - 1)) || std::any_of(begin, end, covers);
  };
  return any_of(fences_) || (what == Covers::reads && any_of(stores_));
}

bool Releases::any(std::uint64_t block, std::uint32_t step) const {
  const auto it = fences_.find(block);
  return it != fences_.end() && it->second.front().step <= step;
}

BlockOrder::BlockOrder(std::uint32_t warps, Releases& releases)
    : releases_(releases), warps_(warps) {
  block_barrier();
}

bool BlockOrder::start_block(std::uint64_t block) {
  block_ = block;
  const bool over = now_ > latest_time;  // between blocks nothing is remembered
  if (over) now_ = 0;
  block_barrier();
  for (WarpState& state : warps_) state.known = 0;
  return over;
}

void BlockOrder::block_barrier() {
  ++now_;
  std::uint32_t known = 0;
  for (const WarpState& state : warps_) known = std::max(known, state.known);
  for (WarpState& state : warps_) {
    state.floor = state.lane_floor = now_;
    state.known = known;
    state.by_warp.clear();
    state.by_lane.reset();
  }
}

BlockOrder::Arrival BlockOrder::arrive(std::uint32_t warp) {
  const Arrival arrival{warp, now_};
  ++now_;  // what it does from here on is later
  return arrival;
}

void BlockOrder::partial_barrier(std::uint32_t warps, std::span<const Arrival> arrivals) {
  std::vector<std::uint32_t> joined(warps_.size(), 0);
  std::uint32_t floor = 0, known = 0;
  for (std::size_t w = 0; w < warps_.size(); ++w) {
    if (!(warps >> w & 1)) continue;
    const WarpState& state = warps_[w];
    floor = std::max(floor, state.floor);
    known = std::max(known, state.known);
    for (std::size_t u = 0; u < state.by_warp.size(); ++u) {
      joined[u] = std::max(joined[u], state.by_warp[u]);
    }
  }
  for (std::size_t w = 0; w < warps_.size(); ++w) {
    if (warps >> w & 1) joined[w] = now_;
  }
  for (const Arrival& arrival : arrivals) {
    joined[arrival.warp] = std::max(joined[arrival.warp], arrival.stamp);
    known = std::max(known, warps_[arrival.warp].known);
  }
  ++now_;
  for (std::size_t w = 0; w < warps_.size(); ++w) {
    if (!(warps >> w & 1)) continue;
    warps_[w].floor = floor;
    warps_[w].lane_floor = now_;
    warps_[w].known = known;
    warps_[w].by_warp = joined;
    warps_[w].by_lane.reset();
  }
}

void BlockOrder::warp_barrier(std::uint32_t warp, std::uint32_t mask, std::uint32_t live) {
  WarpState& state = warps_[warp];
  const std::uint32_t before = now_;
  ++now_;
  if ((live & ~mask) == 0) {
    state.lane_floor = now_;
    state.by_lane.reset();
    return;
  }
  if (!state.by_lane) state.by_lane = std::make_unique<LaneKnowledge>();
  std::array<std::uint32_t, 32> joined{};
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto& known = (*state.by_lane)[first_of(rest)];
    for (std::size_t other = 0; other < 32; ++other) {
      joined[other] = std::max(joined[other], known[other]);
    }
  }
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) joined[first_of(rest)] = before;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    (*state.by_lane)[first_of(rest)] = joined;
  }
}

void BlockOrder::release(std::uint32_t warp, bool device_wide) {
  const WarpState& state = warps_[warp];
  // After a barrier of some warps the floor stands for what they know: rather too much than an
  // alarm where all is well.
  const std::uint32_t floor = state.by_warp.empty() ? state.floor : now_;
  releases_.add(block_, {.warp = warp, .stamp = now_, .floor = floor, .device_wide = device_wide},
                Releases::Covers::everything);
  ++now_;  // what it does from here on is not released
}

void BlockOrder::publish(std::uint32_t warp) {
  const WarpState& state = warps_[warp];
  const std::uint32_t floor = state.by_warp.empty() ? state.floor : now_;
  releases_.add(block_, {.warp = warp, .stamp = now_, .floor = floor, .device_wide = true},
                Releases::Covers::reads);
  ++now_;
}

bool BlockOrder::ordered_by_more(std::uint32_t warp, std::uint32_t lane, std::uint32_t stamp,
                                 std::uint32_t thread) const {
  const WarpState& state = warps_[warp];
  const std::uint32_t other = thread / 32;
  if (other != warp) {
    if (!state.by_warp.empty() && stamp <= state.by_warp[other]) return true;
  } else {
    if (stamp < state.lane_floor) return true;
    if (state.by_lane && stamp <= (*state.by_lane)[lane][thread % 32]) return true;
  }
  return state.known != 0 &&
         releases_.cover(block_, other, stamp, state.known, true, Releases::Covers::everything);
}

}  // namespace gridstride::sim
