// Stage 4, two things in one atomic: value and index packed into 64 bits.
//
// The largest value and its index must change together. Two atomics are two steps, and between them
// another thread sees one value with the other's index. But an atomicMax of 64 bits is one step, so
// put both into one number whose order is the one that is asked for:
//
//     upper 32 bits: the value, as a number of the same order
//     lower 32 bits: the index upside down, so that of equal values the first is the largest
//
// A float's bits, read as an unsigned number, rise with the float from +0 on. Below it they are in
// the wrong place (the sign bit makes them the larger ones) and upside down (-2 has the larger bits
// than -1). So the positive ones get the sign bit, and of the negative ones all bits are turned.
// 0 is then below every packed element: the identity.
#include "labs/atomics/atomics.h"
#include "labs/atomics/elements.cuh"

namespace {

using namespace atomics;

using Packed = unsigned long long;

/// The float's bits as a number: a < b exactly if ordered(a) < ordered(b), and -0 below +0.
__device__ unsigned ordered(float value) {
  // TODO(1): bits in the order of the floats.
  //   __float_as_uint(value) are the bits, of which the highest is the sign. What is to be done with
  //   those of a positive float, what with those of a negative one?
  return __float_as_uint(value);
  // TODO(1) end
}

__device__ Packed pack(float value, std::int64_t index) {
  // TODO(2): both in one number.
  //   The larger one shall be that of the larger value, and of equal values that of the smaller
  //   index. Shift a Packed, not an unsigned.
  return Packed{ordered(value)} + static_cast<unsigned>(index);
  // TODO(2) end
}

__global__ void __launch_bounds__(block_threads)
    find_largest(const float* in, Packed* result, std::int64_t n) {
  Packed best = 0;
  // TODO(3): the largest, by one atomic for each warp.
  //   As in stage 1, with an atomic that exists: atomicMax(result, …).
  *result = max(best, pack(0.0f, n));
  // TODO(3) end
}

__global__ void unpack(const Packed* result, std::int64_t* index) {
  // TODO(4): the index, from *result; -1 if nothing was ever put there.
  // TODO(4) end
}

}  // namespace

void index_of_largest(const float* in, std::int64_t* index, std::int64_t n,
                      gridstride::Scratch scratch, cudaStream_t stream) {
  Packed* result = static_cast<Packed*>(scratch.data);
  cudaMemsetAsync(result, 0, sizeof(*result), stream);
  const int blocks = grid_blocks(find_largest, n, round_elements);
  find_largest<<<blocks, block_threads, 0, stream>>>(in, result, n);
  unpack<<<1, 1, 0, stream>>>(result, index);
}
