// The cases of exclusive_scan, and in double precision what they must give.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "grader/judge/cases/sums.h"
#include "grader/judge/lab.h"
#include "labs/scan/scan.h"

namespace scan {

using gridstride::Floats;

/// Of values whose sums are exact in any order.
inline gridstride::Output<float> exact_scan(const Floats& values) {
  Floats expected(values.size());
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    expected[i] = static_cast<float>(sum);
    sum += static_cast<double>(values[i]);
  }
  return gridstride::exactly<float>(std::move(expected));
}

/// Each sum within the contract's bound for itself, when it goes through so many additions.
inline gridstride::Output<float> bounded_scan(const Floats& values, double additions) {
  std::vector<double> expected(values.size()), bounds(values.size());
  double sum = 0, magnitudes = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    expected[i] = sum;
    bounds[i] = gridstride::rounding_bound(additions, magnitudes);
    sum += static_cast<double>(values[i]);
    magnitudes += std::abs(static_cast<double>(values[i]));
  }
  return gridstride::within<float>(std::move(expected), std::move(bounds));
}

/// Whether each output is what `expected(i)` says.
template <class Expected>
bool all_are(const gridstride::WrongAnswer& wrong, Expected expected) {
  const auto got = wrong.output<float>();
  for (std::size_t i = 0; i < got.size(); ++i)
    if (static_cast<double>(got[i]) != expected(i)) return false;
  return true;
}

/// Scans whose sections are right, but not put together. Looks only at inputs whose sums are exact.
inline std::optional<std::string> guess_sections(const gridstride::WrongAnswer& wrong) {
  if (wrong.case_name.rfind("whole", 0) != 0) return std::nullopt;
  const auto in = wrong.input<float>(0);
  std::vector<double> before(in.size() + 1);
  for (std::size_t i = 0; i < in.size(); ++i)
    before[i + 1] = before[i] + static_cast<double>(in[i]);

  if (all_are(wrong, [&](std::size_t i) { return before[i + 1]; }))
    return "This is the inclusive scan: in[i] is in out[i] already. The exclusive one begins with "
           "0, and everything stands one place further on.";
  for (std::size_t tile = 2; tile <= 65536 && tile < in.size(); tile *= 2) {
    const auto start = [tile](std::size_t i) { return i - i % tile; };
    if (all_are(wrong, [&](std::size_t i) { return before[i] - before[start(i)]; }))
      return "Every run of " + std::to_string(tile) +
             " elements is scanned right, but starts from 0: what stands before the run is not "
             "added.";
    const auto one_before = [&](std::size_t i) {
      return before[i] - (start(i) < tile ? 0 : before[start(i) - tile]);
    };
    if (all_are(wrong, one_before))
      return "To every run of " + std::to_string(tile) +
             " elements the sum of the one run before it is added, not of all runs before it: the "
             "runs' sums have to be scanned, too.";
  }
  return std::nullopt;
}

template <class Suite>
gridstride::Timed timed_scan(gridstride::Rng& rng, std::int64_t n) {
  auto in = std::make_shared<Floats>(gridstride::whole_numbers(rng, n));
  // The first element is in all sums; a thousand others are somewhere.
  const auto redraw = [in](gridstride::Rng& fresh, gridstride::Redraw& change) {
    const auto size = static_cast<std::int64_t>(in->size());
    const auto count = std::min<std::int64_t>(1000, size);
    const auto first = fresh.uniform<std::int64_t>(0, size - count);
    const auto largest = gridstride::largest_of(size);
    Floats values = gridstride::whole_numbers_to(fresh, count, largest);
    std::copy(values.begin(), values.end(), in->begin() + first);
    change.write(0, static_cast<std::uint64_t>(first), values);
    (*in)[0] =
        (*in)[0] > 0 ? -(*in)[0] : static_cast<float>(fresh.uniform<std::int64_t>(1, largest));
    change.write(0, 0, Floats{(*in)[0]});
    change.expect(1, [in] { return exact_scan(*in); });
  };
  return {
      Suite::call(gridstride::input(in), exact_scan(*in), n, gridstride::scratch(scratch_bytes(n))),
      2.0 * static_cast<double>(n) * sizeof(float), redraw};
}

template <class Suite>
void define_sums(Suite& suite) {
  suite.parameters({"in", "out", "n", "scratch"});
  using Make = Floats (*)(gridstride::Rng&, std::int64_t);
  const auto exact = [&suite](const std::string& what, Make make, std::int64_t n,
                              std::uint64_t in_offset, std::uint64_t out_offset) {
    suite
        .add(gridstride::named(what, n), n,
             [make, n, in_offset, out_offset](gridstride::Rng& rng) {
               Floats in = make(rng, n);
               gridstride::Output<float> out = exact_scan(in);
               return Suite::call(gridstride::input(std::move(in)).at_offset(in_offset),
                                  std::move(out).at_offset(out_offset), n,
                                  gridstride::scratch(scratch_bytes(n)));
             })
        .same_bits();
  };
  const double root = suite.tolerance("depth_root"), depth = suite.tolerance("depth");
  const auto bounded = [&](const std::string& what, Make make, std::int64_t n) {
    const double additions = root * std::sqrt(static_cast<double>(n)) + depth;
    suite
        .add(gridstride::named(what, n), n,
             [make, n, additions](gridstride::Rng& rng) {
               Floats in = make(rng, n);
               gridstride::Output<float> out = bounded_scan(in, additions);
               return Suite::call(gridstride::input(std::move(in)), std::move(out), n,
                                  gridstride::scratch(scratch_bytes(n)));
             })
        .same_bits();
  };

  for (const std::int64_t n : gridstride::edge_sizes())
    exact("whole numbers", gridstride::whole_numbers, n, 0, 0);
  constexpr std::pair<std::uint64_t, std::uint64_t> offsets[] = {{1, 0}, {0, 3}, {2, 2}, {3, 1}};
  for (const auto& [in_offset, out_offset] : offsets) {
    const std::string what = "whole numbers from element " + std::to_string(in_offset) + " to " +
                             std::to_string(out_offset) + ",";
    for (const std::int64_t n : {1, 3, 4, 5, 1025, 60007})
      exact(what, gridstride::whole_numbers, n, in_offset, out_offset);
  }
  for (const std::int64_t n : {1, 1025, 65537}) {
    exact("denormal", gridstride::denormal, n, 0, 0);
    bounded("both signs", gridstride::both_signs, n);
    bounded("above zero", gridstride::above_zero, n);
    bounded("all equal", gridstride::all_equal, n);
    bounded("sorted", gridstride::sorted, n);
    bounded("reversed", gridstride::reversed, n);
    bounded("huge", gridstride::huge, n);
    bounded("cancelling", gridstride::cancelling, n);
  }
  for (const std::int64_t n : {33, 1025, 65537}) bounded("climbing", gridstride::climbing, n);
  constexpr std::int64_t large = 1'050'007;  // more than 1024 sections of 1024
  exact("one of many", gridstride::one_of_many, 65537, 0, 0);
  bounded("both signs", gridstride::both_signs, large);
  exact("whole numbers", gridstride::whole_numbers, large, 0, 0);
  constexpr std::int64_t huge = gridstride::beyond_32_bits;
  suite
      .add(gridstride::named("indices of 64 bits", huge), huge,
           [](gridstride::Rng&) {
             return Suite::call(gridstride::absent<float>(huge), gridstride::absent<float>(huge),
                                huge, gridstride::scratch(scratch_bytes(huge)));
           })
      .too_large();
  suite.guess(guess_sections);
  suite.timing(timed_scan<Suite>);
}

}  // namespace scan
