// Global memory: sectors beyond those that hold the bytes asked for.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "common/simulator/report/formatting.h"
#include "common/simulator/report/rules.h"

namespace gridstride::sim {
namespace {

constexpr std::uint64_t sectors_of_line = 4;

std::uint64_t beyond(std::uint64_t now, std::uint64_t ideal) { return now - std::min(now, ideal); }

void take(std::uint64_t& from, std::uint64_t what) { from -= std::min(from, what); }

/// As if each request of the line moved the fewest sectors that hold its lanes' bytes. What no
/// request asks for need not come from the L1, the L2 or DRAM either.
void mend(const LineCounters& of, bool store, Counters& counters) {
  const Counters& line = of.counters;
  const std::uint64_t load_ideal = line.global_load_ideal_sectors;
  const std::uint64_t store_ideal = line.global_store_ideal_sectors;
  const std::uint64_t loads = beyond(line.global_load_sectors, load_ideal);
  const std::uint64_t stores = beyond(line.global_store_sectors, store_ideal);
  if (store) {
    take(counters.global_store_sectors, stores);
    take(counters.l2_write_lines, beyond(line.l2_write_lines, store_ideal / sectors_of_line));
    take(counters.dram_write_sectors, beyond(line.dram_write_sectors, store_ideal));
  } else {
    take(counters.global_load_sectors, loads);
    take(counters.l1_hit_sectors, std::min(line.l1_hit_sectors, loads));
    take(counters.l2_read_lines, beyond(line.l2_read_lines, load_ideal / sectors_of_line));
    take(counters.dram_read_sectors, beyond(line.dram_read_sectors, load_ideal));
    take(counters.dram_lone_reads, line.dram_lone_reads);
  }
  // The L1 looks at a line a cycle.
  const std::uint64_t passes = std::max(line.global_load_requests + line.global_store_requests,
                                        (load_ideal + store_ideal) / sectors_of_line);
  const double share = static_cast<double>(store ? stores : loads) /
                       std::max(static_cast<double>(loads + stores), 1.0);
  take(counters.l1_passes,
       static_cast<std::uint64_t>(share * static_cast<double>(beyond(line.l1_passes, passes))));
}

std::string what(const AccessPattern& pattern, std::uint32_t bytes, bool store) {
  const std::string verb = store ? "write " : "read ";
  const std::string width = bytes_text(32.0 * bytes);
  switch (pattern.shape) {
    case PatternShape::strided:
      return "neighbouring threads " + verb +
             bytes_text(static_cast<double>(std::abs(pattern.distance))) + " apart";
    case PatternShape::shifted:
      return "the " + width + " that a warp " + (store ? "writes" : "reads") +
             " do not start at a multiple of 32 bytes";
    case PatternShape::pieces:
      return "a warp " + std::string(store ? "writes" : "reads") + " in pieces of " +
             bytes_text(static_cast<double>(pattern.distance));
    case PatternShape::same:
    case PatternShape::scattered:
      break;
  }
  return "the threads of a warp " + verb + "all over memory";
}

std::string repair(const AccessPattern& pattern, std::uint32_t bytes, bool store) {
  switch (pattern.shape) {
    case PatternShape::strided:
      if (std::abs(pattern.distance) <= 8 * static_cast<std::int64_t>(bytes)) {
        return "Let neighbouring threads take neighbouring elements: an array for each field in "
               "place of an array of structures, or 8 or 16 bytes (float2, float4) in one access.";
      }
      return "Let neighbouring threads take neighbouring elements: threadIdx.x belongs to the "
             "index "
             "that runs fastest. Where the algorithm needs the other order, turn a tile round in "
             "shared memory.";
    case PatternShape::shifted:
      return "Let each warp start at a multiple of 32 elements of an aligned array, and treat the "
             "first elements apart.";
    case PatternShape::pieces:
      return "Make the block's x extent a multiple of 32 threads, so that a warp works on one row.";
    case PatternShape::same:
    case PatternShape::scattered:
      break;
  }
  return store ? "Put elements in order in shared memory first, then write runs of them."
               : "Sort or bin the indices first, or bring the part that is used into shared memory "
                 "with accesses in order.";
}

}  // namespace

std::vector<Advice> global_access_rule(const KernelView& kernel) {
  std::vector<Advice> all;
  for (const LineCounters& line : kernel.lines) {
    for (const LineAccess& access : line.accesses) {
      const bool store = access.kind == AccessKind::global_store;
      if ((!store && access.kind != AccessKind::global_load) || access.patterns.empty()) continue;
      const AccessPattern& worst = access.patterns.front();
      if (worst.requests == 0) continue;
      const auto requests = static_cast<double>(worst.requests);
      Advice advice;
      advice.rule = "global access";
      advice.file = line.file;
      advice.line = line.line;
      advice.text = what(worst, access.bytes, store) + ": " +
                    number_text(static_cast<double>(worst.cost) / requests) +
                    " sectors a request where " +
                    number_text(static_cast<double>(worst.ideal) / requests) + " would do";
      advice.repair = repair(worst, access.bytes, store);
      advice.saved_seconds = kernel.saved([&](const LaunchRecord& launch, ModelInputs& inputs) {
        if (const LineCounters* here = line_of(launch, line)) {
          mend(*here, store, inputs.result.counters);
        }
      });
      all.push_back(std::move(advice));
    }
  }
  return all;
}

}  // namespace gridstride::sim
