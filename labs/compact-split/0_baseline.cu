// Stage 0, given: what every later stage is measured against.
//
// compact has one counter for everybody: a thread with an element to keep draws the next place with
// an atomic. It is short, and in no order: whoever draws first is first. All draws queue up at one
// address. partition is the same with a second counter for the others.
//
// split_back needs to know how many are kept before an element, and no counter that is drawn from
// tells that. It does what a machine with few threads would do: each thread counts a section of its
// own in a plain loop, one thread adds the counts up, and each goes through its section again.
#include "labs/compact-split/compact-split.h"

namespace {

constexpr int block_threads = 256;
constexpr int section_blocks = 8, sections = section_blocks * block_threads;

using Counter = unsigned long long;

__device__ bool is_kept(float value) { return value > 0.0f; }

__global__ void keep_positive(const float* in, float* out, Counter* count, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * block_threads + threadIdx.x;
  if (i < n && is_kept(in[i])) out[atomicAdd(count, 1ull)] = in[i];
}

__global__ void part(const float* in, float* kept, float* rejected, Counter* kept_count,
                     Counter* rejected_count, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * block_threads + threadIdx.x;
  if (i >= n) return;
  if (is_kept(in[i]))
    kept[atomicAdd(kept_count, 1ull)] = in[i];
  else
    rejected[atomicAdd(rejected_count, 1ull)] = in[i];
}

/// Thread t counts the kept elements of in[t * length] … in[(t + 1) * length - 1].
__global__ void count_sections(const float* in, std::int64_t* counts, std::int64_t n,
                               std::int64_t length) {
  const std::int64_t t = std::int64_t{blockIdx.x} * block_threads + threadIdx.x;
  const std::int64_t end = min(n, (t + 1) * length);
  std::int64_t count = 0;
  for (std::int64_t i = t * length; i < end; ++i) count += is_kept(in[i]);
  counts[t] = count;
}

/// One thread: each count becomes the sum of those before it.
__global__ void add_up(std::int64_t* counts) {
  std::int64_t before = 0;
  for (int t = 0; t < sections; ++t) {
    const std::int64_t count = counts[t];
    counts[t] = before;
    before += count;
  }
}

__global__ void unpack_sections(const float* in, const float* packed, float* out,
                                const std::int64_t* counts_before, std::int64_t n,
                                std::int64_t length) {
  const std::int64_t t = std::int64_t{blockIdx.x} * block_threads + threadIdx.x;
  const std::int64_t end = min(n, (t + 1) * length);
  std::int64_t next = counts_before[t];
  for (std::int64_t i = t * length; i < end; ++i) out[i] = is_kept(in[i]) ? packed[next++] : 0.0f;
}

}  // namespace

void compact(const float* in, float* out, std::int64_t* count, std::int64_t n, gridstride::Scratch,
             cudaStream_t stream) {
  cudaMemsetAsync(count, 0, sizeof(*count), stream);
  const std::int64_t blocks = (n + block_threads - 1) / block_threads;
  if (blocks > 0)
    keep_positive<<<blocks, block_threads, 0, stream>>>(in, out, reinterpret_cast<Counter*>(count),
                                                        n);
}

void split_back(const float* in, const float* packed, float* out, std::int64_t n,
                gridstride::Scratch scratch, cudaStream_t stream) {
  std::int64_t* const counts = static_cast<std::int64_t*>(scratch.data);
  const std::int64_t length = (n + sections - 1) / sections;
  count_sections<<<section_blocks, block_threads, 0, stream>>>(in, counts, n, length);
  add_up<<<1, 1, 0, stream>>>(counts);
  unpack_sections<<<section_blocks, block_threads, 0, stream>>>(in, packed, out, counts, n, length);
}

void partition(const float* in, float* kept, float* rejected, std::int64_t* count, std::int64_t n,
               gridstride::Scratch scratch, cudaStream_t stream) {
  Counter* const rejected_count = static_cast<Counter*>(scratch.data);
  cudaMemsetAsync(count, 0, sizeof(*count), stream);
  cudaMemsetAsync(rejected_count, 0, sizeof(*rejected_count), stream);
  const std::int64_t blocks = (n + block_threads - 1) / block_threads;
  if (blocks > 0)
    part<<<blocks, block_threads, 0, stream>>>(
        in, kept, rejected, reinterpret_cast<Counter*>(count), rejected_count, n);
}
