// Managed memory: the same addresses on host and device, each with pages of its own.
//
// The device has its copy, this process has another at the same addresses, which lie in the range
// that host code otherwise cannot touch. A granule of 64 KiB is valid on the host, on the device,
// or on both. Before work is given to the device, what the host has written is copied there and the
// host's pages are made inaccessible; when the host then touches one, the fault brings its granule
// back. So every byte travels by a copy that the device sees and charges for, also when the device
// is another process that must not share memory with this one.
//
// Work is executed when it is given to the device, so the host sees what a kernel has written as
// soon as it was launched, and a kernel never sees what the host writes meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "common/simulator/device/device.h"
#include "common/simulator/runtime/memory/cudart.h"

namespace gridstride::sim {

/// What the host wanted of a page that it could not reach: `unknown` where the system does not say.
enum class HostAccess { read, write, unknown };

/// Belongs to the Runtime, under its lock.
class ManagedMemory {
 public:
  /// What programs say about a range and ask back; nothing here depends on it.
  struct Advice {
    bool read_mostly = false, accessed_by_device = false, accessed_by_host = false;
    cudaMemLocation preferred{cudaMemLocationTypeInvalid, cudaInvalidDeviceId};
    cudaMemLocation prefetched{cudaMemLocationTypeInvalid, cudaInvalidDeviceId};
  };

  ManagedMemory() = default;
  ~ManagedMemory();
  ManagedMemory(const ManagedMemory&) = delete;
  ManagedMemory& operator=(const ManagedMemory&) = delete;

  /// `begin` is what Device::allocate_shared gave, or a managed variable. With `on_device` the
  /// device holds its value, otherwise nobody has written it. Throws DeviceError
  /// (cudaErrorMemoryAllocation).
  void add(DeviceAddress begin, std::uint64_t bytes, bool on_device);
  /// Nothing when there is none at `begin`.
  void remove(DeviceAddress begin);
  void clear();
  bool holds(DeviceAddress address) const;
  /// The whole range lies in one of them: its advice, which the caller may change. Else null.
  Advice* advice(DeviceAddress address, std::uint64_t bytes);

  /// The device may read and write all of it from now on; the copies are work of `stream`.
  void give_to_device(Device& device, StreamId stream);
  /// The same for what holds this range.
  void give_to_device(Device& device, StreamId stream, DeviceAddress address, std::uint64_t bytes);
  /// The host may read the range without a fault.
  void bring_to_host(Device& device, StreamId stream, DeviceAddress address, std::uint64_t bytes);
  /// The host has touched `address` and could not: true when it can now. When the device fails, the
  /// host gets back what it had.
  bool resolve_fault(Device& device, StreamId stream, DeviceAddress address,
                     HostAccess access) noexcept;

 private:
  enum class State : std::uint8_t {
    fresh,   ///< accessible; the device has nothing, the host perhaps
    device,  ///< inaccessible; the host's copy is old
    both,    ///< readable
    host,    ///< accessible; the device's copy is old
  };
  struct Region {
    DeviceAddress begin = 0;
    std::uint64_t bytes = 0;
    std::byte* copy = nullptr;  ///< the same pages as at `begin`, always accessible
    std::vector<State> granules;
    bool host_has_some = false;  ///< some granule is not in state `device`
    Advice advice;

    std::uint64_t mapped_bytes() const;
  };

  Region* region_of(DeviceAddress address);
  void give(Device& device, StreamId stream, Region& region);
  void fetch(Device& device, StreamId stream, Region& region, std::size_t granule);
  static void set_state(Region& region, std::size_t granule, State state);
  static void unmap(const Region& region);

  std::map<DeviceAddress, Region> regions_;
  bool host_has_some_ = false;
};

}  // namespace gridstride::sim
