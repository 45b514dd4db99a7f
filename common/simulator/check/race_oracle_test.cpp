// The race checkers keep a few accesses of each cell, that of shared memory leaves some of them later, and
// both look at many cells at once. Here they are compared with one that keeps every access and compares each
// with each, in random programs of a few warps on a few words.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/simulator/base/pseudorandom.h"
#include "common/simulator/check/global_races.h"
#include "common/simulator/check/happens_before.h"
#include "common/simulator/check/race_checker.h"
#include "common/simulator/check/race_pages.h"

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

/// Every access there was. Threads are numbered through all blocks, of `block_warps` warps each.
class EveryAccess {
 public:
  enum class Kind : std::uint8_t { read, atomic, write };

  explicit EveryAccess(std::uint32_t block_warps) : block_warps_(block_warps) {}

  /// Whether the access of `thread` to `word` races with one that was added before.
  bool races(std::uint32_t thread, std::uint32_t word, Kind kind) const {
    const std::uint32_t warp = thread / 32, block = warp / block_warps_;
    return std::ranges::any_of(accesses_, [&](const Access& earlier) {
      if (earlier.word != word || earlier.thread == thread) return false;
      if (earlier.kind == Kind::read && kind == Kind::read) return false;
      if (earlier.kind == Kind::atomic && kind == Kind::atomic) return false;
      if (earlier.thread / 32 == warp && earlier.warp_step < warp_steps_[warp]) return false;
      return earlier.thread / 32 / block_warps_ != block ||
             earlier.block_step == block_steps_[block];
    });
  }
  void add(std::uint32_t thread, std::uint32_t word, Kind kind) {
    const std::uint32_t warp = thread / 32;
    accesses_.push_back({thread, word, warp_steps_[warp], block_steps_[warp / block_warps_], kind});
  }
  void warp_barrier(std::uint32_t warp) { ++warp_steps_[warp]; }
  void block_barrier(std::uint32_t block) { ++block_steps_[block]; }

 private:
  struct Access {
    std::uint32_t thread, word, warp_step, block_step;
    Kind kind;
  };
  std::uint32_t block_warps_;
  std::vector<Access> accesses_;
  std::array<std::uint32_t, 8> warp_steps_{}, block_steps_{};
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
      every_.block_barrier(0);
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
  EveryAccess every_{3};
  HappensBefore order_{3};
  SharedRaceChecker checker_{words * 4, 4, order_, counter_, {}, /*keeps_stores=*/false};
};

struct GlobalRaceCounter : GlobalRaceSink {
  std::size_t races = 0;
  void race(const RacingGlobalAccess&, const RacingGlobalAccess&, std::uint64_t) override {
    ++races;
  }
};

/// The same in global memory, by a few blocks of two warps that take turns.
class RandomGrid {
 public:
  explicit RandomGrid(std::uint64_t seed) : state_(seed) {
    pages_.start(1 << 20);
    for (std::uint32_t block = 0; block < orders_.size(); ++block)
      orders_[block].start_block(block);
  }

  bool step(bool& raced) {
    const std::uint32_t what = chance(24), block = chance(blocks_), warp = chance(2);
    if (what == 0) {
      orders_[block].block_barrier();
      every_.block_barrier(block);
      usual_ = chance(4);
      return true;
    }
    if (what <= 2) {
      orders_[block].warp_barrier(warp, all_lanes, all_lanes);
      every_.warp_barrier(block * 2 + warp);
      return true;
    }
    const bool usual = usual_ < 2 && chance(16) != 0;
    return access(static_cast<EveryAccess::Kind>(usual ? usual_ : chance(3)), block, warp, raced);
  }

 private:
  static constexpr std::uint64_t base = 0x1000'0000;

  std::uint32_t chance(std::uint32_t below) {
    return static_cast<std::uint32_t>(draw(state_) % below);
  }

  bool access(EveryAccess::Kind kind, std::uint32_t block, std::uint32_t warp, bool& raced) {
    using Kind = EveryAccess::Kind;
    std::uint64_t addresses[32] = {};
    const std::uint32_t form = chance(4), low = chance(28);
    // Often all words of a line.
    const std::uint32_t start = chance(2) == 0 ? 0 : chance(words);
    const bool run = form == 0, place = form == 1;
    const std::uint32_t lanes = run ? 32 : 1 + chance(4), first = run ? 0 : low;
    std::uint32_t mask = 0;
    std::uint64_t used = 0;
    for (std::uint32_t i = 0; i < lanes; ++i) {
      const std::uint32_t word = run ? start + i : place ? start : chance(2 * words);
      if (kind == Kind::write && (used >> word & 1) != 0) continue;
      used |= std::uint64_t{1} << word;
      mask |= 1u << (first + i);
      addresses[first + i] = base + word * 4;
    }
    const std::uint32_t thread = (block * 2 + warp) * 32;
    bool expected = false;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      const auto word = static_cast<std::uint32_t>((addresses[lane] - base) / 4);
      expected |= every_.races(thread + lane, word, kind);
    }
    const std::size_t before = counter_.races;
    GlobalRaces::Step step{orders_[block], warp, static_cast<std::uint32_t>(kind)};
    const std::uint64_t address = base + start * 4;
    if (kind == Kind::atomic) {
      step.kind = AccessStrength::strong;
      races_.atomic(step, mask, addresses, 4);
    } else if (kind == Kind::write) {
      if (!run || !races_.write_run(step, address, 4))
        races_.write(step, mask, addresses, 4, NewValues());
    } else if (place) {
      races_.read_one(step, mask, address, 4);
    } else if (!run || !races_.read_run(step, address, 4)) {
      races_.read(step, mask, addresses, 4);
    }
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      every_.add(thread + lane, static_cast<std::uint32_t>((addresses[lane] - base) / 4), kind);
    }
    raced = expected;
    return (counter_.races != before) == expected;
  }

  std::uint64_t state_;
  std::uint32_t blocks_ = 1 + chance(4);
  std::uint32_t usual_ = chance(4);  ///< 0: reads, 1: atomics, otherwise anything
  GlobalRaceCounter counter_;
  EveryAccess every_{2};
  std::array<HappensBefore, 4> orders_{HappensBefore{2}, HappensBefore{2}, HappensBefore{2},
                                       HappensBefore{2}};
  RacePages pages_{base};
  GlobalRaces races_{pages_, 3, counter_};
};

/// Runs many of them, each until its first race.
template <class Program>
void compare_with_every_access() {
  std::size_t with_races = 0;
  for (std::uint64_t seed = 1; seed <= 20000; ++seed) {
    Program program(seed);
    bool raced = false;
    for (int step = 0; step < 120 && !raced; ++step) {
      ASSERT_TRUE(program.step(raced))
          << "seed " << seed << ", step " << step << (raced ? ": missed" : ": there is none");
    }
    with_races += raced ? 1 : 0;
  }
  EXPECT_GT(with_races, 5000u);
}

TEST(RaceOracle, AgreesAboutSharedMemory) { compare_with_every_access<RandomProgram>(); }
TEST(RaceOracle, AgreesAboutGlobalMemory) { compare_with_every_access<RandomGrid>(); }

}  // namespace
}  // namespace gridstride::sim
