// Accesses of lanes that follow one another: their cells are compared as a whole.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "common/simulator/check/race_cells.h"
#include "common/simulator/check/race_checker.h"

namespace gridstride::sim {

using namespace race_cells;

namespace {

/// Calls `use` with `count` and `shift`, as constants where they are what most accesses have: then the
/// loops over cells are unrolled.
template <class Use>
[[gnu::always_inline]] inline auto with_usual(std::uint32_t count, std::uint32_t shift, Use use) {
  if (count == 32 && shift == 0) return use(32u, 0u);
  if (count == 1) return use(1u, 0u);
  return use(count, shift);
}

}  // namespace

[[gnu::always_inline]] inline bool SharedRaceChecker::cells_of_run(std::uint32_t lanes,
                                                                   std::uint32_t offset,
                                                                   std::uint32_t bytes,
                                                                   Cells& out) const {
  if (bytes < granule_ || offset % granule_ != 0) return false;
  const std::uint32_t per_lane_shift = static_cast<std::uint32_t>(std::countr_zero(bytes)) - shift_;
  out = {offset >> shift_, lanes << per_lane_shift, per_lane_shift};
  return true;
}

[[gnu::always_inline]] inline SharedRaceChecker::Group SharedRaceChecker::latest_in(
    const Cells& cells) const {
  Group latest;
  const std::size_t last = (cells.first + cells.count - 1) >> group_shift;
  for (std::size_t group = cells.first >> group_shift; group <= last; ++group) {
    latest.last_store = std::max(latest.last_store, groups_[group].last_store);
    latest.last_read = std::max(latest.last_read, groups_[group].last_read);
  }
  latest.last_store = std::max(latest.last_store, last_atomic_);
  return latest;
}

[[gnu::always_inline]] inline bool SharedRaceChecker::has_both_readers(const View& view,
                                                                       const Cells& cells) const {
  const std::size_t last = (cells.first + cells.count - 1) >> group_shift;
  for (std::size_t group = cells.first >> group_shift; group <= last; ++group) {
    const Group& one = groups_[group];
    if (one.readers_since == 0 || one.readers_since < view.epoch || one.first_warp == view.warp ||
        one.second_warp == view.warp) {
      return false;
    }
  }
  return true;
}

inline void SharedRaceChecker::note_read(const Cells& cells, std::uint32_t now) {
  const std::size_t last = (cells.first + cells.count - 1) >> group_shift;
  for (std::size_t group = cells.first >> group_shift; group <= last; ++group) {
    groups_[group].last_read = now;
    groups_[group].readers_since = 0;
  }
}

void SharedRaceChecker::note_both_readers(const Cells& cells) {
  constexpr std::size_t size = std::size_t{1} << group_shift;
  for (std::size_t first = (cells.first + size - 1) & ~(size - 1);
       first + size <= cells.first + cells.count; first += size) {
    const std::uint32_t first_warp = thread_of(read_.who[first]) / 32;
    const std::uint32_t second_warp = thread_of(second_read_.who[first]) / 32;
    if (first_warp == second_warp) continue;
    const std::uint32_t* const time1 = &read_.timestamp[first];
    const std::uint32_t* const time2 = &second_read_.timestamp[first];
    const std::uint32_t* const who1 = &read_.who[first];
    const std::uint32_t* const who2 = &second_read_.who[first];
    std::uint32_t least = ~0u, differs = 0;
    for (std::size_t i = 0; i < size; ++i) {
      least = std::min(least, std::min(time1[i], time2[i]));
      differs |= (thread_of(who1[i]) / 32 ^ first_warp) | (thread_of(who2[i]) / 32 ^ second_warp);
    }
    if (differs != 0) continue;
    Group& group = groups_[first >> group_shift];
    group.readers_since = least;
    group.first_warp = static_cast<std::uint16_t>(first_warp);
    group.second_warp = static_cast<std::uint16_t>(second_warp);
  }
}

bool SharedRaceChecker::any_store(const View& view, const Cells& cells) const {
  const std::uint32_t* const timestamp = &write_.timestamp[cells.first];
  const std::uint32_t* const writer = &write_.who[cells.first];
  const std::uint32_t epoch = view.epoch, thread = view.warp * 32;
  return with_usual(
      cells.count, cells.per_lane_shift, [&](std::uint32_t count, std::uint32_t shift) {
        std::uint32_t any = 0;
        for (std::uint32_t i = 0; i < count; ++i) {
          any |= bit(timestamp[i] >= epoch) & bit(thread_of(writer[i]) != thread + (i >> shift));
          any |= bit(timestamp[i] == in_flight);
        }
        return any != 0;
      });
}

bool SharedRaceChecker::any_reader(const Slot& slot, const View& view, const Cells& cells) const {
  const std::uint32_t* const timestamp = &slot.timestamp[cells.first];
  const std::uint32_t* const reader = &slot.who[cells.first];
  const std::uint32_t epoch = view.epoch, thread = view.warp * 32;
  return with_usual(
      cells.count, cells.per_lane_shift, [&](std::uint32_t count, std::uint32_t shift) {
        std::uint32_t any = 0;
        for (std::uint32_t i = 0; i < count; ++i) {
          any |= bit(timestamp[i] >= epoch) & bit(thread_of(reader[i]) != thread + (i >> shift));
        }
        return any != 0;
      });
}

void SharedRaceChecker::leave(Slot& slot, const Cells& cells, std::uint32_t now,
                              std::uint32_t who) {
  std::uint32_t* const timestamp = &slot.timestamp[cells.first];
  std::uint32_t* const whose = &slot.who[cells.first];
  with_usual(cells.count, cells.per_lane_shift, [&](std::uint32_t count, std::uint32_t shift) {
    for (std::uint32_t i = 0; i < count; ++i) timestamp[i] = now;
    for (std::uint32_t i = 0; i < count; ++i) whose[i] = who + ((i >> shift) << thread_shift);
  });
}

bool SharedRaceChecker::find_beside(const View& view, const Cells& cells) const {
  const Remembered* const beside = &beside_[cells.first];
  std::uint32_t any = 0;
  for (std::uint32_t i = 0; i < cells.count; ++i) {
    const std::uint32_t me = view.warp * 32 + (i >> cells.per_lane_shift);
    any |= bit(beside[i].timestamp >= view.epoch) & bit(thread_of(beside[i].who) != me);
  }
  return any != 0;
}

/// As note_reader() does it, but what is stale is decided by barriers of the block and of the warp alone,
/// so that somewhat more is kept. False when in some cell there was no room.
bool SharedRaceChecker::leave_readers(const View& view, const Cells& cells, std::uint32_t who) {
  std::uint32_t* const timestamp1 = &read_.timestamp[cells.first];
  std::uint32_t* const reader1 = &read_.who[cells.first];
  std::uint32_t* const timestamp2 = &second_read_.timestamp[cells.first];
  std::uint32_t* const reader2 = &second_read_.who[cells.first];
  const std::uint32_t epoch = view.epoch, own_epoch = view.own_epoch, now = view.now;
  const std::uint32_t warp = view.warp, thread = warp * 32;
  const std::uint32_t by_epochs = bit(view.epochs_only);
  std::uint32_t all = 1;
  const bool changes =
      with_usual(cells.count, cells.per_lane_shift, [&](std::uint32_t count, std::uint32_t shift) {
        std::uint32_t taken = 0, left = 1;
        for (std::uint32_t i = 0; i < count; ++i) {
          const std::uint32_t lane = i >> shift;
          const std::uint32_t own = who + (lane << thread_shift), me = thread + lane;
          const std::uint32_t first_warp = thread_of(reader1[i]) / 32;
          const std::uint32_t second_warp = thread_of(reader2[i]) / 32;
          const std::uint32_t since1 = first_warp == warp ? own_epoch : epoch;
          const std::uint32_t since2 = second_warp == warp ? own_epoch : epoch;
          const std::uint32_t take1 =
              bit(timestamp1[i] < since1) | bit(thread_of(reader1[i]) == me);
          const std::uint32_t take2 =
              (take1 ^ 1) &
              (bit(timestamp2[i] < since2) | bit(thread_of(reader2[i]) == me) |
               (by_epochs & bit(first_warp != warp) & bit(second_warp == first_warp)));
          timestamp1[i] = take1 ? now : timestamp1[i];
          reader1[i] = take1 ? own : reader1[i];
          timestamp2[i] = take2 ? now : timestamp2[i];
          reader2[i] = take2 ? own : reader2[i];
          taken |= take1 | take2;
          left &= take1 | take2;
        }
        all = left;
        return taken != 0;
      });
  if (changes) {
    note_read(cells, now);
  } else {
    note_both_readers(cells);
  }
  return all != 0;
}

/// What a read without a race leaves in the cells.
[[gnu::always_inline]] inline void SharedRaceChecker::note_run(const View& view, const Cells& cells,
                                                               std::uint32_t instruction) {
  const bool unread = latest_in(cells).last_read < view.epoch;
  if (!unread && view.epochs_only && has_both_readers(view, cells)) return;
  const std::uint32_t who = pack(view.warp, 0, instruction);
  if (unread || !any_reader(read_, view, cells)) {
    leave(read_, cells, view.now, who);
    note_read(cells, view.now);
  } else if (!leave_readers(view, cells, who) && !view.epochs_only) {
    // What this one lies behind by flags, or by a barrier of some warps, has to give way.
    note_lanes(view, cells.count >> cells.per_lane_shift,
               static_cast<std::uint32_t>(cells.first) << shift_, granule_ << cells.per_lane_shift,
               instruction);
  }
}

void SharedRaceChecker::note_lanes(const View& view, std::uint32_t lanes, std::uint32_t offset,
                                   std::uint32_t bytes, std::uint32_t instruction) {
  std::uint32_t offsets[32];
  for (std::uint32_t lane = 0; lane < 32; ++lane) offsets[lane] = offset + lane * bytes;
  note_readers(view, lanes == 32 ? ~0u : (1u << lanes) - 1, offsets, bytes, instruction);
}

void SharedRaceChecker::note_run(const View& view, std::uint32_t lanes, std::uint32_t offset,
                                 std::uint32_t bytes, std::uint32_t instruction) {
  Cells cells;
  if (cells_of_run(lanes, offset, bytes, cells)) return note_run(view, cells, instruction);
  note_lanes(view, lanes, offset, bytes, instruction);
}

bool SharedRaceChecker::read_run(std::uint32_t warp, std::uint32_t lanes, std::uint32_t offset,
                                 std::uint32_t bytes, std::uint32_t instruction) {
  note_kind();
  const auto form = PostponedAccesses::Form::run;
  if (postpone(form, last_store_, warp, lanes, offset, bytes, instruction)) return true;
  Cells cells;
  if (any_read_in_flight_ || !cells_of_run(lanes, offset, bytes, cells)) return false;
  settle_postponed();
  // Mostly the cells are of one group, which a barrier has put behind and two other warps have read since.
  const Group& group = groups_[cells.first >> group_shift];
  const std::uint32_t epoch = order_.epoch(warp);
  const bool settled =
      (cells.first + cells.count - 1) >> group_shift == cells.first >> group_shift &&
      group.readers_since >= epoch && group.first_warp != warp && group.second_warp != warp &&
      order_.epochs_say_all(warp) &&
      std::max({group.last_store, last_atomic_, last_beside_}) < epoch;
  if (settled) return true;
  const View view = view_of(warp);
  const bool trouble = latest_in(cells).last_store >= view.epoch && any_store(view, cells);
  if (trouble || any_beside(view, cells)) return false;
  note_run(view, cells, instruction);
  return true;
}

bool SharedRaceChecker::write_run(std::uint32_t warp, std::uint32_t lanes, std::uint32_t offset,
                                  std::uint32_t bytes, std::uint32_t instruction) {
  note_kind();
  Cells cells;
  if (any_read_in_flight_ || !cells_of_run(lanes, offset, bytes, cells)) return false;
  settle_postponed();
  const View view = view_of(warp);
  if (cells.count == 1 && last_beside_ < view.epoch) {
    // One lane alone, as where the first of a warp writes a result.
    const std::size_t cell = cells.first;
    const std::uint32_t who = pack(warp, 0, instruction), time = write_.timestamp[cell];
    const auto by_another = [&](const Slot& slot) {
      return slot.timestamp[cell] >= view.epoch && (slot.who[cell] ^ who) >> thread_shift != 0;
    };
    if (time == in_flight || by_another(write_) || by_another(read_) || by_another(second_read_)) {
      return false;
    }
    write_.timestamp[cell] = view.now;
    write_.who[cell] = who;
    std::uint32_t& latest_store = groups_[cell >> group_shift].last_store;
    latest_store = std::max(latest_store, view.now);
    last_store_ = std::max(last_store_, view.now);
    return true;
  }
  const Group latest = latest_in(cells);
  const bool trouble = (latest.last_store >= view.epoch && any_store(view, cells)) ||
                       (latest.last_read >= view.epoch &&
                        (any_reader(read_, view, cells) || any_reader(second_read_, view, cells)));
  if (trouble || any_beside(view, cells)) return false;
  leave(write_, cells, view.now, pack(warp, 0, instruction));
  const std::size_t last = (cells.first + cells.count - 1) >> group_shift;
  for (std::size_t group = cells.first >> group_shift; group <= last; ++group) {
    std::uint32_t& latest_store = groups_[group].last_store;
    latest_store = std::max(latest_store, view.now);
  }
  last_store_ = std::max(last_store_, view.now);
  return true;
}

}  // namespace gridstride::sim
