// The barrier behind the look-back is missing: others use the block's offset before thread 0 has
// it.
#include "labs/compact-split/compact-split.h"

namespace {

constexpr int block_threads = 1024;
constexpr int warps = block_threads / 32;
constexpr unsigned full_warp = 0xffffffff;

__device__ bool is_kept(float value) { return value > 0.0f; }

/// A count in the low 62 bits and what it is a count of in the high two; 0: not there yet.
using Descriptor = unsigned long long;
constexpr Descriptor of_tile = 1ull << 62;       ///< kept elements of the tile alone
constexpr Descriptor through_tile = 2ull << 62;  ///< kept elements of this tile and all before it
constexpr Descriptor count_bits = (1ull << 62) - 1;

__device__ void publish(Descriptor* descriptor, Descriptor kind, std::int64_t count) {
  __nv_atomic_store_n(descriptor, kind | static_cast<Descriptor>(count), __NV_ATOMIC_RELAXED,
                      __NV_THREAD_SCOPE_DEVICE);
}

/// How many elements are kept before `tile`. One thread calls it.
__device__ std::int64_t look_back(Descriptor* descriptors, std::int64_t tile) {
  std::int64_t before = 0;
  for (std::int64_t earlier = tile - 1; earlier >= 0; --earlier) {
    Descriptor seen = 0;
    while (seen == 0)
      seen =
          __nv_atomic_load_n(descriptors + earlier, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    before += static_cast<std::int64_t>(seen & count_bits);
    if (seen >= through_tile) break;
  }
  return before;
}

__global__ void pack_tiles(const float* in, float* out, std::int64_t* count, std::int64_t n,
                           unsigned long long* ticket, Descriptor* descriptors) {
  __shared__ int counts[warps];
  __shared__ std::int64_t drawn, kept_before;
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;

  if (threadIdx.x == 0) drawn = static_cast<std::int64_t>(atomicAdd(ticket, 1ull));
  __syncthreads();
  const std::int64_t tile = drawn;
  const std::int64_t i = tile * block_threads + threadIdx.x;
  const float value = i < n ? in[i] : 0.0f;  // 0 is not kept
  const unsigned flags = __ballot_sync(full_warp, is_kept(value));
  if (lane == 0) counts[warp] = __popc(flags);
  __syncthreads();
  int rank = __popc(flags & ((1u << lane) - 1)), all = 0;
  for (unsigned w = 0; w < warps; ++w) {
    if (w < warp) rank += counts[w];
    all += counts[w];
  }
  if (threadIdx.x == 0) {
    publish(descriptors + tile, of_tile, all);
    kept_before = look_back(descriptors, tile);
    publish(descriptors + tile, through_tile, kept_before + all);
    if (tile == gridDim.x - 1) *count = kept_before + all;
  }
  if (is_kept(value)) out[kept_before + rank] = value;
}

}  // namespace

void compact(const float* in, float* out, std::int64_t* count, std::int64_t n,
             gridstride::Scratch scratch, cudaStream_t stream) {
  const std::int64_t tiles = (n + block_threads - 1) / block_threads;
  if (tiles == 0) {
    cudaMemsetAsync(count, 0, sizeof(*count), stream);
    return;
  }
  unsigned long long* const ticket = static_cast<unsigned long long*>(scratch.data);
  cudaMemsetAsync(ticket, 0, (1 + tiles) * sizeof(Descriptor), stream);
  pack_tiles<<<tiles, block_threads, 0, stream>>>(in, out, count, n, ticket, ticket + 1);
}
