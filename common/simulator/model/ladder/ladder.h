// What the kernels of the ladder share: how one is named, launched and checked, and arrays on the
// device. A family is one task in several ways, a file for each; families.cu lists them.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ladder {

/// One way to do the task of a family.
struct Kernel {
  std::string name;
  std::function<void()> renew;   ///< what a call needs made anew; not timed
  std::function<void()> launch;  ///< one call, on the default stream
  std::function<bool()> right;   ///< whether the last call's results are what the host computes
};

using Kernels = std::vector<Kernel>;

/// Ends the program when a call failed.
inline void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "ladder: %s\n", cudaGetErrorString(status));
  std::exit(1);
}

/// 32 bits that follow from `i` and look drawn; the same on host and device.
__host__ __device__ inline std::uint32_t mixed(std::uint32_t i) {
  i = (i ^ (i >> 16)) * 0x7feb352dU;
  i = (i ^ (i >> 15)) * 0x846ca68bU;
  return i ^ (i >> 16);
}

/// At least 0 and below 1, from `mixed`.
__host__ __device__ inline float fraction(std::uint32_t i) {
  return static_cast<float>(mixed(i) >> 8) * (1.0F / 16777216.0F);
}

/// Memory of the device, and what the host put there. Copies share both.
template <class T>
class Array {
 public:
  /// Zeros.
  explicit Array(std::size_t n) : size_(n) {
    T* memory = nullptr;
    check(cudaMalloc(&memory, n * sizeof(T)));
    memory_.reset(memory, [](T* all) { cudaFree(all); });
    clear();
  }
  /// `value(i)` for each i below n.
  template <class Value>
  Array(std::size_t n, Value value) : Array(n) {
    auto all = std::make_shared<std::vector<T>>(n);
    for (std::size_t i = 0; i < n; ++i) (*all)[i] = value(static_cast<std::uint32_t>(i));
    check(cudaMemcpy(memory_.get(), all->data(), n * sizeof(T), cudaMemcpyHostToDevice));
    host_ = all;
  }
  explicit Array(const std::vector<T>& values)
      : Array(values.size(), [&](std::uint32_t i) { return values[i]; }) {}

  T* device() const { return memory_.get(); }
  std::size_t size() const { return size_; }
  void clear() const { check(cudaMemset(memory_.get(), 0, size_ * sizeof(T))); }
  const T& operator[](std::size_t i) const { return (*host_)[i]; }
  /// As it is on the device.
  std::vector<T> read() const {
    std::vector<T> all(size_);
    check(cudaMemcpy(all.data(), memory_.get(), size_ * sizeof(T), cudaMemcpyDeviceToHost));
    return all;
  }

 private:
  std::size_t size_;
  std::shared_ptr<T> memory_;
  std::shared_ptr<const std::vector<T>> host_;
};

/// Whether they differ by less than rounding in `float` explains, or by `part`.
inline bool near(double got, double wanted, double part = 1e-4) {
  return std::abs(got - wanted) <= part * (std::abs(wanted) + 1e-3);
}

/// Whether `right(i)` holds for some 500 of the numbers below n: first, last, and between them.
template <class Right>
bool sampled(std::size_t n, Right right) {
  if (!right(std::size_t{0}) || !right(n - 1)) return false;
  for (std::uint32_t k = 0; k < 500; ++k) {
    if (!right(mixed(k) % n)) return false;
  }
  return true;
}

/// The sum of what the lanes of a warp have, in all of them.
template <class T>
__device__ T warp_sum(T value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffffU, value, step);
  return value;
}

/// The same of a block of whole warps, in all of its threads; `of_warps` has room for 32.
template <class T>
__device__ T block_sum(T value, T* of_warps) {
  value = warp_sum(value);
  __syncthreads();
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = value;
  __syncthreads();
  const unsigned warps = blockDim.x / 32;
  value = threadIdx.x % 32 < warps ? of_warps[threadIdx.x % 32] : T(0);
  return warp_sum(value);
}

}  // namespace ladder
