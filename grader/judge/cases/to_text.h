// Values as messages show them.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>
#include <type_traits>

namespace gridstride {

/// Shortest text that gives the value back: "0.1", "16777216", "nan".
std::string number_text(float value);
std::string number_text(double value);

std::string hex_text(const void* bytes, std::size_t count);

namespace detail {

template <class T>
concept HasToText = requires(const T& value) {
  { to_text(value) } -> std::convertible_to<std::string>;
};

/// A lab gives its own types a `std::string to_text(const T&)` beside them; without one, messages
/// show the bytes.
template <class T>
std::string shown(const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_floating_point_v<T>) {
    return number_text(value);
  } else if constexpr (std::is_integral_v<T>) {
    return std::to_string(value);
  } else if constexpr (HasToText<T>) {
    return to_text(value);
  } else if constexpr (std::is_enum_v<T>) {
    return std::to_string(static_cast<std::underlying_type_t<T>>(value));
  } else {
    return hex_text(&value, sizeof value);
  }
}

template <class T>
std::optional<double> as_number(const T& value) {
  if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<double>(value);
  } else {
    return std::nullopt;
  }
}

}  // namespace detail
}  // namespace gridstride
