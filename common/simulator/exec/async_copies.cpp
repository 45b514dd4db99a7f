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
namespace {

/// Copies and groups that a thread may have on their way; of more the oldest count as arrived, so
/// that a kernel that never waits needs no memory without end.
constexpr std::size_t most_pending = 256;

}  // namespace

void AsyncCopies::start_block() { threads_.clear(); }

AsyncCopies::Thread& AsyncCopies::of(std::uint32_t thread) {
  if (thread >= threads_.size()) threads_.resize(thread + 1);
  return threads_[thread];
}

void AsyncCopies::begin(std::uint32_t thread, std::uint32_t offset, std::uint32_t bytes,
                        double ready, SharedRaceChecker* races) {
  Thread& state = of(thread);
  if (state.pending.size() == most_pending) land(thread, state.landed + 1, races);
  state.pending.push_back({offset, bytes, order_.now(), ready});
}

void AsyncCopies::commit(std::uint32_t thread, SharedRaceChecker* races) {
  Thread& state = of(thread);
  if (state.groups.size() == most_pending) wait_for_groups(thread, most_pending - 1, races);
  state.groups.push_back(begun(thread));
}

double AsyncCopies::wait_for_groups(std::uint32_t thread, std::uint32_t most,
                                    SharedRaceChecker* races) {
  std::vector<std::uint64_t>& groups = of(thread).groups;
  if (groups.size() <= most) return 0;
  const auto last = groups.end() - static_cast<std::ptrdiff_t>(most) - 1;
  const double ready = land(thread, *last, races);
  groups.erase(groups.begin(), last + 1);
  return ready;
}

double AsyncCopies::wait_for_all(std::uint32_t thread, SharedRaceChecker* races) {
  of(thread).groups.clear();
  return land(thread, begun(thread), races);
}

std::uint64_t AsyncCopies::begun(std::uint32_t thread) const {
  if (thread >= threads_.size()) return 0;
  return threads_[thread].landed + threads_[thread].pending.size();
}

double AsyncCopies::ready(std::uint32_t thread) const {
  double latest = 0;
  if (thread >= threads_.size()) return latest;
  for (const Copy& copy : threads_[thread].pending) latest = std::max(latest, copy.ready);
  return latest;
}

bool AsyncCopies::waits_for_what_others_saw(std::uint32_t thread) {
  return thread < threads_.size() && std::exchange(threads_[thread].others_saw, false);
}

double AsyncCopies::land(std::uint32_t thread, std::uint64_t count, SharedRaceChecker* races,
                         Waiter waiter) {
  Thread& state = of(thread);
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
