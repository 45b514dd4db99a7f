// Values that are loaded and that nobody has written. Who copies a structure copies its padding too: that
// is no mistake, and what is copied stays unwritten where it arrives. It is one when somebody looks at it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "common/simulator/check/finding.h"
#include "common/simulator/memory/initialised_bytes.h"
#include "common/simulator/program/program.h"

namespace gridstride::sim {

/// What one lane has loaded.
struct UnwrittenLoad {
  std::uint32_t missing = 0;  ///< bit i: byte i is unwritten; 0: all is well
  std::uint64_t address = 0;  ///< in `space`, as FindingLog::uninitialized_read() takes it
  std::uint32_t bytes = 0;    ///< that were loaded
  bool at_end = false;        ///< of a function's local memory
};

/// … and by which instruction, from which memory.
struct UnwrittenRead {
  const ptx::Instruction* instruction = nullptr;
  ptx::Space space = ptx::Space::generic;
  UnwrittenLoad loaded;
};

/// Of one warp: what its lanes hold of loads whose value is only copied (needed_bytes.h). Mostly nothing.
class UnwrittenValues {
 public:
  bool empty() const { return loads_.empty(); }
  void clear() { loads_.clear(); }
  void keep(const ptx::Instruction* load, ptx::Space space, std::uint32_t lane,
            const UnwrittenLoad& loaded);
  /// The lanes load anew.
  void forget(const ptx::Instruction* load, LaneMask lanes);

  struct Load {
    const ptx::Instruction* instruction = nullptr;
    ptx::Space space = ptx::Space::generic;
    LaneMask lanes = 0;  ///< to which bytes are missing
    UnwrittenLoad of[warp_size];
  };
  /// Null when no lane lacks a byte of it.
  const Load* find(const ptx::Instruction* load) const;

 private:
  std::vector<Load> loads_;
};

/// Of one kernel: which stores store bytes of which loads, found out when it is first asked for.
class CopySources {
 public:
  struct Byte {
    std::uint8_t stored = 0, loaded = 0;  ///< number of the byte in the store, and in the load
    const ptx::Instruction* load = nullptr;
  };
  explicit CopySources(const KernelCode& kernel) : kernel_(kernel) {}
  /// Of the store at `source` in the kernel's code.
  const std::vector<Byte>& of(std::uint32_t source);

 private:
  const KernelCode& kernel_;
  std::map<std::uint32_t, std::vector<Byte>> known_;
};

/// What `lane` stores of what nobody has written.
struct UnwrittenStore {
  std::uint32_t bytes = 0;  ///< bit i: byte i
  UnwrittenRead first;      ///< where the first of them was loaded
};
UnwrittenStore unwritten_store(const UnwrittenValues& values, CopySources& sources,
                               std::uint32_t source, std::uint32_t lane);

/// An unwritten value that has been copied to global memory, and what is to be said when it matters there.
struct UnwrittenCopy {
  struct Place {
    DeviceAddress to = 0;
    std::uint32_t bytes = 0;  ///< bit i: byte to + i
  };
  Finding finding;  ///< names the first place
  /// Where it is, and where the same store of the same load has put others.
  std::vector<Place> places;
  bool whole = false;  ///< nothing else was stored, and it is an element of four bytes or more
  std::optional<std::size_t> launch;  ///< number of its launch, for who keeps several launches'
};

/// Takes those out of `copies` that have a place in `bytes` bytes from `begin` on, and returns the ones of
/// which such a place has not been written over since, those of one launch and line as one. `whole`: of
/// these alone.
std::vector<UnwrittenCopy> take_unwritten(std::vector<UnwrittenCopy>& copies,
                                          const InitialisedBytes& global, DeviceAddress begin,
                                          std::uint64_t bytes, bool whole);

}  // namespace gridstride::sim
