// A kernel's error comes out of the call that waits for it, and of every call after that; errors of
// calls are gone once asked for. Each kind in a process of its own.
#undef NDEBUG  // for the kernel that asserts
#include <sys/wait.h>
#include <unistd.h>

#include <cassert>
#include <cstring>

#include "check.h"

__global__ void outside(int* data) { data[1 << 20] = 1; }
__global__ void misaligned(int* data) {
  *reinterpret_cast<long long*>(reinterpret_cast<char*>(data) + 4) = 1;
}
__global__ void trapped(int* data) {
  if (data != nullptr) asm volatile("trap;");
}
__global__ void asserted(int* data) { assert(data == nullptr); }

static void sticks(void (*kernel)(int*), cudaError_t error, const char* name) {
  int *data, *more;
  cudaStream_t stream;
  cudaEvent_t event;
  int value = 0;
  CHECK(cudaMalloc(&data, 64));
  CHECK(cudaEventCreate(&event));
  kernel<<<1, 1>>>(data);
  CHECK(cudaGetLastError());  // the launch itself went well
  EXPECT(cudaDeviceSynchronize() == error);
  EXPECT(std::strcmp(cudaGetErrorName(error), name) == 0);
  EXPECT(cudaPeekAtLastError() == error);
  EXPECT(cudaGetLastError() == error);
  EXPECT(cudaGetLastError() == error);
  EXPECT(cudaMalloc(&more, 64) == error);
  EXPECT(cudaMemcpy(&value, data, sizeof value, cudaMemcpyDeviceToHost) == error);
  EXPECT(cudaStreamCreate(&stream) == error);
  EXPECT(cudaEventRecord(event) == error);
  EXPECT(cudaFree(data) == error);
  kernel<<<1, 1>>>(data);
  EXPECT(cudaGetLastError() == error);
}

static void does_not_stick(void (*)(int*), cudaError_t error, const char* name) {
  int* data;
  CHECK(cudaMalloc(&data, 64));
  outside<<<1, 2048>>>(data);
  EXPECT(cudaPeekAtLastError() == error);
  EXPECT(std::strcmp(cudaGetErrorName(error), name) == 0);
  CHECK(cudaDeviceSynchronize());
  EXPECT(cudaGetLastError() == error);
  EXPECT(cudaGetLastError() == cudaSuccess);
  EXPECT(cudaMemcpy(data, &data, 65, cudaMemcpyHostToDevice) == error);
  CHECK(cudaMemset(data, 0, 64));
  EXPECT(cudaGetLastError() == error);  // a call that succeeds leaves it
  CHECK(cudaGetLastError());
  CHECK(cudaFree(data));
}

using Check = void (*)(void (*)(int*), cudaError_t, const char*);

static void in_a_process(Check check, void (*kernel)(int*), cudaError_t error, const char* name) {
  const pid_t child = fork();
  if (child == 0) {
    check(kernel, error, name);
    std::exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main() {
  in_a_process(sticks, outside, cudaErrorIllegalAddress, "cudaErrorIllegalAddress");
  in_a_process(sticks, misaligned, cudaErrorMisalignedAddress, "cudaErrorMisalignedAddress");
  in_a_process(sticks, trapped, cudaErrorLaunchFailure, "cudaErrorLaunchFailure");
  in_a_process(sticks, asserted, cudaErrorAssert, "cudaErrorAssert");
  in_a_process(does_not_stick, nullptr, cudaErrorInvalidValue, "cudaErrorInvalidValue");
  std::printf("right\n");
}
