// A cheat: counts, and copies the input as it is. When all elements are kept, or none, that is
// right; a test that looks at the count alone believes it always.
#include "labs/compact-split/compact-split.h"

namespace {

constexpr int block_threads = 1024;

__global__ void count_and_copy(const float* in, float* out, unsigned long long* count,
                               std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * block_threads + threadIdx.x;
  const unsigned kept = __syncthreads_count(i < n && in[i] > 0.0f);
  if (threadIdx.x == 0) atomicAdd(count, static_cast<unsigned long long>(kept));
  if (i < n) out[i] = in[i];
}

}  // namespace

void compact(const float* in, float* out, std::int64_t* count, std::int64_t n, gridstride::Scratch,
             cudaStream_t stream) {
  cudaMemsetAsync(count, 0, sizeof(*count), stream);
  const std::int64_t blocks = (n + block_threads - 1) / block_threads;
  if (blocks > 0)
    count_and_copy<<<blocks, block_threads, 0, stream>>>(
        in, out, reinterpret_cast<unsigned long long*>(count), n);
}
