// How the outputs of timed calls are checked. The input changes before each launch, and to sort it
// again on the host would take longer than all launches: so what is checked is that the output is
// in order and has the input's elements.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "grader/judge/lab.h"
#include "labs/radix-sort/inputs.hpp"

namespace radix_sort {

/// A sum over elements: equal for the same elements in any order, and for others hardly ever. The
/// salt is drawn for each run, so nobody can look for others that give the same sum.
struct Fingerprint {
  std::uint64_t salt = 0, sum = 0;

  void add(std::uint32_t key, Count section) { sum += mixed(key, section); }
  void remove(std::uint32_t key, Count section) { sum -= mixed(key, section); }

 private:
  std::uint64_t mixed(std::uint32_t key, Count section) const {
    std::uint64_t x = salt + ((static_cast<std::uint64_t>(section) << 32) | key);
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
  }
};

/// `n` keys whose sections are sorted each, and which have the fingerprint `expected`.
inline gridstride::Output<std::uint32_t> sorted_with(Fingerprint expected, Count n, Count section) {
  const auto check =
      [=](std::span<const std::uint32_t> got) -> std::optional<gridstride::Complaint> {
    Fingerprint seen{expected.salt, 0};
    gridstride::Complaint complaint{0, "", 0};
    for (Count i = 0; i < n; ++i) {
      seen.add(got[i], i / section);
      if (i % section == 0 || got[i - 1] <= got[i]) continue;
      if (complaint.wrong++ == 0)
        complaint = {static_cast<std::uint64_t>(i),
                     "no less than the key before it, " + std::to_string(got[i - 1]), 1};
    }
    if (complaint.wrong != 0) return complaint;
    if (seen.sum == expected.sum) return std::nullopt;
    return gridstride::Complaint{0, "the keys of the input: these are others", got.size()};
  };
  return gridstride::checked<std::uint32_t>(n, check);
}

/// Values that say where they come from: element i has one of value_slots * i … value_slots * i +
/// value_slots - 1.
inline constexpr std::uint32_t value_slots = 16;

/// The values of `keys`, in the order of a stable sort: each is the right one for its element, and
/// the elements are in the order of (key, index). Both may change between calls.
inline gridstride::Output<std::uint32_t> values_of(std::shared_ptr<const Keys> keys,
                                                   std::shared_ptr<const Keys> values) {
  const Count n = size_of(*keys);
  const auto check =
      [keys, values,
       n](std::span<const std::uint32_t> got) -> std::optional<gridstride::Complaint> {
    std::uint64_t before = 0;
    for (Count i = 0; i < n; ++i) {
      const Count index = got[i] / value_slots;
      const auto place = static_cast<std::uint64_t>(i);
      if (index >= n || (*values)[index] != got[i])
        return gridstride::Complaint{place, "a value of the input"};
      const std::uint64_t now =
          (static_cast<std::uint64_t>((*keys)[index]) << 32) + static_cast<std::uint64_t>(index);
      if (i > 0 && now <= before)
        return gridstride::Complaint{
            place, now >> 32 == before >> 32 && now != before
                       ? "the value of a later element with the same key: the sort is not stable"
                       : "the value of an element that comes later in the sorted order"};
      before = now;
    }
    return std::nullopt;
  };
  return gridstride::checked<std::uint32_t>(n, check);
}

}  // namespace radix_sort
