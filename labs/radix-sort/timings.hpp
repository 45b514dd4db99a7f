// The calls whose time is graded: keys of 32 random bits. A run of them is drawn anew before each
// launch on a real GPU, and with it every result.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "labs/radix-sort/outputs.hpp"

namespace radix_sort {

inline constexpr Count redrawn_keys = 1000;

/// What a timed call works on, shared with what redraws it.
struct TimedKeys {
  std::shared_ptr<Keys> keys = std::make_shared<Keys>();
  Count section;  ///< n if all are sorted together
  Fingerprint fingerprint;

  TimedKeys(gridstride::Rng& rng, Count n, Count section_keys)
      : section(section_keys), fingerprint{rng.next(), 0} {
    *keys = random_keys(rng, n);
    for (Count i = 0; i < n; ++i) fingerprint.add((*keys)[i], i / section);
  }

  gridstride::Output<std::uint32_t> result() const {
    return sorted_with(fingerprint, size_of(*keys), section);
  }

  /// Returns the first index of what was redrawn.
  Count redraw(gridstride::Rng& rng, gridstride::Redraw& change) {
    const Count count = std::min(redrawn_keys, size_of(*keys));
    const Count first = rng.uniform<Count>(0, size_of(*keys) - count);
    const Keys run = random_keys(rng, count);
    for (Count i = 0; i < count; ++i) {
      std::uint32_t& key = (*keys)[first + i];
      fingerprint.remove(key, (first + i) / section);
      key = run[i];
      fingerprint.add(key, (first + i) / section);
    }
    change.write<std::uint32_t>(0, static_cast<std::uint64_t>(first), run);
    return first;
  }
};

template <class Suite>
gridstride::Timed timed_keys(gridstride::Rng& rng, Count n, Count section) {
  const auto state = std::make_shared<TimedKeys>(rng, n, section);
  gridstride::Timed timed;
  timed.call = Suite::call(gridstride::input(state->keys), state->result(), n,
                           gridstride::scratch(scratch_bytes(n, 4)));
  timed.bytes_moved = 8.0 * static_cast<double>(n);
  timed.redraw = [state](gridstride::Rng& fresh, gridstride::Redraw& change) {
    state->redraw(fresh, change);
    change.expect(1, [state] { return state->result(); });
  };
  return timed;
}

template <class Suite>
gridstride::Timed timed_pairs(gridstride::Rng& rng, Count n) {
  const auto state = std::make_shared<TimedKeys>(rng, n, n);
  const auto values = std::make_shared<Keys>(n);
  const auto value_for = [](gridstride::Rng& source, Count i) {
    return static_cast<std::uint32_t>(i) * value_slots +
           source.uniform<std::uint32_t>(0, value_slots - 1);
  };
  for (Count i = 0; i < n; ++i) (*values)[i] = value_for(rng, i);
  gridstride::Timed timed;
  timed.call = Suite::call(gridstride::input(state->keys), gridstride::input(values),
                           state->result(), values_of(state->keys, values), n,
                           KeyType::unsigned_integer, gridstride::scratch(scratch_bytes(n, 8)));
  timed.bytes_moved = 16.0 * static_cast<double>(n);
  timed.redraw = [=](gridstride::Rng& fresh, gridstride::Redraw& change) {
    const Count first = state->redraw(fresh, change);
    Keys run(std::min(redrawn_keys, n));
    for (Count i = 0; i < size_of(run); ++i)
      run[i] = (*values)[first + i] = value_for(fresh, first + i);
    change.write<std::uint32_t>(1, static_cast<std::uint64_t>(first), run);
    change.expect(2, [=] { return state->result(); });
    change.expect(3, [=] { return values_of(state->keys, values); });
  };
  return timed;
}

}  // namespace radix_sort
