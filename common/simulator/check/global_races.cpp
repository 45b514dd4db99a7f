// Records, cells, and when two accesses race. See the header for the idea.
#include "common/simulator/check/global_races.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/simulator/base/lane_mask.h"

namespace gridstride::sim {
namespace {

constexpr std::uint32_t lane_mask = 31;
constexpr std::size_t least_limit = std::size_t{1} << 20;
constexpr std::size_t least_message_limit = std::size_t{1} << 14;

std::uint32_t cells_in(const RacePages::Page& page, std::uint32_t bytes) {
  return bytes >> page.shift;
}

/// Whether these are of one record, but not of one lane.
bool is_of_other_lane(std::uint32_t cell, std::uint32_t mine) {
  return cell != mine && (cell | lane_mask) == (mine | lane_mask);
}

}  // namespace

GlobalRaces::GlobalRaces(RacePages& pages, std::size_t instructions, GlobalRaceSink& sink,
                         std::span<const std::uint8_t> atomic_bytes)
    : pages_(pages),
      sink_(&sink),
      atomic_bytes_(atomic_bytes),
      records_(1),
      latest_(instructions, 0),
      limit_(least_limit),
      messages_(1),
      message_limit_(least_message_limit) {}

std::uint32_t GlobalRaces::record_of(const Step& step, std::uint32_t message) {
  const auto block = static_cast<std::uint32_t>(step.order.block());
  const std::uint32_t timestamp = step.order.now();
  std::uint32_t& latest = latest_[step.instruction];
  const Record& last = records_[latest];
  const bool same = latest != 0 && last.block == block && last.timestamp == timestamp &&
                    last.warp == step.warp && last.message == message;
  if (same) return latest << lane_bits;
  std::uint32_t number = static_cast<std::uint32_t>(records_.size());
  if (free_.empty()) {
    records_.emplace_back();
  } else {
    number = free_.back();
    free_.pop_back();
  }
  Record& record = records_[number];
  record.block = block;
  record.timestamp = timestamp;
  record.message = message;
  record.warp = step.warp & 31;
  record.asynchronous = step.asynchronous ? 1 : 0;
  record.kind = static_cast<std::uint32_t>(step.kind) & 3;
  record.instruction = step.instruction & ((1u << 24) - 1);
  latest_[step.instruction] = number;
  return number << lane_bits;
}

void GlobalRaces::collect() {
  std::vector<bool> used(records_.size(), false), carried(messages_.size(), false);
  pages_.for_each([&](const RacePages::Page& page) {
    for (const RacePages::Cells* cells : page.kinds()) {
      if (!*cells) continue;
      for (std::uint32_t i = 0; i < page.count(); ++i) used[(*cells)[i] >> lane_bits] = true;
    }
  });
  free_.clear();
  free_messages_.clear();
  carried[common_] = true;
  for (std::uint32_t number = 1; number < records_.size(); ++number) {
    if (used[number]) {
      carried[records_[number].message] = true;
    } else {
      free_.push_back(number);
    }
  }
  for (std::uint32_t number = 1; number < messages_.size(); ++number) {
    if (carried[number]) continue;
    messages_[number] = {};
    free_messages_.push_back(number);
  }
  std::ranges::fill(latest_, 0u);
  last_ = {};
  limit_ = std::max(least_limit, 2 * (records_.size() - free_.size()));
  message_limit_ = std::max(least_message_limit, 2 * (messages_.size() - free_messages_.size()));
}

bool GlobalRaces::before(const Step& step, std::uint32_t lane, std::uint32_t cell,
                         Covers what) const {
  if (cell == 0) return true;
  const Record& record = records_[cell >> lane_bits];
  const HappensBefore& order = step.order;
  const std::uint32_t thread = record.warp * 32 + (cell & lane_mask);
  const bool same_block = is_of(record, order);
  if (same_block && record.asynchronous != 0) {
    return order.copy_happens_before(step.warp, lane, record.timestamp, thread);
  }
  if (same_block) {
    if (order.happens_before(step.warp, lane, record.timestamp, thread)) return true;
  } else if (order.happens_before_across_blocks(step.warp, lane, record.block, thread,
                                                record.timestamp, what)) {
    return true;
  } else if (is_of_earlier_grid(record) && before_in_tree(step, lane, record, thread, what)) {
    return true;
  }
  // A strong access behind a fence lies before those who know what it left.
  return record.message != 0 && seen_from(record.strength(), same_block) != AccessStrength::plain &&
         order.knows(step.warp, lane, messages_[record.message].message);
}

bool GlobalRaces::recorded_races(const Step& step, std::uint32_t lane, std::uint32_t cell,
                                 Covers what) const {
  // What is cheap to know comes first.
  const Record& record = records_[cell >> lane_bits];
  const bool same_block = is_of(record, step.order);
  const bool same_warp = same_block && record.warp == step.warp;
  const bool of_another_size =
      !atomic_bytes_.empty() &&
      are_of_different_sizes(atomic_bytes_[step.instruction], atomic_bytes(record));
  return (of_another_size || !may_overlap(seen_from(record.strength(), same_block),
                                          seen_from(step.kind, same_block), same_warp)) &&
         !before(step, lane, cell, what);
}

void GlobalRaces::report(const Step& step, std::uint32_t lane, bool stores, std::uint32_t earlier,
                         bool earlier_stores, std::uint64_t address) {
  const Record& record = records_[earlier >> lane_bits];
  const std::uint32_t thread = record.warp * 32 + (earlier & lane_mask);
  RacingAccess now{step.warp * 32 + lane, step.instruction, stores};
  now.misses_a_fence =
      step.order.misses_a_fence(step.warp, lane, record.block, thread, record.timestamp);
  sink_->race(
      racing(record, {thread, record.instruction, earlier_stores, record.asynchronous != 0}),
      racing(step, now), address);
}

inline RacePages::Page* GlobalRaces::page_of(std::uint64_t address, std::uint32_t bytes) {
  RacePages::Page& page = pages_.at(address);
  if (page.unchecked) return nullptr;
  const auto shift = static_cast<std::uint32_t>(std::countr_zero(bytes));
  return shift >= page.shift || pages_.refine(page, shift) ? &page : nullptr;
}

bool GlobalRaces::readers_stay(const Step& step, const RacePages::Page& page, std::uint32_t first,
                               std::uint32_t count) const {
  if (!may_stay(step)) return false;
  const auto block = static_cast<std::uint32_t>(step.order.block());
  const std::uint32_t group = page.group_cells();
  std::uint32_t index = first / group * group;
  while (index < first + count && page.keeps_readers(index, block)) index += group;
  return index >= first + count;
}

void GlobalRaces::note_readers_stay(RacePages::Page& page, std::uint32_t index) {
  // A look takes as long as some ten reads.
  constexpr std::uint32_t reads_for_each_look = 16;
  if (++unchanged_ % reads_for_each_look != 0 || launch_order_ || !page.second_reader) return;
  const std::uint32_t group = page.group_of(index);
  const std::uint32_t cells = page.group_cells();
  std::uint32_t largest = 0;
  for (std::uint32_t i = group * cells; i < (group + 1) * cells; ++i) {
    const std::uint32_t one = page.reader[i], other = page.second_reader[i];
    const std::uint32_t block = records_[one >> lane_bits].block;
    const std::uint32_t other_block = records_[other >> lane_bits].block;
    if (one == 0 || other == 0 || block == other_block) return;
    largest = std::max({largest, block, other_block});
  }
  page.read_by_several[group] = largest + 1;
}

void GlobalRaces::note_reader(const Step& step, std::uint32_t lane, RacePages::Page& page,
                              std::uint32_t index, std::uint32_t mine) {
  // A reader that lies before this one is covered by it. Of concurrent readers two are kept, of
  // different blocks or warps where possible, so that any store races with at least one of them.
  std::uint32_t* const first = pages_.cells(page, page.reader);
  if (!first) return;
  // Two other lanes of the same instruction are kept already.
  if (page.second_reader && !step.asynchronous && step.order.epochs_say_all(step.warp) &&
      is_of_other_lane(first[index], mine) && is_of_other_lane(page.second_reader[index], mine)) {
    return;
  }
  if (before(step, lane, first[index])) {
    first[index] = mine;
    page.readers_change(index);
    // What lies before this one needs no place of its own, which others may need.
    if (page.second_reader && page.second_reader[index] != 0 &&
        !step.order.epochs_say_all(step.warp) && before(step, lane, page.second_reader[index])) {
      page.second_reader[index] = 0;
    }
    return;
  }
  std::uint32_t* const second = pages_.cells(page, page.second_reader, true);
  if (!second) return;
  const Record& a = records_[first[index] >> lane_bits];
  const Record& b = records_[second[index] >> lane_bits];
  const Record& c = records_[mine >> lane_bits];
  if (second[index] == 0 || before(step, lane, second[index]) || apart(a, c) > apart(a, b)) {
    second[index] = mine;
    page.readers_change(index);
  } else if (a.block != c.block) {
    note_readers_stay(page, index);
  }
}

inline void GlobalRaces::read_cell(const Step& step, std::uint32_t lane, RacePages::Page& page,
                                   std::uint32_t index, std::uint32_t mine, std::uint64_t address) {
  if ((page.writer && page.writer[index] != 0) || (page.atomic && page.atomic[index] != 0)) {
    std::uint32_t store = racing_store(step, lane, page, index);
    if (store != 0) {
      report(step, lane, false, store, true, address);
    } else if (step.read_only && (store = unseen_store(step, lane, page, index)) != 0) {
      const Record& record = records_[store >> lane_bits];
      RacingAccess now{step.warp * 32 + lane, step.instruction, false};
      now.read_only = true;
      sink_->race(
          racing(record, {record.warp * 32 + (store & lane_mask), record.instruction, true}),
          racing(step, now), address);
    }
  }
  note_reader(step, lane, page, index, mine);
}

void GlobalRaces::read(const Step& step, std::uint32_t mask, const std::uint64_t* addresses,
                       std::uint32_t bytes) {
  collect_if_full();
  if (step.kind != AccessStrength::plain) learn(step, mask, addresses);
  read_cells(step, mask, addresses, bytes);
}

void GlobalRaces::read_cells(const Step& step, std::uint32_t mask, const std::uint64_t* addresses,
                             std::uint32_t bytes) {
  const std::uint32_t mine = record_of(step);
  const HappensBefore& order = step.order;
  const auto block = static_cast<std::uint32_t>(order.block());
  const std::uint32_t epoch = order.epoch(step.warp), own_epoch = order.own_epoch(step.warp);
  const bool epochs_only = order.epochs_say_all(step.warp), may_stay = this->may_stay(step);
  // before(), for what mostly is there.
  const auto lies_before = [&](std::uint32_t lane, std::uint32_t cell) {
    const Record& record = records_[cell >> lane_bits];
    if (!epochs_only || record.message != 0 || record.asynchronous != 0 ||
        is_of_earlier_grid(record)) {
      return before(step, lane, cell);
    }
    return record.block == block && (record.timestamp < epoch ||
                                     (record.warp == step.warp && (record.timestamp < own_epoch ||
                                                                   (cell & lane_mask) == lane)));
  };
  for (; mask != 0; mask &= mask - 1) {
    const std::uint32_t lane = lowest_lane(mask);
    RacePages::Page* const page = page_of(addresses[lane], bytes);
    if (!page) continue;
    const std::uint32_t first = page->index_of(addresses[lane]), cells = cells_in(*page, bytes);
    // Of one cell that nobody has written, all that changes is who has read it: note_reader().
    const bool simple = cells == 1 && page->reader && page->second_reader &&
                        !(page->writer && page->writer[first] != 0) &&
                        !(page->atomic && page->atomic[first] != 0);
    if (simple) {
      if (may_stay && page->keeps_readers(first, block)) continue;
      std::uint32_t &one = page->reader[first], &other = page->second_reader[first];
      if (one == 0 || lies_before(lane, one)) {
        one = mine + lane;
        page->readers_change(first);
        if (!epochs_only && other != 0 && lies_before(lane, other)) other = 0;
        continue;
      }
      const Record& a = records_[one >> lane_bits];
      const Record& c = records_[mine >> lane_bits];
      if (other == 0 || lies_before(lane, other) ||
          apart(a, c) > apart(a, records_[other >> lane_bits])) {
        other = mine + lane;
        page->readers_change(first);
      } else if (a.block != c.block) {
        note_readers_stay(*page, first);
      }
      continue;
    }
    for (std::uint32_t i = 0; i < cells && !page->unchecked; ++i) {
      read_cell(step, lane, *page, first + i, mine + lane,
                addresses[lane] + (std::uint64_t{i} << page->shift));
    }
  }
}

void GlobalRaces::read_one(const Step& step, std::uint32_t mask, std::uint64_t address,
                           std::uint32_t bytes) {
  collect_if_full();
  if (step.kind != AccessStrength::plain) learn(step, mask, message_at(step, address));
  // Two of the lanes stand for all.
  const std::uint32_t low = lowest_lane(mask),
                      high = 31 - static_cast<std::uint32_t>(std::countl_zero(mask));
  std::uint64_t addresses[32];
  addresses[low] = addresses[high] = address;
  read_cells(step, 1u << low | 1u << high, addresses, bytes);
}

std::uint32_t GlobalRaces::racing_store(const Step& step, std::uint32_t lane,
                                        const RacePages::Page& page, std::uint32_t index) const {
  for (const RacePages::Cells* stores : {&page.writer, &page.atomic}) {
    if (*stores && races(step, lane, (*stores)[index])) return (*stores)[index];
  }
  return 0;
}

std::uint32_t GlobalRaces::unseen_store(const Step& step, std::uint32_t lane,
                                        const RacePages::Page& page, std::uint32_t index) const {
  for (const RacePages::Cells* stores : {&page.writer, &page.atomic}) {
    const std::uint32_t cell = *stores ? (*stores)[index] : 0;
    if (cell == 0) continue;
    const Record& record = records_[cell >> lane_bits];
    const bool own = !step.by_texture && is_of(record, step.order) && record.warp == step.warp &&
                     (cell & lane_mask) == lane;
    if (!own && !is_of_earlier_grid(record)) return cell;
  }
  return 0;
}

bool GlobalRaces::check_readers(const Step& step, std::uint32_t lane, const RacePages::Page& page,
                                std::uint32_t index, std::uint64_t address) {
  for (const RacePages::Cells* readers : {&page.reader, &page.second_reader}) {
    if (!*readers || !races(step, lane, (*readers)[index], Covers::reads)) continue;
    report(step, lane, true, (*readers)[index], false, address);
    return false;
  }
  return true;
}

void GlobalRaces::write(const Step& step, std::uint32_t mask, const std::uint64_t* addresses,
                        std::uint32_t bytes, const StoredValues& values) {
  collect_if_full();
  const bool alike = !step.order.lanes_differ(step.warp);
  const std::uint32_t message = message_of_store(step, lowest_lane(mask));
  // All lanes look before the first one stores: lanes of one instruction are compared by value
  // where it is executed.
  RacePages::Page* pages[32];
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const std::uint32_t lane = lowest_lane(rest);
    RacePages::Page* const page = page_of(addresses[lane], bytes);
    pages[lane] = page;
    if (!page) continue;
    const std::uint32_t first = page->index_of(addresses[lane]);
    for (std::uint32_t i = first; i < first + cells_in(*page, bytes); ++i) {
      if (page->is_untouched(i)) continue;
      const std::uint64_t address = addresses[lane] + (std::uint64_t{i - first} << page->shift);
      const std::uint32_t store = racing_store(step, lane, *page, i);
      const bool races_with_store =
          store != 0 &&
          (is_strong(records_[store >> lane_bits].strength()) || !values.changes_nothing(lane));
      if (races_with_store) report(step, lane, true, store, true, address);
      check_readers(step, lane, *page, i, address);
    }
  }
  std::uint32_t mine = alike ? record_of(step, message) : 0;
  const bool by_flags = step.kind == AccessStrength::plain && !step.order.epochs_say_all(step.warp);
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const std::uint32_t lane = lowest_lane(rest);
    const bool first_lane = rest == mask;
    if (!alike) mine = record_of(step, first_lane ? message : message_of_store(step, lane));
    RacePages::Page* const page = pages[lane];
    if (!page || page->unchecked) continue;  // there may have been no room for another lane's
    std::uint32_t* const writer = pages_.cells(*page, page->writer);
    if (!writer) continue;
    const std::uint32_t first = page->index_of(addresses[lane]);
    for (std::uint32_t i = first; i < first + cells_in(*page, bytes); ++i) {
      writer[i] = mine + lane;
      // What is ordered behind this store is ordered behind what it was compared with.
      if (page->atomic) page->atomic[i] = 0;
      if (page->before_atomics) page->before_atomics[i] = 0;
      if (by_flags) forget_readers(step, *page, i);
    }
  }
}

void GlobalRaces::forget_readers(const Step& step, RacePages::Page& page,
                                 std::uint32_t index) const {
  page.readers_change(index);
  for (const RacePages::Cells* readers : {&page.reader, &page.second_reader}) {
    if (*readers && !is_of(records_[(*readers)[index] >> lane_bits], step.order))
      (*readers)[index] = 0;
  }
}

void GlobalRaces::atomic(const Step& step, std::uint32_t mask, const std::uint64_t* addresses,
                         std::uint32_t bytes) {
  collect_if_full();
  const std::uint32_t all = mask;
  // What another stored before is learnt from it before this one leaves its own record.
  learn(step, mask, addresses);
  // All lanes look before the first one leaves its record: what one of them stored before is hidden
  // from none.
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const std::uint32_t lane = lowest_lane(rest);
    RacePages::Page* const page = page_of(addresses[lane], bytes);
    if (!page) continue;
    const std::uint32_t first = page->index_of(addresses[lane]);
    for (std::uint32_t i = first; i < first + cells_in(*page, bytes); ++i) {
      const std::uint64_t address = addresses[lane] + (std::uint64_t{i - first} << page->shift);
      std::uint32_t store = racing_store(step, lane, *page, i);
      if (store == 0 && page->before_atomics && races(step, lane, page->before_atomics[i]))
        store = page->before_atomics[i];
      if (store != 0) report(step, lane, true, store, true, address);
      check_readers(step, lane, *page, i, address);
    }
  }
  for (; mask != 0; mask &= mask - 1) {
    const std::uint32_t lane = lowest_lane(mask);
    RacePages::Page* const page = page_of(addresses[lane], bytes);
    if (!page) continue;
    const std::uint32_t first = page->index_of(addresses[lane]);
    std::uint32_t message = 0;
    if (step.order.releases_anything() || messages_.size() > 1) {
      message = message_at(step, *page, first);
      if (step.storing >> lane & 1) message = message_of_atomic(step, lane, message);
    }
    const std::uint32_t mine = record_of(step, message);
    for (std::uint32_t i = first; i < first + cells_in(*page, bytes); ++i) {
      leave_atomic(step, *page, i, mine + lane);
    }
  }
  if ((all & (all - 1)) != 0) learn(step, all, addresses);  // from one another
}

void GlobalRaces::leave_atomic(const Step& step, RacePages::Page& page, std::uint32_t index,
                               std::uint32_t mine) {
  std::uint32_t* const writer = pages_.cells(page, page.writer);
  if (!writer) return;
  const std::uint32_t earlier = writer[index], lane = mine & lane_mask;
  if (earlier == 0 || earlier == mine) {
    writer[index] = mine;
    return;
  }
  const auto keep = [&](RacePages::Cells& cells, std::uint32_t one) {
    std::uint32_t* const kept = pages_.cells(page, cells, true);
    if (kept) kept[index] = one;
    return kept != nullptr;
  };
  const bool is_plain = records_[earlier >> lane_bits].strength() == AccessStrength::plain;
  if (is_plain && before(step, lane, earlier)) {
    // It may race with atomics that this one does not race with: of other blocks, say, that it has not been
    // ordered for.
    keep(page.before_atomics, earlier);
  } else if (is_plain) {
    if (keep(page.atomic, mine)) return;
  } else {
    // Of atomics two are kept, so that a plain access that races with any races with one of them: of different
    // blocks or warps where possible, else of different threads, and none that lies before the last one.
    const std::uint32_t beside = page.atomic ? page.atomic[index] : 0;
    const auto distance = [&](std::uint32_t one) {
      if (one == 0 || before(step, lane, one)) return -1;
      return apart(records_[one >> lane_bits], records_[mine >> lane_bits]);
    };
    const int of_earlier = distance(earlier);
    if (of_earlier >= 0 && of_earlier >= distance(beside)) keep(page.atomic, earlier);
  }
  writer[index] = mine;
}

}  // namespace gridstride::sim
