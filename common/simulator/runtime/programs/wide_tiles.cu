// Cooperative groups, what cooperative_groups.cu leaves: tiles of several warps, one thread for
// all, updates of atomics, scans that reserve room, barriers in two halves.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <algorithm>
#include <cuda/atomic>
#include <vector>

#include "check.h"

namespace cg = cooperative_groups;

constexpr int size = 128;
__device__ int total, taken;

/// out: one value a thread and test; what stands there is checked on the host.
__global__ void groups(int* out) {
  __shared__ cg::block_tile_memory<size> room;
  __shared__ int places[size];
  const auto block = cg::this_thread_block(room);
  const auto tile = cg::tiled_partition<32>(block);
  const auto wide = cg::tiled_partition<64>(block);
  const int i = block.thread_rank();
  int* at = out + i;
  const auto put = [&](int value) { *at = value, at += size; };
  // Their own memory is the caller's before sm_80, and they hand over there by votes, which order
  // nothing for the race checker.
  const auto next_use = [&] {
#if __CUDA_ARCH__ < 800
    block.sync();
#endif
  };
  cuda::atomic_ref<int, cuda::thread_scope_device> count(taken);

  put(cg::reduce(wide, i, cg::plus<int>()));  // 0
  wide.sync();
  next_use();
  const int third = wide.shfl(i, 3);
  next_use();
  put(third + 1000 * wide.any(i == 127));                                    // 1
  put(10 * wide.num_threads() + wide.meta_group_rank());                     // 2
  put(cg::invoke_one_broadcast(tile, [&] { return i / 32 * 100 + 1; }));     // 3
  put(cg::reduce(tile, 1 << i % 8, cg::bit_or<int>()));                      // 4
  put(static_cast<int>(2 * cg::reduce(tile, 0.5 * i, cg::plus<double>())));  // 5
  put(cg::inclusive_scan(tile, i * 7 % 32, cg::greater<int>()));             // 6
  cg::invoke_one(tile, [&] { atomicAdd(&total, 1); });

  cg::reduce_update_async(tile, count, 2, cg::plus<int>());
  places[i] = i;
  auto token = block.barrier_arrive();
  block.barrier_wait(std::move(token));
  put(places[size - 1 - i]);  // 7
  put(-1);                    // 8
  if (i % 3 == 1) {
    const auto some = cg::coalesced_threads();
    at[-size] = cg::exclusive_scan(some, 2);
  }
  struct Pair {
    int a;
    double b;
  } pair{i, 2.0 * i};
  const Pair next = tile.shfl_down(pair, 1);
  put(tile.thread_rank() == 31 || (next.a == i + 1 && next.b == 2 * i + 2));  // 9
  put(cg::reduce(cg::tiled_partition<1>(tile), i, cg::plus<int>()));          // 10
}

/// Each thread takes as many places as it is told to, of all that there are.
__global__ void reserve(const int* wanted, int* first) {
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  cuda::atomic_ref<int, cuda::thread_scope_device> next(taken);
  const int i = cg::this_grid().thread_rank();
  first[i] = cg::exclusive_scan_update(tile, next, wanted[i], cg::plus<int>());
}

int main() {
  int* out = nullptr;
  std::vector<int> host(11 * size);
  CHECK(cudaMalloc(&out, host.size() * sizeof(int)));
  groups<<<1, size>>>(out);
  CHECK(cudaMemcpy(host.data(), out, host.size() * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < size; ++i) {
    const auto got = [&](int test) { return host[test * size + i]; };
    const int half = i / 64 * 64, warp = i / 32 * 32;
    EXPECT(got(0) == 64 * half + 63 * 32);
    EXPECT(got(1) == half + 3 + (half != 0 ? 1000 : 0));
    EXPECT(got(2) == 640 + i / 64);
    EXPECT(got(3) == i / 32 * 100 + 1);
    EXPECT(got(4) == 255);
    EXPECT(got(5) == 32 * warp + 31 * 16);
    int most = 0, before = 0;
    for (int other = warp; other <= i; ++other) most = std::max(most, other * 7 % 32);
    for (int other = warp; other < i; ++other) before += other % 3 == 1 ? 2 : 0;
    EXPECT(got(6) == most);
    EXPECT(got(7) == size - 1 - i);
    EXPECT(got(8) == (i % 3 == 1 ? before : -1));
    EXPECT(got(9) == 1);
    EXPECT(got(10) == i);
  }
  int count = 0;
  CHECK(cudaMemcpyFromSymbol(&count, total, sizeof count));
  EXPECT(count == size / 32);
  CHECK(cudaMemcpyFromSymbol(&count, taken, sizeof count));
  EXPECT(count == 2 * size);

  std::vector<int> wanted(256), first(256);
  for (int i = 0; i < 256; ++i) wanted[i] = i % 5;
  int* room = nullptr;
  CHECK(cudaMalloc(&room, 256 * sizeof(int)));
  CHECK(cudaMemcpy(room, wanted.data(), 256 * sizeof(int), cudaMemcpyHostToDevice));
  reserve<<<2, 128>>>(room, out);
  CHECK(cudaMemcpy(first.data(), out, 256 * sizeof(int), cudaMemcpyDeviceToHost));
  int all = 2 * size;
  for (const int places : wanted) all += places;
  std::vector<bool> used(all);
  for (int i = 0; i < 256; ++i) {
    for (int place = first[i]; place < first[i] + wanted[i]; ++place) {
      EXPECT(place >= 2 * size && place < all && !used[place]);
      used[place] = true;
    }
  }
  std::printf("right\n");
}
