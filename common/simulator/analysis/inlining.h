// What a finding says of a line that calls inlined code, or is inlined itself.
#pragma once

#include <string>
#include <vector>

#include "common/simulator/ptx/module.h"

namespace gridstride::sim {

/// What is to be said of line `at.own_line` of file `at.file`, as the end of a sentence that begins
/// with it; "" when nothing was inlined there. Two halves, each where it applies: which code it
/// calls, down to the instruction's own line, "calls inlined code: line 7 of block.h, which calls
/// line 41 of reduce.h", and the calls that led to it, up to the kernel's own line, "is called in
/// line 20, which is called in line 9". Of a half with more than six lines the first and last two
/// are named, and how many calls are between. `calls` are those of the function (Function::calls),
/// `files` those of the module.
std::string inlining_text(const ptx::Location& at, const std::vector<ptx::InlinedCall>& calls,
                          const std::vector<std::string>& files);

}  // namespace gridstride::sim
