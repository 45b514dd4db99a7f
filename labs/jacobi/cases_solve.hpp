// The cases of solve().
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "grader/judge/lab.h"
#include "labs/jacobi/systems.hpp"

namespace jacobi {

inline std::string to_text(const Outcome& outcome) {
  const char* names[] = {"converged", "diverged", "out_of_sweeps"};
  const auto status = static_cast<std::uint32_t>(outcome.status);
  return std::string(status < 3 ? names[status] : "no status") + " after " +
         std::to_string(outcome.sweeps) + " sweeps, residual " +
         gridstride::number_text(outcome.residual);
}

/// What the contract's loop goes through, in double precision.
struct Path {
  std::vector<double> residuals;  ///< of the start, and after each sweep
  Doubles x;                      ///< after the last
  double bound;                   ///< how far an element of x may be off
};

/// Ends after `sweeps` sweeps, or when the residual is at most `tolerance`.
inline Path path_of(const System& system, Method method, double alpha, int sweeps,
                    double tolerance = -1) {
  Path path{{}, Doubles(system.x.begin(), system.x.end()), 0};
  const double growth = growth_of_error(system, method, alpha);
  for (int k = 0;; ++k) {
    Doubles next(path.x.size());
    double largest = 0, local = 0;
    for (std::int64_t i = 0; i < system.n; ++i) {
      const NextX each = next_of(system, path.x, i, method, alpha);
      // r = (next - x) * a[i][i], or (x - next) / alpha.
      const double step = each.value - path.x[i];
      largest = std::max(
          largest, std::abs(method == Method::jacobi ? step * system.row(i)[i] : step / alpha));
      next[i] = each.value;
      local = std::max(local, each.bound);
    }
    path.residuals.push_back(largest);
    if (k == sweeps || largest <= tolerance) return path;
    path.x = std::move(next);
    path.bound = growth * path.bound + local;
  }
}

/// A tolerance that stops after exactly `sweeps` sweeps: half way, in ratio, from the residual that
/// is just too large to the one that is not. Nothing where two are too close for that, or where an
/// earlier one is as small.
inline std::optional<float> tolerance_for(const Path& path, int sweeps) {
  const double enough = path.residuals[sweeps];
  double before = sweeps == 0 ? 4 * enough : path.residuals[0];
  for (int k = 0; k < sweeps; ++k) before = std::min(before, path.residuals[k]);
  if (!(before > 1.1 * enough)) return std::nullopt;
  return static_cast<float>(std::sqrt(enough * before));
}

inline gridstride::Output<Outcome> ended(Status status, int sweeps, double residual) {
  return gridstride::accepted<Outcome>(
      std::vector<Outcome>{{status, sweeps, static_cast<float>(residual)}},
      [](const Outcome& got, const Outcome& right) {
        return got.status == right.status && got.sweeps == right.sweeps &&
               (right.status == Status::diverged || got.residual == right.residual ||
                std::abs(got.residual - right.residual) <= 0.02 * right.residual);
      });
}

inline gridstride::Output<float> solution(const Path& path) {
  return gridstride::within<float>(path.x, path.bound);
}

/// For Status::diverged x is undefined.
inline gridstride::Output<float> whatever(std::int64_t n) {
  return gridstride::checked<float>(n, [](auto) { return std::nullopt; });
}

struct Ending {
  Status status;
  int sweeps;
  std::int32_t most_sweeps;
};

template <class Suite>
gridstride::Call solve_call(const System& system, Method method, float alpha, float tolerance,
                            Ending ending) {
  const std::int64_t n = system.n;
  const Path path = path_of(system, method, alpha, ending.sweeps);
  auto x = ending.status == Status::diverged ? whatever(n) : solution(path);
  return Suite::call(gridstride::input(system.a), system.pitch, gridstride::input(system.f),
                     std::move(x).initially(system.x),
                     ended(ending.status, ending.sweeps, path.residuals.back()), n, method, alpha,
                     tolerance, ending.most_sweeps, gridstride::scratch(scratch_bytes(n)));
}

/// A call that must converge after so many sweeps: draws systems until a tolerance says when
/// clearly.
template <class Suite>
gridstride::Call converging_call(Rng& rng, std::int64_t n, Method method, float alpha, int sweeps,
                                 std::int32_t most_sweeps) {
  for (;;) {
    const System system = positive_system(rng, n, 1.5);
    const auto tolerance = tolerance_for(path_of(system, method, alpha, sweeps), sweeps);
    if (tolerance)
      return solve_call<Suite>(system, method, alpha, *tolerance,
                               {Status::converged, sweeps, most_sweeps});
  }
}

/// The first sweep after which the residual has grown by more than the contract's `growth`; -1
/// where rounding could decide, or where it does not grow.
inline int sweeps_until_diverged(const System& system, Method method, double alpha) {
  const Path path = path_of(system, method, alpha, 60);
  for (int k = 0; k < 60; ++k) {
    const double ratio = path.residuals[k] / path.residuals[0];
    if (std::abs(ratio / growth - 1) < 0.02) return -1;
    if (ratio > growth) return k;
  }
  return -1;
}

/// A call that must end as `diverged`: draws systems until it is clear when.
template <class Suite>
gridstride::Call diverging_call(Rng& rng, std::int64_t n, double dominance, Method method,
                                float alpha) {
  for (;;) {
    const System system = positive_system(rng, n, dominance);
    const int sweeps = sweeps_until_diverged(system, method, alpha);
    if (sweeps > 0)
      return solve_call<Suite>(system, method, alpha, 0, {Status::diverged, sweeps, 200});
  }
}

/// f is another before each call, now larger, now smaller: so is x, and so is the number of sweeps.
template <class Suite>
gridstride::Timed timed_solve(Rng& rng, std::int64_t size) {
  constexpr int most_sweeps = 1000;
  const int usual_sweeps = rng.uniform<int>(11, 15);
  const std::int64_t n = size / 4;
  const auto system = std::make_shared<System>(positive_system(rng, n, 1.5));
  const Path first = path_of(*system, Method::jacobi, 0, usual_sweeps);
  const double tolerance = tolerance_for(first, usual_sweeps).value();
  const auto converged = [](const Path& path) {
    return ended(Status::converged, static_cast<int>(path.residuals.size()) - 1,
                 path.residuals.back());
  };
  gridstride::Timed timed;
  timed.call = Suite::call(gridstride::input(system->a), system->pitch,
                           gridstride::input(system->f), solution(first).initially(system->x),
                           converged(first), n, Method::jacobi, 0.0f, static_cast<float>(tolerance),
                           most_sweeps, gridstride::scratch(scratch_bytes(n)));
  timed.bytes_moved = static_cast<double>(n) * n * sizeof(float);
  timed.redraw = [system, tolerance, converged](Rng& fresh, gridstride::Redraw& change) {
    const auto unclear = [tolerance](double residual) {
      return residual > 0.95 * tolerance && residual < 1.05 * tolerance;
    };
    const auto path = std::make_shared<Path>();
    do {  // until it is clear when to stop
      const float scale = std::exp2(fresh.uniform<float>(-2, 2));
      for (float& each : *system->f) each = scale * fresh.uniform<float>(0.5f, 1.5f);
      *path = path_of(*system, Method::jacobi, 0, most_sweeps, tolerance);
    } while (std::any_of(path->residuals.begin(), path->residuals.end(), unclear));
    change.write(2, 0, *system->f);
    change.expect(3, [path] { return solution(*path); });
    change.expect(4, [path, converged] { return converged(*path); });
  };
  return timed;
}

template <class Suite>
void define_solve(Suite& suite) {
  suite.parameters({"a", "pitch", "f", "x", "outcome", "n", "method", "alpha", "tolerance",
                    "most_sweeps", "scratch"});
  suite.rows("a", "pitch");
  const auto add = [&suite](const std::string& what, std::int64_t n,
                            std::function<gridstride::Call(Rng&)> make) {
    suite.add(gridstride::named(what, n), n, std::move(make)).same_bits();
  };
  const auto jacobi_converges = [](std::int64_t n, int sweeps, std::int32_t most) {
    return
        [=](Rng& rng) { return converging_call<Suite>(rng, n, Method::jacobi, 0, sweeps, most); };
  };
  for (const std::int64_t n : {2, 3, 31, 32, 33, 100, 257}) {
    for (const int sweeps : {1, 7}) {
      add("Jacobi, " + std::to_string(sweeps) + " sweeps", n, jacobi_converges(n, sweeps, 100));
    }
  }
  for (const int sweeps : {0, 2, 8, 15, 16, 17, 25})
    add("Jacobi, " + std::to_string(sweeps) + " sweeps", 65, jacobi_converges(65, sweeps, 100));
  add("Jacobi, the last sweep is enough", 40, jacobi_converges(40, 12, 12));
  add("Jacobi, 11 sweeps", 512,
      jacobi_converges(512, 11, 100));  // as large as on the simulated device
  for (const std::int64_t n : {2, 33, 129}) {
    add("Richardson, converges", n, [n](Rng& rng) {
      // The rows' sums are about 2.5 n, what is not constant shrinks a little slower.
      const auto alpha = static_cast<float>(-1.0 / (3.0 * static_cast<double>(n)));
      return converging_call<Suite>(rng, n, Method::richardson, alpha, 6, 100);
    });
    add("Richardson, alpha of the wrong sign", n, [n](Rng& rng) {
      const auto alpha = static_cast<float>(1.0 / (3.0 * static_cast<double>(n)));
      return diverging_call<Suite>(rng, n, 1.5, Method::richardson, alpha);
    });
    add("Jacobi, no dominant diagonal", n,
        [n](Rng& rng) { return diverging_call<Suite>(rng, n, 0.55, Method::jacobi, 0); });
    add("Jacobi, too few sweeps allowed", n, [n](Rng& rng) {
      return solve_call<Suite>(positive_system(rng, n, 1.5), Method::jacobi, 0, 0,
                               {Status::out_of_sweeps, 9, 9});
    });
    add("Jacobi, no sweep allowed", n, [n](Rng& rng) {
      return solve_call<Suite>(positive_system(rng, n, 1.5), Method::jacobi, 0, 0,
                               {Status::out_of_sweeps, 0, 0});
    });
    add("Jacobi, solved already", n, [n](Rng& rng) {
      System system = whole_system(rng, n);
      const Doubles x(system.x.begin(), system.x.end());
      for (std::int64_t i = 0; i < n; ++i)  // exact: f = A x
        (*system.f)[i] -= static_cast<float>(row_of(system, x, i).residual);
      return solve_call<Suite>(system, Method::jacobi, 0, 0, {Status::converged, 0, 100});
    });
    add("Jacobi, not a number", n, [n](Rng& rng) {
      System system = positive_system(rng, n, 1.5);
      // The next x is -infinity at one end and infinity at the other, and their sum in each row.
      for (float& each : system.x) each = 100;
      system.at(0, 0) = 2e-38f;
      system.at(n - 1, n - 1) = -2e-38f;
      return Suite::call(gridstride::input(system.a), system.pitch, gridstride::input(system.f),
                         whatever(n).initially(system.x), ended(Status::diverged, 1, 0), n,
                         Method::jacobi, 0.0f, 1e-3f, 100, gridstride::scratch(scratch_bytes(n)));
    });
  }
  add("no equation", 0, [](Rng& rng) {
    return solve_call<Suite>(empty_system(rng, 0), Method::jacobi, 0, 0,
                             {Status::converged, 0, 10});
  });
  add("one equation", 1,
      [](Rng& rng) { return converging_call<Suite>(rng, 1, Method::jacobi, 0, 1, 10); });
  constexpr std::int64_t n = 84'001, row = 84'032;  // see beyond_32_bits
  suite
      .add(gridstride::named("indices of 64 bits", n), n,
           [](Rng&) {
             return Suite::call(gridstride::absent<float>(n * row), row,
                                gridstride::absent<float>(n), gridstride::absent<float>(n),
                                gridstride::absent<Outcome>(1), n, Method::jacobi, 0.0f, 0.0f, 100,
                                gridstride::scratch(scratch_bytes(n)));
           })
      .too_large();
  suite.timing(timed_solve<Suite>);
}

}  // namespace jacobi
