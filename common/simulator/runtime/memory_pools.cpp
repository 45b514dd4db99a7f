// Counts what pools hold.
#include "common/simulator/runtime/memory_pools.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "common/simulator/base/cuda_error.h"
#include "common/simulator/base/round_up.h"
#include "common/simulator/runtime/runtime.h"

namespace gridstride::sim {
namespace {

/// A pool reserves memory by chunks of this size, in which allocations are multiples of 512 bytes.
constexpr std::uint64_t chunk_bytes = std::uint64_t{32} << 20, unit_bytes = 512;

std::uint64_t rounded(std::uint64_t bytes, std::uint64_t unit) { return round_up(bytes, unit); }

}  // namespace

void MemoryPool::take(std::uint64_t bytes) {
  used += rounded(bytes, unit_bytes);
  most_used = std::max(most_used, used);
  reserved = std::max(reserved, rounded(used, chunk_bytes));
  most_reserved = std::max(most_reserved, reserved);
}

void MemoryPool::give_back(std::uint64_t bytes) { used -= rounded(bytes, unit_bytes); }

void MemoryPool::trim(std::uint64_t bytes) {
  reserved = std::max(rounded(used, chunk_bytes), std::min(reserved, bytes));
}

MemoryPools::MemoryPools() : standard_(std::make_shared<MemoryPool>()), current_(standard_) {
  pools_[standard_.get()] = standard_;
}

MemoryPool& MemoryPools::find(cudaMemPool_t handle) const {
  auto* pool = reinterpret_cast<MemoryPool*>(handle);
  if (!pools_.contains(pool)) invalid("this memory pool does not exist, or no longer");
  return *pool;
}

void MemoryPools::set_current(MemoryPool& pool) { current_ = pools_.at(&pool); }

MemoryPool& MemoryPools::create(std::uint64_t most) {
  auto pool = std::make_shared<MemoryPool>();
  pool->most = most;
  return *(pools_[pool.get()] = pool);
}

void MemoryPools::destroy(MemoryPool& pool) {
  if (&pool == standard_.get()) invalid("the default memory pool cannot be destroyed");
  if (&pool == current_.get()) current_ = standard_;
  pools_.erase(&pool);
}

DeviceAddress MemoryPools::allocate(Device& device, MemoryPool& pool, std::uint64_t bytes) {
  if (pool.most != 0 && bytes > pool.most - std::min(pool.most, pool.used)) {
    throw DeviceError(
        error_memory_allocation, false,
        fmt::format("{} bytes do not fit into the memory pool, of whose {} bytes {} are "
                    "in use",
                    bytes, pool.most, pool.used));
  }
  const DeviceAddress address = device.allocate(bytes);
  pool.take(bytes);
  taken_[address] = {.pool = pools_.at(&pool), .bytes = bytes};
  return address;
}

void MemoryPools::forget(DeviceAddress address) {
  const auto found = taken_.find(address);
  if (found == taken_.end()) return;
  found->second.pool->give_back(found->second.bytes);
  taken_.erase(found);
}

void MemoryPools::release_unused() {
  for (const auto& [handle, pool] : pools_) pool->trim(pool->threshold);
}

void MemoryPools::clear() { *this = MemoryPools(); }

}  // namespace gridstride::sim
