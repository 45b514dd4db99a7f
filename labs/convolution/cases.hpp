// The cases of both functions, which differ in their filters alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "labs/convolution/guesses.hpp"
#include "labs/convolution/inputs.hpp"

namespace convolution {

/// A function of the contract, as the cases see it: how taps are drawn, which filter they make, how
/// they are given.
struct Square {
  static constexpr MakeFloats whole = whole_taps;
  static constexpr int timed_size = 9;
  static constexpr int products = 0;  ///< operations more than one for each tap
  static constexpr std::size_t border_parameter = 6;
  static std::int64_t taps(int size) { return std::int64_t{size} * size; }
  static Filter filter(const Floats& taps) { return square(taps); }
  static Filter given_filter(const gridstride::WrongAnswer& wrong) {
    const auto taps = wrong.input<float>(4);
    return square({taps.begin(), taps.end()});
  }
  static Floats exact(const Picture& in, const Floats& taps, Border border) {
    return sums_of<float>(in, filter(taps), border, all_of(in));
  }
  template <class Suite, class In, class Out>
  static gridstride::Call call(In in, Out out, const Picture& picture, const Floats& taps,
                               Border border, std::uint64_t offset) {
    return Suite::call(std::move(in), std::move(out), picture.width, picture.height,
                       gridstride::input(taps).at_offset(offset), filter(taps).columns, border,
                       gridstride::scratch(scratch_bytes(picture.width, picture.height)));
  }
};

struct Separable {
  static constexpr MakeFloats whole = small_taps;
  static constexpr int timed_size = 17;
  static constexpr int products = 1;
  static constexpr std::size_t border_parameter = 7;
  static std::int64_t taps(int size) { return 2 * std::int64_t{size}; }
  static Floats x(const Floats& taps) { return {taps.begin(), taps.begin() + taps.size() / 2}; }
  static Floats y(const Floats& taps) { return {taps.begin() + taps.size() / 2, taps.end()}; }
  static Filter filter(const Floats& taps) { return product(x(taps), y(taps)); }
  static Filter given_filter(const gridstride::WrongAnswer& wrong) {
    const auto along_x = wrong.input<float>(4), along_y = wrong.input<float>(5);
    return product({along_x.begin(), along_x.end()}, {along_y.begin(), along_y.end()});
  }
  static Floats exact(const Picture& in, const Floats& taps, Border border) {
    const int size = static_cast<int>(taps.size() / 2);
    Picture rows = in;
    rows.pixels = std::make_shared<Floats>(
        sums_of<float>(in, filter_of(size, 1, x(taps)), border, all_of(in)));
    return sums_of<float>(rows, filter_of(1, size, y(taps)), border, all_of(in));
  }
  template <class Suite, class In, class Out>
  static gridstride::Call call(In in, Out out, const Picture& picture, const Floats& taps,
                               Border border, std::uint64_t offset) {
    return Suite::call(std::move(in), std::move(out), picture.width, picture.height,
                       gridstride::input(x(taps)).at_offset(offset), gridstride::input(y(taps)),
                       static_cast<int>(taps.size() / 2), border,
                       gridstride::scratch(scratch_bytes(picture.width, picture.height)));
  }
};

/// What a case is made from.
struct Case {
  int width = 0, height = 0, size = 1;
  Border border = Border::zero;
  MakeFloats pixels = greys;
  MakeFloats taps = nullptr;  ///< whole numbers, of the function's range
  std::uint64_t offset = 0;   ///< of all pointers, in elements past an aligned address
};

inline std::string text(const Case& c) {
  return std::to_string(c.width) + " x " + std::to_string(c.height) + ", filter " +
         std::to_string(c.size) + (c.border == Border::zero ? ", zero" : ", clamp");
}

/// Calls add(what, case) for each; `add` gives inexact ones their bound.
template <class Add>
void for_each_case(Add add) {
  // First one that fills tiles, with a filter that is neither large nor symmetric.
  for (const Border border : {Border::zero, Border::clamp}) {
    add("greys", Case{130, 70, 5, border});
    // Images around warps, tiles and strips, odd and even.
    const struct {
      int width, height, size;
    } shapes[] = {{1, 2, 3},   {2, 1, 3},    {1, 67, 8},   {67, 1, 8},   {31, 33, 3},  {32, 32, 8},
                  {33, 31, 3}, {64, 8, 8},   {127, 5, 3},  {128, 16, 8}, {129, 17, 3}, {256, 64, 8},
                  {257, 9, 3}, {23, 257, 8}, {516, 12, 3}, {521, 13, 8}};
    for (const auto& shape : shapes)
      add("greys", Case{shape.width, shape.height, shape.size, border});
    // Smaller than the filter, in one direction or both.
    add("greys", Case{1, 1, 33, border});
    add("greys", Case{5, 4, 33, border});
    add("greys", Case{40, 3, 17, border});
    add("greys", Case{2, 50, 21, border});
    add("greys", Case{16, 16, 32, border});
    add("one grey", Case{70, 40, 7, border, one_grey});
    add("one of many", Case{100, 60, 9, border, gridstride::one_of_many});
    for (const std::uint64_t offset : {1, 2, 3})
      add("greys from element " + std::to_string(offset) + ",",
          Case{132, 20, 6, border, greys, nullptr, offset});
    for (const int size : {2, 9, 17}) {
      add("both signs", Case{75, 50, size, border, gridstride::both_signs, gridstride::both_signs});
      add("above zero", Case{75, 50, size, border, gridstride::above_zero, gridstride::above_zero});
      add("edges", Case{75, 50, size, border, edges, edges});
      add("all magnitudes", Case{75, 50, size, border, all_magnitudes, all_magnitudes});
    }
  }
  for (int size = 1; size <= largest_filter; ++size)
    add("greys", Case{33, 18, size, size / 2 % 2 ? Border::clamp : Border::zero});
  for (const auto& [width, height] : {std::pair{0, 0}, {0, 7}, {7, 0}})
    add("nothing", Case{width, height, 3});
  add("greys", Case{641, 359, 4, Border::clamp});
}

template <class Job, class Suite>
gridstride::Call call_of(const Case& c, Rng& rng) {
  const std::int64_t n = std::int64_t{c.width} * c.height;
  const Picture in{c.width, c.height, std::make_shared<Floats>(c.pixels(rng, n))};
  const Floats taps = (c.taps ? c.taps : Job::whole)(rng, Job::taps(c.size));
  const auto out = [&]() -> gridstride::Output<float> {
    if (!c.taps) return gridstride::exactly<float>(Job::exact(in, taps, c.border));
    const Filter filter = Job::filter(taps);
    const auto sums = sums_of<double>(in, filter, c.border, all_of(in));
    const Picture sizes{c.width, c.height, std::make_shared<Floats>(magnitudes_of(*in.pixels))};
    Filter of_taps = filter;
    of_taps.taps = magnitudes_of(filter.taps);
    auto bounds = sums_of<double>(sizes, of_taps, c.border, all_of(in));
    for (double& bound : bounds)
      bound = gridstride::rounding_bound(c.size * c.size + Job::products, bound);
    return gridstride::within<float>(sums, bounds);
  };
  return Job::template call<Suite>(gridstride::input(in.pixels).at_offset(c.offset),
                                   out().at_offset(c.offset), in, taps, c.border, c.offset);
}

/// A square image of `side` rows, of which a piece of a row is drawn anew before each launch.
template <class Job, class Suite>
gridstride::Timed timed(Rng& rng, std::int64_t side) {
  struct State {
    Picture in;
    Floats taps, out;
  };
  const auto state = std::make_shared<State>();
  Picture& in = state->in;
  in.width = in.height = static_cast<int>(side);
  in.pixels = std::make_shared<Floats>(greys(rng, side * side));
  state->taps = Job::whole(rng, Job::taps(Job::timed_size));
  state->out = Job::exact(in, state->taps, Border::clamp);

  gridstride::Timed timed;
  timed.call = Job::template call<Suite>(gridstride::input(in.pixels),
                                         gridstride::exactly<float>(state->out), in, state->taps,
                                         Border::clamp, 0);
  timed.bytes_moved = 2.0 * static_cast<double>(in.size()) * sizeof(float);
  timed.redraw = [state](Rng& fresh, gridstride::Redraw& change) {
    Picture& image = state->in;
    const int count = std::min(1000, image.width);
    const int left = fresh.uniform<int>(0, image.width - count);
    const int top = fresh.uniform<int>(0, image.height - 1);
    const std::size_t first = static_cast<std::size_t>(top) * image.width + left;
    Floats values = greys(fresh, count);
    // The middle one differs from before, so the result does, whatever was drawn.
    const std::size_t middle = first + count / 2;
    if (values[count / 2] == (*image.pixels)[middle]) values[count / 2] = 256;
    std::copy(values.begin(), values.end(), image.pixels->begin() + first);

    const int reach = Job::timed_size;
    const Area area{std::max(0, left - reach), std::max(0, top - reach),
                    std::min(image.width, left + count + reach),
                    std::min(image.height, top + reach + 1)};
    const Floats sums = sums_of<float>(image, Job::filter(state->taps), Border::clamp, area);
    const int columns = area.right - area.left;
    for (int y = area.top; y < area.bottom; ++y)
      std::copy_n(sums.begin() + (y - area.top) * columns, columns,
                  state->out.begin() + static_cast<std::size_t>(y) * image.width + area.left);
    change.write<float>(0, first, values);
    change.expect(1, [state] { return gridstride::exactly<float>(state->out); });
  };
  return timed;
}

template <class Job, class Suite>
void define(Suite& suite) {
  for_each_case([&suite](const std::string& what, const Case& c) {
    suite
        .add(what + " " + text(c), static_cast<std::int64_t>(c.width) * c.height,
             [c](Rng& rng) { return call_of<Job, Suite>(c, rng); })
        .same_bits();
  });
  // The number of the last pixel fits no int; a row is a prime.
  constexpr int width = 65521, height = 65519;
  constexpr std::int64_t pixels = std::int64_t{width} * height;
  suite
      .add("indices of 64 bits 65521 x 65519", pixels,
           [](Rng& rng) {
             const Picture in{width, height, nullptr};
             return Job::template call<Suite>(
                 gridstride::absent<float>(pixels), gridstride::absent<float>(pixels), in,
                 Job::whole(rng, Job::taps(Job::timed_size)), Border::clamp, 0);
           })
      .too_large();
  suite.guess(guess<Job>);
  suite.timing([](Rng& rng, std::int64_t side) { return timed<Job, Suite>(rng, side); });
}

}  // namespace convolution
