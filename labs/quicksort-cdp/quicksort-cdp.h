// The contract of the quicksort-cdp lab: what the stages implement and what the grader holds them
// to. Keys are 32-bit signed integers, sorted ascending. Pointers are aligned to 4 bytes and to no
// more than that.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/contract.h"

namespace quicksort_cdp {

constexpr std::int64_t section = 2048;  ///< keys that stage 1 sorts together

/// Bytes of scratch that a call on `n` keys is given: room for one more copy of the keys, 16 bytes
/// for each 1024 of them, and 4 KiB.
constexpr std::size_t scratch_bytes(std::int64_t n) {
  return static_cast<std::size_t>(n) * sizeof(std::int32_t) +
         static_cast<std::size_t>(n / 1024 + 256) * 16;
}

}  // namespace quicksort_cdp

/// Stages 0 and 1. Sorts each section of 2048 keys for itself: out[2048 s] … out[2048 s + 2047] are
/// the sorted in[2048 s] … in[2048 s + 2047]. The last section may be shorter.
///
///   in       n keys on the device
///   out      room for n keys; does not overlap `in`
///   n        0 … 2^30
///   scratch  quicksort_cdp::scratch_bytes(n) bytes, contents undefined
///   stream   carries all work; the function may return before the result is there
void sort_sections(const std::int32_t* in, std::int32_t* out, std::int64_t n,
                   gridstride::Scratch scratch, cudaStream_t stream);
GRIDSTRIDE_CONTRACT(sort_sections);

/// Stages 0, 2, 3 and 4. Sorts all n keys, whatever they are: no input may take quadratic time, or
/// more launches than the device runtime holds (cudaLimitDevRuntimePendingLaunchCount, 2048 unless
/// somebody changes it; a stage must not). The rest as for sort_sections().
void quicksort(const std::int32_t* in, std::int32_t* out, std::int64_t n,
               gridstride::Scratch scratch, cudaStream_t stream);
GRIDSTRIDE_CONTRACT(quicksort);
