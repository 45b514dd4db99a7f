// One JSON document under a lock: {"schema": 1, "stages": {"reduction/1_interleaved": {"passed":
// "2026-01-31T23:59:00Z", "speedup": {"sim": 190.2}}}}.
#include "grader/cli/progress/progress.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <system_error>

#include "common/file_lock.h"
#include "common/files.h"
#include "common/text.h"
#include "common/unique_fd.h"

namespace gridstride::cli {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::ordered_json;

constexpr int schema = 1;

[[noreturn]] void refuse(const fs::path& file, const std::string& why) {
  throw ProgressError("What has passed is not known: " + file.string() + " " + why +
                      " It is left as it is, and nothing is remembered meanwhile. Repair: mend "
                      "the file, or move it away to begin anew.");
}

bool is_right(const Json& stage) {
  if (!stage.is_object() || !stage.contains("passed") || !stage["passed"].is_string()) return false;
  if (!stage.contains("speedup")) return true;
  const Json& speedup = stage["speedup"];
  return speedup.is_object() &&
         std::ranges::all_of(speedup, [](const Json& value) { return value.is_number(); });
}

/// The file's document, or a new one. Throws ProgressError.
Json read_document(const fs::path& file) {
  std::error_code missing;
  if (!fs::exists(fs::symlink_status(file, missing)))
    return {{"schema", schema}, {"stages", Json::object()}};
  Json document;
  try {
    document = Json::parse(read_file(file));
  } catch (const Json::parse_error& error) {
    refuse(file, "is not JSON (" + clean_text(error.what()) + ").");
  } catch (const std::exception& error) {
    refuse(file, "cannot be read (" + clean_text(error.what()) + ").");
  }
  if (!document.is_object() || !document.contains("schema") ||
      !document["schema"].is_number_integer())
    refuse(file, "says no schema.");
  if (document["schema"] != schema)
    refuse(file, "was written by another version of the course (schema " +
                     document["schema"].dump() + ", known here is " + std::to_string(schema) +
                     ").");
  if (!document.contains("stages") || !document["stages"].is_object())
    refuse(file, "has no object \"stages\".");
  for (const auto& [name, stage] : document["stages"].items()) {
    if (!is_right(stage))
      refuse(file, "does not say of " + in_quotes(name, 60) + " when it passed.");
  }
  return document;
}

void add(Json& stage, const StageResult& result, const std::string& kind, const std::string& now) {
  if (!stage.contains("passed")) stage["passed"] = now;
  if (!result.speedup || !std::isfinite(result.speedup->value)) return;
  Json& best = stage["speedup"][kind];
  best = std::max(best.is_number() ? best.get<double>() : 0.0, result.speedup->value);
}

}  // namespace

fs::path progress_file(const fs::path& state) { return state / "progress.json"; }

Progress read_progress(const fs::path& state) {
  const Json document = read_document(progress_file(state));
  Progress progress;
  for (const auto& [name, stage] : document["stages"].items()) {
    StageProgress& one = progress[name];
    one.passed = stage["passed"];
    if (stage.contains("speedup")) stage["speedup"].get_to(one.speedup);
  }
  return progress;
}

void remember_passes(const fs::path& state, const Results& results, const std::string& now) {
  // From reading to writing, so that of two commands none loses what the other has added.
  const UniqueFd lock = lock_file(state / "progress.lock");
  Json document = read_document(progress_file(state));
  const Json before = document;
  for (const LabResult& lab : results.labs) {
    for (const StageResult& stage : lab.stages) {
      if (stage.verdict == Verdict::pass)
        add(document["stages"][lab.name + "/" + stage.name], stage, results.device.kind, now);
    }
  }
  if (document != before) write_file(progress_file(state), document.dump(1) + "\n");
}

std::string time_stamp() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

}  // namespace gridstride::cli
