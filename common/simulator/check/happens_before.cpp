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

void ReleaseHistory::add(std::uint64_t block, Release release, Covers covers) {
  release.step = ++step_;
  std::vector<Release>& released = (covers == Covers::everything ? fences_ : stores_)[block];
  // A later release of the same warp that covers nothing more says nothing new.
  if (!released.empty()) {
    const Release& last = released.back();
    const bool same = last.warp == release.warp && last.timestamp == release.timestamp &&
                      last.epoch == release.epoch && last.device_wide == release.device_wide;
    if (same) return;
  }
  released.push_back(release);
}

void ReleaseHistory::end_block(std::uint64_t block) {
  const auto it = fences_.find(block);
  if (it == fences_.end()) return;
  std::erase_if(it->second, [](const Release& release) { return !release.device_wide; });
  if (it->second.empty()) fences_.erase(it);
}

bool ReleaseHistory::cover(std::uint64_t block, std::uint32_t warp, std::uint32_t timestamp,
                           std::uint32_t known, bool same_block, Covers what) const {
  const auto any_of = [&](const ByBlock& all) {
    const auto it = all.find(block);
    if (it == all.end()) return false;
    // Timestamps and steps of a block grow together: those from the timestamp on and up to the step
    // count.
    const auto begin = std::ranges::lower_bound(it->second, timestamp, {}, &Release::timestamp);
    const auto end = std::ranges::upper_bound(it->second, known, {}, &Release::step);
    const auto covers = [&](const Release& release) {
      return (release.device_wide || same_block) &&
             (release.warp == warp || release.epoch > timestamp);
    };
    if (begin >= end) return false;
    return covers(*(end - 1)) || std::any_of(begin, end, covers);
  };
  return any_of(fences_) || (what == Covers::reads && any_of(stores_));
}

bool ReleaseHistory::any(std::uint64_t block, std::uint32_t step) const {
  const auto it = fences_.find(block);
  return it != fences_.end() && it->second.front().step <= step;
}

HappensBefore::HappensBefore(std::uint32_t warps, ReleaseHistory& releases)
    : releases_(releases), warps_(warps) {
  block_barrier();
}

bool HappensBefore::start_block(std::uint64_t block) {
  block_ = block;
  const bool over = now_ > latest_time;  // between blocks nothing is remembered
  if (over) now_ = 0;
  block_barrier();
  for (WarpState& state : warps_) state.known = 0;
  return over;
}

void HappensBefore::block_barrier() {
  ++now_;
  std::uint32_t known = 0;
  for (const WarpState& state : warps_) known = std::max(known, state.known);
  for (WarpState& state : warps_) {
    state.epoch = state.lane_epoch = now_;
    state.known = known;
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
  const WarpState& state = warps_[warp];
  Arrival arrival{warp, now_, state.epoch, state.known, state.vector_clock};
  ++now_;  // what it does from here on is later
  return arrival;
}

void HappensBefore::partial_barrier(std::uint32_t warps, std::span<const Arrival> arrivals) {
  std::vector<std::uint32_t> joined(warps_.size(), 0);
  std::uint32_t epoch = 0, known = 0;
  for (std::size_t w = 0; w < warps_.size(); ++w) {
    if (!(warps >> w & 1)) continue;
    const WarpState& state = warps_[w];
    epoch = std::max(epoch, state.epoch);
    known = std::max(known, state.known);
    join(joined, state.vector_clock);
  }
  for (std::size_t w = 0; w < warps_.size(); ++w) {
    if (warps >> w & 1) joined[w] = now_;
  }
  for (const Arrival& arrival : arrivals) {
    joined[arrival.warp] = std::max(joined[arrival.warp], arrival.timestamp);
    join(joined, arrival.vector_clock);
    epoch = std::max(epoch, arrival.epoch);
    known = std::max(known, arrival.known);
  }
  ++now_;
  for (std::size_t w = 0; w < warps_.size(); ++w) {
    if (!(warps >> w & 1)) continue;
    warps_[w].epoch = epoch;
    warps_[w].lane_epoch = now_;
    warps_[w].known = known;
    warps_[w].vector_clock = joined;
    warps_[w].lane_clocks.reset();
  }
}

void HappensBefore::warp_barrier(std::uint32_t warp, std::uint32_t mask, std::uint32_t live) {
  WarpState& state = warps_[warp];
  const std::uint32_t before = now_;
  ++now_;
  if ((live & ~mask) == 0) {
    state.lane_epoch = now_;
    state.lane_clocks.reset();
    return;
  }
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

void HappensBefore::release(std::uint32_t warp, bool device_wide) {
  const WarpState& state = warps_[warp];
  // After a barrier of some warps the epoch stands for what they know: rather too much than an
  // alarm where all is well.
  const std::uint32_t epoch = state.vector_clock.empty() ? state.epoch : now_;
  releases_.add(block_,
                {.warp = warp, .timestamp = now_, .epoch = epoch, .device_wide = device_wide},
                ReleaseHistory::Covers::everything);
  ++now_;  // what it does from here on is not released
}

void HappensBefore::publish(std::uint32_t warp) {
  const WarpState& state = warps_[warp];
  const std::uint32_t epoch = state.vector_clock.empty() ? state.epoch : now_;
  releases_.add(block_, {.warp = warp, .timestamp = now_, .epoch = epoch, .device_wide = true},
                ReleaseHistory::Covers::reads);
  ++now_;
}

bool HappensBefore::happens_before_by_clocks(std::uint32_t warp, std::uint32_t lane,
                                             std::uint32_t timestamp, std::uint32_t thread) const {
  const WarpState& state = warps_[warp];
  const std::uint32_t other = thread / 32;
  if (other != warp) {
    if (!state.vector_clock.empty() && timestamp <= state.vector_clock[other]) return true;
  } else {
    if (timestamp < state.lane_epoch) return true;
    if (state.lane_clocks && timestamp <= (*state.lane_clocks)[lane][thread % 32]) return true;
  }
  return state.known != 0 && releases_.cover(block_, other, timestamp, state.known, true,
                                             ReleaseHistory::Covers::everything);
}

}  // namespace gridstride::sim
