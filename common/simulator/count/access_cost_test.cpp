// Sectors and wavefronts on patterns worked out by hand; the measured ones are run end to end in
// isa/memory/golden_test.cpp.
#include "common/simulator/count/access_cost.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <set>

namespace gridstride::sim {
namespace {

constexpr std::uint32_t all = 0xffffffffu;

std::array<std::uint64_t, 32> addresses(std::uint64_t first, std::uint64_t stride) {
  std::array<std::uint64_t, 32> result;
  for (std::uint64_t lane = 0; lane < 32; ++lane) result[lane] = first + lane * stride;
  return result;
}

std::array<std::uint32_t, 32> offsets(std::uint32_t stride) {
  std::array<std::uint32_t, 32> result;
  for (std::uint32_t lane = 0; lane < 32; ++lane) result[lane] = lane * stride;
  return result;
}

TEST(Sectors, ConsecutiveAlignedWordsTakeFour) {
  const auto touches = touched_lines(addresses(1 << 20, 4).data(), all);
  EXPECT_EQ(touches.count, 1u);
  EXPECT_EQ(touches.sectors(), 4u);
  EXPECT_EQ(ideal_sectors(all, 4), 4u);
}

TEST(Sectors, MisalignedTakesOneMoreAndStrideOneEach) {
  EXPECT_EQ(touched_lines(addresses((1 << 20) + 4, 4).data(), all).sectors(), 5u);
  EXPECT_EQ(touched_lines(addresses(1 << 20, 32).data(), all).sectors(), 32u);
  EXPECT_EQ(touched_lines(addresses(1 << 20, 0).data(), all).sectors(), 1u);
}

TEST(Sectors, OnlyActiveLanesCount) {
  const auto touches = touched_lines(addresses(1 << 20, 128).data(), 0x5u);
  EXPECT_EQ(touches.count, 2u);
  EXPECT_EQ(touches.lines[1].line, (1 << 20) / 128 + 2u);
  EXPECT_EQ(ideal_sectors(0x5u, 4), 1u);
}

TEST(L1Passes, LanesWithManyBytesAreServedInGroups) {
  const auto passes = [](const std::array<std::uint64_t, 32>& at, std::uint32_t mask,
                         std::uint32_t bytes) {
    return l1_passes(touched_lines(at.data(), mask), at.data(), mask, bytes);
  };
  // The lanes of each half warp have lines of their own, the same in both halves.
  std::array<std::uint64_t, 32> halves;
  for (std::uint64_t lane = 0; lane < 32; ++lane) halves[lane] = (1 << 20) + lane % 16 * 256;
  EXPECT_EQ(passes(halves, all, 4), 16u);
  EXPECT_EQ(passes(halves, all, 8), 32u);
  EXPECT_EQ(passes(halves, all, 16), 32u);
  EXPECT_EQ(passes(halves, 0xffu, 16), 8u);
  // Pairs of lanes that want the same are served with another group, as in shared memory.
  std::array<std::uint64_t, 32> pairs;
  for (std::uint64_t lane = 0; lane < 32; ++lane) pairs[lane] = (1 << 20) + lane / 16 * 256;
  EXPECT_EQ(passes(pairs, all, 16), 2u);
  EXPECT_EQ(passes(addresses(1 << 20, 16), all, 16), 4u);
}

TEST(Wavefronts, StrideConflictsByTheGreatestCommonDivisor) {
  for (std::uint32_t stride = 0; stride <= 40; ++stride) {
    const auto at = offsets(stride * 4);
    for (const std::uint32_t lanes : {1u, 5u, 16u, 32u}) {
      const std::uint32_t mask = lanes == 32 ? all : (1u << lanes) - 1;
      const SharedCost general = shared_access_cost(at.data(), mask, 4);
      const SharedCost direct = shared_stride_cost(lanes, static_cast<std::int32_t>(stride) * 4);
      EXPECT_EQ(general.wavefronts, direct.wavefronts) << stride << " words, lanes " << lanes;
      EXPECT_EQ(direct.ideal, 1u);
    }
  }
}

TEST(Wavefronts, WideAccessesAreServedInGroups) {
  const SharedCost eight = shared_access_cost(offsets(8).data(), all, 8);
  EXPECT_EQ(eight.wavefronts, 2u);
  EXPECT_EQ(eight.ideal, 2u);
  const SharedCost sixteen = shared_access_cost(offsets(16).data(), all, 16);
  EXPECT_EQ(sixteen.wavefronts, 4u);
  EXPECT_EQ(shared_access_cost(offsets(0).data(), all, 16).wavefronts, 1u * 2);
}

TEST(Wavefronts, AtomicsOnOneAddressAreServedOneByOneUnlessTheyCount) {
  EXPECT_EQ(shared_atomic_cost(offsets(0).data(), all, false).wavefronts, 32u);
  EXPECT_EQ(shared_atomic_cost(offsets(0).data(), all, true).wavefronts, 1u);
  EXPECT_EQ(shared_atomic_cost(offsets(4).data(), all, false).wavefronts, 1u);
}

TEST(CasLoops, OneLaneOfABankSucceedsInEachIteration) {
  const auto cost = [](std::uint32_t stride, std::uint32_t bytes) {
    return cas_loop_cost(offsets(stride).data(), all, bytes);
  };
  EXPECT_EQ(cost(4, 4).iterations, 1u);
  EXPECT_EQ(cost(4, 4).passes, 0u);
  EXPECT_EQ(cost(8, 4).iterations, 2u);
  EXPECT_EQ(cost(8, 4).passes, 1u);  // both words at first, then the one that is left
  EXPECT_EQ(cost(64, 4).iterations, 16u);
  EXPECT_EQ(cost(64, 4).passes, 16u * 15 / 2);
  EXPECT_EQ(cost(0, 4).iterations, 32u);
  EXPECT_EQ(cost(0, 4).passes, 0u);  // one word, which all of them look at at once
  // Of 8 bytes, each half of the warp for itself.
  EXPECT_EQ(cost(8, 8).iterations, 1u);
  EXPECT_EQ(cost(128, 8).iterations, 16u);
  EXPECT_EQ(cost(128, 8).passes, 2u * 16 * 15 / 2);
}

TEST(GlobalAtomics, ASectorCostsItsBusiestAddress) {
  const AtomicCost same = global_atomic_cost(addresses(4096, 0).data(), all);
  EXPECT_EQ(same.sectors, 32u);
  EXPECT_EQ(same.serial, 32u);
  const AtomicCost spread = global_atomic_cost(addresses(4096, 4).data(), all);
  EXPECT_EQ(spread.sectors, 4u);
  EXPECT_EQ(spread.serial, 1u);
}

/// Lanes and places drawn anew, within `range` words: few, so that lanes meet, or many.
struct Drawn {
  std::uint32_t mask = 0;
  std::array<std::uint32_t, 32> offsets{};
  std::array<std::uint64_t, 32> addresses{};
  Drawn(std::mt19937& random, std::uint32_t range) {
    const auto base = static_cast<std::uint32_t>(random() % 1000);
    mask = random() % 2 == 0 ? all : static_cast<std::uint32_t>(random() | 1u);
    for (std::size_t lane = 0; lane < 32; ++lane) {
      offsets[lane] = 4 * (base + static_cast<std::uint32_t>(random() % range));
      addresses[lane] = 0xa0000000000 + offsets[lane];
    }
  }
  template <class Use>
  void for_each_lane(Use use) const {
    for (std::size_t lane = 0; lane < 32; ++lane) {
      if (mask >> lane & 1) use(lane);
    }
  }
};

TEST(Wavefronts, ScatteredWordsCostTheBusiestBank) {
  std::mt19937 random(1);
  for (const std::uint32_t range : {1u, 20u, 50u, 256u, 2040u, 2080u, 50000u}) {
    for (int i = 0; i < 200; ++i) {
      const Drawn drawn(random, range);
      std::map<std::uint32_t, std::set<std::uint32_t>> words;
      std::map<std::uint32_t, std::uint32_t> lanes_of_word, lanes_of_bank;
      drawn.for_each_lane([&](std::size_t lane) {
        const std::uint32_t word = drawn.offsets[lane] / 4;
        words[word % 32].insert(word);
        ++lanes_of_word[word];
        ++lanes_of_bank[word % 32];
      });
      std::size_t most_words = 0;
      std::uint32_t most_lanes = 0, most_in_bank = 0;
      for (const auto& [bank, those] : words) most_words = std::max(most_words, those.size());
      for (const auto& [word, lanes] : lanes_of_word) most_lanes = std::max(most_lanes, lanes);
      for (const auto& [bank, lanes] : lanes_of_bank) most_in_bank = std::max(most_in_bank, lanes);
      const std::uint32_t* const offsets = drawn.offsets.data();
      EXPECT_EQ(shared_access_cost(offsets, drawn.mask, 4).wavefronts, most_words) << range;
      EXPECT_EQ(shared_atomic_cost(offsets, drawn.mask, false).wavefronts, most_in_bank) << range;
      EXPECT_EQ(most_on_one(offsets, drawn.mask), most_lanes) << range;
    }
  }
}

/// By the rule in docs/simulator.md, bank by bank, of all lanes.
std::size_t wavefronts_by_rule(const std::array<std::uint32_t, 32>& offsets, std::uint32_t bytes) {
  const auto pairs_equal = [&](std::size_t distance) {
    for (std::size_t t = 0; t < 32; ++t) {
      if (offsets[t] != offsets[t ^ distance]) return false;
    }
    return true;
  };
  const std::size_t group = (pairs_equal(1) || pairs_equal(2) ? 2 : 1) * 128 / bytes;
  std::size_t sum = 0;
  for (std::size_t first = 0; first < 32; first += group) {
    std::map<std::uint32_t, std::set<std::uint32_t>> words;
    for (std::size_t lane = first; lane < first + group; ++lane) {
      for (std::uint32_t k = 0; k < bytes / 4; ++k) {
        const std::uint32_t word = offsets[lane] / 4 + k;
        words[word % 32].insert(word);
      }
    }
    std::size_t most = 0;
    for (const auto& [bank, those] : words) most = std::max(most, those.size());
    sum += most;
  }
  return sum;
}

TEST(Wavefronts, WideScatteredAccessesCostTheBusiestBankOfEachGroup) {
  std::mt19937 random(2);
  for (const std::uint32_t bytes : {8u, 16u}) {
    for (const std::uint32_t range : {1u, 8u, 20u, 64u, 128u, 130u, 5000u}) {
      for (int i = 0; i < 200; ++i) {
        const std::uint32_t base = bytes * static_cast<std::uint32_t>(random() % 300);
        const std::uint32_t alike = i % 4;  // pairs of lanes: none, both ways, none
        std::array<std::uint32_t, 32> offsets;
        for (std::uint32_t lane = 0; lane < 32; ++lane) {
          const std::uint32_t other = alike == 1 || alike == 2 ? lane & ~alike : lane;
          offsets[lane] = other != lane
                              ? offsets[other]
                              : base + bytes * static_cast<std::uint32_t>(random() % range);
        }
        EXPECT_EQ(shared_access_cost(offsets.data(), all, bytes).wavefronts,
                  wavefronts_by_rule(offsets, bytes))
            << bytes << " bytes, range " << range;
      }
    }
  }
}

TEST(GlobalAtomics, ScatteredOnesCostTheBusiestAddressOfEachSector) {
  std::mt19937 random(2);
  for (const std::uint32_t range : {2u, 20u, 256u, 50000u}) {
    for (int i = 0; i < 200; ++i) {
      const Drawn drawn(random, range);
      std::map<std::uint64_t, std::map<std::uint64_t, std::uint32_t>> lanes;
      drawn.for_each_lane(
          [&](std::size_t lane) { ++lanes[drawn.addresses[lane] / 32][drawn.addresses[lane]]; });
      const AtomicCost cost = global_atomic_cost(drawn.addresses.data(), drawn.mask);
      std::uint32_t sum = 0, serial = 0;
      ASSERT_EQ(cost.count, lanes.size()) << range;
      for (std::uint32_t at = 0; at < cost.count; ++at) {
        std::uint32_t most = 0;
        for (const auto& one : lanes.at(cost.touched[at].number)) most = std::max(most, one.second);
        EXPECT_EQ(cost.touched[at].operations, most) << range;
        sum += most;
        serial = std::max(serial, most);
      }
      EXPECT_EQ(cost.sectors, sum) << range;
      EXPECT_EQ(cost.serial, serial) << range;
    }
  }
}

}  // namespace
}  // namespace gridstride::sim
