// For tests: what lies before what, thread by thread, in a grid of two blocks. What orders is what the PTX memory
// model says of release and acquire patterns, and what docs/checks.md adds to that: a barrier does for a reader's
// fence and hands on what has been released, and what has only been read may be stored over by who has seen a
// flag.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gridstride::sim {

inline constexpr std::uint32_t grid_blocks = 2, block_warps = 3, warp_lanes = 4,
                               block_lanes = block_warps * warp_lanes,
                               grid_lanes = grid_blocks * block_lanes,
                               live_lanes = (1u << warp_lanes) - 1;
/// Up to when the accesses of each thread are in it.
using Past = std::array<std::uint32_t, grid_lanes>;
using Threads = std::vector<std::uint32_t>;

inline void join(Past& to, const Past& other) {
  for (std::uint32_t i = 0; i < grid_lanes; ++i) to[i] = std::max(to[i], other[i]);
}

/// What a flag carries: for all, for the block of who changed it last, and what has been read.
struct Carried {
  std::uint32_t block = 0;
  Past device{}, in_block{}, reads{};
};

/// The relation, thread by thread. An access of a thread has the time before tick(). `careful`: more is in
/// order, as lanes that fence at once are taken for one. What that orders need not be reported, and may be.
class EveryThread {
 public:
  explicit EveryThread(bool careful) : careful_(careful) {}
  std::uint32_t now(std::uint32_t thread) const { return now_[thread]; }
  void tick(std::uint32_t thread) { ++now_[thread]; }
  bool lies_before(std::uint32_t earlier, std::uint32_t time, std::uint32_t thread) const {
    return earlier == thread || time <= of_[thread].known[earlier];
  }
  /// Of a read in another block, which takes no fence.
  bool is_read_before(std::uint32_t earlier, std::uint32_t time, std::uint32_t thread) const {
    return earlier / block_lanes != thread / block_lanes &&
           (time <= of_[thread].reads[earlier] || time <= of_[thread].seen[earlier]);
  }

  void fence(const Threads& who, bool device) {
    for (const std::uint32_t thread : who) {
      Thread& state = of_[thread];
      for (Past* to : {&state.known, &state.told})
        join(*to, device ? state.seen : state.seen_in_block);
    }
    Past all{};
    for (const std::uint32_t thread : who) all[thread] = now_[thread];
    for (const std::uint32_t thread : who) {
      Thread& state = of_[thread];
      join(state.in_block, state.known);
      state.in_block[thread] = now_[thread];
      if (careful_) join(state.in_block, all);
      if (device) join(state.device, state.in_block);
      tick(thread);
    }
  }
  /// A store of `flag`, which hands on what has been read when it is strong.
  void store(std::uint32_t thread, Carried& flag, bool publishes) {
    flag = {.block = thread / block_lanes};
    add(thread, flag);
    if (!publishes) return;
    const Thread& state = of_[thread];
    join(flag.reads, state.known);
    join(flag.reads, state.seen);
    join(flag.reads, state.reads);
    // Of its warp all have read what they read before.
    const std::uint32_t first = thread / warp_lanes * warp_lanes;
    for (std::uint32_t lane = first; lane < first + warp_lanes; ++lane)
      flag.reads[lane] = std::max(flag.reads[lane], now_[lane]);
    for (std::uint32_t lane = first; lane < first + warp_lanes; ++lane) tick(lane);
  }
  void add(std::uint32_t thread, Carried& flag) {
    const std::uint32_t block = thread / block_lanes;
    const Carried before = flag;
    if (flag.block != block && !careful_) flag.in_block = {};
    flag.block = block;
    join(flag.device, of_[thread].device);
    join(flag.in_block, of_[thread].in_block);
    // Who adds nothing leaves it as it was.
    if (flag.device == before.device && flag.in_block == Past{} && !careful_) flag = before;
  }
  void load(std::uint32_t thread, const Carried& flag, bool acquires) {
    Thread& state = of_[thread];
    const bool own = careful_ || flag.block == thread / block_lanes;
    Past seen = flag.device;
    if (own) join(seen, flag.in_block);
    join(state.reads, flag.reads);
    join(state.seen, seen);
    if (own) join(state.seen_in_block, seen);
    if (!acquires) return;
    join(state.known, seen);
    join(state.told, seen);
  }
  /// `who` meet, and `came` have come by.
  void barrier(const Threads& who, const Threads& came = {}) {
    Thread all;
    Past own{};
    for (const auto* const some : {&who, &came}) {
      for (const std::uint32_t thread : *some) {
        const Thread& state = came_at_.empty() || some == &who ? of_[thread] : came_at_[thread];
        join(all.known, state.known);
        join(all.known, state.seen);
        join(all.told, state.told);
        join(all.told, state.seen);
        join(all.reads, state.reads);
        join(all.device, state.device);
        join(all.in_block, state.in_block);
        own[thread] = some == &who ? now_[thread] : came_when_[thread];
      }
    }
    join(all.known, own);
    for (const std::uint32_t thread : who) {
      of_[thread] = all;
      tick(thread);
    }
  }
  void arrive(const Threads& who) {
    came_at_.resize(grid_lanes);
    for (const std::uint32_t thread : who) {
      join(of_[thread].known, of_[thread].seen);
      join(of_[thread].told, of_[thread].seen);
      came_at_[thread] = of_[thread];
      came_when_[thread] = now_[thread];
      tick(thread);
    }
  }
  /// What flags have told one of them, all know; their own accesses stay their own.
  void exchange(const Threads& who) {
    Thread all;
    for (const std::uint32_t thread : who) {
      join(all.known, careful_ ? of_[thread].known : of_[thread].told);
      join(all.told, of_[thread].told);
      join(all.seen, of_[thread].seen);
      join(all.seen_in_block, of_[thread].seen_in_block);
      join(all.reads, of_[thread].reads);
    }
    for (const std::uint32_t thread : who) {
      join(of_[thread].known, all.known);
      join(of_[thread].told, all.told);
      join(of_[thread].seen, all.seen);
      join(of_[thread].seen_in_block, all.seen_in_block);
      join(of_[thread].reads, all.reads);
    }
  }

 private:
  struct Thread {
    /// `told`: of what is known, what flags have told; `seen`: what they would tell behind a fence.
    Past known{}, told{}, seen{}, seen_in_block{}, reads{}, device{}, in_block{};
  };
  bool careful_;
  std::array<Thread, grid_lanes> of_{};
  Past now_ = [] {
    Past one;
    one.fill(1);
    return one;
  }();
  std::vector<Thread> came_at_;
  Past came_when_{};
};

}  // namespace gridstride::sim
