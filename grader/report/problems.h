// Results as a list of places in files: what editors jump to and CI services show beside the code.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "grader/report/results.h"

namespace gridstride {

struct Problem {
  bool error = true;  ///< or a warning
  std::string lab, stage;
  std::string file;          ///< its name, as Remark::file
  int line = 1, column = 0;  ///< column 0: unknown
  std::string text;          ///< one line
};

/// What there is to mend, stage by stage: TODOs and the compiler's warnings as warnings; its errors,
/// what the simulated device saw, and limits that are not met as errors. A stage that falls short and
/// has no error of its own gets one in line 1, with the first words of its message; a warning where
/// that is not the student's fault. Of an untouched skeleton the TODO alone is told.
std::vector<Problem> problems_of(const Results& results);

/// The path of a problem's file, as the reader of the list needs it.
using PathOf = std::function<std::string(const Problem&)>;

/// "file:line:column: error: text", one a line, as gcc writes them; column 1 where it is not known.
std::string to_gcc(const std::vector<Problem>& problems, const PathOf& path_of);

/// GitHub's workflow commands, "::error file=…,line=…,title=…::text", one a line.
std::string to_github(const std::vector<Problem>& problems, const PathOf& path_of);

}  // namespace gridstride
