// How outputs are held to what they must be: bit for bit, for NaN is not equal to itself and -0 is
// equal to 0; and not at all behind the last element, where the contract says nothing.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "grader/judge/lab.h"
#include "labs/compact-split/inputs.hpp"

namespace compact_split {

inline bool same_bits(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

/// Room for n floats, of which the first must be `expected`, in this order.
inline gridstride::Output<float> in_order(Floats expected, Count n) {
  const auto check = [expected = std::make_shared<const Floats>(std::move(expected))](
                         std::span<const float> got) -> std::optional<gridstride::Complaint> {
    gridstride::Complaint complaint{0, "", 0};
    for (std::size_t i = 0; i < expected->size(); ++i) {
      if (same_bits(got[i], (*expected)[i])) continue;
      if (complaint.wrong++ == 0)
        complaint = {i, gridstride::number_text((*expected)[i]), complaint.wrong};
    }
    if (complaint.wrong == 0) return std::nullopt;
    return complaint;
  };
  return gridstride::checked<float>(n, check);
}

inline gridstride::Output<Count> count_of(const Floats& elements) {
  return gridstride::exactly<Count>({size_of(elements)});
}

/// The same for the same elements in any order, and for others hardly ever.
inline std::uint64_t fingerprint(std::span<const float> elements) {
  std::uint64_t sum = 0;
  for (const float element : elements) {
    std::uint64_t mixed = (std::bit_cast<std::uint32_t>(element) + 1) * 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ mixed >> 32) * 0xd6e8feb86659fd93u;
    sum += mixed ^ mixed >> 32;
  }
  return sum;
}

/// Room for n floats, of which the first must be those of `expected`, in any order: the baseline's.
inline std::shared_ptr<const gridstride::OutputCheck> in_any_order(const Floats& expected,
                                                                   Count n) {
  const auto check = [count = expected.size(), right = fingerprint(expected)](
                         std::span<const float> got) -> std::optional<gridstride::Complaint> {
    if (fingerprint(got.first(count)) == right) return std::nullopt;
    return gridstride::Complaint{0, "the kept elements in any order", count};
  };
  return gridstride::checked<float>(n, check).check;
}

}  // namespace compact_split
