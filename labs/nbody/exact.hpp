// What the contract's formulas give in double precision, and how far rounding in float may lead.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "labs/nbody/nbody.h"

namespace nbody {

/// A vector in double precision.
struct Exact {
  double x = 0, y = 0, z = 0;

  friend Exact operator+(Exact a, Exact b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend Exact operator-(Exact a, Exact b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend Exact operator*(double s, Exact a) { return {s * a.x, s * a.y, s * a.z}; }
  double norm() const { return std::sqrt(x * x + y * y + z * z); }
  /// Whether each component's magnitude is at most `bound`; false for NaN.
  bool below(double bound) const {
    return std::abs(x) <= bound && std::abs(y) <= bound && std::abs(z) <= bound;
  }
};

inline Exact exact(const Float4& v) { return {v.x, v.y, v.z}; }

inline constexpr double rounding = 0x1p-24;  // u, of one operation

/// An acceleration, and how far each component of it may be off.
struct Pull {
  Exact acceleration;
  double bound = 0;
};

/// Roundings that a term may go through, as the contract counts them.
inline double roundings(std::span<const Float4> bodies) {
  const auto n = static_cast<double>(bodies.size());
  const auto with_mass = static_cast<double>(
      std::count_if(bodies.begin(), bodies.end(), [](const Float4& body) { return body.w != 0; }));
  return 32 + std::min(with_mass, 512 + n / 256);
}

/// What all bodies pull at a place.
inline Pull pull_at(Exact here, std::span<const Float4> bodies, double softening,
                    double roundings) {
  Pull pull;
  double magnitudes = 0;
  for (const Float4& body : bodies) {
    const Exact d = exact(body) - here;
    const double square = d.x * d.x + d.y * d.y + d.z * d.z;
    if (square == 0) continue;
    const double soft = square + softening * softening;
    const double strength = body.w / (soft * std::sqrt(soft));
    pull.acceleration = pull.acceleration + strength * d;
    magnitudes += strength * std::sqrt(square);
  }
  const double relative = roundings * rounding;
  pull.bound = relative / (1 - relative) * magnitudes;
  return pull;
}

/// Energy and momentum of a state of 2n.
struct Conserved {
  double energy = 0;
  Exact momentum;
};

inline Conserved conserved(std::span<const Float4> state, double softening) {
  const auto bodies = state.first(state.size() / 2), velocities = state.last(state.size() / 2);
  Conserved sum;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Exact v = exact(velocities[i]);
    const double mass = bodies[i].w;
    sum.energy += mass * (v.x * v.x + v.y * v.y + v.z * v.z) / 2;
    sum.momentum = sum.momentum + mass * v;
    for (std::size_t j = 0; j < i; ++j) {
      const double far = std::hypot((exact(bodies[j]) - exact(bodies[i])).norm(), softening);
      if (far != 0) sum.energy -= mass * bodies[j].w / far;
    }
  }
  return sum;
}

}  // namespace nbody
