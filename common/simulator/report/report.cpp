// The report as JSON, and its file.
#include "common/simulator/report/report.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <ios>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>
#include <utility>

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

json json_of(const LaunchRecord& record) {
  json bounds = json::object(), lines = json::array(), findings = json::array();
  for (const Bound& bound : record.bounds) bounds[bound.part] = bound.seconds;
  for (const LineCounters& line : record.lines) lines.push_back(json_of(line));
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
           {"lines", std::move(lines)},
           {"findings", std::move(findings)}};
  if (!record.parent.empty()) out["parent"] = record.parent;
  return out;
}

}  // namespace

json to_json(const Activity& activity, const DeviceProfile* profile) {
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
  json launches = json::array(), findings = json::array();
  for (const Finding& finding : activity.findings) findings.push_back(json_of(finding));
  for (const LaunchRecord& record : activity.launches) {
    total += record.counters;
    launches.push_back(json_of(record));
  }
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
          {"launches", std::move(launches)},
          {"kernels", std::move(kernels)}};
}

void write_report_file(const std::filesystem::path& file, const json& report) {
  const std::filesystem::path unfinished = file.string() + ".unfinished";
  // Names and messages come from the program: bytes that are not UTF-8 are replaced.
  const std::string text = report.dump(1, ' ', false, json::error_handler_t::replace);
  std::ofstream out(unfinished, std::ios::binary);
  out << text << "\n";
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
