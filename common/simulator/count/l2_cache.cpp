// Look-up and replacement in the modelled L2.
#include "common/simulator/count/l2_cache.h"

#include <algorithm>
#include <bit>

namespace gridstride::sim {
namespace {

constexpr std::uint32_t free_tag = ~0u;

}  // namespace

L2Cache::L2Cache(std::uint64_t bytes) : sets_(std::max<std::uint64_t>(bytes / 128 / ways, 1)) {
  clear();
}

void L2Cache::clear() {
  Set empty;
  empty.tags.fill(free_tag);
  empty.last_use.fill(0);
  empty.valid.fill(0);
  empty.dirty.fill(0);
  std::fill(sets_.begin(), sets_.end(), empty);
  clock_ = 0;
}

std::uint32_t L2Cache::replace(Set& set, std::uint32_t tag, Outcome& outcome) {
  // The first of the oldest, in loops that are vectorised.
  std::uint32_t oldest = ~0u, is_oldest = 0;
  for (std::uint32_t i = 0; i < ways; ++i) oldest = std::min(oldest, set.last_use[i]);
  for (std::uint32_t i = 0; i < ways; ++i) is_oldest |= (set.last_use[i] == oldest ? 1u : 0u) << i;
  const auto way = static_cast<std::uint32_t>(std::countr_zero(is_oldest));
  outcome.dram_writes += static_cast<std::uint32_t>(std::popcount(set.dirty[way]));
  set.tags[way] = tag;
  set.valid[way] = set.dirty[way] = 0;
  return way;
}

L2Cache::Outcome L2Cache::access(std::uint64_t address, std::uint32_t mask, bool write) {
  if (++clock_ ==
      ~0u) {  // ages start over: order within a set is lost once in four billion accesses
    for (Set& set : sets_) set.last_use.fill(0);
    clock_ = 1;
  }
  const auto tag = static_cast<std::uint32_t>(address / 128);
  // Hashed, as on the hardware, so that power-of-two strides do not fall into few sets.
  const std::uint64_t hash = (tag * 0x9e3779b1u) & 0xffffffffu;
  Set& set = sets_[hash * sets_.size() >> 32];
  std::uint32_t match = 0;
  for (std::uint32_t i = 0; i < ways; ++i) match |= (set.tags[i] == tag ? 1u : 0u) << i;
  Outcome outcome;
  const std::uint32_t way =
      match != 0 ? static_cast<std::uint32_t>(std::countr_zero(match)) : replace(set, tag, outcome);
  set.last_use[way] = clock_;
  const std::uint32_t present = mask & set.valid[way];
  outcome.hits = static_cast<std::uint32_t>(std::popcount(present));
  if (!write) outcome.dram_reads = static_cast<std::uint32_t>(std::popcount(mask & ~present));
  set.valid[way] = static_cast<std::uint8_t>(set.valid[way] | mask);
  if (write) set.dirty[way] = static_cast<std::uint8_t>(set.dirty[way] | mask);
  return outcome;
}

}  // namespace gridstride::sim
