// A thread for each call that is ahead.
#include "grader/judge/correctness/calls_ahead.h"

#include <cstddef>
#include <future>
#include <utility>
#include <vector>

namespace gridstride {

CallsAhead::CallsAhead(const CaseRunner& runner, const std::vector<CaseSpec>& cases,
                       std::vector<std::size_t> order, std::size_t ahead)
    : runner_(runner), cases_(cases), order_(std::move(order)), ahead_(ahead) {}

void CallsAhead::begin_next() {
  const std::size_t index = order_[begun_++];
  calls_[index] =
      std::async(std::launch::async, [this, index] { return runner_.make(cases_[index]); });
}

Call CallsAhead::take(std::size_t index) {
  while (begun_ < order_.size() && calls_.size() < ahead_) begin_next();
  while (begun_ < order_.size() && !calls_.contains(index)) begin_next();
  const auto found = calls_.find(index);
  if (found == calls_.end()) return runner_.make(cases_[index]);  // taken before, or never ordered
  std::future<Call> call = std::move(found->second);
  calls_.erase(found);
  if (begun_ < order_.size()) begin_next();
  return call.get();
}

}  // namespace gridstride
