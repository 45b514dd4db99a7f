// Tests made at run time, and a listener that keeps quiet.
#include "grader/judge/correctness/google_tests.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace gridstride {
namespace {

class CaseTest : public testing::Test {
 public:
  CaseTest(Correctness& correctness, std::size_t index)
      : correctness_(correctness), index_(index) {}

  void TestBody() override {
    const CaseOutcome& outcome = correctness_.run(index_);
    if (outcome.verdict != Verdict::pass)
      ADD_FAILURE() << name_of(outcome.verdict) << ": " << outcome.message
                    << (outcome.printed.empty() ? "" : "\n") << outcome.printed;
  }

 private:
  Correctness& correctness_;
  std::size_t index_;
};

class Listener : public testing::EmptyTestEventListener {
 public:
  explicit Listener(TestProgress progress) : progress_(std::move(progress)) {}

  void OnTestIterationStart(const testing::UnitTest& all, int) override {
    for (int i = 0; i < all.total_test_suite_count(); ++i) {
      const testing::TestSuite& suite = *all.GetTestSuite(i);
      std::vector<std::string> cases;
      for (int j = 0; j < suite.total_test_count(); ++j) {
        const testing::TestInfo& test = *suite.GetTestInfo(j);
        if (test.should_run()) cases.emplace_back(test.name());
      }
      if (progress_.on_plan && !cases.empty()) progress_.on_plan(suite.name(), cases);
    }
  }
  void OnTestSuiteStart(const testing::TestSuite&) override { number_ = 0; }
  void OnTestStart(const testing::TestInfo& test) override {
    const auto* suite = testing::UnitTest::GetInstance()->current_test_suite();
    progress_.on_case(test.test_suite_name(), ++number_, suite->test_to_run_count());
  }
  void OnTestSuiteEnd(const testing::TestSuite& suite) override {
    progress_.on_stage_end(suite.name());
  }

 private:
  TestProgress progress_;
  int number_ = 0;
};

}  // namespace

void register_cases(const std::string& stage, const SuiteData& suite, Correctness& correctness) {
  for (std::size_t i = 0; i < suite.cases.size(); ++i) {
    testing::RegisterTest(
        stage.c_str(), suite.cases[i].name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
        [&correctness, i]() -> testing::Test* { return new CaseTest(correctness, i); });
  }
}

bool run_tests(bool loud, TestProgress progress) {
  const bool listing = testing::GTEST_FLAG(list_tests);
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  if (!loud && !listing) delete listeners.Release(listeners.default_result_printer());
  listeners.Append(new Listener(std::move(progress)));  // GoogleTest owns it
  [[maybe_unused]] const int failed = RUN_ALL_TESTS();
  return listing;
}

}  // namespace gridstride
