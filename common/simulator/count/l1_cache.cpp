// See l1_cache.h.
#include "common/simulator/count/l1_cache.h"

#include <bit>
#include <cstdint>

namespace gridstride::sim {

void L1Cache::start(std::uint64_t bytes) {
  constexpr std::uint64_t set_bytes = 128 * ways;
  sets_.assign(bytes < set_bytes ? 0 : std::bit_floor(bytes / set_bytes), Set{});
}

}  // namespace gridstride::sim
