// The cases of sweep().
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "grader/judge/lab.h"
#include "labs/jacobi/systems.hpp"

namespace jacobi {

/// What sweep() must write; to the last bit where nothing is rounded.
inline gridstride::Output<float> swept(const System& system, Method method, float alpha,
                                       bool exact) {
  const Doubles x(system.x.begin(), system.x.end());
  std::vector<double> expected, bounds;
  for (std::int64_t i = 0; i < system.n; ++i) {
    const NextX next = next_of(system, x, i, method, alpha);
    expected.push_back(next.value);
    bounds.push_back(exact ? 0 : next.bound);
  }
  return gridstride::within<float>(std::move(expected), std::move(bounds));
}

/// What the first wrong value would be if a usual mistake had been made.
inline std::optional<std::string> guess_sweep(const gridstride::WrongAnswer& wrong) {
  const auto a = wrong.input<float>(0), f = wrong.input<float>(2), x = wrong.input<float>(3);
  const auto pitch = wrong.input<std::int64_t>(1)[0], n = wrong.input<std::int64_t>(5)[0];
  const auto method = wrong.input<Method>(6)[0];
  const double alpha = wrong.input<float>(7)[0];
  const auto i = static_cast<std::int64_t>(wrong.first());
  const auto got = wrong.value(wrong.first());
  if (!got) return std::nullopt;
  const auto residual = [&](std::int64_t end) {
    double r = f[i];
    for (std::int64_t j = 0; j < end; ++j) r -= static_cast<double>(a[i * pitch + j]) * x[j];
    return r;
  };
  const auto is = [&](double guess) {
    return std::abs(*got - guess) <= 1e-5 * (std::abs(guess) + 1e-30);
  };
  const double r = residual(n), diagonal = a[i * pitch + i];
  const auto next = [&](double left) {
    return method == Method::jacobi ? x[i] + left / diagonal : x[i] - alpha * left;
  };
  const auto missing = [n](std::int64_t count) {
    return "The last elements of the row are missing: " + std::to_string(count) + " of " +
           std::to_string(n) + ".";
  };
  if (is(x[i])) return "This is x itself.";
  if (method == Method::jacobi && is(r / diagonal))
    return "This is r / a[i][i], by how much x[i] changes. The sum leaves out j = i, or x[i] is "
           "added.";
  if (method == Method::jacobi && is(r / diagonal - x[i]))
    return "The sum has a[i][i] x[i] in it twice.";
  if (method == Method::jacobi && is(x[i] - r / diagonal))
    return "The sign is wrong: this is x[i] - r[i] / a[i][i].";
  if (method == Method::richardson && is(x[i] + alpha * r))
    return "The sign of alpha is wrong: this is x[i] - alpha * ((A x)[i] - f[i]).";
  if (n % 4 != 0 && is(next(residual(n / 4 * 4)))) return missing(n % 4);
  if (n % 32 != 0 && is(next(residual(n / 32 * 32)))) return missing(n % 32);
  return std::nullopt;
}

/// Whole numbers; before each call four elements of x change, on which every result depends. Then
/// each row's sum changes by four products, so that the judge need not multiply the matrix again.
template <class Suite>
gridstride::Timed timed_sweep(Rng& rng, std::int64_t n) {
  constexpr float alpha = 0.25f;
  struct State {
    System system;
    std::shared_ptr<Floats> x;
    std::vector<double> residuals;
  };
  auto state = std::make_shared<State>(State{whole_system(rng, n), nullptr, {}});
  state->x = std::make_shared<Floats>(state->system.x);
  const Doubles x(state->x->begin(), state->x->end());
  for (std::int64_t i = 0; i < n; ++i)
    state->residuals.push_back(row_of(state->system, x, i).residual);
  const auto right = [state] {
    std::vector<double> expected(state->residuals.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
      expected[i] = (*state->x)[i] - alpha * state->residuals[i];
    return gridstride::within<float>(std::move(expected), 0);
  };
  gridstride::Timed timed;
  timed.call = Suite::call(gridstride::input(state->system.a), state->system.pitch,
                           gridstride::input(state->system.f), gridstride::input(state->x), right(),
                           n, Method::richardson, alpha, gridstride::scratch(scratch_bytes(n)));
  timed.bytes_moved = static_cast<double>(n) * n * sizeof(float);
  timed.redraw = [state, right](Rng& fresh, gridstride::Redraw& change) {
    for (int k = 0; k < 4; ++k) {
      const auto j = fresh.uniform<std::int64_t>(0, state->system.n - 1);
      float& old = (*state->x)[j];
      const auto drawn = static_cast<float>(fresh.uniform<int>(-8, 8));
      for (std::int64_t i = 0; i < state->system.n; ++i)
        state->residuals[i] -= static_cast<double>(state->system.row(i)[j]) * (drawn - old);
      old = drawn;
      change.write(3, j, Floats{drawn});
    }
    change.expect(4, right);
  };
  return timed;
}

template <class Suite>
void define_sweep(Suite& suite) {
  suite.parameters({"a", "pitch", "f", "x", "next", "n", "method", "alpha", "scratch"});
  suite.rows("a", "pitch");
  using Make = System (*)(Rng&, std::int64_t);
  const auto add = [&suite](const std::string& what, Make make, std::int64_t n, Method method,
                            bool exact) {
    const std::string name =
        std::string(method == Method::jacobi ? "Jacobi, " : "Richardson, ") + what;
    suite
        .add(gridstride::named(name, n), n,
             [=](Rng& rng) {
               System system = make(rng, n);
               const float alpha = exact ? 0.25f : rng.uniform<float>(-1, 1);
               auto next = swept(system, method, alpha, exact);
               return Suite::call(gridstride::input(system.a), system.pitch,
                                  gridstride::input(system.f), gridstride::input(system.x),
                                  std::move(next), n, method, alpha,
                                  gridstride::scratch(scratch_bytes(n)));
             })
        .same_bits();
  };
  for (const std::int64_t n :
       {0, 1, 2, 3, 4, 5, 31, 32, 33, 35, 127, 128, 129, 255, 257, 1023, 1025}) {
    add("whole numbers", whole_system, n, Method::jacobi, true);
    add("whole numbers", whole_system, n, Method::richardson, true);
  }
  for (const std::int64_t n : {1, 34, 130, 515}) {
    add("numbers of all sizes", mixed_system, n, Method::jacobi, false);
    add("numbers of all sizes", mixed_system, n, Method::richardson, false);
  }
  suite.guess(guess_sweep);
  constexpr std::int64_t n = 84'001, row = 84'032;  // see beyond_32_bits
  suite
      .add(gridstride::named("indices of 64 bits", n), n,
           [](Rng&) {
             return Suite::call(gridstride::absent<float>(n * row), row,
                                gridstride::absent<float>(n), gridstride::absent<float>(n),
                                gridstride::absent<float>(n), n, Method::jacobi, 0.0f,
                                gridstride::scratch(scratch_bytes(n)));
           })
      .too_large();
  suite.timing(timed_sweep<Suite>);
}

}  // namespace jacobi
