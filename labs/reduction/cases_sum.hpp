// The cases of reduce_sum, and in double precision what they must give.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "grader/judge/cases/sums.h"
#include "grader/judge/lab.h"
#include "labs/reduction/reduction.h"

namespace reduction {

using gridstride::Floats;
using gridstride::largest_of;
using gridstride::magnitudes;
using gridstride::named;
using gridstride::rounding_bound;
using gridstride::sum_in_double;
using gridstride::whole_numbers;
using gridstride::whole_numbers_to;

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
    const auto sum = static_cast<float>(state->sum);
    change.expect(1, [sum] { return gridstride::exactly<float>({sum}); });
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
    exact("denormal", gridstride::denormal, n, 0);
    bounded("both signs", gridstride::both_signs, n);
    bounded("above zero", gridstride::above_zero, n);
    bounded("all equal", gridstride::all_equal, n);
    bounded("sorted", gridstride::sorted, n);
    bounded("reversed", gridstride::reversed, n);
    bounded("huge", gridstride::huge, n);
    bounded("cancelling", gridstride::cancelling, n);
  }
  constexpr std::int64_t large = 1'000'003;
  exact("one of many", gridstride::one_of_many, large, 0);
  exact("whole numbers", whole_numbers, large, 0);
  bounded("all equal", gridstride::all_equal, large);
  suite.guess(guess_left_out);
  constexpr std::int64_t huge = gridstride::beyond_32_bits;
  suite
      .add(gridstride::named("indices of 64 bits", huge), huge,
           [](gridstride::Rng&) {
             return Suite::call(gridstride::absent<float>(huge), gridstride::absent<float>(1), huge,
                                gridstride::scratch(scratch_bytes(huge, sizeof(float))));
           })
      .too_large();
  suite.timing(timed_sum<Suite>);
}

}  // namespace reduction
