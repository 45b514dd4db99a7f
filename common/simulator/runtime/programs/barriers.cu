// cuda::barrier: splitting arrival from waiting, producers and consumers, completion, dropping out,
// copies that arrive.
#include <cooperative_groups.h>

#include <cuda/barrier>
#include <vector>

#include "check.h"

namespace cg = cooperative_groups;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int size = 128, rounds = 5;

/// Each round a thread reads what the one opposite has written in the round before.
__global__ void take_turns(int* out) {
  __shared__ Barrier barrier;
  __shared__ int values[size];
  if (threadIdx.x == 0) init(&barrier, size);
  __syncthreads();
  int mine = threadIdx.x;
  for (int round = 0; round < rounds; ++round) {
    values[threadIdx.x] = mine;
    auto token = barrier.arrive();
    const int opposite = size - 1 - threadIdx.x;  // work that needs nobody else
    barrier.wait(std::move(token));
    mine = values[opposite] + 1;
    barrier.arrive_and_wait();
  }
  out[threadIdx.x] = mine;
}

/// Two buffers: one warp fills, three read.
__global__ void hand_over(const int* in, int* out) {
  __shared__ Barrier ready[2], filled[2];
  __shared__ int buffers[2][32];
  if (threadIdx.x < 2) {
    init(ready + threadIdx.x, size);
    init(filled + threadIdx.x, size);
  }
  __syncthreads();
  int sum = 0;
  if (threadIdx.x < 32) {
    for (int i = 0; i < rounds; ++i) {
      ready[i % 2].arrive_and_wait();
      buffers[i % 2][threadIdx.x] = in[i * 32 + threadIdx.x];
      (void)filled[i % 2].arrive();
    }
  } else {
    (void)ready[0].arrive();
    (void)ready[1].arrive();
    for (int i = 0; i < rounds; ++i) {
      filled[i % 2].arrive_and_wait();
      sum += buffers[i % 2][31 - threadIdx.x % 32];
      (void)ready[i % 2].arrive();
    }
  }
  out[threadIdx.x] = sum;
}

/// Warp after warp leaves; those that stay go on.
__global__ void drop_out(int* out) {
  __shared__ Barrier barrier;
  if (threadIdx.x == 0) init(&barrier, size);
  __syncthreads();
  for (int round = 0; round < size / 32; ++round) {
    if (threadIdx.x / 32 == round) {
      out[threadIdx.x] = round;
      barrier.arrive_and_drop();
      return;
    }
    barrier.arrive_and_wait();
  }
}

__global__ void copies(const int* in, int* out) {
  __shared__ Barrier barrier;
  __shared__ int staged[size];
  const auto block = cg::this_thread_block();
  if (threadIdx.x == 0) init(&barrier, size);
  block.sync();
  int sum = 0;
  for (int round = 0; round < rounds; ++round) {
    cuda::memcpy_async(block, staged, in + round * size, sizeof staged, barrier);
    barrier.arrive_and_wait();
    sum += staged[size - 1 - threadIdx.x];
    barrier.arrive_and_wait();
  }
  out[threadIdx.x] = sum;
}

int main() {
  std::vector<int> numbers(rounds * size), results(size);
  for (int i = 0; i < rounds * size; ++i) numbers[i] = i * i % 1000;
  int *in = nullptr, *out = nullptr;
  CHECK(cudaMalloc(&in, numbers.size() * sizeof(int)));
  CHECK(cudaMalloc(&out, results.size() * sizeof(int)));
  CHECK(cudaMemcpy(in, numbers.data(), numbers.size() * sizeof(int), cudaMemcpyHostToDevice));
  const auto fetch = [&] {
    CHECK(cudaMemcpy(results.data(), out, results.size() * sizeof(int), cudaMemcpyDeviceToHost));
  };

  take_turns<<<1, size>>>(out);
  fetch();
  for (int i = 0; i < size; ++i) EXPECT(results[i] == (rounds % 2 ? size - 1 - i : i) + rounds);

  hand_over<<<1, size>>>(in, out);
  fetch();
  for (int i = 32; i < size; ++i) {
    int sum = 0;
    for (int round = 0; round < rounds; ++round) sum += numbers[round * 32 + 31 - i % 32];
    EXPECT(results[i] == sum);
  }

  drop_out<<<1, size>>>(out);
  fetch();
  for (int i = 0; i < size; ++i) EXPECT(results[i] == i / 32);

  copies<<<1, size>>>(in, out);
  fetch();
  for (int i = 0; i < size; ++i) {
    int sum = 0;
    for (int round = 0; round < rounds; ++round) sum += numbers[round * size + size - 1 - i];
    EXPECT(results[i] == sum);
  }
  std::printf("right\n");
}
