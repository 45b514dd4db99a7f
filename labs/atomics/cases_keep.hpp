// The cases of keep_positive(), whose result is right in any order.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "grader/judge/cases/sums.h"
#include "grader/judge/lab.h"
#include "labs/atomics/atomics.h"

namespace atomics {

using gridstride::Floats;
using gridstride::Rng;
using Bits = std::uint32_t;

inline bool is_kept(float value) { return value > 0.0f; }

/// A number for a set of floats in which some may be there several times: the sum of a number for
/// each. Other elements hardly ever have the same.
inline std::uint64_t mark_of(float value) {
  std::uint64_t mark = (std::bit_cast<Bits>(value) + 1) * 0x9e3779b97f4a7c15u;
  mark = (mark ^ mark >> 29) * 0xbf58476d1ce4e5b9u;
  return mark ^ mark >> 32;
}

/// What of some elements is kept.
struct Kept {
  std::int64_t count = 0;
  std::uint64_t mark = 0;

  template <class Range>
  static Kept of(const Range& elements) {
    Kept kept;
    for (const float value : elements) {
      if (!is_kept(value)) continue;
      ++kept.count;
      kept.mark += mark_of(value);
    }
    return kept;
  }
};

inline std::vector<Bits> sorted_bits(std::span<const float> values) {
  std::vector<Bits> bits;
  for (const float value : values) bits.push_back(std::bit_cast<Bits>(value));
  std::sort(bits.begin(), bits.end());
  return bits;
}

/// Says which element of `got` is there for nothing, and which of `in` is missing.
inline gridstride::Complaint compare_kept(std::span<const float> got, const Floats& in) {
  Floats kept;
  std::copy_if(in.begin(), in.end(), std::back_inserter(kept), is_kept);
  const std::vector<Bits> has = sorted_bits(got), wants = sorted_bits(kept);
  std::vector<Bits> missing, extra;
  std::set_difference(wants.begin(), wants.end(), has.begin(), has.end(),
                      std::back_inserter(missing));
  std::set_difference(has.begin(), has.end(), wants.begin(), wants.end(),
                      std::back_inserter(extra));
  if (missing.empty() || extra.empty()) return {0, "the kept elements in any order", 1};
  gridstride::Complaint complaint{0, "", extra.size()};
  while (std::bit_cast<Bits>(got[complaint.index]) != extra[0]) ++complaint.index;
  complaint.expected = gridstride::number_text(std::bit_cast<float>(missing[0])) +
                       ", which is nowhere, or another of the kept elements that are missing";
  return complaint;
}

/// The output `out`, with room for as many floats as `in` has. `in` may change as long as `kept` is
/// what is kept of it.
inline gridstride::Output<float> kept_in_any_order(std::shared_ptr<const Floats> in, Kept kept) {
  return gridstride::checked<float>(
      in->size(), [in, kept](std::span<const float> got) -> std::optional<gridstride::Complaint> {
        const auto first = got.first(kept.count);
        if (Kept::of(first).mark == kept.mark && std::all_of(first.begin(), first.end(), is_kept))
          return std::nullopt;
        return compare_kept(first, *in);
      });
}

/// Magnitudes are drawn from millions of values, so that an element in another's place shows.
template <class Keep>
Floats elements(Rng& rng, std::int64_t n, Keep keep) {
  Floats values(n);
  for (std::int64_t i = 0; i < n; ++i)
    values[i] = keep(i) ? rng.uniform<float>(0.01f, 1.0f) : -rng.uniform<float>(0.01f, 1.0f);
  return values;
}

inline Floats mixed(Rng& rng, std::int64_t n) {
  return elements(rng, n, [&rng](std::int64_t) { return rng.uniform<int>(0, 1) == 0; });
}
inline Floats few_kept(Rng& rng, std::int64_t n) {
  return elements(rng, n, [&rng](std::int64_t) { return rng.uniform<int>(0, 99) == 0; });
}
inline Floats nothing_kept(Rng& rng, std::int64_t n) {
  return elements(rng, n, [](std::int64_t) { return false; });
}
inline Floats all_kept(Rng& rng, std::int64_t n) {
  return elements(rng, n, [](std::int64_t) { return true; });
}
inline Floats last_kept(Rng& rng, std::int64_t n) {
  return elements(rng, n, [n](std::int64_t i) { return i == n - 1; });
}
/// Each element many times: none may be missing and none be there too often.
inline Floats repeated(Rng& rng, std::int64_t n) {
  Floats values(n);
  for (float& value : values) value = static_cast<float>(rng.uniform<int>(-3, 3));
  return values;
}
inline Floats special_values(Rng& rng, std::int64_t n) {
  constexpr float tiny = std::numeric_limits<float>::denorm_min();
  constexpr float unlimited = std::numeric_limits<float>::infinity();
  constexpr float nothing = std::numeric_limits<float>::quiet_NaN();
  const Floats choice = {0.0f, -0.0f, tiny, -tiny, unlimited, -unlimited, nothing, -nothing, 1.0f};
  Floats values(n);
  for (float& value : values) value = choice[rng.uniform<std::size_t>(0, choice.size() - 1)];
  return values;
}

template <class Suite>
gridstride::Timed timed_keep(Rng& rng, std::int64_t n) {
  struct State {
    std::shared_ptr<Floats> in = std::make_shared<Floats>();
    Kept kept;
  };
  const auto state = std::make_shared<State>();
  *state->in = mixed(rng, n);
  state->kept = Kept::of(*state->in);
  gridstride::Timed timed;
  timed.call = Suite::call(gridstride::input(state->in), kept_in_any_order(state->in, state->kept),
                           gridstride::exactly<std::int64_t>({state->kept.count}), n,
                           gridstride::scratch(scratch_bytes()));
  timed.bytes_moved = sizeof(float) * static_cast<double>(n + state->kept.count);
  timed.redraw = [state, n](Rng& fresh, gridstride::Redraw& change) {
    const std::int64_t count = std::min<std::int64_t>(1000, n);
    const auto first = fresh.uniform<std::int64_t>(0, n - count);
    const std::span<float> run(state->in->data() + first, count);
    const Kept before = Kept::of(run);
    Floats values = mixed(fresh, count);
    if (Kept::of(values).count == before.count) values[0] = -values[0];
    const Kept after = Kept::of(values);
    state->kept.count += after.count - before.count;
    state->kept.mark += after.mark - before.mark;
    std::copy(values.begin(), values.end(), run.begin());
    change.write(0, first, values);
    change.expect(1, [state] { return kept_in_any_order(state->in, state->kept); });
    change.expect(2, [state] { return gridstride::exactly<std::int64_t>({state->kept.count}); });
  };
  return timed;
}

inline std::optional<std::string> guess_kept(const gridstride::WrongAnswer& wrong) {
  if (wrong.argument != 1) return std::nullopt;
  if (static_cast<std::int64_t>(wrong.wrong.count) == Kept::of(wrong.input<float>(0)).count)
    return "None of the kept elements is there.";
  return "Did several elements get the same place? A place is one's own only if it is what the "
         "atomic returned, or counted from that.";
}

template <class Suite>
void define_keep(Suite& suite) {
  suite.parameters({"in", "out", "count", "n", "scratch"});
  using Make = Floats (*)(Rng&, std::int64_t);
  const auto add = [&suite](const std::string& what, Make make, std::int64_t n,
                            std::uint64_t in_offset = 0, std::uint64_t out_offset = 0) {
    suite.add(gridstride::named(what, n), n, [=](Rng& rng) {
      const auto in = std::make_shared<Floats>(make(rng, n));
      const Kept kept = Kept::of(*in);
      return Suite::call(gridstride::input(in).at_offset(in_offset),
                         kept_in_any_order(in, kept).at_offset(out_offset),
                         gridstride::exactly<std::int64_t>({kept.count}), n,
                         gridstride::scratch(scratch_bytes()));
    });
  };
  for (const std::int64_t n : gridstride::edge_sizes()) add("mixed", mixed, n);
  for (const std::int64_t n : {1, 33, 1025, 4095, 4096, 8193}) {
    add("nothing kept", nothing_kept, n);
    add("all kept", all_kept, n);
    add("the last kept", last_kept, n);
  }
  for (const std::int64_t n : {2, 257, 20011}) {
    add("few kept", few_kept, n);
    add("few values, each repeated", repeated, n);
    add("special values", special_values, n);
    add("input off by 1 and output by 2,", mixed, n, 1, 2);
    add("input off by 3 and output by 1,", mixed, n, 3, 1);
  }
  suite.guess(guess_kept);
  suite
      .add(gridstride::named("the most floats", gridstride::most_unsigned),
           gridstride::most_unsigned,
           [](Rng&) {
             return Suite::call(gridstride::absent<float>(gridstride::most_unsigned),
                                gridstride::absent<float>(gridstride::most_unsigned),
                                gridstride::absent<std::int64_t>(1), gridstride::most_unsigned,
                                gridstride::scratch(scratch_bytes()));
           })
      .too_large();
  suite.timing(timed_keep<Suite>);
}

}  // namespace atomics
