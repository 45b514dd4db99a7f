// See the header.
#include "common/simulator/debugger/memory_replay.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gridstride::sim {

bool RecordedBytes::all_known() const {
  return std::ranges::all_of(known, [](bool one) { return one; });
}

/// Bytes that are looked for. Once one is settled, by its value or because there is none, it stays.
class MemoryReplay::Wanted {
 public:
  Wanted(const MemoryPlace& at, std::uint64_t count)
      : at_(at), settled_(count, false), open_(count) {
    result_.values.assign(count, 0);
    result_.known.assign(count, false);
  }
  std::uint64_t first() const { return at_.place; }
  std::uint64_t count() const { return settled_.size(); }
  std::uint32_t owner() const {
    return at_.space == TraceSpace::local ? at_.owner / 32 : at_.owner;
  }
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
      const TraceAccess& access = step.accesses[k];
      if (access.values.empty() || access.places.empty()) continue;
      const auto [least, most] = std::ranges::minmax(access.places);
      const std::uint32_t owner = access.space == TraceSpace::shared  ? playback.block_of(step)
                                  : access.space == TraceSpace::local ? step.warp
                                                                      : 0;
      entries_[static_cast<std::size_t>(access.space)].push_back(
          {i, k, owner, least, most + std::uint64_t{access.bytes} * access.count});
    }
  }
}

void MemoryReplay::see(const Entry& entry, bool later, Wanted& wanted) const {
  const std::uint64_t end = wanted.first() + wanted.count();
  if (entry.owner != wanted.owner() || entry.behind <= wanted.first() || entry.first >= end) return;
  const TraceAccess& access = playback_.step(entry.step).accesses[entry.access];
  const bool stores = access.kind == TraceKind::store;
  const auto& values = access.kind == TraceKind::atomic && !later && !access.after.empty()
                           ? access.after
                           : access.values;
  const std::uint64_t lane_bytes = std::uint64_t{access.bytes} * access.count;
  // Where lanes of one store meet, the last one's stays.
  std::uint32_t rest = access.lanes;
  for (std::size_t lane = access.places.size(); lane-- > 0;) {
    const auto bit = static_cast<std::uint32_t>(31 - std::countl_zero(rest));
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
  Wanted wanted(at, count);
  const auto& entries = entries_[static_cast<std::size_t>(at.space)];
  const auto middle = std::ranges::lower_bound(entries, position, {}, &Entry::step);
  for (auto entry = middle; entry != entries.begin() && !wanted.done();) {
    --entry;
    see(*entry, false, wanted);
  }
  for (auto entry = middle; entry != entries.end() && !wanted.done(); ++entry)
    see(*entry, true, wanted);
  return wanted.take();
}

}  // namespace gridstride::sim
