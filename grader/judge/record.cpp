// One call, judged and reported.
#include "grader/judge/record.h"

#include <fmt/core.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "common/simulator/device/control.h"
#include "common/simulator/report/report.h"
#include "grader/judge/correctness/outcome.h"
#include "grader/judge/sources/open_todo.h"
#include "grader/judge/timing/simulated_call.h"

namespace gridstride {
namespace {

using nlohmann::json;

json entry_of(const StageState& stage, Verdict verdict, const std::string& message, json report) {
  return {{"name", stage.result.name},
          {"source", stage.task.source.string()},
          {"verdict", name_of(verdict)},
          {"message", message},
          {"report", std::move(report)}};
}

}  // namespace

json record_stage(const Grading& grading, const StageState& stage) {
  if (stage.decided) return entry_of(stage, stage.result.verdict, stage.result.message, nullptr);
  if (!stage.task.contract->suite.timing)
    throw CannotGrade("grader.cpp says of " + stage.task.contract->function +
                      "() no call to be timed, which is the one that would be explained.");
  try {
    const sim::DeviceProfile profile = sim::profile_named(grading.installation.profile);
    // Most calls take a second or two. Where no kernel has been launched by then, it is host code that
    // does not end; a kernel that is slow has its time.
    constexpr std::chrono::duration<double> soon{10};
    RecordedCall call = record_call(grading, stage.task, Who::stage, soon);
    if (call.outcome.verdict == Verdict::timeout && call.is_idle) {
      call.outcome.message = fmt::format(
          "timed call: no kernel was launched within {} s. Does a loop in the function that "
          "launches "
          "it not end?",
          soon.count());
    } else if (call.outcome.verdict == Verdict::timeout) {
      call = record_call(grading, stage.task, Who::stage);
    }
    const CaseOutcome& outcome = call.outcome;
    const auto open = open_todo(stage.task);
    const bool todo = outcome.verdict != Verdict::pass && outcome.untouched && open;
    return entry_of(stage, todo ? Verdict::todo : outcome.verdict,
                    todo ? words_about(*open) + "\nNot written yet: the call wrote no result."
                         : outcome.message,
                    sim::to_json(call.activity, &profile));
  } catch (const RunnerError& error) {
    const CaseOutcome outcome = outcome_of(error, "");
    return entry_of(stage, outcome.verdict, outcome.message, nullptr);
  } catch (const sim::DeviceProcessError& error) {
    const CaseOutcome outcome = outcome_of(error);
    return entry_of(stage, outcome.verdict, outcome.message, nullptr);
  }
}

}  // namespace gridstride
