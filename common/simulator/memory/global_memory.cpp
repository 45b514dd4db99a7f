// Backing store of the device memory, and the registry of what is allocated where.
//
// Address space is cheap and memory is not: the address range is several times the capacity, so
// that a released range is handed out again late and an access through a stale pointer is
// recognised.
#include "common/simulator/memory/global_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <new>
#include <optional>
#include <utility>
#include <vector>

namespace gridstride::sim {
namespace {

// Where cudaMalloc puts things on an H200: small ones 512 bytes apart, large ones on pages of their
// own. What lies near each other shares a unit of the L2 (count/atomic_queues.h).
constexpr std::uint64_t granule = 512;
constexpr std::uint64_t small = 256, large = std::uint64_t{1} << 20;
constexpr std::uint64_t large_page = std::uint64_t{2} << 20;
constexpr std::uint64_t host_page = 4096;
constexpr std::uint64_t range_per_capacity = 8;  // addresses before released ones are used again
/// Each may split a mapping of the host's in three, of which Linux lets a process have 65530.
constexpr std::uint64_t most_on_large_pages = 8192;

std::uint64_t round_up(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

std::uint64_t alignment_of(std::uint64_t bytes) { return bytes >= large ? large_page : granule; }

}  // namespace

GlobalMemory::GlobalMemory(std::uint64_t capacity)
    : capacity_(capacity),
      range_(round_up(capacity, host_page) * range_per_capacity + host_page),
      initialised_(range_) {
  void* memory = mmap(nullptr, range_ + large_page, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  mapped_ = static_cast<std::byte*>(memory);
  backing_ = mapped_ + -reinterpret_cast<std::uintptr_t>(memory) % large_page;
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
  munmap(mapped_, range_ + large_page);
  if (reserved_) munmap(reinterpret_cast<void*>(base), range_);
}

// Freed blocks of the heap are given out again by the heap.
bool GlobalMemory::is_free(const Allocation& one) {
  return !one.live && one.origin != Allocation::Origin::heap;
}

std::optional<DeviceAddress> GlobalMemory::reuse(std::uint64_t bytes, std::uint64_t alignment) {
  // The range allocated longest ago that is large enough; its record goes.
  auto oldest = allocations_.end();
  for (auto it = allocations_.begin(); it != allocations_.end(); ++it) {
    const Allocation& one = it->second;
    const std::uint64_t lost = round_up(one.begin, alignment) - one.begin;
    if (!is_free(one) || one.span < bytes + lost) continue;
    if (oldest == allocations_.end() || one.order < oldest->second.order) oldest = it;
  }
  if (oldest == allocations_.end()) return reuse_several(bytes, alignment);
  const DeviceAddress begin = round_up(oldest->first, alignment);
  allocations_.erase(oldest);
  return begin;
}

std::optional<DeviceAddress> GlobalMemory::reuse_several(std::uint64_t bytes,
                                                         std::uint64_t alignment) {
  // The lowest addresses between two allocations that are not free.
  DeviceAddress begin = base;
  const auto fits_before = [&](DeviceAddress end) { return begin <= end && end - begin >= bytes; };
  for (const auto& [address, one] : allocations_) {
    if (is_free(one)) continue;
    if (fits_before(address)) break;
    begin = round_up(address + one.span, alignment);
  }
  if (!fits_before(base + range_)) return std::nullopt;
  std::erase_if(allocations_, [&](const auto& entry) {
    return is_free(entry.second) && entry.first < begin + bytes &&
           entry.first + entry.second.span > begin;
  });
  return begin;
}

std::optional<DeviceAddress> GlobalMemory::place(std::uint64_t bytes, std::uint64_t alignment) {
  const std::uint64_t begin = round_up(next_, alignment);
  if (begin + bytes > range_) return reuse(bytes, alignment);
  next_ = begin + bytes;
  return base + begin;
}

std::uint64_t& GlobalMemory::used_by(Allocation::Origin origin) {
  return origin == Allocation::Origin::pinned ? pinned_ : used_;
}

std::uint64_t GlobalMemory::span_of(std::uint64_t bytes) {
  // Never touches its neighbour.
  if (bytes <= small) return granule;
  if (bytes >= large) return round_up(bytes + granule, large_page);
  return round_up(bytes + granule, 2 * granule);
}

DeviceAddress GlobalMemory::add(Allocation what, std::uint64_t alignment) {
  using Origin = Allocation::Origin;
  std::uint64_t& used = used_by(what.origin);
  if (what.size > capacity_ || used > capacity_ - what.size) return 0;
  what.span = round_up(span_of(what.size), std::min(alignment, host_page));
  const auto begin = place(what.span, alignment);
  if (!begin) return 0;
  what.begin = *begin;
  what.order = ++allocated_;
  const bool by_call = what.origin == Origin::host || what.origin == Origin::managed ||
                       what.origin == Origin::pinned;
  if (by_call) what.serial = ++serials_[what.origin];
  if (what.name.empty()) {
    initialised_.clear(*begin - base, what.size);
  } else {
    initialised_.set(*begin - base, what.size);
  }
  // The host gives memory a page at a time, when it is first touched: large ones are as many times faster.
  const std::uint64_t whole_pages = what.size / large_page * large_page;
  if (whole_pages != 0 && on_large_pages_++ < most_on_large_pages)
    madvise(host(*begin), whole_pages, MADV_HUGEPAGE);
  used += what.size;
  allocations_[*begin] = std::move(what);
  return *begin;
}

DeviceAddress GlobalMemory::allocate(std::uint64_t bytes, std::string name, bool read_only) {
  Allocation what;
  what.size = bytes;
  what.read_only = read_only;
  if (!name.empty()) what.origin = Allocation::Origin::variable;
  what.name = std::move(name);
  return add(std::move(what), alignment_of(bytes));
}

DeviceAddress GlobalMemory::allocate_as(std::uint64_t bytes, Allocation::Origin origin) {
  Allocation what;
  what.size = bytes;
  what.origin = origin;
  return add(std::move(what), alignment_of(bytes));
}

DeviceAddress GlobalMemory::allocate_pages(std::uint64_t bytes, Allocation::Origin origin,
                                           std::string name) {
  Allocation what;
  what.size = bytes;
  what.origin = origin;
  what.name = std::move(name);
  return add(std::move(what), host_page);
}

void GlobalMemory::set_made_in(DeviceAddress address, std::function<std::string()> site) {
  allocations_.at(address).made_in = std::move(site);
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
  const std::uint64_t end = address - base + it->second.span;
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
  initialised_.clear(address - base, bytes);
  used_ += bytes;
  return true;
}

bool GlobalMemory::release(DeviceAddress address, Allocation::Origin origin) {
  const auto it = allocations_.find(address);
  if (it == allocations_.end() || !it->second.live || it->second.origin != origin) return false;
  Allocation& allocation = it->second;
  allocation.live = false;
  used_by(origin) -= allocation.size;
  // Contents go, so that nobody reads what another left behind. Whole pages go back to the system;
  // neighbours share the first and the last one.
  std::byte* begin = host(allocation.begin);
  std::byte* end = begin + allocation.size;
  const auto offset = static_cast<std::uint64_t>(begin - backing_);
  std::byte* first = backing_ + round_up(offset, host_page);
  std::byte* last = backing_ + (offset + allocation.size) / host_page * host_page;
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
    if (allocation.live && allocation.serial != 0) result.push_back(allocation);
  }
  std::ranges::sort(result, {}, &Allocation::order);
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
