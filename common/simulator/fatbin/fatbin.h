// What nvcc embeds in a program: containers of PTX, which is run, and of machine code, which only tells
// what ptxas made of a kernel (cubin.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace gridstride::sim::fatbin {

class FatbinError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One PTX entry, decompressed.
struct PtxImage {
  std::uint32_t architecture = 0;  ///< 75, 80, 90
  std::string text;
};

/// Bytes that a container occupies: header and payload. Throws FatbinError on a bad header.
/// `bytes` may be longer than the container, at least 16 bytes must be there.
std::size_t container_size(std::span<const std::byte> bytes);

/// All PTX entries of one container, in order. Handles entries stored plain, with LZ4 and with
/// zstd. Throws FatbinError (with the offset) on anything truncated or impossible; never reads past
/// `bytes`.
std::vector<PtxImage> ptx_images(std::span<const std::byte> container);

/// The entry that fits a device of compute capability `capability` (90 for 9.0) best: the newest
/// architecture not above it. Throws FatbinError when there is none, with the repair in its words
/// ("built without PTX: add -gencode arch=compute_80,code=compute_80").
PtxImage best_ptx(std::span<const std::byte> container, std::uint32_t capability);

/// The machine code that a driver would load on `capability`, an ELF file: of the same major version
/// the newest minor one that is not above it. Empty when there is none. Throws FatbinError as
/// ptx_images() does.
std::string best_machine_code(std::span<const std::byte> container, std::uint32_t capability);

}  // namespace gridstride::sim::fatbin
