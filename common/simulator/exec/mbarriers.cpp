// See mbarriers.h.
#include "common/simulator/exec/mbarriers.h"

#include <cstdint>

namespace gridstride::sim {

void Mbarriers::initialise(std::uint32_t offset, std::uint32_t expected) {
  all_[offset] = {.expected = expected, .pending = expected, .copies = {}};
}

Mbarriers::Mbarrier* Mbarriers::find(std::uint32_t offset) {
  const auto it = all_.find(offset);
  return it == all_.end() ? nullptr : &it->second;
}

}  // namespace gridstride::sim
