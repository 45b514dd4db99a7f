// Maps the host's pages, and moves granules between host and device.
#include "common/simulator/runtime/memory/managed_memory.h"

#include <sys/mman.h>
#include <sys/sysinfo.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "common/simulator/base/cuda_error.h"
#include "common/simulator/runtime/memory/host_range.h"
#include "common/simulator/runtime/memory/managed_pages.h"

namespace gridstride::sim {
namespace {

constexpr std::uint64_t granule_bytes = std::uint64_t{64} << 10;

[[noreturn]] void no_memory(std::uint64_t bytes) {
  throw DeviceError(
      error_memory_allocation, false,
      std::to_string(bytes) + " bytes of managed memory cannot be mapped on the host");
}

/// Which pages of fresh memory the host has touched. Where pages can be swapped out, all of them
/// count: the kernel does not tell one that was from one that never existed.
std::vector<unsigned char> touched_pages(const std::byte* begin, std::uint64_t bytes) {
  std::vector<unsigned char> pages(bytes / host_page, 1);
  struct sysinfo system {};
  const bool can_swap = sysinfo(&system) != 0 || system.totalswap != 0;
  if (can_swap || mincore(const_cast<std::byte*>(begin), bytes, pages.data()) != 0) {
    std::ranges::fill(pages, 1);
  }
  return pages;
}

}  // namespace

ManagedMemory::~ManagedMemory() { clear(); }

std::uint64_t ManagedMemory::Region::mapped_bytes() const { return whole_pages(bytes); }

void ManagedMemory::add(DeviceAddress begin, std::uint64_t bytes, bool on_device) {
  Region region;
  region.begin = begin;
  region.bytes = bytes;
  region.granules.assign((bytes + granule_bytes - 1) / granule_bytes,
                         on_device ? State::device : State::fresh);
  region.host_has_some = !on_device;
  const std::uint64_t mapped = region.mapped_bytes();
  const int access = on_device ? PROT_NONE : PROT_READ | PROT_WRITE;
  void* view = reinterpret_cast<void*>(begin);
  // Shared, for the second mapping; and with no name, for a sandbox may allow no file that large.
  if (mmap(view, mapped, access, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) ==
      MAP_FAILED) {
    no_memory(bytes);
  }
  // An old length of 0 maps the same pages once more.
  void* copy = mremap(view, 0, mapped, MREMAP_MAYMOVE);
  if (copy == MAP_FAILED || mprotect(copy, mapped, PROT_READ | PROT_WRITE) != 0) {
    reserve_host_range(begin, mapped);
    no_memory(bytes);
  }
  region.copy = static_cast<std::byte*>(copy);
  set_managed_pages(begin, mapped, true);
  host_has_some_ = host_has_some_ || region.host_has_some;
  regions_[begin] = std::move(region);
}

void ManagedMemory::unmap(const Region& region) {
  munmap(region.copy, region.mapped_bytes());
  reserve_host_range(region.begin, region.mapped_bytes());
  set_managed_pages(region.begin, region.mapped_bytes(), false);
}

void ManagedMemory::remove(DeviceAddress begin) {
  const auto found = regions_.find(begin);
  if (found == regions_.end()) return;
  unmap(found->second);
  regions_.erase(found);
}

void ManagedMemory::clear() {
  for (const auto& [begin, region] : regions_) unmap(region);
  regions_.clear();
}

ManagedMemory::Region* ManagedMemory::region_of(DeviceAddress address) {
  auto after = regions_.upper_bound(address);
  if (after == regions_.begin()) return nullptr;
  Region& region = (--after)->second;
  return address - region.begin < region.mapped_bytes() ? &region : nullptr;
}

bool ManagedMemory::holds(DeviceAddress address) const {
  auto after = regions_.upper_bound(address);
  if (after == regions_.begin()) return false;
  const Region& region = (--after)->second;
  return address - region.begin < region.bytes;
}

ManagedMemory::Advice* ManagedMemory::advice(DeviceAddress address, std::uint64_t bytes) {
  Region* region = region_of(address);
  if (region == nullptr) return nullptr;
  const std::uint64_t offset = address - region->begin;
  const bool inside = offset <= region->bytes && bytes <= region->bytes - offset;
  return inside ? &region->advice : nullptr;
}

void ManagedMemory::set_state(Region& region, std::size_t granule, State state) {
  region.granules[granule] = state;
  int access = PROT_READ | PROT_WRITE;
  if (state == State::device) access = PROT_NONE;
  if (state == State::both) access = PROT_READ;
  const std::uint64_t from = granule * granule_bytes;
  mprotect(reinterpret_cast<void*>(region.begin + from),
           std::min(granule_bytes, region.mapped_bytes() - from), access);
}

void ManagedMemory::give(Device& device, StreamId stream, Region& region) {
  if (!region.host_has_some) return;
  // What the host has written, in runs as long as they are.
  std::uint64_t run_begin = 0, run_end = 0;
  const auto send = [&] {
    const std::uint64_t end = std::min(run_end, region.bytes);
    if (run_begin < end) {
      device.write(region.begin + run_begin, {region.copy + run_begin, end - run_begin}, stream);
    }
  };
  const auto add = [&](std::uint64_t from, std::uint64_t to) {
    if (from != run_end) {
      send();
      run_begin = from;
    }
    run_end = to;
  };
  for (std::size_t i = 0; i < region.granules.size(); ++i) {
    const std::uint64_t from = i * granule_bytes;
    const std::uint64_t to = std::min(from + granule_bytes, region.mapped_bytes());
    if (region.granules[i] == State::host) add(from, to);
    if (region.granules[i] != State::fresh) continue;
    const auto touched = touched_pages(region.copy + from, to - from);
    for (std::size_t page = 0; page < touched.size(); ++page) {
      const std::uint64_t at = from + page * host_page;
      if ((touched[page] & 1) != 0) add(at, at + host_page);
    }
  }
  send();
  std::ranges::fill(region.granules, State::device);
  region.host_has_some = false;
  mprotect(reinterpret_cast<void*>(region.begin), region.mapped_bytes(), PROT_NONE);
}

void ManagedMemory::give_to_device(Device& device, StreamId stream) {
  if (!host_has_some_) return;
  for (auto& [begin, region] : regions_) give(device, stream, region);
  host_has_some_ = false;
}

void ManagedMemory::give_to_device(Device& device, StreamId stream, DeviceAddress address,
                                   std::uint64_t bytes) {
  Region* region = region_of(address);
  if (region != nullptr && bytes != 0) give(device, stream, *region);
}

void ManagedMemory::fetch(Device& device, StreamId stream, Region& region, std::size_t granule) {
  const std::uint64_t from = granule * granule_bytes;
  const std::uint64_t bytes = std::min(granule_bytes, region.bytes - from);
  device.read({region.copy + from, bytes}, region.begin + from, stream);
}

void ManagedMemory::bring_to_host(Device& device, StreamId stream, DeviceAddress address,
                                  std::uint64_t bytes) {
  Region* region = region_of(address);
  if (region == nullptr || bytes == 0) return;
  const std::uint64_t offset = address - region->begin;
  for (std::size_t i = offset / granule_bytes; i <= (offset + bytes - 1) / granule_bytes; ++i) {
    if (region->granules[i] != State::device) continue;
    fetch(device, stream, *region, i);
    set_state(*region, i, State::both);
    region->host_has_some = host_has_some_ = true;
  }
}

bool ManagedMemory::resolve_fault(Device& device, StreamId stream, DeviceAddress address,
                                  HostAccess access) noexcept {
  Region* region = region_of(address);
  if (region == nullptr) return false;
  const std::size_t granule = (address - region->begin) / granule_bytes;
  const State state = region->granules[granule];
  // A read of what may be read does not fault.
  const bool write =
      access == HostAccess::write || (access == HostAccess::unknown && state == State::both);
  // Another thread may have been here first.
  if (state == State::fresh || state == State::host || (state == State::both && !write))
    return true;
  if (state == State::device) {
    try {
      fetch(device, stream, *region, granule);
    } catch (const std::exception&) {
      // The error sticks; the program hears of it at its next call.
    }
  }
  set_state(*region, granule, write ? State::host : State::both);
  region->host_has_some = host_has_some_ = true;
  return true;
}

}  // namespace gridstride::sim
