// One thread makes first calls, another the second calls, one case behind.
#include "grader/judge/correctness/case_prefetch.h"

#include <cstddef>
#include <exception>
#include <future>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace gridstride {

CasePrefetch::CasePrefetch(CaseRunner& runner, const std::vector<CaseSpec>& cases,
                           std::vector<std::size_t> order, Background& background, int rank)
    : runner_(runner),
      cases_(cases),
      order_(std::move(order)),
      background_(background),
      rank_(rank) {
  for (const std::size_t index : order_) outcomes_[index] = promises_[index].get_future();
  thread_ = std::thread([this] {
    try {
      background_.stages.run(rank_, [this] {
        run();
        runner_.release();
      });
    } catch (...) {
      for (auto& [index, promise] : promises_) {
        try {
          promise.set_exception(std::current_exception());
        } catch (const std::future_error&) {
          // It is known what came of this one.
        }
      }
    }
  });
}

CasePrefetch::~CasePrefetch() {
  unwanted_ = true;
  thread_.join();
}

CaseOutcome CasePrefetch::outcome(std::size_t index) { return outcomes_.at(index).get(); }

template <class Work>
auto CasePrefetch::with_permit(Work work) {
  return background_.calls.run(rank_, [&] {
    if (unwanted_) throw Cancelled();
    return work();
  });
}

void CasePrefetch::run() {
  std::unique_ptr<Second> second;
  for (const std::size_t index : order_) {
    const CaseSpec& spec = cases_[index];
    std::optional<FirstCall> first = make_first(spec);
    // Had this one waited for the case before it, it would have met new runners.
    if (second && lost_in(*second)) first = make_first(spec);
    second.reset();
    if (first && first->again) {
      second = begin_second(index, *std::move(first));
    } else {
      const CaseOutcome outcome = first ? first->outcome : *runner_.given_up(spec);
      runner_.settle(outcome);
      promises_.at(index).set_value(outcome);
    }
  }
  if (second) lost_in(*second);
}

/// Nothing when too many runners have been lost.
std::optional<FirstCall> CasePrefetch::make_first(const CaseSpec& spec) {
  if (runner_.given_up(spec)) return std::nullopt;
  return with_permit([&] { return runner_.first(spec, [&] { return runner_.make(spec); }); });
}

std::unique_ptr<CasePrefetch::Second> CasePrefetch::begin_second(std::size_t index,
                                                                 FirstCall first) {
  auto second = std::make_unique<Second>(Second{index, std::move(first), {}});
  second->outcome =
      std::async(std::launch::async, [this, &spec = cases_[index], &made = second->first] {
        return with_permit([&] { return runner_.second(spec, made); });
      });
  return second;
}

/// Waits for the second call, and tells what came of its case. Whether it took a runner with it.
bool CasePrefetch::lost_in(Second& second) {
  const CaseOutcome outcome = second.outcome.get();
  runner_.settle(outcome);
  promises_.at(second.index).set_value(outcome);
  return outcome.runner_lost;
}

}  // namespace gridstride
