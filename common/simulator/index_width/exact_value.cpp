// Bits and numbers.
#include "common/simulator/index_width/exact_value.h"

#include <cstdint>

namespace gridstride::sim {
namespace {

std::uint64_t mask_of(std::uint32_t bits) {
  return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

/// What is larger has gone astray, and is known by its bits only.
constexpr WholeNumber most = WholeNumber{1} << 100;

}  // namespace

ExactValue ExactValue::plain(std::uint64_t bits) {
  ExactValue value;
  value.known_ = true;
  value.bits_ = bits;
  return value;
}

ExactValue ExactValue::number(WholeNumber number, IntegerType type) {
  ExactValue value = plain(static_cast<std::uint64_t>(number) & mask_of(type.bits));
  if (number < most && number > -most) value.exact_ = number;
  return value;
}

WholeNumber ExactValue::read(IntegerType type) const {
  const std::uint64_t mask = mask_of(type.bits), bits = bits_ & mask;
  const bool negative = type.is_signed && (bits >> (type.bits - 1) & 1) != 0;
  return negative ? static_cast<WholeNumber>(bits) - static_cast<WholeNumber>(mask) - 1
                  : static_cast<WholeNumber>(bits);
}

ExactValue ExactValue::with_bits(std::uint64_t bits) const {
  ExactValue value = *this;
  value.bits_ = bits;
  return value;
}

ExactValue ExactValue::converted(IntegerType from, IntegerType to) const {
  if (!known_) return {};
  ExactValue value = *this;
  value.bits_ = static_cast<std::uint64_t>(read(from)) & mask_of(to.bits);
  // Plain bits are what they are read as; of 64 bits nobody can say how until somebody does.
  if (!exact_ && from.bits < to.bits) value.exact_ = read(from);
  return value;
}

WholeNumber ExactValue::wrapped_by() const {
  if (!exact_) return 0;
  const std::uint64_t meant = static_cast<std::uint64_t>(*exact_);
  if (meant == bits_) return 0;
  return *exact_ - static_cast<WholeNumber>(bits_);
}

}  // namespace gridstride::sim
