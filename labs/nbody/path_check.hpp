// Holds a path of advance() to the contract: each step to the one before, energy and momentum to
// the start.
//
// A wrong position after a hundred steps says nothing: in such a system, errors grow by themselves
// until two right programs have nothing in common. So each step is judged from where the path
// itself says that it began.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "grader/judge/lab.h"
#include "labs/nbody/cases_accelerate.hpp"
#include "labs/nbody/exact.hpp"

namespace nbody {

struct Motion {
  double dt = 0, softening = 0;
  std::int32_t steps = 0;
};

/// What body i does in a step from the state `from`, and how far rounding may lead it astray.
class Step {
 public:
  Step(std::span<const Float4> from, std::size_t i, const Motion& motion)
      : motion_(motion), roundings_(roundings(from.first(from.size() / 2))), i_(i) {
    const auto bodies = from.first(from.size() / 2);
    const Exact x = exact(bodies[i]), v = exact(from[bodies.size() + i]);
    const double half = motion.dt / 2;
    const Pull pull = pull_at(x, bodies, motion.softening, roundings_);
    kicked_ = v + half * pull.acceleration;
    kicked_bound_ = half * pull.bound + of_product(v.norm() + half * pull.acceleration.norm());
    position = x + motion.dt * kicked_;
    position_bound = motion.dt * kicked_bound_ + of_product(x.norm() + motion.dt * kicked_.norm());
  }

  /// The second kick, with what pulls where the body has arrived in the state `to`.
  void complete(std::span<const Float4> to) {
    const auto bodies = to.first(to.size() / 2);
    const double half = motion_.dt / 2;
    const Pull pull = pull_at(exact(bodies[i_]), bodies, motion_.softening, roundings_);
    velocity = kicked_ + half * pull.acceleration;
    velocity_bound = kicked_bound_ + half * pull.bound +
                     of_product(kicked_.norm() + half * pull.acceleration.norm());
    work_bound = velocity.norm() * velocity_bound + pull.acceleration.norm() * position_bound;
  }

  Exact position, velocity;
  double position_bound = 0, velocity_bound = 0;
  double work_bound = 0;  ///< what both bounds together can do to the body's energy by its mass

 private:
  static double of_product(double magnitudes) { return 4 * rounding * magnitudes; }

  Motion motion_;
  double roundings_;
  std::size_t i_;
  Exact kicked_;
  double kicked_bound_ = 0;
};

/// How far energy strays on the way of the same steps in double precision.
inline double energy_drift(const Floats4& start, const Motion& motion) {
  const std::size_t n = start.size() / 2;
  Floats4 now = start;  // rounded to float after each step: 2^-24 is nothing to the drift
  const double at_start = conserved(start, motion.softening).energy;
  double drift = 0;
  for (std::int32_t k = 0; k < motion.steps; ++k) {
    std::vector<Step> steps;
    for (std::size_t i = 0; i < n; ++i) steps.emplace_back(now, i, motion);
    const auto put = [](Float4& to, const Exact& v) {
      to = {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z), to.w};
    };
    for (std::size_t i = 0; i < n; ++i) put(now[i], steps[i].position);
    for (std::size_t i = 0; i < n; ++i) {
      steps[i].complete(now);
      put(now[n + i], steps[i].velocity);
    }
    drift = std::max(drift, std::abs(conserved(now, motion.softening).energy - at_start));
  }
  return drift;
}

using Complaints = std::optional<gridstride::Complaint>;

/// The state after step k + 1.
inline std::span<const Float4> state_of(std::span<const Float4> path, std::size_t k,
                                        std::size_t state) {
  return path.subspan(k * state, state);
}

/// Each step of the bodies `sample`.
inline Complaints wrong_step(const Floats4& start, std::span<const Float4> path,
                             const Motion& motion, const std::vector<std::int64_t>& sample) {
  const std::size_t state = start.size(), n = state / 2;
  std::span<const Float4> from = start;
  for (std::size_t k = 0; k < static_cast<std::size_t>(motion.steps); ++k) {
    const auto to = state_of(path, k, state);
    const std::string after = " after step " + std::to_string(k + 1);
    std::vector<Step> steps;
    for (const std::int64_t each : sample) {
      const auto i = static_cast<std::size_t>(each);
      const Step& step = steps.emplace_back(from, i, motion);
      if (!(near(to[i], step.position, step.position_bound) && to[i].w == start[i].w))
        return gridstride::Complaint{k * state + i, to_text(step.position) + ", where body " +
                                                        std::to_string(i) + " is" + after +
                                                        ", with its mass behind"};
    }
    for (std::size_t s = 0; s < sample.size(); ++s) {
      const auto i = static_cast<std::size_t>(sample[s]);
      steps[s].complete(to);
      if (!(near(to[n + i], steps[s].velocity, steps[s].velocity_bound) && to[n + i].w == 0))
        return gridstride::Complaint{k * state + n + i,
                                     to_text(steps[s].velocity) + ", the velocity of body " +
                                         std::to_string(i) + after + ", with 0 behind"};
    }
    from = to;
  }
  return std::nullopt;
}

/// Energy and momentum of the whole system after each step.
inline Complaints not_conserved(const Floats4& start, std::span<const Float4> path,
                                const Motion& motion, double drift) {
  const std::size_t state = start.size(), n = state / 2;
  const Conserved at_start = conserved(start, motion.softening);
  double momentum_bound = 0, energy_bound = 2 * drift;
  std::span<const Float4> from = start;
  for (std::size_t k = 0; k < static_cast<std::size_t>(motion.steps); ++k) {
    const auto to = state_of(path, k, state);
    for (std::size_t i = 0; i < n; ++i) {
      Step step(from, i, motion);
      step.complete(to);
      momentum_bound += start[i].w * step.velocity_bound;
      energy_bound += start[i].w * step.work_bound;
    }
    const Conserved now = conserved(to, motion.softening);
    const std::string after = " after step " + std::to_string(k + 1);
    const auto within = [](double bound) { return " within " + gridstride::number_text(bound); };
    if (!(now.momentum - at_start.momentum).below(momentum_bound))
      return gridstride::Complaint{
          k * state + n, "a momentum of " + to_text(at_start.momentum) + within(momentum_bound) +
                             after + ", as in the beginning; it is " + to_text(now.momentum)};
    if (!(std::abs(now.energy - at_start.energy) <= energy_bound))
      return gridstride::Complaint{
          k * state + n, "an energy of " + gridstride::number_text(at_start.energy) +
                             within(energy_bound) + after + ", as in the beginning; it is " +
                             gridstride::number_text(now.energy)};
    from = to;
  }
  return std::nullopt;
}

}  // namespace nbody
