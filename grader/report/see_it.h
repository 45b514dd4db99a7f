// From a verdict to the commands that show what led to it.
#pragma once

#include <string>
#include <vector>

#include "grader/report/results.h"

namespace gridstride {

/// `text` as one word of a shell's command line.
std::string shell_word(const std::string& text);

/// Commands that show on the simulated GPU how a stage of `lab` comes to be wrong, in the case that failed: a page that
/// opens there, then the debugger. None where they would show nothing of it.
std::vector<std::string> commands_that_show(const std::string& lab, const StageResult& stage);

}  // namespace gridstride
