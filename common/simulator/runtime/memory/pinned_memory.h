// Pinned host memory: plain memory for the host, which kernels can use as well once it is mapped.
//
// What cudaHostAlloc gives has the same address on the device; what cudaHostRegister was told about
// has another there. A block counts as mapped when the program said so, asked for its device
// pointer, or handed its address to a kernel. Mapped blocks are copied to the device before each
// launch and back behind it, so a kernel and the host never see each other's writes while it runs.
#pragma once

#include <cstddef>
#include <map>
#include <span>

#include "common/simulator/device/device.h"

namespace gridstride::sim {

/// Belongs to the Runtime, under its lock.
class PinnedMemory {
 public:
  struct Block {
    std::size_t bytes = 0;
    unsigned flags = 0;
    bool registered = false;   ///< by cudaHostRegister: somebody else's memory
    DeviceAddress device = 0;  ///< where kernels find it; 0 when nobody has asked
    bool mapped = false;
  };

  PinnedMemory() = default;
  ~PinnedMemory();
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;

  /// Zeros, on pages of its own. Throws DeviceError (cudaErrorMemoryAllocation).
  void* allocate(Device& device, std::size_t bytes, unsigned flags, bool mapped);
  void add_registered(void* memory, std::size_t bytes, unsigned flags);
  /// `memory` must be the start of a block.
  void remove(Device& device, const void* memory);
  /// Gives back what was allocated and forgets what was registered; nothing is asked of a device.
  void clear();

  /// Null when no block holds `pointer`, which is one of the host's.
  const Block* find(const void* pointer) const;
  /// The block that begins there, or null.
  const Block* starting_at(const void* memory) const;
  /// The device's pointer to the same byte; maps the block. `pointer` must lie in a block.
  DeviceAddress device_pointer(Device& device, const void* pointer);
  /// The host's pointer to what is at this device address of a registered block; otherwise
  /// `pointer` itself.
  void* host_pointer(void* pointer) const;

  /// Around a launch with these arguments; work of `stream`.
  void give_to_device(Device& device, StreamId stream, std::span<const std::byte> arguments);
  void take_from_device(Device& device, StreamId stream);

 private:
  using Blocks = std::map<const std::byte*, Block>;
  Blocks::const_iterator holding(const void* pointer) const;

  Blocks blocks_;
  std::map<DeviceAddress, const std::byte*> registered_;  ///< mapped ones, by device address
};

}  // namespace gridstride::sim
