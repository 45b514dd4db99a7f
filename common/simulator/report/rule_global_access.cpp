// Global memory: sectors beyond those that hold the bytes asked for.
#include <algorithm>
#include <cstdlib>

#include "common/simulator/report/rules.h"
#include "common/simulator/report/words.h"

namespace gridstride::sim {
namespace {

void mend(const LineCounters& of, bool store, Counters& counters) {
  const Counters& line = of.counters;
  const auto take = [](std::uint64_t& from, std::uint64_t now, std::uint64_t ideal) {
    if (now > ideal) from -= std::min(from, now - ideal);
  };
  // What no request asks for need not come from DRAM either.
  if (store) {
    take(counters.global_store_sectors, line.global_store_sectors, line.global_store_ideal_sectors);
    take(counters.dram_write_sectors, line.dram_write_sectors, line.global_store_ideal_sectors);
  } else {
    take(counters.global_load_sectors, line.global_load_sectors, line.global_load_ideal_sectors);
    take(counters.dram_read_sectors, line.dram_read_sectors, line.global_load_ideal_sectors);
  }
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
