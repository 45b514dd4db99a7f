// Replacement in the modelled L2.
#include "common/simulator/count/l2_cache.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace gridstride::sim {
namespace {

constexpr std::uint32_t free_tag = ~0u;
constexpr std::uint64_t first_order = 0x0123456789abcdef;  // way 0 goes first

}  // namespace

L2Cache::L2Cache(std::uint64_t bytes) : sets_(std::max<std::uint64_t>(bytes / 128 / ways, 1)) {
  clear();
}

void L2Cache::clear() {
  Set empty;
  empty.tags.fill(free_tag);
  empty.order = first_order;
  empty.sectors.fill(0);
  empty.words.fill(0);
  std::fill(sets_.begin(), sets_.end(), empty);
  rows_.clear();
}

L2Cache::Outcome L2Cache::replace(Set& set, std::uint32_t tag) {
  const auto way = static_cast<std::uint32_t>(set.order >> 60);
  const std::uint32_t whole = set.sectors[way] & 15, dirty = set.sectors[way] >> 4;
  Outcome outcome;
  outcome.dram_writes = static_cast<std::uint32_t>(std::popcount(dirty));
  if (const std::uint32_t fetched = in_pairs(dirty & ~whole) & ~whole; fetched != 0) {
    outcome.fills = static_cast<std::uint32_t>(std::popcount(fetched));
    outcome.lone_reads = rows_.opens(set.tags[way]) && outcome.fills <= 2 ? 1 : 0;
  }
  set.tags[way] = tag;
  set.sectors[way] = 0;
  set.words[way] = 0;
  return outcome;
}

std::uint32_t L2Cache::store_words(Set& set, std::uint32_t way, std::uint32_t mask,
                                   std::uint32_t stored) {
  constexpr std::uint32_t words_of_sector = 8;
  std::uint32_t words = set.words[way], complete = 0;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto sector = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint32_t before = words >> 3 * sector & 7;
    const std::uint32_t now = before + (stored >> 8 * sector & 255);
    words &= ~(7u << 3 * sector);
    if (now >= words_of_sector) {
      complete |= 1u << sector;
    } else {
      words |= now << 3 * sector;
    }
  }
  set.words[way] = static_cast<std::uint16_t>(words);
  return complete;
}

}  // namespace gridstride::sim
