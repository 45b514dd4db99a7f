// Runs grids: the simulated GPU's multiprocessors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/simulator/base/dim3.h"
#include "common/simulator/base/unsupported.h"
#include "common/simulator/check/check_options.h"
#include "common/simulator/check/clocks.h"
#include "common/simulator/check/finding.h"
#include "common/simulator/check/launch_order.h"
#include "common/simulator/count/atomic_queues.h"
#include "common/simulator/count/counters.h"
#include "common/simulator/exec/device_work.h"
#include "common/simulator/findings/unchecked_memory.h"
#include "common/simulator/findings/unwritten_values.h"

namespace gridstride::sim {

class DeviceHeap;         // memory/device_heap.h
class DeviceRuntimeHost;  // exec/device_runtime.h
class GlobalMemory;       // memory/global_memory.h
struct LaunchedGrids;     // findings/launched_grids.h
class L2Cache;            // count/l2_cache.h
struct IssuePlan;         // exec/scoreboard.h
struct KernelCode;        // program/program.h
class PlaceNames;         // findings/place_names.h
struct SourceLines;       // findings/source_lines.h
class RacePages;          // check/race_pages.h
class PrintBuffer;        // device_runtime/print_buffer.h
class Program;            // program/program.h
class TextureRegistry;    // texture/texture_registry.h
class TraceRecorder;      // exec/trace_recorder.h

/// Cycles from issue until a dependent instruction may issue, by class of instruction; from the
/// device profile.
struct LatencyTable {
  double arithmetic = 4, special = 18, double_precision = 8, shared = 23, constant = 8,
         constant_load = 28, constant_cycles = 20, global_dram = 600, global_l2 = 260,
         shared_atomic = 30, global_atomic = 500, shuffle = 24, barrier = 13, barrier_warp = 2,
         branch = 10, global_l1 = 39, texture = 100, constant_miss = 80;
  double guard = 13;                 ///< of a comparison that a branch or a guard waits for
  double shared_cas_iteration = 95;  ///< of a compare-and-swap loop, for each time round
  double match_value = 12;           ///< of match.any, for each different value
  double shared_wavefront = 1;       ///< more for each wavefront beyond the first
  double global_sector = 1;          ///< more for each sector beyond the first four of an atomic
  /// More for each further line of a load that needs the same quarter of the banks of the L1; and how much
  /// later the next load of that warp is looked for, for each such line that is there, or is not.
  double global_line = 2.2, line_there = 2.2, line_missing = 1.25;
  double device_launch = 12900;      ///< a launch in a kernel, until the thread goes on
  double device_launch_lane = 2800;  ///< more for each further lane of the warp that launches
};

/// What follows from one kernel on one device, kept between its launches: programs launch grids of few threads by
/// the thousand, and to find it out takes longer than to run them. Each part is made when it is first asked for.
class KernelCache {
 public:
  KernelCache();
  ~KernelCache();
  KernelCache(KernelCache&&) noexcept;
  KernelCache& operator=(KernelCache&&) noexcept;

  /// `kernel` and `latencies` are the same each time.
  const IssuePlan& issue_plan(const KernelCode& kernel, const LatencyTable& latencies);
  /// So is `kernel`; `names` are those of any launch of it.
  const SourceLines& source_lines(const KernelCode& kernel, const PlaceNames& names);

 private:
  std::unique_ptr<const IssuePlan> issue_plan_;
  std::unique_ptr<const SourceLines> source_lines_;
};

struct GridRequest {
  const Program* program = nullptr;
  std::size_t kernel = 0;  ///< index into kernels()
  Dim3 grid, block;
  std::uint64_t dynamic_shared = 0;  ///< bytes
  bool cooperative = false;          ///< blocks may wait for each other at grid.sync()
  std::span<const std::byte> arguments;
  std::uint32_t resident_blocks = 1;  ///< in flight on the whole device, by occupancy
  std::uint32_t multiprocessors = 1;  ///< that share them
  /// 0: blocks and warps in order. Otherwise a pseudo-random, reproducible order of both.
  std::uint64_t schedule_seed = 0;
  std::uint64_t l1_bytes = 0;            ///< of the L1, what one resident block has for itself
  std::uint64_t instruction_budget = 0;  ///< warp instructions before the launch times out; 0: none
  double issue_rate = 0;          ///< warp instructions a second that it can issue; 0: not known
  std::string_view limit_advice;  ///< how to allow more, for the user; empty: there is no way
  CheckOptions checks;
  /// Shadow of the race checker, kept between launches to save time; null: one for this launch.
  RacePages* race_pages = nullptr;
  KernelCache* cache = nullptr;  ///< of this kernel, kept likewise; null: one for this launch
  LatencyTable latencies;
  double clock_hz = 1e9;           ///< of the clock that kernels read
  double start_seconds = 0;        ///< when the grid starts, for those that read the time
  DeviceHeap* heap = nullptr;      ///< null: kernels allocate nothing
  PrintBuffer* printed = nullptr;  ///< null: what kernels print is lost
  DeviceRuntimeHost* device_runtime = nullptr;  ///< null: kernels launch nothing
  /// Where the race checker is left when the grid has launched something, and where a grid that was
  /// launched so finds it. Null: races are not looked for beyond the grid.
  LaunchedGrids* launched = nullptr;
  LaunchOrder::Grid launched_as = 0;          ///< its number there
  GridClock before;                           ///< what lies before it, of those
  const TextureRegistry* textures = nullptr;  ///< null: there are none
  TraceRecorder* recorder = nullptr;          ///< null: nothing is recorded
};

/// What all blocks did in one phase of the kernel (phases.h).
struct Phase {
  Counters counters;
  bool behind_barrier = false;  ///< a block barrier lies between the phase before and this one
};

struct GridResult {
  Counters counters;
  std::vector<Phase> phases;  ///< those in which anything was done, in order; they add up to that
  std::vector<LineCounters> lines;  ///< sorted by file, line
  std::vector<Finding> findings;
  std::vector<UnwrittenCopy> unwritten_copies;  ///< what may become a finding (unwritten_values.h)
  std::vector<UncheckedMemory> unchecked;       ///< for races, because the checker had no room
  int error = 0;       ///< cudaError_t: 0, 700 illegal address, 719, 702 timeout …
  std::string reason;  ///< of the error, in words; the last finding says the same if there is one
  /// Cycles one block takes when nothing else contends, by a scoreboard over register dependences,
  /// latencies and barriers; mean of a deterministic sample of blocks.
  double block_latency_cycles = 0;
  /// How many times longer all blocks take one after the other, where each has a place for itself, than
  /// if every one took that, as some execute more instructions than the sampled ones, others fewer.
  double latency_spread = 1;
  /// How much more the busiest multiprocessor has to do than if blocks were all alike, by the instructions
  /// of each (count/block_work.h).
  double imbalance = 1;
  AtomicQueueLengths atomic_queues;  ///< operations that cannot overlap
  /// What its kernels launched, in the order of their calls.
  std::vector<DeviceWork> work;
};

/// Runs one grid to its end. Deterministic: the same request on the same memory gives the same
/// result. A fatal finding stops the grid and sets `error`: 700 (illegal address), 702 (timeout),
/// 710 (assertion), 714 (stack overflow), 716 (misaligned), 718 (invalid function pointer), 719
/// (trap, a barrier that hangs). Throws Unsupported before anything has run.
GridResult run_grid(const GridRequest& request, GlobalMemory& memory, L2Cache& l2);

}  // namespace gridstride::sim
