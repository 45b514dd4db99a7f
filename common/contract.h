// What a lab's contract is written with: plain C++ that judge, runner and stages all include.
//
// A contract is a declaration such as
//
//     void reduce_sum(const float* in, float* out, std::int64_t n, gridstride::Scratch scratch,
//                     cudaStream_t stream);
//     GRIDSTRIDE_CONTRACT(reduce_sum)
//
// and its types say what the runner does with each argument:
//
//   const T*      device memory, filled by the judge before the call; must not change
//   T*            device memory for the result, filled with a sentinel before the call
//   arithmetic or enum   passed by value
//   Scratch       device memory for intermediate results, contents undefined
//   cudaStream_t  the stream that all work goes to
//
// The judge uses the function's type alone, so it neither links nor loads what students write.
#pragma once

#include <cstddef>

// The same typedef as in the toolkit's headers, so that the judge needs none of them.
typedef struct CUstream_st* cudaStream_t;

namespace gridstride {

/// Device memory for intermediate results. `data` is aligned to 256 bytes; null when `bytes` is 0.
struct Scratch {
  void* data;
  std::size_t bytes;
};

}  // namespace gridstride

// Only the adapter that is linked into each stage library gives the macro a meaning
// (grader/runner/export.h); for everybody else a contract is a declaration.
#ifdef GRIDSTRIDE_EXPORT_CONTRACT
#include "grader/runner/export.h"
#else
#define GRIDSTRIDE_CONTRACT(function) static_assert(true)
#endif
