// Stage 1, an atomic that does not exist: the maximum of floats, built from compare-and-swap.
//
// atomicCAS(address, expected, desired) writes `desired` if `expected` stands there, and returns
// what stood there in any case. Any read-modify-write can be made of it: read, compute, and swap if
// nobody has changed the value in between; else try again with the value that is there now.
// Somebody always succeeds, so the loop ends for all. CAS compares bits, so the floats travel as
// integers. (It would not do to compare floats: NaN never equals NaN, and the loop would not end.)
//
// Three things keep the loop from running often. A thread finds the largest of its own elements
// first; of a warp only the largest takes part; and a value that is not larger than what stands
// there is through after one look.
#include <cmath>

#include "labs/atomics/atomics.h"
#include "labs/atomics/elements.cuh"

namespace {

using namespace atomics;

/// *address becomes the larger of *address and value, in one step.
__device__ void atomic_max(float* address, float value) {
  int* bits = reinterpret_cast<int*>(address);
  int seen = *static_cast<volatile int*>(bits);  // looked up now, not remembered from before
  while (__int_as_float(seen) < value) {
    const int before = atomicCAS(bits, seen, __float_as_int(value));
    if (before == seen) return;  // it was as we had seen it, so now it is `value`
    seen = before;
  }
}

/// What stands in *out before anybody has found anything.
__global__ void start(float* out) {
  *out = -INFINITY;  // the identity of max
}

__global__ void __launch_bounds__(block_threads)
    find_largest(const float* in, float* out, std::int64_t n) {
  float best = -INFINITY;
  for_each_of_mine(in, n, [&](float value, std::int64_t) { best = fmaxf(best, value); });

  best = largest_in_warp(best);
  if (threadIdx.x % 32 == 0) atomic_max(out, best);
}

}  // namespace

void largest(const float* in, float* out, std::int64_t n, gridstride::Scratch,
             cudaStream_t stream) {
  start<<<1, 1, 0, stream>>>(out);
  const int blocks = grid_blocks(find_largest, n, round_elements);
  find_largest<<<blocks, block_threads, 0, stream>>>(in, out, n);
}
