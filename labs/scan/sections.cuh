// Given to stages 1 to 3, which scan one section a block: how sections of any number become one
// scan.
//
//     in               [ section 0 ][ section 1 ][ section 2 ]
//     scan each        [ 0 …       ][ 0 …       ][ 0 …       ]      and its sum: s0, s1, s2
//     scan the sums      0            s0           s0 + s1
//     add to each      [ 0 …       ][ s0 …      ][ s0 + s1 … ]
//
// The step in the middle is a scan, too, so it is done in the same way, until one section is left.
#pragma once

#include <cstdint>

#include "common/contract.h"

namespace scan {

/// Adds sums_before[blockIdx.x] to each element of the block's section of out[0] … out[n - 1].
template <int section_elements>
__global__ void add_to_sections(float* out, const float* sums_before, std::int64_t n) {
  const float before = sums_before[blockIdx.x];
  for (unsigned k = threadIdx.x; k < section_elements; k += blockDim.x) {
    const std::int64_t i = std::int64_t{blockIdx.x} * section_elements + k;
    if (i < n) out[i] += before;
  }
}

/// The exclusive scan of in[0] … in[n - 1]. `scan_sections` is a kernel of `block_threads` threads
/// that scans one section a block and leaves its sum; `unused` has room for the sums of all rounds.
/// `in` and `out` may be the same: a block has read its section before it writes it.
template <int block_threads, int section_elements>
void scan_by_sections(void (*scan_sections)(const float* in, float* out, float* sums,
                                            std::int64_t n),
                      const float* in, float* out, std::int64_t n, float* unused,
                      cudaStream_t stream) {
  const std::int64_t blocks = (n + section_elements - 1) / section_elements;
  if (blocks == 0) return;
  float* sums = unused;
  scan_sections<<<blocks, block_threads, 0, stream>>>(in, out, sums, n);
  if (blocks == 1) return;
  scan_by_sections<block_threads, section_elements>(scan_sections, sums, sums, blocks,
                                                    unused + blocks, stream);
  add_to_sections<section_elements><<<blocks, block_threads, 0, stream>>>(out, sums, n);
}

}  // namespace scan
