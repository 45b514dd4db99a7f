// What textures, surfaces and CUDA arrays are described by: plain values, as they travel from the
// runtime to the device.
//
// Nothing here has been checked: TextureRegistry (texture_registry.h) refuses what cannot be.
#pragma once

#include <array>
#include <cstdint>

namespace gridstride::sim {

using ArrayId = std::uint64_t;   ///< of a CUDA array; 0: none
using ObjectId = std::uint64_t;  ///< of a texture or surface object: what kernels are given

enum class TexelKind : std::uint8_t { signed_integer, unsigned_integer, floating };

struct TexelFormat {
  TexelKind kind = TexelKind::unsigned_integer;
  std::uint8_t bits = 8;      ///< of a channel: 8, 16 or 32; floats 16 or 32
  std::uint8_t channels = 1;  ///< 1, 2 or 4

  std::uint32_t bytes() const { return bits / 8u * channels; }
  bool operator==(const TexelFormat&) const = default;
};

/// Of a CUDA array, in texels. Height 0: one-dimensional. Depth: slices, layers when `layered`
/// (faces when `cubemap`, six a cube), 0 for neither.
struct ArrayShape {
  TexelFormat format{};
  std::uint64_t width = 0, height = 0, depth = 0;
  bool layered = false, cubemap = false;
  bool surface = false;  ///< may be written by kernels
  bool gather = false;   ///< may be read by tex2Dgather
};

enum class AddressMode : std::uint8_t { wrap, clamp, mirror, border };

struct TextureDescription {
  ArrayId array = 0;  ///< what it reads; 0: memory at `address`
  // Memory only: texels in a row, rows (0: one-dimensional), bytes from row to row.
  std::uint64_t address = 0, width = 0, height = 0, pitch = 0;
  TexelFormat format{};

  std::array<AddressMode, 3> modes{};
  bool linear = false;            ///< filter; else the nearest texel
  bool normalized_float = false;  ///< 8- and 16-bit integers read as [0, 1] or [-1, 1]
  bool normalized = false;        ///< coordinates in [0, 1)
  bool srgb = false;
  std::array<float, 4> border{};
};

/// Where a pitched region starts: in a CUDA array, or in memory with rows `pitch` bytes apart and
/// slices of `rows` rows.
struct RegionPlace {
  ArrayId array = 0;          ///< 0: memory
  std::uint64_t address = 0;  ///< memory: of the first byte of the region
  std::uint64_t pitch = 0, rows = 0;
  std::uint64_t x = 0, y = 0, z = 0;  ///< array: bytes, rows, slices
};

/// Of a pitched region.
struct RegionSize {
  std::uint64_t width = 0;  ///< bytes
  std::uint64_t height = 1, depth = 1;

  bool empty() const { return width == 0 || height == 0 || depth == 0; }
};

}  // namespace gridstride::sim
