// Stage 7, a user's operation: the tree of stage 6 for whatever can be combined.
//
// Nothing in the earlier stages depends on adding floats. They need an operation that is
// associative (the tree sets brackets), commutative (the grid-stride loop reorders) and has an
// identity (for threads without an element). Here these three stand in a struct, and the kernel is
// a template.
#include <cmath>

#include "labs/reduction/reduction.h"

namespace {

using reduction::Operation;
using reduction::Point;

constexpr int block_threads = 256;
constexpr int loads_in_flight = 4;
constexpr std::int64_t round_points = loads_in_flight * block_threads;  // of one block
constexpr unsigned full_warp = 0xffffffff;

struct Sum {
  static __device__ Point identity() { return {0, 0, 0, 0}; }
  static __device__ Point combine(Point a, Point b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z, a.mass + b.mass};
  }
};

struct Min {
  static __device__ Point identity() { return {INFINITY, INFINITY, INFINITY, INFINITY}; }
  static __device__ Point combine(Point a, Point b) {
    return {fminf(a.x, b.x), fminf(a.y, b.y), fminf(a.z, b.z), fminf(a.mass, b.mass)};
  }
};

struct Max {
  static __device__ Point identity() { return {-INFINITY, -INFINITY, -INFINITY, -INFINITY}; }
  static __device__ Point combine(Point a, Point b) {
    return {fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z), fmaxf(a.mass, b.mass)};
  }
};

struct Product {
  static __device__ Point identity() { return {1, 1, 1, 1}; }
  static __device__ Point combine(Point a, Point b) {
    return {a.x * b.x, a.y * b.y, a.z * b.z, a.mass * b.mass};
  }
};

/// In double, where the square of a float neither overflows nor vanishes.
__device__ double squared_distance(Point p) {
  const double x = p.x, y = p.y, z = p.z;
  return x * x + y * y + z * z;
}

struct Farthest {
  static __device__ Point identity() { return {0, 0, 0, 0}; }
  static __device__ Point combine(Point a, Point b) {
    const double far_a = squared_distance(a), far_b = squared_distance(b);
    if (far_a != far_b) return far_a > far_b ? a : b;
    if (a.x != b.x) return a.x < b.x ? a : b;
    if (a.y != b.y) return a.y < b.y ? a : b;
    if (a.z != b.z) return a.z < b.z ? a : b;
    return a.mass <= b.mass ? a : b;
  }
};

/// Lane i gets the point of lane i + offset: a shuffle moves 32 bits, so four of them.
__device__ Point shuffle_down(Point p, int offset) {
  return {__shfl_down_sync(full_warp, p.x, offset), __shfl_down_sync(full_warp, p.y, offset),
          __shfl_down_sync(full_warp, p.z, offset), __shfl_down_sync(full_warp, p.mass, offset)};
}

/// The warp's 32 points combined, in lane 0. Every lane must call it.
template <typename Op>
__device__ Point combine_warp(Point result) {
  for (int offset = 16; offset > 0; offset /= 2)
    result = Op::combine(result, shuffle_down(result, offset));
  return result;
}

/// The block's points combined, in thread 0. Every thread must call it.
template <typename Op>
__device__ Point combine_block(Point result) {
  __shared__ Point warp_results[block_threads / 32];
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;

  result = combine_warp<Op>(result);
  if (lane == 0) warp_results[warp] = result;
  __syncthreads();
  if (warp == 0) {
    const bool has_one = lane < block_threads / 32;
    result = combine_warp<Op>(has_one ? warp_results[lane] : Op::identity());
  }
  return result;
}

/// Combines every (gridDim.x)-th part of in[0] … in[n - 1] into partial[blockIdx.x].
template <typename Op>
__global__ void __launch_bounds__(block_threads)
    combine_parts(const Point* in, Point* partial, std::int64_t n) {
  const std::int64_t stride = std::int64_t{gridDim.x} * block_threads;
  Point result = Op::identity();
  for (std::int64_t i = std::int64_t{blockIdx.x} * block_threads + threadIdx.x; i < n;
       i += loads_in_flight * stride) {
    // First all loads, then all operations: the loads wait for memory together.
    Point points[loads_in_flight];
#pragma unroll
    for (int k = 0; k < loads_in_flight; ++k)
      points[k] = i + k * stride < n ? in[i + k * stride] : Op::identity();
#pragma unroll
    for (int k = 0; k < loads_in_flight; ++k) result = Op::combine(result, points[k]);
  }
  result = combine_block<Op>(result);
  if (threadIdx.x == 0) partial[blockIdx.x] = result;
}

/// As many blocks as the device holds at once, but no more than `rounds` and at least one.
template <typename Op>
int grid_blocks(std::int64_t rounds) {
  int device = 0, multiprocessors = 0, resident = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, combine_parts<Op>, block_threads, 0);
  return max(1, static_cast<int>(min(rounds, std::int64_t{multiprocessors * resident})));
}

template <typename Op>
void combine_all(const Point* in, Point* out, std::int64_t n, gridstride::Scratch scratch,
                 cudaStream_t stream) {
  Point* partial = static_cast<Point*>(scratch.data);
  const int blocks = grid_blocks<Op>(n / round_points);
  combine_parts<Op><<<blocks, block_threads, 0, stream>>>(in, partial, n);
  combine_parts<Op><<<1, block_threads, 0, stream>>>(partial, out, blocks);
}

}  // namespace

void reduce_points(const Point* in, Point* out, std::int64_t n, Operation operation,
                   gridstride::Scratch scratch, cudaStream_t stream) {
  switch (operation) {
    case Operation::sum:
      return combine_all<Sum>(in, out, n, scratch, stream);
    case Operation::min:
      return combine_all<Min>(in, out, n, scratch, stream);
    case Operation::max:
      return combine_all<Max>(in, out, n, scratch, stream);
    case Operation::product:
      return combine_all<Product>(in, out, n, scratch, stream);
    case Operation::farthest:
      return combine_all<Farthest>(in, out, n, scratch, stream);
  }
}
