// Errors and findings as verdicts.
#include "grader/judge/correctness/outcome.h"

#include <fmt/core.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "common/text.h"

namespace gridstride {
namespace {

using Kind = RunnerError::Kind;

// Values of cudaError_t that are not the same verdict as the rest.
constexpr int cuda_memory_allocation = 2;
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
        case cuda_not_supported:
          return Verdict::unsupported;
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
    case Kind::exception:
    case Kind::ended:
    case Kind::processes:
      break;
  }
  return Verdict::crash;
}

/// An argument that was not taken, as an empty grid, says nothing about the next call. What comes of a
/// kernel's mistake does: after it the context is of no use.
bool is_refusal(const RunnerError& error) {
  constexpr int first_of_kernels = 700, launch_out_of_resources = 701;
  return error.kind() == Kind::cuda &&
         (error.code() < first_of_kernels || error.code() == launch_out_of_resources);
}

/// What the simulated runtime says of a failed call. It runs in the student's process, where
/// anybody can say as much.
std::string reasons(const std::string& said) {
  std::istringstream lines(said);
  std::string text;
  int kept = 0;
  for (std::string line; std::getline(lines, line) && kept < 3;) {
    if (!line.starts_with("gridstride: ")) continue;
    text += shorten(line, 300) + "\n";
    ++kept;
  }
  return text.empty() ? "" : "\nThe program's own output:\n" + quoted_lines(text);
}

Verdict verdict_of(sim::FindingKind kind) {
  if (kind == sim::FindingKind::timeout) return Verdict::timeout;
  return sim::is_fatal(kind) ? Verdict::crash : Verdict::wrong;
}

}  // namespace

std::string place(const sim::SourcePosition& position) {
  if (position.file.empty() || position.line == 0) return "";
  // The source says what the file is called (#line).
  return shorten(escaped(std::filesystem::path(position.file).filename().string()), 60) + ":" +
         std::to_string(position.line);
}

std::string note_of(const sim::Activity& activity) {
  return activity.notes.empty() ? "" : "Note: " + clean_text(activity.notes.front());
}

std::string words_about(const sim::Printed& printed) {
  constexpr int most_lines = 12;
  constexpr std::size_t most_columns = 90;
  std::istringstream lines(clean_text(printed.beginning));
  std::string text;
  int kept = 0;
  for (std::string line; kept < most_lines && std::getline(lines, line); ++kept)
    text += shorten(line, most_columns) + "\n";
  if (text.find_first_not_of(" \t\n") == std::string::npos) return "";
  text = "What the kernels printed:\n" + quoted_lines(text);
  const bool whole = printed.bytes == printed.beginning.size();
  if (!whole || lines.peek() != std::istringstream::traits_type::eof())
    text +=
        fmt::format("\nThere is more: {} bytes in all. Let fewer threads print.", printed.bytes);
  return text;
}

CaseOutcome outcome_of(const RunnerError& error, const std::string& said,
                       const std::vector<std::string>& refusals) {
  CaseOutcome outcome;
  outcome.runner_lost = error.kind() != Kind::exception;
  outcome.refused = is_refusal(error);
  outcome.verdict = verdict_of(error);
  if (outcome.verdict == Verdict::crash && error.kind() == Kind::cuda && !refusals.empty())
    outcome.verdict = Verdict::unsupported;
  outcome.message = error.what();
  if (outcome.verdict == Verdict::unsupported && !refusals.empty()) {
    outcome.message = "unsupported: " + shorten(clean_text(refusals.front()), 400);
    return outcome;
  }
  if (error.kind() == Kind::cuda) outcome.message += reasons(said);
  return outcome;
}

CaseOutcome outcome_of(const sim::DeviceProcessError& error) {
  CaseOutcome outcome;
  if (dynamic_cast<const sim::DeviceLinkLost*>(&error) != nullptr) {
    outcome.verdict = Verdict::infrastructure;
    outcome.message = clean_text(error.what());
    outcome.runner_lost = outcome.link_lost = true;
    return outcome;
  }
  const bool late = dynamic_cast<const sim::DeviceProcessTimeout*>(&error) != nullptr;
  outcome.verdict = late ? Verdict::timeout : Verdict::crash;
  outcome.message =
      std::string("what the stage asked of the device ended it: ") + clean_text(error.what());
  outcome.runner_lost = true;
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
  outcome.where = worst->where;
  const std::string where = place(worst->where);
  outcome.message = (where.empty() ? "" : where + ": ") + clean_text(worst->message);
  outcome.runner_lost = sim::is_fatal(worst->kind);
  return outcome;
}

}  // namespace gridstride
