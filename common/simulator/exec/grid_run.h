// One grid while it runs: schedules its blocks, and holds what they share.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/simulator/check/global_races.h"
#include "common/simulator/check/race_pages.h"
#include "common/simulator/count/block_work.h"
#include "common/simulator/exec/access_counters.h"
#include "common/simulator/exec/access_window.h"
#include "common/simulator/exec/endless_loops.h"
#include "common/simulator/exec/engine.h"
#include "common/simulator/exec/waiting_polls.h"
#include "common/simulator/findings/finding_log.h"
#include "common/simulator/findings/place_names.h"
#include "common/simulator/findings/unwritten_values.h"
#include "common/simulator/memory/device_heap.h"
#include "common/simulator/memory/global_memory.h"
#include "common/simulator/program/program.h"

namespace gridstride::sim {

class Block;          // exec/block.h
struct IssuePlan;     // exec/scoreboard.h
class DeviceRuntime;  // exec/device_runtime.h
class Warp;           // exec/warp.h

class GridRun {
 public:
  GridRun(const GridRequest& request, GlobalMemory& memory, L2Cache& l2);
  ~GridRun();
  GridRun(const GridRun&) = delete;
  GridRun& operator=(const GridRun&) = delete;

  GridResult run();

  const GridRequest& request;
  const Program& program;
  const KernelCode& kernel;
  GlobalMemory& memory;
  std::uint32_t shared_bytes = 0;  ///< static and dynamic, of one block
  std::uint64_t first_block = 0;   ///< that has started
  PlaceNames names;
  FindingLog findings;
  AccessCounters counters;
  AccessWindow window;
  GlobalRaces* global_races = nullptr;  ///< null when not checked
  WaitingPolls waiting_polls{*this};
  CopySources copy_sources{kernel};
  EndlessLoops endless_loops{*this};
  KernelCache& cache;
  const IssuePlan* issue_plan = nullptr;  ///< null until the scoreboard runs along

  /// The heap of kernels. Throws Unsupported where there is none.
  DeviceHeap& heap() const;
  /// Memory of the heap for a kernel, that nobody else has had so far as races go; 0: there is none.
  DeviceAddress allocate_on_heap(std::uint64_t bytes) const;
  /// What the grid asks of the device runtime. device_host() throws Unsupported where
  /// there is none.
  DeviceRuntime& device_runtime();
  DeviceRuntimeHost& device_host();

  /// Throws GridStop with a timeout when the budget is used up; a block counts at least for one.
  void check_budget(const Warp* where);
  /// To be called when a warp has run for long, and not twice of the same moment. Throws GridStop with a
  /// timeout when it is in a loop that never ends.
  void check_endless(const Warp& warp);
  /// The same of a block, whose warps go from barrier to barrier.
  void check_endless(const Block& block);
  /// To be called while blocks wait for each other. Throws GridStop when they have done so for long
  /// and nothing has happened: no store, no barrier, no end of a block, no block that computes, no
  /// atomic that changed anything. `unstarted`: blocks that have found no room yet.
  void check_stuck(const std::vector<Block*>& blocks, std::uint64_t unstarted);

 private:
  void run_blocks();
  bool is_sampled(std::uint64_t block) const;
  bool is_of_first_round(std::uint64_t block) const;
  bool is_recorded(std::uint64_t block) const;
  /// Takes the time of the block, which has ended or is cut off.
  void sample(Block& block);
  void retire(Block& block);
  /// Of a kernel that draws its work: the first block empties the queue, the others draw in vain.
  void note_draws(const Block& block);
  /// Of a block that has just ended. Looks at the counts of all instructions, so at several blocks at once
  /// where these do little.
  void note_work(bool sampled);
  /// Into `result`, from what the blocks have been seen to do.
  void add_unlike_blocks(GridResult& result) const;
  double block_latency() const;
  void start_race_checker();
  [[noreturn]] void report_endless(const Warp& warp);
  /// Which blocks of the grid are not among those that run, which are `running`.
  std::string missing_blocks(std::uint64_t running) const;
  GridResult result();

  KernelCache own_cache_;  ///< where the request has none
  std::unique_ptr<DeviceRuntime> device_runtime_;
  std::unique_ptr<RacePages> own_race_pages_;
  RacePages* race_pages_ = nullptr;  ///< null when races in global memory are not looked for
  std::unique_ptr<GlobalRaces> race_checker_;
  std::uint64_t finished_blocks_ = 0;
  std::vector<std::uint64_t> first_finished_;  ///< a few of them
  std::uint64_t turns_used_ = 0;               ///< by blocks that got on, before they yielded
  std::uint64_t events_ = 0;                   ///< of which check_stuck() knows
  std::uint64_t quiet_since_ = 0;              ///< warp instructions when the last of them was new
  /// Warp instructions of each block, in the order in which they ended.
  std::vector<std::uint64_t> block_work_;
  std::uint64_t known_work_ = 0;    ///< their sum
  std::uint64_t sampled_work_ = 0;  ///< of the blocks whose time was taken
  std::uint64_t most_sampled_work_ = 0;
  std::uint32_t samples_behind_ = 0;
  bool next_is_sampled_ = false;
  std::uint64_t not_looked_at_ = 0, not_looked_at_sampled_ = 0;  ///< blocks since the last look
  std::uint64_t blocks_at_a_look_ = 1;
  bool one_after_the_other_ = true;             ///< no block has waited for another
  double latency_sum_ = 0, first_latency_ = 0;  ///< of the sampled blocks; of the first of the grid
  double together_latency_ = 0;                 ///< of the others of the first round
  std::vector<Draw> first_draws_;               ///< of the first block
  std::vector<double> first_ends_;              ///< of its warps
  double behind_queue_ = 0;  ///< cycles that it took from when nothing was left to draw
  std::uint32_t latency_samples_ = 0, together_samples_ = 0;
};

}  // namespace gridstride::sim
