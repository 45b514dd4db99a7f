// Elements that pass a test brought together, in any order: a place for each drawn by an atomic of
// its own, of its warp or of its block; and how many runs of equal elements begin in each block.
#include <algorithm>

#include "ladder.h"

namespace ladder::compaction {

constexpr int elements = 1 << 23, threads = 256;

__device__ bool passes(unsigned value) { return value % 4 == 1; }

__global__ void atomic_each(const unsigned* in, unsigned* out, unsigned* used) {
  const unsigned value = in[blockIdx.x * threads + threadIdx.x];
  if (passes(value)) out[atomicAdd(used, 1U)] = value;
}

__device__ unsigned lanes_below() { return (1U << (threadIdx.x % 32)) - 1; }

__global__ void atomic_a_warp(const unsigned* in, unsigned* out, unsigned* used) {
  const unsigned value = in[blockIdx.x * threads + threadIdx.x];
  const unsigned chosen = __ballot_sync(0xffffffffU, passes(value));
  unsigned begin = 0;
  if (threadIdx.x % 32 == 0) begin = atomicAdd(used, __popc(chosen));
  begin = __shfl_sync(0xffffffffU, begin, 0);
  if (passes(value)) out[begin + __popc(chosen & lanes_below())] = value;
}

/// `steps` elements a thread, one atomic a block.
template <int steps>
__global__ void atomic_a_block(const unsigned* in, unsigned* out, unsigned* used) {
  __shared__ unsigned of_warps[threads / 32], block_begin;
  const int first = blockIdx.x * threads * steps + threadIdx.x, warp = threadIdx.x / 32;
  unsigned values[steps], chosen[steps], of_warp = 0;
#pragma unroll
  for (int k = 0; k < steps; ++k) {
    values[k] = in[first + k * threads];
    chosen[k] = __ballot_sync(0xffffffffU, passes(values[k]));
    of_warp += __popc(chosen[k]);
  }
  if (threadIdx.x % 32 == 0) of_warps[warp] = of_warp;
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned sum = 0;
    for (unsigned& count : of_warps) {
      const unsigned before = sum;
      sum += count;
      count = before;
    }
    block_begin = atomicAdd(used, sum);
  }
  __syncthreads();
  unsigned begin = block_begin + of_warps[warp];
#pragma unroll
  for (int k = 0; k < steps; ++k) {
    if (passes(values[k])) out[begin + __popc(chosen[k] & lanes_below())] = values[k];
    begin += __popc(chosen[k]);
  }
}

/// Runs of about `mixed % 16` equal elements.
__global__ void runs_by_ballots(const unsigned* in, unsigned* counts, int n) {
  __shared__ unsigned of_warps[threads / 32];
  unsigned mine = 0;
  for (int i = blockIdx.x * threads + threadIdx.x; i < n; i += gridDim.x * threads) {
    const unsigned begins = __ballot_sync(0xffffffffU, i == 0 || in[i] != in[i - 1]);
    mine += __popc(begins);
  }
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned sum = 0;
    for (const unsigned count : of_warps) sum += count;
    counts[blockIdx.x] = sum;
  }
}

__global__ void runs_by_sums(const unsigned* in, unsigned* counts, int n) {
  __shared__ unsigned of_warps[32];
  unsigned mine = 0;
  for (int i = blockIdx.x * threads + threadIdx.x; i < n; i += gridDim.x * threads) {
    mine += i == 0 || in[i] != in[i - 1];
  }
  mine = block_sum(mine, of_warps);
  if (threadIdx.x == 0) counts[blockIdx.x] = mine;
}

Kernels compaction() {
  const Array<unsigned> in(elements, mixed), out(elements), used(1);
  const auto way = [=](const char* name, auto kernel, int steps) {
    return Kernel{name,
                  [=] {
                    out.clear();
                    used.clear();
                  },
                  [=] {
                    kernel<<<elements / threads / steps, threads>>>(in.device(), out.device(),
                                                                    used.device());
                  },
                  [=] {
                    std::vector<unsigned> wanted, got = out.read();
                    for (int i = 0; i < elements; ++i) {
                      if (in[i] % 4 == 1) wanted.push_back(in[i]);
                    }
                    got.resize(used.read()[0]);
                    std::sort(wanted.begin(), wanted.end());
                    std::sort(got.begin(), got.end());
                    return got == wanted;
                  }};
  };
  return {way("atomic each", atomic_each, 1), way("atomic a warp", atomic_a_warp, 1),
          way("atomic a block", atomic_a_block<1>, 1),
          way("atomic a block, 8 a thread", atomic_a_block<8>, 8)};
}

Kernels runs() {
  constexpr int n = 1 << 25, blocks = 1056;
  const Array<unsigned> in(n, [](std::uint32_t i) { return mixed(i / 7 + i / 11) % 4; }),
      counts(blocks);
  const auto way = [=](const char* name, auto kernel) {
    return Kernel{name, [=] { counts.clear(); },
                  [=] { kernel<<<blocks, threads>>>(in.device(), counts.device(), n); },
                  [=] {
                    unsigned wanted = 1, got = 0;
                    for (int i = 1; i < n; ++i) wanted += in[i] != in[i - 1];
                    for (const unsigned count : counts.read()) got += count;
                    return got == wanted;
                  }};
  };
  return {way("by ballots", runs_by_ballots), way("by sums", runs_by_sums)};
}

}  // namespace ladder::compaction
