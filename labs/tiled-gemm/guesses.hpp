// What a wrong element of C says about the mistake.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "labs/tiled-gemm/products.hpp"

namespace tiled_gemm {

/// The parameters' places in the contract.
enum Parameter : std::size_t { a_place, b_place, c_place, m_place, n_place, k_place, alpha_place };
constexpr std::size_t beta_place = alpha_place + 1;

/// What comes out if the tiles of A move on and that of B does not.
inline double sum_of_first_tile(std::span<const float> a, std::span<const float> b, Shape shape,
                                Layout layout, std::int64_t row, std::int64_t column, int tile) {
  double sum = 0;
  for (std::int64_t p = 0; p < shape.k; ++p)
    sum +=
        static_cast<double>(a[row * shape.k + p]) * b[place_in_b(shape, layout, p % tile, column)];
  return sum;
}

/// An element that is right but for the last products, for a factor, for what was in C before, or
/// for the place that B was read from. Looks only at cases of whole numbers, where another cause
/// would hardly give the same value.
inline std::optional<std::string> guess_from_element(const gridstride::WrongAnswer& wrong,
                                                     Layout layout) {
  if (wrong.case_name.rfind("whole", 0) != 0) return std::nullopt;
  const auto got = wrong.value(wrong.first());
  if (!got) return std::nullopt;
  if (std::isnan(*got)) return "There was NaN in C: when beta is 0, C is not read.";
  const auto size_at = [&wrong](std::size_t place) {
    return wrong.input<std::int32_t>(place).front();
  };
  const Shape shape{size_at(m_place), size_at(n_place), size_at(k_place)};
  const auto a = wrong.input<float>(a_place), b = wrong.input<float>(b_place),
             c = wrong.input<float>(c_place);
  const double alpha = wrong.input<float>(alpha_place).front(),
               beta = wrong.input<float>(beta_place).front();
  const auto row = static_cast<std::int64_t>(wrong.first()) / shape.n,
             column = static_cast<std::int64_t>(wrong.first()) % shape.n;
  const double old = c.empty() ? 0 : static_cast<double>(c[wrong.first()]);
  const auto sum = [&](Layout as, std::int64_t depth) {
    return sum_of_products(a, b, shape, as, row, column, depth).value;
  };
  const double product = sum(layout, shape.k);

  if (beta != 0 && *got == alpha * product) return "beta * C is missing.";
  if (alpha != 1 && *got == product + beta * old) return "The product is not multiplied by alpha.";
  if (beta != 1 && *got == alpha * product + old) return "What was in C is not multiplied by beta.";
  const Layout other = layout == Layout::rows ? Layout::transposed : Layout::rows;
  if (shape.n > 1 && shape.k > 1 && *got == alpha * sum(other, shape.k) + beta * old)
    return layout == Layout::rows ? "This is the element of A B^T: B was read as if it lay the "
                                    "other way round."
                                  : "This is the element of A B: a row of b is a column of B^T.";
  for (const int tile : {8, 16, 32})
    if (shape.k > tile &&
        *got == alpha * sum_of_first_tile(a, b, shape, layout, row, column, tile) + beta * old)
      return "Every tile of B is the first one: " +
             std::string(layout == Layout::rows ? "its row" : "its column") +
             " must move on with the tile of A.";
  for (std::int64_t depth = shape.k - 1; depth >= 0; --depth)
    if (*got == alpha * sum(layout, depth) + beta * old)
      return "This is the element without the last " + std::to_string(shape.k - depth) + " of " +
             std::to_string(shape.k) + " products: k need not be a multiple of the tile.";
  return std::nullopt;
}

}  // namespace tiled_gemm
