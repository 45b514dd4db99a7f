// Dynamic parallelism: kernels that launch kernels, in every kind of stream, and what they may ask.
#include <vector>

#include "check.h"

__device__ int marks[16], mark_count, deepest, answers[64], total;
__device__ int errors[4096];

__global__ void mark(int value) { marks[atomicAdd(&mark_count, 1)] = value; }

__global__ void in_all_streams() {
  mark<<<1, 1, 0, cudaStreamTailLaunch>>>(100);
  mark<<<1, 1>>>(1);
  mark<<<1, 1, 0, cudaStreamFireAndForget>>>(50);
  mark<<<1, 1>>>(2);
  mark<<<1, 1, 0, cudaStreamTailLaunch>>>(101);
}

/// Each grid launches the next one; a parent is over when all of them are.
__global__ void nest(int levels, int level) {
  atomicMax(&deepest, level);
  if (levels > 0) nest<<<1, 1>>>(levels - 1, level + 1);
}
__global__ void tail_after_tail(int levels, int level) {
  atomicMax(&deepest, level);
  if (levels > 0) {
    tail_after_tail<<<1, 1, 0, cudaStreamTailLaunch>>>(levels - 1, level + 1);
  }
}

__global__ void add(const int* values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&total, values[i]);
}
/// Every thread launches a grid; the children read what their parents wrote before.
__global__ void fan_out(int* values) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  values[i] = i;
  add<<<1, 32>>>(values + i, 1);
}

__global__ void add_double(double x, char c, const int* to_add, void (*)(int), int4 four) {
  if (x == 2.5 && c == 'c' && four.w == 4) atomicAdd(&total, *to_add);
}
__global__ void by_pointer(int* value) {
  *value = 5;
  void (*kernel)(double, char, const int*, void (*)(int), int4) = add_double;
  kernel<<<1, 1>>>(2.5, 'c', value, nullptr, make_int4(1, 2, 3, 4));
}

__global__ void large_block(int) { extern __shared__ int tile[]; tile[threadIdx.x] = 0; }
__global__ void __launch_bounds__(64) small_block() {}
__global__ void asks_for_the_device() { cudaGetDevice(answers); }
__global__ void impossible() {
  int n = 0;
  mark<<<0, 1>>>(0), answers[n++] = cudaGetLastError();
  mark<<<1, 2048>>>(0), answers[n++] = cudaGetLastError();
  mark<<<dim3(1, 70000), 1>>>(0), answers[n++] = cudaGetLastError();
  large_block<<<1, 32, 60000>>>(0), answers[n++] = cudaGetLastError();
  small_block<<<1, 128>>>(), answers[n++] = cudaGetLastError();
  mark<<<1, 1, 0, (cudaStream_t)0x77>>>(0), answers[n++] = cudaPeekAtLastError();
  answers[n++] = cudaGetLastError();
  answers[n++] = cudaGetLastError();
}

__global__ void many_tails(int n) {
  for (int i = 0; i < n; ++i) {
    mark<<<0, 1>>>(0), cudaGetLastError();  // changes nothing
    add<<<1, 1, 0, cudaStreamTailLaunch>>>(nullptr, 0);
    errors[i] = cudaGetLastError();
  }
}

__global__ void twice(int* value, cudaEvent_t) { *value *= 2; }
__global__ void streams_and_events(int* value) {
  cudaStream_t first, second;
  cudaEvent_t event;
  int n = 0;
  answers[n++] = cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  answers[n++] = cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  answers[n++] = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  answers[n++] = cudaMemsetAsync(value, 0, 16, first);
  twice<<<1, 1, 0, first>>>(value, event);
  answers[n++] = cudaEventRecord(event, first);
  answers[n++] = cudaStreamWaitEvent(second, event, 0);
  answers[n++] = cudaMemsetAsync(value, 1, 4, second);  // 0x01010101
  twice<<<1, 1, 0, second>>>(value, event);
  answers[n++] = cudaMemcpyAsync(value + 1, value, 4, cudaMemcpyDeviceToDevice, second);
  answers[n++] = cudaMemset2DAsync(value + 4, 8, 0xff, 4, 3, second);
  answers[n++] = cudaMemcpy2DAsync(value + 16, 4, value + 4, 8, 4, 3,
                                   cudaMemcpyDeviceToDevice, second);
  answers[n++] = cudaEventDestroy(event);
  answers[n++] = cudaStreamDestroy(first);
  answers[n++] = cudaStreamDestroy(second);
  answers[n++] = cudaStreamDestroy(second) == cudaErrorInvalidValue ? 0 : 1;
  answers[n++] = cudaGetLastError() == cudaErrorInvalidValue ? 0 : 1;
  answers[n++] = cudaEventCreateWithFlags(&event, 0) == cudaErrorInvalidValue ? 0 : 1;
  answers[n++] = cudaMemcpyAsync(value, value, 4, cudaMemcpyHostToDevice, 0) ==
                         cudaErrorInvalidMemcpyDirection ? 0 : 1;
  answers[n++] = -1;
}

__global__ void questions() {
  int n = 0, number = -1, blocks = 0;
  size_t limit = 0;
  void* memory = nullptr;
  cudaFuncAttributes attributes;
  answers[n++] = cudaGetDevice(&number) || number != 0;
  answers[n++] = cudaGetDeviceCount(&number) || number != 1;
  answers[n++] = cudaDeviceGetAttribute(&number, cudaDevAttrWarpSize, 0) || number != 32;
  answers[n++] = cudaDeviceGetAttribute(&number, cudaDevAttrWarpSize, 3) != cudaErrorInvalidDevice;
  answers[n++] = cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount) || limit != 100;
  answers[n++] = cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize) || limit != 1 << 20;
  answers[n++] = cudaFuncGetAttributes(&attributes, small_block) ||
                 attributes.maxThreadsPerBlock != 64;
  answers[n++] = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, mark, 1024, 0) ||
                 blocks != 2;
  answers[n++] = cudaMalloc(&memory, 2 << 20) != cudaErrorMemoryAllocation;
  answers[n++] = cudaMalloc(&memory, 1000) || memory == nullptr;
  answers[n++] = cudaFree(memory);
  const char* text = cudaGetErrorName(cudaErrorInvalidValue);
  answers[n++] = text[0] != 'c' || text[9] != 'I';
  answers[n++] = cudaGetErrorString(cudaErrorInvalidValue)[0] != 'i';
  answers[n++] = -1;
}

template <class T>
T value_of(const T& symbol) {
  T value;
  CHECK(cudaMemcpyFromSymbol(&value, symbol, sizeof value));
  return value;
}

void all_right(const char* what) {
  int found[64];
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpyFromSymbol(found, answers, sizeof found));
  for (int i = 0; i < 64 && found[i] != -1; ++i) {
    if (found[i] != 0) std::printf("%s: answer %d is %d\n", what, i, found[i]), std::exit(1);
  }
}

int main() {
  in_all_streams<<<1, 1>>>();
  CHECK(cudaDeviceSynchronize());
  int seen[16];
  CHECK(cudaMemcpyFromSymbol(seen, marks, sizeof seen));
  EXPECT(value_of(mark_count) == 5);
  EXPECT(seen[3] == 100 && seen[4] == 101);
  int place[3];
  for (int i = 0; i < 3; ++i) place[seen[i] == 50 ? 2 : seen[i] - 1] = i;
  EXPECT(place[0] < place[1]);

  for (int levels : {1, 24, 60}) {
    nest<<<1, 1>>>(levels, 0);
    EXPECT(value_of(deepest) == levels);
  }
  tail_after_tail<<<1, 1>>>(1000, 0);
  EXPECT(value_of(deepest) == 1000);

  int* values = nullptr;
  CHECK(cudaMalloc(&values, 5000 * sizeof(int)));
  fan_out<<<20, 250>>>(values);
  CHECK(cudaGetLastError());
  EXPECT(value_of(total) == 4999 * 5000 / 2);
  by_pointer<<<1, 1>>>(values);
  EXPECT(value_of(total) == 4999 * 5000 / 2 + 5);

  // Who calls the runtime may not be launched cooperatively, as on an H200; who is launched may.
  EXPECT(cudaLaunchCooperativeKernel(in_all_streams, 1, 1, nullptr) == cudaErrorNotPermitted);
  EXPECT(cudaGetLastError() == cudaErrorNotPermitted);
  EXPECT(cudaLaunchCooperativeKernel(asks_for_the_device, 1, 1, nullptr) == cudaErrorNotPermitted);
  EXPECT(cudaGetLastError() == cudaErrorNotPermitted);
  EXPECT(cudaLaunchCooperativeKernel(in_all_streams, 1 << 20, 1, nullptr) ==
         cudaErrorCooperativeLaunchTooLarge);
  EXPECT(cudaGetLastError() == cudaErrorCooperativeLaunchTooLarge);
  CHECK(cudaLaunchCooperativeKernel(small_block, 1, 1, nullptr));

  impossible<<<1, 1>>>();
  int found[8];
  CHECK(cudaMemcpyFromSymbol(found, answers, sizeof found));
  for (int i = 0; i < 5; ++i) EXPECT(found[i] == cudaErrorInvalidConfiguration);
  EXPECT(found[5] == cudaErrorInvalidValue && found[6] == found[5] && found[7] == cudaSuccess);

  std::vector<int> codes(4096);
  many_tails<<<1, 1>>>(2050);
  CHECK(cudaMemcpyFromSymbol(codes.data(), errors, 4096 * sizeof(int)));
  EXPECT(codes[2047] == 0 && codes[2048] == cudaErrorLaunchPendingCountExceeded);
  CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 100));
  many_tails<<<1, 1>>>(102);
  CHECK(cudaMemcpyFromSymbol(codes.data(), errors, 4096 * sizeof(int)));
  EXPECT(codes[99] == 0 && codes[100] == cudaErrorLaunchPendingCountExceeded);

  CHECK(cudaMemset(values, 0, 5000 * sizeof(int)));
  streams_and_events<<<1, 1>>>(values);
  all_right("streams and events");
  int after[20];
  CHECK(cudaMemcpy(after, values, sizeof after, cudaMemcpyDeviceToHost));
  EXPECT(after[0] == 0x02020202 && after[1] == after[0]);
  EXPECT(after[4] == -1 && after[5] == 0 && after[6] == -1 && after[8] == -1 && after[10] == 0);
  EXPECT(after[16] == -1 && after[17] == -1 && after[18] == -1 && after[19] == 0);

  CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20));
  questions<<<1, 1>>>();
  all_right("questions");
  std::printf("right\n");
}
