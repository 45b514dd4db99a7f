// What a call's outputs must be.
//
//     exactly(std::vector<T>)                       each element equal
//     within<T>(expected, bound)                    !(|got - expected| <= bound) is wrong, so NaN
//     is accepted<T>(expected, accept)                 accept(got, expected) for each element
//     checked<T>(count, check)                      one look at all elements
//
// `.initially(values)` makes it an argument that the function reads and writes; `.at_offset(k)`
// gives the function a pointer k elements past an aligned address.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "grader/judge/cases/to_text.h"

namespace gridstride {

/// Elements that are wrong.
struct Mismatches {
  std::uint64_t count = 0;
  std::vector<std::uint64_t> first;  ///< their indices, ascending, the first few thousand
};

/// Holds bytes that came from the runner against what they should be.
class OutputCheck {
 public:
  static constexpr std::size_t indices_kept = 4096;

  virtual ~OutputCheck() = default;
  virtual std::uint64_t count() const = 0;  ///< elements
  /// Whether there is an answer for each element by itself.
  virtual bool knows_each() const { return true; }
  /// `got` is count() elements long, in this and in all that follows.
  virtual Mismatches compare(std::span<const std::byte> got) const = 0;
  /// Whether the element `index` of `got` would be right where element `place` stands.
  virtual bool fits(std::span<const std::byte> got, std::uint64_t index,
                    std::uint64_t place) const = 0;
  virtual std::string expected_text(std::uint64_t index) const = 0;
  virtual std::string got_text(std::span<const std::byte> got, std::uint64_t index) const = 0;
  /// By how much the element `index` of `got` is off, where both are finite numbers: "off by 0.5",
  /// "too small by 3"; else empty.
  virtual std::string difference_text(std::span<const std::byte>, std::uint64_t) const {
    return "";
  }
  /// Empty for what is no number.
  virtual std::optional<double> expected_number(std::uint64_t index) const = 0;
  virtual std::optional<double> got_number(std::span<const std::byte> got,
                                           std::uint64_t index) const = 0;
};

/// What a check of all elements together found wrong.
struct Complaint {
  std::uint64_t index = 0;
  std::string expected;  ///< "5, the larger of two equal keys comes first"
  std::uint64_t wrong = 1;
};

namespace detail {

template <class T>
T element_of(std::span<const std::byte> bytes, std::uint64_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

/// Of whole numbers exactly, whatever their range: what has no sign has no negative difference.
template <class T, class Expected>
std::string difference(const T& got, const Expected& right) {
  if constexpr (std::is_integral_v<T> && std::is_integral_v<Expected>) {
    if (std::cmp_equal(got, right)) return "";
    const bool more = std::cmp_greater(got, right);
    const auto by = more ? static_cast<std::uint64_t>(got) - static_cast<std::uint64_t>(right)
                         : static_cast<std::uint64_t>(right) - static_cast<std::uint64_t>(got);
    return (more ? "too large by " : "too small by ") + std::to_string(by);
  } else if constexpr (std::is_arithmetic_v<T> && std::is_arithmetic_v<Expected>) {
    const double by = static_cast<double>(got) - static_cast<double>(right);
    if (!std::isfinite(by) || by == 0) return "";
    return "off by " + number_text(static_cast<float>(by));
  } else {
    return "";
  }
}

template <class T, class Expected>
class ElementCheck final : public OutputCheck {
 public:
  using Accept = std::function<bool(const T& got, const Expected& expected, std::uint64_t place)>;
  ElementCheck(std::vector<Expected> expected, Accept accept)
      : expected_(std::move(expected)), accept_(std::move(accept)) {}

  std::uint64_t count() const override { return expected_.size(); }
  Mismatches compare(std::span<const std::byte> got) const override {
    Mismatches wrong;
    for (std::uint64_t i = 0; i < expected_.size(); ++i) {
      if (fits(got, i, i)) continue;
      if (wrong.first.size() < indices_kept) wrong.first.push_back(i);
      ++wrong.count;
    }
    return wrong;
  }
  bool fits(std::span<const std::byte> got, std::uint64_t index,
            std::uint64_t place) const override {
    return accept_(element_of<T>(got, index), expected_[place], place);
  }
  std::string expected_text(std::uint64_t index) const override { return shown(expected_[index]); }
  std::string got_text(std::span<const std::byte> got, std::uint64_t index) const override {
    return shown(element_of<T>(got, index));
  }
  std::string difference_text(std::span<const std::byte> got, std::uint64_t index) const override {
    return difference(element_of<T>(got, index), expected_[index]);
  }
  std::optional<double> expected_number(std::uint64_t index) const override {
    return as_number(expected_[index]);
  }
  std::optional<double> got_number(std::span<const std::byte> got,
                                   std::uint64_t index) const override {
    return as_number(element_of<T>(got, index));
  }

 private:
  std::vector<Expected> expected_;
  Accept accept_;
};

template <class T>
class WholeCheck final : public OutputCheck {
 public:
  using Check = std::function<std::optional<Complaint>(std::span<const T> got)>;
  WholeCheck(std::uint64_t count, Check check) : count_(count), check_(std::move(check)) {}

  std::uint64_t count() const override { return count_; }
  bool knows_each() const override { return false; }
  Mismatches compare(std::span<const std::byte> got) const override {
    const auto complaint = verify(got);
    if (!complaint) return {};
    return {complaint->wrong, {complaint->index}};
  }
  bool fits(std::span<const std::byte>, std::uint64_t index, std::uint64_t place) const override {
    return index == place;
  }
  std::string expected_text(std::uint64_t) const override { return expected_; }
  std::string got_text(std::span<const std::byte> got, std::uint64_t index) const override {
    return shown(element_of<T>(got, index));
  }
  std::optional<double> expected_number(std::uint64_t) const override { return std::nullopt; }
  std::optional<double> got_number(std::span<const std::byte> got,
                                   std::uint64_t index) const override {
    return as_number(element_of<T>(got, index));
  }

 private:
  std::optional<Complaint> verify(std::span<const std::byte> got) const {
    std::vector<T> elements(count_);
    if (count_ != 0) std::memcpy(elements.data(), got.data(), count_ * sizeof(T));
    auto complaint = check_(elements);
    if (complaint && complaint->index >= count_)
      throw std::logic_error("a check complained about an element that does not exist");
    if (complaint) expected_ = complaint->expected;
    return complaint;
  }
  std::uint64_t count_;
  Check check_;
  mutable std::string expected_;  ///< in the words of the last complaint
};

}  // namespace detail

/// An output argument of a call: its length, contents before the call, and what it must be after.
template <class T>
struct Output {
  std::shared_ptr<const OutputCheck> check;
  std::shared_ptr<const std::vector<T>> initial;  ///< null: filled with a sentinel
  std::uint64_t offset = 0;                       ///< elements

  Output initially(std::vector<T> values) && {
    if (values.size() != check->count())
      throw std::logic_error("an output's initial values must be as many as its expected values");
    initial = std::make_shared<const std::vector<T>>(std::move(values));
    return std::move(*this);
  }
  Output at_offset(std::uint64_t elements) && {
    offset = elements;
    return std::move(*this);
  }
};

template <class T>
Output<T> exactly(std::vector<T> expected) {
  return {std::make_shared<detail::ElementCheck<T, T>>(
              std::move(expected),
              [](const T& got, const T& right, std::uint64_t) { return got == right; }),
          nullptr, 0};
}

/// One bound for each element. Both in double, whatever T is: an oracle is more precise than what
/// it judges. An infinite expected value must be met exactly.
template <class T>
Output<T> within(std::vector<double> expected, std::vector<double> bounds) {
  if (bounds.size() != expected.size())
    throw std::logic_error("as many bounds as expected values are needed");
  return {std::make_shared<detail::ElementCheck<T, double>>(
              std::move(expected),
              [bounds = std::move(bounds)](const T& got, double right, std::uint64_t place) {
                const auto value = static_cast<double>(got);
                return value == right || std::abs(value - right) <= bounds[place];
              }),
          nullptr, 0};
}

/// One bound for all elements.
template <class T>
Output<T> within(std::vector<double> expected, double bound) {
  std::vector<double> bounds(expected.size(), bound);
  return within<T>(std::move(expected), std::move(bounds));
}

/// `accept(got, expected)` says whether an element is right. Must be false for NaN.
template <class T, class Expected, class Accept>
Output<T> accepted(std::vector<Expected> expected, Accept accept) {
  return {std::make_shared<detail::ElementCheck<T, Expected>>(
              std::move(expected),
              [accept = std::move(accept)](const T& got, const Expected& right, std::uint64_t) {
                return accept(got, right);
              }),
          nullptr, 0};
}

/// For what cannot be judged element by element (any order of the kept elements is right, say).
template <class T>
Output<T> checked(std::uint64_t count,
                  std::function<std::optional<Complaint>(std::span<const T> got)> check) {
  return {std::make_shared<detail::WholeCheck<T>>(count, std::move(check)), nullptr, 0};
}

}  // namespace gridstride
