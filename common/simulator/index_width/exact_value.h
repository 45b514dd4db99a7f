// A value of one thread as the machine has it, and as whole numbers would have it.
//
// Integer arithmetic of 32 bits wraps. That is no mistake in itself (a hash does it on purpose), but
// where the result is widened to 64 bits and becomes an address, the address is another one than the
// program meant. So each value that comes of sums and products is known twice: its bits, and the number
// that it would be if nothing had wrapped. Where both part, the index did not fit.
#pragma once

#include <cstdint>
#include <optional>

namespace gridstride::sim {

__extension__ typedef __int128 WholeNumber;  // as `using` it is not taken for an extension

/// How the bits of an integer type are read.
struct IntegerType {
  std::uint32_t bits = 32;  ///< 8, 16, 32 or 64
  bool is_signed = false;
};

class ExactValue {
 public:
  /// Nothing is known.
  ExactValue() = default;
  /// Bits that are meant as they are, such as a mask's result: a number only by how they are read.
  static ExactValue plain(std::uint64_t bits);
  /// A number that fits `type`, or does not: then its bits are what is left of it.
  static ExactValue number(WholeNumber number, IntegerType type);

  bool is_known() const { return known_; }
  bool is_plain() const { return !exact_; }
  std::uint64_t bits() const { return bits_; }
  /// The number that the bits are when they are read so.
  WholeNumber read(IntegerType type) const;
  /// The number without wrapping: of plain bits, what they are read as.
  WholeNumber exact(IntegerType type) const { return exact_ ? *exact_ : read(type); }
  /// The same number with the bits that the machine made of it.
  ExactValue with_bits(std::uint64_t bits) const;
  /// The bits read as `from` and made as wide as `to`, or cut: a conversion. What the number should
  /// have been stays.
  ExactValue converted(IntegerType from, IntegerType to) const;
  /// By what the 64 bits are off from the number that they should be; 0 when they are not.
  WholeNumber wrapped_by() const;

 private:
  bool known_ = false;
  std::uint64_t bits_ = 0;
  std::optional<WholeNumber> exact_;
};

}  // namespace gridstride::sim
