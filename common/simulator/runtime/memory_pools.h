// Pools that stream-ordered allocation (cudaMallocAsync) takes memory from.
//
// Memory that is freed goes back to the device at once, so that a kernel which still uses it is
// found; a pool only counts what the real one would hold on to, so that programs that ask and trim
// see what they expect.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "common/simulator/device/device.h"
#include "common/simulator/runtime/memory/cudart.h"

namespace gridstride::sim {

/// The program knows it by its address.
struct MemoryPool {
  std::uint64_t most = 0;  ///< bytes; 0: no limit
  std::uint64_t threshold = 0;
  std::uint64_t used = 0, most_used = 0, reserved = 0, most_reserved = 0;
  /// cudaMemPoolReuse…: kept, and without consequence.
  std::map<cudaMemPoolAttr, int> reuse;

  void take(std::uint64_t bytes);
  void give_back(std::uint64_t bytes);
  /// Holds on to no more than `bytes`, or what is used.
  void trim(std::uint64_t bytes);
};

/// Belongs to the Runtime, under its lock.
class MemoryPools {
 public:
  MemoryPools();

  /// Throws DeviceError (cudaErrorInvalidValue) when it is none, or no longer one.
  MemoryPool& find(cudaMemPool_t handle) const;
  static cudaMemPool_t handle_of(const MemoryPool& pool) {
    return reinterpret_cast<cudaMemPool_t>(const_cast<MemoryPool*>(&pool));
  }
  MemoryPool& standard() const { return *standard_; }
  MemoryPool& current() const { return *current_; }
  void set_current(MemoryPool& pool);
  MemoryPool& create(std::uint64_t most);
  /// Allocations out of it stay; the standard one cannot go.
  void destroy(MemoryPool& pool);

  /// Throws DeviceError (cudaErrorMemoryAllocation).
  DeviceAddress allocate(Device& device, MemoryPool& pool, std::uint64_t bytes);
  /// What is allocated there no longer is; nothing when it was not taken from a pool.
  void forget(DeviceAddress address);
  /// The program has waited for the device: pools give back what is beyond their thresholds.
  void release_unused();
  void clear();

 private:
  struct Taken {
    std::shared_ptr<MemoryPool> pool;
    std::uint64_t bytes = 0;
  };
  std::map<const MemoryPool*, std::shared_ptr<MemoryPool>> pools_;
  std::shared_ptr<MemoryPool> standard_, current_;
  std::map<DeviceAddress, Taken> taken_;
};

}  // namespace gridstride::sim
