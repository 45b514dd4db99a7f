// The calls whose time is graded: half of the elements are kept, in random order.
//
// On a real GPU a run of elements is redrawn before each launch, and with it every result.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "labs/compact-split/compact-split.h"
#include "labs/compact-split/outputs.hpp"

namespace compact_split {

constexpr Count redrawn_elements = 1000;

/// What a timed call works on, shared with what redraws it.
struct TimedElements {
  std::shared_ptr<Floats> in = std::make_shared<Floats>();

  Floats kept() const { return kept_of(*in); }
  Floats rejected() const { return rejected_of(*in); }
};

inline std::shared_ptr<TimedElements> timed_elements(gridstride::Rng& rng, Count n) {
  auto state = std::make_shared<TimedElements>();
  *state->in = mixed(rng, n);
  return state;
}

/// Draws a run of `values` anew, with `draw(run)`, and tells the device.
template <class Draw>
void redraw_run(gridstride::Rng& rng, gridstride::Redraw& change, std::size_t parameter,
                Floats& values, Draw draw) {
  const Count count = std::min(redrawn_elements, size_of(values));
  const Count first = rng.uniform<Count>(0, size_of(values) - count);
  Floats run(values.begin() + first, values.begin() + first + count);
  draw(run);
  std::copy(run.begin(), run.end(), values.begin() + first);
  change.write<float>(parameter, static_cast<std::uint64_t>(first), run);
}

/// Other elements, and not as many of them kept as before.
inline void redraw_elements(gridstride::Rng& rng, gridstride::Redraw& change,
                            TimedElements& state) {
  redraw_run(rng, change, 0, *state.in, [&rng](Floats& run) {
    const auto before = std::count_if(run.begin(), run.end(), is_kept);
    run = mixed(rng, size_of(run));
    if (std::count_if(run.begin(), run.end(), is_kept) == before) run[0] = -run[0];
  });
}

template <class Suite>
gridstride::Timed timed_compact(gridstride::Rng& rng, Count n) {
  const auto state = timed_elements(rng, n);
  gridstride::Timed timed;
  timed.call = Suite::call(gridstride::input(state->in), in_order(state->kept(), n),
                           count_of(state->kept()), n, gridstride::scratch(scratch_bytes(n)));
  timed.bytes_moved = sizeof(float) * static_cast<double>(n + size_of(state->kept()));
  timed.redraw = [state, n](gridstride::Rng& fresh, gridstride::Redraw& change) {
    redraw_elements(fresh, change, *state);
    change.expect(1, [=] { return in_order(state->kept(), n); });
    change.expect(2, [=] { return count_of(state->kept()); });
  };
  timed.baseline_checks[1] = [=] { return in_any_order(state->kept(), n); };
  return timed;
}

template <class Suite>
gridstride::Timed timed_partition(gridstride::Rng& rng, Count n) {
  const auto state = timed_elements(rng, n);
  gridstride::Timed timed;
  timed.call = Suite::call(gridstride::input(state->in), in_order(state->kept(), n),
                           in_order(state->rejected(), n), count_of(state->kept()), n,
                           gridstride::scratch(scratch_bytes(n)));
  timed.bytes_moved = 2 * sizeof(float) * static_cast<double>(n);
  timed.redraw = [state, n](gridstride::Rng& fresh, gridstride::Redraw& change) {
    redraw_elements(fresh, change, *state);
    change.expect(1, [=] { return in_order(state->kept(), n); });
    change.expect(2, [=] { return in_order(state->rejected(), n); });
    change.expect(3, [=] { return count_of(state->kept()); });
  };
  timed.baseline_checks[1] = [=] { return in_any_order(state->kept(), n); };
  timed.baseline_checks[2] = [=] { return in_any_order(state->rejected(), n); };
  return timed;
}

template <class Suite>
gridstride::Timed timed_split_back(gridstride::Rng& rng, Count n) {
  const auto state = timed_elements(rng, n);
  const auto packed =
      std::make_shared<Floats>(rng.uniform<float>(state->kept().size(), -1.0f, 1.0f));
  gridstride::Timed timed;
  timed.call = Suite::call(gridstride::input(state->in), gridstride::input(packed),
                           in_order(split_back_of(*state->in, *packed), n), n,
                           gridstride::scratch(scratch_bytes(n)));
  timed.bytes_moved = sizeof(float) * static_cast<double>(2 * n + size_of(*packed));
  timed.redraw = [state, packed, n](gridstride::Rng& fresh, gridstride::Redraw& change) {
    // As many kept as before, for `packed` has no room for more, but others.
    redraw_run(fresh, change, 0, *state->in, [&fresh](Floats& run) { fresh.shuffle(run); });
    redraw_run(fresh, change, 1, *packed,
               [&fresh](Floats& run) { run = fresh.uniform<float>(run.size(), -1.0f, 1.0f); });
    change.expect(2, [=] { return in_order(split_back_of(*state->in, *packed), n); });
  };
  return timed;
}

}  // namespace compact_split
