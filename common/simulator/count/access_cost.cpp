// Sectors and wavefronts of one request.
#include "common/simulator/count/access_cost.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <numeric>

#include "common/simulator/base/pseudorandom.h"

namespace gridstride::sim {
namespace {

constexpr std::uint32_t banks = 32;

/// Largest number of distinct words in one bank: each round serves one word of every bank.
std::uint32_t rounds_far_apart(std::uint32_t* words, std::uint32_t count) {
  std::uint32_t rounds = 0;
  while (count > 0) {
    ++rounds;
    std::uint32_t taken = 0, left = 0;
    std::uint32_t word_of[banks];
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t word = words[i], bank = word % banks;
      if (!(taken >> bank & 1)) {
        taken |= 1u << bank;
        word_of[bank] = word;
      } else if (word_of[bank] != word) {
        words[left++] = word;
      }
    }
    count = left;
  }
  return rounds;
}

/// As a loop of known length, so that it is vectorised.
std::uint32_t largest(const std::uint32_t* values) {
  std::uint32_t most = 0;
  for (std::uint32_t i = 0; i < 32; ++i) most = std::max(most, values[i]);
  return most;
}

/// Marks in bytes for 1 KiB of shared memory, one for each piece of `bytes`, which `lanes` lanes access at
/// `pieces`: the largest number of different ones in the same banks. Pieces may lie anywhere as long as no
/// two different ones are a multiple of 1 KiB apart.
template <std::uint32_t bytes, std::uint32_t lanes>
std::uint32_t rounds_close_together(const std::uint32_t* pieces) {
  constexpr std::uint32_t in_row = 4 * banks / bytes, all = 1024 / bytes;
  alignas(32) std::uint8_t marks[all] = {};
#pragma GCC unroll 32
  for (std::uint32_t i = 0; i < lanes; ++i) marks[pieces[i] % all] = 1;
  alignas(32) std::uint8_t sums[in_row] = {};
  for (std::uint32_t row = 0; row < all; row += in_row) {
    for (std::uint32_t k = 0; k < in_row; ++k)
      sums[k] = static_cast<std::uint8_t>(sums[k] + marks[row + k]);
  }
  std::uint8_t most = 0;
  for (const std::uint8_t sum : sums) most = std::max(most, sum);
  return most;
}

/// The same, for words within 8 KiB: a set of banks for each row of 32 words, then in how many of
/// the rows each bank is. `full`: there are 32.
template <bool full>
std::uint32_t rounds(std::uint32_t* words, std::uint32_t count) {
  constexpr std::uint32_t most_rows = 64;
  if constexpr (full) {
    count = 32;
    // Mostly all lie in one array of at most 8 aligned rows, which is quickly seen.
    std::uint32_t differs = 0;
    for (std::uint32_t i = 0; i < 32; ++i) differs |= words[i] ^ words[0];
    if (differs / banks == 0) return 1;
    if (differs / (8 * banks) == 0) return rounds_close_together<4, 32>(words);
  }
  std::uint32_t low = ~0u, high = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    low = std::min(low, words[i]);
    high = std::max(high, words[i]);
  }
  const std::uint32_t first = low / banks, rows = high / banks - first + 1;
  if (rows == 1) return 1;
  if (full && rows <= 8) return rounds_close_together<4, 32>(words);
  if (rows > most_rows) return rounds_far_apart(words, count);
  std::uint32_t banks_of[most_rows];
  for (std::uint32_t i = 0; i < rows; i += 8) {
    for (std::uint32_t k = 0; k < 8; ++k) banks_of[i + k] = 0;
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    banks_of[words[i] / banks - first] |= 1u << (words[i] % banks);
  }
  std::uint32_t rows_of[banks];
  for (std::uint32_t bank = 0; bank < banks; ++bank) rows_of[bank] = banks_of[0] >> bank & 1;
  for (std::uint32_t i = 1; i < rows; ++i) {
    for (std::uint32_t bank = 0; bank < banks; ++bank) rows_of[bank] += banks_of[i] >> bank & 1;
  }
  return largest(rows_of);
}

/// True when every pair of lanes (t, t ^ distance) has equal addresses; an inactive lane matches
/// any.
template <class Address>
bool pairs_equal(const Address* offsets, std::uint32_t mask, std::uint32_t distance) {
  for (std::uint32_t t = 0; t < 32; ++t) {
    const std::uint32_t other = t ^ distance;
    if ((mask >> t & 1) && (mask >> other & 1) && offsets[t] != offsets[other]) return false;
  }
  return true;
}

/// For each lane of `mask`, how many have its address; 0 for the others.
template <class Address>
void count_equal(const Address* addresses, std::uint32_t mask, std::uint32_t* same) {
  Address counts[32] = {};  // as wide as what is compared, so that the loop is vectorised
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const Address address = addresses[std::countr_zero(rest)];
    for (std::uint32_t lane = 0; lane < 32; ++lane) counts[lane] += addresses[lane] == address;
  }
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    same[lane] = static_cast<std::uint32_t>(mask >> lane & 1 ? counts[lane] : 0);
  }
}

}  // namespace

bool all_equal(const std::uint64_t* addresses, std::uint32_t mask) {
  const std::uint64_t first = addresses[std::countr_zero(mask)];
  std::uint64_t differs = 0;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    differs |= addresses[std::countr_zero(rest)] ^ first;
  }
  return differs == 0;
}

LineTouches touched_lines(const std::uint64_t* addresses, std::uint32_t mask) {
  // A hash table of places in `lines`, counted from 1; at most half of it is used.
  constexpr std::uint32_t slots = 64;
  std::uint64_t places[slots / 8];
  for (std::uint64_t& eight : places) eight = 0;
  auto* const place_of = reinterpret_cast<std::uint8_t*>(places);
  LineTouches touches;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const std::uint64_t address = addresses[std::countr_zero(rest)];
    const std::uint64_t line = address / 128;
    const std::uint32_t sector = address / 32 % 4;
    auto slot = static_cast<std::uint32_t>(line * golden_multiplier >> 58);
    while (place_of[slot] != 0 && touches.lines[place_of[slot] - 1u].line != line) {
      slot = (slot + 1) % slots;
    }
    if (place_of[slot] != 0) {
      LineTouch& touch = touches.lines[place_of[slot] - 1u];
      touch.sectors |= 1u << sector;
      touch.lanes += 1u << 8 * sector;
    } else {
      touches.lines[touches.count] = {line, 1u << sector, 1u << 8 * sector};
      place_of[slot] = static_cast<std::uint8_t>(++touches.count);
    }
  }
  return touches;
}

namespace {

/// The banks that hold a sector of each line give one line's a cycle.
std::uint32_t passes(const LineTouches& touches) {
  std::uint32_t lines[4] = {};
  for (std::uint32_t i = 0; i < touches.count; ++i) {
    for (std::uint32_t sector = 0; sector < 4; ++sector) {
      lines[sector] += touches.lines[i].sectors >> sector & 1;
    }
  }
  return *std::max_element(lines, lines + 4);
}

/// Lanes that are served at once.
template <class Address>
std::uint32_t lanes_of_group(const Address* addresses, std::uint32_t mask, std::uint32_t bytes) {
  const std::uint32_t group = bytes <= 4 ? 32 : bytes == 8 ? 16 : 8;
  const bool pairs =
      bytes > 4 && (pairs_equal(addresses, mask, 1) || pairs_equal(addresses, mask, 2));
  return pairs ? 2 * group : group;
}

}  // namespace

std::uint32_t l1_passes(const LineTouches& touches, const std::uint64_t* addresses,
                        std::uint32_t mask, std::uint32_t bytes) {
  if (bytes <= 4) return passes(touches);
  const std::uint32_t group = lanes_of_group(addresses, mask, bytes);
  if (group == 32) return passes(touches);
  std::uint32_t sum = 0;
  for (std::uint32_t first = 0; first < 32; first += group) {
    const std::uint32_t lanes = mask & ((1u << group) - 1) << first;
    if (lanes != 0) sum += passes(touched_lines(addresses, lanes));
  }
  return sum;
}

AtomicCost global_atomic_cost(const std::uint64_t* addresses, std::uint32_t mask) {
  AtomicCost cost;
  if (all_equal(addresses, mask)) {
    cost.sectors = cost.serial = static_cast<std::uint32_t>(std::popcount(mask));
    cost.touched[cost.count++] = {addresses[std::countr_zero(mask)] / 32, cost.sectors};
    return cost;
  }
  std::uint32_t same[32];
  count_equal(addresses, mask, same);
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t sector = addresses[lane] / 32;
    std::uint32_t at = cost.count;
    while (at > 0 && cost.touched[at - 1].number != sector) --at;  // mostly the last one
    if (at == 0) {
      cost.touched[cost.count] = {sector, 0};
      at = ++cost.count;
    }
    std::uint32_t& operations = cost.touched[at - 1].operations;
    operations = std::max(operations, same[lane]);
    cost.serial = std::max(cost.serial, same[lane]);
  }
  for (std::uint32_t i = 0; i < cost.count; ++i) cost.sectors += cost.touched[i].operations;
  return cost;
}

namespace {

/// Of all 32 lanes with 8 or 16 bytes each, in groups of `group`. No wavefronts when their addresses are
/// no multiples of that, or too far apart.
template <std::uint32_t bytes, std::uint32_t group>
SharedCost cost_of_groups_close_together(const std::uint32_t* offsets) {
  std::uint32_t pieces[32];
  std::uint32_t any = 0, differs = 0;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    any |= offsets[lane];
    differs |= offsets[lane] ^ offsets[0];
    pieces[lane] = offsets[lane] / bytes;
  }
  if (any % bytes != 0 || differs / 1024 != 0) return {};
  SharedCost cost{0, 32 / group};
  for (std::uint32_t first = 0; first < 32; first += group)
    cost.wavefronts += rounds_close_together<bytes, group>(pieces + first);
  return cost;
}

template <std::uint32_t distance>
bool all_pairs_equal(const std::uint32_t* offsets) {
  std::uint32_t differs = 0;
  for (std::uint32_t t = 0; t < 32; ++t) differs |= offsets[t] ^ offsets[t ^ distance];
  return differs == 0;
}

SharedCost wide_cost_close_together(const std::uint32_t* offsets, std::uint32_t bytes) {
  const bool pairs = all_pairs_equal<1>(offsets) || all_pairs_equal<2>(offsets);
  if (bytes == 8) {
    return pairs ? cost_of_groups_close_together<8, 32>(offsets)
                 : cost_of_groups_close_together<8, 16>(offsets);
  }
  return pairs ? cost_of_groups_close_together<16, 16>(offsets)
               : cost_of_groups_close_together<16, 8>(offsets);
}

SharedCost cost_in_groups(const std::uint32_t* offsets, std::uint32_t mask, std::uint32_t bytes) {
  std::uint32_t words[64];
  const std::uint32_t group = lanes_of_group(offsets, mask, bytes);
  const std::uint32_t words_a_lane = std::max(bytes / 4, 1u);
  SharedCost cost;
  for (std::uint32_t first = 0; first < 32; first += group) {
    std::uint32_t count = 0;
    for (std::uint32_t lane = first; lane < first + group; ++lane) {
      if (!(mask >> lane & 1)) continue;
      for (std::uint32_t k = 0; k < words_a_lane; ++k) words[count++] = offsets[lane] / 4 + k;
    }
    if (count == 0) continue;
    cost.wavefronts += rounds<false>(words, count);
    ++cost.ideal;
  }
  return cost;
}

}  // namespace

SharedCost shared_access_cost(const std::uint32_t* offsets, std::uint32_t mask,
                              std::uint32_t bytes) {
  if (mask != 0 && (mask & (mask - 1)) == 0) return {1, 1};
  if (bytes > 4 && mask == ~0u) {
    const SharedCost cost = wide_cost_close_together(offsets, bytes);
    if (cost.wavefronts != 0) return cost;
  }
  if (bytes > 4 || mask != ~0u) return cost_in_groups(offsets, mask, bytes);
  std::uint32_t words[32];
  for (std::uint32_t lane = 0; lane < 32; ++lane) words[lane] = offsets[lane] / 4;
  return {rounds<true>(words, 32), 1};
}

SharedCost shared_stride_cost(std::uint32_t lanes, std::int32_t stride) {
  if (stride == 0) return {1, 1};
  const std::uint32_t words = static_cast<std::uint32_t>(std::abs(stride)) / 4;
  const std::uint32_t banks_used = banks / std::gcd(words, banks);
  return {(lanes + banks_used - 1) / banks_used, 1};
}

std::uint32_t most_on_one(const std::uint32_t* offsets, std::uint32_t mask) {
  std::uint32_t same[32];
  count_equal(offsets, mask, same);
  return largest(same);
}

CasLoopCost cas_loop_cost(const std::uint32_t* offsets, std::uint32_t mask, std::uint32_t bytes) {
  const std::uint32_t group = bytes <= 4 ? 32 : 16, in_row = 4 * banks / std::max(bytes, 4u);
  CasLoopCost cost{most_on_one(offsets, mask), 0};
  for (std::uint32_t first = 0; first < 32; first += group) {
    std::uint32_t lanes_of[banks] = {}, words_of[banks] = {}, most = 0;
    for (std::uint32_t lane = first; lane < first + group; ++lane) {
      if (!(mask >> lane & 1)) continue;
      const std::uint32_t bank = offsets[lane] / std::max(bytes, 4u) % in_row;
      bool is_new = true;
      for (std::uint32_t other = first; other < lane && is_new; ++other) {
        is_new = !(mask >> other & 1) || offsets[other] != offsets[lane];
      }
      words_of[bank] += is_new;
      cost.iterations = std::max(cost.iterations, ++lanes_of[bank]);
      most = std::max(most, lanes_of[bank] * (words_of[bank] - 1) / 2);
    }
    cost.passes += most;
  }
  return cost;
}

SharedCost shared_atomic_cost(const std::uint32_t* offsets, std::uint32_t mask, bool counts_lanes) {
  if (counts_lanes) return shared_access_cost(offsets, mask, 4);
  std::uint32_t lanes_in_bank[banks] = {};
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    ++lanes_in_bank[offsets[std::countr_zero(rest)] / 4 % banks];
  }
  return {largest(lanes_in_bank), 1};
}

}  // namespace gridstride::sim
