// Counters of a call, by name and by source line.
#include "grader/judge/verdict/limits.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

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

const sim::NamedCounter& counter_named(const std::string& name) {
  std::vector<std::string> known;
  for (const sim::NamedCounter& counter : sim::named_counters()) {
    if (name == counter.name) return counter;
    known.emplace_back(counter.name);
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
  return values;
}

std::vector<LimitResult> check_limits(const std::map<std::string, double>& limits,
                                      const sim::Activity& activity) {
  const sim::Counters total = total_of(activity);
  std::vector<LimitResult> results;
  for (const auto& [name, at_most] : limits) {
    const sim::NamedCounter& counter = counter_named(name);
    LimitResult result;
    result.counter = name;
    result.at_most = at_most;
    result.value = counter.value(total);
    result.met = result.value <= at_most;
    result.where = worst_line(counter, activity);
    results.push_back(std::move(result));
  }
  return results;
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
  }
  return text;
}

}  // namespace gridstride
