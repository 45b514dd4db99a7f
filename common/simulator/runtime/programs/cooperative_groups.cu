// Cooperative groups: tiles, coalesced threads, partitions, reductions, scans, copies, grids.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <numeric>
#include <vector>

#include "check.h"

namespace cg = cooperative_groups;

/// out: one value a thread and test; what stands there is checked on the host.
__global__ void tiles(int* out) {
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<8>(block);
  const int i = block.thread_rank(), n = block.size();
  int* at = out + i;
  *at = cg::reduce(tile, i, cg::plus<int>()), at += n;                      // 0
  *at = cg::reduce(tile, i, cg::greater<int>()), at += n;                   // 1
  *at = cg::inclusive_scan(tile, 1), at += n;                               // 2
  *at = cg::exclusive_scan(tile, i, cg::plus<int>()), at += n;              // 3
  *at = tile.shfl_xor(i, 1) + tile.meta_group_rank() * 1000, at += n;       // 4
  const cg::thread_group quads = cg::tiled_partition(block, 4);             // size known at run time
  quads.sync();
  *at = quads.thread_rank() + 10 * quads.size(), at += n;                   // 5
  const auto half = cg::binary_partition(cg::tiled_partition<32>(block), i % 3 == 0);
  *at = half.size() * 100 + half.thread_rank(), at += n;                    // 6
  const auto label = cg::labeled_partition(cg::tiled_partition<32>(block), i % 4);
  *at = cg::reduce(label, i % 32, cg::plus<int>()), at += n;                // 7
  *at = -1;
  if (i % 2 == 1) {
    const cg::coalesced_group odd = cg::coalesced_threads();
    *at = odd.size() * 1000 + cg::reduce(odd, 1, cg::plus<int>()) * 10 + odd.any(i % 32 == 31);
  }
  at += n;                                                                  // 8
  *at = tile.match_any(i / 4);                                              // 9
}

__device__ int tickets;
/// One atomic for the threads that are here together.
__global__ void aggregated(int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % 3 != 0) return;
  const auto group = cg::coalesced_threads();
  int first = 0;
  if (group.thread_rank() == 0) first = atomicAdd(&tickets, group.size());
  out[group.shfl(first, 0) + group.thread_rank()] = i;
}

__global__ void staged(const int* in, int* out) {
  __shared__ int tile[256];
  const auto block = cg::this_thread_block();
  cg::memcpy_async(block, tile, in + blockIdx.x * 256, sizeof tile);
  cg::wait(block);
  out[blockIdx.x * 256 + threadIdx.x] = tile[255 - threadIdx.x];
}

/// Sums in one launch: blocks leave partial sums, all wait for each other, block 0 adds them up.
__global__ void grid_sum(const int* in, int n, int* partial, int rounds) {
  const auto grid = cg::this_grid();
  const auto block = cg::this_thread_block();
  __shared__ int total;
  for (int round = 0; round < rounds; ++round) {
    if (threadIdx.x == 0) total = 0;
    block.sync();
    int sum = 0;
    for (unsigned i = grid.thread_rank(); i < n; i += grid.size()) sum += in[i];
    atomicAdd(&total, sum);
    block.sync();
    if (threadIdx.x == 0) partial[1 + blockIdx.x] = total;
    grid.sync();
    if (grid.thread_rank() == 0) {
      int all = 0;
      for (unsigned b = 0; b < gridDim.x; ++b) all += partial[1 + b];
      partial[0] += all;
    }
    grid.sync();
  }
}

int main() {
  constexpr int n = 64;
  int *out, host[16 * n];
  CHECK(cudaMalloc(&out, 1 << 20));
  tiles<<<1, n>>>(out);
  CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) {
    const int tile = i / 8 * 8, rank = i % 8, lane = i % 32;
    const auto got = [&](int test) { return host[test * n + i]; };
    EXPECT(got(0) == 8 * tile + 28);
    EXPECT(got(1) == tile + 7);
    EXPECT(got(2) == rank + 1);
    EXPECT(got(3) == rank * tile + rank * (rank - 1) / 2);
    EXPECT(got(4) == (i ^ 1) + i / 8 * 1000);
    EXPECT(got(5) == i % 4 + 40);
    int same = 0, before = 0, sum = 0;
    for (int other = i - lane; other < i - lane + 32; ++other) {
      const bool mine = (other % 3 == 0) == (i % 3 == 0);
      same += mine;
      before += mine && other < i;
      sum += other % 4 == i % 4 ? other % 32 : 0;
    }
    EXPECT(got(6) == same * 100 + before);
    EXPECT(got(7) == sum);
    EXPECT(got(8) == (i % 2 ? 16 * 1000 + 16 * 10 + 1 : -1));
    EXPECT(got(9) == 0xf << rank / 4 * 4);
  }

  aggregated<<<4, 96>>>(out);
  int count = 0;
  CHECK(cudaMemcpyFromSymbol(&count, tickets, sizeof count));
  EXPECT(count == 128);
  std::vector<int> kept(count);
  CHECK(cudaMemcpy(kept.data(), out, count * sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT(std::accumulate(kept.begin(), kept.end(), 0) == 3 * 127 * 128 / 2);

  std::vector<int> numbers(1024), reversed(1024);
  std::iota(numbers.begin(), numbers.end(), 0);
  int* in = nullptr;
  CHECK(cudaMalloc(&in, 4096));
  CHECK(cudaMemcpy(in, numbers.data(), 4096, cudaMemcpyHostToDevice));
  staged<<<4, 256>>>(in, out);
  CHECK(cudaMemcpy(reversed.data(), out, 4096, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 1024; ++i) EXPECT(reversed[i] == i / 256 * 256 + 255 - i % 256);

  int blocks = 0, multiprocessors = 0, cooperative = 0, elements = 1024, rounds = 3;
  CHECK(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, 0));
  EXPECT(cooperative == 1);
  CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, grid_sum, 128, 0));
  CHECK(cudaMemset(out, 0, 4096));
  void* arguments[] = {&in, &elements, &out, &rounds};
  const int most = blocks * multiprocessors;
  CHECK(cudaLaunchCooperativeKernel(grid_sum, most, 128, arguments));
  CHECK(cudaMemcpy(host, out, sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT(host[0] == 3 * 1023 * 1024 / 2);
  EXPECT(cudaLaunchCooperativeKernel(grid_sum, most + 1, 128, arguments) ==
         cudaErrorCooperativeLaunchTooLarge);
  EXPECT(cudaGetLastError() == cudaErrorCooperativeLaunchTooLarge);
  std::printf("right\n");
}
