// Why an answer is wrong, in words for the one who has to mend it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "grader/judge/cases/call.h"
#include "grader/judge/cases/suite.h"
#include "grader/judge/runners/session.h"

namespace gridstride {

/// The first wrong element, how many are wrong, and a guess at the mistake. `guesses` are the lab's
/// own and come first.
std::string explain(const WrongAnswer& answer, bool untouched, const std::vector<Guess>& guesses);

/// Writes next to an output or input: who, how much, on which side.
std::string explain(const GuardDamage& damage, const Call& call);

/// A changed input.
std::string explain(const ChangedInput& change, const Call& call);

/// Two calls with equal arguments whose results differ.
std::string explain_difference(const WrongAnswer& second, std::span<const std::byte> first,
                               bool other_schedule);

/// One case of a suite, as the look across all cases sees it.
struct SizedCase {
  std::int64_t size = 0;
  bool passed = false;
};

/// A pattern in which sizes fail: only those above a power of two, only those that are no multiple
/// of one; empty where there is none.
std::optional<std::string> explain_sizes(const std::vector<SizedCase>& cases);

}  // namespace gridstride
