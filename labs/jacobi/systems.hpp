// Systems of equations to be graded by, and in double precision what the contract makes of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "grader/judge/cases/sums.h"
#include "grader/judge/lab.h"
#include "labs/jacobi/jacobi.h"

namespace jacobi {

using gridstride::Floats;
using gridstride::Rng;

/// A x = f, and where to start from. What is redrawn in f is redrawn here.
struct System {
  std::int64_t n, pitch;
  std::shared_ptr<Floats> a, f;
  Floats x;

  float& at(std::int64_t i, std::int64_t j) { return (*a)[i * pitch + j]; }
  const float* row(std::int64_t i) const { return a->data() + i * pitch; }
};

/// n unknowns; behind each row stands NaN. Sometimes the rows are further apart than they have to
/// be.
inline System empty_system(Rng& rng, std::int64_t n) {
  System system{n, (n + 31) / 32 * 32 + (n < 300 ? 32 * rng.uniform<int>(0, 1) : 0), nullptr,
                nullptr, Floats(n)};
  system.a = std::make_shared<Floats>(n * system.pitch, std::numeric_limits<float>::quiet_NaN());
  system.f = std::make_shared<Floats>(n);
  return system;
}

template <class Draw>
void draw_each(System& system, Draw draw) {
  for (std::int64_t i = 0; i < system.n; ++i)
    for (std::int64_t j = 0; j < system.n; ++j) system.at(i, j) = draw(i, j);
}

/// Whole numbers, and powers of two in the diagonal: no sum of products is rounded in any order.
inline System whole_system(Rng& rng, std::int64_t n) {
  System system = empty_system(rng, n);
  draw_each(system, [&](auto i, auto j) {
    const int whole = rng.uniform<int>(1, 8) * (rng.uniform<int>(0, 1) == 0 ? 1 : -1);
    return static_cast<float>(i == j ? std::copysign(4, whole) : whole);
  });
  for (float& each : *system.f) each = static_cast<float>(rng.uniform<int>(-100, 100));
  for (float& each : system.x) each = static_cast<float>(rng.uniform<int>(-8, 8));
  return system;
}

/// Numbers of both signs and of very different size.
inline System mixed_system(Rng& rng, std::int64_t n) {
  System system = empty_system(rng, n);
  const auto any = [&] { return std::ldexp(rng.uniform<float>(-1, 1), rng.uniform<int>(-12, 12)); };
  draw_each(system, [&](auto i, auto j) { return i == j ? 0.5f + std::abs(any()) : any(); });
  for (float& each : *system.f) each = any();
  for (float& each : system.x) each = any();
  return system;
}

/// Positive everywhere, each diagonal element `dominance` times the sum of the rest of its row. For
/// n > 1 the error shrinks by 1 / dominance with each sweep of Jacobi's, or grows.
inline System positive_system(Rng& rng, std::int64_t n, double dominance) {
  System system = empty_system(rng, n);
  draw_each(system, [&](auto, auto) { return rng.uniform<float>(0.5f, 1.5f); });
  for (std::int64_t i = 0; i < n; ++i) {
    double rest = 0;
    for (std::int64_t j = 0; j < n; ++j) rest += i == j ? 0 : system.at(i, j);
    system.at(i, i) = static_cast<float>(n == 1 ? 2 : dominance * rest);
  }
  for (float& each : *system.f) each = rng.uniform<float>(0.5f, 1.5f);
  return system;
}

using Doubles = std::vector<double>;

/// What one row makes of x.
struct RowResult {
  double residual;    ///< f[i] - (A x)[i]
  double magnitudes;  ///< |f[i]| + |a[i][0] x[0]| + …
};

inline RowResult row_of(const System& system, const Doubles& x, std::int64_t i) {
  const float* row = system.row(i);
  double residual = (*system.f)[i], magnitudes = std::abs(residual);
  for (std::int64_t j = 0; j < system.n; ++j) {
    const double product = row[j] * x[j];
    residual -= product;
    magnitudes += std::abs(product);
  }
  return {residual, magnitudes};
}

/// How far a float may be off after a row's operations, relative to what was added.
inline double rounding_of(std::int64_t n) {
  return gridstride::rounding_bound(2 * std::sqrt(static_cast<double>(n)) + 64, 1);
}

/// The next x[i] and how far it may be off.
struct NextX {
  double value, bound;
};

inline NextX next_of(const System& system, const Doubles& x, std::int64_t i, Method method,
                     double alpha) {
  const RowResult row = row_of(system, x, i);
  const double rounding = rounding_of(system.n);
  if (method == Method::jacobi) {
    const double diagonal = system.row(i)[i];
    return {x[i] + row.residual / diagonal, rounding * row.magnitudes / std::abs(diagonal)};
  }
  return {x[i] - alpha * row.residual,
          rounding * (std::abs(x[i]) + std::abs(alpha) * row.magnitudes)};
}

/// How much an error of x may grow by a sweep, in the largest of its elements.
inline double growth_of_error(const System& system, Method method, double alpha) {
  double largest = 0;
  for (std::int64_t i = 0; i < system.n; ++i) {
    const float* row = system.row(i);
    double sum = 0;
    for (std::int64_t j = 0; j < system.n; ++j) {
      if (method == Method::jacobi)
        sum += i == j ? 0 : std::abs(row[j] / static_cast<double>(row[i]));
      else
        sum += std::abs((i == j ? 1 : 0) + alpha * row[j]);
    }
    largest = std::max(largest, sum);
  }
  return largest;
}

}  // namespace jacobi
