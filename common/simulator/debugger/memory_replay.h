// Memory as it was at a step, as far as recorded accesses say it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "common/simulator/playback/playback.h"

namespace gridstride::sim {

/// Which memory: `owner` is the recorded block of shared memory, warp * 32 + lane of local memory, 0 of
/// global memory.
struct MemoryPlace {
  TraceSpace space{};
  std::uint32_t owner = 0;
  std::uint64_t place = 0;
};

/// Bytes, each known or not.
struct RecordedBytes {
  std::vector<std::uint8_t> values;
  std::vector<bool> known;
  bool all_known() const;
};

class MemoryReplay {
 public:
  explicit MemoryReplay(const Playback& playback);

  /// `count` bytes when the steps before `position` are done: as the last access found or left them, else
  /// as a later load found them that no store came before.
  RecordedBytes bytes(const MemoryPlace& at, std::uint64_t count, std::size_t position) const;

 private:
  /// One TraceAccess.
  struct Entry {
    std::size_t step = 0, access = 0;
  };
  /// Of one memory: which accesses touch a page, by its number and whose it is.
  struct Memory {
    std::vector<Entry> entries;
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> pages;  ///< in `entries`
  };
  class Wanted;
  void note(const Entry& entry);
  void see(const Entry& entry, bool later, Wanted& wanted) const;

  const Playback& playback_;
  std::array<Memory, 3> memories_;  ///< by TraceSpace
};

}  // namespace gridstride::sim
