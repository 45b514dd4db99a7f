// The contract of the radix-sort lab: what the stages implement and what the grader holds them to.
// All sorts are ascending. Pointers are aligned to 4 bytes and to no more than that.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/contract.h"

namespace radix_sort {

/// Bytes of scratch that a call on `n` elements of `element_bytes` each (key and value together) is
/// given: room for one more copy of the elements, 512 bytes for each 1024 of them, and 64 KiB.
constexpr std::size_t scratch_bytes(std::int64_t n, std::size_t element_bytes) {
  return static_cast<std::size_t>(n) * element_bytes +
         static_cast<std::size_t>(n / 1024 + 128) * 512;
}

/// What the 32 bits of a key mean.
enum class KeyType : std::int32_t {
  unsigned_integer,
  signed_integer,  ///< two's complement: negative keys come first
  /// The total order of IEEE 754: NaNs with the sign bit, -infinity, …, -0, +0, …, +infinity, NaNs
  /// without the sign bit. NaNs are ordered by their bits, like all other floats of one sign.
  floating_point,
};

constexpr std::int64_t warp_section = 32;     ///< keys that stage 1 sorts together
constexpr std::int64_t block_section = 2048;  ///< keys that stage 2 sorts together

}  // namespace radix_sort

/// Stages 0 and 1. Sorts each section of 32 keys for itself: out[32 s] … out[32 s + 31] are the
/// sorted in[32 s] … in[32 s + 31]. The last section may be shorter.
///
///   in       n keys on the device
///   out      room for n keys; does not overlap `in`
///   n        0 … 2^30 - 1
///   scratch  radix_sort::scratch_bytes(n, 4) bytes, contents undefined
///   stream   carries all work; the function may return before the result is there
void sort_warp_sections(const std::uint32_t* in, std::uint32_t* out, std::int64_t n,
                        gridstride::Scratch scratch, cudaStream_t stream);
GRIDSTRIDE_CONTRACT(sort_warp_sections);

/// Stages 0 and 2. Sorts each section of 2048 keys for itself. The rest as for
/// sort_warp_sections().
void sort_block_sections(const std::uint32_t* in, std::uint32_t* out, std::int64_t n,
                         gridstride::Scratch scratch, cudaStream_t stream);
GRIDSTRIDE_CONTRACT(sort_block_sections);

/// Stages 0, 3 and 5. Sorts all n keys. The rest as for sort_warp_sections().
void sort_keys(const std::uint32_t* in, std::uint32_t* out, std::int64_t n,
               gridstride::Scratch scratch, cudaStream_t stream);
GRIDSTRIDE_CONTRACT(sort_keys);

/// Stages 0, 4 and 6. Sorts n keys of any type and takes each key's value along: values_out[i] is
/// the value that keys_out[i] had. Stable: the values of equal keys keep their order.
///
///   keys_in, values_in    n each
///   keys_out, values_out  room for n each; overlap nothing
///   type                  how the bits of a key are read; floats are equal when their bits are
///   scratch               radix_sort::scratch_bytes(n, 8) bytes, contents undefined
/// Keys and values are moved, not computed on: each arrives with the bits that it had. The rest as
/// for sort_warp_sections().
void sort_pairs(const std::uint32_t* keys_in, const std::uint32_t* values_in,
                std::uint32_t* keys_out, std::uint32_t* values_out, std::int64_t n,
                radix_sort::KeyType type, gridstride::Scratch scratch, cudaStream_t stream);
GRIDSTRIDE_CONTRACT(sort_pairs);
