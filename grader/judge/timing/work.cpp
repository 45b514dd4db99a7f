// Launches and copies, as the device process saw them.
#include "grader/judge/timing/work.h"

#include <fmt/core.h>

#include <cstdint>
#include <string>

#include "grader/runner/arguments.h"

namespace gridstride {
namespace {

/// Inputs that travel to the host were computed on there, which modelled times do not charge for. What a stage may copy, lab.toml says (device_to_host_bytes); this is for those that
/// may copy something.
constexpr double most_of_inputs_copied = 0.25;

}  // namespace

CaseOutcome judge_work(const Call& call, const sim::Activity& activity, const std::string& who) {
  CaseOutcome outcome;
  const auto suspect = [&](const std::string& message) {
    outcome.verdict = Verdict::suspicious;
    outcome.message = message;
    return outcome;
  };
  std::uint64_t input_bytes = 0;
  for (const CallArgument& argument : call.arguments) {
    if (argument.info.kind == ArgumentKind::input) input_bytes += argument.bytes();
  }
  if (activity.launches.empty())
    return suspect(who + ": no kernel was launched: the answer did not come from the device.");
  if (static_cast<double>(activity.device_to_host_bytes) >
      most_of_inputs_copied * static_cast<double>(input_bytes))
    return suspect(
        fmt::format("{}: {} of {} bytes of input were copied to the host during the call: the work "
                    "was not done on the device.",
                    who, activity.device_to_host_bytes, input_bytes));
  return outcome;
}

}  // namespace gridstride
