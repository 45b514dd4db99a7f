// Stage 2, fewer instructions: the reciprocal root, fused multiply-adds, an unrolled loop.
//
// Tiles as in stage 1. What a thread does with a body is written for the hardware:
//   - 1 / sqrt(r2) is one instruction of the special-function unit, off by 2 ulp at most; a root
//     and a division rounded as IEEE 754 asks are some twenty. Its cube times the mass is three
//     multiplications;
//   - a product and a sum are one instruction, fmaf(), rounded once;
//   - counting j, comparing it and computing an address are paid for once every 64 bodies, for in
//     an unrolled loop the addresses are constants in the load instructions.

#include "labs/nbody/nbody.h"

namespace {

using nbody::Float4;

constexpr int block_threads = 256;
constexpr int tile_bodies = block_threads;

/// Adds to `sum` the acceleration of a body `here` by a body `there`.
__device__ void add_pull(Float4& sum, Float4 here, Float4 there, float square) {
  const float dx = there.x - here.x, dy = there.y - here.y, dz = there.z - here.z;
  const float r2 = fmaf(dz, dz, fmaf(dy, dy, fmaf(dx, dx, square)));
  const float inverse = rsqrtf(r2);
  const float strength = (there.w * inverse) * (inverse * inverse);
  sum.x = fmaf(strength, dx, sum.x);
  sum.y = fmaf(strength, dy, sum.y);
  sum.z = fmaf(strength, dz, sum.z);
}

__device__ void add(Float4& sum, Float4 more) {
  sum.x += more.x;
  sum.y += more.y;
  sum.z += more.z;
}

/// What the tile's bodies pull at `here`.
__device__ Float4 pull_of_tile(const Float4* tile, Float4 here, float square) {
  Float4 sum{};
#pragma unroll 64
  for (int j = 0; j < tile_bodies; ++j) add_pull(sum, here, tile[j], square);
  return sum;
}

__global__ void __launch_bounds__(block_threads)
    accelerate_by_tiles(const Float4* bodies, Float4* acceleration, int n, float square) {
  __shared__ Float4 tile[tile_bodies];
  const int i = blockIdx.x * block_threads + threadIdx.x;
  const Float4 here = i < n ? bodies[i] : Float4{};
  Float4 total{};
  for (int first = 0; first < n; first += tile_bodies) {
    const int j = first + threadIdx.x;
    tile[threadIdx.x] = j < n ? bodies[j] : Float4{};  // no mass: it pulls at nobody
    __syncthreads();
    add(total, pull_of_tile(tile, here, square));
    __syncthreads();
  }
  if (i < n) acceleration[i] = total;
}

}  // namespace

void accelerate(const Float4* bodies, Float4* acceleration, std::int64_t n, float softening,
                gridstride::Scratch, cudaStream_t stream) {
  if (n == 0) return;
  const float square = max(softening * softening, nbody::smallest_square);
  const int blocks = static_cast<int>((n + block_threads - 1) / block_threads);
  accelerate_by_tiles<<<blocks, block_threads, 0, stream>>>(bodies, acceleration,
                                                            static_cast<int>(n), square);
}
