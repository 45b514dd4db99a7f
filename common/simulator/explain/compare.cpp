// What changed from one stage to the next.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "common/simulator/explain/explained.h"
#include "common/simulator/report/formatting.h"

namespace gridstride::sim {
namespace {

using nlohmann::json;

/// What students change from stage to stage, by the names of named_counters().
struct Compared {
  const char* counter;
  const char* words;
};
constexpr Compared compared[] = {
    {"dram_bytes", "bytes from and to DRAM"},
    {"global_sectors", "global sectors"},
    {"sectors_per_request", "sectors a request"},
    {"shared_wavefronts", "passes through shared memory"},
    {"bank_conflicts", "bank conflicts"},
    {"warp_instructions", "instructions"},
    {"active_lanes_per_instruction", "active lanes an instruction"},
    {"divergent_branches", "divergent branches"},
    {"barriers", "barriers"},
    {"global_atomics", "global atomics"},
};

/// Smaller changes are not worth a word.
constexpr double least_change = 0.1;

}  // namespace

std::vector<std::string> compare(const json& before, const json& now, const std::string& name) {
  const double seconds_before = before.at("seconds"), seconds_now = now.at("seconds");
  if (seconds_before <= 0 || seconds_now <= 0) return {};
  const double ratio = seconds_before / seconds_now;
  std::vector<std::string> sentences = {"Against " + name + ": " + seconds_text(seconds_before) +
                                        " then, " + seconds_text(seconds_now) + " now, " +
                                        (ratio >= 1 ? number_text(ratio) + " times as fast."
                                                    : number_text(1 / ratio) + " times as slow.")};
  std::string changes;
  for (const Compared& one : compared) {
    const double was = before.at("counters").at(one.counter),
                 is = now.at("counters").at(one.counter);
    if (std::abs(is - was) <= least_change * std::max(was, is)) continue;
    changes += (changes.empty() ? "" : "; ") + std::string(one.words) + " " + count_text(was) +
               " → " + count_text(is);
  }
  if (!changes.empty()) sentences.push_back("What changed: " + changes + ".");
  return sentences;
}

}  // namespace gridstride::sim
