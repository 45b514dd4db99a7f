// Overflow of a 32-bit index: thread * n / threads cuts the input into equal sections, and the
// product is beyond 2^32 long before n is. Right up to some hundred thousand elements.
#include "labs/reduction/reduction.h"

namespace {

constexpr unsigned block_threads = 256, blocks = 64, threads = blocks * block_threads;

__global__ void sum_sections(const float* in, float* partial, unsigned n) {
  const unsigned thread = blockIdx.x * block_threads + threadIdx.x;
  const unsigned begin = thread * n / threads, end = (thread + 1) * n / threads;
  float sum = 0;
  for (unsigned i = begin; i < end; ++i) sum += in[i];
  partial[thread] = sum;
}

__global__ void sum_rest(const float* partial, float* out) {
  __shared__ float sums[block_threads];
  const unsigned tid = threadIdx.x;
  sums[tid] = 0;
  for (unsigned i = tid; i < threads; i += block_threads) sums[tid] += partial[i];
  __syncthreads();
  for (unsigned s = block_threads / 2; s > 0; s /= 2) {
    if (tid < s) sums[tid] += sums[tid + s];
    __syncthreads();
  }
  if (tid == 0) *out = sums[0];
}

}  // namespace

void reduce_sum(const float* in, float* out, std::int64_t n, gridstride::Scratch scratch,
                cudaStream_t stream) {
  float* partial = static_cast<float*>(scratch.data);
  sum_sections<<<blocks, block_threads, 0, stream>>>(in, partial, static_cast<unsigned>(n));
  sum_rest<<<1, block_threads, 0, stream>>>(partial, out);
}
