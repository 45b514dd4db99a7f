// For stages that are about their process and not about kernels: the work is done on the host, and
// what lies on the device is reached by copies. The default stream that they run in waits for no stream
// that a stage is given, so the host does.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "grader/judge/testlab/testlab.h"

/// `n` elements from the device.
inline std::vector<float> fetch(const float* from, std::int64_t n) {
  std::vector<float> values(static_cast<std::size_t>(n));
  cudaDeviceSynchronize();
  cudaMemcpy(values.data(), from, values.size() * sizeof(float), cudaMemcpyDeviceToHost);
  return values;
}

/// To the device.
inline void store(float* to, const std::vector<float>& values) {
  cudaDeviceSynchronize();
  cudaMemcpy(to, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice);
}

inline std::vector<float> doubled(std::vector<float> values) {
  for (float& value : values) value *= 2;
  return values;
}
