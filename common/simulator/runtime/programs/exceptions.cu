// What is thrown inside of a call, by the runtime or by a function of the program, ends as an error
// code: a caller that knows C alone has nothing to catch it with.
#include "check.h"

extern bool no_memory;  // failing_new.cpp

namespace {

__global__ void write_one(int* x) { *x = 1; }

void throw_number(void*) { throw 7; }

void throw_number_later(cudaStream_t, cudaError_t, void*) { throw 8; }

/// The call itself, then the error that it leaves behind, which is forgotten here.
void expect(cudaError_t expected, cudaError_t given) {
  EXPECT(given == expected);
  EXPECT(cudaGetLastError() == expected);
}

}  // namespace

int main() {
  int* x = nullptr;
  CHECK(cudaMalloc(&x, sizeof *x));
  CHECK(cudaMemset(x, 0, sizeof *x));
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  CHECK(cudaStreamCreate(&stream));

  expect(cudaErrorUnknown, cudaLaunchHostFunc(stream, throw_number, nullptr));
  expect(cudaErrorUnknown, cudaStreamAddCallback(stream, throw_number_later, nullptr, 0));
  CHECK(cudaStreamSynchronize(stream));

  no_memory = true;
  const cudaError_t created = cudaEventCreate(&event);
  no_memory = false;
  expect(cudaErrorMemoryAllocation, created);

  no_memory = true;
  write_one<<<1, 1>>>(x);
  no_memory = false;
  EXPECT(cudaGetLastError() == cudaErrorMemoryAllocation);
  int value = -1;
  CHECK(cudaMemcpy(&value, x, sizeof value, cudaMemcpyDeviceToHost));
  EXPECT(value == 0);
  write_one<<<1, 1>>>(x);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&value, x, sizeof value, cudaMemcpyDeviceToHost));
  EXPECT(value == 1);
  CHECK(cudaFree(x));
  std::printf("right\n");
  return 0;
}
