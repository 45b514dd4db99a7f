// Grades the tiled-gemm lab: by which cases, and how their results are explained.
#include <cmath>
#include <cstdint>
#include <sstream>
#include <string>
#include <utility>

#include "labs/tiled-gemm/guesses.hpp"
#include "labs/tiled-gemm/timings.hpp"

namespace tiled_gemm {
namespace {

using gridstride::input;

/// Where pointers stand, in elements past an aligned address.
struct Offsets {
  std::uint64_t a = 0, b = 0, c = 0;
};

/// What is in C before the call.
enum class Before { nothing, nan, numbers };

struct Factors {
  float alpha, beta;
};
constexpr Factors product{1, 0};

using Make = Floats (*)(Rng&, std::int64_t);

std::string named(const std::string& what, Shape shape, Factors factors, Before before) {
  std::ostringstream name;
  name << what << ' ' << shape.m << " x " << shape.n << ", k=" << shape.k;
  if (factors.alpha != 1) name << ", alpha=" << factors.alpha;
  if (factors.beta != 0) name << ", beta=" << factors.beta;
  if (before == Before::nan) name << ", NaN in C";
  return name.str();
}

/// Adds the cases of one function.
template <class Suite>
class Cases {
 public:
  Cases(Suite& suite, Layout layout)
      : suite_(suite),
        layout_(layout),
        per_term_(suite.tolerance("per_term")),
        fixed_(suite.tolerance("fixed")) {}

  /// Whole numbers, or multiples of one: nothing is rounded, so each bit must be right.
  void exact(const std::string& what, Make make_a, Shape shape, Factors factors = product,
             Before before = Before::nothing, Offsets offsets = {}) {
    suite_
        .add(named(what, shape, factors, before), shape.of_c(),
             [=, layout = layout_](Rng& rng) {
               Problem problem =
                   draw(rng, make_a, small_whole_numbers, shape, layout, factors, before);
               const Expected expected = expected_of(problem, 0, 0);
               return call(
                   std::move(problem),
                   gridstride::exactly(Floats(expected.values.begin(), expected.values.end())),
                   offsets);
             })
        .same_bits();
  }

  /// Numbers whose sums are rounded: within the contract's bound.
  void bounded(const std::string& what, Make make, Shape shape, Factors factors = product,
               Before before = Before::nothing) {
    suite_
        .add(named(what, shape, factors, before), shape.of_c(),
             [=, layout = layout_, per_term = per_term_, fixed = fixed_](Rng& rng) {
               Problem problem = draw(rng, make, make, shape, layout, factors, before);
               Expected expected = expected_of(problem, per_term, fixed);
               return call(std::move(problem),
                           gridstride::within<float>(std::move(expected.values),
                                                     std::move(expected.bounds)),
                           {});
             })
        .same_bits();
  }

 private:
  static Problem draw(Rng& rng, Make make_a, Make make_b, Shape shape, Layout layout,
                      Factors factors, Before before) {
    Problem problem{
        shape,         layout,      make_a(rng, shape.of_a()), make_b(rng, shape.of_b()), {},
        factors.alpha, factors.beta};
    if (before == Before::nan) problem.c = nothing_but_nan(shape.of_c());
    if (before == Before::numbers) problem.c = make_b(rng, shape.of_c());
    return problem;
  }

  static gridstride::Call call(Problem problem, gridstride::Output<float> c, Offsets offsets) {
    if (!problem.c.empty()) c = std::move(c).initially(std::move(problem.c));
    const Shape shape = problem.shape;
    return Suite::call(input(std::move(problem.a)).at_offset(offsets.a),
                       input(std::move(problem.b)).at_offset(offsets.b),
                       std::move(c).at_offset(offsets.c), shape.m, shape.n, shape.k, problem.alpha,
                       problem.beta);
  }

  Suite& suite_;
  Layout layout_;
  double per_term_, fixed_;
};

/// Far apart in magnitude, both signs.
Floats many_magnitudes(Rng& rng, std::int64_t count) {
  Floats values(count);
  for (float& value : values)
    value = std::ldexp(rng.uniform<float>(-1, 1), rng.uniform<int>(-40, 40));
  return values;
}

template <class Suite>
void define(Suite& suite, Layout layout) {
  suite.parameters({"a", "b", "c", "m", "n", "k", "alpha", "beta"});
  suite.rows("a", "k");
  suite.rows("b", layout == Layout::rows ? "n" : "k");
  suite.rows("c", "n");
  Cases<Suite> cases(suite, layout);
  const auto whole = [&cases](Shape shape, Factors factors = product,
                              Before before = Before::nothing) {
    cases.exact("whole numbers", small_whole_numbers, shape, factors, before);
  };

  // Nothing to do, one element, less than a tile, tiles that fit, one more and one less.
  whole({0, 5, 3});
  whole({5, 0, 3});
  whole({5, 7, 0});
  whole({5, 7, 0}, product, Before::nan);
  whole({5, 7, 0}, {1, 2}, Before::numbers);
  for (const Shape shape :
       {Shape{1, 1, 1}, Shape{1, 1, 1025}, Shape{3, 2, 1}, Shape{16, 16, 16}, Shape{15, 17, 16},
        Shape{31, 33, 32}, Shape{33, 31, 65}, Shape{64, 32, 96}, Shape{128, 128, 8},
        Shape{127, 129, 9}, Shape{129, 127, 24}, Shape{1, 300, 40}, Shape{300, 1, 40},
        Shape{132, 260, 20}})
    whole(shape);
  whole({261, 391, 133});

  // alpha and beta, and what is in C when beta is 0.
  whole({33, 65, 20}, {2, 0}, Before::nan);
  whole({132, 260, 20}, {-3, 0}, Before::nan);
  whole({40, 36, 12}, product, Before::nan);
  whole({33, 65, 20}, {1, 1}, Before::numbers);
  whole({40, 36, 12}, {-0.5f, 3}, Before::numbers);
  whole({130, 134, 17}, {0.25f, -2}, Before::numbers);
  whole({19, 23, 29}, {0, 2}, Before::numbers);

  // Rows of a multiple of four floats, at addresses that are no multiple of 16 bytes.
  for (const Offsets offsets : {Offsets{1, 0, 0}, Offsets{0, 2, 0}, Offsets{0, 0, 3}})
    cases.exact("whole numbers from element " + std::to_string(offsets.a) + " of a, " +
                    std::to_string(offsets.b) + " of b, " + std::to_string(offsets.c) + " of c,",
                small_whole_numbers, {40, 36, 12}, {1, 2}, Before::numbers, offsets);

  cases.exact("denormal", tiny_whole_numbers, {37, 41, 43});
  cases.bounded("both signs", gridstride::both_signs, {61, 67, 71}, {0.7f, -1.3f}, Before::numbers);
  cases.bounded("both signs", gridstride::both_signs, {3, 5, 2'503});
  cases.bounded("above zero", gridstride::above_zero, {35, 70, 140});
  cases.bounded("all equal", gridstride::all_equal, {35, 70, 140});
  cases.bounded("many magnitudes", many_magnitudes, {66, 34, 50}, {3, 0.1f}, Before::numbers);

  // Of each matrix the number of elements needs 64 bits, and has its bit 31 set (beyond_32_bits).
  static constexpr Shape huge{84'001, 84'017, 83'987};
  suite
      .add(named("indices of 64 bits", huge, product, Before::nothing), huge.of_c(),
           [](Rng&) {
             return Suite::call(
                 gridstride::absent<float>(huge.of_a()), gridstride::absent<float>(huge.of_b()),
                 gridstride::absent<float>(huge.of_c()), huge.m, huge.n, huge.k, 1.0f, 0.0f);
           })
      .too_large();
  suite.guess(
      [layout](const gridstride::WrongAnswer& wrong) { return guess_from_element(wrong, layout); });
  suite.timing([layout](Rng& rng, std::int64_t elements) {
    return timed_product<Suite>(rng, elements, layout);
  });
}

}  // namespace
}  // namespace tiled_gemm

int main(int argc, char** argv) {
  gridstride::Lab lab("tiled-gemm", argc, argv);
  lab.contract<decltype(gemm)>(
      "gemm", [](auto& suite) { tiled_gemm::define(suite, tiled_gemm::Layout::rows); });
  lab.contract<decltype(gemm_abt)>(
      "gemm_abt", [](auto& suite) { tiled_gemm::define(suite, tiled_gemm::Layout::transposed); });
  return lab.run();
}
