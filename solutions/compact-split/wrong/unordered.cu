// Places are drawn from a counter, as in the baseline: the right elements, in no order.
#include "labs/compact-split/compact-split.h"

namespace {

constexpr int block_threads = 256;

__global__ void keep_positive(const float* in, float* out, unsigned long long* count,
                              std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * block_threads + threadIdx.x;
  if (i < n && in[i] > 0.0f) out[atomicAdd(count, 1ull)] = in[i];
}

}  // namespace

void compact(const float* in, float* out, std::int64_t* count, std::int64_t n, gridstride::Scratch,
             cudaStream_t stream) {
  cudaMemsetAsync(count, 0, sizeof(*count), stream);
  const std::int64_t blocks = (n + block_threads - 1) / block_threads;
  if (blocks > 0)
    keep_positive<<<blocks, block_threads, 0, stream>>>(
        in, out, reinterpret_cast<unsigned long long*>(count), n);
}
