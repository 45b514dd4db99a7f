// See the header.
#include "common/simulator/runtime/memory/host_range.h"

#include <sys/mman.h>

#include <cstdint>

#include "common/simulator/base/round_up.h"

namespace gridstride::sim {

std::uint64_t whole_pages(std::uint64_t bytes) { return round_up(bytes, host_page); }

bool map_host_range(std::uint64_t address, std::uint64_t bytes) {
  return mmap(reinterpret_cast<void*>(address), whole_pages(bytes), PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) != MAP_FAILED;
}

void reserve_host_range(std::uint64_t address, std::uint64_t bytes) {
  mmap(reinterpret_cast<void*>(address), whole_pages(bytes), PROT_NONE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
}

}  // namespace gridstride::sim
