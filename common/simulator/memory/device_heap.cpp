// See device_heap.h.
#include "common/simulator/memory/device_heap.h"

#include <cstddef>
#include <cstdint>

namespace gridstride::sim {
namespace {

constexpr std::size_t waiting_blocks = 4096;  // of one span, before addresses are used again

std::uint64_t charged(std::uint64_t bytes) { return (bytes + 15) / 16 * 16; }

}  // namespace

DeviceAddress DeviceHeap::allocate(std::uint64_t bytes) {
  if (bytes == 0 || bytes > limit_ || charged(bytes) > limit_ - used_) return 0;
  DeviceAddress address = 0;
  auto& waiting = freed_[GlobalMemory::span_of(bytes)];
  if (waiting.size() >= waiting_blocks) {
    address = waiting.front();
    if (!memory_.revive(address, bytes)) return 0;
    waiting.pop_front();
  } else {
    address = memory_.allocate_as(bytes, Allocation::Origin::heap);
  }
  if (address == 0) return 0;
  used_ += charged(bytes);
  live_bytes_ += bytes;
  return address;
}

bool DeviceHeap::release(DeviceAddress address) {
  const Allocation* block = memory_.find(address);
  if (!block) return false;
  const std::uint64_t bytes = block->size;
  if (!memory_.release(address, Allocation::Origin::heap)) return false;
  used_ -= charged(bytes);
  live_bytes_ -= bytes;
  freed_[GlobalMemory::span_of(bytes)].push_back(address);
  return true;
}

}  // namespace gridstride::sim
