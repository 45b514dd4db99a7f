// What comes out of a grid.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "common/simulator/count/block_work.h"
#include "common/simulator/exec/device_runtime.h"
#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/scoreboard.h"
#include "common/simulator/findings/launched_grids.h"
#include "common/simulator/findings/source_lines.h"

namespace gridstride::sim {

/// Blocks that run at the same time ask at the same time for what all of them need. Here the first one
/// brings it from the DRAM and the others find it in the L2; on a GPU those of the first round wait for
/// what none of them has asked for earlier (count/lines_under_way.h). What the first block waits for is
/// too much, as its first warp asks before all others, for all that it wants.
double GridRun::block_latency() const {
  if (latency_samples_ == 0) return 0;
  const double mean = latency_sum_ / latency_samples_;
  if (latency_samples_ == 1 || first_latency_ <= mean || kernel.draws_work || differ(block_work_)) {
    return mean;
  }
  double first = first_latency_;
  if (together_samples_ != 0 && !counters.under_way.is_too_small()) {
    first = std::min(first, together_latency_ / together_samples_);
  }
  const std::uint32_t later = latency_samples_ - 1 - together_samples_;
  if (later == 0) return first;
  const double others = (latency_sum_ - first_latency_ - together_latency_) / later;
  const double resident = std::max(request.resident_blocks, 1u);
  const double rounds = std::ceil(static_cast<double>(request.grid.count()) / resident);
  return others + std::max(first - others, 0.0) / rounds;
}

void GridRun::add_unlike_blocks(GridResult& result) const {
  if (sampled_work_ == 0 || !one_after_the_other_ || !differ(block_work_)) return;
  const std::uint32_t count = std::max(request.multiprocessors, 1u);
  const std::uint32_t places = std::max(request.resident_blocks, 1u);
  const double of_sampled = static_cast<double>(sampled_work_) / latency_samples_;
  const double rounds =
      std::ceil(static_cast<double>(block_work_.size()) / static_cast<double>(places));
  if (kernel.draws_work) {
    // Here the first block may have emptied the queue; on a GPU all that are resident share it. What was drawn
    // last is done by those who have it, however many there are: some take longer than others.
    const double all = std::accumulate(block_work_.begin(), block_work_.end(), 0.0);
    const double sharing = std::min(static_cast<double>(block_work_.size()), places * 1.0);
    const double last = first_latency_ > 0 ? behind_queue_ / first_latency_ : 0;
    result.latency_spread =
        (all * (1 - last) / (sharing * of_sampled) + behind_queue_ / result.block_latency_cycles) /
        rounds;
    return;
  }
  result.imbalance = imbalance_of_blocks(block_work_, count, places / count);
  result.latency_spread = time_of_blocks(block_work_, places, 1) / (of_sampled * rounds);
}

GridResult GridRun::result() {
  GridResult result;
  const SourceLines& source = cache.source_lines(kernel, names);
  std::vector<std::uint32_t> place_of(source.lines.size(), SourceLines::none);  // in `lines`
  std::vector<LineCounters> lines;
  std::uint32_t phase = 0;
  bool new_phase = true, barrier = false;  // of what comes next
  counters.add_runs();
  for (std::size_t i = 0; i < counters.counts.size(); ++i) {
    if (!kernel.origins[i].instruction || counters.is_idle(i)) continue;
    // One that no warp did may still be issued, for nothing, by all that came to the branch over it.
    const Counters sums = counters.counters_of(i);
    if (sums.warp_instructions == 0 && sums.sass_instructions == 0) continue;
    for (; phase < kernel.phases.of[i]; ++phase) {
      barrier = barrier || kernel.phases.behind_barrier[phase + 1];
      new_phase = true;
    }
    if (std::exchange(new_phase, false)) {
      result.phases.push_back({{}, std::exchange(barrier, false)});
    }
    result.phases.back().counters += sums;
    if (source.of[i] == SourceLines::none || sums.warp_instructions == 0) continue;
    std::uint32_t& place = place_of[source.of[i]];
    if (place == SourceLines::none) {
      place = static_cast<std::uint32_t>(lines.size());
      const auto& [file, number] = source.lines[source.of[i]];
      lines.push_back({file, number, {}});
    }
    lines[place].counters += sums;
    counters.add_accesses(i, sums, lines[place]);
  }
  for (const Phase& one : result.phases) result.counters += one.counters;
  result.lines.reserve(lines.size());
  for (const std::uint32_t place : place_of) {
    if (place != SourceLines::none) result.lines.push_back(std::move(lines[place]));
  }
  FindingLog::Ending ending = findings.take();
  result.findings = std::move(ending.findings);
  result.unwritten_copies = std::move(ending.copies);
  result.reason = std::move(ending.reason);
  result.error = ending.error;
  if (race_pages_) result.unchecked = unchecked_memory(*race_pages_, memory, kernel.name);
  if (device_runtime_) result.work = std::move(device_runtime_->work);
  if (request.launched && !result.work.empty() && race_checker_)
    request.launched->races = std::move(race_checker_);
  result.block_latency_cycles = block_latency();
  add_unlike_blocks(result);
  result.atomic_queues = counters.atomic_queues.longest();
  return result;
}

KernelCache::KernelCache() = default;
KernelCache::~KernelCache() = default;
KernelCache::KernelCache(KernelCache&&) noexcept = default;
KernelCache& KernelCache::operator=(KernelCache&&) noexcept = default;

const IssuePlan& KernelCache::issue_plan(const KernelCode& kernel, const LatencyTable& latencies) {
  if (!issue_plan_) issue_plan_ = std::make_unique<IssuePlan>(kernel, latencies);
  return *issue_plan_;
}

const SourceLines& KernelCache::source_lines(const KernelCode& kernel, const PlaceNames& names) {
  if (!source_lines_) source_lines_ = std::make_unique<SourceLines>(kernel, names);
  return *source_lines_;
}

GridResult run_grid(const GridRequest& request, GlobalMemory& memory, L2Cache& l2) {
  return GridRun(request, memory, l2).run();
}

}  // namespace gridstride::sim
