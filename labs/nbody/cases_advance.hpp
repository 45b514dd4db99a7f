// The cases of advance().
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "grader/judge/lab.h"
#include "labs/nbody/galaxies.hpp"
#include "labs/nbody/nbody.h"
#include "labs/nbody/path_check.hpp"

namespace nbody {

/// A disc, moving and tilted.
inline Floats4 disc(Rng& rng, std::int64_t n, float softening) {
  const Disc disc{.n = n, .tilt = 0.7f, .place = {0.5f, -0.25f, 0, 0}, .speed = {0.1f, 0, 0.2f, 0}};
  return disc.draw(softening, [&] { return rng.uniform(0.0, 1.0); });
}

/// A cloud at rest, which falls together.
inline Floats4 cloud_at_rest(Rng& rng, std::int64_t n, float) {
  Floats4 state = cloud(rng, n);
  for (Float4& body : state) body.w /= static_cast<float>(n);
  state.resize(2 * n);
  return state;
}

/// Two equal bodies on one circle, and others of no mass between them.
inline Floats4 double_star(Rng& rng, std::int64_t n, float) {
  Floats4 state = without_mass(rng, n);
  state.resize(2 * n);
  state[0] = {0.5f, 0, 0, 1};
  state[n - 1] = {-0.5f, 0, 0, 1};
  state[n] = {0, 0.70710678f, 0, 0};
  state[2 * n - 1] = {0, -0.70710678f, 0, 0};
  return state;
}

inline std::vector<std::int64_t> all_of(std::int64_t n) {
  std::vector<std::int64_t> all(n);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// What the first wrong value would be if a usual mistake had been made.
inline std::optional<std::string> guess_step(const gridstride::WrongAnswer& wrong) {
  const auto start = wrong.input<Float4>(0), path = wrong.output<Float4>();
  const std::size_t state = start.size(), n = state / 2, k = wrong.first() / state,
                    place = wrong.first() % state, i = place % n;
  const Motion motion{wrong.input<float>(4)[0], wrong.input<float>(5)[0]};
  const auto from = k == 0 ? start : state_of(path, k - 1, state), to = state_of(path, k, state);
  const auto felt = [&](std::span<const Float4> in) {
    return pull_at(exact(in[i]), in.first(n), motion.softening, 0).acceleration;
  };
  const Exact x = exact(from[i]), v = exact(from[n + i]), a = felt(from);
  const Float4 got = to[place];
  // A few roundings of float: neighbouring guesses are only dt^2 a apart.
  const auto is = [&](const Exact& guess) { return near(got, guess, 4 * rounding * guess.norm()); };
  if (place < n && got.w != start[i].w)
    return "w is the mass, and goes with the body: it was " + gridstride::number_text(start[i].w) +
           ".";
  if (place < n) {
    if (is(x + motion.dt * v))
      return "This is x + dt v: Euler's step. The velocity has half a kick first.";
    if (is(x + motion.dt * (v + motion.dt * a)))
      return "The velocity that moves the body had a whole kick; half a one is due.";
    return std::nullopt;
  }
  if (is(v + motion.dt / 2 * a)) return "The second kick of this step is missing.";
  if (is(v + motion.dt * a))
    return "Both kicks used the accelerations of where the step began; the second one is due where "
           "it ended.";
  return std::nullopt;
}

/// A disc, and another one before each call. Four steps, which need five evaluations; of half as
/// many bodies as accelerate() is timed with.
template <class Suite>
gridstride::Timed timed_steps(Rng& rng, std::int64_t size) {
  constexpr float softening = 0.05f, dt = 0.01f;
  constexpr std::int32_t steps = 4;
  const std::int64_t n = size / 2;
  const Motion motion{dt, softening, steps};
  const auto start = std::make_shared<Floats4>(disc(rng, n, softening));
  const auto right = [start, motion, n](const std::vector<std::int64_t>& sample) {
    return gridstride::checked<Float4>(2 * n * steps, [=](auto path) -> Complaints {
      return wrong_step(*start, path, motion, sample);
    });
  };
  gridstride::Timed timed;
  timed.call = Suite::call(gridstride::input(start), right(sample_of(rng, n)), n, steps, dt,
                           softening, gridstride::scratch(scratch_bytes(n)));
  timed.bytes_moved = static_cast<double>(n) * (2 + 2 * steps) * sizeof(Float4);
  timed.redraw = [start, right, n](Rng& fresh, gridstride::Redraw& change) {
    std::ranges::copy(disc(fresh, n, softening), start->begin());
    change.write<Float4>(0, 0, *start);
    change.expect(1, [right, sample = sample_of(fresh, n)] { return right(sample); });
  };
  return timed;
}

template <class Suite>
void define_advance(Suite& suite) {
  suite.parameters({"start", "path", "n", "steps", "dt", "softening", "scratch"});
  using Make = Floats4 (*)(Rng&, std::int64_t, float softening);
  const auto add = [&suite](const std::string& what, Make make, std::int64_t n, std::int32_t steps,
                            float dt, float softening) {
    const std::string name = what + ", steps=" + std::to_string(steps);
    suite
        .add(gridstride::named(name, n), steps == 0 ? 0 : n,  // the size of the result
             [=](Rng& rng) {
               const auto start = std::make_shared<Floats4>(make(rng, n, softening));
               const Motion motion{dt, softening, steps};
               auto check = [=](auto path) -> Complaints {
                 if (steps > 100)
                   if (auto found =
                           not_conserved(*start, path, motion, energy_drift(*start, motion)))
                     return found;
                 return wrong_step(*start, path, motion, all_of(n));
               };
               return Suite::call(gridstride::input(start),
                                  gridstride::checked<Float4>(2 * n * steps, check), n, steps, dt,
                                  softening, gridstride::scratch(scratch_bytes(n)));
             })
        .same_bits();
  };
  for (const std::int64_t n : {0, 1, 2, 31, 32, 33, 255, 257, 1023, 1025}) {
    add("a disc", disc, n, 1, 0.01f, 0.05f);
    add("a disc", disc, n, 2, 0.01f, 0.05f);
  }
  for (const std::int64_t n : {2, 33, 300}) {
    add("a disc", disc, n, 0, 0.01f, 0.05f);
    add("a disc", disc, n, 7, 0.01f, 0.05f);
    add("a cloud at rest", cloud_at_rest, n, 3, 0.02f, 0.1f);
    add("a double star without softening", double_star, n, 5, 0.01f, 0);
    add("steps of 1", cloud_at_rest, n, 2, 1, 0.5f);
  }
  add("energy and momentum of a disc", disc, 48, 200, 0.02f, 0.05f);
  add("energy and momentum of a cloud", cloud_at_rest, 40, 120, 0.02f, 0.2f);
  add("energy and momentum of a double star", double_star, 3, 160, 0.04f, 0);
  suite.timing(timed_steps<Suite>);
  suite.guess(guess_step);
}

}  // namespace nbody
