// What came of the cases of a stage, one by one and together.
#include "grader/judge/correctness/correctness.h"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "grader/judge/correctness/explain.h"

namespace gridstride {

Correctness::Correctness(const Grading& grading, const StageTask& task)
    : cases_(task.contract->suite.cases),
      sizes_are_lengths_(task.contract->suite.columns.empty()),
      outcomes_(cases_.size()),
      runner_(grading, task) {}

std::vector<std::size_t> Correctness::indices(const std::vector<std::string>& names) const {
  std::vector<std::size_t> order;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(cases_, name, &CaseSpec::name);
    order.push_back(static_cast<std::size_t>(found - cases_.begin()));
  }
  return order;
}

void Correctness::run_ahead(const std::vector<std::string>& names, Background& background,
                            int rank) {
  prefetch_.reset();
  prefetch_.emplace(runner_, cases_, indices(names), background, rank);
}

void Correctness::make_ahead(const std::vector<std::string>& names, std::size_t ahead) {
  calls_.reset();
  calls_.emplace(runner_, cases_, indices(names), ahead);
}

const CaseOutcome& Correctness::run(std::size_t index) {
  auto& outcome = outcomes_[index];
  try {
    outcome = prefetch_ ? prefetch_->outcome(index) : run_now(index);
  } catch (const std::exception& error) {  // no memory, no thread
    outcome.emplace();
    outcome->verdict = Verdict::infrastructure;
    outcome->message = cases_[index].name + ": " + error.what();
  }
  return *outcome;
}

CaseOutcome Correctness::run_now(std::size_t index) {
  const CaseSpec& spec = cases_[index];
  if (auto refused = runner_.given_up(spec)) return *std::move(refused);
  const FirstCall first =
      runner_.first(spec, [&] { return calls_ ? calls_->take(index) : runner_.make(spec); });
  CaseOutcome outcome = first.again ? runner_.second(spec, first) : first.outcome;
  runner_.settle(outcome);
  return outcome;
}

void Correctness::release() {
  prefetch_.reset();
  calls_.reset();
  runner_.release();
}

Correctness::Summary Correctness::summary() const {
  Summary summary;
  std::vector<SizedCase> sizes;
  const CaseOutcome* worst = nullptr;
  summary.untouched = true;
  summary.cases.total = static_cast<int>(outcomes_.size());
  for (std::size_t i = 0; i < outcomes_.size(); ++i) {
    if (!outcomes_[i]) {
      ++summary.not_run;
      continue;
    }
    const CaseOutcome& outcome = *outcomes_[i];
    const bool passed = outcome.verdict == Verdict::pass;
    summary.cases.passed += passed;
    summary.untouched &= outcome.untouched || cases_[i].size == 0 || cases_[i].too_large;
    if (summary.note.empty()) summary.note = outcome.note;
    if (outcome.tried && !cases_[i].too_large && sizes_are_lengths_)
      sizes.push_back({cases_[i].size, passed});
    if (passed || !outcome.tried) continue;
    // What is the student's to mend comes before what is not, and a wrong result tells more than
    // none.
    const auto rank = [](const CaseOutcome& one) {
      const int verdict =
          one.verdict == Verdict::infrastructure ? 0 : static_cast<int>(one.verdict);
      return 2 * verdict + (one.untouched ? 0 : 1);
    };
    if (worst == nullptr || rank(outcome) > rank(*worst)) {
      worst = &outcome;
      summary.failed_case = cases_[i].name;
      summary.case_too_large = cases_[i].too_large || cases_[i].gpu_only;
    }
  }
  if (worst == nullptr) return summary;
  summary.verdict = worst->verdict;
  summary.message = worst->message;
  summary.where = worst->where;
  if (summary.verdict == Verdict::wrong && !summary.untouched && runner_.losses() == 0) {
    if (const auto words = explain_sizes(sizes)) summary.message += "\n" + *words;
  }
  if (!worst->printed.empty()) summary.message += "\n" + worst->printed;
  return summary;
}

}  // namespace gridstride
