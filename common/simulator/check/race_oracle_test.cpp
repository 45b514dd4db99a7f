// The race checker of shared memory keeps a few accesses of each cell, leaves some of them later, and looks
// at many cells at once. Here it is compared with one that keeps every access and compares each with each, in
// random programs of three warps on 16 words.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/simulator/base/pseudorandom.h"
#include "common/simulator/check/happens_before.h"
#include "common/simulator/check/race_checker.h"

namespace gridstride::sim {
namespace {

constexpr std::uint32_t words = 16, all_lanes = 0xffffffffu;

struct RaceCounter : RaceSink {
  std::size_t races = 0;
  void race(const RacingAccess&, const RacingAccess&, std::uint32_t) override { ++races; }
};
struct NewValues : StoredValues {
  bool changes_nothing(std::uint32_t) const override { return false; }
};

/// Every access of the block since its last barrier.
class EveryAccess {
 public:
  enum class Kind : std::uint8_t { read, atomic, write };

  /// Whether the access of `thread` to `word` races with one that was added before.
  bool races(std::uint32_t thread, std::uint32_t word, Kind kind) const {
    return std::ranges::any_of(accesses_, [&](const Access& earlier) {
      if (earlier.word != word || earlier.thread == thread) return false;
      if (earlier.kind == Kind::read && kind == Kind::read) return false;
      if (earlier.kind == Kind::atomic && kind == Kind::atomic) return false;
      const std::uint32_t warp = thread / 32;
      return earlier.thread / 32 != warp || earlier.step == steps_[warp];
    });
  }
  void add(std::uint32_t thread, std::uint32_t word, Kind kind) {
    accesses_.push_back({thread, word, steps_[thread / 32], kind});
  }
  void warp_barrier(std::uint32_t warp) { ++steps_[warp]; }
  void block_barrier() { accesses_.clear(); }

 private:
  struct Access {
    std::uint32_t thread, word, step;
    Kind kind;
  };
  std::vector<Access> accesses_;
  std::array<std::uint32_t, 3> steps_{};
};

/// A program that goes on until its first race.
class RandomProgram {
 public:
  explicit RandomProgram(std::uint64_t seed) : state_(seed) {
    begin_interval();
    checker_.start_block(order_.start_block(0));
  }

  /// Makes one step. False when checker and oracle differ; `raced`: whether there was a race.
  bool step(bool& raced) {
    const std::uint32_t what = chance(24), warp = chance(warps_);
    if (what == 0) {
      order_.block_barrier();
      every_.block_barrier();
      begin_interval();
      return true;
    }
    if (what <= 2) {
      order_.warp_barrier(warp, all_lanes, all_lanes);
      every_.warp_barrier(warp);
      return true;
    }
    // Now and then something else in an interval of reads, or of atomics.
    const bool usual = usual_ < 2 && chance(16) != 0;
    return access(static_cast<EveryAccess::Kind>(usual ? usual_ : chance(3)), warp, raced);
  }

 private:
  void begin_interval() { usual_ = chance(3); }
  std::uint32_t chance(std::uint32_t below) {
    return static_cast<std::uint32_t>(draw(state_) % below);
  }

  bool access(EveryAccess::Kind kind, std::uint32_t warp, bool& raced) {
    using Kind = EveryAccess::Kind;
    std::uint32_t offsets[32] = {};
    const std::uint32_t form = chance(3), lanes = 1 + chance(4), start = chance(words - 4);
    const bool run = form == 0, place = form == 1;
    const std::uint32_t low = run ? 0 : chance(28);
    std::uint32_t mask = 0, used = 0;
    for (std::uint32_t i = 0; i < lanes; ++i) {
      std::uint32_t word = run ? start + i : place ? start : chance(words);
      // What lanes of one instruction store to one place is compared elsewhere.
      if (kind == Kind::write && (used >> word & 1) != 0) continue;
      used |= 1u << word;
      mask |= 1u << (low + i);
      offsets[low + i] = word * 4;
    }
    bool expected = false;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      expected |= every_.races(warp * 32 + lane, offsets[lane] / 4, kind);
    }
    const auto count = static_cast<std::uint32_t>(std::popcount(mask));
    const std::size_t before = counter_.races;
    if (kind == Kind::atomic) {
      checker_.atomic(warp, mask, offsets, 4, 3);
    } else if (kind == Kind::write) {
      if (!run || !checker_.write_run(warp, count, start * 4, 4, 2))
        checker_.write(warp, mask, offsets, 4, 2, NewValues());
    } else if (place) {
      checker_.read_one(warp, mask, start * 4, 4, 1);
    } else if (!run || !checker_.read_run(warp, count, start * 4, 4, 1)) {
      checker_.read(warp, mask, offsets, 4, 1);
    }
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      every_.add(warp * 32 + lane, offsets[lane] / 4, kind);
    }
    raced = expected;
    return (counter_.races != before) == expected;
  }

  std::uint64_t state_;
  std::uint32_t warps_ = 1 + chance(3);
  std::uint32_t usual_ = 0;  ///< 0: reads, 1: atomics, 2: anything
  RaceCounter counter_;
  EveryAccess every_;
  HappensBefore order_{3};
  SharedRaceChecker checker_{words * 4, 4, order_, counter_, {}, /*keeps_stores=*/false};
};

TEST(RaceOracle, FindsARaceWhereOneComparesEachAccessWithEach) {
  std::size_t with_races = 0;
  for (std::uint64_t seed = 1; seed <= 20000; ++seed) {
    RandomProgram program(seed);
    bool raced = false;
    for (int step = 0; step < 120 && !raced; ++step) {
      ASSERT_TRUE(program.step(raced))
          << "seed " << seed << ", step " << step << (raced ? ": missed" : ": there is none");
    }
    with_races += raced ? 1 : 0;
  }
  EXPECT_GT(with_races, 5000u);
}

}  // namespace
}  // namespace gridstride::sim
