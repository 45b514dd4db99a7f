// The cases of largest() and index_of_largest(), which look for the same element.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "grader/judge/cases/sums.h"
#include "grader/judge/lab.h"
#include "labs/atomics/atomics.h"

namespace atomics {

using gridstride::Floats;
using gridstride::Rng;
using Index = std::int64_t;

constexpr float infinity = std::numeric_limits<float>::infinity();

/// The order of the contract: -0 is below +0.
inline bool below(float a, float b) {
  return a < b || (a == b && std::signbit(a) && !std::signbit(b));
}

/// -1 for no elements.
inline Index first_largest(std::span<const float> in) {
  if (in.empty()) return -1;
  return std::max_element(in.begin(), in.end(), below) - in.begin();
}

inline float largest_of(std::span<const float> in) {
  return in.empty() ? -infinity : in[first_largest(in)];
}

inline Floats below_zero(Rng& rng, Index n) { return rng.uniform<float>(n, -2.0f, -1.0f); }

/// All below zero and hardly apart.
inline Floats barely_below_zero(Rng& rng, Index n) {
  Floats values(n);
  for (float& value : values)
    value = -std::numeric_limits<float>::denorm_min() *
            static_cast<float>(rng.uniform<int>(1, 1 << 20));
  return values;
}

/// So few different values that the largest is there many times.
inline Floats few_values(Rng& rng, Index n) {
  Floats values(n);
  for (float& value : values) value = static_cast<float>(rng.uniform<int>(-3, -1));
  return values;
}

inline Floats full_range(Rng& rng, Index n) {
  Floats values(n);
  for (float& value : values) {
    do value = std::bit_cast<float>(rng.uniform<std::uint32_t>(0, 0xffffffff));
    while (std::isnan(value) || std::isinf(value));
  }
  return values;
}

inline Floats zeros_of_both_signs(Rng& rng, Index n) {
  Floats values(n);
  for (float& value : values) value = rng.uniform<int>(0, 9) == 0 ? 0.0f : -0.0f;
  return values;
}

inline Floats lowest(Rng&, Index n) { return Floats(n, -infinity); }

inline Floats one_infinity(Rng& rng, Index n) {
  Floats values = full_range(rng, n);
  values[rng.uniform<Index>(0, n - 1)] = infinity;
  return values;
}

inline Floats last_is_largest(Rng& rng, Index n) {
  Floats values = below_zero(rng, n);
  values[n - 1] = -0.5f;
  return values;
}

inline std::optional<std::string> guess_largest(const gridstride::WrongAnswer& wrong) {
  const auto in = wrong.input<float>(0);
  const float got = wrong.output<float>()[0], right = largest_of(in);
  if (in.empty()) return "Without elements the result is the identity of max, -infinity.";
  if (std::isnan(got)) return std::nullopt;
  const bool there = std::find(in.begin(), in.end(), got) != in.end();
  const std::string upside_down =
      "The bits of numbers below zero, read as whole numbers, are in the order of their "
      "magnitudes.";
  if (there && got == *std::min_element(in.begin(), in.end()) && right < 0)
    return "This is the smallest of the elements, all of which are below zero. " + upside_down;
  if (!there && got == -infinity)
    return "What stood there before the first element stands there still. " +
           (right < 0 ? upside_down : "");
  if (there)
    return "This is an element, but larger ones are there: their updates were lost, or nobody "
           "looked at them.";
  if (got > right) return "No element is as large: what was there before the first one?";
  return std::nullopt;
}

inline std::optional<std::string> guess_index(const gridstride::WrongAnswer& wrong) {
  const auto in = wrong.input<float>(0);
  const Index got = wrong.output<Index>()[0], right = first_largest(in);
  if (in.empty()) return "Without elements the index is -1.";
  if (got < 0 || got >= static_cast<Index>(in.size())) return "No element has this index.";
  const std::string at = "in[" + std::to_string(got) + "]";
  if (!below(in[got], in[right]))
    return at + " is as large, but it is not the first of those that are.";
  if (in[got] == in[right]) return at + " is -0, and the contract has +0 above it.";
  if (in[got] == *std::min_element(in.begin(), in.end()) && in[right] <= 0)
    return at + " is the smallest of all: the bits of numbers below zero are upside down.";
  return at + " is " + gridstride::number_text(in[got]) + ", the largest is " +
         gridstride::number_text(in[right]) +
         ". Does the index belong to another value, or was an update lost?";
}

/// Calls add(name, make, n, offset) for each input that both functions are tried on.
template <class Add>
void for_each_search(Add add) {
  for (const Index n : gridstride::edge_sizes()) add("both signs", gridstride::both_signs, n, 0);
  for (const Index n : {1, 2, 3, 4, 5, 33, 1025, 4099})
    for (const std::uint64_t offset : {1, 2, 3})
      add("below zero from element " + std::to_string(offset) + ",", below_zero, n, offset);
  for (const Index n : {1, 33, 1025, 40009}) {
    add("below zero", below_zero, n, 0);
    add("barely below zero", barely_below_zero, n, 0);
    add("few values", few_values, n, 0);
    add("full range", full_range, n, 0);
    add("the last is the largest", last_is_largest, n, 0);
  }
  for (const Index n : {1, 257, 20011}) {
    add("sorted", gridstride::sorted, n, 0);
    add("reversed", gridstride::reversed, n, 0);
    add("all equal", gridstride::all_equal, n, 0);
    add("zeros of both signs", zeros_of_both_signs, n, 0);
    add("all -infinity", lowest, n, 0);
    add("one infinity", one_infinity, n, 0);
  }
}

/// A timed search: before each call a larger element than all before appears somewhere.
struct Growing {
  std::shared_ptr<Floats> in = std::make_shared<Floats>();
  float top = 2;

  Index grow(Rng& fresh, gridstride::Redraw& change) {
    const Index place = fresh.uniform<Index>(0, static_cast<Index>(in->size()) - 1);
    top += 1;
    (*in)[place] = top;
    change.write<float>(0, place, {top});
    return place;
  }
};

template <class Suite>
gridstride::Timed timed_largest(Rng& rng, Index n) {
  const auto state = std::make_shared<Growing>();
  *state->in = gridstride::both_signs(rng, n);
  return {Suite::call(gridstride::input(state->in),
                      gridstride::exactly<float>({largest_of(*state->in)}), n,
                      gridstride::scratch(scratch_bytes())),
          static_cast<double>(n) * sizeof(float), [state](Rng& fresh, gridstride::Redraw& change) {
            state->grow(fresh, change);
            change.expect(1, [state] { return gridstride::exactly<float>({state->top}); });
          }};
}

template <class Suite>
gridstride::Timed timed_index(Rng& rng, Index n) {
  const auto state = std::make_shared<Growing>();
  *state->in = gridstride::both_signs(rng, n);
  return {Suite::call(gridstride::input(state->in),
                      gridstride::exactly<Index>({first_largest(*state->in)}), n,
                      gridstride::scratch(scratch_bytes())),
          static_cast<double>(n) * sizeof(float), [state](Rng& fresh, gridstride::Redraw& change) {
            const Index place = state->grow(fresh, change);
            change.expect(1, [place] { return gridstride::exactly<Index>({place}); });
          }};
}

using MakeFloats = Floats (*)(Rng&, Index);

/// `result(in)` is the function's output argument.
template <class Suite, class Answer, class Result>
void add_searches(Suite& suite, Result result) {
  for_each_search([&](const std::string& what, MakeFloats make, Index n, std::uint64_t offset) {
    suite.add(gridstride::named(what, n), n, [make, n, offset, result](Rng& rng) {
      Floats in = make(rng, n);
      auto out = result(in);
      return Suite::call(gridstride::input(std::move(in)).at_offset(offset), std::move(out), n,
                         gridstride::scratch(scratch_bytes()));
    });
  });
  suite
      .add(gridstride::named("the most floats", gridstride::most_unsigned),
           gridstride::most_unsigned,
           [](Rng&) {
             return Suite::call(gridstride::absent<float>(gridstride::most_unsigned),
                                gridstride::absent<Answer>(1), gridstride::most_unsigned,
                                gridstride::scratch(scratch_bytes()));
           })
      .too_large();
}

template <class Suite>
void define_largest(Suite& suite) {
  suite.parameters({"in", "out", "n", "scratch"});
  add_searches<Suite, float>(
      suite, [](const Floats& in) { return gridstride::exactly<float>({largest_of(in)}); });
  suite.guess(guess_largest);
  suite.timing(timed_largest<Suite>);
}

template <class Suite>
void define_index(Suite& suite) {
  suite.parameters({"in", "index", "n", "scratch"});
  add_searches<Suite, Index>(
      suite, [](const Floats& in) { return gridstride::exactly<Index>({first_largest(in)}); });
  suite.guess(guess_index);
  suite.timing(timed_index<Suite>);
}

}  // namespace atomics
