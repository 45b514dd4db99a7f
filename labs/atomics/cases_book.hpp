// The cases of book(). All sums are exact, so each amount that is missing or booked twice shows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "grader/judge/cases/sums.h"
#include "grader/judge/lab.h"
#include "labs/atomics/atomics.h"

namespace atomics {

using Amounts = std::vector<std::int32_t>;
using Total = std::int64_t;

constexpr std::int32_t largest_amount = std::numeric_limits<std::int32_t>::max();
constexpr std::int32_t smallest_amount = std::numeric_limits<std::int32_t>::min();

inline Total sum(const Amounts& amounts) {
  return std::accumulate(amounts.begin(), amounts.end(), Total{0});
}

inline Amounts ones(gridstride::Rng&, std::int64_t n) { return Amounts(n, 1); }
inline Amounts any_amounts(gridstride::Rng& rng, std::int64_t n) {
  return rng.uniform<std::int32_t>(n, smallest_amount, largest_amount);
}
inline Amounts near_largest(gridstride::Rng& rng, std::int64_t n) {
  return rng.uniform<std::int32_t>(n, largest_amount - 1000, largest_amount);
}
inline Amounts near_smallest(gridstride::Rng& rng, std::int64_t n) {
  return rng.uniform<std::int32_t>(n, smallest_amount, smallest_amount + 1000);
}
inline Amounts small_debts(gridstride::Rng& rng, std::int64_t n) {
  return rng.uniform<std::int32_t>(n, -9, -1);
}
inline Amounts one_amount(gridstride::Rng& rng, std::int64_t n) {
  Amounts amounts(n, 0);
  amounts[rng.uniform<std::int64_t>(0, n - 1)] = rng.uniform<std::int32_t>(1, largest_amount);
  return amounts;
}

/// Lost updates show where all amounts are equal; totals that are too narrow, by their bits.
inline std::optional<std::string> guess_total(const gridstride::WrongAnswer& wrong) {
  const auto amounts = wrong.input<std::int32_t>(0);
  const Total got = wrong.output<Total>()[0];
  if (amounts.empty()) return "Nothing was booked, so the total is 0. Who writes the 0?";
  const auto n = static_cast<Total>(amounts.size());
  const Total one = amounts[0];
  const bool equal = std::all_of(amounts.begin(), amounts.end(), [&](Total a) { return a == one; });
  if (equal && one != 0 && got % one == 0 && got / one >= 0 && got / one < n)
    return "Only " + std::to_string(got / one) + " of " + std::to_string(n) +
           " equal amounts are in this total: the others' updates were lost, or nobody booked "
           "them. "
           "Of two threads that read the same total and write one after the other, one has worked "
           "for nothing: reading, adding and writing must be one step.";
  const Total right = std::accumulate(amounts.begin(), amounts.end(), Total{0});
  if (got == static_cast<std::int32_t>(right) || got == static_cast<std::uint32_t>(right))
    return "These are the lowest 32 bits of the total: somewhere on its way it has no more.";
  const Total without_signs = std::accumulate(
      amounts.begin(), amounts.end(), Total{0},
      [](Total before, std::int32_t a) { return before + static_cast<std::uint32_t>(a); });
  if (got == without_signs)
    return "Amounts below 0 were taken for large ones: an int that becomes a 64-bit number without "
           "sign must become one with a sign on the way.";
  return std::nullopt;
}

template <class Suite>
gridstride::Timed timed_book(gridstride::Rng& rng, std::int64_t n) {
  struct State {
    std::shared_ptr<Amounts> amounts = std::make_shared<Amounts>();
    Total total = 0;
  };
  auto state = std::make_shared<State>();
  *state->amounts = any_amounts(rng, n);
  state->total = sum(*state->amounts);
  const auto redraw = [state, n](gridstride::Rng& fresh, gridstride::Redraw& change) {
    const std::int64_t count = std::min<std::int64_t>(1000, n);
    const auto first = fresh.uniform<std::int64_t>(0, n - count);
    Amounts values = any_amounts(fresh, count);
    const auto place = state->amounts->begin() + first;
    const Total before = std::accumulate(place, place + count, Total{0});
    if (sum(values) == before) values[0] ^= 1;
    state->total += sum(values) - before;
    std::copy(values.begin(), values.end(), place);
    change.write(0, first, values);
    change.expect(1, [state] { return gridstride::exactly<Total>({state->total}); });
  };
  return {Suite::call(gridstride::input(state->amounts), gridstride::exactly<Total>({state->total}),
                      n, gridstride::scratch(scratch_bytes())),
          static_cast<double>(n) * sizeof(std::int32_t), redraw};
}

template <class Suite>
void define_book(Suite& suite) {
  suite.parameters({"amounts", "total", "n", "scratch"});
  using Make = Amounts (*)(gridstride::Rng&, std::int64_t);
  const auto add = [&suite](const std::string& what, Make make, std::int64_t n,
                            std::uint64_t offset = 0) {
    suite.add(gridstride::named(what, n), n, [make, n, offset](gridstride::Rng& rng) {
      Amounts amounts = make(rng, n);
      auto total = gridstride::exactly<Total>({sum(amounts)});
      return Suite::call(gridstride::input(std::move(amounts)).at_offset(offset), std::move(total),
                         n, gridstride::scratch(scratch_bytes()));
    });
  };
  for (const std::int64_t n : {1, 33, 1025, 65537}) add("ones", ones, n);
  for (const std::int64_t n : gridstride::edge_sizes()) add("any amounts", any_amounts, n);
  for (const std::int64_t n : {1, 2, 3, 4, 5, 33, 1025, 4099})
    for (const std::uint64_t offset : {1, 2, 3})
      add("any amounts from element " + std::to_string(offset) + ",", any_amounts, n, offset);
  for (const std::int64_t n : {3, 257, 40009}) {
    add("near the largest amount", near_largest, n);
    add("near the smallest amount", near_smallest, n);
    add("small debts", small_debts, n);
    add("one amount among zeros", one_amount, n);
  }
  suite.guess(guess_total);
  suite
      .add(gridstride::named("the most amounts", gridstride::most_unsigned),
           gridstride::most_unsigned,
           [](gridstride::Rng&) {
             return Suite::call(gridstride::absent<std::int32_t>(gridstride::most_unsigned),
                                gridstride::absent<Total>(1), gridstride::most_unsigned,
                                gridstride::scratch(scratch_bytes()));
           })
      .too_large();
  suite.timing(timed_book<Suite>);
}

}  // namespace atomics
