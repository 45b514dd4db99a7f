// One grid while it runs: what all its blocks share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "common/simulator/check/global_races.h"
#include "common/simulator/check/race_checker.h"
#include "common/simulator/count/access_cost.h"
#include "common/simulator/count/access_pattern.h"
#include "common/simulator/count/atomic_queues.h"
#include "common/simulator/count/l2_cache.h"
#include "common/simulator/exec/engine.h"
#include "common/simulator/exec/program.h"
#include "common/simulator/memory/device_heap.h"
#include "common/simulator/memory/global_memory.h"
#include "common/simulator/pseudorandom.h"

namespace gridstride::sim {

class DeviceRuntime;  // exec/device_runtime.h

/// What one instruction did, over all warps.
struct alignas(64) InstructionCounts {
  std::uint64_t executed = 0, lanes = 0;
  std::uint64_t global_requests = 0, global_sectors = 0, global_ideal = 0, global_serial = 0;
  std::uint64_t shared_requests = 0, shared_wavefronts = 0, shared_ideal = 0, shared_rounds = 0;
  std::uint64_t shared_contended = 0, match_values = 0;
  std::uint64_t dram_reads = 0, dram_writes = 0, l2_hits = 0;
  std::uint64_t local_requests = 0, local_sectors = 0;
  std::uint64_t texture_requests = 0, texture_sectors = 0;
  std::uint64_t divergent = 0;
  std::uint64_t l1_hits = 0, l1_passes = 0, l2_lines = 0, rewritten = 0;
  std::uint64_t dram_read_lines = 0, dram_write_lines = 0;
  std::uint64_t constant_requests = 0, constant_passes = 0;

  void add(const L2Cache::Outcome& outcome) {
    dram_reads += outcome.dram_reads;
    dram_writes += outcome.dram_writes;
    dram_read_lines += outcome.dram_reads != 0;
    dram_write_lines += outcome.dram_writes != 0;
    l2_hits += outcome.hits;
  }
};

/// Thrown to end a grid after a fatal mistake, which has been recorded.
struct GridStop {};

enum class Access : std::uint8_t { load, store, atomic };

class GridRun final : public GlobalRaceSink {
 public:
  GridRun(const GridRequest& request, GlobalMemory& memory, L2Cache& l2);
  virtual ~GridRun();
  GridRun(const GridRun&) = delete;
  GridRun& operator=(const GridRun&) = delete;

  GridResult run();

  const GridRequest& request;
  const Program& program;
  const KernelCode& kernel;
  GlobalMemory& memory;
  L2Cache& l2;
  std::vector<InstructionCounts> counts;  ///< parallel to kernel.code
  AtomicQueues atomic_queues;
  std::uint64_t atomic_changes = 0;  ///< atomics that left another value than they found
  Releases releases;
  GlobalRaces* global_races = nullptr;  ///< null when not checked
  std::uint32_t shared_bytes = 0;       ///< static and dynamic, of one block

  /// The heap of kernels. Throws Unsupported where there is none.
  DeviceHeap& heap() const;
  /// What the grid asks of the device runtime. device_host() throws Unsupported where
  /// there is none.
  DeviceRuntime& device_runtime();
  DeviceRuntimeHost& device_host();

  /// True when [address, address + bytes) lies in the allocation that was hit last; or looks it up
  /// and makes it the last one.
  bool accessible(DeviceAddress address, std::uint64_t bytes, bool writes) {
    if (address >= window_begin_ && address < window_end_ && bytes <= window_end_ - address &&
        !(writes && window_read_only_)) {
      return true;
    }
    return look_up(address, bytes, writes);
  }
  /// Allocations may have changed.
  void forget_window() { window_begin_ = window_end_ = 0; }

  /// Counts a global access and moves its sectors through L1 and L2.
  /// Returns the sectors.
  std::uint32_t count_global(Warp& warp, const Inst& inst, const LineTouches& touches,
                             std::uint32_t ideal, bool writes);
  /// The same for `bytes` contiguous bytes at `address`.
  std::uint32_t count_global_run(Warp& warp, const Inst& inst, DeviceAddress address,
                                 std::uint32_t bytes, bool writes);

  /// For an access that costs more than its ideal, in sectors or wavefronts: looks at a sample.
  template <class Address>
  void note_pattern(const Inst& inst, const Address* addresses, LaneMask mask, std::uint32_t cost,
                    std::uint32_t ideal) {
    // Chance, the same in every run: every so-many-th would meet the rhythm of loops.
    constexpr int left_out = 25;  // of 31 bits: the others are 0 once in 64
    const bool chosen = draw(sampling_) >> left_out == 0;
    if (costly_++ >= all_looked_at && !chosen) return;
    std::uint64_t wide[warp_size];
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      wide[lane] = (mask >> lane & 1) != 0 ? addresses[lane] : 0;
    }
    add_pattern(inst, wide, mask, cost, ideal);
  }

  /// A global atomic; `aggregated`: the compiler makes one operation of a warp's.
  void count_atomic(Warp& warp, const Inst& inst, const std::uint64_t* addresses, LaneMask mask,
                    bool aggregated, bool is_float);

  /// Warp instructions so far, at block level exact.
  std::uint64_t issued() const;
  /// Throws GridStop with a timeout when the budget is used up; a block counts at least for one.
  void check_budget(const Warp* where);
  /// To be called while blocks wait for each other. Throws GridStop when they have done so for long
  /// and nothing has happened: no store, no barrier, no end of a block, no block that computes, no
  /// atomic that changed anything.
  void check_stuck(const std::vector<Block*>& blocks);

  // Findings. Races, reads of what nobody has written and mistakes in warp operations let the grid
  // go on.
  /// A pair of lines is reported once, with a count.
  void race(const Block& block, const RacingAccess& earlier, const RacingAccess& now,
            std::uint32_t offset);
  void race(const RacingGlobalAccess& earlier, const RacingGlobalAccess& now,
            std::uint64_t address) override;
  /// Whether something depends on one of these bytes, bit i for byte i, of what an instruction
  /// loads.
  bool needs(std::uint32_t instruction, std::uint32_t bytes);
  /// A read of what nobody has written; a line is reported once, with a count. `address` is that of
  /// global memory, an offset in shared or in a thread's local memory.
  void unwritten(const Warp& warp, const Inst& inst, std::uint32_t lane, ptx::Space space,
                 std::uint64_t address, std::uint32_t bytes);
  /// `lane` executes a .sync operation whose mask `members` does not name it.
  void wrong_mask(const Warp& warp, const Inst& inst, std::uint32_t lane, LaneMask members);
  /// `lane` shuffles from lane `from`, which does not take part.
  void inactive_lane(const Warp& warp, const Inst& inst, std::uint32_t lane, std::uint32_t from);
  /// `ended`, threads of `block`, went round the barrier at which `waiting` stand.
  void skipped_barrier(const Block& block, const Inst& barrier,
                       const std::vector<std::uint32_t>& waiting,
                       const std::vector<std::uint32_t>& ended);
  /// The grid is about to end because `others`, threads of a block, are not at the barrier
  /// `instruction`, where the rest waits.
  void missed_barrier(std::uint32_t instruction, std::vector<std::uint32_t> others);
  [[noreturn]] void stop(Finding finding, int error);
  [[noreturn]] void bad_global(const Warp& warp, const Inst& inst, std::uint32_t lane,
                               DeviceAddress address, std::uint32_t bytes, Access access);
  [[noreturn]] void misaligned(const Warp& warp, const Inst& inst, std::uint32_t lane,
                               std::uint64_t address, std::uint32_t bytes, Access access,
                               const char* space);
  /// `variable`: index of the shared variable that the address was computed from, or -1.
  [[noreturn]] void bad_shared(const Warp& warp, const Inst& inst, std::uint32_t lane,
                               std::uint64_t offset, std::uint32_t bytes, Access access,
                               std::int32_t variable);
  [[noreturn]] void bad_local(const Warp& warp, const Inst& inst, std::uint32_t lane,
                              std::uint64_t offset, std::uint32_t bytes, Access access);
  [[noreturn]] void bad_free(const Warp& warp, const Inst& inst, std::uint32_t lane,
                             DeviceAddress address);
  [[noreturn]] void bad_instruction(const Warp& warp, const Inst& inst, LaneMask lanes,
                                    const std::string& what, int error);

  const ptx::Location& location(std::uint32_t instruction) const;
  const std::string& file_name(std::uint32_t number) const;  ///< of Module::files
  SourcePosition line_of(std::uint32_t instruction) const;
  /// The same with what is to be said of inlined code.
  SourcePosition position(std::uint32_t instruction) const;
  /// "thread (1, 0, 0) of block (2, 0, 0)".
  std::string title(std::uint64_t block, std::uint32_t thread) const;
  std::string title(const Warp& warp, std::uint32_t lane) const;
  /// "threads 0 to 15 and 20" of a set of threads of one block, by linear index.
  static std::string threads_title(const std::vector<std::uint32_t>& threads);
  static std::string text_of(const Dim3& index);  ///< "(1, 0, 0)"
  /// "__shfl_down_sync()".
  std::string operation_title(std::uint32_t instruction) const;

 private:
  /// The instruction of the program that stands behind one of the kernel's.
  const Origin& origin_of(std::uint32_t instruction) const;
  static constexpr std::uint64_t all_looked_at = 64;  ///< of the first that are above ideal
  void add_pattern(const Inst& inst, const std::uint64_t* addresses, LaneMask mask,
                   std::uint32_t cost, std::uint32_t ideal);
  /// The patterns of an instruction as its line's.
  void add_accesses(std::size_t instruction, const Counters& counters, LineCounters& line) const;
  void count_line(Warp& warp, const Inst& inst, std::uint64_t line, std::uint32_t sectors,
                  bool writes);
  /// Sectors that atomics read and write where they are, in the L2.
  void count_lines(InstructionCounts& count, const LineTouches& touches);
  bool look_up(DeviceAddress address, std::uint64_t bytes, bool writes);
  void run_blocks();
  bool is_sampled(std::uint64_t block) const;
  /// Takes the time of the block, which has ended or is cut off.
  void sample(Block& block);
  void retire(Block& block);
  void sort_findings();
  GridResult result();
  Counters counters_of(std::size_t instruction) const;
  Finding finding(FindingKind kind, std::uint32_t instruction) const;
  Dim3 block_index(std::uint64_t linear) const;
  /// Nothing when this kind of finding of these two instructions, or lines, is known already (it
  /// has been counted then) or there are too many; otherwise one to be completed and added.
  std::optional<Finding> new_finding(FindingKind kind, std::uint32_t earlier, std::uint32_t now);
  /// "element 3 (of 4 bytes, at 0xa0000000c) of the 4096-byte allocation …".
  std::string global_place(std::uint64_t address, std::uint32_t width) const;
  std::string shared_place(std::uint64_t offset, std::uint32_t width) const;
  /// Which of the findings are races behind a barrier that one of the two threads has not come to:
  /// another barrier would not mend them. The first of them is told with the one that is there.
  std::vector<bool> blame_barriers();
  void start_race_checker();
  std::vector<UncheckedMemory> unchecked_memory() const;
  /// See value_uses.h.
  bool uses_result(std::uint32_t instruction);
  /// Whether a compiler may have moved this load before the condition under which the program
  /// reads: what it loads certainly exists, and not every path uses it.
  bool may_be_read_ahead(std::uint32_t instruction, ptx::Space space);

  std::unique_ptr<DeviceRuntime> device_runtime_;
  DeviceAddress window_begin_ = 0, window_end_ = 0;
  bool window_read_only_ = false;
  std::vector<Finding> findings_;  ///< of mistakes after which the grid goes on
  std::optional<Finding> end_;     ///< the mistake that ended it
  struct RaceInBlock {
    std::size_t finding = 0;
    RacingAccess earlier, now;
    std::string what;  ///< "s, element 3 …: thread … writes it in line 5 and thread … reads it …"
  };
  std::vector<RaceInBlock> races_in_blocks_;
  struct MissedBarrier {
    std::uint32_t instruction = 0;
    std::vector<std::uint32_t> others;   ///< threads that have not come
    std::optional<std::size_t> finding;  ///< nothing: `end_`
  };
  std::vector<MissedBarrier> missed_barriers_;
  /// Those that do not end the grid, by kind and instructions.
  std::map<std::tuple<FindingKind, std::uint32_t, std::uint32_t>, std::size_t> known_;
  std::map<std::uint32_t, bool> uses_result_;            ///< by instruction, as far as asked
  std::map<std::uint32_t, std::uint32_t> needed_bytes_;  ///< likewise
  std::unique_ptr<RacePages> own_race_pages_;
  RacePages* race_pages_ = nullptr;  ///< null when races in global memory are not looked for
  std::unique_ptr<GlobalRaces> race_checker_;
  int error_ = 0;
  std::uint64_t finished_blocks_ = 0;
  std::uint64_t turns_used_ = 0;   ///< by blocks that got on, before they gave way
  std::uint64_t events_ = 0;       ///< of which check_stuck() knows
  std::uint64_t quiet_since_ = 0;  ///< warp instructions when the last of them was new
  double latency_sum_ = 0;
  std::uint32_t latency_samples_ = 0;
  std::uint64_t sampling_ = 0, costly_ = 0;
  std::map<std::uint32_t, PatternSamples> patterns_;  ///< by instruction
};

}  // namespace gridstride::sim
