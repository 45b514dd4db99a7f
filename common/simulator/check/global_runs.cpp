// Accesses of lanes that follow one another in global memory: their words are compared as a whole.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "common/simulator/base/lane_words.h"
#include "common/simulator/check/global_races.h"

namespace gridstride::sim {

GlobalRaces::Run GlobalRaces::look(const Step& step, const std::uint32_t* cells,
                                   std::uint32_t count, std::uint32_t shift,
                                   std::uint32_t lane) const {
  constexpr std::uint32_t lanes = (1u << lane_bits) - 1;  // of a cell
  const std::uint32_t first = cells[0];
  std::uint32_t any = 0, strays = 0;
  if (count == 32 && shift == 0) {
    if (first == 0) return is_line<0>(cells) ? Run::empty : Run::mixed;
    if (!is_line<1>(cells)) return Run::mixed;
    any = first;
  } else {
    for (std::uint32_t i = 0; i < count; ++i) {
      any |= cells[i];
      strays |= cells[i] ^ (first + (i >> shift));
    }
  }
  if (any == 0) return Run::empty;
  const bool one_record =
      strays == 0 && first != 0 && (first & lanes) + ((count - 1) >> shift) < 32;
  if (!one_record) return Run::mixed;
  const Record& record = records_[first >> lane_bits];
  if (is_of(record, step.order) && record.asynchronous == 0) {
    if (record.timestamp < step.order.epoch(step.warp)) return Run::before;
    if (record.warp == step.warp) return (first & lanes) == lane ? Run::before : Run::mixed;
  }
  if (step.order.lanes_differ(step.warp)) return Run::mixed;
  const std::uint32_t last_lane = (count - 1) >> shift;
  const bool low = before(step, lane, first);
  if (low != before(step, lane + last_lane, first + last_lane)) return Run::mixed;
  return low ? Run::before : Run::unordered;
}

/// What of an access by all lanes, one after the other, lies in one page: words, by their index in
/// the page, and the lane that the first one belongs to.
struct GlobalRaces::Piece {
  std::uint32_t first = 0, count = 0, lane = 0;
};

template <class Use>
bool GlobalRaces::for_pieces(std::uint64_t address, std::uint32_t bytes, Use use) {
  const std::uint64_t end = address + std::uint64_t{32} * bytes;
  for (std::uint64_t at = address; at < end;) {
    const std::uint64_t inside = at % RacePages::page_bytes;
    const std::uint64_t size = std::min(end - at, RacePages::page_bytes - inside);
    const Piece piece{static_cast<std::uint32_t>(inside / 4), static_cast<std::uint32_t>(size / 4),
                      static_cast<std::uint32_t>((at - address) / bytes)};
    RacePages::Page& page = pages_.at(at);
    if (!page.unchecked && !use(page, piece)) return false;
    at += size;
  }
  return true;
}

bool GlobalRaces::read_run(const Step& step, std::uint64_t address, std::uint32_t bytes) {
  if (bytes < 4 || step.kind != AccessStrength::plain) return false;
  const auto shift = static_cast<std::uint32_t>(std::countr_zero(bytes)) - 2;
  // First a look, so that nothing is done when it does not settle the matter.
  const bool settled =
      for_pieces(address, bytes, [&](const RacePages::Page& page, const Piece& piece) {
        if (page.shift != 2) return false;
        const auto ordered = [&](const RacePages::Cells& cells) {
          const Run run = look(step, &cells[piece.first], piece.count, shift, piece.lane);
          return run == Run::empty || (run == Run::before && !step.read_only);
        };
        return (!page.writer || ordered(page.writer)) && (!page.atomic || ordered(page.atomic));
      });
  if (!settled) return false;
  collect_if_full();
  const std::uint32_t mine = record_of(step);
  return for_pieces(address, bytes, [&](RacePages::Page& page, const Piece& piece) {
    note_readers(step, page, piece, shift, mine);
    return true;
  });
}

void GlobalRaces::note_readers(const Step& step, RacePages::Page& page, const Piece& piece,
                               std::uint32_t shift, std::uint32_t mine) {
  const auto [first, count, lane] = piece;
  if (readers_stay(step, page, first, count)) return;
  std::uint32_t* const readers = pages_.cells(page, page.reader);
  if (!readers) return;
  std::uint32_t* to = readers + first;
  Run run = look(step, to, count, shift, lane);
  if (run == Run::unordered) {
    std::uint32_t* const second = pages_.cells(page, page.second_reader, true);
    if (!second) return;
    to = second + first;
    run = look(step, to, count, shift, lane);
    if (run == Run::unordered) {
      const Record& a = records_[readers[first] >> lane_bits];
      const Record& b = records_[to[0] >> lane_bits];
      if (a.block != b.block) {  // any store races with one of the two
        note_readers_stay(page, first);
        return;
      }
      run = Run::mixed;
    }
  }
  if (run == Run::mixed) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t own = lane + (i >> shift);
      note_reader(step, own, page, first + i, mine + own);
    }
  } else {
    page.readers_change(first, count);
    for (std::uint32_t i = 0; i < count; ++i) to[i] = mine + lane + (i >> shift);
  }
}

bool GlobalRaces::write_run(const Step& step, std::uint64_t address, std::uint32_t bytes) {
  if (bytes < 4 || step.kind != AccessStrength::plain) return false;
  const auto shift = static_cast<std::uint32_t>(std::countr_zero(bytes)) - 2;
  const bool settled =
      for_pieces(address, bytes, [&](const RacePages::Page& page, const Piece& piece) {
        if (page.shift != 2) return false;
        for (const RacePages::Cells* cells : page.kinds()) {
          if (!*cells) continue;
          const Run run = look(step, &(*cells)[piece.first], piece.count, shift, piece.lane);
          if (run != Run::empty && run != Run::before) return false;
        }
        return true;
      });
  if (!settled) return false;
  collect_if_full();
  const std::uint32_t mine = record_of(step);
  return for_pieces(address, bytes, [&](RacePages::Page& page, const Piece& piece) {
    std::uint32_t* const writer = pages_.cells(page, page.writer);
    if (!writer) return true;
    std::uint32_t* const to = writer + piece.first;
    for (std::uint32_t i = 0; i < piece.count; ++i) to[i] = mine + piece.lane + (i >> shift);
    for (RacePages::Cells* cells : {&page.atomic, &page.before_atomics}) {
      if (*cells) std::fill_n(cells->get() + piece.first, piece.count, 0u);
    }
    return true;
  });
}

}  // namespace gridstride::sim
