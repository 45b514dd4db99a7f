// One texel from its bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "common/simulator/texture/description.h"

namespace gridstride::sim {

using TexelValue = std::array<std::uint32_t, 4>;

/// The four channels of the texel at `bytes`: bits of floats, or of 32-bit integers.
TexelValue read_texel(const TextureDescription& how, const TexelFormat& format,
                      const std::byte* bytes);
/// What lies outside in border mode.
TexelValue border_texel(const TextureDescription& how, const TexelFormat& format);

/// A channel of read_texel() as the filter adds it up, and a sum as the filter gives it out. Half
/// floats stay half floats, normalised integers become fixed-point numbers of 16 bits.
double unrounded(const TextureDescription& how, const TexelFormat& format, std::uint32_t channel);
float rounded_to_filter(const TextureDescription& how, const TexelFormat& format, double sum);

}  // namespace gridstride::sim
