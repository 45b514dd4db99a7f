// Errors and findings as verdicts.
#include "grader/judge/correctness/outcome.h"

#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "common/text.h"

namespace gridstride {
namespace {

using Kind = RunnerError::Kind;

// Values of cudaError_t that are not the same verdict as the rest.
constexpr int cuda_memory_allocation = 2;
constexpr int cuda_insufficient_driver = 35;
constexpr int cuda_no_device = 100;
constexpr int cuda_launch_timeout = 702;
constexpr int cuda_not_supported = 801;

Verdict verdict_of(const RunnerError& error) {
  switch (error.kind()) {
    case Kind::cuda:
      switch (error.code()) {
        case cuda_memory_allocation:
          return Verdict::out_of_memory;
        case cuda_launch_timeout:
          return Verdict::timeout;
        case cuda_insufficient_driver:
        case cuda_no_device:
        case cuda_not_supported:
          return Verdict::infrastructure;
        default:
          return Verdict::crash;
      }
    case Kind::memory:
      return Verdict::out_of_memory;
    case Kind::timed_out:
      return Verdict::timeout;
    case Kind::forged:
      return Verdict::suspicious;
    case Kind::not_loaded:
      return Verdict::compile_error;
    case Kind::refused:
      return Verdict::infrastructure;
    case Kind::exception:
    case Kind::ended:
    case Kind::processes:
      break;
  }
  return Verdict::crash;
}

/// What the simulated runtime said of a failed call.
std::string reasons(const std::string& said) {
  std::istringstream lines(said);
  std::string text;
  int kept = 0;
  for (std::string line; std::getline(lines, line) && kept < 3;) {
    constexpr std::string_view prefix = "gridstride: ";
    if (!line.starts_with(prefix)) continue;
    text += "\n" + shorten(line.substr(prefix.size()), 300);
    ++kept;
  }
  return text;
}

Verdict verdict_of(sim::FindingKind kind) {
  if (kind == sim::FindingKind::timeout) return Verdict::timeout;
  return sim::is_fatal(kind) ? Verdict::crash : Verdict::wrong;
}

}  // namespace

std::string place(const sim::SourcePosition& position) {
  if (position.file.empty() || position.line == 0) return "";
  return std::filesystem::path(clean_text(position.file)).filename().string() + ":" +
         std::to_string(position.line);
}

std::string note_of(const sim::Activity& activity) {
  return activity.notes.empty() ? "" : "Note: " + clean_text(activity.notes.front());
}

CaseOutcome outcome_of(const RunnerError& error, const std::string& said) {
  CaseOutcome outcome;
  outcome.verdict = verdict_of(error);
  outcome.message = error.what();
  if (error.kind() == Kind::cuda) outcome.message += reasons(said);
  outcome.runner_lost = error.kind() != Kind::exception;
  return outcome;
}

std::optional<CaseOutcome> outcome_of(const sim::Activity& activity) {
  const sim::Finding* worst = nullptr;
  const auto consider = [&](const std::vector<sim::Finding>& findings) {
    for (const sim::Finding& finding : findings) {
      if (worst == nullptr || (sim::is_fatal(finding.kind) && !sim::is_fatal(worst->kind)))
        worst = &finding;
    }
  };
  for (const sim::LaunchRecord& launch : activity.launches) consider(launch.findings);
  consider(activity.findings);
  if (worst == nullptr) return std::nullopt;
  CaseOutcome outcome;
  outcome.verdict = verdict_of(worst->kind);
  const std::string where = place(worst->where);
  outcome.message = (where.empty() ? "" : where + ": ") + clean_text(worst->message);
  outcome.runner_lost = sim::is_fatal(worst->kind);
  return outcome;
}

}  // namespace gridstride
