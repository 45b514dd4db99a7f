// The largest textures, surfaces and arrays: what cudaGetDeviceProperties says on an H200, driver
// 580.159.04.
#pragma once

#include <cstdint>

namespace gridstride::sim::texture_limits {

inline constexpr std::uint64_t width_1d = 131072;
inline constexpr std::uint64_t width_2d = 131072, height_2d = 65536;
inline constexpr std::uint64_t extent_3d = 16384;
inline constexpr std::uint64_t cubemap = 32768, cubemap_layers = 2046;
inline constexpr std::uint64_t layered_1d = 32768, layered_2d = 32768, layers = 2048;
inline constexpr std::uint64_t gather_2d = 32768;
/// Textures in linear and in pitched memory: texels, bytes. The first is the property; for
/// floats cudaDeviceGetTexture1DLinearMaxWidth says 2^30, and so many bytes are allowed in any
/// format.
inline constexpr std::uint64_t width_linear = std::uint64_t{1} << 28;
inline constexpr std::uint64_t bytes_linear = 16 * width_linear;
inline constexpr std::uint64_t pitch_width = 131072, pitch_height = 65000, most_pitch = 2097120;
inline constexpr std::uint64_t alignment = 512, pitch_alignment = 32;

}  // namespace gridstride::sim::texture_limits
