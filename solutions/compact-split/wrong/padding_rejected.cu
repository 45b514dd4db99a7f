// The last piece is filled up with zeros, which are not kept: so they are rejected, behind the last
// element.
#include "labs/compact-split/compact-split.h"

namespace {

constexpr int block_threads = 1024;
constexpr int warps = block_threads / 32;
constexpr int max_sections = block_threads;  // one block scans their counts
constexpr unsigned full_warp = 0xffffffff;

__device__ bool is_kept(float value) { return value > 0.0f; }

/// How many of the block's threads before this one said true, and how many of all.
struct Rank {
  int before, all;
};

/// Every thread of the block must call it. A ballot is the flags of a warp as one word, so counting
/// the bits below one's own scans 32 flags in one step.
__device__ Rank rank_in_block(bool flag) {
  __shared__ int counts[warps];
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const unsigned flags = __ballot_sync(full_warp, flag);

  __syncthreads();  // everybody is done with the last call's counts
  if (lane == 0) counts[warp] = __popc(flags);
  __syncthreads();
  Rank rank = {__popc(flags & ((1u << lane) - 1)), 0};
  for (unsigned w = 0; w < warps; ++w) {
    if (w < warp) rank.before += counts[w];
    rank.all += counts[w];
  }
  return rank;
}

/// Phase 1: writes how many elements of section blockIdx.x are kept to counts[blockIdx.x].
__global__ void count_sections(const float* in, std::int64_t* counts, std::int64_t n,
                               std::int64_t length) {
  const std::int64_t start = blockIdx.x * length, end = min(n, start + length);
  std::int64_t count = 0;
  for (std::int64_t first = start; first < end; first += block_threads) {
    const std::int64_t i = first + threadIdx.x;
    count += __syncthreads_count(i < end && is_kept(in[i]));
  }
  if (threadIdx.x == 0) counts[blockIdx.x] = count;
}

/// Phase 2, one block: the exclusive scan of counts[0] … counts[sections - 1], in place, and the
/// sum behind them. The scan is that of stage 1, of counts instead of flags.
__global__ void scan_counts(std::int64_t* counts, int sections) {
  __shared__ std::int64_t buffers[2][block_threads];
  const unsigned tid = threadIdx.x;
  std::int64_t *from = buffers[0], *to = buffers[1];
  from[tid] = tid < sections ? counts[tid] : 0;
  __syncthreads();
  for (unsigned s = 1; s < block_threads; s *= 2) {
    to[tid] = tid >= s ? from[tid - s] + from[tid] : from[tid];
    __syncthreads();
    std::int64_t* const done = to;
    to = from;
    from = done;
  }
  if (tid < sections) counts[tid] = tid == 0 ? 0 : from[tid - 1];
  if (tid == 0) counts[sections] = from[block_threads - 1];
}

/// Phase 3: sends the elements of section blockIdx.x to either side.
__global__ void part_sections(const float* in, float* kept, float* rejected,
                              const std::int64_t* counts_before, std::int64_t* count,
                              std::int64_t n, std::int64_t length) {
  const std::int64_t start = blockIdx.x * length, end = min(n, start + length);
  std::int64_t before = counts_before[blockIdx.x];
  for (std::int64_t first = start; first < end; first += block_threads) {
    const std::int64_t i = first + threadIdx.x;
    const float value = i < end ? in[i] : 0.0f;
    const Rank rank = rank_in_block(is_kept(value));
    const std::int64_t kept_before = before + rank.before;
    if (is_kept(value))
      kept[kept_before] = value;
    else
      rejected[i - kept_before] = value;
    before += rank.all;
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) *count = counts_before[gridDim.x];
}

}  // namespace

void partition(const float* in, float* kept, float* rejected, std::int64_t* count, std::int64_t n,
               gridstride::Scratch scratch, cudaStream_t stream) {
  const std::int64_t pieces = (n + block_threads - 1) / block_threads;
  if (pieces == 0) {
    cudaMemsetAsync(count, 0, sizeof(*count), stream);
    return;
  }
  // Sections are whole pieces, and no more than one block can scan.
  const std::int64_t length = (pieces + max_sections - 1) / max_sections * block_threads;
  const int sections = static_cast<int>((n + length - 1) / length);
  std::int64_t* const counts = static_cast<std::int64_t*>(scratch.data);
  count_sections<<<sections, block_threads, 0, stream>>>(in, counts, n, length);
  scan_counts<<<1, block_threads, 0, stream>>>(counts, sections);
  part_sections<<<sections, block_threads, 0, stream>>>(in, kept, rejected, counts, count, n,
                                                        length);
}
