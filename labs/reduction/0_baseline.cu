// Stage 0, given: what every later stage is measured against.
//
// reduce_sum adds each element to the result with an atomic. That is right for any n and takes four
// lines, and it makes every thread of the grid queue up at one address: the sum is as serial as a
// loop. (It is not deterministic either: the order of the queue changes from run to run. Later
// stages must do better.)
//
// reduce_points has no atomic that fits a user's operation. It cuts the input into sections, one a
// thread, folds each in a plain loop, and lets one thread fold the sections' results.
#include <cmath>

#include "labs/reduction/reduction.h"

namespace {

using reduction::Operation;
using reduction::Point;

constexpr int block_threads = 256;

__global__ void add_each(const float* in, float* out, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(out, in[i]);
}

__device__ Point identity(Operation operation) {
  switch (operation) {
    case Operation::min:
      return {INFINITY, INFINITY, INFINITY, INFINITY};
    case Operation::max:
      return {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
    case Operation::product:
      return {1, 1, 1, 1};
    default:
      return {0, 0, 0, 0};
  }
}

__device__ double squared_distance(Point p) {
  const double x = p.x, y = p.y, z = p.z;
  return x * x + y * y + z * z;
}

__device__ Point farther(Point a, Point b) {
  const double far_a = squared_distance(a), far_b = squared_distance(b);
  if (far_a != far_b) return far_a > far_b ? a : b;
  if (a.x != b.x) return a.x < b.x ? a : b;
  if (a.y != b.y) return a.y < b.y ? a : b;
  if (a.z != b.z) return a.z < b.z ? a : b;
  return a.mass <= b.mass ? a : b;
}

__device__ Point combine(Operation operation, Point a, Point b) {
  switch (operation) {
    case Operation::sum:
      return {a.x + b.x, a.y + b.y, a.z + b.z, a.mass + b.mass};
    case Operation::min:
      return {fminf(a.x, b.x), fminf(a.y, b.y), fminf(a.z, b.z), fminf(a.mass, b.mass)};
    case Operation::max:
      return {fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z), fmaxf(a.mass, b.mass)};
    case Operation::product:
      return {a.x * b.x, a.y * b.y, a.z * b.z, a.mass * b.mass};
    default:
      return farther(a, b);
  }
}

/// Thread t folds in[t * length] … in[(t + 1) * length - 1] into partial[t].
__global__ void fold_sections(const Point* in, Point* partial, std::int64_t n, std::int64_t length,
                              Operation operation) {
  const std::int64_t t = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t end = min(n, (t + 1) * length);
  Point result = identity(operation);
  for (std::int64_t i = t * length; i < end; ++i) result = combine(operation, result, in[i]);
  partial[t] = result;
}

}  // namespace

void reduce_sum(const float* in, float* out, std::int64_t n, gridstride::Scratch,
                cudaStream_t stream) {
  cudaMemsetAsync(out, 0, sizeof(float), stream);
  const std::int64_t blocks = (n + block_threads - 1) / block_threads;
  if (blocks > 0) add_each<<<blocks, block_threads, 0, stream>>>(in, out, n);
}

void reduce_points(const Point* in, Point* out, std::int64_t n, Operation operation,
                   gridstride::Scratch scratch, cudaStream_t stream) {
  constexpr std::int64_t blocks = 8, sections = blocks * block_threads;
  Point* partial = static_cast<Point*>(scratch.data);
  fold_sections<<<blocks, block_threads, 0, stream>>>(in, partial, n, (n + sections - 1) / sections,
                                                      operation);
  fold_sections<<<1, 1, 0, stream>>>(partial, out, sections, sections, operation);
}
