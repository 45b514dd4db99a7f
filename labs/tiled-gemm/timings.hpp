// The timed product, too large to be computed again: its answer is checked by multiplying it with
// a random vector (Freivalds, Probabilistic Machines Can Use Less Running Time, 1977).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "labs/tiled-gemm/products.hpp"

namespace tiled_gemm {

/// Sums modulo 2^64.
using Words = std::vector<std::uint64_t>;

inline std::uint64_t word_of(double whole) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(whole));
}

/// B times `vector`, for a B of whole numbers.
inline Words times_vector(const Floats& b, Shape shape, Layout layout, const Words& vector) {
  Words product(shape.k);
  std::int64_t place = 0;
  if (layout == Layout::rows) {
    for (std::int64_t p = 0; p < shape.k; ++p)
      for (std::int64_t j = 0; j < shape.n; ++j) product[p] += word_of(b[place++]) * vector[j];
  } else {
    for (std::int64_t j = 0; j < shape.n; ++j)
      for (std::int64_t p = 0; p < shape.k; ++p) product[p] += word_of(b[place++]) * vector[j];
  }
  return product;
}

/// Holds a C of whole numbers against A B: row i of C times a vector of random words must be row i
/// of A times (B times that vector), modulo 2^64. A row with a wrong element passes that once in
/// 2^40 vectors or less often (an element's error is below 2^25), and the vector is drawn when the
/// answer is there.
class ProductCheck {
 public:
  ProductCheck(std::shared_ptr<Floats> a, std::shared_ptr<Floats> b, Shape shape, Layout layout,
               Rng& rng)
      : a_(std::move(a)), b_(std::move(b)), shape_(shape), layout_(layout), vector_(shape.n) {
    for (std::uint64_t& word : vector_) word = rng.next();
    b_vector_ = times_vector(*b_, shape_, layout_, vector_);
  }

  std::optional<gridstride::Complaint> operator()(std::span<const float> got) const {
    for (std::int64_t row = 0; row < shape_.m; ++row)
      if (!is_right(row, got.subspan(row * shape_.n, shape_.n))) return complaint(row, got);
    return std::nullopt;
  }

 private:
  bool is_right(std::int64_t row, std::span<const float> got) const {
    std::uint64_t difference = 0;
    for (std::int64_t j = 0; j < shape_.n; ++j) {
      if (!(std::abs(got[j]) < 0x1p24f) || std::trunc(got[j]) != got[j]) return false;
      difference += word_of(got[j]) * vector_[j];
    }
    for (std::int64_t p = 0; p < shape_.k; ++p)
      difference -= word_of((*a_)[row * shape_.k + p]) * b_vector_[p];
    return difference == 0;
  }

  /// Names the row's first wrong element, and how many of the row are wrong.
  gridstride::Complaint complaint(std::int64_t row, std::span<const float> got) const {
    gridstride::Complaint complaint{0, "", 0};
    for (std::int64_t j = 0; j < shape_.n; ++j) {
      const double right = sum_of_products(*a_, *b_, shape_, layout_, row, j, shape_.k).value;
      const std::int64_t place = row * shape_.n + j;
      if (got[place] == right) continue;
      if (complaint.wrong++ == 0)
        complaint = {static_cast<std::uint64_t>(place), std::to_string(std::llround(right)), 1};
    }
    return complaint;
  }

  std::shared_ptr<Floats> a_, b_;
  Shape shape_;
  Layout layout_;
  Words vector_, b_vector_;
};

/// A square C, and sums a quarter as long as its edge: blocks enough for every multiprocessor at a
/// bearable price on the simulated device. Before each launch B is drawn anew as a whole: after a
/// change of some rows the old C could be mended in a fraction of the time.
template <class Suite>
gridstride::Timed timed_product(Rng& rng, std::int64_t elements, Layout layout) {
  const auto edge = static_cast<std::int32_t>(std::lround(std::sqrt(elements)));
  const Shape shape{edge, edge, edge / 4};
  const auto a = std::make_shared<Floats>(wide_whole_numbers(rng, shape.of_a()));
  const auto b = std::make_shared<Floats>(small_whole_numbers(rng, shape.of_b()));
  const auto check = [a, b, shape, layout](Rng& fresh) {
    return gridstride::checked<float>(shape.of_c(), ProductCheck(a, b, shape, layout, fresh));
  };
  const auto redraw = [b, shape, check](Rng& fresh, gridstride::Redraw& change) {
    std::ranges::copy(small_whole_numbers(fresh, shape.of_b()), b->begin());  // b stays where it is
    change.write(1, 0, *b);
    change.expect(2, [check, &fresh] { return check(fresh); });
  };
  return {Suite::call(gridstride::input(a), gridstride::input(b), check(rng), shape.m, shape.n,
                      shape.k, 1.0f, 0.0f),
          static_cast<double>(shape.of_a() + shape.of_b() + shape.of_c()) * sizeof(float), redraw};
}

}  // namespace tiled_gemm
