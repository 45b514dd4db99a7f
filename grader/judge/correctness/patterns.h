// Guesses at the kind of mistake from the pattern of what is wrong.
#pragma once

#include <optional>
#include <string>

#include "grader/judge/cases/suite.h"

namespace gridstride {

/// One sentence or two, or nothing when no pattern shows.
std::optional<std::string> guess_by_pattern(const WrongAnswer& answer);

}  // namespace gridstride
