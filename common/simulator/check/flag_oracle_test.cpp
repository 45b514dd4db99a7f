// What fences, flags and barriers order, in random programs of two blocks, or of one in shared memory: the
// checkers are compared with one that keeps every access, and for each thread and each flag the whole of what
// lies before it (test_every_thread.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/simulator/base/pseudorandom.h"
#include "common/simulator/check/global_races.h"
#include "common/simulator/check/happens_before.h"
#include "common/simulator/check/race_checker.h"
#include "common/simulator/check/race_pages.h"
#include "common/simulator/check/shared_flags.h"
#include "common/simulator/check/test_every_thread.h"

namespace gridstride::sim {
namespace {

constexpr std::uint32_t flags = 3, data_words = 5;

struct RaceNoter : GlobalRaceSink, RaceSink {
  std::size_t races = 0;
  void race(const RacingGlobalAccess&, const RacingGlobalAccess&, std::uint64_t) override {
    ++races;
  }
  void race(const RacingAccess&, const RacingAccess&, std::uint32_t) override { ++races; }
};
struct OtherValues : StoredValues {
  bool changes_nothing(std::uint32_t) const override { return false; }
};

class FlagProgram {
 public:
  FlagProgram(std::uint64_t seed, bool in_shared_memory)
      : state_(seed), shared_(in_shared_memory), blocks_(in_shared_memory ? 1 : grid_blocks) {
    pages_.start(1 << 20);
    for (std::uint32_t block = 0; block < grid_blocks; ++block) orders_[block].start_block(block);
  }
  std::string log;
  std::size_t missed = 0, invented = 0, passed = 0;

  /// Makes one step; false behind a race.
  bool step() {
    block_ = chance(blocks_);
    warp_ = chance(block_warps);
    const std::uint32_t what = chance(32);
    if (what == 0) return block_barrier();
    if (what == 1) return some_warps_meet();
    if (what == 2) return exchange();
    if (what <= 4) return warp_barrier();
    if (what <= 10) return fence();
    if (what <= 14) return store_flag();
    if (what <= 20) return load_flag();
    if (what <= 23) return change_flag();
    return access(what <= 27);
  }

 private:
  static constexpr std::uint64_t base = 0x1000'0000;
  /// All lanes at one word.
  struct Places {
    explicit Places(std::uint32_t word) {
      std::ranges::fill(addresses, base + 4 * word);
      std::ranges::fill(offsets, 4 * word);
    }
    std::uint64_t addresses[32];
    std::uint32_t offsets[32];
  };
  using Step = GlobalRaces::Step;

  std::uint32_t chance(std::uint32_t below) {
    return static_cast<std::uint32_t>(draw(state_) % below);
  }
  std::uint32_t first_thread() const { return block_ * block_lanes + warp_ * warp_lanes; }
  Threads threads_of(std::uint32_t mask) const {
    Threads all;
    for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
      if ((mask >> lane & 1) != 0) all.push_back(first_thread() + lane);
    }
    return all;
  }
  Threads threads_of_warps(std::uint32_t mask) const {
    Threads all;
    for (std::uint32_t i = 0; i < block_lanes; ++i) {
      if ((mask >> i / warp_lanes & 1) != 0) all.push_back(block_ * block_lanes + i);
    }
    return all;
  }
  /// One lane, or all, or any.
  std::uint32_t some_lanes() {
    const std::uint32_t form = chance(4);
    return form == 0 ? live_lanes : form == 1 ? 1 + chance(live_lanes) : 1u << chance(warp_lanes);
  }
  void say(const std::string& what, std::uint32_t mask) {
    log += "block " + std::to_string(block_) + " warp " + std::to_string(warp_) + " lanes " +
           std::to_string(mask) + ": " + what + "\n";
  }
  HappensBefore& order() { return orders_[block_]; }
  HappensBefore::Lanes lanes_of(std::uint32_t mask) const { return {warp_, mask, live_lanes}; }

  bool block_barrier() {
    say("block barrier", 0);
    order().block_barrier();
    both([&](EveryThread& one) { one.barrier(threads_of_warps((1u << block_warps) - 1)); });
    return true;
  }
  bool some_warps_meet() {
    const std::uint32_t meet = 1 + chance((1u << block_warps) - 1);
    std::vector<HappensBefore::Arrival> arrivals;
    Threads came;
    const std::uint32_t other = chance(block_warps);
    if ((meet >> other & 1) == 0 && chance(2) != 0) {
      came = threads_of_warps(1u << other);
      arrivals.push_back(order().arrive(other));
      both([&](EveryThread& one) { one.arrive(came); });
    }
    say("warps meet, came by " + std::to_string(arrivals.size()) + " of " + std::to_string(other),
        meet);
    order().partial_barrier(meet, arrivals);
    both([&](EveryThread& one) { one.barrier(threads_of_warps(meet), came); });
    return true;
  }
  bool exchange() {
    const std::uint32_t mask = chance(2) != 0 ? live_lanes : 1 + chance(live_lanes);
    say("shuffle", mask);
    order().exchange(warp_, mask);
    both([&](EveryThread& one) { one.exchange(threads_of(mask)); });
    return true;
  }
  bool warp_barrier() {
    const std::uint32_t mask = chance(2) != 0 ? live_lanes : 1 + chance(live_lanes);
    say("syncwarp", mask);
    order().warp_barrier(warp_, mask, live_lanes);
    both([&](EveryThread& one) { one.barrier(threads_of(mask)); });
    return true;
  }
  bool fence() {
    const std::uint32_t mask = some_lanes();
    const bool device = chance(3) != 0;
    say(device ? "fence" : "fence of block", mask);
    order().fence(lanes_of(mask), device);
    both([&](EveryThread& one) { one.fence(threads_of(mask), device); });
    return true;
  }
  Step step_of(std::uint32_t instruction, AccessStrength kind) {
    Step step{order(), warp_, instruction, kind};
    step.live = live_lanes;
    return step;
  }
  /// As the observers of accesses do it (exec/race_observer.cpp). Words are numbered, the flags first.
  void write(const Step& step, std::uint32_t mask, std::uint32_t word) {
    if (!shared_) return races_.write(step, mask, Places(word).addresses, 4, OtherValues());
    const Places at(word);
    shared_races_.set_kind(step.kind);
    if (step.kind != AccessStrength::plain) shared_flags_.store(lanes_of(mask), at.offsets);
    shared_races_.write(warp_, mask, at.offsets, 4, step.instruction, OtherValues());
  }
  void read(const Step& step, std::uint32_t mask, std::uint32_t word) {
    if (!shared_) return races_.read(step, mask, Places(word).addresses, 4);
    const Places at(word);
    shared_races_.set_kind(step.kind);
    if (step.kind != AccessStrength::plain)
      shared_flags_.load(lanes_of(mask), at.offsets, step.acquires);
    shared_races_.read(warp_, mask, at.offsets, 4, step.instruction);
  }
  void atomic(const Step& step, std::uint32_t mask, std::uint32_t word) {
    if (!shared_) return races_.atomic(step, mask, Places(word).addresses, 4);
    const Places at(word);
    shared_races_.set_kind(step.kind);
    shared_flags_.atomic(lanes_of(mask), at.offsets, mask & step.storing, step.acquires);
    shared_races_.atomic(warp_, mask, at.offsets, 4, step.instruction);
  }
  /// Volatile, of device scope or of block scope.
  AccessStrength kind_of_flag() {
    const std::uint32_t kind = chance(8);
    return kind < 3   ? AccessStrength::polling
           : kind < 7 ? AccessStrength::strong
                      : AccessStrength::strong_in_block;
  }
  static constexpr std::uint32_t number(AccessStrength kind, std::uint32_t what) {
    return static_cast<std::uint32_t>(kind) * 3 + what;
  }
  /// What the flag carries for an access of this kind by this block.
  Carried heard(std::uint32_t flag, AccessStrength kind,
                const std::array<Carried, flags>& carried) const {
    const bool in_block = kind == AccessStrength::strong_in_block ||
                          last_kind_[flag] == AccessStrength::strong_in_block;
    return in_block && last_block_[flag] != block_ ? Carried{} : carried[flag];
  }
  bool store_flag() {
    const std::uint32_t flag = chance(flags), lane = chance(warp_lanes);
    const AccessStrength kind = kind_of_flag();
    say("stores flag " + std::to_string(flag) + " kind " + std::to_string(int(kind)), 1u << lane);
    write(step_of(number(kind, 0), kind), 1u << lane, flag);
    every_.store(first_thread() + lane, carried_[flag], is_strong(kind));
    careful_.store(first_thread() + lane, carefully_carried_[flag], is_strong(kind));
    last_kind_[flag] = kind;
    last_block_[flag] = block_;
    noter_.races = 0;
    return true;
  }
  bool load_flag() {
    const std::uint32_t flag = chance(flags), mask = some_lanes();
    const AccessStrength kind = kind_of_flag();
    Step step = step_of(number(kind, 1), kind);
    step.acquires = is_strong(kind) && chance(2) != 0;
    say("loads flag " + std::to_string(flag) + " kind " + std::to_string(int(kind)) +
            (step.acquires ? " acquire" : ""),
        mask);
    read(step, mask, flag);
    for (const std::uint32_t thread : threads_of(mask)) {
      every_.load(thread, heard(flag, kind, carried_), step.acquires);
      careful_.load(thread, heard(flag, kind, carefully_carried_), step.acquires);
    }
    noter_.races = 0;
    return true;
  }
  bool change_flag() {
    const std::uint32_t flag = chance(flags), mask = 1u << chance(warp_lanes);
    const AccessStrength kind =
        chance(6) == 0 ? AccessStrength::strong_in_block : AccessStrength::strong;
    Step step = step_of(number(kind, 2), kind);
    step.acquires = chance(3) == 0;
    step.storing = chance(4) == 0 ? 0 : ~0u;
    say("changes flag " + std::to_string(flag) + " kind " + std::to_string(int(kind)) +
            (step.acquires ? " acquire" : "") + (step.storing ? "" : " not"),
        mask);
    atomic(step, mask, flag);
    const std::uint32_t thread = threads_of(mask).front();
    const auto change = [&](EveryThread& every, std::array<Carried, flags>& carried) {
      carried[flag] = heard(flag, kind, carried);
      every.load(thread, carried[flag], step.acquires);
      if (step.storing != 0) every.add(thread, carried[flag]);
    };
    change(every_, carried_);
    change(careful_, carefully_carried_);
    // Lanes of one operation hand one another what they release, which those that fence at once do together.
    careful_.load(thread, carefully_carried_[flag], step.acquires);
    last_kind_[flag] = kind;
    last_block_[flag] = block_;
    noter_.races = 0;
    return true;
  }

  struct Access {
    std::uint32_t thread = 0, time = 0;
  };
  struct Word {
    Access store;
    bool stored = false;
    std::vector<Access> reads;
    std::size_t readers = 0;  ///< since the last store
    bool crowded = false;     ///< there were more than two readers, of which two are remembered
  };
  template <class Use>
  void both(Use use) {
    use(every_), use(careful_);
  }
  bool races(const EveryThread& every, std::uint32_t thread, std::uint32_t word,
             bool stores) const {
    const Word& known = words_[word];
    if (known.stored && !every.lies_before(known.store.thread, known.store.time, thread))
      return true;
    return stores && std::ranges::any_of(known.reads, [&](const Access& read) {
             return !every.lies_before(read.thread, read.time, thread) &&
                    !every.is_read_before(read.thread, read.time, thread);
           });
  }
  /// A lane's access; or lane i's of word i, for all lanes.
  struct Accessed {
    std::uint32_t lane = 0, word = 0;
    bool run = false;
    std::uint32_t first() const { return run ? 0 : lane; }
    std::uint32_t last() const { return run ? warp_lanes - 1 : lane; }
    std::uint32_t word_of(std::uint32_t who) const { return run ? who : word; }
  };
  bool races(const EveryThread& every, const Accessed& what, bool stores,
             bool crowded = true) const {
    for (std::uint32_t lane = what.first(); lane <= what.last(); ++lane) {
      const std::uint32_t word = what.word_of(lane);
      if (!crowded && words_[word].crowded) continue;
      if (races(every, first_thread() + lane, word, stores)) return true;
    }
    return false;
  }
  bool access(bool stores) {
    Accessed what;
    // Mostly one that does not race, so that programs go on, and of a word that others have accessed.
    for (std::uint32_t tries = chance(16) == 0 ? 1 : 40; tries != 0; --tries) {
      block_ = chance(blocks_);
      warp_ = chance(block_warps);
      what = {chance(warp_lanes), chance(data_words), shared_ && chance(4) == 0};
      const Word& word = words_[what.word_of(what.lane)];
      const bool is_first = !word.stored && word.reads.empty();
      const bool own = word.stored && word.store.thread == first_thread() + what.lane;
      if (!races(every_, what, stores) && (is_first || !own)) break;
    }
    const bool may_race = races(every_, what, stores);
    if (may_race && chance(4) != 0) return true;
    const std::uint32_t mask = what.run ? live_lanes : 1u << what.lane;
    say(std::string(stores ? "writes" : "reads") + " word " +
            (what.run ? "of its number" : std::to_string(what.word)),
        mask);
    const bool must_race = races(careful_, what, stores, /*crowded=*/false);
    noter_.races = 0;
    const Step step = step_of(stores ? 20 : 21, AccessStrength::plain);
    if (what.run)
      access_run(step, stores);
    else if (stores)
      write(step, mask, flags + what.word);
    else
      read(step, mask, flags + what.word);
    for (std::uint32_t lane = what.first(); lane <= what.last(); ++lane)
      note(first_thread() + lane, words_[what.word_of(lane)], stores, what.run);
    const bool found = noter_.races != 0;
    if (found && !may_race) ++invented;
    if (!found && must_race) ++missed;
    if (!may_race) ++passed;
    return !may_race && !found;
  }
  void access_run(const Step& step, bool stores) {
    Places at(flags);
    for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) at.offsets[lane] = 4 * (flags + lane);
    shared_races_.set_kind(AccessStrength::plain);
    const std::uint32_t instruction = step.instruction;
    if (stores) {
      if (!shared_races_.write_run(warp_, warp_lanes, at.offsets[0], 4, instruction))
        shared_races_.write(warp_, live_lanes, at.offsets, 4, instruction, OtherValues());
    } else if (!shared_races_.read_run(warp_, warp_lanes, at.offsets[0], 4, instruction)) {
      shared_races_.read(warp_, live_lanes, at.offsets, 4, instruction);
    }
  }
  void note(std::uint32_t thread, Word& known, bool stores, bool run) {
    const Access now{thread, every_.now(thread)};
    if (stores) {
      known = Word();
      known.store = now;
      known.stored = true;
      return;
    }
    std::erase_if(known.reads, [&](const Access& read) {
      return every_.lies_before(read.thread, read.time, thread);
    });
    known.reads.push_back(now);
    // Of a run whose reader is stale is decided without flags.
    ++known.readers;
    known.crowded = known.crowded || known.reads.size() > 2 || (run && known.readers > 2);
  }

  std::uint64_t state_;
  bool shared_;
  std::uint32_t blocks_;
  std::uint32_t block_ = 0, warp_ = 0;
  EveryThread every_{false}, careful_{true};
  std::array<Carried, flags> carried_{}, carefully_carried_{};
  std::array<AccessStrength, flags> last_kind_{};
  std::array<std::uint64_t, flags> last_block_{};
  std::array<Word, data_words> words_{};
  RaceNoter noter_;
  std::array<HappensBefore, grid_blocks> orders_{HappensBefore{block_warps},
                                                 HappensBefore{block_warps}};
  RacePages pages_{base};
  GlobalRaces races_{pages_, 22, noter_};
  SharedRaceChecker shared_races_{4 * (flags + data_words), 4, orders_[0], noter_};
  SharedFlags shared_flags_{orders_[0]};
};

void compare_with_every_thread(bool in_shared_memory) {
  constexpr int most_steps = 150;
  std::size_t with_races = 0, passed = 0, wrong = 0;
  std::string shortest;
  for (std::uint64_t seed = 1; seed <= 8000; ++seed) {
    FlagProgram program(seed, in_shared_memory);
    int steps = 0;
    while (steps < most_steps && program.step()) ++steps;
    with_races += steps < most_steps ? 1 : 0;
    passed += program.passed;
    if (program.missed + program.invented == 0) continue;
    ++wrong;
    const std::string text = (program.missed != 0 ? "missed:\n" : "there is none:\n") + program.log;
    if (shortest.empty() || text.size() < shortest.size()) shortest = text;
  }
  EXPECT_EQ(wrong, 0u) << shortest;
  EXPECT_GT(with_races, 5000u);
  EXPECT_GT(passed, 100000u);
}

TEST(FlagOracle, AgreesAboutGlobalMemory) { compare_with_every_thread(false); }
TEST(FlagOracle, AgreesAboutSharedMemory) { compare_with_every_thread(true); }

}  // namespace
}  // namespace gridstride::sim
