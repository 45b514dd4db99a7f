// Right, by kernels that launch kernels: half of the range each, until a block can do it.
// Relocatable device code, linked with cudadevrt.
#include "grader/judge/testlab/testlab.h"

__global__ void twice_each(const float* in, float* out, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}

/// Each block launches, in turn or at the same time.
__global__ void twice_pieces(const float* in, float* out, std::int64_t n, std::int64_t piece) {
  const std::int64_t first = blockIdx.x * piece, left = n - first;
  const std::int64_t count = left < piece ? left : piece;
  twice_each<<<static_cast<unsigned>((count + 255) / 256), 256, 0, cudaStreamFireAndForget>>>(
      in + first, out + first, count);
}

__global__ void twice_halves(const float* in, float* out, std::int64_t n) {
  constexpr std::int64_t small = 1 << 14;
  if (n <= small) {
    constexpr std::int64_t piece = 1000;
    twice_pieces<<<static_cast<unsigned>((n + piece - 1) / piece), 1>>>(in, out, n, piece);
    return;
  }
  const std::int64_t half = n / 2;
  twice_halves<<<1, 1, 0, cudaStreamFireAndForget>>>(in, out, half);
  twice_halves<<<1, 1, 0, cudaStreamFireAndForget>>>(in + half, out + half, n - half);
}

void twice(const float* in, float* out, std::int64_t n, gridstride::Scratch, cudaStream_t stream) {
  if (n != 0) twice_halves<<<1, 1, 0, stream>>>(in, out, n);
}
