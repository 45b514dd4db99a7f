// For tests of matrices: numbers in their types, and what a product must be.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/simulator/base/half.h"

namespace gridstride::sim {

using Numbers = std::vector<double>;

/// One number in a type, and back.
inline std::uint64_t encode(const std::string& type, double number) {
  if (type == "f16") return lanes::to_half(number).bits;
  if (type == "bf16") return lanes::to_bfloat(number).bits;
  if (type == "f64") return std::bit_cast<std::uint64_t>(number);
  if (type == "f32" || type == "tf32") {
    return std::bit_cast<std::uint32_t>(static_cast<float>(number));
  }
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(number));
}
inline double decode(const std::string& type, std::uint64_t bits) {
  if (type == "f16") return lanes::to_float(lanes::Half{static_cast<std::uint16_t>(bits)});
  if (type == "bf16") return lanes::to_float(lanes::Bfloat{static_cast<std::uint16_t>(bits)});
  if (type == "f64") return std::bit_cast<double>(bits);
  if (type == "s8") return static_cast<std::int8_t>(bits);
  if (type == "u8") return static_cast<std::uint8_t>(bits);
  const auto word = static_cast<std::uint32_t>(bits);
  if (type == "tf32") return std::bit_cast<float>(word & 0xffffe000u);
  return type == "f32" ? std::bit_cast<float>(word) : static_cast<std::int32_t>(word);
}
inline std::uint32_t bytes_of(const std::string& type) {
  return type == "f64" ? 8 : type.ends_with("8") ? 1 : type.ends_with("f16") ? 2 : 4;
}
inline bool is_integer(const std::string& type) {
  return type == "s8" || type == "u8" || type == "s32";
}

/// Numbers as they come out of `type`, from a generator that is the same everywhere.
inline Numbers draw(std::size_t count, const std::string& type, std::uint32_t seed) {
  Numbers numbers(count);
  // Numerical Recipes' quick generator (7.1), of which the upper 24 bits are used.
  constexpr std::uint32_t multiplier = 1664525, increment = 1013904223;
  std::uint32_t state = seed;
  for (double& number : numbers) {
    state = state * multiplier + increment;
    const double low = type == "u8" ? 0 : -1;
    const double unit = low + (state >> 8) / 16777216.0 * (1 - low);
    number = decode(type, encode(type, is_integer(type) ? std::floor(unit * 127) : unit));
  }
  return numbers;
}

/// c + a * b; a: m by k, b: k by n, by rows.
inline Numbers product(const Numbers& a, const Numbers& b, const Numbers& c, std::size_t m,
                       std::size_t n, std::size_t k) {
  Numbers d = c;
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t l = 0; l < k; ++l) d[i * n + j] += a[i * k + l] * b[l * n + j];
    }
  }
  return d;
}

inline void expect_near(const Numbers& actual, const Numbers& expected, const std::string& type) {
  const double unit = is_integer(type) ? 0
                      : type == "f16"  ? 0x1p-11
                      : type == "f64"  ? 1e-14
                                       : 0x1p-23;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_LE(std::abs(actual[i] - expected[i]), unit * std::max(1.0, std::abs(expected[i])))
        << "element " << i << ": " << actual[i] << " instead of " << expected[i];
  }
}

/// Text that loads or stores `registers` registers of a fragment at a pointer, and names them.
struct Registers {
  std::string list, loads, stores;
};
inline Registers registers(const char* prefix, int first, std::size_t count, const char* base,
                           bool wide) {
  Registers text;
  for (std::size_t r = 0; r < count; ++r) {
    const std::string name = prefix + std::to_string(first + static_cast<int>(r));
    const std::string at = std::string("[") + base + "+" + std::to_string(r * 256) + "]";
    const char* const type = wide ? "b64 " : "b32 ";
    text.list += (r > 0 ? ", " : "") + name;
    text.loads += std::string("ld.global.") + type + name + ", " + at + ";\n";
    text.stores += std::string("st.global.") + type + at + ", " + name + ";\n";
  }
  text.list = "{" + text.list + "}";
  return text;
}

}  // namespace gridstride::sim
