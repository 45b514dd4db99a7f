// The report as JSON, and its file.
#include "common/simulator/report/report.h"

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <ios>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "common/simulator/report/dimensions.h"
#include "common/simulator/report/explanation.h"

namespace gridstride::sim {
namespace {

using nlohmann::json;

json json_of(const Counters& counters) {
  json out = json::object();
  for (const NamedCounter& counter : named_counters()) out[counter.name] = counter.value(counters);
  return out;
}

json json_of(const LineCounters& line) {
  return {{"file", line.file}, {"line", line.line}, {"counters", json_of(line.counters)}};
}

json json_of(const Finding& finding) {
  return {{"kind", name_of(finding.kind)},     {"kernel", finding.kernel},
          {"file", finding.where.file},        {"line", finding.where.line},
          {"inlined", finding.where.inlined},  {"other_file", finding.other.file},
          {"other_line", finding.other.line},  {"message", finding.message},
          {"occurrences", finding.occurrences}};
}

json without_lines(const LaunchRecord& record) {
  json bounds = json::object(), findings = json::array();
  for (const Bound& bound : record.bounds) bounds[bound.part] = bound.seconds;
  for (const Finding& finding : record.findings) findings.push_back(json_of(finding));
  json out{{"kernel", record.kernel},
           {"grid", json_of(record.grid)},
           {"block", json_of(record.block)},
           {"launches", record.launches},
           {"shared_bytes", record.shared_bytes},
           {"registers", record.registers},
           {"registers_estimated", record.registers_estimated},
           {"occupancy", record.occupancy},
           {"start", record.start},
           {"seconds", record.seconds},
           {"seconds_with_children", record.seconds_with_children},
           {"limiter", record.limiter},
           {"bounds", std::move(bounds)},
           {"counters", json_of(record.counters)},
           {"lines", json::array()},
           {"findings", std::move(findings)}};
  if (!record.parent.empty()) out["parent"] = record.parent;
  return out;
}

/// All but what each launch did.
json without_launches(const Activity& activity, const DeviceProfile* profile) {
  json device, kernels = json::array();
  if (profile) {
    const DeviceProperties& properties = profile->properties;
    kernels = explain_kernels(activity, *profile);
    device = {{"name", properties.name},
              {"multiprocessors", properties.multiprocessors},
              {"clock_khz", properties.clock_khz},
              {"l2_bytes", properties.l2_bytes},
              {"roofs", roofs_of(*profile)}};
  }
  Counters total;
  json findings = json::array();
  for (const Finding& finding : activity.findings) findings.push_back(json_of(finding));
  for (const LaunchRecord& record : activity.launches) total += record.counters;
  return {{"schema", 1},
          {"device", std::move(device)},
          {"seconds", activity.seconds},
          {"bytes",
           {{"host_to_device", activity.host_to_device_bytes},
            {"device_to_host", activity.device_to_host_bytes},
            {"device_to_device", activity.device_to_device_bytes}}},
          {"error", activity.error},
          {"findings", std::move(findings)},
          {"refusals", activity.refusals},
          {"notes", activity.notes},
          {"counters", json_of(total)},
          {"launches", json::array()},
          {"kernels", std::move(kernels)}};
}

/// Writes what `dump(1)` makes of a report. There are lines of source by the hundred thousand where a kernel
/// launches others, each with all its counters: those become text at once, for as a tree they take gigabytes
/// and most of the program's time.
class ReportText {
 public:
  explicit ReportText(std::ostream& out) : out_(out) {}

  void add(const Activity& activity, const DeviceProfile* profile) {
    add_object(without_launches(activity, profile), "launches", 1, [&] {
      add_array(activity.launches, 2, [&](const LaunchRecord& record) { add(record); });
    });
    out_ << text_ << "\n";
  }

 private:
  void add(const LaunchRecord& record) {
    add_object(without_lines(record), "lines", 3,
               [&] { add_array(record.lines, 4, [&](const LineCounters& line) { add(line); }); });
    constexpr std::size_t much = std::size_t{1} << 20;
    if (text_.size() < much) return;
    out_ << text_;
    text_.clear();
  }

  void add(const LineCounters& line) {
    const json rest = {{"counters", nullptr}, {"file", line.file}, {"line", line.line}};
    add_object(rest, "counters", 5, [&] {
      char before = '{';
      for (const auto& [name, value] : counters_) {
        text_ += std::exchange(before, ',');
        new_line(6);
        text_ += name;
        add(value(line.counters));
      }
      new_line(5);
      text_ += '}';
    });
  }

  void add(double value) {
    constexpr double most = 1e15;  // up to there dump() writes whole numbers without an exponent
    if (value < 0 || value >= most || value != std::floor(value) || std::signbit(value)) {
      text_ += json(value).dump();
      return;
    }
    char digits[16];
    const auto end =
        std::to_chars(digits, digits + sizeof digits, static_cast<std::uint64_t>(value)).ptr;
    text_.append(digits, end).append(".0");
  }

  /// An object whose members stand `depth` deep; `add_member` adds the one that is called `name`.
  template <class AddMember>
  void add_object(const json& object, std::string_view name, int depth, AddMember add_member) {
    char before = '{';
    for (const auto& [key, value] : object.items()) {
      text_ += std::exchange(before, ',');
      new_line(depth);
      text_ += quoted(key);
      if (key == name) {
        add_member();
      } else {
        add(value, depth);
      }
    }
    new_line(depth - 1);
    text_ += '}';
  }

  template <class Element, class Add>
  void add_array(const std::vector<Element>& elements, int depth, Add add_element) {
    if (elements.empty()) {
      text_ += "[]";
      return;
    }
    char before = '[';
    for (const Element& element : elements) {
      text_ += std::exchange(before, ',');
      new_line(depth);
      add_element(element);
    }
    new_line(depth - 1);
    text_ += ']';
  }

  void add(const json& value, int depth) {
    for (const char letter : dumped(value)) {
      // One in a string is escaped.
      if (letter == '\n') {
        new_line(depth);
      } else {
        text_ += letter;
      }
    }
  }

  void new_line(int depth) { text_.append(1, '\n').append(static_cast<std::size_t>(depth), ' '); }

  /// Names and messages come from the program: bytes that are not UTF-8 are replaced.
  static std::string dumped(const json& value) {
    return value.dump(1, ' ', false, json::error_handler_t::replace);
  }
  static std::string quoted(const std::string& name) { return dumped(name) + ": "; }

  /// As objects have their members, by name.
  static std::map<std::string, double (*)(const Counters&)> counters_by_name() {
    std::map<std::string, double (*)(const Counters&)> counters;
    for (const NamedCounter& counter : named_counters())
      counters[quoted(counter.name)] = counter.value;
    return counters;
  }

  std::ostream& out_;
  std::string text_;  ///< that has not gone out
  const std::map<std::string, double (*)(const Counters&)> counters_ = counters_by_name();
};

}  // namespace

json to_json(const Activity& activity, const DeviceProfile* profile) {
  json report = without_launches(activity, profile);
  for (const LaunchRecord& record : activity.launches) {
    json launch = without_lines(record);
    for (const LineCounters& line : record.lines) launch["lines"].push_back(json_of(line));
    report["launches"].push_back(std::move(launch));
  }
  return report;
}

void write_report_file(const std::filesystem::path& file, const Activity& activity,
                       const DeviceProfile* profile) {
  const std::filesystem::path unfinished = file.string() + ".unfinished";
  std::ofstream out(unfinished, std::ios::binary);
  ReportText(out).add(activity, profile);
  out.close();
  std::error_code failed;
  if (out) std::filesystem::rename(unfinished, file, failed);
  if (!out || failed) {
    const std::string why = std::strerror(errno);
    std::filesystem::remove(unfinished, failed);
    throw std::runtime_error(file.string() + " cannot be written: " + why);
  }
}

}  // namespace gridstride::sim
