// The cases of reduce_points, and in double precision what they must give.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "grader/judge/cases/sums.h"
#include "grader/judge/lab.h"
#include "labs/reduction/reduction.h"

namespace reduction {

using Points = std::vector<Point>;

inline std::string to_text(const Point& p) {
  return "(" + gridstride::number_text(p.x) + ", " + gridstride::number_text(p.y) + ", " +
         gridstride::number_text(p.z) + "; " + gridstride::number_text(p.mass) + ")";
}

using Members = std::array<double, 4>;
inline Members members(const Point& p) { return {p.x, p.y, p.z, p.mass}; }
inline Point point(const Members& m) {
  return {static_cast<float>(m[0]), static_cast<float>(m[1]), static_cast<float>(m[2]),
          static_cast<float>(m[3])};
}

inline double squared_distance(const Members& m) { return m[0] * m[0] + m[1] * m[1] + m[2] * m[2]; }

inline Members identity(Operation operation) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  switch (operation) {
    case Operation::min:
      return {infinity, infinity, infinity, infinity};
    case Operation::max:
      return {-infinity, -infinity, -infinity, -infinity};
    case Operation::product:
      return {1, 1, 1, 1};
    default:
      return {0, 0, 0, 0};
  }
}

inline Members combine(Operation operation, const Members& a, const Members& b) {
  if (operation == Operation::farthest) {
    const double far_a = squared_distance(a), far_b = squared_distance(b);
    if (far_a != far_b) return far_a > far_b ? a : b;
    return std::min(a, b);
  }
  Members result{};
  for (std::size_t i = 0; i < result.size(); ++i) {
    switch (operation) {
      case Operation::min:
        result[i] = std::min(a[i], b[i]);
        break;
      case Operation::max:
        result[i] = std::max(a[i], b[i]);
        break;
      case Operation::product:
        result[i] = a[i] * b[i];
        break;
      default:
        result[i] = a[i] + b[i];
    }
  }
  return result;
}

/// What reduce_points() must write, each member within `relative` of it.
inline gridstride::Output<Point> reduced(Operation operation, const Points& points,
                                         double relative) {
  Members result = identity(operation);
  for (const Point& each : points) result = combine(operation, result, members(each));
  return gridstride::accepted<Point>(
      std::vector<Point>{point(result)}, [relative](const Point& got, const Point& expected) {
        const Members g = members(got), e = members(expected);
        for (std::size_t i = 0; i < g.size(); ++i)
          if (!(g[i] == e[i] || std::abs(g[i] - e[i]) <= relative * std::abs(e[i]))) return false;
        return true;
      });
}

template <class Draw>
inline Points drawn(std::int64_t n, Draw draw) {
  Points points(n);
  for (Point& each : points) {
    for (float Point::*member : {&Point::x, &Point::y, &Point::z, &Point::mass})
      each.*member = static_cast<float>(draw());
  }
  return points;
}

inline Points whole_points(gridstride::Rng& rng, std::int64_t n) {
  const std::int64_t largest = gridstride::largest_of(n);
  return drawn(n, [&] { return rng.uniform<std::int64_t>(-largest, largest); });
}

inline Points below_zero(gridstride::Rng& rng, std::int64_t n) {
  return drawn(n, [&] { return rng.uniform(-1.0, -0.5); });
}

inline Points above_zero_points(gridstride::Rng& rng, std::int64_t n) {
  return drawn(n, [&] { return rng.uniform(0.5, 1.0); });
}

/// Twos, halves and signs, few enough that no product of some of them leaves the range of a float.
inline Points powers_of_two(gridstride::Rng& rng, std::int64_t n) {
  Points points = drawn(n, [&] { return rng.uniform<int>(0, 1) == 0 ? 1 : -1; });
  for (std::int64_t i = 0; i < std::min<std::int64_t>(n, 50); ++i) {
    points[i].x *= 2;
    points[i].y *= 0.5f;
    points[n - 1 - i].x *= 0.5f;
    points[n - 1 - i].mass *= 2;
  }
  rng.shuffle(points);
  return points;
}

inline Points near_one(gridstride::Rng& rng, std::int64_t n) {
  const double apart = std::min(0.5, 16.0 / static_cast<double>(std::max<std::int64_t>(n, 1)));
  return drawn(n, [&] { return 1 + rng.uniform(-apart, apart); });
}

/// Few different places, so that many points are equally far, some of them but for their mass.
inline Points lattice(gridstride::Rng& rng, std::int64_t n) {
  return drawn(n, [&] { return rng.uniform<int>(-3, 3); });
}

/// Whose squares are beyond the range of a float, upwards and downwards.
inline Points far_out(gridstride::Rng& rng, std::int64_t n) {
  return drawn(n, [&] { return rng.uniform(-3e38, 3e38); });
}
inline Points close_by(gridstride::Rng& rng, std::int64_t n) {
  return drawn(n, [&] { return rng.uniform(-1e-38, 1e-38); });
}

template <class Suite>
gridstride::Timed timed_points(gridstride::Rng& rng, std::int64_t floats) {
  const std::int64_t n = floats / 4;
  struct State {
    std::shared_ptr<Points> in = std::make_shared<Points>();
    float distance = 2;
  };
  auto state = std::make_shared<State>();
  *state->in = drawn(n, [&] { return rng.uniform(-1.0, 1.0); });
  // A point that is farther than all before it, somewhere.
  const auto redraw = [state](gridstride::Rng& fresh, gridstride::Redraw& change) {
    Points& in = *state->in;
    const auto place = fresh.uniform<std::int64_t>(0, static_cast<std::int64_t>(in.size()) - 1);
    state->distance += 1;
    in[place] = {-state->distance, fresh.uniform<float>(-1, 1), fresh.uniform<float>(-1, 1),
                 fresh.uniform<float>(0, 1)};
    change.write<Point>(0, place, {in[place]});
    const Point farthest = in[place];
    change.expect(1, [farthest] { return reduced(Operation::farthest, {farthest}, 0); });
  };
  return {Suite::call(gridstride::input(state->in), reduced(Operation::farthest, *state->in, 0), n,
                      Operation::farthest, gridstride::scratch(scratch_bytes(n, sizeof(Point)))),
          static_cast<double>(n) * sizeof(Point), redraw};
}

template <class Suite>
void define_points(Suite& suite) {
  suite.parameters({"in", "out", "n", "operation", "scratch"});
  using Make = Points (*)(gridstride::Rng&, std::int64_t);
  const auto add = [&suite](const std::string& what, Operation operation, Make make, std::int64_t n,
                            double relative) {
    suite
        .add(gridstride::named(what, n), n,
             [make, operation, n, relative](gridstride::Rng& rng) {
               Points in = make(rng, n);
               gridstride::Output<Point> out = reduced(operation, in, relative);
               return Suite::call(gridstride::input(std::move(in)), std::move(out), n, operation,
                                  gridstride::scratch(scratch_bytes(n, sizeof(Point))));
             })
        .same_bits();
  };
  for (const std::int64_t n : {0, 1, 31, 32, 33, 1023, 1024, 1025, 4099, 100003}) {
    add("sum of whole numbers", Operation::sum, whole_points, n, 0);
    add("min of numbers above zero", Operation::min, above_zero_points, n, 0);
    add("max of numbers below zero", Operation::max, below_zero, n, 0);
    add("product of powers of two", Operation::product, powers_of_two, n, 0);
    add("farthest of equally far", Operation::farthest, lattice, n, 0);
  }
  for (const std::int64_t n : {1, 1025, 4099}) {
    add("min", Operation::min, whole_points, n, 0);
    add("max", Operation::max, whole_points, n, 0);
    add("product near one", Operation::product, near_one, n,
        gridstride::rounding_bound(static_cast<double>(n), 1));
    add("farthest", Operation::farthest, whole_points, n, 0);
    add("farthest far out", Operation::farthest, far_out, n, 0);
    add("farthest close by", Operation::farthest, close_by, n, 0);
  }
  constexpr std::int64_t huge = gridstride::beyond_32_bits;
  suite
      .add(gridstride::named("indices of 64 bits", huge), huge,
           [](gridstride::Rng&) {
             return Suite::call(gridstride::absent<Point>(huge), gridstride::absent<Point>(1), huge,
                                Operation::sum,
                                gridstride::scratch(scratch_bytes(huge, sizeof(Point))));
           })
      .too_large();
  suite.timing(timed_points<Suite>);
}

}  // namespace reduction
