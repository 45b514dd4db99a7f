// Calls within calls, all of which the compiler inlines.
#pragma once

__device__ __forceinline__ int fifth(const int* data) { return data[threadIdx.x]; }
__device__ __forceinline__ int fourth(const int* data) {
  return fifth(data) + 4;
}
__device__ __forceinline__ int third(const int* data) {
  return fourth(data) + 3;
}
__device__ __forceinline__ int second(const int* data) {
  return third(data) + 2;
}
__device__ __forceinline__ int first(const int* data) {
  return second(data) + 1;
}

template <int levels>
__device__ __forceinline__ int nested(const int* data) {
  if constexpr (levels > 0) {
    return nested<levels - 1>(data) + levels;
  }
  return data[threadIdx.x];
}
