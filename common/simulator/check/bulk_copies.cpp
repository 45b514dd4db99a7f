// See bulk_copies.h.
#include "common/simulator/check/bulk_copies.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "common/simulator/check/race_checker.h"

namespace gridstride::sim {

void BulkCopies::start_block() {
  threads_.clear();
  fences_.clear();
}

void BulkCopies::begin(std::uint32_t thread, std::uint32_t offset, std::uint32_t bytes,
                       double ready, SharedRaceChecker* races) {
  Thread& state = threads_[thread];
  if (state.pending.size() == most_copies_on_their_way) {
    land(thread, state.pending.front(), /*sources=*/false, races);
    state.pending.erase(state.pending.begin());
  }
  state.pending.push_back({offset, bytes, order_.now(), state.groups, false, ready});
  order_.tick();  // the next copy begins later
}

void BulkCopies::commit(std::uint32_t thread) { ++threads_[thread].groups; }

void BulkCopies::land(std::uint32_t thread, Copy& copy, bool sources, SharedRaceChecker* races) {
  if (!copy.has_read && races) races->land_reads(thread, copy.offset, copy.bytes);
  copy.has_read = true;
  if (!sources) order_.land_copies(thread, copy.begun, /*for_others=*/false);
}

double BulkCopies::wait(std::uint32_t thread, std::uint32_t most, bool sources,
                        SharedRaceChecker* races) {
  Thread& state = threads_[thread];
  double ready = 0;
  const auto is_waited_for = [&](const Copy& copy) {
    return copy.group + std::uint64_t{most} < state.groups;
  };
  for (Copy& copy : state.pending) {
    if (!is_waited_for(copy)) continue;
    land(thread, copy, sources, races);
    ready = std::max(ready, copy.ready);
  }
  if (!sources) std::erase_if(state.pending, is_waited_for);
  return ready;
}

void BulkCopies::fence(const HappensBefore::Lanes& lanes) {
  const Fence passed{order_.now(), order_.epoch(lanes.warp), order_.own_epoch(lanes.warp),
                     !order_.epochs_say_all(lanes.warp)};
  for (std::uint32_t rest = lanes.mask; rest != 0; rest &= rest - 1) {
    fences_[lanes.warp * 32 + static_cast<std::uint32_t>(std::countr_zero(rest))] = passed;
  }
  order_.tick();  // what is stored from here on is stored later
}

bool BulkCopies::is_fenced(std::uint32_t warp, std::uint32_t lane, std::uint32_t writer,
                           std::uint32_t timestamp) const {
  const auto leads_here = [&](std::uint32_t thread, const Fence& fence) {
    if (fence.at == 0 || timestamp > fence.at) return false;
    const bool knows = thread == writer || fence.knows_more || timestamp < fence.epoch ||
                       (thread / 32 == writer / 32 && timestamp < fence.own_epoch);
    return knows && order_.happens_before(warp, lane, fence.at, thread);
  };
  if (const Fence* const own = fences_.find(writer); own != nullptr && leads_here(writer, *own)) {
    return true;
  }
  for (std::uint32_t thread = 0; thread < fences_.size(); ++thread) {
    if (leads_here(thread, *fences_.find(thread))) return true;
  }
  return false;
}

}  // namespace gridstride::sim
