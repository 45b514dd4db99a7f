// Stage 4, the full step: leapfrog around the accelerations of stage 3.
//
// A step kicks the velocities by half a step, drifts the positions, and kicks by another half with
// the accelerations at the new positions:
//
//     positions    x0 ───────────> x1 ───────────> x2
//     velocities   v0 ──> v' ────> v1 ──> v' ────> v2      kick, drift, kick | kick, drift, kick
//     a at         x0              x1              x2
//
//   - The second kick of a step and the first of the next use the same accelerations: steps + 1
//     evaluations in all, not two a step.
//   - Adding up the parts, both kicks and the drift are one kernel. It is a launch of its own: no
//     body may move before all blocks have read where it was.
#include <algorithm>

#include "labs/nbody/nbody.h"

namespace {

using nbody::Float4;

constexpr int block_threads = 256;
constexpr int tile_bodies = block_threads;
constexpr int own_bodies = 4;  // of a thread
constexpr int block_bodies = own_bodies * block_threads;
/// Blocks of the grid for each that the device holds at a time: the last ones to run leave little
/// of it idle.
constexpr int rounds = 4;
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
  // TODO(1): as in stage 3.
  (void)sum, (void)dx, (void)dy, (void)dz, (void)inverse_root(square);
  // TODO(1) end
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
  // TODO(2): as in stage 3.
  add_pull(sum[0], here[0], here[0], square);
  add(total[0], sum[0]);
  // TODO(2) end
}

/// What the bodies of part blockIdx.y, part_bodies of them, pull at the block's own: into
/// of_part[blockIdx.y * n + i].
__global__ void __launch_bounds__(block_threads, resident_blocks)
    accelerate_by_part(const Float4* bodies, Float4* of_part, int n, int part_bodies,
                       float square) {
  __shared__ Float4 tiles[2][tile_bodies];
  const int own = blockIdx.x * block_bodies + threadIdx.x;  // and every block_threads-th from there
  Float4 here[own_bodies], total[own_bodies] = {};
#pragma unroll
  for (int k = 0; k < own_bodies; ++k) {
    const int i = own + k * block_threads;
    here[k] = i < n ? bodies[i] : Float4{};
  }

  const int begin = blockIdx.y * part_bodies, end = min(n, begin + part_bodies);
  int turn = 0;
  for (int first = begin; first < end; first += tile_bodies) {
    // TODO(3): as in stage 3.
    // TODO(3) end
    add_pull_of_tile(total, tiles[turn], here, square);
    turn ^= 1;
  }

#pragma unroll
  for (int k = 0; k < own_bodies; ++k) {
    // TODO(4): as in stage 3.
    (void)of_part;
    // TODO(4) end
  }
}

/// The acceleration of body i: all parts, one after the other.
__device__ Float4 sum_of_parts(const Float4* of_part, int n, int parts, int i) {
  Float4 sum{};
  // TODO(5): as in stage 3.
  // TODO(5) end
  return sum;
}

/// sum += factor * more.
__device__ void add_product(Float4& sum, float factor, Float4 more) {
  sum.x = fmaf(factor, more.x, sum.x);
  sum.y = fmaf(factor, more.y, sum.y);
  sum.z = fmaf(factor, more.z, sum.z);
}

/// Between two steps, all accelerations known: the second kick of the one that led to the state
/// `from`, whose velocities become final in `completed`, and the first kick and the drift of the
/// one that leads to `next`. No `completed` before the first step, no `next` behind the last.
__global__ void __launch_bounds__(block_threads)
    kick_and_drift(const Float4* of_part, const Float4* from, Float4* completed, Float4* next,
                   int n, int parts, float dt) {
  const int i = blockIdx.x * block_threads + threadIdx.x;
  if (i >= n) return;
  const Float4 acceleration = sum_of_parts(of_part, n, parts, i);
  Float4 velocity = from[n + i];
  // TODO(6): the second kick of one step, the first kick and the drift of the next.
  //   If there is a step to complete, its velocity is from[n + i] and half a kick more. If there is
  //   a next one, it begins with half a kick; what next[n + i] then holds is completed by the
  //   launch after this one. A body keeps its mass.
  add_product(velocity, dt, acceleration);
  // TODO(6) end
}

int ceil_div(int a, int b) { return (a + b - 1) / b; }

/// How many bodies a part has: whole tiles, and so many that the grid fills the device.
int bodies_of_part(int n) {
  int device = 0, multiprocessors = 0, resident = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, accelerate_by_part, block_threads, 0);
  const int wanted = rounds * multiprocessors * resident / ceil_div(n, block_bodies);
  const int parts = std::clamp(wanted, 1, nbody::most_parts);
  return ceil_div(ceil_div(n, parts), tile_bodies) * tile_bodies;
}

}  // namespace

void advance(const Float4* start, Float4* path, std::int64_t n, std::int32_t steps, float dt,
             float softening, gridstride::Scratch scratch, cudaStream_t stream) {
  if (n == 0 || steps == 0) return;
  const int count = static_cast<int>(n), part_bodies = bodies_of_part(count);
  const dim3 grid(ceil_div(count, block_bodies), ceil_div(count, part_bodies));
  const float square = std::max(softening * softening, nbody::smallest_square);
  Float4* of_part = static_cast<Float4*>(scratch.data);
  for (int step = 0; step <= steps; ++step) {
    Float4* completed = step == 0 ? nullptr : path + 2 * n * (step - 1);
    Float4* next = step == steps ? nullptr : path + 2 * n * step;
    const Float4* from = step == 0 ? start : completed;
    accelerate_by_part<<<grid, block_threads, 0, stream>>>(from, of_part, count, part_bodies,
                                                           square);
    kick_and_drift<<<ceil_div(count, block_threads), block_threads, 0, stream>>>(
        of_part, from, completed, next, count, grid.y, dt);
  }
}
