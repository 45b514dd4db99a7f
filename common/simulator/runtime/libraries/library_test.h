// What the programs here share: sizes to try, inputs, device memory, CUB's two-step calls.
//
// Each program runs algorithms of CUB or Thrust, as they come with the toolkit, on the simulated
// GPU and holds their results against the host's.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                        \
  do {                                                                                     \
    const cudaError_t error = (call);                                                      \
    if (error != cudaSuccess) {                                                            \
      std::printf("%s: %d %s\n", #call, static_cast<int>(error), cudaGetErrorName(error)); \
      std::exit(1);                                                                        \
    }                                                                                      \
  } while (false)

constexpr int sizes[] = {0, 1, 1000, 1 << 20};

/// Numbers from 0 to range - 1, the same at every run.
inline std::vector<int> numbers(int n, int range, std::uint64_t seed = 1) {
  std::vector<int> values(n);
  // As in common/simulator/base/pseudorandom.h, which these programs do not see.
  constexpr std::uint64_t golden_multiplier = 0x9e3779b97f4a7c15;
  constexpr std::uint64_t multiplier = 6364136223846793005, increment = 1442695040888963407;
  std::uint64_t state = seed * golden_multiplier;
  for (int& value : values) {
    state = state * multiplier + increment;
    value = static_cast<int>((state >> 33) % static_cast<std::uint64_t>(range));
  }
  return values;
}

template <class T>
class OnDevice {
 public:
  explicit OnDevice(std::size_t n) : size_(n) { CHECK(cudaMalloc(&data_, (n + 1) * sizeof(T))); }
  OnDevice(const std::vector<T>& values) : OnDevice(values.size()) {
    CHECK(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  OnDevice(const OnDevice&) = delete;
  ~OnDevice() { cudaFree(data_); }
  operator T*() { return data_; }
  T* get() { return data_; }
  std::vector<T> host(std::size_t n) const {
    std::vector<T> values(n);
    CHECK(cudaMemcpy(values.data(), data_, n * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }
  std::vector<T> host() const { return host(size_); }
  T first() const { return host(1)[0]; }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};

/// Calls `algorithm(temporary, bytes)` as CUB wants it: once for the size, once for the work.
template <class Algorithm>
void cub_call(const Algorithm& algorithm) {
  std::size_t bytes = 0;
  CHECK(algorithm(nullptr, bytes));
  OnDevice<char> temporary(bytes);
  CHECK(algorithm(static_cast<void*>(temporary.get()), bytes));
  CHECK(cudaDeviceSynchronize());
}

template <class A, class B>
void same(const char* what, int n, const A& expected, const B& got) {
  if (expected == got) return;
  std::printf("%s of %d elements is wrong\n", what, n);
  std::exit(1);
}
