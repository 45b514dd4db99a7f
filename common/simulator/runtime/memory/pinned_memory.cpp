// See the header.
#include "common/simulator/runtime/memory/pinned_memory.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "common/simulator/base/cuda_error.h"
#include "common/simulator/runtime/memory/host_range.h"

namespace gridstride::sim {

PinnedMemory::~PinnedMemory() { clear(); }

void* PinnedMemory::allocate(Device& device, std::size_t bytes, unsigned flags, bool mapped) {
  const DeviceAddress address = device.allocate_shared(bytes, SharedMemory::pinned);
  if (!map_host_range(address, bytes)) {
    device.release(address);
    throw DeviceError(error_memory_allocation, false,
                      std::to_string(bytes) + " bytes of host memory are not to be had");
  }
  auto* memory = reinterpret_cast<std::byte*>(address);
  blocks_[memory] = {
      .bytes = bytes, .flags = flags, .registered = false, .device = address, .mapped = mapped};
  return memory;
}

void PinnedMemory::add_registered(void* memory, std::size_t bytes, unsigned flags) {
  blocks_[static_cast<std::byte*>(memory)] = {
      .bytes = bytes, .flags = flags, .registered = true, .device = 0, .mapped = false};
}

void PinnedMemory::remove(Device& device, const void* memory) {
  const auto found = blocks_.find(static_cast<const std::byte*>(memory));
  const Block block = found->second;
  if (block.device != 0) device.release(block.device);
  blocks_.erase(found);
  registered_.erase(block.device);
  if (!block.registered) reserve_host_range(block.device, block.bytes);
}

void PinnedMemory::clear() {
  for (const auto& [begin, block] : blocks_) {
    if (!block.registered) reserve_host_range(block.device, block.bytes);
  }
  blocks_.clear();
  registered_.clear();
}

PinnedMemory::Blocks::const_iterator PinnedMemory::holding(const void* pointer) const {
  const auto* byte = static_cast<const std::byte*>(pointer);
  auto after = blocks_.upper_bound(byte);
  if (after == blocks_.begin()) return blocks_.end();
  const auto candidate = --after;
  return byte < candidate->first + candidate->second.bytes ? candidate : blocks_.end();
}

const PinnedMemory::Block* PinnedMemory::find(const void* pointer) const {
  const auto found = holding(pointer);
  return found == blocks_.end() ? nullptr : &found->second;
}

const PinnedMemory::Block* PinnedMemory::starting_at(const void* memory) const {
  const auto found = blocks_.find(static_cast<const std::byte*>(memory));
  return found == blocks_.end() ? nullptr : &found->second;
}

DeviceAddress PinnedMemory::device_pointer(Device& device, const void* pointer) {
  const std::byte* begin = holding(pointer)->first;
  Block& block = blocks_.at(begin);
  if (block.device == 0) {
    block.device = device.allocate_shared(block.bytes, SharedMemory::pinned);
    registered_[block.device] = begin;
  }
  block.mapped = true;
  return block.device + static_cast<DeviceAddress>(static_cast<const std::byte*>(pointer) - begin);
}

void* PinnedMemory::host_pointer(void* pointer) const {
  const auto address = reinterpret_cast<DeviceAddress>(pointer);
  auto after = registered_.upper_bound(address);
  if (after == registered_.begin()) return pointer;
  const auto [device, host] = *--after;
  const std::uint64_t offset = address - device;
  return offset < blocks_.at(host).bytes ? const_cast<std::byte*>(host + offset) : pointer;
}

void PinnedMemory::give_to_device(Device& device, StreamId stream,
                                  std::span<const std::byte> arguments) {
  if (blocks_.empty()) return;
  for (std::size_t at = 0; at + sizeof(void*) <= arguments.size(); at += sizeof(void*)) {
    const void* pointer = nullptr;
    std::memcpy(&pointer, arguments.data() + at, sizeof pointer);
    const auto found = holding(pointer);
    if (found != blocks_.end() && !found->second.registered) {
      blocks_.at(found->first).mapped = true;
    }
  }
  for (const auto& [begin, block] : blocks_) {
    if (block.mapped) device.write(block.device, {begin, block.bytes}, stream);
  }
}

void PinnedMemory::take_from_device(Device& device, StreamId stream) {
  for (const auto& [begin, block] : blocks_) {
    if (!block.mapped) continue;
    try {
      device.read({const_cast<std::byte*>(begin), block.bytes}, block.device, stream);
    } catch (const DeviceError&) {
      return;  // the kernel failed; a later call says so
    }
  }
}

}  // namespace gridstride::sim
