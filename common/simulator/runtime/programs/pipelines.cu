// Asynchronous copies: cuda::pipeline of a block and of a thread, memcpy_async of groups, and the
// primitives under them. Each stages tiles through shared memory and adds them up.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>

#include <cuda/pipeline>
#include <vector>

#include "check.h"

namespace cg = cooperative_groups;

constexpr int size = 128, tiles = 6;

/// Two stages that the whole block fills and empties.
__global__ void by_block(const int* in, int* out) {
  __shared__ alignas(16) int staged[2][size];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  const auto block = cg::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, &state);
  const auto fetch = [&](int tile) {
    pipeline.producer_acquire();
    cuda::memcpy_async(block, staged[tile % 2], in + tile * size,
                       cuda::aligned_size_t<16>(sizeof staged[0]), pipeline);
    pipeline.producer_commit();
  };
  int sum = 0;
  fetch(0);
  for (int tile = 0; tile < tiles; ++tile) {
    if (tile + 1 < tiles) fetch(tile + 1);
    pipeline.consumer_wait();
    sum += staged[tile % 2][size - 1 - threadIdx.x];
    pipeline.consumer_release();
  }
  out[threadIdx.x] = sum;
}

/// The first warp fetches, the others add up.
__global__ void by_role(const int* in, int* out) {
  __shared__ int staged[2][size];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  const auto block = cg::this_thread_block();
  const auto role =
      threadIdx.x < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
  auto pipeline = cuda::make_pipeline(block, &state, role);
  int sum = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    if (threadIdx.x < 32) {
      pipeline.producer_acquire();
      for (int i = threadIdx.x; i < size; i += 32) {
        cuda::memcpy_async(&staged[tile % 2][i], in + tile * size + i, sizeof(int), pipeline);
      }
      pipeline.producer_commit();
    } else {
      pipeline.consumer_wait();
      sum += staged[tile % 2][size - 1 - (threadIdx.x - 32)];
      pipeline.consumer_release();
    }
  }
  if (threadIdx.x >= 32) out[threadIdx.x - 32] = sum;
}

/// Each thread has a pipeline of its own and reads what it has fetched itself.
__global__ void by_thread(const int* in, int* out) {
  __shared__ int staged[4][size];
  auto pipeline = cuda::make_pipeline();
  int sum = 0;
  for (int tile = 0; tile < tiles + 3; ++tile) {
    pipeline.producer_acquire();
    if (tile < tiles) {
      cuda::memcpy_async(&staged[tile % 4][threadIdx.x], in + tile * size + size - 1 - threadIdx.x,
                         sizeof(int), pipeline);
    }
    pipeline.producer_commit();
    if (tile < 3) continue;
    cuda::pipeline_consumer_wait_prior<3>(pipeline);
    sum += staged[(tile - 3) % 4][threadIdx.x];
    pipeline.consumer_release();
  }
  out[threadIdx.x] = sum;
}

__global__ void by_primitives(const int* in, int* out) {
  __shared__ int staged[tiles][size];
  for (int tile = 0; tile < tiles; ++tile) {
    __pipeline_memcpy_async(&staged[tile][threadIdx.x], in + tile * size + threadIdx.x, sizeof(int));
    __pipeline_commit();
  }
  int sum = 0;
  __pipeline_wait_prior(tiles / 2);
  __syncthreads();
  for (int tile = 0; tile < tiles / 2; ++tile) sum += staged[tile][size - 1 - threadIdx.x];
  __pipeline_wait_prior(0);
  __syncthreads();
  for (int tile = tiles / 2; tile < tiles; ++tile) sum += staged[tile][size - 1 - threadIdx.x];
  out[threadIdx.x] = sum;
}

__global__ void by_group(const int* in, int* out) {
  __shared__ int staged[2][size];
  const auto block = cg::this_thread_block();
  int sum = 0;
  for (int tile = 0; tile < tiles; tile += 2) {
    cg::memcpy_async(block, staged[0], in + tile * size, sizeof staged[0]);
    cg::memcpy_async(block, staged[1], in + (tile + 1) * size, sizeof staged[1]);
    cg::wait_prior<1>(block);
    sum += staged[0][size - 1 - threadIdx.x];
    cg::wait(block);
    sum += staged[1][size - 1 - threadIdx.x];
    block.sync();
  }
  out[threadIdx.x] = sum;
}

int main() {
  std::vector<int> numbers(tiles * size), sums(size);
  for (int i = 0; i < tiles * size; ++i) numbers[i] = i * i % 1000;
  int *in = nullptr, *out = nullptr;
  CHECK(cudaMalloc(&in, numbers.size() * sizeof(int)));
  CHECK(cudaMalloc(&out, sums.size() * sizeof(int)));
  CHECK(cudaMemcpy(in, numbers.data(), numbers.size() * sizeof(int), cudaMemcpyHostToDevice));
  const auto right = [&] {
    CHECK(cudaMemcpy(sums.data(), out, sums.size() * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaMemset(out, 0, sums.size() * sizeof(int)));
    for (int i = 0; i < size; ++i) {
      int sum = 0;
      for (int tile = 0; tile < tiles; ++tile) sum += numbers[tile * size + size - 1 - i];
      if (sums[i] != sum) return false;
    }
    return true;
  };
  by_block<<<1, size>>>(in, out);
  EXPECT(right());
  by_role<<<1, size + 32>>>(in, out);
  EXPECT(right());
  by_thread<<<1, size>>>(in, out);
  EXPECT(right());
  by_primitives<<<1, size>>>(in, out);
  EXPECT(right());
  by_group<<<1, size>>>(in, out);
  EXPECT(right());
  std::printf("right\n");
}
