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
  // TODO(1): of each member the smaller one.
  //   What may stand before every value without changing the minimum, also of numbers below zero?
  static __device__ Point identity() { return {0, 0, 0, 0}; }
  static __device__ Point combine(Point a, Point) { return a; }
  // TODO(1) end
};

struct Max {
  // TODO(2): of each member the larger one.
  static __device__ Point identity() { return {0, 0, 0, 0}; }
  static __device__ Point combine(Point a, Point) { return a; }
  // TODO(2) end
};

struct Product {
  // TODO(3): of each member the product.
  static __device__ Point identity() { return {0, 0, 0, 0}; }
  static __device__ Point combine(Point a, Point) { return a; }
  // TODO(3) end
};

/// In double, where the square of a float neither overflows nor vanishes.
__device__ double squared_distance(Point p) {
  const double x = p.x, y = p.y, z = p.z;
  return x * x + y * y + z * z;
}

struct Farthest {
  static __device__ Point identity() { return {0, 0, 0, 0}; }
  static __device__ Point combine(Point a, Point b) {
    // TODO(4): the point that is farther from the origin.
    //   Two points may be equally far; then the smaller x decides, then y, z and mass, so that
    //   the result does not depend on the order in which points meet.
    return squared_distance(a) >= 0 ? a : b;
    // TODO(4) end
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
  // TODO(5): five steps, as in stage 5, with Op::combine() and shuffle_down().
  return Op::combine(result, shuffle_down(result, 0));
  // TODO(5) end
}

/// The block's points combined, in thread 0. Every thread must call it.
template <typename Op>
__device__ Point combine_block(Point result) {
  // TODO(6): as in stage 5. What stands for a warp's result that is not there?
  return combine_warp<Op>(result);
  // TODO(6) end
}

/// Combines every (gridDim.x)-th part of in[0] … in[n - 1] into partial[blockIdx.x].
template <typename Op>
__global__ void __launch_bounds__(block_threads)
    combine_parts(const Point* in, Point* partial, std::int64_t n) {
  const std::int64_t stride = std::int64_t{gridDim.x} * block_threads;
  Point result = Op::identity();
  // TODO(7): the thread's share, then the block's.
  //   Combine the points thread, thread + stride, … of the input into `result`, several loads at
  //   a time; then the block's results. One thread writes what comes out to partial[blockIdx.x].
  //   A point is one 16-byte load, from an address that is a multiple of 16: nothing to cut here.
  combine_block<Op>(stride > 0 ? result : Op::identity());
  // TODO(7) end
}

/// As many blocks as the device holds at once, but no more than `rounds` and at least one.
template <typename Op>
int grid_blocks(std::int64_t rounds) {
  // TODO(8): how many blocks? As in stage 6.
  return rounds > 1 ? 2 : 1;
  // TODO(8) end
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
