// Sums over launches, and the time model asked again.
#include "common/simulator/report/kernel_view.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace gridstride::sim {
namespace {

/// Parts whose seconds follow from counters alone, so that they can be divided among lines.
bool counted(const std::string& part) { return part != "blocks" && part != "latency"; }

ModelInputs inputs_of(const KernelView& view, const Counters& counters) {
  ModelInputs inputs = inputs_of(view.longest());
  inputs.result = {};
  inputs.result.counters = counters;
  return inputs;
}

}  // namespace

ModelInputs inputs_of(const LaunchRecord& launch) {
  ModelInputs inputs;
  inputs.shape = {.blocks = launch.grid.count(),
                  .block_threads = static_cast<std::uint32_t>(launch.block.count()),
                  .resident_blocks = launch.resident_blocks};
  inputs.result.counters = launch.counters;
  inputs.result.block_latency_cycles = launch.block_latency_cycles;
  inputs.result.latency_spread = launch.latency_spread;
  inputs.result.imbalance = launch.imbalance;
  inputs.result.atomic_queues = launch.atomic_queues;
  return inputs;
}

const LineCounters* line_of(const LaunchRecord& launch, const LineCounters& like) {
  // A student's kernel may have tens of thousands of lines, and every rule asks for each.
  const auto before = [](const LineCounters& a, const LineCounters& b) {
    return std::tie(a.file, a.line) < std::tie(b.file, b.line);
  };
  const auto at = std::lower_bound(launch.lines.begin(), launch.lines.end(), like, before);
  return at == launch.lines.end() || before(like, *at) ? nullptr : &*at;
}

KernelView::KernelView(const DeviceProfile& device, std::vector<const LaunchRecord*> records)
    : profile(device), launches(std::move(records)) {
  std::map<std::pair<std::string, std::uint32_t>, LineCounters> merged;
  for (const LaunchRecord* launch : launches) {
    if (!longest_ || launch->seconds > longest_->seconds) longest_ = launch;
    launch_count += launch->launches;
    seconds += launch->seconds;
    counters += launch->counters;
    for (const LineCounters& line : launch->lines) {
      LineCounters& sum = merged[{line.file, line.line}];
      sum.counters += line.counters;
      merge(sum.accesses, line.accesses);
    }
    for (const Bound& bound : launch->bounds) {
      const auto same = std::find_if(bounds.begin(), bounds.end(),
                                     [&](const Bound& one) { return one.part == bound.part; });
      if (same == bounds.end()) {
        bounds.push_back(bound);
      } else {
        same->seconds += bound.seconds;
      }
    }
  }
  double most = static_cast<double>(launch_count) * profile.launch_seconds;
  for (const Bound& bound : bounds) {
    if (bound.seconds <= most) continue;
    most = bound.seconds;
    limiter_ = bound.part;
  }
  for (auto& [at, line] : merged) {
    line.file = at.first;
    line.line = at.second;
    lines.push_back(std::move(line));
  }
}

double KernelView::blocks_beside(const LaunchRecord& launch) const {
  if (launch.seconds <= 0) return 0;
  double blocks = 0;
  for (const LaunchRecord* other : launches) {
    if (other == &launch || other->seconds <= 0) continue;
    const double begin = std::max(launch.start, other->start);
    const double end = std::min(launch.start + launch.seconds, other->start + other->seconds);
    blocks +=
        std::max(end - begin, 0.0) / launch.seconds * static_cast<double>(other->grid.count());
  }
  return blocks;
}

double KernelView::bound(const std::string& part) const {
  for (const Bound& one : bounds) {
    if (one.part == part) return one.seconds;
  }
  return 0;
}

double KernelView::saved(const Change& change) const {
  double sum = 0;
  for (const LaunchRecord* launch : launches) {
    ModelInputs inputs = inputs_of(*launch);
    const double before = estimate(profile, inputs.shape, inputs.result).seconds;
    change(*launch, inputs);
    const double after = estimate(profile, inputs.shape, inputs.result).seconds;
    // By ratio: a record may stand for many launches, whose sums the model was not given.
    if (before > 0) sum += launch->seconds * (1 - after / before);
  }
  return sum;
}

std::vector<double> KernelView::line_shares() const {
  std::vector<std::vector<double>> seconds_of;  // by line and part
  std::vector<double> total;                    // by part
  std::vector<std::string> parts;
  for (const LineCounters& line : lines) {
    const ModelInputs inputs = inputs_of(*this, line.counters);
    const TimeEstimate alone = estimate(profile, inputs.shape, inputs.result);
    auto& row = seconds_of.emplace_back();
    total.resize(alone.bounds.size());
    parts.clear();
    for (std::size_t part = 0; part < alone.bounds.size(); ++part) {
      parts.push_back(alone.bounds[part].part);
      row.push_back(counted(parts.back()) ? alone.bounds[part].seconds : 0);
      total[part] += row.back();
    }
  }
  double largest = 0, weights = 0;
  for (const double part : total) largest = std::max(largest, part);
  std::vector<double> shares(lines.size());
  for (std::size_t part = 0; part < total.size(); ++part) {
    if (total[part] <= 0) continue;
    const double weight = std::pow(total[part] / largest, profile.throughput_norm);
    weights += weight;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      shares[i] += weight * seconds_of[i][part] / total[part];
    }
  }
  for (double& share : shares) share = weights > 0 ? share / weights : 0;
  return shares;
}

}  // namespace gridstride::sim
