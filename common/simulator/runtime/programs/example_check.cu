// A call that fails in an example program: what common/example.h says about it.
#include "common/example.h"

__global__ void twice(float* values) { values[threadIdx.x] *= 2; }

int main() {
  DeviceArray<float> values(std::vector<float>{1, 2, 3});
  twice<<<1, 3>>>(values.data());
  for (const float value : values.to_host()) std::printf("%g ", value);
  std::printf("and %zu bytes\n", values.bytes());
  twice<<<1, 1025>>>(values.data());
  check(cudaGetLastError());
  return finish();
}
