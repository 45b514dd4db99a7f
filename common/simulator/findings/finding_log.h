// What is found while a grid runs: each mistake once, in words for the user.
//
// Races, uninitialised reads and mistakes in warp operations let the grid go on; other mistakes end
// it. Instructions are indices into KernelCode::code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "common/simulator/analysis/needed_bytes.h"
#include "common/simulator/check/check_options.h"
#include "common/simulator/check/finding.h"
#include "common/simulator/check/global_races.h"
#include "common/simulator/check/race_checker.h"
#include "common/simulator/findings/place_names.h"
#include "common/simulator/findings/unwritten_values.h"
#include "common/simulator/memory/global_memory.h"
#include "common/simulator/program/memory_use.h"
#include "common/simulator/program/program.h"

namespace gridstride::sim {

/// Thrown to end a grid after a fatal mistake, which has been recorded.
struct GridStop {};

struct LaunchedGrids;  // findings/launched_grids.h

/// Lanes of a warp at a .sync operation.
struct WarpLanes {
  LaneMask present = 0;  ///< that exist
  LaneMask live = 0;     ///< … and have not ended
  LaneMask members = 0;  ///< that the operation's mask names
};

/// Where the local variables of a function's activation lie in its thread's local memory.
struct LocalFrame {
  std::uint32_t base = 0, bytes = 0;
};

class FindingLog final : public GlobalRaceSink {
 public:
  /// What is given lives longer than this. `shared_bytes`: of one block.
  FindingLog(const KernelCode& kernel, const GlobalMemory& memory, const CheckOptions& checks,
             const PlaceNames& names, std::uint32_t shared_bytes)
      : kernel_(kernel),
        memory_(memory),
        checks_(checks),
        names_(names),
        shared_bytes_(shared_bytes) {}
  FindingLog(const FindingLog&) = delete;
  FindingLog& operator=(const FindingLog&) = delete;

  /// The launch tree that the grid is one of; lives longer than this.
  void set_launched(const LaunchedGrids& launched) { launched_ = &launched; }

  /// Which bytes of what an instruction loads are made use of.
  NeededBytes needed(std::uint32_t instruction);

  /// In shared memory at `offset`. A pair of lines is reported once, with a count.
  void race(std::uint64_t block, const RacingAccess& earlier, const RacingAccess& now,
            std::uint32_t offset);
  void race(const RacingGlobalAccess& earlier, const RacingGlobalAccess& now,
            std::uint64_t address) override;
  /// An uninitialised read; a line is reported once, with a count. The address is that of
  /// global memory, an offset in shared or in a thread's local memory. `at_end`: it lies where a
  /// function's local memory may have been rounded up.
  void uninitialized_read(const ThreadId& thread, std::uint32_t instruction, ptx::Space space,
                          const UnwrittenLoad& loaded);
  /// The same of what was loaded before, and is now used by `user`.
  void uninitialized_read(const ThreadId& thread, const UnwrittenRead& read, std::uint32_t user);
  /// What was loaded is stored by `instruction` to global memory at `to`, where `bytes` (bit i:
  /// byte i) of the `stored` bytes are unwritten. No mistake, unless it matters there: then
  /// Ending::copies says what to say.
  void unwritten_copy(const ThreadId& thread, const UnwrittenRead& read, std::uint32_t instruction,
                      DeviceAddress to, std::uint32_t bytes, std::uint32_t stored);
  /// `thread` executes a .sync operation whose mask `members` does not name it.
  void wrong_mask(const ThreadId& thread, std::uint32_t instruction, LaneMask members);
  /// `thread` shuffles from lane `from`, which does not take part.
  void inactive_lane(const ThreadId& thread, std::uint32_t instruction, std::uint32_t from,
                     const WarpLanes& lanes);
  using Threads = std::vector<std::uint32_t>;
  struct SkippedBarrier {
    std::uint32_t in_condition = 0;  ///< the barrier, or a call that leads to it
    std::uint32_t barrier = 0;
    std::uint32_t other = 0;  ///< where those wait who went round it, unless they have ended
  };
  /// `others`, threads of `block`, went round the barrier at which `waiting` stand, and have ended or
  /// wait at another one.
  void skipped_barrier(std::uint64_t block, const SkippedBarrier& which, const Threads& waiting,
                       const Threads& others, bool ended);
  /// The grid is about to end because `others`, threads of a block, are not at the barrier
  /// `instruction`, where the rest waits.
  void missed_barrier(std::uint32_t instruction, Threads others);

  /// Fatal mistakes: all throw GridStop. `error`: a cudaError_t.
  [[noreturn]] void stop(Finding finding, int error);
  [[noreturn]] void bad_global(const ThreadId& thread, std::uint32_t instruction,
                               DeviceAddress address, std::uint32_t bytes, Access access);
  [[noreturn]] void misaligned(const ThreadId& thread, std::uint32_t instruction,
                               std::uint64_t address, std::uint32_t bytes, Access access,
                               const char* space);
  /// `variable`: index of the shared variable that the address was computed from, or -1.
  [[noreturn]] void bad_shared(const ThreadId& thread, std::uint32_t instruction,
                               std::uint64_t offset, std::uint32_t bytes, Access access,
                               std::int32_t variable);
  [[noreturn]] void bad_local(const ThreadId& thread, std::uint32_t instruction,
                              std::uint64_t offset, std::uint32_t bytes, Access access,
                              const LocalFrame& frame);
  /// The array is one of the function, `offset` counts from the begin of its frame.
  [[noreturn]] void behind_local_array(const ThreadId& thread, std::uint32_t instruction,
                                       std::uint64_t offset, std::uint32_t bytes, Access access,
                                       const LocalArray& array);
  [[noreturn]] void bad_free(const ThreadId& thread, std::uint32_t instruction,
                             DeviceAddress address);
  [[noreturn]] void bad_instruction(const ThreadId& thread, std::uint32_t instruction,
                                    const std::string& what, int error);

  /// Those so far after which the grid goes on, in the order in which they were found.
  const std::vector<Finding>& so_far() const { return findings_; }

  /// How the grid ended. Once, at the end.
  struct Ending {
    std::vector<Finding> findings;  ///< in the order in which they should be read
    std::vector<UnwrittenCopy> copies;
    int error = 0;       ///< cudaError_t, 0: none
    std::string reason;  ///< of the error, in words
  };
  Ending take();

 private:
  /// An instruction, of this kernel or of another one.
  struct Named {
    const PlaceNames* names = nullptr;
    const KernelCode* kernel = nullptr;
    std::uint32_t instruction = 0;
  };
  Finding finding(FindingKind kind, std::uint32_t instruction) const;
  /// Nothing when this kind of finding of these two instructions, or lines, is known already (it
  /// has been counted then) or there are too many; otherwise one to be completed and added.
  std::optional<Finding> new_finding(FindingKind kind, const Named& earlier, std::uint32_t now);
  std::optional<Finding> new_finding(FindingKind kind, std::uint32_t earlier, std::uint32_t now) {
    return new_finding(kind, {&names_, &kernel_, earlier}, now);
  }
  /// A race with an access of an earlier grid of the launch tree.
  void race_between_grids(const RacingGlobalAccess& earlier, const RacingGlobalAccess& now,
                          std::uint64_t address);
  std::string kernel_named(LaunchOrder::Grid grid) const;
  /// A copy or fill that a kernel asked for, and "the copy that thread (0, 0, 0) … asked for in line 7".
  bool is_transfer(LaunchOrder::Grid grid) const;
  std::string transfer_named(LaunchOrder::Grid grid) const;
  /// "writes it".
  static const char* deed_of(const RacingGlobalAccess& access);
  /// Whether the two are of one statement that reads, changes and writes back, such as `++x`.
  bool is_lost_update(const RacingAccess& earlier, const RacingAccess& now) const;
  /// Of an access that stands in the program.
  bool is_in_loop(const RacingAccess& access) const;
  /// `text` and `advice`; where that is for code that a lock may guard, as the kernel swaps words or compares
  /// and swaps them, or that a flag may hand over, as it polls, what that takes.
  std::string with_locks(std::string text, const char* advice) const;
  /// Of an atomic operation; 0 of another access.
  std::uint8_t atomic_bytes(const RacingAccess& access) const {
    return kernel_.atomic_bytes[access.instruction];
  }
  /// Who reads what, behind `place` what to do about it.
  std::string unwritten_text(const ThreadId& thread, ptx::Space space, const UnwrittenLoad& loaded,
                             const std::string& and_then) const;
  /// See value_uses.h.
  bool uses_result(std::uint32_t instruction);
  /// The place of `instruction` in the kernel's code.
  std::uint32_t place_of(const ptx::Instruction* instruction) const;
  /// Which of the findings are races behind a barrier that one of the two threads has not come to:
  /// another barrier would not mend them. The first of them is told with the one that is there.
  std::vector<bool> blame_barriers();
  void sort_findings();

  const KernelCode& kernel_;
  const GlobalMemory& memory_;
  const CheckOptions& checks_;
  const PlaceNames& names_;
  std::uint32_t shared_bytes_;
  const LaunchedGrids* launched_ = nullptr;  ///< null for the first grid of a launch tree
  std::vector<Finding> findings_;            ///< of mistakes after which the grid goes on
  std::optional<Finding> end_;               ///< the mistake that ended it
  int error_ = 0;
  struct RaceInBlock {
    std::size_t finding = 0;
    RacingAccess earlier, now;
    std::string what;  ///< "s, element 3 …: thread … writes it in line 5 and thread … reads it …"
  };
  std::vector<RaceInBlock> races_in_blocks_;
  struct MissedBarrier {
    std::uint32_t instruction = 0;
    Threads others;                      ///< threads that have not come
    std::optional<std::size_t> finding;  ///< nothing: `end_`
  };
  std::vector<MissedBarrier> missed_barriers_;
  /// Those that do not end the grid, by kind and instructions, of which the first is of that kernel.
  std::map<std::tuple<FindingKind, const KernelCode*, std::uint32_t, std::uint32_t>, std::size_t>
      known_;
  std::vector<UnwrittenCopy> copies_;
  /// Those, by load, store, the allocation they went to and UnwrittenCopy::whole.
  std::map<std::tuple<const ptx::Instruction*, std::uint32_t, DeviceAddress, bool>, std::size_t>
      known_copies_;
  std::map<std::uint32_t, bool> uses_result_;          ///< by instruction, as far as asked
  std::map<std::uint32_t, NeededBytes> needed_bytes_;  ///< likewise
};

}  // namespace gridstride::sim
