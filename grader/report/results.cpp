// Names of verdicts, sums of scores, and what they mean for the exit code.
#include "grader/report/results.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/text.h"

namespace gridstride {
namespace {

constexpr std::array<std::pair<Verdict, const char*>, 14> verdict_names = {{
    {Verdict::pass, "pass"},
    {Verdict::todo, "todo"},
    {Verdict::slow, "slow"},
    {Verdict::over_limit, "over_limit"},
    {Verdict::wrong, "wrong"},
    {Verdict::compile_error, "compile_error"},
    {Verdict::crash, "crash"},
    {Verdict::unsupported, "unsupported"},
    {Verdict::timeout, "timeout"},
    {Verdict::out_of_memory, "out_of_memory"},
    {Verdict::unsupported_here, "unsupported_here"},
    {Verdict::suspicious, "suspicious"},
    {Verdict::inconclusive, "inconclusive"},
    {Verdict::infrastructure, "infrastructure"},
}};

}  // namespace

const char* name_of(Verdict verdict) {
  for (const auto& [value, name] : verdict_names) {
    if (value == verdict) return name;
  }
  return "infrastructure";
}

std::optional<Verdict> verdict_named(const std::string& name) {
  for (const auto& [value, text] : verdict_names) {
    if (name == text) return value;
  }
  return std::nullopt;
}

const char* name_of(Remark::Kind kind) {
  switch (kind) {
    case Remark::Kind::todo:
      return "todo";
    case Remark::Kind::warning:
      return "warning";
    case Remark::Kind::finding:
      return "finding";
    case Remark::Kind::error:
      break;
  }
  return "error";
}

std::string estimated_line(const LabResult& lab, const DeviceDescription& device) {
  const bool estimated = std::ranges::any_of(
      lab.stages, [](const StageResult& one) { return one.speedup && one.speedup->estimated; });
  if (!estimated) return {};
  return "~: estimated. Nobody has measured what is to be reached on " + device.name +
         ". What is needed on " + device.thresholds.device +
         " is taken, whose bandwidth, arithmetic and atomics compare most like this GPU's. `./lab "
         "calibrate` measures it here, where the solutions are; or ask who gives the course for "
         "this "
         "GPU's file of thresholds/.";
}

std::string ignored_line(const LabResult& lab) {
  constexpr std::size_t most = 10;
  if (lab.ignored.empty()) return {};
  std::vector<std::string> names(
      lab.ignored.begin(),
      lab.ignored.begin() + static_cast<std::ptrdiff_t>(std::min(most, lab.ignored.size())));
  if (lab.ignored.size() > most)
    names.push_back(std::to_string(lab.ignored.size() - most) + " more");
  return "Ignored, for lab.toml names no such stage: " + listed(names) + ".";
}

void Results::total() {
  score = max_score = 0;
  for (LabResult& lab : labs) {
    lab.score = lab.max_score = 0;
    for (const StageResult& stage : lab.stages) {
      lab.score += stage.score;
      lab.max_score += stage.max_score;
    }
    score += lab.score;
    max_score += lab.max_score;
  }
}

ExitCode exit_code(const Results& results) {
  ExitCode code = exit_pass;
  for (const LabResult& lab : results.labs) {
    for (const StageResult& stage : lab.stages) {
      if (stage.verdict == Verdict::infrastructure) return exit_infrastructure;
      if (stage.verdict != Verdict::pass && stage.verdict != Verdict::unsupported_here)
        code = exit_short;
    }
  }
  return code;
}

}  // namespace gridstride
