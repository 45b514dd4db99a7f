// Stage 1, a warp sorts 32 keys: the scan of one bit in a single instruction.
//
// __ballot_sync gives every lane the bits of all lanes as one word. The ones before lane i are the
// set bits below bit i, and the hardware counts bits: __popc. So the scan that took the baseline
// ten steps and twenty barriers is a mask and a count.
//
// A key goes to the lane that its place says. Through registers that would be a shuffle, but a
// shuffle reads from a lane, and here each lane knows where its key goes, not where its next key
// comes from. So the keys go through shared memory, and from one half of a buffer to the other:
// nobody may write a word that somebody still has to read.
#include "labs/radix-sort/radix-sort.h"

namespace {

constexpr int warp_keys = 32;
constexpr int block_threads = 256;
constexpr int warps = block_threads / 32;
constexpr unsigned full_warp = 0xffffffff;

/// Where the lane's key goes when the warp's 32 keys are split by one bit. All lanes must call it.
__device__ unsigned split_place(bool one) {
  const unsigned lane = threadIdx.x % 32, below_me = (1u << lane) - 1;
  // TODO(1): the place of the lane's key.
  //   A zero goes behind the zeros before it, a one behind all zeros and the ones before it. Bit l
  //   of __ballot_sync(full_warp, one) is lane l's; below_me has the bits of the lanes before this
  //   one.
  return __popc(below_me & (one ? full_warp : 0));
  // TODO(1) end
}

__global__ void sort_warps(const std::uint32_t* in, std::uint32_t* out, std::int64_t n) {
  __shared__ std::uint32_t buffers[2][warps][warp_keys];
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const std::int64_t i = std::int64_t{blockIdx.x} * block_threads + threadIdx.x;

  // TODO(2): load a key, split by each bit, write.
  //   From the lowest bit to the highest: put the key where split_place() says in the warp's part
  //   of one buffer, take from it the key at `lane`, and use the other buffer for the next bit. All
  //   lanes of the warp must have written before one reads. The last section may have fewer than 32
  //   keys: what may a lane without a key bring, so that it ends up behind all others?
  (void)split_place, (void)&buffers, (void)in, (void)out, (void)n, (void)i, (void)warp, (void)lane;
  // TODO(2) end
}

}  // namespace

void sort_warp_sections(const std::uint32_t* in, std::uint32_t* out, std::int64_t n,
                        gridstride::Scratch, cudaStream_t stream) {
  const std::int64_t blocks = (n + block_threads - 1) / block_threads;
  if (blocks > 0) sort_warps<<<blocks, block_threads, 0, stream>>>(in, out, n);
}
