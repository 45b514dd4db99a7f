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
  empty.valid.fill(0);
  empty.dirty.fill(0);
  std::fill(sets_.begin(), sets_.end(), empty);
}

std::uint32_t L2Cache::replace(Set& set, std::uint32_t tag) {
  const auto way = static_cast<std::uint32_t>(set.order >> 60);
  const auto written = static_cast<std::uint32_t>(std::popcount(set.dirty[way]));
  set.tags[way] = tag;
  set.valid[way] = set.dirty[way] = 0;
  return written;
}

}  // namespace gridstride::sim
