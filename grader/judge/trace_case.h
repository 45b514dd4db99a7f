// Which case of a stage is looked at, where nobody says: a small one that shows what is wrong, or one
// that uses all of the stage.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "grader/judge/cases/call.h"
#include "grader/judge/correctness/case_runner.h"
#include "grader/judge/runners/grading.h"

namespace gridstride {

/// What is asked for; each may be left out.
struct WantedCase {
  std::string name;
  std::optional<std::int64_t> size;
  /// Where one is chosen, only some small ones are tried: code for a debugger is slow.
  bool small = false;
};

struct ChosenCase {
  CaseSpec spec;
  Call call;
  CallResult result;            ///< of the call that is to be looked at
  CaseOutcome outcome;          ///< of the case
  bool other_schedule = false;  ///< right in launch order, wrong in another
  std::string why;              ///< why this one, a clause: "the smallest that is wrong"
};

/// Makes the cases' calls on the simulated device. Throws NoSuchCase naming the cases there are,
/// CannotGrade.
ChosenCase choose_case(const Grading& grading, const StageTask& task, const WantedCase& wanted);

}  // namespace gridstride
