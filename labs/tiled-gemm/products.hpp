// What the lab's cases multiply, and in double precision what must come out.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "grader/judge/cases/sums.h"
#include "grader/judge/lab.h"
#include "labs/tiled-gemm/tiled-gemm.h"

namespace tiled_gemm {

using gridstride::Floats;
using gridstride::Rng;

/// How the second matrix lies: k rows of n floats, or (for A B^T) n rows of k.
enum class Layout { rows, transposed };

struct Shape {
  std::int32_t m, n, k;
  std::int64_t of_a() const { return std::int64_t{m} * k; }
  std::int64_t of_b() const { return std::int64_t{k} * n; }
  std::int64_t of_c() const { return std::int64_t{m} * n; }
};

/// One call's numbers.
struct Problem {
  Shape shape;
  Layout layout;
  Floats a, b;
  Floats c;  ///< before the call; empty when there is nothing in it
  float alpha = 1, beta = 0;
};

/// Which number of `b` is the factor p of column `column`.
inline std::int64_t place_in_b(Shape shape, Layout layout, std::int64_t p, std::int64_t column) {
  return layout == Layout::rows ? p * shape.n + column : column * shape.k + p;
}

/// Of element (row, column) of A B: the products up to `depth` added up, and their magnitudes.
struct Sum {
  double value = 0, magnitude = 0;
};

inline Sum sum_of_products(std::span<const float> a, std::span<const float> b, Shape shape,
                           Layout layout, std::int64_t row, std::int64_t column,
                           std::int64_t depth) {
  Sum sum;
  for (std::int64_t p = 0; p < depth; ++p) {
    const double product =
        static_cast<double>(a[row * shape.k + p]) * b[place_in_b(shape, layout, p, column)];
    sum.value += product;
    sum.magnitude += std::abs(product);
  }
  return sum;
}

/// What C must be: the exact values and the contract's bounds.
struct Expected {
  std::vector<double> values, bounds;
};

/// `fixed` and `per_term` give the d of the contract: per_term * k + fixed.
inline Expected expected_of(const Problem& problem, double per_term, double fixed) {
  Expected expected;
  const Shape shape = problem.shape;
  for (std::int64_t row = 0; row < shape.m; ++row)
    for (std::int64_t column = 0; column < shape.n; ++column) {
      const Sum sum =
          sum_of_products(problem.a, problem.b, shape, problem.layout, row, column, shape.k);
      const double old =
          problem.beta == 0 ? 0
                            : static_cast<double>(problem.beta) * problem.c[row * shape.n + column];
      expected.values.push_back(problem.alpha * sum.value + old);
      expected.bounds.push_back(gridstride::rounding_bound(
          per_term * shape.k + fixed, std::abs(problem.alpha) * sum.magnitude + std::abs(old)));
    }
  return expected;
}

/// Whole numbers from -8 to 8 without 0: as many as a sum of products has terms in this lab, it is
/// a float in every order of adding, and one term more or less always shows.
inline Floats small_whole_numbers(Rng& rng, std::int64_t count) {
  Floats values(count);
  std::uint64_t bits = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    if (i % 16 == 0) bits = rng.next();
    const auto drawn = static_cast<int>(bits % 16);
    values[i] = static_cast<float>(drawn < 8 ? drawn - 8 : drawn - 7);
    bits /= 16;
  }
  return values;
}

/// Odd whole numbers of up to 12 bits, which no type of a narrower significand holds. Their
/// products with small ones add up to a float in every order as long as there are no more than 512.
inline Floats wide_whole_numbers(Rng& rng, std::int64_t count) {
  Floats values(count);
  for (float& value : values) value = static_cast<float>(2 * rng.uniform<int>(-2048, 2047) + 1);
  return values;
}

/// Small whole numbers, so small that their products are too small for a device that drops
/// denormals.
inline Floats tiny_whole_numbers(Rng& rng, std::int64_t count) {
  Floats values = small_whole_numbers(rng, count);
  for (float& value : values) value *= std::numeric_limits<float>::denorm_min();
  return values;
}

inline Floats nothing_but_nan(std::int64_t count) {
  return Floats(count, std::numeric_limits<float>::quiet_NaN());
}

}  // namespace tiled_gemm
