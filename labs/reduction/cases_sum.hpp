// The cases of reduce_sum, and in double precision what they must give.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "labs/reduction/cases.hpp"
#include "labs/reduction/reduction.h"

namespace reduction {

using Floats = std::vector<float>;

// Inputs. Where every order of adding sums without rounding, the result is held to equality, which
// notices each element that is missing or counted twice; elsewhere to the contract's bound.

inline Floats whole_numbers_to(gridstride::Rng& rng, std::int64_t n, std::int64_t largest) {
  Floats values(n);
  for (float& value : values)
    value = static_cast<float>(rng.uniform<std::int64_t>(-largest, largest));
  return values;
}

inline Floats whole_numbers(gridstride::Rng& rng, std::int64_t n) {
  return whole_numbers_to(rng, n, largest_of(n));
}

/// Multiples of the smallest number above zero, too small for a device that drops denormals.
inline Floats denormal(gridstride::Rng& rng, std::int64_t n) {
  Floats values = whole_numbers(rng, n);
  for (float& value : values) value *= std::numeric_limits<float>::denorm_min();
  return values;
}

/// All zero but one, anywhere.
inline Floats one_of_many(gridstride::Rng& rng, std::int64_t n) {
  Floats values(n, 0.0f);
  values[rng.uniform<std::int64_t>(0, n - 1)] = 1;
  return values;
}

inline Floats both_signs(gridstride::Rng& rng, std::int64_t n) {
  return rng.uniform<float>(n, -1, 1);
}

inline Floats above_zero(gridstride::Rng& rng, std::int64_t n) {
  return rng.uniform<float>(n, 0.5f, 1.5f);
}

inline Floats all_equal(gridstride::Rng& rng, std::int64_t n) {
  return Floats(n, rng.uniform<float>(0.1f, 1.0f));
}

inline Floats sorted(gridstride::Rng& rng, std::int64_t n) {
  Floats values = both_signs(rng, n);
  std::sort(values.begin(), values.end());
  return values;
}

inline Floats reversed(gridstride::Rng& rng, std::int64_t n) {
  Floats values = sorted(rng, n);
  std::reverse(values.begin(), values.end());
  return values;
}

/// As large as the contract lets them be.
inline Floats huge(gridstride::Rng& rng, std::int64_t n) {
  const auto largest = static_cast<float>(1e38 / static_cast<double>(n));
  return rng.uniform<float>(n, -largest, largest);
}

/// Pairs of equal magnitude and opposite signs, far apart, among small numbers.
inline Floats cancelling(gridstride::Rng& rng, std::int64_t n) {
  Floats values = both_signs(rng, n);
  for (std::int64_t i = 0; i + 1 < n; i += 4) {
    values[i] = rng.uniform<float>(1e20f, 1e30f);
    values[i + 1] = -values[i];
  }
  rng.shuffle(values);
  return values;
}

inline double sum_in_double(const Floats& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

inline double magnitudes(const Floats& values) {
  return std::accumulate(values.begin(), values.end(), 0.0, [](double sum, float value) {
    return sum + std::abs(static_cast<double>(value));
  });
}

inline gridstride::Output<float> exact_sum(const Floats& values) {
  return gridstride::exactly<float>({static_cast<float>(sum_in_double(values))});
}

/// A sum that is right but for some elements at one end, at a length where kernels break. Looks
/// only at inputs whose values are so many that another cause would hardly give the same sum.
inline std::optional<std::string> guess_left_out(const gridstride::WrongAnswer& wrong) {
  constexpr std::int64_t longest = 2048, largest_tile = 2048;
  const auto in = wrong.input<float>(0);
  const auto got = wrong.value(0);
  const auto n = static_cast<std::int64_t>(in.size());
  if (!got || n < 2 || n > longest || wrong.case_name.rfind("whole", 0) != 0) return std::nullopt;
  const auto sum = [&in](std::int64_t begin, std::int64_t end) {
    return std::accumulate(in.begin() + begin, in.begin() + end, 0.0);
  };
  for (std::int64_t missing = 1; missing < n; ++missing) {
    if (sum(0, n - missing) != *got) continue;
    std::int64_t tile = 2;
    while (tile <= largest_tile && n % tile != missing) tile *= 2;
    std::string text = "This is the sum without the last " + std::to_string(missing) + " of " +
                       std::to_string(n) + " elements";
    if (tile > largest_tile) return text + ".";
    text += ", the rest when they are cut into pieces of " + std::to_string(tile);
    std::int64_t widest = tile;
    while (2 * widest < n && n % (2 * widest) == missing) widest *= 2;
    return text + (widest == tile ? "." : " to " + std::to_string(widest) + ".");
  }
  if (sum(1, n) == *got) return "This is the sum without the first element: off by one?";
  return std::nullopt;
}

template <class Suite>
gridstride::Timed timed_sum(gridstride::Rng& rng, std::int64_t n) {
  struct State {
    std::shared_ptr<Floats> in = std::make_shared<Floats>();
    double sum = 0;
  };
  auto state = std::make_shared<State>();
  *state->in = whole_numbers(rng, n);
  state->sum = sum_in_double(*state->in);
  const auto redraw = [state](gridstride::Rng& fresh, gridstride::Redraw& change) {
    Floats& in = *state->in;
    const auto count = std::min<std::int64_t>(1000, static_cast<std::int64_t>(in.size()));
    const auto first = fresh.uniform<std::int64_t>(0, static_cast<std::int64_t>(in.size()) - count);
    Floats values =
        whole_numbers_to(fresh, count, largest_of(static_cast<std::int64_t>(in.size())));
    const double before = std::accumulate(in.begin() + first, in.begin() + first + count, 0.0);
    if (sum_in_double(values) == before) values[0] += 1;
    state->sum += sum_in_double(values) - before;
    std::copy(values.begin(), values.end(), in.begin() + first);
    change.write(0, first, values);
    change.expect(1, gridstride::exactly<float>({static_cast<float>(state->sum)}));
  };
  return {Suite::call(gridstride::input(state->in), exact_sum(*state->in), n,
                      gridstride::scratch(scratch_bytes(n, sizeof(float)))),
          static_cast<double>(n) * sizeof(float), redraw};
}

template <class Suite>
void define_sum(Suite& suite) {
  suite.parameters({"in", "out", "n", "scratch"});
  using Make = Floats (*)(gridstride::Rng&, std::int64_t);
  const auto exact = [&suite](const std::string& what, Make make, std::int64_t n,
                              std::uint64_t offset) {
    suite
        .add(named(what, n), n,
             [make, n, offset](gridstride::Rng& rng) {
               Floats in = make(rng, n);
               gridstride::Output<float> out = exact_sum(in);
               return Suite::call(gridstride::input(std::move(in)).at_offset(offset),
                                  std::move(out), n,
                                  gridstride::scratch(scratch_bytes(n, sizeof(float))));
             })
        .same_bits();
  };
  const double root = suite.tolerance("depth_root"), depth = suite.tolerance("depth");
  const auto bounded = [&](const std::string& what, Make make, std::int64_t n) {
    const double additions = root * std::sqrt(static_cast<double>(n)) + depth;
    suite
        .add(named(what, n), n,
             [make, n, additions](gridstride::Rng& rng) {
               Floats in = make(rng, n);
               const double sum = sum_in_double(in);
               const double bound = rounding_bound(additions, magnitudes(in));
               return Suite::call(gridstride::input(std::move(in)),
                                  gridstride::within<float>({sum}, bound), n,
                                  gridstride::scratch(scratch_bytes(n, sizeof(float))));
             })
        .same_bits();
  };

  for (const std::int64_t n : gridstride::edge_sizes()) exact("whole numbers", whole_numbers, n, 0);
  for (const std::int64_t n : {1, 2, 3, 4, 5, 33, 1024, 1025, 4097})
    for (const std::uint64_t offset : {1, 2, 3})
      exact("whole numbers from element " + std::to_string(offset) + ",", whole_numbers, n, offset);
  for (const std::int64_t n : {1, 1025, 65537}) {
    exact("denormal", denormal, n, 0);
    bounded("both signs", both_signs, n);
    bounded("above zero", above_zero, n);
    bounded("all equal", all_equal, n);
    bounded("sorted", sorted, n);
    bounded("reversed", reversed, n);
    bounded("huge", huge, n);
    bounded("cancelling", cancelling, n);
  }
  constexpr std::int64_t large = 1'000'003;
  exact("one of many", one_of_many, large, 0);
  exact("whole numbers", whole_numbers, large, 0);
  bounded("all equal", all_equal, large);
  suite.guess(guess_left_out);
  suite.timing(timed_sum<Suite>);
}

}  // namespace reduction
