// Shifts as PTX defines them.
#pragma once

#include <cstdint>
#include <type_traits>

namespace gridstride::sim {

/// Shift counts are unsigned 32-bit numbers; those past the width shift everything out.
struct ShiftLeft {
  template <class T>
  static T apply(T a, std::uint32_t count) {
    constexpr std::uint32_t width = 8 * sizeof(T);
    using Word = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    return count < width ? static_cast<T>(static_cast<Word>(a) << (count & (width - 1))) : T{0};
  }
};
struct ShiftRight {
  template <class T>
  static T apply(T a, std::uint32_t count) {
    constexpr std::uint32_t width = 8 * sizeof(T);
    if constexpr (std::is_signed_v<T>)
      return static_cast<T>(a >> (count < width ? count : width - 1));
    else
      return count < width ? static_cast<T>(a >> (count & (width - 1))) : T{0};
  }
};
}  // namespace gridstride::sim
