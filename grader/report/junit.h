// Results as JUnit XML, which CI services show: one suite for each lab, one test case for each
// stage.
#pragma once

#include <string>

#include "grader/report/results.h"

namespace gridstride {

/// A whole XML document. What a student can mend (todo, wrong, slow, a compile error, a crash …) is
/// a <failure>; what is nobody's fault (inconclusive, infrastructure) is an <error>. Score, cases
/// and speedup stand in <system-out>. `time` is the stage's measured seconds.
std::string to_junit(const Results& results);

}  // namespace gridstride
