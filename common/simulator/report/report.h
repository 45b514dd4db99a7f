// What a program did on the simulated GPU, as JSON and as text.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "common/simulator/device/device.h"
#include "common/simulator/model/profile.h"

namespace gridstride::sim {

/// {"schema": 1, "device": {"name", …, "roofs": {…}} or null, "seconds", "bytes": {…}, "error",
/// "findings": […] (of the host's calls), "refusals": […], "notes": […],
///  "counters": {…}, "launches": [{"kernel", "grid", "block", "launches", "seconds", "occupancy",
///  "limiter", "bounds": {part: seconds}, "counters": {…}, "lines": [{"file", "line", "counters"}],
///  "findings": [{"kind", "kernel", "file", "line", "inlined", "other_file", "other_line",
///  "message", "occurrences"}]}], "kernels": […]}
/// Counters go by the names of named_counters(); for "kernels" see explanation.h. No `profile`: the
/// program never asked for a device.
nlohmann::json to_json(const Activity& activity, const DeviceProfile* profile);

/// The text of to_json(). Writes beside `file` and renames, so that a report is there as a whole or not at all. Throws
/// std::runtime_error.
void write_report_file(const std::filesystem::path& file, const Activity& activity,
                       const DeviceProfile* profile);

/// The report for a reader at a terminal: for each kernel its launches, time and limiter, the three
/// lines that cost most, what was found; then what was refused.
std::string summary(const nlohmann::json& report);

}  // namespace gridstride::sim
