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
  // TODO(1): the loop around atomicCAS.
  //   `seen` is what stood at the address. As long as `value` is larger: try to replace `seen` by
  //   `value`. atomicCAS(bits, …, …) returns what stood there: what does it mean when that is
  //   `seen`, and what when it is not? __int_as_float and __float_as_int change the type and leave
  //   the bits.
  if (__int_as_float(seen) < value) seen = __float_as_int(value);
  // TODO(1) end
}

/// What stands in *out before anybody has found anything.
__global__ void start(float* out) {
  // TODO(2): the identity of max, written to *out.
  // TODO(2) end
}

__global__ void __launch_bounds__(block_threads)
    find_largest(const float* in, float* out, std::int64_t n) {
  float best = -INFINITY;
  // TODO(3): the largest of the thread's elements, then of the warp's.
  //   for_each_of_mine(in, n, [&](float value, std::int64_t) { … }) calls you for each element of
  //   the thread. Then largest_in_warp(best), for all lanes; and one lane brings the result on.
  atomic_max(out, best);
  // TODO(3) end
}

}  // namespace

void largest(const float* in, float* out, std::int64_t n, gridstride::Scratch,
             cudaStream_t stream) {
  start<<<1, 1, 0, stream>>>(out);
  const int blocks = grid_blocks(find_largest, n, round_elements);
  find_largest<<<blocks, block_threads, 0, stream>>>(in, out, n);
}
