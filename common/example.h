// What example programs need around their kernels: a check of every call that says where it failed
// and what to do, device memory that gives itself back, an end that waits for the GPU. Nothing else
// is hidden: launches, streams and events stand in the examples as CUDA has them. C++17.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

/// What to do about an error of the runtime; empty where the error's own words say it.
inline const char* repair(cudaError_t status) {
  switch (status) {
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
      return "no GPU, or a driver older than the toolkit: ./lab sim runs the program without one";
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorUnsupportedPtxVersion:
      return "compile the program for this GPU: nvcc -arch=native";
    case cudaErrorMemoryAllocation:
      return "ask for less: nvidia-smi shows how much memory there is and who holds it";
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidValue:
      return "look at the arguments, and at the launch before: a block has 1 to 1024 threads, at "
             "most "
             "64 of them in z; a grid has at least one block, in y and z at most 65535";
    case cudaErrorLaunchOutOfResources:
      return "fewer threads a block, or __launch_bounds__ before the kernel: together they ask for "
             "more registers than an SM has";
    case cudaErrorIllegalAddress:
    case cudaErrorMisalignedAddress:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
      return "a kernel launched before this line did it: ./lab sim names the line in the kernel";
    default:
      return "";
  }
}

/// Ends the program when a call failed. `file` and `line` are those of the caller.
inline void check(cudaError_t status, const char* file = __builtin_FILE(),
                  int line = __builtin_LINE()) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s:%d: %s: %s\n", file, line, cudaGetErrorName(status),
               cudaGetErrorString(status));
  if (*repair(status) != '\0') std::fprintf(stderr, "  -> %s\n", repair(status));
  std::exit(1);
}

/// An array in device memory, which it owns.
template <typename T>
class DeviceArray {
 public:
  /// `count` elements, all bytes 0.
  explicit DeviceArray(std::size_t count) : count_(count) {
    check(cudaMalloc(&data_, bytes()));
    check(cudaMemset(data_, 0, bytes()));
  }
  /// A copy of the host's values.
  explicit DeviceArray(const std::vector<T>& values) : count_(values.size()) {
    check(cudaMalloc(&data_, bytes()));
    check(cudaMemcpy(data_, values.data(), bytes(), cudaMemcpyHostToDevice));
  }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return count_; }
  std::size_t bytes() const { return count_ * sizeof(T); }

  /// A copy for the host, made when the kernels launched before are done.
  std::vector<T> to_host() const {
    std::vector<T> values(count_);
    check(cudaMemcpy(values.data(), data_, bytes(), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  T* data_ = nullptr;
  std::size_t count_;
};

/// Waits for the GPU. 0 for main() to return, or an exit by check().
inline int finish() {
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
  return 0;
}
