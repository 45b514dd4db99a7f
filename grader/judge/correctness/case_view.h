// One case from near: what went in, what was expected and what came, around the first wrong element.
#pragma once

#include <string>

#include "grader/judge/cases/call.h"
#include "grader/judge/runners/session.h"

namespace gridstride {

/// Some lines for each argument of `call` but the scratch. Arrays that have rows are shown by row and
/// column. Of a call that failed, or whose arrays are absent, there are inputs alone, or nothing.
std::string case_view(const Call& call, const CallResult& result);

}  // namespace gridstride
