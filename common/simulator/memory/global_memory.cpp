// Backing store of the device memory, and the book of what is allocated where.
//
// Address space is cheap and memory is not: the address range is several times the capacity, so
// that a released range is handed out again late and an access through a stale pointer is
// recognised.
#include "common/simulator/memory/global_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <stdexcept>

namespace gridstride::sim {
namespace {

constexpr std::uint64_t granule = 512;  // alignment that cudaMalloc promises (256) and more
constexpr std::uint64_t page = 4096;
constexpr std::uint64_t range_per_capacity = 8;  // addresses before released ones are used again

std::uint64_t round_up(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

}  // namespace

GlobalMemory::GlobalMemory(std::uint64_t capacity)
    : capacity_(capacity),
      range_(round_up(capacity, page) * range_per_capacity + page),
      written_(range_) {
  void* memory = mmap(nullptr, range_, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  backing_ = static_cast<std::byte*>(memory);
  // The same numbers as host addresses must fault. Another instance in this process may have
  // reserved the range already, which serves as well.
  void* wanted = reinterpret_cast<void*>(base);
  void* got = mmap(wanted, range_, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got == wanted) {
    reserved_ = true;
  } else if (got != MAP_FAILED) {
    munmap(got, range_);
  }
}

GlobalMemory::~GlobalMemory() {
  munmap(backing_, range_);
  if (reserved_) munmap(reinterpret_cast<void*>(base), range_);
}

std::optional<DeviceAddress> GlobalMemory::reuse(std::uint64_t bytes) {
  // The range released longest ago that is large enough; its record goes.
  auto oldest = allocations_.end();
  for (auto it = allocations_.begin(); it != allocations_.end(); ++it) {
    // Freed blocks of the heap are given out again by the heap.
    const bool free = !it->second.live && it->second.origin != Allocation::Origin::heap;
    if (!free || span_of(it->second.size) < bytes) continue;
    if (oldest == allocations_.end() || it->second.serial < oldest->second.serial) oldest = it;
  }
  if (oldest == allocations_.end()) return std::nullopt;
  const DeviceAddress begin = oldest->first;
  allocations_.erase(oldest);
  return begin;
}

std::uint64_t GlobalMemory::span_of(std::uint64_t bytes) {
  return round_up(bytes, granule) + granule;  // never touches its neighbour
}

DeviceAddress GlobalMemory::allocate(std::uint64_t bytes, std::string name, bool read_only) {
  if (bytes > capacity_ || used_ > capacity_ - bytes) return 0;
  const std::uint64_t span = span_of(bytes);
  DeviceAddress begin = 0;
  if (next_ + span <= range_) {
    begin = base + next_;
    next_ += span;
  } else if (const auto again = reuse(span)) {
    begin = *again;
  } else {
    return 0;
  }
  Allocation& allocation = allocations_[begin];
  allocation = {.begin = begin,
                .size = bytes,
                .live = true,
                .read_only = read_only,
                .name = std::move(name),
                .serial = 0,
                .origin = Allocation::Origin::host};
  if (allocation.name.empty()) {
    allocation.serial = ++serial_;
    written_.clear(begin - base, bytes);
  } else {
    allocation.origin = Allocation::Origin::variable;
    written_.set(begin - base, bytes);
  }
  used_ += bytes;
  return begin;
}

DeviceAddress GlobalMemory::allocate_as(std::uint64_t bytes, Allocation::Origin origin) {
  const DeviceAddress begin = allocate(bytes);
  if (begin == 0) return 0;
  --serial_;  // no cudaMalloc
  Allocation& allocation = allocations_.at(begin);
  allocation.serial = 0;
  allocation.origin = origin;
  return begin;
}

DeviceAddress GlobalMemory::constant_text(const std::string& text) {
  DeviceAddress& address = texts_[text];
  if (address != 0) return address;
  address = allocate(text.size() + 1, "text", true);
  if (address != 0) std::copy(text.begin(), text.end(), reinterpret_cast<char*>(host(address)));
  return address;
}

void GlobalMemory::forget(DeviceAddress address, Allocation::Origin origin) {
  if (!release(address, origin)) return;
  const auto it = allocations_.find(address);
  const std::uint64_t end = address - base + span_of(it->second.size);
  if (end != next_) return;
  next_ = address - base;
  allocations_.erase(it);
}

bool GlobalMemory::revive(DeviceAddress address, std::uint64_t bytes) {
  const auto it = allocations_.find(address);
  if (it == allocations_.end() || it->second.live || span_of(it->second.size) != span_of(bytes) ||
      bytes > capacity_ || used_ > capacity_ - bytes) {
    return false;
  }
  it->second.live = true;
  it->second.size = bytes;
  written_.clear(address - base, bytes);
  used_ += bytes;
  return true;
}

bool GlobalMemory::release(DeviceAddress address, Allocation::Origin origin) {
  const auto it = allocations_.find(address);
  if (it == allocations_.end() || !it->second.live || it->second.origin != origin) return false;
  Allocation& allocation = it->second;
  allocation.live = false;
  used_ -= allocation.size;
  // Contents go, so that nobody reads what another left behind. Whole pages go back to the system;
  // neighbours share the first and the last one.
  std::byte* begin = host(allocation.begin);
  std::byte* end = begin + allocation.size;
  const auto offset = static_cast<std::uint64_t>(begin - backing_);
  std::byte* first = backing_ + round_up(offset, page);
  std::byte* last = backing_ + (offset + allocation.size) / page * page;
  if (first < last) {
    std::fill(begin, first, std::byte{0});
    madvise(first, static_cast<std::size_t>(last - first), MADV_DONTNEED);
    std::fill(last, end, std::byte{0});
  } else {
    std::fill(begin, end, std::byte{0});
  }
  return true;
}

std::vector<Allocation> GlobalMemory::unreleased() const {
  std::vector<Allocation> result;
  for (const auto& [begin, allocation] : allocations_) {
    if (allocation.live && allocation.origin == Allocation::Origin::host) {
      result.push_back(allocation);
    }
  }
  std::ranges::sort(result, {}, &Allocation::serial);
  return result;
}

const Allocation* GlobalMemory::find(DeviceAddress address) const {
  auto it = allocations_.upper_bound(address);
  if (it == allocations_.begin()) return nullptr;
  const Allocation& allocation = std::prev(it)->second;
  return allocation.live && address - allocation.begin < allocation.size ? &allocation : nullptr;
}

const Allocation* GlobalMemory::nearest(DeviceAddress address) const {
  const auto above = allocations_.upper_bound(address);
  if (above == allocations_.begin()) return above == allocations_.end() ? nullptr : &above->second;
  const Allocation& below = std::prev(above)->second;
  if (address - below.begin < below.size || above == allocations_.end()) return &below;
  const std::uint64_t past = address - (below.begin + below.size);
  return above->first - address < past ? &above->second : &below;
}

bool GlobalMemory::contains(DeviceAddress address, std::uint64_t bytes) const {
  const Allocation* allocation = find(address);
  return allocation && bytes <= allocation->size - (address - allocation->begin);
}

}  // namespace gridstride::sim
