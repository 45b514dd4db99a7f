// The cases of relax(), whose results are equal bit for bit whoever computes them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "grader/judge/cases/sums.h"
#include "grader/judge/lab.h"
#include "labs/jacobi/jacobi.h"

namespace jacobi {

using gridstride::Floats;
using gridstride::Rng;

struct Size {
  std::int64_t width, height;
  std::int64_t points() const { return width * height; }
};

inline Floats relaxed(Floats points, Size size, int sweeps) {
  Floats next = points;
  const std::int64_t width = size.width;
  for (int k = 0; k < sweeps; ++k) {
    for (std::int64_t y = 1; y < size.height - 1; ++y) {
      const float *here = points.data() + y * width, *above = here - width, *below = here + width;
      float* to = next.data() + y * width;
      for (std::int64_t x = 1; x < width - 1; ++x)
        to[x] = ((here[x - 1] + here[x + 1]) + (above[x] + below[x])) * 0.25f;
    }
    std::swap(points, next);
  }
  return points;
}

/// Whether it is right after another number of sweeps.
inline std::optional<std::string> guess_relax(const gridstride::WrongAnswer& wrong) {
  const auto start = wrong.input<float>(0);
  const Size size{wrong.input<std::int64_t>(2)[0], wrong.input<std::int64_t>(3)[0]};
  const auto sweeps = wrong.input<std::int32_t>(4)[0];
  const auto got = wrong.output<float>();
  if (size.points() > 1 << 16) return std::nullopt;
  for (const int other : {sweeps - 1, sweeps + 1, 0}) {
    if (other < 0 || other == sweeps) continue;
    const Floats then = relaxed(Floats(start.begin(), start.end()), size, other);
    if (std::equal(then.begin(), then.end(), got.begin()))
      return "This is right after " + std::to_string(other) + " sweeps; " + std::to_string(sweeps) +
             " were asked for.";
  }
  const auto i = static_cast<std::int64_t>(wrong.first());
  const std::int64_t x = i % size.width, y = i / size.width;
  if (x == 0 || y == 0 || x == size.width - 1 || y == size.height - 1)
    return "This point is on the border, which keeps its values.";
  return std::nullopt;
}

/// A stretch of the start is another before each call.
template <class Suite>
gridstride::Timed timed_relax(Rng& rng, std::int64_t size) {
  constexpr std::int32_t sweeps = 16;
  constexpr std::int64_t redrawn = 4096;
  const Size grid{size / 2, size / 2};
  const auto start = std::make_shared<Floats>(gridstride::both_signs(rng, grid.points()));
  const auto right = [start, grid] {
    return gridstride::exactly<float>(relaxed(*start, grid, sweeps));
  };
  gridstride::Timed timed;
  timed.call = Suite::call(gridstride::input(start), right(), grid.width, grid.height, sweeps,
                           gridstride::scratch(scratch_bytes(grid.points())));
  timed.bytes_moved = 2.0 * static_cast<double>(grid.points()) * sizeof(float);
  timed.redraw = [start, right](Rng& fresh, gridstride::Redraw& change) {
    const Floats drawn = gridstride::both_signs(fresh, redrawn);
    const auto place =
        fresh.uniform<std::int64_t>(0, static_cast<std::int64_t>(start->size() - drawn.size()));
    std::copy(drawn.begin(), drawn.end(), start->begin() + place);
    change.write(0, place, drawn);
    change.expect(1, right);
  };
  return timed;
}

template <class Suite>
void define_relax(Suite& suite) {
  suite.parameters({"start", "result", "width", "height", "sweeps", "scratch"});
  for (const char* plate : {"start", "result"}) suite.rows(plate, "width");
  const auto add = [&suite](Size size, std::int32_t sweeps, std::uint64_t offset,
                            bool whole = false) {
    std::string name = std::to_string(size.width) + " x " + std::to_string(size.height) +
                       ", sweeps=" + std::to_string(sweeps);
    if (offset != 0) name += ", unaligned";
    if (whole) name += ", whole numbers";
    suite
        .add(std::move(name), size.points(),
             [=](Rng& rng) {
               Floats start = whole ? gridstride::whole_numbers(rng, size.points())
                                    : gridstride::both_signs(rng, size.points());
               auto result = gridstride::exactly<float>(relaxed(start, size, sweeps));
               return Suite::call(gridstride::input(std::move(start)).at_offset(offset),
                                  std::move(result).at_offset(offset), size.width, size.height,
                                  sweeps, gridstride::scratch(scratch_bytes(size.points())));
             })
        .same_bits();
  };
  for (const Size size : {Size{1, 1}, Size{1, 40}, Size{40, 1}, Size{2, 2}, Size{3, 3}, Size{33, 5},
                          Size{5, 33}, Size{64, 64}, Size{65, 63}, Size{127, 130}, Size{200, 97}}) {
    for (const std::int32_t sweeps : {1, 2, 5}) add(size, sweeps, 0);
  }
  for (const std::int32_t sweeps : {0, 3, 4, 7, 8, 9, 16, 17, 33}) add({70, 50}, sweeps, 0);
  for (const Size size : {Size{64, 64}, Size{65, 63}}) add(size, 5, 0, true);
  add({0, 0}, 3, 0);
  add({0, 7}, 3, 0);
  add({66, 35}, 4, 1);
  add({66, 35}, 5, 3);
  add({1, 70000}, 2, 0);
  add({70000, 2}, 2, 0);
  suite.guess(guess_relax);
  static constexpr Size huge{84'001, 84'017};  // see beyond_32_bits
  suite
      .add("indices of 64 bits 84001 x 84017", huge.points(),
           [](Rng&) {
             return Suite::call(gridstride::absent<float>(huge.points()),
                                gridstride::absent<float>(huge.points()), huge.width, huge.height,
                                3, gridstride::scratch(scratch_bytes(huge.points())));
           })
      .too_large();
  suite.timing(timed_relax<Suite>);
}

}  // namespace jacobi
