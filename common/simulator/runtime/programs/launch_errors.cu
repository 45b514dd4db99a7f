// Launches and copies that cannot be: each fails with its error, and the device goes on. The codes
// are those that an H200 with CUDA 13.0 gives.
#include "check.h"

__global__ void one(int* out) { *out = 1; }
__global__ void __launch_bounds__(64) narrow(int* out) { out[threadIdx.x] = 2; }

int main() {
  int* out;
  CHECK(cudaMalloc(&out, 256));
  one<<<1, 1025>>>(out);
  EXPECT(cudaPeekAtLastError() == cudaErrorInvalidValue);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  EXPECT(cudaGetLastError() == cudaSuccess);
  one<<<0, 1>>>(out);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  one<<<dim3(1, 65536), 1>>>(out);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  one<<<1, dim3(1, 1, 65)>>>(out);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  narrow<<<1, 65>>>(out);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  one<<<1, 1, 300 * 1024>>>(out);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  void* arguments[] = {&out};
  EXPECT(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(one), dim3(1 << 20), dim3(1),
                                     arguments, 0, nullptr) ==
         cudaErrorCooperativeLaunchTooLarge);
  cudaGetLastError();
  EXPECT(cudaLaunchKernel(reinterpret_cast<const void*>(&main), dim3(1), dim3(1), arguments, 0,
                          nullptr) == cudaErrorInvalidResourceHandle);
  EXPECT(cudaGetLastError() == cudaErrorInvalidResourceHandle);
  one<<<1, 1>>>(out);
  CHECK(cudaDeviceSynchronize());
  int value = 0;
  CHECK(cudaMemcpy(&value, out, sizeof value, cudaMemcpyDeviceToHost));
  EXPECT(value == 1);
  EXPECT(cudaMemcpy(&value, &value, 4, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
  EXPECT(cudaMemcpy(&value, &value, 4, static_cast<cudaMemcpyKind>(9)) ==
         cudaErrorInvalidMemcpyDirection);
  CHECK(cudaMemcpy(out, out + 1, 4, cudaMemcpyHostToDevice));
  EXPECT(cudaMemcpy(out, &value, 257, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  std::printf("right\n");
}
