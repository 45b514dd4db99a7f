// A block moves its bodies as soon as it knows what pulls at them, where they stand. Other blocks
// still read them.

#include "labs/nbody/nbody.h"

namespace {

using nbody::Float4;

constexpr int block_threads = 256;
constexpr int tile_bodies = block_threads;
constexpr int own_bodies = 4;  // of a thread
constexpr int block_bodies = own_bodies * block_threads;
/// Blocks on a multiprocessor that are enough. Said to the compiler, which otherwise saves
/// registers so that more of them fit; 16 interactions under way in each thread are worth more.
constexpr int resident_blocks = 2;

/// 1 / sqrt(x), off by 2 ulp at most, for x that is not denormal.
__device__ float inverse_root(float x) {
  float result;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

/// Adds to `sum` the acceleration of a body `here` by a body `there`.
__device__ void add_pull(Float4& sum, Float4 here, Float4 there, float square) {
  const float dx = there.x - here.x, dy = there.y - here.y, dz = there.z - here.z;
  const float r2 = fmaf(dz, dz, fmaf(dy, dy, fmaf(dx, dx, square)));
  const float inverse = inverse_root(r2);
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

/// Adds to total[k] what the tile's bodies pull at here[k].
__device__ void add_pull_of_tile(Float4 (&total)[own_bodies], const Float4* tile,
                                 const Float4 (&here)[own_bodies], float square) {
  Float4 sum[own_bodies] = {};
#pragma unroll 4
  for (int j = 0; j < tile_bodies; ++j) {
    const Float4 there = tile[j];
#pragma unroll
    for (int k = 0; k < own_bodies; ++k) add_pull(sum[k], here[k], there, square);
  }
#pragma unroll
  for (int k = 0; k < own_bodies; ++k) add(total[k], sum[k]);
}

/// sum += factor * more.
__device__ void add_product(Float4& sum, float factor, Float4 more) {
  sum.x = fmaf(factor, more.x, sum.x);
  sum.y = fmaf(factor, more.y, sum.y);
  sum.z = fmaf(factor, more.z, sum.z);
}

/// Half a kick for all bodies of `state`, and a drift of dt.
__global__ void __launch_bounds__(block_threads, resident_blocks)
    kick_and_drift(Float4* state, int n, float square, float half, float dt) {
  __shared__ Float4 tiles[2][tile_bodies];
  const int own = blockIdx.x * block_bodies + threadIdx.x;
  Float4 here[own_bodies], total[own_bodies] = {};
#pragma unroll
  for (int k = 0; k < own_bodies; ++k) {
    const int i = own + k * block_threads;
    here[k] = i < n ? state[i] : Float4{};
  }
  int turn = 0;
  for (int first = 0; first < n; first += tile_bodies) {
    const int j = first + threadIdx.x;
    tiles[turn][threadIdx.x] = j < n ? state[j] : Float4{};
    __syncthreads();
    add_pull_of_tile(total, tiles[turn], here, square);
    turn ^= 1;
  }
#pragma unroll
  for (int k = 0; k < own_bodies; ++k) {
    const int i = own + k * block_threads;
    if (i >= n) continue;
    Float4 velocity = state[n + i];
    add_product(velocity, half, total[k]);
    add_product(here[k], dt, velocity);
    state[n + i] = velocity;
    state[i] = here[k];
  }
}

int ceil_div(int a, int b) { return (a + b - 1) / b; }

}  // namespace

void advance(const Float4* start, Float4* path, std::int64_t n, std::int32_t steps, float dt,
             float softening, gridstride::Scratch scratch, cudaStream_t stream) {
  if (n == 0 || steps == 0) return;
  const int count = static_cast<int>(n), blocks = ceil_div(count, block_bodies);
  const std::size_t bytes = 2 * n * sizeof(Float4);
  const float square = max(softening * softening, nbody::smallest_square);
  Float4* state = static_cast<Float4*>(scratch.data);
  cudaMemcpyAsync(state, start, bytes, cudaMemcpyDeviceToDevice, stream);
  for (int step = 0; step < steps; ++step) {
    for (const float drift : {dt, 0.0f})
      kick_and_drift<<<blocks, block_threads, 0, stream>>>(state, count, square, dt / 2, drift);
    cudaMemcpyAsync(path + 2 * n * step, state, bytes, cudaMemcpyDeviceToDevice, stream);
  }
}
