// Formats: what the bytes of a texel mean.
#include "common/simulator/texture/texel.h"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "common/simulator/base/half.h"

namespace gridstride::sim {
namespace {

std::uint32_t raw(const std::byte* bytes, unsigned width) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes, width);
  return value;
}

std::int32_t sign_extended(std::uint32_t value, unsigned bits) {
  const unsigned unused = 32 - bits;
  return static_cast<std::int32_t>(value << unused) >> unused;
}

float normalised(std::uint32_t value, const TexelFormat& format) {
  const std::uint32_t highest = (1u << format.bits) - 1;
  if (format.kind == TexelKind::unsigned_integer) {
    return static_cast<float>(value) / static_cast<float>(highest);
  }
  // The lowest value and the one above it are both -1.
  const float number = static_cast<float>(sign_extended(value, format.bits));
  return std::fmax(number / static_cast<float>(highest / 2), -1.0f);
}

/// IEC 61966-2-1.
float linear_of_srgb(float value) {
  const double v = value;
  return static_cast<float>(v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4));
}

std::uint32_t channel(const TextureDescription& how, const TexelFormat& format, unsigned index,
                      const std::byte* bytes) {
  const unsigned width = format.bits / 8u;
  const std::uint32_t value = raw(bytes + index * width, width);
  if (format.kind == TexelKind::floating) {
    if (format.bits == 32) return value;
    return std::bit_cast<std::uint32_t>(
        lanes::to_float(lanes::Half{static_cast<std::uint16_t>(value)}));
  }
  if (!how.normalized_float) {
    return format.kind == TexelKind::signed_integer
               ? static_cast<std::uint32_t>(sign_extended(value, format.bits))
               : value;
  }
  const float number = normalised(value, format);
  const bool converted = how.srgb && index < 3 && format.bits == 8;
  return std::bit_cast<std::uint32_t>(converted ? linear_of_srgb(number) : number);
}

}  // namespace

TexelValue read_texel(const TextureDescription& how, const TexelFormat& format,
                      const std::byte* bytes) {
  TexelValue value{};  // channels that it does not have read as 0
  for (unsigned i = 0; i < format.channels; ++i) value[i] = channel(how, format, i, bytes);
  return value;
}

namespace {

constexpr double steps(const TexelFormat& format) {
  return format.kind == TexelKind::unsigned_integer ? 65535 : 32767;
}

/// Filtered as 16-bit numbers. Colours of sRGB are not.
bool is_fixed_point(const TextureDescription& how, const TexelFormat& format) {
  return format.kind != TexelKind::floating && !how.srgb;
}

/// A border colour is kept in the format of the texels.
float in_format(float color, const TexelFormat& format) {
  const bool is_signed = format.kind == TexelKind::signed_integer;
  const auto highest = static_cast<float>((1u << (format.bits - (is_signed ? 1 : 0))) - 1);
  // Ties round down.
  return std::ceil(std::fmin(std::fmax(color, is_signed ? -1.0f : 0.0f), 1.0f) * highest - 0.5f) /
         highest;
}

}  // namespace

double unrounded(const TextureDescription& how, const TexelFormat& format, std::uint32_t channel) {
  const double value = std::bit_cast<float>(channel);
  if (!is_fixed_point(how, format)) return value;
  const bool exact = format.bits == 16 || format.kind == TexelKind::unsigned_integer;
  return exact ? std::nearbyint(value * steps(format)) : value * steps(format);
}

float rounded_to_filter(const TextureDescription& how, const TexelFormat& format, double sum) {
  if (is_fixed_point(how, format)) {
    return static_cast<float>(std::floor(sum + 0.5) / steps(format));
  }
  const bool half = format.kind == TexelKind::floating && format.bits == 16;
  if (!half) return static_cast<float>(sum);
  // Ties round away from zero; no sum has as many bits as this factor.
  constexpr double beyond_ties = 1 + 0x1p-40;
  return lanes::to_float(lanes::to_half(sum * beyond_ties));
}

TexelValue border_texel(const TextureDescription& how, const TexelFormat& format) {
  TexelValue value{};
  const bool fixed = how.normalized_float && format.kind != TexelKind::floating;
  for (unsigned i = 0; i < format.channels; ++i) {
    const float color = fixed ? in_format(how.border[i], format) : how.border[i];
    value[i] = std::bit_cast<std::uint32_t>(color);
  }
  return value;
}

}  // namespace gridstride::sim
