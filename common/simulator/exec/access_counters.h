// Counts what the accesses of a grid cost: requests, sectors, wavefronts, and what the caches make
// of them. The handlers of memory instructions tell it of each access of a warp.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "common/simulator/base/handles.h"
#include "common/simulator/base/pseudorandom.h"
#include "common/simulator/count/access_cost.h"
#include "common/simulator/count/access_pattern.h"
#include "common/simulator/count/atomic_queues.h"
#include "common/simulator/count/constant_cache.h"
#include "common/simulator/count/counters.h"
#include "common/simulator/count/l2_cache.h"
#include "common/simulator/count/lines_under_way.h"
#include "common/simulator/program/instruction.h"
#include "common/simulator/program/program.h"

namespace gridstride::sim {

/// What one instruction did, over all warps.
struct alignas(64) InstructionCounts {
  std::uint64_t executed = 0, lanes = 0;
  std::uint64_t global_requests = 0, global_sectors = 0, global_ideal = 0, global_serial = 0;
  std::uint64_t shared_requests = 0, shared_wavefronts = 0, shared_ideal = 0;
  std::uint64_t shared_cas_iterations = 0, shared_cas_contended = 0, match_values = 0;
  std::uint64_t shared_cas_passes = 0;
  std::uint64_t merged_sectors = 0;
  std::uint64_t dram_reads = 0, dram_writes = 0, l2_hits = 0;
  std::uint64_t local_requests = 0, local_sectors = 0;
  std::uint64_t texture_requests = 0, texture_sectors = 0, texture_hits = 0, texture_passes = 0;
  std::uint64_t divergent = 0;
  std::uint64_t l1_hits = 0, l1_passes = 0, l2_lines = 0, rewritten = 0;
  std::uint64_t dram_lone_reads = 0, dram_write_lines = 0;
  std::uint64_t constant_requests = 0, constant_passes = 0, constant_misses_apart = 0,
                constant_lines = 0, constant_line_loads = 0;

  void add(const L2Cache::Outcome& outcome) {
    dram_reads += outcome.dram_reads + outcome.fills;
    dram_writes += outcome.dram_writes;
    dram_lone_reads += outcome.lone_reads;
    dram_write_lines += outcome.dram_writes != 0;
    l2_hits += outcome.hits;
  }
};

/// What each instruction of the runs (Inst::run) that begin at one adds to its counts; taken away again
/// at the one behind them.
struct RunCounts {
  std::int64_t by_all = 0;                   ///< by all 32 lanes
  std::int64_t by_some = 0, some_lanes = 0;  ///< by fewer, and how many those were

  template <bool full>
  void begin(LaneMask mask) {
    add<full>(1, mask);
  }
  template <bool full>
  void end(LaneMask mask) {
    add<full>(-1, mask);
  }
  void operator+=(const RunCounts& other) {
    by_all += other.by_all;
    by_some += other.by_some;
    some_lanes += other.some_lanes;
  }

 private:
  template <bool full>
  void add(std::int64_t runs, LaneMask mask) {
    if constexpr (full) {
      by_all += runs;
    } else {
      by_some += runs;
      some_lanes += runs * std::popcount(mask);
    }
  }
};

class AccessCounters {
 public:
  /// What is given lives longer than this.
  AccessCounters(const KernelCode& kernel, L2Cache& l2)
      : counts(kernel.code.size()),
        rare_slots(kernel.code.size()),
        runs(kernel.code.size() + 1),
        kernel_(kernel),
        l2_(l2) {}
  AccessCounters(const AccessCounters&) = delete;
  AccessCounters& operator=(const AccessCounters&) = delete;

  /// Parallel to KernelCode::code. `executed` and `lanes` lack what stands in `runs`.
  std::vector<InstructionCounts> counts;
  /// Issue slots that an instruction has taken beyond its own, in a subroutine for rare operands.
  std::vector<std::uint64_t> rare_slots;
  std::vector<RunCounts> runs;  ///< of `executed` and `lanes`, and one more for the end
  AtomicQueues atomic_queues;
  ConstantCache constant_cache;
  LinesUnderWay under_way;
  AskingTimes asking_times;
  std::uint64_t atomic_changes = 0;  ///< atomics that left another value than they found

  InstructionCounts& of(const Inst& inst) { return counts[inst.source]; }
  /// Whether the counters of an instruction have nothing of what they would be asked for: no warp has come to it.
  bool is_idle(std::size_t instruction) const {
    const std::int32_t by = kernel_.branches.predicated_by[instruction];
    return counts[instruction].executed == 0 && rare_slots[instruction] == 0 &&
           (by < 0 || counts[static_cast<std::size_t>(by)].executed == 0);
  }
  L2Cache& l2() { return l2_; }

  /// Counts a global access of `bytes` a lane and moves its sectors through L1 and L2.
  /// Returns the sectors.
  std::uint32_t count_global(Warp& warp, const Inst& inst, const std::uint64_t* addresses,
                             LaneMask mask, std::uint32_t bytes, std::uint32_t ideal, bool writes);
  /// The same for `bytes` contiguous bytes at `address`.
  std::uint32_t count_global_run(Warp& warp, const Inst& inst, DeviceAddress address,
                                 std::uint32_t bytes, bool writes);

  /// A line that a texture fetch wants, `sectors` of it (bits 0-3), from the L1 or the L2.
  void count_fetched_line(Warp& warp, const Inst& inst, std::uint64_t line, std::uint32_t sectors);

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

  /// To be called before `executed` or `lanes` are read, and not by who is in a run.
  void add_runs();
  /// Warp instructions so far, at block level exact.
  std::uint64_t issued();
  /// What an instruction did. It must have one behind it in the program.
  Counters counters_of(std::size_t instruction) const;
  /// The patterns of an instruction as its line's.
  void add_accesses(std::size_t instruction, const Counters& counters, LineCounters& line) const;

 private:
  static constexpr std::uint64_t all_looked_at = 64;  ///< of the first that are above ideal
  void add_pattern(const Inst& inst, const std::uint64_t* addresses, LaneMask mask,
                   std::uint32_t cost, std::uint32_t ideal);
  /// `stored`: words of each sector, as L2Cache::access() has them.
  void count_line(Warp& warp, const Inst& inst, std::uint64_t line, std::uint32_t sectors,
                  bool writes, std::uint32_t stored);
  /// Of a load: when the line was asked for by another block in this time, or a negative number.
  double note_line(Warp& warp, std::uint64_t line, std::uint32_t sectors);
  void ask_l2(Warp& warp, const Inst& inst, std::uint64_t line, std::uint32_t sectors, bool writes,
              std::uint32_t stored, double asked);
  /// Sectors that atomics read and write where they are, in the L2.
  void count_lines(InstructionCounts& count, const LineTouches& touches);

  const KernelCode& kernel_;
  L2Cache& l2_;
  std::uint64_t sampling_ = 0, costly_ = 0;
  std::map<std::uint32_t, PatternSamples> patterns_;  ///< by instruction
};

}  // namespace gridstride::sim
