// Results as Gradescope reads them from an autograder: results.json.
#pragma once

#include <string>

#include "grader/report/results.h"

namespace gridstride {

/// A test for each stage that students see: points, verdict, message. One more that only instructors see
/// says what was counted. The leaderboard has the speedup of each stage that passes.
///
/// Not for results with `infrastructure`: those are no student's, and Gradescope has a run of its own for
/// what failed.
std::string to_gradescope(const Results& results);

}  // namespace gridstride
