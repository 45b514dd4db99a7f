// Atomic operations in shared memory: what they race with, and what they leave for others to race with.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "common/simulator/check/race_cells.h"
#include "common/simulator/check/race_checker.h"

namespace gridstride::sim {

using namespace race_cells;

void SharedRaceChecker::atomic(std::uint32_t warp, std::uint32_t mask, const std::uint32_t* offsets,
                               std::uint32_t bytes, std::uint32_t instruction) {
  const AccessStrength before = std::exchange(kind_, AccessStrength::strong);
  if (!atomic_bytes_.empty()) atomic_of_ = atomic_bytes_[instruction];
  if (last_plain_ < order_.epoch(warp) && !any_in_flight_ && atomic_of_ == 0) {
    const auto form = PostponedAccesses::Form::atomic;
    const bool is_postponed =
        !keeps_stores_ && postpone(form, last_plain_, warp, mask, 0, bytes, instruction, offsets);
    if (!is_postponed) {
      settle_postponed();
      leave_atomic(view_of(warp), mask, offsets, bytes, instruction, /*any_plain=*/false);
    }
    note_atomic(order_.now());
    kind_ = before;
    return;
  }
  settle_postponed();
  const View view = view_of(warp);
  const std::size_t cells = cells_of(bytes);
  // All lanes look before the first one leaves its record: what one of them stored before is hidden
  // from none.
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint32_t who = pack(warp, lane, instruction);
    const std::size_t first = offsets[lane] >> shift_;
    for (std::size_t cell = first; cell < first + cells; ++cell) {
      if (const Remembered store = racing_store(view, lane, cell))
        report(store, true, who, true, cell);
      if (const Remembered reader = racing_reader(view, lane, cell)) {
        report(reader, false, who, true, cell);
      }
    }
  }
  leave_atomic(view, mask, offsets, bytes, instruction, /*any_plain=*/true);
  note_atomic(view.now);
  kind_ = before;
  atomic_of_ = 0;
}

/// What atomics of one warp leave. Plain pointers and numbers: the compiler need not fear that one of
/// its stores changes another.
struct SharedRaceChecker::AtomicRecords {
  AtomicRecords(SharedRaceChecker& checker, const View& view)
      : timestamps(checker.write_.timestamp.data()),
        writers(checker.write_.who.data()),
        besides(checker.beside_.data()),
        epoch(view.epoch),
        own_epoch(view.own_epoch),
        now(view.now) {}

  /// Where the last store is no plain one of this barrier interval.
  void replace(std::size_t cell, std::uint32_t who) {
    // Another one of the interval is kept beside the last: of another warp than that where possible, else
    // of another thread and, where possible, behind the warp's last barrier. So a plain access that races
    // with any races with one of the two. Most of the time what is there already will do.
    const Remembered beside = besides[cell];
    if (beside.timestamp < epoch || (beside.who ^ who) >> warp_shift == 0) displace(cell, who);
    timestamps[cell] = now;
    writers[cell] = who;
  }
  /// The same for one cell of each lane, `who` being the first one, with nothing in memory that a store to
  /// a cell might change.
  [[gnu::noinline]] void replace_all(const std::uint32_t* offsets, std::uint32_t shift,
                                     std::uint32_t who) {
    std::uint32_t cells[32];
    for (std::uint32_t lane = 0; lane < 32; ++lane) cells[lane] = offsets[lane] >> shift;
    std::uint32_t *const times = timestamps, *const whose = writers;
    const Remembered* const kept = besides;
    const std::uint32_t since = epoch, time = now;
    const std::uint64_t warp = who >> warp_shift;
#pragma GCC unroll 8
    for (std::uint32_t lane = 0; lane < 32; ++lane, who += 1u << thread_shift) {
      const std::size_t cell = cells[lane];
      const auto beside = std::bit_cast<std::uint64_t>(kept[cell]);  // its timestamp, then who
      const bool is_old = static_cast<std::uint32_t>(beside) < since;
      if (is_old || beside >> (32 + warp_shift) == warp) [[unlikely]]
        displace(cell, who);
      times[cell] = time;
      whose[cell] = who;
    }
  }
  /// The cell's last atomic goes beside, in the place of what is no use there.
  [[gnu::noinline]] void displace(std::size_t cell, std::uint32_t who) {
    const Remembered last{timestamps[cell], writers[cell]}, beside = besides[cell];
    if (last.timestamp < epoch || (last.who ^ who) >> thread_shift == 0) return;
    const bool of_one_warp = (beside.who ^ who) >> warp_shift == 0;
    const bool is_of_use =
        beside.timestamp >= epoch && (beside.who ^ who) >> thread_shift != 0 &&
        (!of_one_warp || ((last.who ^ who) >> warp_shift == 0 && beside.timestamp >= own_epoch));
    if (is_of_use) return;
    besides[cell] = last;
    any_beside = true;
  }
  /// Behind a plain store that is not ordered for everybody: later atomics are compared with that.
  void add(std::size_t cell, std::uint32_t who) {
    besides[cell] = {now, who};
    any_beside = true;
  }

  std::uint32_t* timestamps;
  std::uint32_t* writers;
  Remembered* besides;
  std::uint32_t epoch, own_epoch, now;
  bool any_beside = false;
};

void SharedRaceChecker::leave_atomic(const View& view, std::uint32_t mask,
                                     const std::uint32_t* offsets, std::uint32_t bytes,
                                     std::uint32_t instruction, bool any_plain) {
  const std::size_t cells = cells_of(bytes);
  const std::uint32_t who = pack(view.warp, 0, instruction), shift = shift_;
  AtomicRecords records(*this, view);
  if (!any_plain && cells == 1 && mask == ~0u) {
    records.replace_all(offsets, shift, who);
    mask = 0;
  } else if (!any_plain && cells == 1) {
    for (; mask != 0; mask &= mask - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
      records.replace(offsets[lane] >> shift, who + (lane << thread_shift));
    }
  }
  for (; mask != 0; mask &= mask - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
    const std::uint32_t mine = who + (lane << thread_shift);
    const std::size_t first = offsets[lane] >> shift;
    for (std::size_t cell = first; cell < first + cells; ++cell) {
      const bool behind_plain = any_plain && records.timestamps[cell] >= records.epoch &&
                                kind_of(records.writers[cell]) == AccessStrength::plain;
      const Remembered last{records.timestamps[cell], records.writers[cell]};
      if (behind_plain && !happens_before(view, lane, last.timestamp, last.who)) {
        records.add(cell, mine);
        continue;
      }
      if (behind_plain) {
        before_atomics_.resize(beside_.size());
        before_atomics_[cell] = last;
      }
      records.replace(cell, mine);
    }
  }
  if (records.any_beside) last_beside_ = records.now;
}

}  // namespace gridstride::sim
