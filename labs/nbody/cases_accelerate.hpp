// The cases of accelerate().
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
#include "labs/nbody/exact.hpp"
#include "labs/nbody/galaxies.hpp"
#include "labs/nbody/nbody.h"

namespace nbody {

using gridstride::Rng;

inline std::string to_text(const Float4& v) {
  using gridstride::number_text;
  return "(" + number_text(v.x) + ", " + number_text(v.y) + ", " + number_text(v.z) + "; " +
         number_text(v.w) + ")";
}

inline std::string to_text(const Exact& v) {
  using gridstride::number_text;
  return "(" + number_text(v.x) + ", " + number_text(v.y) + ", " + number_text(v.z) + ")";
}

inline std::string to_text(const Pull& pull) {
  return to_text(pull.acceleration) + " within " + gridstride::number_text(pull.bound);
}

/// Whether each component of `got` is within `bound`; false for NaN.
inline bool near(const Float4& got, const Exact& expected, double bound) {
  return (exact(got) - expected).below(bound);
}

inline Floats4 drawn(Rng& rng, std::int64_t n, float range, float mass) {
  Floats4 bodies(n);
  for (Float4& body : bodies)
    body = {rng.uniform(-range, range), rng.uniform(-range, range), rng.uniform(-range, range),
            rng.uniform(mass / 4, mass)};
  return bodies;
}

inline Floats4 cloud(Rng& rng, std::int64_t n) { return drawn(rng, n, 1, 1); }
/// In a box as large as allowed, with masses as large as allowed.
inline Floats4 far_and_heavy(Rng& rng, std::int64_t n) {
  return drawn(rng, n, 0x1p20f, 0x1p20f / static_cast<float>(std::max<std::int64_t>(n, 1)));
}
/// 2^-20 apart and more, masses from 2^-40.
inline Floats4 close_and_light(Rng& rng, std::int64_t n) {
  Floats4 bodies = drawn(rng, n, 1, 0x1p-38f);
  for (Float4& body : bodies) {
    body.x = static_cast<float>(rng.uniform<int>(0, 40)) * 0x1p-20f;
    body.y = static_cast<float>(rng.uniform<int>(0, 40)) * 0x1p-20f;
    body.z = static_cast<float>(rng.uniform<int>(0, 40)) * 0x1p-20f;
  }
  return bodies;
}
/// Few places, many bodies at each of them.
inline Floats4 at_few_places(Rng& rng, std::int64_t n) {
  Floats4 bodies = drawn(rng, n, 1, 1);
  for (Float4& body : bodies) {
    body.x = static_cast<float>(rng.uniform<int>(-1, 1));
    body.y = static_cast<float>(rng.uniform<int>(-1, 1));
    body.z = 0;
  }
  return bodies;
}
inline Floats4 without_mass(Rng& rng, std::int64_t n) {
  Floats4 bodies = cloud(rng, n);
  for (Float4& body : bodies) body.w = 0;
  return bodies;
}
/// Only one pulls: whoever leaves it out, or counts it twice, is far off.
inline Floats4 one_with_mass(Rng& rng, std::int64_t n) {
  Floats4 bodies = without_mass(rng, n);
  bodies[rng.uniform<std::int64_t>(0, n - 1)].w = 1;
  return bodies;
}
inline Floats4 last_with_mass(Rng& rng, std::int64_t n) {
  Floats4 bodies = without_mass(rng, n);
  bodies.back().w = 1;
  return bodies;
}

inline gridstride::Output<Float4> pulled(const Floats4& bodies, float softening) {
  const double roundings = nbody::roundings(bodies);
  std::vector<Pull> expected;
  expected.reserve(bodies.size());
  for (const Float4& body : bodies)
    expected.push_back(pull_at(exact(body), bodies, softening, roundings));
  return gridstride::accepted<Float4>(
      std::move(expected), [](const Float4& got, const Pull& right) {
        return got.w == 0 && near(got, right.acceleration, right.bound);
      });
}

/// Holds some of the bodies, which nobody outside can tell, to the bound, and all to being written.
/// All bodies pull at each of them all the same.
inline gridstride::Output<Float4> pulled_sample(const Floats4& bodies, float softening,
                                                std::vector<std::int64_t> sample) {
  const double roundings = nbody::roundings(bodies);
  std::vector<Pull> expected;
  for (const std::int64_t i : sample)
    expected.push_back(pull_at(exact(bodies[i]), bodies, softening, roundings));
  return gridstride::checked<Float4>(
      bodies.size(),
      [expected = std::move(expected),
       sample = std::move(sample)](auto got) -> std::optional<gridstride::Complaint> {
        for (std::size_t k = 0; k < sample.size(); ++k) {
          const auto i = static_cast<std::uint64_t>(sample[k]);
          if (!near(got[i], expected[k].acceleration, expected[k].bound))
            return gridstride::Complaint{i, to_text(expected[k])};
        }
        for (std::uint64_t i = 0; i < got.size(); ++i)
          if (!(std::isfinite(exact(got[i]).norm()) && got[i].w == 0))
            return gridstride::Complaint{i, "an acceleration, with w = 0"};
        return std::nullopt;
      });
}

inline std::vector<std::int64_t> sample_of(Rng& rng, std::int64_t n) {
  std::vector<std::int64_t> sample(64);
  for (std::int64_t& i : sample) i = rng.uniform<std::int64_t>(0, n - 1);
  return sample;
}

/// What the first wrong body would feel if a usual mistake had been made.
inline std::optional<std::string> guess_pull(const gridstride::WrongAnswer& wrong) {
  const auto bodies = wrong.input<Float4>(0);
  const auto softening = static_cast<double>(wrong.input<float>(3)[0]);
  const Float4 here = bodies[wrong.first()], got = wrong.output<Float4>()[wrong.first()];
  const auto felt = [&](std::size_t count, double soft, double (*strength)(double square)) {
    Exact sum;
    for (const Float4& body : bodies.first(count)) {
      const Exact d = exact(body) - exact(here);
      const double square = d.x * d.x + d.y * d.y + d.z * d.z;
      if (square != 0) sum = sum + body.w * strength(square + soft) * d;
    }
    return sum;
  };
  const auto cube = [](double square) { return 1 / (square * std::sqrt(square)); };
  const double soft = softening * softening;
  const auto is = [&](const Exact& guess) { return near(got, guess, 1e-3 * guess.norm()); };
  const Exact right = felt(bodies.size(), soft, cube);
  if (std::isnan(exact(got).norm()))
    return "0 times infinity is NaN. At which distance is a body from itself, and what stands "
           "under the root when softening is 0?";
  if (is(-1.0 * right)) return "This is the acceleration with its sign turned: d is theirs - mine.";
  if (is(felt(bodies.size() / 256 * 256, soft, cube)))
    return "This is the pull of the whole tiles of 256 alone; the bodies of the last tile are "
           "missing.";
  if (is(felt(bodies.size(), softening, cube)))
    return "This is softening added as it is; the formula has its square.";
  if (is(felt(bodies.size(), soft, [](double square) { return 1 / square; })))
    return "This is divided by the square of the distance: d has a length of its own, so it takes "
           "the cube.";
  return std::nullopt;
}

/// A cloud, and another one before each call. All of it: a result to which one body's share is
/// added and another's taken away would be right, and in no time.
template <class Suite>
gridstride::Timed timed_pull(Rng& rng, std::int64_t n) {
  constexpr float softening = 0.05f;
  const auto bodies = std::make_shared<Floats4>(cloud(rng, n));
  gridstride::Timed timed;
  timed.call =
      Suite::call(gridstride::input(bodies), pulled_sample(*bodies, softening, sample_of(rng, n)),
                  n, softening, gridstride::scratch(scratch_bytes(n)));
  timed.bytes_moved = static_cast<double>(n) * 2 * sizeof(Float4);
  timed.redraw = [bodies, n](Rng& fresh, gridstride::Redraw& change) {
    std::ranges::copy(cloud(fresh, n), bodies->begin());
    change.write<Float4>(0, 0, *bodies);
    change.expect(1, [bodies, sample = sample_of(fresh, n)] {
      return pulled_sample(*bodies, softening, sample);
    });
  };
  return timed;
}

template <class Suite>
void define_accelerate(Suite& suite) {
  suite.parameters({"bodies", "acceleration", "n", "softening", "scratch"});
  using Make = Floats4 (*)(Rng&, std::int64_t);
  const auto add = [&suite](const std::string& what, Make make, std::int64_t n, float softening) {
    suite
        .add(gridstride::named(what, n), n,
             [make, n, softening](Rng& rng) {
               Floats4 bodies = make(rng, n);
               auto out = pulled(bodies, softening);
               return Suite::call(gridstride::input(std::move(bodies)), std::move(out), n,
                                  softening, gridstride::scratch(scratch_bytes(n)));
             })
        .same_bits();
  };
  for (const std::int64_t n : {0, 1, 2, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 1531}) {
    add("a cloud", cloud, n, 0.05f);
    if (n > 0) add("only one has mass", one_with_mass, n, 0.05f);
    if (n > 0) add("only the last has mass", last_with_mass, n, 0);
  }
  for (const std::int64_t n : {2, 33, 257, 1025}) {
    add("a cloud without softening", cloud, n, 0);
    add("many at one place, without softening", at_few_places, n, 0);
    add("many at one place", at_few_places, n, 0.5f);
    add("far and heavy", far_and_heavy, n, 0x1p10f);
    add("close and light", close_and_light, n, 0);
    add("strong softening", cloud, n, 0x1p20f);
    add("none has mass", without_mass, n, 0.05f);
  }
  // So many that a part of them, however a grid that fills the device is cut, takes a second tile.
  add("a cloud", cloud, 6000, 0.05f);
  suite.timing(timed_pull<Suite>);
  suite.guess(guess_pull);
}

}  // namespace nbody
