// See the header.
#include "common/simulator/debugger/memory_replay.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace gridstride::sim {

bool RecordedBytes::all_known() const {
  return std::ranges::all_of(known, [](bool one) { return one; });
}

namespace {

constexpr std::uint64_t page_bytes = 256;

/// Of a page of the block's shared memory, of the warp's local memory, or of global memory.
std::uint64_t page_key(std::uint32_t owner, std::uint64_t place) {
  return std::uint64_t{owner} << 40 | place / page_bytes;
}

}  // namespace

/// Bytes that are looked for, within one page. Once one is settled, by its value or because there is none, it stays.
class MemoryReplay::Wanted {
 public:
  Wanted(const MemoryPlace& at, std::uint64_t count)
      : at_(at), settled_(count, false), open_(count) {
    result_.values.assign(count, 0);
    result_.known.assign(count, false);
  }
  std::uint64_t first() const { return at_.place; }
  std::uint64_t count() const { return settled_.size(); }
  /// Of local memory only this lane's accesses count.
  std::uint32_t lanes() const {
    return at_.space == TraceSpace::local ? 1u << (at_.owner % 32) : ~0u;
  }
  bool done() const { return open_ == 0; }
  void settle(std::uint64_t place, bool known, std::uint8_t value) {
    const std::uint64_t index = place - at_.place;
    if (index >= settled_.size() || settled_[index]) return;
    settled_[index] = true;
    result_.known[index] = known;
    result_.values[index] = value;
    --open_;
  }
  RecordedBytes take() { return std::move(result_); }

 private:
  MemoryPlace at_;
  RecordedBytes result_;
  std::vector<bool> settled_;
  std::size_t open_;
};

MemoryReplay::MemoryReplay(const Playback& playback) : playback_(playback) {
  for (std::size_t i = 0; i < playback.order().size(); ++i) {
    const TraceStep& step = playback.step(i);
    for (std::size_t k = 0; k < step.accesses.size(); ++k) {
      const bool known = !step.accesses[k].values.empty() && !step.accesses[k].places.empty();
      if (known) note({i, k});
    }
  }
}

void MemoryReplay::note(const Entry& entry) {
  const TraceStep& step = playback_.step(entry.step);
  const TraceAccess& access = step.accesses[entry.access];
  Memory& memory = memories_[static_cast<std::size_t>(access.space)];
  const std::uint32_t owner = access.space == TraceSpace::shared  ? playback_.block_of(step)
                              : access.space == TraceSpace::local ? step.warp
                                                                  : 0;
  const auto number = static_cast<std::uint32_t>(memory.entries.size());
  memory.entries.push_back(entry);
  const std::uint64_t lane_bytes = std::uint64_t{access.bytes} * access.count;
  std::uint64_t before = ~std::uint64_t{0};
  for (const std::uint64_t place : access.places) {
    for (std::uint64_t page = place / page_bytes; page <= (place + lane_bytes - 1) / page_bytes;
         ++page) {
      if (page == before) continue;
      before = page;
      auto& touching = memory.pages[page_key(owner, page * page_bytes)];
      if (touching.empty() || touching.back() != number) touching.push_back(number);
    }
  }
}

void MemoryReplay::see(const Entry& entry, bool later, Wanted& wanted) const {
  const std::uint64_t end = wanted.first() + wanted.count();
  const TraceAccess& access = playback_.step(entry.step).accesses[entry.access];
  const bool stores = access.kind == TraceKind::store;
  const auto& values = access.kind == TraceKind::atomic && !later && !access.after.empty()
                           ? access.after
                           : access.values;
  const std::uint64_t lane_bytes = std::uint64_t{access.bytes} * access.count;
  // Where lanes of one instruction meet, the last one's stays, and the first one's turn found what was there.
  std::uint32_t rest = access.lanes;
  for (std::size_t i = 0; i < access.places.size(); ++i) {
    const std::size_t lane = later ? i : access.places.size() - 1 - i;
    const auto bit =
        static_cast<std::uint32_t>(later ? std::countr_zero(rest) : 31 - std::countl_zero(rest));
    rest &= ~(1u << bit);
    const std::uint64_t place = access.places[lane];
    if (!(wanted.lanes() >> bit & 1) || place >= end || place + lane_bytes <= wanted.first())
      continue;
    for (std::uint32_t part = 0; part < access.count; ++part) {
      const std::uint64_t value = values[lane * access.count + part];
      const std::uint32_t kept = std::min<std::uint32_t>(access.bytes, 8);
      for (std::uint32_t byte = 0; byte < access.bytes; ++byte)
        wanted.settle(place + std::uint64_t{part} * access.bytes + byte,
                      !(stores && later) && byte < kept,
                      byte < kept ? static_cast<std::uint8_t>(value >> 8 * byte) : 0);
    }
  }
}

RecordedBytes MemoryReplay::bytes(const MemoryPlace& at, std::uint64_t count,
                                  std::size_t position) const {
  const Memory& memory = memories_[static_cast<std::size_t>(at.space)];
  const std::uint32_t owner = at.space == TraceSpace::local ? at.owner / 32 : at.owner;
  RecordedBytes all;
  for (std::uint64_t done = 0; done < count;) {
    const std::uint64_t place = at.place + done;
    const std::uint64_t part = std::min(count - done, page_bytes - place % page_bytes);
    done += part;
    Wanted wanted({at.space, at.owner, place}, part);
    const auto page = memory.pages.find(page_key(owner, place));
    if (page != memory.pages.end()) {
      const auto& touching = page->second;
      const auto middle = std::ranges::partition_point(
          touching, [&](std::uint32_t number) { return memory.entries[number].step < position; });
      for (auto one = middle; one != touching.begin() && !wanted.done();)
        see(memory.entries[*--one], false, wanted);
      for (auto one = middle; one != touching.end() && !wanted.done(); ++one)
        see(memory.entries[*one], true, wanted);
    }
    const RecordedBytes found = wanted.take();
    all.values.insert(all.values.end(), found.values.begin(), found.values.end());
    all.known.insert(all.known.end(), found.known.begin(), found.known.end());
  }
  return all;
}

}  // namespace gridstride::sim
