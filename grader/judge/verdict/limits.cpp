// Counters of a call, by name and by source line.
#include "grader/judge/verdict/limits.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "common/simulator/count/counters.h"
#include "common/simulator/device/device.h"
#include "common/simulator/device/named_bytes.h"
#include "common/text.h"
#include "grader/judge/correctness/outcome.h"
#include "grader/judge/runners/installation.h"

namespace gridstride {
namespace {

sim::Counters total_of(const sim::Activity& activity) {
  sim::Counters total;
  for (const sim::LaunchRecord& launch : activity.launches) total += launch.counters;
  return total;
}

std::string worst_line(const sim::NamedCounter& counter, const sim::Activity& activity) {
  std::map<std::pair<std::string, std::uint32_t>, sim::Counters> lines;
  for (const sim::LaunchRecord& launch : activity.launches) {
    for (const sim::LineCounters& line : launch.lines)
      lines[{line.file, line.line}] += line.counters;
  }
  double most = 0;
  std::string where;
  for (const auto& [key, counters] : lines) {
    const double value = counter.value(counters);
    if (value > most) most = value, where = place({key.first, key.second});
  }
  return where;
}

constexpr const char* ways_to_the_host =
    " Bytes leave by copies to the host, by what kernels print, through mapped memory, and through "
    "managed memory that the host touches.";

/// Value and the line that costs most.
std::pair<double, std::string> counted(const std::string& name, const sim::Activity& activity) {
  std::vector<std::string> known;
  for (const sim::NamedCounter& counter : sim::named_counters()) {
    if (name == counter.name)
      return {counter.value(total_of(activity)), worst_line(counter, activity)};
    known.emplace_back(counter.name);
  }
  for (const auto& [total, bytes] : sim::named_bytes) {
    if (name == total) return {static_cast<double>(activity.*bytes), ""};
    known.emplace_back(total);
  }
  const std::string nearest = nearest_name(name, known);
  throw CannotGrade(
      "lab.toml has a limit on '" + name + "', which is not counted" +
      (nearest.empty() ? "; known are " + listed(known) : "; did you mean '" + nearest + "'?"));
}

}  // namespace

std::map<std::string, double> counters_of(const sim::Activity& activity) {
  const sim::Counters total = total_of(activity);
  std::map<std::string, double> values;
  for (const sim::NamedCounter& counter : sim::named_counters())
    values[counter.name] = counter.value(total);
  for (const auto& [name, bytes] : sim::named_bytes)
    values[name] = static_cast<double>(activity.*bytes);
  return values;
}

std::vector<LimitResult> check_limits(const std::map<std::string, double>& limits,
                                      const sim::Activity& activity) {
  std::vector<LimitResult> results;
  for (const auto& [name, at_most] : limits) {
    LimitResult result;
    result.counter = name;
    result.at_most = at_most;
    std::tie(result.value, result.where) = counted(name, activity);
    result.met = result.value <= at_most;
    results.push_back(std::move(result));
  }
  return results;
}

void count_in(std::vector<LimitResult>& limits, std::uint64_t device_to_host_bytes) {
  for (LimitResult& limit : limits) {
    if (limit.counter != sim::device_to_host_bytes.name) continue;
    limit.value = std::max(limit.value, static_cast<double>(device_to_host_bytes));
    limit.met = limit.value <= limit.at_most;
  }
}

std::string explain(const std::vector<LimitResult>& limits) {
  std::string text;
  for (const LimitResult& limit : limits) {
    if (limit.met) continue;
    if (!text.empty()) text += "\n";
    text += limit.counter + " is " + plain_number(limit.value) + ", at most " +
            plain_number(limit.at_most) + " is allowed";
    if (!limit.where.empty()) text += "; most of it at " + limit.where;
    text += ".";
    if (limit.counter == sim::device_to_host_bytes.name) text += ways_to_the_host;
  }
  return text;
}

}  // namespace gridstride
