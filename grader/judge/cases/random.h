// The one source of random inputs.
//
// A stream cipher (ChaCha with eight rounds), because student code sees the numbers: nobody can
// tell from the inputs of one case what those of the next will be. Equal keys give equal numbers on
// every machine, which the distributions of the standard library do not promise.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace gridstride {

/// What a run's inputs are made from.
class RandomKey {
 public:
  /// From the system's entropy.
  static RandomKey fresh();
  /// Equal seeds and texts give equal keys.
  static RandomKey derived(std::uint64_t seed, std::string_view text);

  /// Another key for each text.
  RandomKey with(std::string_view text) const;

 private:
  friend class Rng;
  std::array<std::uint32_t, 8> words_{};
};

class Rng {
 public:
  explicit Rng(const RandomKey& key) : key_(key) {}

  std::uint64_t next() {
    if (used_ == numbers_.size()) refill();
    return numbers_[used_++];
  }

  /// Uniform in [low, high): floating-point types; in [low, high], both included: integers.
  template <class T>
  T uniform(T low, T high) {
    if constexpr (std::is_floating_point_v<T>) {
      const double unit = static_cast<double>(next() >> 11) * 0x1p-53;
      const T value = static_cast<T>(low + (static_cast<double>(high) - low) * unit);
      return value < high ? value : low;  // rounding to T may reach the end that is left out
    } else {
      const auto span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
      const std::uint64_t offset = span == 0 ? next() : below(span);
      return static_cast<T>(static_cast<std::uint64_t>(low) + offset);
    }
  }

  /// `count` of them.
  template <class T>
  std::vector<T> uniform(std::size_t count, T low, T high) {
    std::vector<T> values(count);
    for (T& value : values) value = uniform(low, high);
    return values;
  }

  /// Puts the elements in random order.
  template <class T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
  }

 private:
  /// Uniform in [0, bound), bound not 0.
  std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t fair = ~std::uint64_t{0} - ~std::uint64_t{0} % bound;
    std::uint64_t value = next();
    while (value >= fair) value = next();
    return value % bound;
  }
  void refill();

  RandomKey key_;
  std::uint64_t blocks_ = 0;  ///< of the cipher that have been made, eight numbers each
  std::array<std::uint64_t, 128> numbers_{};
  std::size_t used_ = numbers_.size();
};

}  // namespace gridstride
