// The simulated GPU's DRAM: an address range of its own and what is allocated in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gridstride::sim {

using DeviceAddress = std::uint64_t;

/// One live or released allocation, or a module variable.
struct Allocation {
  DeviceAddress begin = 0;
  std::uint64_t size = 0;
  bool live = true;
  bool read_only = false;    ///< constant variables
  std::string name;          ///< of a module variable; empty for cudaMalloc
  std::uint64_t serial = 0;  ///< "the 3rd cudaMalloc", counted from 1; 0 for variables
};

/// Owns the backing store. Device addresses start at `base` and are reserved but inaccessible on
/// the host, so a host dereference faults. Not thread-safe.
class GlobalMemory {
 public:
  /// Lowest device address.
  static constexpr DeviceAddress base = 0x0a00'0000'0000;

  explicit GlobalMemory(std::uint64_t capacity);
  ~GlobalMemory();
  GlobalMemory(const GlobalMemory&) = delete;
  GlobalMemory& operator=(const GlobalMemory&) = delete;

  /// 0 when `bytes` do not fit. Addresses are multiples of 512; between allocations lies a gap, so
  /// that one past the end never is another allocation.
  DeviceAddress allocate(std::uint64_t bytes, std::string name = {}, bool read_only = false);
  /// False when `address` is not the start of a live cudaMalloc allocation.
  bool release(DeviceAddress address);

  std::uint64_t capacity() const { return capacity_; }
  std::uint64_t used() const { return used_; }

  /// The live allocation that holds `address`, or null. Stays valid until it is released.
  const Allocation* find(DeviceAddress address) const;
  /// The nearest allocation, live or released, for messages; null when there never was one.
  /// Released ones are remembered until their addresses are handed out again, which is as late as
  /// possible.
  const Allocation* nearest(DeviceAddress address) const;

  /// One past the highest address handed out so far.
  DeviceAddress end() const { return base + next_; }

  /// Host address of device address `address`; no check.
  std::byte* host(DeviceAddress address) const { return backing_ + (address - base); }
  /// True when [address, address+bytes) lies in one live allocation.
  bool contains(DeviceAddress address, std::uint64_t bytes) const;

 private:
  static std::uint64_t span_of(std::uint64_t bytes);
  std::optional<DeviceAddress> reuse(std::uint64_t bytes);

  std::uint64_t capacity_ = 0, used_ = 0, serial_ = 0;
  std::uint64_t range_ = 0, next_ = 0;  ///< bytes of address space, and of those handed out
  bool reserved_ = false;               ///< this instance holds the inaccessible host range
  std::byte* backing_ = nullptr;
  std::map<DeviceAddress, Allocation> allocations_;
};

}  // namespace gridstride::sim
