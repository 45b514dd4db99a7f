// One case of a stage, made for whoever wants to see it: it gives no points.
#pragma once

#include <stdexcept>
#include <string>

#include "grader/judge/runners/grading.h"
#include "grader/report/results.h"

namespace gridstride {

/// The stage has no case of that name; what() lists those that it has.
class NoSuchCase : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct CaseLook {
  Verdict verdict = Verdict::pass;
  std::string text;  ///< the verdict's message, inputs, what was expected and what came
};

/// Makes the calls that grading makes, on the same inputs: those of a GPU without a seed are new each
/// time. Throws NoSuchCase, CannotGrade, SandboxError.
CaseLook look_at_case(const Grading& grading, const StageTask& task, const std::string& name);

}  // namespace gridstride
