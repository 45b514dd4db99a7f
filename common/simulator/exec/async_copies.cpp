// See async_copies.h.
#include "common/simulator/exec/async_copies.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "common/simulator/check/happens_before.h"
#include "common/simulator/check/race_checker.h"

namespace gridstride::sim {

void AsyncCopies::start_block() { threads_.clear(); }

void AsyncCopies::begin(std::uint32_t thread, std::uint32_t offset, std::uint32_t bytes,
                        double ready, SharedRaceChecker* races) {
  Thread& state = threads_[thread];
  if (state.pending.size() == most_copies_on_their_way) land(thread, state.landed + 1, races);
  state.pending.push_back({offset, bytes, order_.now(), ready});
}

void AsyncCopies::commit(std::uint32_t thread, SharedRaceChecker* races) {
  Thread& state = threads_[thread];
  if (state.groups.size() == most_copies_on_their_way)
    wait_for_groups(thread, most_copies_on_their_way - 1, races);
  state.groups.push_back(begun(thread));
}

double AsyncCopies::wait_for_groups(std::uint32_t thread, std::uint32_t most,
                                    SharedRaceChecker* races) {
  std::vector<std::uint64_t>& groups = threads_[thread].groups;
  if (groups.size() <= most) return 0;
  const auto last = groups.end() - static_cast<std::ptrdiff_t>(most) - 1;
  const double ready = land(thread, *last, races);
  groups.erase(groups.begin(), last + 1);
  return ready;
}

double AsyncCopies::wait_for_all(std::uint32_t thread, SharedRaceChecker* races) {
  threads_[thread].groups.clear();
  return land(thread, begun(thread), races);
}

std::uint64_t AsyncCopies::begun(std::uint32_t thread) const {
  const Thread* const state = threads_.find(thread);
  return state != nullptr ? state->landed + state->pending.size() : 0;
}

double AsyncCopies::ready(std::uint32_t thread) const {
  double latest = 0;
  if (const Thread* const state = threads_.find(thread)) {
    for (const Copy& copy : state->pending) latest = std::max(latest, copy.ready);
  }
  return latest;
}

bool AsyncCopies::waits_for_what_others_saw(std::uint32_t thread) {
  return threads_.find(thread) != nullptr && std::exchange(threads_[thread].others_saw, false);
}

double AsyncCopies::land(std::uint32_t thread, std::uint64_t count, SharedRaceChecker* races,
                         Waiter waiter) {
  Thread& state = threads_[thread];
  double ready = 0;
  const std::uint64_t missing = count > state.landed ? count - state.landed : 0;
  const auto end = state.pending.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(
                                               missing, state.pending.size()));
  for (auto copy = state.pending.begin(); copy != end; ++copy) {
    ready = std::max(ready, copy->ready);
    const bool by_others = waiter == Waiter::mbarrier || state.at_mbarrier;
    state.others_saw = state.others_saw || by_others;
    if (races) races->land(thread, copy->offset, copy->bytes, by_others);
    ++state.landed;
  }
  if (end != state.pending.begin()) {
    order_.land_copies(thread, (end - 1)->begun, waiter == Waiter::mbarrier || state.at_mbarrier);
  }
  state.pending.erase(state.pending.begin(), end);
  return ready;
}

}  // namespace gridstride::sim
