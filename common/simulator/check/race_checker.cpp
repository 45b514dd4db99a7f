// Shadow cells of shared memory. See the header for the idea.
#include "common/simulator/check/race_checker.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace gridstride::sim {
namespace {

constexpr std::uint32_t thread_shift = 21;
constexpr std::uint32_t kind_shift = 19;
constexpr std::uint32_t instruction_mask = (1u << kind_shift) - 1;

AccessStrength kind_of(std::uint32_t who) {
  return static_cast<AccessStrength>(who >> kind_shift & 3);
}
/// Or the thread + BlockClock::copies_of.
std::uint32_t thread_of(std::uint32_t who) { return who >> thread_shift; }
constexpr std::uint32_t of_a_copy = BlockClock::copies_of << thread_shift;
/// A condition as a number: the loops over cells have no branches, so that they are vectorised.
std::uint32_t bit(bool condition) { return condition ? 1u : 0u; }

}  // namespace

SharedRaceChecker::SharedRaceChecker(std::uint32_t bytes, std::uint32_t granule,
                                     const HappensBefore& order, RaceSink& sink,
                                     std::span<const std::uint8_t> atomic_bytes)
    : granule_(granule),
      shift_(static_cast<std::uint32_t>(std::countr_zero(granule))),
      atomic_bytes_(atomic_bytes),
      order_(order),
      sink_(sink) {
  const std::size_t cells = (std::size_t{bytes} + granule - 1) / granule;
  for (Slot* slot : {&write_, &read_, &second_read_}) {
    slot->timestamp.assign(cells, 0);
    slot->who.assign(cells, 0);
  }
  beside_.resize(cells);
}

void SharedRaceChecker::start_block(bool over) {
  if (over) {
    for (Slot* slot : {&write_, &read_, &second_read_}) std::ranges::fill(slot->timestamp, 0);
    std::ranges::fill(beside_, Remembered{});
    last_plain_ = last_beside_ = 0;
  } else if (any_in_flight_) {
    std::ranges::replace(write_.timestamp, in_flight, 0u);
  }
  any_in_flight_ = false;
}

std::uint32_t SharedRaceChecker::pack(std::uint32_t warp, std::uint32_t lane,
                                      std::uint32_t instruction) const {
  return (warp * 32 + lane) << thread_shift | static_cast<std::uint32_t>(kind_) << kind_shift |
         (instruction & instruction_mask);
}

bool SharedRaceChecker::happens_before(std::uint32_t warp, std::uint32_t lane,
                                       std::uint32_t timestamp, std::uint32_t who) const {
  return timestamp != in_flight && order_.happens_before(warp, lane, timestamp, thread_of(who));
}

bool SharedRaceChecker::races(std::uint32_t warp, std::uint32_t lane, std::uint32_t timestamp,
                              std::uint32_t who) const {
  // What is cheap to know comes first.
  const bool of_another_size =
      atomic_of_ != 0 && are_of_different_sizes(atomic_of_, atomic_bytes_[who & instruction_mask]);
  return (of_another_size || !may_overlap(kind_of(who), kind_, thread_of(who) / 32 == warp)) &&
         !happens_before(warp, lane, timestamp, who);
}

void SharedRaceChecker::report(const Remembered& earlier, bool earlier_stores, std::uint32_t now,
                               bool now_stores, std::size_t cell) {
  const std::uint32_t thread = thread_of(earlier.who) % BlockClock::copies_of;
  const bool on_its_way =
      earlier_stores && (earlier.timestamp == in_flight || (earlier.who & of_a_copy) != 0);
  sink_.race({thread, earlier.who & instruction_mask, earlier_stores, on_its_way},
             {thread_of(now), now & instruction_mask, now_stores},
             static_cast<std::uint32_t>(cell << shift_));
}

void SharedRaceChecker::note_reader(std::uint32_t warp, std::uint32_t lane, std::size_t cell,
                                    std::uint32_t who) {
  // A reader that lies before this one is covered by it: whoever is ordered after this read is
  // ordered after that one. Of concurrent readers two are kept, of different warps where possible,
  // so that any store races with at least one of them.
  const std::uint32_t me = thread_of(who);
  const std::uint32_t first = thread_of(read_.who[cell]),
                      second = thread_of(second_read_.who[cell]);
  if (read_.timestamp[cell] >= order_.epoch(warp) &&
      second_read_.timestamp[cell] >= order_.epoch(warp) && first / 32 != second / 32 &&
      first != me && second != me) {
    return;
  }
  if (happens_before(warp, lane, read_.timestamp[cell], read_.who[cell])) {
    read_.timestamp[cell] = order_.now();
    read_.who[cell] = who;
    return;
  }
  if (happens_before(warp, lane, second_read_.timestamp[cell], second_read_.who[cell]) ||
      (first / 32 != warp && second / 32 == first / 32)) {
    second_read_.timestamp[cell] = order_.now();
    second_read_.who[cell] = who;
  }
}

SharedRaceChecker::Remembered SharedRaceChecker::racing_reader(std::uint32_t warp,
                                                               std::uint32_t lane,
                                                               std::size_t cell) const {
  for (const Slot* slot : {&read_, &second_read_}) {
    const Remembered one{slot->timestamp[cell], slot->who[cell]};
    if (races(warp, lane, one.timestamp, one.who)) return one;
  }
  return {};
}

SharedRaceChecker::Remembered SharedRaceChecker::racing_store(std::uint32_t warp,
                                                              std::uint32_t lane,
                                                              std::size_t cell) const {
  const std::uint32_t epoch = order_.epoch(warp);
  const Remembered last{write_.timestamp[cell], write_.who[cell]};
  if (last.timestamp >= epoch && races(warp, lane, last.timestamp, last.who)) return last;
  if (last_beside_ < epoch) return {};
  const Remembered& beside = beside_[cell];
  return races(warp, lane, beside.timestamp, beside.who) ? beside : Remembered{};
}

void SharedRaceChecker::read_cell(std::uint32_t warp, std::uint32_t lane, std::size_t cell,
                                  std::uint32_t who) {
  if (const Remembered store = racing_store(warp, lane, cell)) {
    report(store, true, who, false, cell);
  }
  note_reader(warp, lane, cell, who);
}

void SharedRaceChecker::read(std::uint32_t warp, std::uint32_t mask, const std::uint32_t* offsets,
                             std::uint32_t bytes, std::uint32_t instruction) {
  note_kind();
  const std::size_t cells = cells_of(bytes);
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::size_t first = offsets[lane] >> shift_;
    for (std::size_t cell = first; cell < first + cells; ++cell) {
      read_cell(warp, lane, cell, pack(warp, lane, instruction));
    }
  }
}

void SharedRaceChecker::read_one(std::uint32_t warp, std::uint32_t mask, std::uint32_t offset,
                                 std::uint32_t bytes, std::uint32_t instruction) {
  note_kind();
  const std::size_t first = offset >> shift_, last = first + cells_of(bytes);
  const std::uint32_t epoch = order_.epoch(warp);
  const auto low = static_cast<std::uint32_t>(std::countr_zero(mask));
  const auto high = 31 - static_cast<std::uint32_t>(std::countl_zero(mask));
  for (std::size_t cell = first; cell < last; ++cell) {
    // Two of the lanes stand for all: any store races with one of two lanes if it races with many.
    if (std::max(write_.timestamp[cell], last_beside_) < epoch) {
      // A barrier has ordered all stores.
    } else if (const Remembered store = racing_store(warp, low, cell)) {
      report(store, true, pack(warp, low, instruction), false, cell);
    } else if (const Remembered other = racing_store(warp, high, cell)) {
      report(other, true, pack(warp, high, instruction), false, cell);
    }
    note_reader(warp, low, cell, pack(warp, low, instruction));
    if (high != low) note_reader(warp, high, cell, pack(warp, high, instruction));
  }
}

void SharedRaceChecker::write_cell(std::uint32_t warp, std::uint32_t lane, std::size_t cell,
                                   std::uint32_t who, const StoredValues& values) {
  const Remembered store = racing_store(warp, lane, cell);
  if (store && (is_strong(kind_of(store.who)) || store.timestamp == in_flight ||
                !values.changes_nothing(lane))) {
    report(store, true, who, true, cell);
  }
  if (const Remembered reader = racing_reader(warp, lane, cell)) {
    report(reader, false, who, true, cell);
  }
}

void SharedRaceChecker::write(std::uint32_t warp, std::uint32_t mask, const std::uint32_t* offsets,
                              std::uint32_t bytes, std::uint32_t instruction,
                              const StoredValues& values) {
  note_kind();
  const std::size_t cells = cells_of(bytes);
  // All lanes look before the first one stores: lanes of one instruction are compared by value
  // where it is executed.
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint32_t who = pack(warp, lane, instruction);
    const std::size_t first = offsets[lane] >> shift_;
    for (std::size_t cell = first; cell < first + cells; ++cell) {
      write_cell(warp, lane, cell, who, values);
    }
  }
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::size_t first = offsets[lane] >> shift_;
    for (std::size_t cell = first; cell < first + cells; ++cell) {
      write_.timestamp[cell] = order_.now();
      write_.who[cell] = pack(warp, lane, instruction);
    }
  }
}

void SharedRaceChecker::write_in_flight(std::uint32_t warp, std::uint32_t mask,
                                        const std::uint32_t* offsets, std::uint32_t bytes,
                                        std::uint32_t instruction) {
  struct Changes final : StoredValues {
    bool changes_nothing(std::uint32_t) const override { return false; }
  };
  kind_ = AccessStrength::plain;
  const std::size_t cells = cells_of(bytes);
  // Lanes are compared with one another too: each finds what those before it began.
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint32_t who = pack(warp, lane, instruction);
    const std::size_t first = offsets[lane] >> shift_;
    for (std::size_t cell = first; cell < first + cells; ++cell) {
      write_cell(warp, lane, cell, who, Changes());
      write_.timestamp[cell] = in_flight;
      write_.who[cell] = who;
    }
  }
  any_in_flight_ = true;
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

void SharedRaceChecker::atomic(std::uint32_t warp, std::uint32_t mask, const std::uint32_t* offsets,
                               std::uint32_t bytes, std::uint32_t instruction) {
  const AccessStrength before = std::exchange(kind_, AccessStrength::strong);
  if (!atomic_bytes_.empty()) atomic_of_ = atomic_bytes_[instruction];
  if (last_plain_ < order_.epoch(warp) && !any_in_flight_ && atomic_of_ == 0) {
    leave_atomic(warp, mask, offsets, bytes, instruction, /*any_plain=*/false);
    kind_ = before;
    return;
  }
  const std::size_t cells = cells_of(bytes);
  // All lanes look before the first one leaves its record: what one of them stored before is hidden
  // from none.
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint32_t who = pack(warp, lane, instruction);
    const std::size_t first = offsets[lane] >> shift_;
    for (std::size_t cell = first; cell < first + cells; ++cell) {
      if (const Remembered store = racing_store(warp, lane, cell))
        report(store, true, who, true, cell);
      if (const Remembered reader = racing_reader(warp, lane, cell)) {
        report(reader, false, who, true, cell);
      }
    }
  }
  leave_atomic(warp, mask, offsets, bytes, instruction, /*any_plain=*/true);
  kind_ = before;
  atomic_of_ = 0;
}

/// What atomics of one warp leave. Plain pointers and numbers: the compiler need not fear that one of
/// its stores changes another.
struct SharedRaceChecker::AtomicRecords {
  explicit AtomicRecords(SharedRaceChecker& checker, std::uint32_t warp)
      : timestamps(checker.write_.timestamp.data()),
        writers(checker.write_.who.data()),
        besides(checker.beside_.data()),
        epoch(checker.order_.epoch(warp)),
        now(checker.order_.now()) {}

  /// Where the last store is no plain one of this barrier interval.
  void replace(std::size_t cell, std::uint32_t who) {
    // The first of the interval is kept beside the last, of another thread than that, so that a plain
    // access races with one of them. Most of the time it is there already.
    const Remembered beside = besides[cell];
    if (beside.timestamp < epoch || (beside.who ^ who) >> thread_shift == 0) displace(cell, who);
    timestamps[cell] = now;
    writers[cell] = who;
  }
  [[gnu::noinline]] void displace(std::size_t cell, std::uint32_t who) {
    if (timestamps[cell] < epoch || (writers[cell] ^ who) >> thread_shift == 0) return;
    besides[cell] = {timestamps[cell], writers[cell]};
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
  std::uint32_t epoch, now;
  bool any_beside = false;
};

void SharedRaceChecker::leave_atomic(std::uint32_t warp, std::uint32_t mask,
                                     const std::uint32_t* offsets, std::uint32_t bytes,
                                     std::uint32_t instruction, bool any_plain) {
  const std::size_t cells = cells_of(bytes);
  const std::uint32_t who = pack(warp, 0, instruction), shift = shift_;
  AtomicRecords records(*this, warp);
  if (!any_plain && cells == 1) {
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
      if (behind_plain) {
        records.add(cell, mine);
      } else {
        records.replace(cell, mine);
      }
    }
  }
  if (records.any_beside) last_beside_ = records.now;
}

bool SharedRaceChecker::find_beside(std::uint32_t warp, std::size_t first, std::uint32_t count,
                                    std::uint32_t per_lane_shift) const {
  const std::uint32_t epoch = order_.epoch(warp);
  const Remembered* const beside = &beside_[first];
  std::uint32_t any = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t me = warp * 32 + (i >> per_lane_shift);
    any |= bit(beside[i].timestamp >= epoch) & bit(thread_of(beside[i].who) != me);
  }
  return any != 0;
}

bool SharedRaceChecker::read_run(std::uint32_t warp, std::uint32_t lanes, std::uint32_t offset,
                                 std::uint32_t bytes, std::uint32_t instruction) {
  note_kind();
  if (bytes < granule_ || offset % granule_ != 0) return false;
  const std::size_t begin = offset >> shift_;
  const std::uint32_t per_lane_shift = static_cast<std::uint32_t>(std::countr_zero(bytes)) - shift_;
  const std::uint32_t count = lanes << per_lane_shift;
  const std::uint32_t epoch = order_.epoch(warp), now = order_.now();
  const std::uint32_t who = pack(warp, 0, instruction);
  const std::uint32_t thread = warp * 32;
  const std::uint32_t* const write_timestamp = &write_.timestamp[begin];
  const std::uint32_t* const writer = &write_.who[begin];
  std::uint32_t* const timestamp1 = &read_.timestamp[begin];
  std::uint32_t* const reader1 = &read_.who[begin];
  std::uint32_t* const timestamp2 = &second_read_.timestamp[begin];
  std::uint32_t* const reader2 = &second_read_.who[begin];
  std::uint32_t trouble = 0, another_reader = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t me = thread + (i >> per_lane_shift);
    trouble |= bit(write_timestamp[i] >= epoch) & bit(thread_of(writer[i]) != me);
    trouble |= bit(write_timestamp[i] == in_flight);
    another_reader |= bit(timestamp1[i] >= epoch) & bit(thread_of(reader1[i]) != me);
  }
  if (trouble || any_beside(warp, begin, count, per_lane_shift)) return false;
  if (!another_reader) {
    for (std::uint32_t i = 0; i < count; ++i) {
      timestamp1[i] = now;
      reader1[i] = who + ((i >> per_lane_shift) << thread_shift);
    }
    return true;
  }
  // As note_reader() does it, but what is stale is decided by the epoch alone, so that somewhat
  // more is kept.
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t lane = i >> per_lane_shift;
    const std::uint32_t own = who + (lane << thread_shift), me = thread + lane;
    const std::uint32_t first_warp = thread_of(reader1[i]) / 32;
    const std::uint32_t second_warp = thread_of(reader2[i]) / 32;
    const std::uint32_t take1 = bit(timestamp1[i] < epoch) | bit(thread_of(reader1[i]) == me);
    const std::uint32_t take2 =
        (take1 ^ 1) & (bit(timestamp2[i] < epoch) | bit(thread_of(reader2[i]) == me) |
                       (bit(first_warp != warp) & bit(second_warp == first_warp)));
    timestamp1[i] = take1 ? now : timestamp1[i];
    reader1[i] = take1 ? own : reader1[i];
    timestamp2[i] = take2 ? now : timestamp2[i];
    reader2[i] = take2 ? own : reader2[i];
  }
  return true;
}

bool SharedRaceChecker::write_run(std::uint32_t warp, std::uint32_t lanes, std::uint32_t offset,
                                  std::uint32_t bytes, std::uint32_t instruction) {
  note_kind();
  if (bytes < granule_ || offset % granule_ != 0) return false;
  const std::size_t first = offset >> shift_;
  const std::uint32_t per_lane_shift = static_cast<std::uint32_t>(std::countr_zero(bytes)) - shift_;
  const std::uint32_t count = lanes << per_lane_shift;
  const std::uint32_t epoch = order_.epoch(warp), now = order_.now();
  const std::uint32_t who = pack(warp, 0, instruction);
  const std::uint32_t thread = warp * 32;
  std::uint32_t* const timestamp = &write_.timestamp[first];
  std::uint32_t* const writers = &write_.who[first];
  const std::uint32_t* const read1 = &read_.timestamp[first];
  const std::uint32_t* const reader1 = &read_.who[first];
  const std::uint32_t* const read2 = &second_read_.timestamp[first];
  const std::uint32_t* const reader2 = &second_read_.who[first];
  std::uint32_t trouble = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t me = thread + (i >> per_lane_shift);
    trouble |= bit(timestamp[i] >= epoch) & bit(thread_of(writers[i]) != me);
    trouble |= bit(timestamp[i] == in_flight);
    trouble |= bit(read1[i] >= epoch) & bit(thread_of(reader1[i]) != me);
    trouble |= bit(read2[i] >= epoch) & bit(thread_of(reader2[i]) != me);
  }
  if (trouble || any_beside(warp, first, count, per_lane_shift)) return false;
  for (std::uint32_t i = 0; i < count; ++i) {
    timestamp[i] = now;
    writers[i] = who + ((i >> per_lane_shift) << thread_shift);
  }
  return true;
}

}  // namespace gridstride::sim
