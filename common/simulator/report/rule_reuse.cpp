// The same bytes asked for again and again: the caches deliver them, but shared memory would
// sooner.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/simulator/report/formatting.h"
#include "common/simulator/report/rules.h"

namespace gridstride::sim {
namespace {

/// Threads that share an element in a tile of 16 x 16.
constexpr std::uint64_t tile = 16;
/// Below this a tile costs as much as it saves.
constexpr double often = 4;

}  // namespace

std::vector<Advice> reuse_rule(const KernelView& kernel) {
  const Counters& c = kernel.counters;
  // What lay in the L2 before a launch began does not come from DRAM; it is no more than fits
  // there.
  const std::uint64_t needed =
      c.dram_read_sectors + kernel.launch_count * kernel.profile.l2_held_bytes / 32;
  const double times =
      static_cast<double>(c.global_load_ideal_sectors) / static_cast<double>(needed);
  const bool caches =
      kernel.limiter() == "l2" || kernel.limiter() == "shared" || kernel.limiter() == "latency";
  // Who reads shared memory more often than global memory has a tile there.
  const bool has_a_tile = c.shared_load_requests > c.global_load_requests;
  if (times < often || !caches || has_a_tile || c.global_load_sectors == 0) return {};
  const auto most = std::max_element(
      kernel.lines.begin(), kernel.lines.end(), [](const LineCounters& a, const LineCounters& b) {
        return a.counters.global_load_sectors < b.counters.global_load_sectors;
      });
  if (most == kernel.lines.end()) return {};  // compiled without -lineinfo
  Advice advice;
  advice.rule = "reuse";
  advice.file = most->file;
  advice.line = most->line;
  advice.text = "each sector that it reads is asked for at least " + number_text(times) +
                " times; tiles of 16 x 16 are what is reckoned with";
  advice.repair =
      "Let the block bring a tile into shared memory once, wait (__syncthreads), and read "
      "it there.";
  advice.saved_seconds = kernel.saved([](const LaunchRecord&, ModelInputs& inputs) {
    Counters& counters = inputs.result.counters;
    const std::uint64_t loads = counters.global_load_requests;
    counters.shared_load_wavefronts += loads;
    counters.shared_store_wavefronts += loads / tile;
    const auto sectors = static_cast<double>(counters.global_load_sectors);
    const auto stored = static_cast<double>(counters.global_store_sectors);
    const double passes = static_cast<double>(counters.l1_passes) * sectors / (sectors + stored);
    counters.l1_passes -= static_cast<std::uint64_t>(passes * (1 - 1.0 / tile));
    counters.global_load_sectors =
        std::max(counters.dram_read_sectors, counters.global_load_ideal_sectors / tile);
    counters.l1_hit_sectors = 0;  // each element once
  });
  return {advice};
}

}  // namespace gridstride::sim
