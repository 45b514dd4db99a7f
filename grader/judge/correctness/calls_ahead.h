// Inputs and right answers of cases, made by other threads before they are asked for: to draw and to
// sort millions of keys takes a CPU longer than a GPU takes for the call.
#pragma once

#include <cstddef>
#include <future>
#include <map>
#include <vector>

#include "grader/judge/cases/suite.h"
#include "grader/judge/correctness/case_runner.h"

namespace gridstride {

class CallsAhead {
 public:
  /// `order`: the cases that will be asked for, as indices into `cases`. At most `ahead` are being
  /// made, or wait, at once. The other arguments must outlive this.
  CallsAhead(const CaseRunner& runner, const std::vector<CaseSpec>& cases,
             std::vector<std::size_t> order, std::size_t ahead);
  /// Waits for one; each can be taken once. Throws what making it throws.
  Call take(std::size_t index);

 private:
  void begin_next();

  const CaseRunner& runner_;
  const std::vector<CaseSpec>& cases_;
  std::vector<std::size_t> order_;
  std::size_t ahead_, begun_ = 0;
  std::map<std::size_t, std::future<Call>> calls_;  ///< ends its threads
};

}  // namespace gridstride
