// Verdicts and their messages.
#include "grader/judge/verdict/stage_result.h"

#include <fmt/core.h>

#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "common/files.h"
#include "common/simulator/device/control.h"
#include "common/simulator/report/explanation.h"
#include "common/source_text.h"
#include "common/text.h"
#include "grader/compile/intake.h"
#include "grader/compile/stage_files.h"
#include "grader/judge/runners/device_choice.h"
#include "grader/judge/sources/compiler_remarks.h"
#include "grader/judge/sources/forbidden_headers.h"
#include "grader/judge/sources/open_todo.h"
#include "grader/judge/sources/unbuilt.h"
#include "grader/judge/timing/simulated_call.h"
#include "grader/judge/verdict/limits.h"
#include "grader/judge/verdict/scoring.h"

namespace gridstride {
namespace {

namespace fs = std::filesystem;

/// "9.0" for 90.
std::string capability_text(std::uint32_t capability) {
  return fmt::format("{}.{}", capability / 10, capability % 10);
}

void add_line(std::string& text, const std::string& line) {
  if (!text.empty() && !line.empty()) text += "\n";
  text += line;
}

/// What the student can mend, and so begins with the TODO that is still there.
bool falls_short(Verdict verdict) {
  return verdict != Verdict::pass && verdict != Verdict::inconclusive &&
         verdict != Verdict::unsupported_here && verdict != Verdict::infrastructure;
}

/// Another command in this tree has built another text meanwhile: what was called, and what it did, is of
/// one or the other.
void decide_nothing(StageState& state) {
  StageResult undecided;
  undecided.name = state.result.name;
  undecided.max_score = state.result.max_score;
  undecided.verdict = Verdict::infrastructure;
  undecided.message =
      state.task.library.filename().string() +
      " was built anew or removed while it was graded, by another command in this tree. "
      "Repair: when that has ended, run the command again.";
  state.result = std::move(undecided);
  state.decided = true;
}

void decide(StageState& state, Verdict verdict, const std::string& message) {
  if (state.built && *state.built != library_file(state.task.library)) return decide_nothing(state);
  state.result.verdict = verdict;
  state.result.message.clear();
  if (const auto todo = open_todo(state.task); todo && falls_short(verdict)) {
    state.result.message = words_about(*todo);
    state.result.remarks.insert(state.result.remarks.begin(), *todo);
  }
  add_line(state.result.message, message);
  add_line(state.result.message, state.note);
  state.result.score = score(*state.task.config, state.result);
  state.decided = true;
}

/// Names the line where one is found that says so plainly.
std::string words_about(const std::string& header, const StageTask& task) {
  std::string where;
  for (const IncludeDirective& one : include_directives(task.source_text)) {
    if (one.header == header || one.header.ends_with("/" + header)) {
      where = ", line " + std::to_string(one.line);
      break;
    }
  }
  return task.source.filename().string() + where + ": <" + header +
         "> is not allowed in this lab: the point is to write it yourself.";
}

/// What the compiler has said of the text's lines, whether it took it or not.
void remember_compiler(StageState& state) {
  const StageTask& task = state.task;
  for (const fs::path& words : {log_of(task.library), warnings_of(task.library)}) {
    std::error_code missing;
    if (!fs::exists(words, missing)) continue;
    for (Remark& remark : compiler_remarks(read_file(words, 4u << 20),
                                           task.source.filename().string(), task.source_text))
      state.result.remarks.push_back(std::move(remark));
  }
}

std::string speed_text(const Speedup& speedup) {
  std::string text = plain_number(speedup.value) + " times the baseline's speed";
  if (speedup.low != speedup.high)
    text += " (" + plain_number(speedup.low) + " to " + plain_number(speedup.high) + ")";
  return text;
}

}  // namespace

void decide_by_files(const Grading& grading, StageState& state) {
  StageTask& task = state.task;
  const std::uint32_t needed = task.config->compute_capability;
  if (grading.gpu && grading.hardware.capability < needed) {
    state.result.max_score = 0;  // nobody loses points for the GPU
    return decide(
        state, Verdict::unsupported_here,
        fmt::format("It needs a GPU of compute capability {}, and {} has {}. It counts for "
                    "nothing here; `./lab grade {}/{} --device sim` grades it.",
                    capability_text(needed), grading.device.name,
                    capability_text(grading.hardware.capability), grading.lab.name,
                    task.config->name));
  }
  std::error_code ignored;
  const bool missing = fs::symlink_status(task.source, ignored).type() == fs::file_type::not_found;
  if (missing && !grading.handed_in.empty())
    return decide(state, Verdict::todo,
                  "Not handed in: there is no file " + task.source.filename().string() + ".");
  if (missing)
    return decide(state, Verdict::compile_error,
                  "There is no file " + escaped(task.source.string()) +
                      " to grade. Has it another name, or another folder? `./lab reset " +
                      grading.lab.name + "/" + task.config->name +
                      "` gives it back as it was handed out.");
  if (const std::string refusal = refusal_of(task.source); !refusal.empty())
    return decide(state, Verdict::compile_error, refusal + " Put the stage's source there.");
  try {
    task.source_text = read_file(task.source, largest_stage_bytes);
  } catch (const std::exception& error) {
    return decide(state, Verdict::compile_error, error.what());
  }
  if (task.source_text.find_first_not_of(" \t\r\n") == std::string::npos)
    return decide(state, Verdict::compile_error,
                  task.source.filename().string() + " is empty. `./lab reset " + grading.lab.name +
                      "/" + task.config->name + "` gives it back as it was handed out.");
  const LibraryFile built = library_file(task.library);
  const auto unbuilt = why_not_this(task, grading.installation.tree);
  if (unbuilt && unbuilt->verdict == Verdict::compile_error &&
      task.source_text.find('\0') != std::string::npos)
    return decide(state, Verdict::compile_error,
                  task.source.filename().string() +
                      " is no text that compilers read: it holds null bytes, as a text in UTF-16 "
                      "does. Save it in UTF-8.");
  if (!unbuilt || unbuilt->verdict == Verdict::compile_error) remember_compiler(state);
  if (unbuilt) return decide(state, unbuilt->verdict, unbuilt->message);
  const auto opened = opened_for(task.library);
  if (!opened)
    return decide(
        state, Verdict::infrastructure,
        "Which headers " + task.source.filename().string() +
            " includes is not known. Repair: remove build/ (of a handout: ready/stages/), and run "
            "./lab grade without --no-build.");
  const std::string header =
      forbidden_header(*opened, grading.installation.tree, grading.lab.forbidden_headers);
  if (!header.empty()) return decide(state, Verdict::wrong, words_about(header, task));
  state.built = built;
}

void decide_by_cases(StageState& state) {
  const Correctness::Summary summary = state.correctness->summary();
  state.result.cases = summary.cases;
  state.note = summary.note;
  const bool failed = summary.verdict != Verdict::pass;
  if (failed && summary.untouched && summary.verdict == Verdict::wrong &&
      has_todo(state.task.source_text))
    return decide(state, Verdict::todo, "Not written yet: no call wrote a result.");
  if (failed && summary.where.line != 0)
    state.result.remarks.push_back({Remark::Kind::finding,
                                    fs::path(summary.where.file).filename().string(),
                                    static_cast<int>(summary.where.line), 0, summary.message});
  if (failed) state.result.failed_case = summary.failed_case;
  if (failed) state.result.case_too_large = summary.case_too_large;
  if (failed) return decide(state, summary.verdict, summary.message);
  if (summary.not_run != 0)
    decide(state, Verdict::inconclusive,
           fmt::format("{} of {} cases were left out (--gtest_filter), so there is no grade.",
                       summary.not_run, summary.cases.total));
}

void choose_required_speedups(Grading& grading,
                              const std::vector<std::unique_ptr<StageState>>& stages) {
  if (grading.gpu && !grading.measures_only) choose_thresholds_for(grading);
  for (const auto& state : stages) required_speedup(grading, *state->task.config);
}

RequiredSpeedup required_speedup(const Grading& grading, const StageConfig& config) {
  if (grading.measures_only) return {};
  if (grading.gpu && grading.thresholds) {
    const auto& [thresholds, estimated] = *grading.thresholds;
    const auto row = thresholds.stages.find(grading.lab.name + "/" + config.name);
    if (row != thresholds.stages.end()) return {row->second.required, estimated};
  }
  const auto found = config.min_speedup.find(grading.device_kind());
  if (found != config.min_speedup.end()) return {found->second};
  if (config.speed_points > 0)
    throw CannotGrade(
        fmt::format("No speedup is known that {}/{} must reach on {}. Repair: `./lab calibrate {}` "
                    "measures it here, "
                    "or put the file of this GPU into thresholds/.",
                    grading.lab.name, config.name, grading.device.name, grading.lab.name));
  return {};
}

bool needs_timing(const StageState& state) {
  const StageConfig& config = *state.task.config;
  return config.speed_points > 0 || !config.min_speedup.empty() || !config.limits.empty();
}

void decide_by_times(const Grading& grading, StageState& state, const TimedStage* timed) {
  StageResult& result = state.result;
  if (timed == nullptr) return decide(state, Verdict::pass, "");
  if (timed->failure) return decide(state, timed->failure->verdict, timed->failure->message);
  if (!timed->result)
    return decide(state, Verdict::inconclusive,
                  "It was not timed (--benchmark_filter), so there is no grade.");
  const Measurement& measured = *timed->result;
  result.speedup = measured.speedup;
  if (measured.speedup.required > 0)
    result.speedup->estimated = required_speedup(grading, *state.task.config).estimated;
  result.seconds = measured.seconds;
  result.conditions = measured.conditions;
  const StageConfig& config = *state.task.config;
  std::optional<sim::Activity> activity = measured.activity;
  try {
    if (!activity && !config.limits.empty())
      activity = simulated_call(grading, state.task, Who::stage);
    if (activity) {
      if (state.note.empty()) state.note = note_of(*activity);
      result.counters = counters_of(*activity);
      result.limits = check_limits(config.limits, *activity);
      if (measured.device_to_host_bytes) count_in(result.limits, *measured.device_to_host_bytes);
    }
  } catch (const TimingFailure& failure) {
    return decide(state, failure.verdict(), failure.what());
  } catch (const RunnerError& error) {
    const CaseOutcome outcome = outcome_of(error, "");
    return decide(state, outcome.verdict, "timed call on the simulated device: " + outcome.message);
  } catch (const sim::DeviceProcessError& error) {
    const CaseOutcome outcome = outcome_of(error);
    return decide(state, outcome.verdict, "timed call on the simulated device: " + outcome.message);
  } catch (const std::exception& error) {
    return decide(state, Verdict::infrastructure, error.what());
  }

  std::string message;
  Verdict verdict = Verdict::pass;
  if (measured.undecided) {
    verdict = Verdict::inconclusive;
    message = "Measured " + speed_text(measured.speedup) + ", " +
              plain_number(measured.speedup.required) +
              " is required: too noisy to decide, even after a longer look. Grade again when "
              "nothing else uses the GPU.";
  } else if (measured.speedup.value < measured.speedup.required) {
    verdict = measured.why_not_slow.empty() ? Verdict::slow : Verdict::inconclusive;
    message = "It runs at " + speed_text(measured.speedup) + "; " +
              plain_number(measured.speedup.required) +
              (result.speedup->estimated ? " is required, by an estimate." : " is required.");
    add_line(message, measured.why_not_slow);
  }
  // What limits bound is counted and not measured, so they name the verdict also of what is slow as
  // well: it depends on nothing else that the machine does.
  const std::string unmet = explain(result.limits);
  if (!unmet.empty()) {
    verdict = Verdict::over_limit;
    add_line(message, unmet);
  }
  if ((verdict == Verdict::slow || verdict == Verdict::over_limit) && activity) {
    const sim::DeviceProfile profile = sim::profile_named(grading.installation.profile);
    for (const std::string& advice : sim::advice_sentences(*activity, profile))
      add_line(message, advice);
  }
  decide(state, verdict, message);
}

}  // namespace gridstride
