// The two compressions of fat binaries, for input that nobody vouches for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace gridstride::sim::fatbin {

/// No PTX text is longer than this, in bytes; CUB's largest are some 5 MB.
constexpr std::uint64_t longest_text = 64u << 20;

/// A zstd frame of exactly `size` bytes when unpacked. Throws FatbinError otherwise; memory grows
/// with what is really unpacked, not with what `size` promises.
std::string unpack_zstd(std::span<const std::byte> packed, std::uint64_t size);

/// A raw LZ4 block of exactly `size` bytes when unpacked. Throws FatbinError otherwise.
std::string unpack_lz4(std::span<const std::byte> packed, std::uint64_t size);

}  // namespace gridstride::sim::fatbin
