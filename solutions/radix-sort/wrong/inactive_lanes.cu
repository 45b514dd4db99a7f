// A mistake: lanes without a key leave, and the ballot is asked of those that are active. Then
// ~ones has a bit for each lane that is not there, and they count as zeros.
#include "labs/radix-sort/radix-sort.h"

namespace {

constexpr int warp_keys = 32;
constexpr int block_threads = 256;
constexpr int warps = block_threads / 32;

/// Where the lane's key goes when the warp's keys are split by one bit.
__device__ unsigned split_place(bool one) {
  const unsigned lane = threadIdx.x % 32, below_me = (1u << lane) - 1;
  const unsigned ones = __ballot_sync(__activemask(), one);
  return one ? __popc(~ones) + __popc(ones & below_me) : __popc(~ones & below_me);
}

__global__ void sort_warps(const std::uint32_t* in, std::uint32_t* out, std::int64_t n) {
  __shared__ std::uint32_t buffers[2][warps][warp_keys];
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const std::int64_t i = std::int64_t{blockIdx.x} * block_threads + threadIdx.x;

  if (i >= n) return;
  std::uint32_t key = in[i];
  for (int bit = 0; bit < 32; ++bit) {
    std::uint32_t* buffer = buffers[bit % 2][warp];
    buffer[split_place(key >> bit & 1)] = key;
    __syncwarp();
    key = buffer[lane];
  }
  out[i] = key;
}

}  // namespace

void sort_warp_sections(const std::uint32_t* in, std::uint32_t* out, std::int64_t n,
                        gridstride::Scratch, cudaStream_t stream) {
  const std::int64_t blocks = (n + block_threads - 1) / block_threads;
  if (blocks > 0) sort_warps<<<blocks, block_threads, 0, stream>>>(in, out, n);
}
