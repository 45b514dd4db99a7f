// Kernels as JSON.
#include "common/simulator/report/explanation.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "common/simulator/model/time_model.h"
#include "common/simulator/report/dimensions.h"
#include "common/simulator/report/formatting.h"
#include "common/simulator/report/kernel_view.h"
#include "common/simulator/report/rules.h"

namespace gridstride::sim {
namespace {

using nlohmann::json;

constexpr double sector_bytes = 32;

/// Each place once, with all that was seen there.
std::vector<Finding> findings_of(const KernelView& kernel) {
  std::vector<Finding> all;
  for (const LaunchRecord* launch : kernel.launches) {
    for (const Finding& finding : launch->findings) {
      const auto same = std::find_if(all.begin(), all.end(), [&](const Finding& one) {
        return one.kind == finding.kind && one.where.file == finding.where.file &&
               one.where.line == finding.where.line && one.other.line == finding.other.line;
      });
      if (same == all.end()) {
        all.push_back(finding);
      } else {
        same->occurrences += finding.occurrences;
      }
    }
  }
  return all;
}

json lines_of(const KernelView& kernel, const std::vector<Finding>& findings) {
  const std::vector<double> shares = kernel.line_shares();
  json lines = json::array();
  for (std::size_t i = 0; i < kernel.lines.size(); ++i) {
    const LineCounters& line = kernel.lines[i];
    const Counters& c = line.counters;
    const auto found = std::count_if(findings.begin(), findings.end(), [&](const Finding& one) {
      return one.where.file == line.file && one.where.line == line.line;
    });
    const double lanes = c.warp_instructions == 0 ? 0
                                                  : static_cast<double>(c.thread_instructions) /
                                                        static_cast<double>(c.warp_instructions);
    lines.push_back(
        {{"file", line.file},
         {"line", line.line},
         {"share", shares[i]},
         {"instructions", c.warp_instructions},
         {"active_lanes", lanes},
         {"sectors", c.global_load_sectors + c.global_store_sectors},
         {"ideal_sectors", c.global_load_ideal_sectors + c.global_store_ideal_sectors},
         {"wavefronts",
          c.shared_load_wavefronts + c.shared_store_wavefronts + c.shared_atomic_wavefronts},
         {"ideal_wavefronts", c.shared_load_ideal + c.shared_store_ideal + c.shared_atomic_ideal},
         {"atomics", c.global_atomic_sectors},
         {"findings", found}});
  }
  return lines;
}

json json_of(const KernelView& kernel, double seconds_of_all) {
  const LaunchRecord& longest = kernel.longest();
  const Counters& c = kernel.counters;
  const std::vector<Finding> findings = findings_of(kernel);
  const std::vector<Advice> advice = advice_for(kernel);
  std::vector<Bound> bounds = kernel.bounds;
  std::stable_sort(bounds.begin(), bounds.end(),
                   [](const Bound& a, const Bound& b) { return a.seconds > b.seconds; });
  json entry = {{"kernel", longest.kernel},
                {"parent", longest.parent},
                {"launches", kernel.launch_count},
                {"seconds", kernel.seconds},
                {"share", seconds_of_all > 0 ? kernel.seconds / seconds_of_all : 0},
                {"grid", json_of(longest.grid)},
                {"block", json_of(longest.block)},
                {"shared_bytes", longest.shared_bytes},
                {"registers", longest.registers},
                {"registers_estimated", longest.registers_estimated},
                {"occupancy", longest.occupancy},
                {"occupancy_limiter", longest.occupancy_limiter},
                {"resident_blocks", longest.resident_blocks},
                {"limiter", kernel.limiter()},
                {"headline", headline(kernel, advice)},
                {"bounds", json::array()},
                {"achieved",
                 {{"flops", c.flops},
                  {"dram_bytes",
                   sector_bytes * static_cast<double>(c.dram_read_sectors + c.dram_write_sectors)},
                  {"l2_bytes", sector_bytes * static_cast<double>(std::max(
                                                  sectors_from_l2(c), c.global_store_sectors))}}},
                {"lines", lines_of(kernel, findings)},
                {"advice", json::array()},
                {"findings", json::array()}};
  for (const Bound& bound : bounds) {
    entry["bounds"].push_back({{"part", bound.part}, {"seconds", bound.seconds}});
  }
  for (const Advice& one : advice) {
    entry["advice"].push_back({{"rule", one.rule},
                               {"file", one.file},
                               {"line", one.line},
                               {"text", one.text},
                               {"repair", one.repair},
                               {"saved_seconds", one.saved_seconds},
                               {"saved_share", one.saved_seconds / kernel.seconds}});
  }
  for (const Finding& finding : findings) {
    entry["findings"].push_back({{"kind", name_of(finding.kind)},
                                 {"file", finding.where.file},
                                 {"line", finding.where.line},
                                 {"message", finding.message},
                                 {"occurrences", finding.occurrences}});
  }
  return entry;
}

/// The one that takes longest first.
std::vector<KernelView> kernels_of(const Activity& activity, const DeviceProfile& profile) {
  std::map<std::string, std::vector<const LaunchRecord*>> by_name;
  for (const LaunchRecord& launch : activity.launches) by_name[launch.kernel].push_back(&launch);
  std::map<std::pair<double, std::string>, std::vector<const LaunchRecord*>> by_seconds;
  for (auto& [name, launches] : by_name) {
    double seconds = 0;
    for (const LaunchRecord* launch : launches) seconds += launch->seconds;
    by_seconds[{-seconds, name}] = std::move(launches);
  }
  std::vector<KernelView> kernels;
  for (auto& [key, launches] : by_seconds) kernels.emplace_back(profile, std::move(launches));
  return kernels;
}

}  // namespace

std::vector<std::string> advice_sentences(const Activity& activity, const DeviceProfile& profile) {
  constexpr std::size_t most = 2;
  std::vector<Advice> all;
  double seconds = 0;
  for (const KernelView& kernel : kernels_of(activity, profile)) {
    const std::vector<Advice> own = advice_for(kernel);
    all.insert(all.end(), own.begin(), own.end());
    seconds += kernel.seconds;
  }
  std::stable_sort(all.begin(), all.end(), [](const Advice& a, const Advice& b) {
    return a.saved_seconds > b.saved_seconds;
  });
  std::vector<std::string> sentences;
  for (const Advice& advice : all) {
    if (sentences.size() == most || advice.saved_seconds < least_saved_share * seconds) break;
    std::string text;
    if (advice.line != 0) text = base_name(advice.file) + ":" + std::to_string(advice.line) + ": ";
    sentences.push_back(text + advice.text + " (mended, the model takes " +
                        percent_text(advice.saved_seconds / seconds) + " off the kernels' time). " +
                        advice.repair);
  }
  return sentences;
}

json explain_kernels(const Activity& activity, const DeviceProfile& profile) {
  const std::vector<KernelView> kernels = kernels_of(activity, profile);
  double seconds = 0;
  for (const KernelView& kernel : kernels) seconds += kernel.seconds;
  json all = json::array();
  for (const KernelView& kernel : kernels) all.push_back(json_of(kernel, seconds));
  return all;
}

json roofs_of(const DeviceProfile& profile) {
  constexpr double lanes = 32, operations_of_fma = 2;
  return {{"dram", profile.throughput.dram_read},
          {"l2", profile.throughput.l2},
          {"fp32", profile.throughput.issue * lanes * operations_of_fma}};
}

}  // namespace gridstride::sim
