// Shadow cells of shared memory. See the header for the idea.
#include "common/simulator/check/race_checker.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "common/simulator/check/bulk_copies.h"
#include "common/simulator/check/race_cells.h"

namespace gridstride::sim {

using namespace race_cells;

SharedRaceChecker::SharedRaceChecker(std::uint32_t bytes, std::uint32_t granule,
                                     const HappensBefore& order, RaceSink& sink,
                                     std::span<const std::uint8_t> atomic_bytes, bool keeps_stores)
    : granule_(granule),
      shift_(static_cast<std::uint32_t>(std::countr_zero(granule))),
      atomic_bytes_(atomic_bytes),
      order_(order),
      sink_(sink),
      keeps_stores_(keeps_stores) {
  const std::size_t cells = (std::size_t{bytes} + granule - 1) / granule;
  for (Slot* slot : {&write_, &read_, &second_read_}) {
    slot->timestamp.assign(cells, 0);
    slot->who.assign(cells, 0);
  }
  beside_.resize(cells);
  groups_.resize((cells >> group_shift) + 1);
}

void SharedRaceChecker::start_block(bool over) {
  postponed_.forget();
  if (over) {
    for (Slot* slot : {&write_, &read_, &second_read_}) std::ranges::fill(slot->timestamp, 0);
    std::ranges::fill(beside_, Remembered{});
    before_atomics_.clear();
    std::ranges::fill(groups_, Group{});
    last_plain_ = last_beside_ = last_store_ = last_atomic_ = 0;
  } else if (any_in_flight_) {
    std::ranges::replace(write_.timestamp, in_flight, 0u);
    // All other stores lie before this block.
    for (Group& group : groups_) group.last_store = 0;
    last_store_ = 0;
    if (any_read_in_flight_) {
      for (Slot* slot : {&read_, &second_read_})
        std::ranges::replace(slot->timestamp, in_flight, 0u);
      std::ranges::fill(groups_, Group{});
    }
  }
  any_in_flight_ = any_read_in_flight_ = false;
  begun_ = order_.now();
}

inline bool SharedRaceChecker::races(const View& view, std::uint32_t lane, std::uint32_t timestamp,
                                     std::uint32_t who) const {
  // What is cheap to know comes first.
  const bool of_another_size =
      atomic_of_ != 0 && are_of_different_sizes(atomic_of_, atomic_bytes_[who & instruction_mask]);
  return (of_another_size || !may_overlap(kind_of(who), kind_, thread_of(who) / 32 == view.warp)) &&
         !happens_before(view, lane, timestamp, who);
}

void SharedRaceChecker::report(const Remembered& earlier, bool earlier_stores, std::uint32_t now,
                               bool now_stores, std::size_t cell) {
  const std::uint32_t thread = thread_of(earlier.who) % BlockClock::copies_of;
  const bool on_its_way =
      earlier.timestamp == in_flight || (earlier_stores && (earlier.who & of_a_copy) != 0);
  RacingAccess access{thread_of(now), now & instruction_mask, now_stores};
  access.misses_a_fence =
      !on_its_way && order_.misses_a_fence(access.thread / 32, access.thread % 32, order_.block(),
                                           thread, earlier.timestamp);
  sink_.race({thread, earlier.who & instruction_mask, earlier_stores, on_its_way}, access,
             static_cast<std::uint32_t>(cell << shift_));
}

[[gnu::always_inline]] inline void SharedRaceChecker::note_reader(const View& view,
                                                                  std::uint32_t lane,
                                                                  std::size_t cell,
                                                                  std::uint32_t who) {
  // A reader that lies before this one is covered by it: whoever is ordered after this read is
  // ordered after that one. Of concurrent readers two are kept, of different warps where possible,
  // so that any store races with at least one of them.
  const std::uint32_t me = thread_of(who);
  const std::uint32_t time1 = read_.timestamp[cell], time2 = second_read_.timestamp[cell];
  const std::uint32_t who1 = read_.who[cell], who2 = second_read_.who[cell];
  const std::uint32_t first = thread_of(who1), second = thread_of(who2);
  if (first != me && second != me) {
    const bool of_two_warps = first / 32 != second / 32;
    const std::uint32_t earlier = std::min(time1, time2);
    if (of_two_warps && view.epochs_only && earlier >= view.epoch) return;
    // Two other lanes of this warp are kept already.
    const bool enough = first / 32 == view.warp && !of_two_warps && view.epochs_only;
    if (enough && earlier >= std::max(view.epoch, view.own_epoch)) return;
  }
  if (happens_before(view, lane, time1, who1)) {
    // What lies before this one needs no place of its own, which others may need.
    if (!view.epochs_only && time2 >= view.epoch && happens_before(view, lane, time2, who2))
      second_read_.timestamp[cell] = 0;
    return leave_reader(read_, view, cell, who);
  }
  if (happens_before(view, lane, time2, who2) ||
      (first / 32 != view.warp && second / 32 == first / 32)) {
    leave_reader(second_read_, view, cell, who);
  }
}

SharedRaceChecker::Remembered SharedRaceChecker::racing_reader(const View& view, std::uint32_t lane,
                                                               std::size_t cell) const {
  for (const Slot* slot : {&read_, &second_read_}) {
    const Remembered one{slot->timestamp[cell], slot->who[cell]};
    if (races(view, lane, one.timestamp, one.who)) return one;
  }
  return {};
}

SharedRaceChecker::Remembered SharedRaceChecker::racing_store(const View& view, std::uint32_t lane,
                                                              std::size_t cell) const {
  const Remembered last{write_.timestamp[cell], write_.who[cell]};
  if (last.timestamp >= view.epoch && races(view, lane, last.timestamp, last.who)) return last;
  if (last_beside_ >= view.epoch) {
    const Remembered& beside = beside_[cell];
    if (races(view, lane, beside.timestamp, beside.who)) return beside;
  }
  if (before_atomics_.empty()) return {};
  const Remembered& before = before_atomics_[cell];
  return races(view, lane, before.timestamp, before.who) ? before : Remembered{};
}

void SharedRaceChecker::read(std::uint32_t warp, std::uint32_t mask, const std::uint32_t* offsets,
                             std::uint32_t bytes, std::uint32_t instruction) {
  note_kind();
  const auto form = PostponedAccesses::Form::read;
  if (postpone(form, last_store_, warp, mask, 0, bytes, instruction, offsets)) return;
  settle_postponed();
  const View view = view_of(warp);
  if (std::max(last_store_, last_beside_) < view.epoch)
    return note_readers(view, mask, offsets, bytes, instruction);
  const std::size_t cells = cells_of(bytes);
  for (; mask != 0; mask &= mask - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
    const std::uint32_t who = pack(warp, lane, instruction);
    const std::size_t first = offsets[lane] >> shift_;
    for (std::size_t cell = first; cell < first + cells; ++cell) {
      if (const Remembered store = racing_store(view, lane, cell))
        report(store, true, who, false, cell);
      note_reader(view, lane, cell, who);
    }
  }
}

void SharedRaceChecker::note_readers(const View& view, std::uint32_t mask,
                                     const std::uint32_t* offsets, std::uint32_t bytes,
                                     std::uint32_t instruction) {
  const std::size_t cells = cells_of(bytes);
  const std::uint32_t warp = view.warp, shift = shift_;
  const std::uint32_t whole_warp = pack(warp, 0, instruction);
  const auto note = [&](std::uint32_t lane) __attribute__((noinline)) {
    const std::size_t first = offsets[lane] >> shift;
    for (std::size_t cell = first; cell < first + cells; ++cell)
      note_reader(view, lane, cell, whole_warp + (lane << thread_shift));
  };
  if (cells != 1 || !view.epochs_only) {
    for (; mask != 0; mask &= mask - 1) note(static_cast<std::uint32_t>(std::countr_zero(mask)));
    return;
  }
  // Mostly two others are kept already, of two warps or both of this one (note_reader()).
  const std::uint32_t* const time1 = read_.timestamp.data();
  const std::uint32_t* const time2 = second_read_.timestamp.data();
  const std::uint32_t* const who1 = read_.who.data();
  const std::uint32_t* const who2 = second_read_.who.data();
  const std::uint32_t least = std::max(view.epoch, view.own_epoch);
  for (; mask != 0; mask &= mask - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
    const std::size_t cell = offsets[lane] >> shift;
    const std::uint32_t first = thread_of(who1[cell]), second = thread_of(who2[cell]);
    const std::uint32_t me = thread_of(whole_warp) + lane;
    if (std::min(time1[cell], time2[cell]) < view.epoch) {  // one of two is free since the barrier
      const bool is_covered = time1[cell] < view.epoch || first == me ||
                              (first / 32 == warp && time1[cell] < view.own_epoch);
      leave_reader(is_covered ? read_ : second_read_, view, cell,
                   whole_warp + (lane << thread_shift));
      continue;
    }
    const bool kept = time1[cell] >= least && time2[cell] >= least && first != me && second != me &&
                      (first / 32 != second / 32 || first / 32 == warp);
    if (!kept) note(lane);
  }
}

void SharedRaceChecker::read_one(std::uint32_t warp, std::uint32_t mask, std::uint32_t offset,
                                 std::uint32_t bytes, std::uint32_t instruction) {
  note_kind();
  const auto form = PostponedAccesses::Form::place;
  if (postpone(form, last_store_, warp, mask, offset, bytes, instruction)) return;
  settle_postponed();
  const View view = view_of(warp);
  if (std::max(last_store_, last_beside_) >= view.epoch) {
    const std::size_t first = offset >> shift_, last = first + cells_of(bytes);
    const auto low = static_cast<std::uint32_t>(std::countr_zero(mask));
    const auto high = 31 - static_cast<std::uint32_t>(std::countl_zero(mask));
    for (std::size_t cell = first; cell < last; ++cell) {
      // Two of the lanes stand for all: any store races with one of two lanes if it races with many.
      if (std::max(write_.timestamp[cell], last_beside_) < view.epoch) {
        // A barrier has ordered all stores.
      } else if (const Remembered store = racing_store(view, low, cell)) {
        report(store, true, pack(warp, low, instruction), false, cell);
      } else if (const Remembered other = racing_store(view, high, cell)) {
        report(other, true, pack(warp, high, instruction), false, cell);
      }
    }
  }
  note_place(view, mask, offset, bytes, instruction);
}

void SharedRaceChecker::note_place(const View& view, std::uint32_t mask, std::uint32_t offset,
                                   std::uint32_t bytes, std::uint32_t instruction) {
  const std::size_t first = offset >> shift_, last = first + cells_of(bytes);
  const auto low = static_cast<std::uint32_t>(std::countr_zero(mask));
  const auto high = 31 - static_cast<std::uint32_t>(std::countl_zero(mask));
  const std::uint32_t warp = view.warp;
  const std::uint32_t who_low = pack(warp, low, instruction);
  const std::uint32_t who_high = pack(warp, high, instruction);
  std::uint32_t *const time1 = read_.timestamp.data(), *const who1 = read_.who.data();
  std::uint32_t *const time2 = second_read_.timestamp.data(), *const who2 = second_read_.who.data();
  for (std::size_t cell = first; cell < last; ++cell) {
    // What note_reader() makes of both, where nobody has read since the barrier, and where two other
    // warps have.
    if (time1[cell] < view.epoch && time2[cell] < view.epoch && view.epochs_only) {
      time1[cell] = view.now;
      who1[cell] = who_low;
      if (high != low) {
        time2[cell] = view.now;
        who2[cell] = who_high;
      }
      Group& group = groups_[cell >> group_shift];
      group.last_read = view.now;
      group.readers_since = 0;
      continue;
    }
    const std::uint32_t warp1 = thread_of(who1[cell]) / 32, warp2 = thread_of(who2[cell]) / 32;
    if (view.epochs_only && std::min(time1[cell], time2[cell]) >= view.epoch && warp1 != warp2 &&
        warp1 != warp && warp2 != warp) {
      continue;
    }
    note_reader(view, low, cell, who_low);
    if (high != low) note_reader(view, high, cell, who_high);
  }
}

void SharedRaceChecker::write_cell(const View& view, std::uint32_t lane, std::size_t cell,
                                   std::uint32_t who, const StoredValues& values) {
  const Remembered store = racing_store(view, lane, cell);
  if (store && (is_strong(kind_of(store.who)) || store.timestamp == in_flight ||
                !values.changes_nothing(lane))) {
    report(store, true, who, true, cell);
  }
  if (const Remembered reader = racing_reader(view, lane, cell)) {
    report(reader, false, who, true, cell);
  }
}

void SharedRaceChecker::write(std::uint32_t warp, std::uint32_t mask, const std::uint32_t* offsets,
                              std::uint32_t bytes, std::uint32_t instruction,
                              const StoredValues& values) {
  note_kind();
  settle_postponed();
  const View view = view_of(warp);
  const std::size_t cells = cells_of(bytes);
  const std::uint32_t whole_warp = pack(warp, 0, instruction);
  // All lanes look before the first one stores: lanes of one instruction are compared by value
  // where it is executed.
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint32_t who = whole_warp + (lane << thread_shift);
    const std::size_t first = offsets[lane] >> shift_;
    for (std::size_t cell = first; cell < first + cells; ++cell) {
      write_cell(view, lane, cell, who, values);
    }
  }
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::size_t first = offsets[lane] >> shift_;
    for (std::size_t cell = first; cell < first + cells; ++cell) {
      write_.timestamp[cell] = view.now;
      write_.who[cell] = whole_warp + (lane << thread_shift);
      std::uint32_t& last = groups_[cell >> group_shift].last_store;
      last = std::max(last, view.now);
    }
  }
  last_store_ = std::max(last_store_, view.now);
}

void SharedRaceChecker::write_in_flight(std::uint32_t warp, std::uint32_t mask,
                                        const std::uint32_t* offsets, std::uint32_t bytes,
                                        std::uint32_t instruction, std::uint32_t unchanged) {
  kind_ = AccessStrength::plain;
  settle_postponed();
  const View view = view_of(warp);
  const std::size_t cells = cells_of(bytes);
  // Lanes are compared with one another too: each finds what those before it began. Library code lets
  // lanes that have nothing to copy copy what the last one does.
  const auto just_brought = [&](const Remembered& store, std::uint32_t lane) {
    const std::uint32_t other = thread_of(store.who) % 32;
    return store.timestamp == in_flight && thread_of(store.who) / 32 == warp && other < lane &&
           (mask >> other & 1) != 0 && offsets[other] == offsets[lane] &&
           (store.who & instruction_mask) == (instruction & instruction_mask);
  };
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint32_t who = pack(warp, lane, instruction);
    const std::size_t first = offsets[lane] >> shift_;
    for (std::size_t cell = first; cell < first + cells; ++cell) {
      const Remembered store = racing_store(view, lane, cell);
      if (store && ((unchanged >> lane & 1) == 0 || !just_brought(store, lane)))
        report(store, true, who, true, cell);
      if (const Remembered reader = racing_reader(view, lane, cell))
        report(reader, false, who, true, cell);
      write_.timestamp[cell] = in_flight;
      write_.who[cell] = who;
      groups_[cell >> group_shift].last_store = in_flight;
    }
  }
  any_in_flight_ = true;
  last_store_ = in_flight;
}

void SharedRaceChecker::read_in_flight(std::uint32_t warp, std::uint32_t lane, std::uint32_t offset,
                                       std::uint32_t bytes, std::uint32_t instruction,
                                       const BulkCopies& bulk) {
  kind_ = AccessStrength::plain;
  settle_postponed();
  const View view = view_of(warp);
  const std::uint32_t who = pack(warp, lane, instruction);
  const std::size_t first = offset >> shift_;
  for (std::size_t cell = first; cell < first + cells_of(bytes); ++cell) {
    const Remembered store{write_.timestamp[cell], write_.who[cell]};
    const bool of_a_thread =
        store.timestamp >= begun_ && store.timestamp != in_flight && (store.who & of_a_copy) == 0;
    if (const Remembered racing = racing_store(view, lane, cell)) {
      report(racing, true, who, false, cell);
    } else if (of_a_thread && !bulk.is_fenced(warp, lane, thread_of(store.who), store.timestamp)) {
      RacingAccess now{thread_of(who), who & instruction_mask, false};
      now.misses_a_proxy_fence = true;
      sink_.race({thread_of(store.who), store.who & instruction_mask, true}, now,
                 static_cast<std::uint32_t>(cell << shift_));
    }
    Slot& slot =
        happens_before(view, lane, read_.timestamp[cell], read_.who[cell]) ? read_ : second_read_;
    leave_reader(slot, view, cell, who);
    slot.timestamp[cell] = groups_[cell >> group_shift].last_read = in_flight;
  }
  any_in_flight_ = any_read_in_flight_ = true;
}

void SharedRaceChecker::land_reads(std::uint32_t thread, std::uint32_t offset,
                                   std::uint32_t bytes) {
  const std::size_t first = offset >> shift_, cells = cells_of(bytes);
  for (Slot* slot : {&read_, &second_read_}) {
    for (std::size_t cell = first; cell < first + cells; ++cell) {
      if (slot->timestamp[cell] == in_flight && thread_of(slot->who[cell]) == thread)
        slot->timestamp[cell] = order_.now();
    }
  }
}

void SharedRaceChecker::land(std::uint32_t thread, std::uint32_t offset, std::uint32_t bytes,
                             bool for_others) {
  const std::size_t first = offset >> shift_, cells = cells_of(bytes);
  for (std::size_t cell = first; cell < first + cells; ++cell) {
    if (write_.timestamp[cell] == in_flight && thread_of(write_.who[cell]) == thread) {
      write_.timestamp[cell] = order_.now();
      if (for_others) write_.who[cell] |= of_a_copy;
    }
  }
}

void SharedRaceChecker::leave_postponed() {
  if (postponed_.interval() == order_.last_block_barrier()) {
    const AccessStrength kind = kind_;
    postponed_.for_each([&](const PostponedAccesses::Access& access, const std::uint32_t* offsets) {
      const View view{access.warp, postponed_.interval(), access.own_epoch, access.time, true};
      kind_ = access.strength;
      switch (access.form) {
        case PostponedAccesses::Form::read:
          return note_readers(view, access.mask, offsets, access.bytes, access.instruction);
        case PostponedAccesses::Form::run:
          return note_run(view, access.mask, access.offset, access.bytes, access.instruction);
        case PostponedAccesses::Form::place:
          return note_place(view, access.mask, access.offset, access.bytes, access.instruction);
        case PostponedAccesses::Form::atomic:
          return leave_atomic(view, access.mask, offsets, access.bytes, access.instruction,
                              /*any_plain=*/false);
      }
    });
    kind_ = kind;
    postponed_.close();
  }
  postponed_.forget();
}

}  // namespace gridstride::sim
