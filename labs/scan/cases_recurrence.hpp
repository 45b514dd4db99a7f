// The cases of scan_recurrence, and in double precision what they must give.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "grader/judge/cases/sums.h"
#include "grader/judge/lab.h"
#include "labs/scan/scan.h"

namespace scan {

using gridstride::Floats;

/// Steps and values of one call.
struct Steps {
  Floats step, value;
};

/// What scan_recurrence() must write, and by how much it may be off after so many operations beside
/// the i that value[i] goes through in any case; 0 operations: not at all.
inline gridstride::Output<float> scanned(Recurrence recurrence, const Steps& in,
                                         double operations) {
  const std::size_t n = in.value.size();
  std::vector<double> expected(n), bounds(n);
  double x = 0, magnitude = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double step = in.step[i], value = in.value[i];
    if (recurrence == Recurrence::linear) {
      x = i == 0 ? value : step * x + value;
      magnitude = i == 0 ? std::abs(value) : std::abs(step) * magnitude + std::abs(value);
    } else {
      x = i == 0 ? value : std::max(x + step, value);
      magnitude += std::abs(value) + (i == 0 ? 0 : std::abs(step));
    }
    expected[i] = x;
    if (operations > 0)
      bounds[i] = gridstride::rounding_bound(static_cast<double>(i) + operations, magnitude) +
                  static_cast<double>(n) * std::numeric_limits<float>::denorm_min();
  }
  return gridstride::within<float>(std::move(expected), std::move(bounds));
}

// Steps and values. Of whole numbers and steps of 1, 0 and -1 every result is exact.

inline float one_of(gridstride::Rng& rng, std::initializer_list<float> choices) {
  return choices.begin()[rng.uniform<std::size_t>(0, choices.size() - 1)];
}

/// Steps of 1 and -1: everything that comes before an element matters to it.
inline Steps signs(gridstride::Rng& rng, std::int64_t n) {
  Steps in{Floats(n), gridstride::whole_numbers(rng, n)};
  for (float& step : in.step) step = one_of(rng, {1, -1});
  return in;
}

/// A segmented sum: 0 where a segment begins, 1 elsewhere. Some segments are long, some of one
/// element.
inline Steps segments(gridstride::Rng& rng, std::int64_t n) {
  Steps in{Floats(n, 1.0f), gridstride::whole_numbers(rng, n)};
  for (std::int64_t i = 0; i < n; i += std::int64_t{1} << rng.uniform<int>(0, 12)) in.step[i] = 0;
  return in;
}

/// Powers of two: the order of applying and adding shows at once, and nothing is rounded, for a 0
/// comes at least every eight elements.
inline Steps halves(gridstride::Rng& rng, std::int64_t n) {
  Steps in{Floats(n), gridstride::whole_numbers_to(rng, n, 1 << 10)};
  for (std::int64_t i = 0; i < n; ++i) in.step[i] = i % 8 == 0 ? 0 : one_of(rng, {0.5f, -0.5f, 1});
  return in;
}

/// A running product: values of 0 but for the first.
inline Steps product(gridstride::Rng& rng, std::int64_t n) {
  Steps in{Floats(n), Floats(n, 0.0f)};
  for (float& step : in.step) step = one_of(rng, {1, -1});
  if (n > 0) in.value[0] = 3;
  return in;
}

inline Steps decay(gridstride::Rng& rng, std::int64_t n) {
  return {rng.uniform<float>(n, -1, 1), gridstride::both_signs(rng, n)};
}

inline Steps slow_decay(gridstride::Rng& rng, std::int64_t n) {
  return {rng.uniform<float>(n, 0.99f, 1), gridstride::above_zero(rng, n)};
}

/// A running maximum: steps of 0.
inline Steps no_steps(gridstride::Rng& rng, std::int64_t n) {
  return {Floats(n, 0.0f), gridstride::whole_numbers(rng, n)};
}

inline Steps below_zero(gridstride::Rng& rng, std::int64_t n) {
  Steps in{Floats(n, 0.0f), rng.uniform<float>(n, -1000, -1)};
  return in;
}

/// Up and down by whole numbers, with values seldom high enough to matter.
inline Steps hills(gridstride::Rng& rng, std::int64_t n) {
  Steps in{gridstride::whole_numbers_to(rng, n, 8), Floats(n)};
  for (float& value : in.value)
    value = static_cast<float>(rng.uniform<std::int64_t>(-100000, rng.uniform<int>(-100000, 2000)));
  return in;
}

template <class Suite>
gridstride::Timed timed_recurrence(gridstride::Rng& rng, std::int64_t n) {
  auto steps = std::make_shared<Steps>(signs(rng, n));
  auto step = std::make_shared<Floats>(steps->step);
  steps->value[0] = 1;  // so that step[1] has an effect
  const auto redraw = [steps, step](gridstride::Rng& fresh, gridstride::Redraw& change) {
    const auto size = static_cast<std::int64_t>(step->size());
    const auto count = std::min<std::int64_t>(1000, size - 2);
    const auto first = fresh.uniform<std::int64_t>(2, size - count);
    Floats drawn(static_cast<std::size_t>(count));
    for (float& each : drawn) each = one_of(fresh, {1, -1});
    std::copy(drawn.begin(), drawn.end(), step->begin() + first);
    change.write(0, static_cast<std::uint64_t>(first), drawn);
    (*step)[1] = -(*step)[1];
    change.write(0, 1, Floats{(*step)[1]});
    change.expect(1, [steps, step] {
      steps->step = *step;
      return scanned(Recurrence::linear, *steps, 0);
    });
  };
  return {Suite::call(gridstride::input(step),
                      scanned(Recurrence::linear, *steps, 0).initially(steps->value), n,
                      Recurrence::linear, gridstride::scratch(scratch_bytes(n))),
          3.0 * static_cast<double>(n) * sizeof(float), redraw};
}

template <class Suite>
void define_recurrence(Suite& suite) {
  suite.parameters({"step", "value", "n", "recurrence", "scratch"});
  using Make = Steps (*)(gridstride::Rng&, std::int64_t);
  const auto add = [&suite](const std::string& what, Recurrence recurrence, Make make,
                            std::int64_t n, double operations, std::uint64_t step_offset,
                            std::uint64_t value_offset) {
    suite
        .add(gridstride::named(what, n), n,
             [=](gridstride::Rng& rng) {
               Steps in = make(rng, n);
               gridstride::Output<float> out = scanned(recurrence, in, operations);
               return Suite::call(
                   gridstride::input(std::move(in.step)).at_offset(step_offset),
                   std::move(out).initially(std::move(in.value)).at_offset(value_offset), n,
                   recurrence, gridstride::scratch(scratch_bytes(n)));
             })
        .same_bits();
  };
  const double root = suite.tolerance("depth_root"), depth = suite.tolerance("depth");
  const auto operations = [=](std::int64_t n) {
    return root * std::sqrt(static_cast<double>(n)) + depth;
  };
  constexpr Recurrence linear = Recurrence::linear, highest = Recurrence::highest;
  for (const std::int64_t n :
       {0, 1, 2, 31, 32, 33, 127, 128, 129, 511, 513, 1023, 1024, 1025, 4099, 100003}) {
    add("linear: signs", linear, signs, n, 0, 0, 0);
    add("linear: segments", linear, segments, n, 0, 0, 0);
    add("highest: hills", highest, hills, n, 0, 0, 0);
  }
  for (const std::int64_t n : {1, 33, 1025, 4099}) {
    add("linear: halves", linear, halves, n, 0, 0, 0);
    add("linear: running product", linear, product, n, 0, 0, 0);
    add("linear: decay", linear, decay, n, operations(n), 0, 0);
    add("linear: slow decay", linear, slow_decay, n, operations(n), 0, 0);
    add("highest: running maximum", highest, no_steps, n, 0, 0, 0);
    add("highest: running maximum below zero", highest, below_zero, n, 0, 0, 0);
    add("linear: signs from element 1 and 3,", linear, signs, n, 0, 1, 3);
    add("linear: signs from element 2 and 2,", linear, signs, n, 0, 2, 2);
  }
  constexpr std::int64_t huge = gridstride::beyond_32_bits;
  suite
      .add(gridstride::named("indices of 64 bits", huge), huge,
           [](gridstride::Rng&) {
             return Suite::call(gridstride::absent<float>(huge), gridstride::absent<float>(huge),
                                huge, linear, gridstride::scratch(scratch_bytes(huge)));
           })
      .too_large();
  suite.timing(timed_recurrence<Suite>);
}

}  // namespace scan
