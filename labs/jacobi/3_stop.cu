// Stage 3, knowing when to stop: the device decides, the host looks in now and then.
//
// A sweep computes the residual of x on the way to the next x, so it costs nothing to find its
// largest element in the same kernel. The last block to finish reads it and decides. Later launches
// see the decision and return at once. So the host orders sweeps without knowing whether they are
// needed, and asks once for each batch of them.
//
//     host     order 16, ask ───────────────── order 16, ask ──────────────────── done
//     device        │ sweeps 0 … 15 │               │ 16 … 20: converged │ 11 that return at once
#include "labs/jacobi/jacobi.h"

namespace {

using jacobi::Method;
using jacobi::Outcome;
using jacobi::Status;

constexpr int block_threads = 256;
constexpr int block_rows = block_threads / 32;
constexpr int batch = 16;  // even, so that each begins with x
constexpr unsigned full_warp = 0xffffffff;

/// What the sweeps of a call share, in device memory.
struct Progress {
  unsigned running;      ///< 0 once it is decided
  unsigned largest;      ///< bits of the largest |r[i]| so far of this sweep
  unsigned blocks_done;  ///< of this sweep
  float first;           ///< the residual of the start
  Outcome outcome;       ///< .sweeps counts those whose result is x
};

struct System {
  const float *a, *f;
  std::int64_t pitch, n;
  Method method;
  float alpha, tolerance;
  std::int32_t most_sweeps;
};

/// The sum of the warp's 32 values, in every lane. Every lane must call it.
__device__ float sum_warp(float sum) {
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(full_warp, sum, offset);
  return sum;
}

__device__ float dot(float4 a, float4 b) {
  return (a.x * b.x + a.y * b.y) + (a.z * b.z + a.w * b.w);
}

/// (A x)[i] for row = the begin of row i, in every lane.
__device__ float product_of_row(const float* row, const float* x, std::int64_t n) {
  const unsigned lane = threadIdx.x % 32;
  const float4 *row4 = reinterpret_cast<const float4*>(row),
               *x4 = reinterpret_cast<const float4*>(x);
  float sum = 0.0f;
#pragma unroll 4
  for (std::int64_t j = lane; j < n / 4; j += 32) sum += dot(row4[j], x4[j]);
  const std::int64_t last = n / 4 * 4 + lane;
  if (last < n) sum += row[last] * x[last];
  return sum_warp(sum);
}

/// Looks at the residual of x. One thread of the last block calls it.
__device__ void decide(Progress* progress, const System& system) {
  Outcome& outcome = progress->outcome;
  // TODO(1): read the largest residual, start the next sweep's at 0, and decide.
  //   Converged, diverged (NaN fails every comparison: how do you ask?), out of sweeps, or one
  //   more sweep.
  // TODO(1) end
}

__global__ void begin(Progress* progress) { *progress = {1, 0, 0, 0, {Status::converged, 0, 0}}; }

/// Writes the x after this one to `next`, and whether it is needed to `progress`.
__global__ void __launch_bounds__(block_threads)
    sweep_and_look(System system, const float* x, float* next, Progress* progress) {
  if (progress->running == 0) return;
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::int64_t n = system.n, i = std::int64_t{blockIdx.x} * block_rows + warp;
  __shared__ unsigned largest;
  if (threadIdx.x == 0) largest = 0;
  __syncthreads();
  if (i < n) {
    const float* row = system.a + i * system.pitch;
    const float r = system.f[i] - product_of_row(row, x, n);
    if (lane == 0) {
      next[i] = system.method == Method::jacobi ? x[i] + r / row[i] : x[i] - system.alpha * r;
      // TODO(2): the largest |r| of the block, in `largest`.
      //   Of numbers that are not negative the larger one has the larger bits, so an atomicMax of
      //   unsigned does. What are the bits of NaN?
      // TODO(2) end
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    // TODO(3): the block's largest joins the others'; the block that comes last decides.
    // TODO(3) end
  }
}

/// Brings the result to where the caller wants it. After an odd number of sweeps it is in `other`.
__global__ void hand_over(const Progress* progress, float* x, const float* other, std::int64_t n,
                          Outcome* outcome) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i == 0) *outcome = progress->outcome;
  if (i < n && progress->outcome.sweeps % 2 == 1) x[i] = other[i];
}

}  // namespace

void solve(const float* a, std::int64_t pitch, const float* f, float* x, Outcome* outcome,
           std::int64_t n, Method method, float alpha, float tolerance, std::int32_t most_sweeps,
           gridstride::Scratch scratch, cudaStream_t stream) {
  const System system{a, f, pitch, n, method, alpha, tolerance, most_sweeps};
  Progress* progress = static_cast<Progress*>(scratch.data);
  float* other = static_cast<float*>(scratch.data) + 64;
  const auto blocks = static_cast<unsigned>(n / block_rows + 1);
  const auto order_batch = [&] {
    for (int k = 0; k < batch; k += 2) {
      sweep_and_look<<<blocks, block_threads, 0, stream>>>(system, x, other, progress);
      sweep_and_look<<<blocks, block_threads, 0, stream>>>(system, other, x, progress);
    }
  };
  begin<<<1, 1, 0, stream>>>(progress);
  // TODO(4): order a batch, fetch progress->running, wait for it; again while it is not 0.
  //   An error of the device ends it too, or the loop would never end. Then order hand_over.
  // TODO(4) end
}
