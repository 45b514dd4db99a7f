// Finds the case, runs it, and puts what came of it into words.
#include "grader/judge/correctness/look_at_case.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "common/text.h"
#include "grader/judge/correctness/case_runner.h"
#include "grader/judge/correctness/case_view.h"

namespace gridstride {
namespace {

const CaseSpec& find_case(const std::vector<CaseSpec>& cases, const std::string& name,
                          const std::string& stage) {
  const auto found = std::ranges::find(cases, name, &CaseSpec::name);
  if (found != cases.end()) return *found;
  std::string words = "The stage " + stage + " has no case '" + escaped(name) + "'. It has:";
  for (const CaseSpec& each : cases) words += "\n  " + each.name;
  throw NoSuchCase(words);
}

}  // namespace

CaseLook look_at_case(const Grading& grading, const StageTask& task, const std::string& name) {
  const CaseSpec& spec = find_case(task.contract->suite.cases, name, task.config->name);
  if (spec.gpu_only && !grading.gpu)
    throw CannotGrade("The case '" + name + "' is too large for the simulated GPU: --device gpu.");
  if (spec.too_large && grading.gpu)
    throw CannotGrade("The case '" + name + "' is looked at on the simulated GPU: --device sim.");
  CaseRunner runner(grading, task);
  FirstCall first = runner.first(spec, [&] { return runner.make(spec); });
  CaseOutcome outcome = std::move(first.outcome);
  if (first.again) {
    first.outcome = outcome;
    CallResult second;
    outcome = runner.second(spec, first, &second);
    if (outcome.verdict != Verdict::pass) first.result = std::move(second);
  }
  CaseLook look;
  look.verdict = outcome.verdict;
  look.text = outcome.verdict == Verdict::pass ? spec.name + ": right." : outcome.message;
  if (!outcome.printed.empty()) look.text += "\n" + outcome.printed;
  const std::string view = case_view(first.call, first.result);
  if (!view.empty()) look.text += "\n\n" + view;
  return look;
}

}  // namespace gridstride
