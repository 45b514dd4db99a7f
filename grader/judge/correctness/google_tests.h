// Correctness cases as GoogleTest tests: filters, repetition and reports of GoogleTest work on
// them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "grader/judge/cases/suite.h"
#include "grader/judge/correctness/correctness.h"

namespace gridstride {

/// Registers each case of `correctness` as a test of the suite `stage`. `correctness` must outlive
/// the run.
void register_cases(const std::string& stage, const SuiteData& suite, Correctness& correctness);

struct TestProgress {
  /// Before the first of a stage's cases, with the names of all that will be run, in that order;
  /// for all stages before any case. May be empty.
  std::function<void(const std::string& stage, const std::vector<std::string>& cases)> on_plan;
  std::function<void(const std::string& stage, int number, int count)> on_case;
  std::function<void(const std::string& stage)> on_stage_end;
};

/// Runs all registered tests. GoogleTest's own output appears only when `loud`, or when its listing
/// was asked for; true then.
bool run_tests(bool loud, TestProgress progress);

}  // namespace gridstride
