// Host memory that the GPU copies from and to.
//
// Kernels can reach whatever memory the GPU copies from. So it never is the memory that judge and
// device share; and what lies here lies in device memory as well.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/simulator/gpu/driver.h"

namespace gridstride::sim {

/// Pieces are taken one after the other and given back all at once, when the GPU is idle.
class Staging {
 public:
  static constexpr std::uint64_t capacity = std::uint64_t{16} << 20;

  /// Throws DeviceError.
  explicit Staging(const Driver& driver) : driver_(driver) {
    void* memory = nullptr;
    check(driver_, driver_.cuMemHostAlloc(&memory, capacity, 0), "memory for copies");
    memory_ = {static_cast<std::byte*>(memory), capacity};
  }
  ~Staging() { driver_.cuMemFreeHost(memory_.data()); }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  /// Empty when there is no room.
  std::span<std::byte> take(std::uint64_t bytes) {
    if (bytes > capacity - taken_) return {};
    const auto piece = memory_.subspan(taken_, bytes);
    constexpr std::uint64_t line = 64;
    taken_ += (bytes + line - 1) / line * line;
    if (taken_ > capacity) taken_ = capacity;
    return piece;
  }
  void give_back() { taken_ = 0; }
  /// All of it, for one who waits at once. What was taken is lost.
  std::span<std::byte> all() { return memory_; }

 private:
  const Driver& driver_;
  std::span<std::byte> memory_;
  std::uint64_t taken_ = 0;
};

}  // namespace gridstride::sim
