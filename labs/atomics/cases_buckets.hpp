// The cases of farthest_in_buckets().
#pragma once

#include <algorithm>
#include <array>
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
#include "labs/atomics/atomics.h"

namespace atomics {

using gridstride::Rng;
using Points = std::vector<Point>;
using Buckets = std::vector<std::uint32_t>;

inline std::string to_text(const Point& p) {
  return "(" + gridstride::number_text(p.x) + ", " + gridstride::number_text(p.y) + ", " +
         gridstride::number_text(p.z) + "; " + gridstride::number_text(p.mass) + ")";
}

inline std::array<float, 4> members(const Point& p) { return {p.x, p.y, p.z, p.mass}; }

inline double squared_distance(const Point& p) {
  const double x = p.x, y = p.y, z = p.z;
  return x * x + y * y + z * z;
}

/// Whether `a` is to stand in a bucket rather than `b`.
inline bool beats(const Point& a, const Point& b) {
  const double far_a = squared_distance(a), far_b = squared_distance(b);
  return far_a != far_b ? far_a > far_b : members(a) < members(b);
}

inline Points farthest(const Points& points, const Buckets& bucket, std::int32_t buckets) {
  Points result(buckets, Point{0, 0, 0, 0});
  std::vector<bool> filled(buckets, false);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::uint32_t b = bucket[i];
    if (!filled[b] || beats(points[i], result[b])) result[b] = points[i];
    filled[b] = true;
  }
  return result;
}

inline gridstride::Output<Point> exactly_points(Points expected) {
  return gridstride::accepted<Point>(std::move(expected), [](const Point& got, const Point& right) {
    return members(got) == members(right);
  });
}

template <class Draw>
Points drawn(std::int64_t n, Draw draw) {
  Points points(n);
  for (Point& each : points) {
    for (float Point::*member : {&Point::x, &Point::y, &Point::z, &Point::mass})
      each.*member = static_cast<float>(draw());
  }
  return points;
}

inline Points cloud(Rng& rng, std::int64_t n) {
  return drawn(n, [&] { return rng.uniform(-1.0, 1.0); });
}
/// Few places, so that many points are equally far, some of them different in their mass alone.
inline Points lattice(Rng& rng, std::int64_t n) {
  return drawn(n, [&] { return rng.uniform<int>(-2, 2); });
}
/// Squares beyond the range of a float, upwards and downwards.
inline Points far_out(Rng& rng, std::int64_t n) {
  return drawn(n, [&] { return rng.uniform(-3e38, 3e38); });
}
inline Points close_by(Rng& rng, std::int64_t n) {
  return drawn(n, [&] { return rng.uniform(-1e-38, 1e-38); });
}
/// Distances that a float does not tell apart.
inline Points nearly_equal(Rng& rng, std::int64_t n) {
  return drawn(n, [&] { return 1000 + rng.uniform<int>(-2, 2) * 0x1p-14; });
}
inline Points at_origin(Rng& rng, std::int64_t n) {
  Points points(n, Point{0, 0, 0, 0});
  for (Point& each : points) each.mass = rng.uniform<float>(1, 2);
  return points;
}
/// Each farther than the one before: whoever comes replaces what is there.
inline Points outwards(Rng& rng, std::int64_t n) {
  Points points = cloud(rng, n);
  std::sort(points.begin(), points.end(),
            [](const Point& a, const Point& b) { return beats(b, a); });
  return points;
}

inline std::optional<std::string> guess_bucket(const gridstride::WrongAnswer& wrong) {
  const auto points = wrong.input<Point>(0);
  const auto bucket = wrong.input<std::uint32_t>(1);
  const std::uint64_t b = wrong.first();
  const Point got = wrong.output<Point>()[b];
  const std::string name = "bucket " + std::to_string(b);
  if (std::count(bucket.begin(), bucket.end(), b) == 0)
    return "No point is in " + name + ", so {0, 0, 0, 0} stands there. Who writes it?";
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (members(points[i]) != members(got)) continue;
    if (bucket[i] != b) return "This point is in bucket " + std::to_string(bucket[i]) + ".";
    return "This is a point of " + name +
           ", but another beats it: its update was lost, the two "
           "were compared in float, or of two equally far the wrong one stayed.";
  }
  return "No point is like this: two threads changed the bucket at once, or nobody did.";
}

/// A cloud in 64 buckets; before each call one bucket gets a point farther than all before.
template <class Suite>
gridstride::Timed timed_buckets(Rng& rng, std::int64_t floats) {
  constexpr std::int32_t buckets = 64;
  const std::int64_t n = floats / 4;
  struct State {
    std::shared_ptr<Points> points = std::make_shared<Points>();
    std::shared_ptr<Buckets> bucket = std::make_shared<Buckets>();
    Points result;
    float distance = 2;
  };
  const auto state = std::make_shared<State>();
  *state->points = cloud(rng, n);
  *state->bucket = rng.uniform<std::uint32_t>(n, 0, buckets - 1);
  state->result = farthest(*state->points, *state->bucket, buckets);
  gridstride::Timed timed;
  timed.call =
      Suite::call(gridstride::input(state->points), gridstride::input(state->bucket),
                  exactly_points(state->result), n, buckets, gridstride::scratch(scratch_bytes()));
  timed.bytes_moved = static_cast<double>(n) * (sizeof(Point) + sizeof(std::uint32_t));
  timed.redraw = [state, n](Rng& fresh, gridstride::Redraw& change) {
    const auto place = fresh.uniform<std::int64_t>(0, n - 1);
    state->distance += 1;
    const Point point = {-state->distance, fresh.uniform<float>(-1, 1), fresh.uniform<float>(-1, 1),
                         fresh.uniform<float>(0, 1)};
    (*state->points)[place] = point;
    state->result[(*state->bucket)[place]] = point;
    change.write<Point>(0, place, {point});
    change.expect(2, [state] { return exactly_points(state->result); });
  };
  return timed;
}

template <class Suite>
void define_buckets(Suite& suite) {
  suite.parameters({"points", "bucket", "farthest", "n", "buckets", "scratch"});
  using Make = Points (*)(Rng&, std::int64_t);
  const auto add = [&suite](const std::string& what, Make make, std::int64_t n,
                            std::int32_t buckets) {
    const std::string name = what + " in " + std::to_string(buckets) + ",";
    suite.add(gridstride::named(name, n), n, [make, n, buckets](Rng& rng) {
      Points points = make(rng, n);
      Buckets bucket = rng.uniform<std::uint32_t>(n, 0, static_cast<std::uint32_t>(buckets) - 1);
      auto out = exactly_points(farthest(points, bucket, buckets));
      return Suite::call(gridstride::input(std::move(points)), gridstride::input(std::move(bucket)),
                         std::move(out), n, buckets, gridstride::scratch(scratch_bytes()));
    });
  };
  for (const std::int64_t n : {0, 1, 2, 31, 32, 33, 255, 257, 1023, 1024, 1025, 4099}) {
    add("a cloud", cloud, n, 1);
    add("a cloud", cloud, n, 7);
    add("a cloud", cloud, n, 1000);
  }
  for (const std::int64_t n : {33, 1025, 20011}) {
    add("points equally far", lattice, n, 3);
    add("points far out", far_out, n, 64);
    add("points close by", close_by, n, 64);
    add("points that a float does not tell apart", nearly_equal, n, 5);
    // All of them come for the lock, which takes time with the square of n.
    add("points at the origin", at_origin, std::min<std::int64_t>(n, 4099), 64);
    add("each farther than the one before", outwards, n, 2);
  }
  add("a cloud", cloud, 20011, most_buckets);
  add("a cloud", cloud, 100003, 64);
  suite.guess(guess_bucket);
  suite
      .add(gridstride::named("the most points", gridstride::most_unsigned),
           gridstride::most_unsigned,
           [](Rng&) {
             return Suite::call(gridstride::absent<Point>(gridstride::most_unsigned),
                                gridstride::absent<std::uint32_t>(gridstride::most_unsigned),
                                gridstride::absent<Point>(1000), gridstride::most_unsigned, 1000,
                                gridstride::scratch(scratch_bytes()));
           })
      .too_large();
  suite.timing(timed_buckets<Suite>);
}

}  // namespace atomics
