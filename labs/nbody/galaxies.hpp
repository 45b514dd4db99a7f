// Bodies to try things with: clouds for the grader, discs of stars for the example and for both.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "labs/nbody/nbody.h"

namespace nbody {

using Floats4 = std::vector<Float4>;

/// A disc of light stars on circles around a heavy centre, which is its first body. Positions, then
/// velocities: 2n. `unit()` gives numbers from 0 to 1.
///
/// A star at distance r of a mass M goes round with speed sqrt(M / r); with softening e the pull is
/// that of M r^3 / (r^2 + e^2)^(3/2).
struct Disc {
  std::int64_t n = 0;
  float mass = 1;           ///< of the centre
  float stars = 0.1f;       ///< of all stars together
  float radius = 1;         ///< of the disc; no star is nearer than a fifth of it
  float tilt = 0;           ///< turned about the x axis, in radians
  Float4 place{}, speed{};  ///< of the centre

  template <class Unit>
  Floats4 draw(float softening, Unit unit) const {
    Floats4 state(2 * n);
    for (std::int64_t i = 0; i < n; ++i) {
      const double far = i == 0 ? 0 : radius * std::sqrt(0.04 + 0.96 * unit());
      const double angle = 2 * 3.14159265358979 * unit(),
                   square = far * far + softening * softening;
      const double orbit = i == 0 ? 0 : far * std::sqrt(mass / (square * std::sqrt(square)));
      const auto put = [&](Float4& to, const Float4& origin, double x, double y, double w) {
        to = {static_cast<float>(origin.x + x), static_cast<float>(origin.y + y * std::cos(tilt)),
              static_cast<float>(origin.z + y * std::sin(tilt)), static_cast<float>(w)};
      };
      put(state[i], place, far * std::cos(angle), far * std::sin(angle),
          i == 0 ? mass : stars / static_cast<float>(n));
      put(state[n + i], speed, -orbit * std::sin(angle), orbit * std::cos(angle), 0);
    }
    return state;
  }
};

/// Two states as one.
inline Floats4 together(const Floats4& a, const Floats4& b) {
  const auto half = [](const Floats4& state) {
    return state.begin() + static_cast<std::ptrdiff_t>(state.size() / 2);
  };
  Floats4 state(a.begin(), half(a));
  state.insert(state.end(), b.begin(), half(b));
  state.insert(state.end(), half(a), a.end());
  state.insert(state.end(), half(b), b.end());
  return state;
}

}  // namespace nbody
