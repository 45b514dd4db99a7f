// Keeps launch records, folding them when there are too many.
#include "common/simulator/device/activity_log.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <tuple>
#include <utility>

namespace gridstride::sim {
namespace {

constexpr std::size_t most_refusals = 100, most_findings = 100, most_notes = 100;

bool same_place(const SourcePosition& a, const SourcePosition& b) {
  return a.file == b.file && a.line == b.line;
}

bool before(const LineCounters& a, const LineCounters& b) {
  return std::tie(a.file, a.line) < std::tie(b.file, b.line);
}

/// Those of one kind and place are one.
void count_in(std::vector<Finding>& into, const Finding& finding) {
  const auto same = std::find_if(into.begin(), into.end(), [&](const auto& f) {
    return f.kind == finding.kind && same_place(f.where, finding.where) &&
           same_place(f.other, finding.other);
  });
  if (same != into.end()) {
    same->occurrences += finding.occurrences;
  } else {
    into.push_back(finding);
  }
}

}  // namespace

std::size_t ActivityLog::add(LaunchRecord record) {
  const auto known = last_of_kernel_.find(record.kernel);
  const bool full = activity_.launches.size() >= most_records_ || entries_ >= most_lines_;
  if (full && known != last_of_kernel_.end()) {
    fold(activity_.launches[known->second], record);
    return known->second;
  }
  entries_ += record.lines.size() + record.findings.size();
  last_of_kernel_[record.kernel] = activity_.launches.size();
  activity_.launches.push_back(std::move(record));
  return activity_.launches.size() - 1;
}

void ActivityLog::extend(std::size_t record, double seconds) {
  if (record < activity_.launches.size()) {
    activity_.launches[record].seconds_with_children += seconds;
  }
}

void ActivityLog::fold(LaunchRecord& into, const LaunchRecord& record) {
  into.launches += record.launches;
  into.seconds += record.seconds;
  into.seconds_with_children += record.seconds_with_children;
  into.counters += record.counters;
  into.atomic_queues += record.atomic_queues;
  for (std::size_t i = 0; i < std::min(into.bounds.size(), record.bounds.size()); ++i) {
    into.bounds[i].seconds += record.bounds[i].seconds;
  }
  for (const LineCounters& line : record.lines) {
    const auto at = std::lower_bound(into.lines.begin(), into.lines.end(), line, before);
    if (at != into.lines.end() && at->file == line.file && at->line == line.line) {
      at->counters += line.counters;
      merge(at->accesses, line.accesses);
    } else {
      into.lines.insert(at, line);
    }
  }
  for (const Finding& finding : record.findings) count_in(into.findings, finding);
}

void ActivityLog::refuse(const std::string& what) {
  auto& refusals = activity_.refusals;
  const bool known = std::find(refusals.begin(), refusals.end(), what) != refusals.end();
  if (!known && refusals.size() < most_refusals) refusals.push_back(what);
}

bool ActivityLog::note(const std::string& what) {
  if (activity_.notes.size() >= most_notes) return false;
  activity_.notes.push_back(what);
  return true;
}

void ActivityLog::add(Finding finding) {
  if (activity_.findings.size() < most_findings) activity_.findings.push_back(std::move(finding));
}

void ActivityLog::add_late(std::optional<std::size_t> launch, Finding finding) {
  if (!launch || *launch >= activity_.launches.size()) return add(std::move(finding));
  count_in(activity_.launches[*launch].findings, finding);
}

void ActivityLog::clear() {
  activity_ = {};
  last_of_kernel_.clear();
  entries_ = 0;
}

}  // namespace gridstride::sim
