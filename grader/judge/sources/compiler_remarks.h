// What a compiler's log says of which line, as data.
#pragma once

#include <string>
#include <vector>

#include "grader/report/results.h"

namespace gridstride {

/// The errors and warnings of nvcc and gcc in `log` that name a line, in their order, each once, at
/// most 20 of either kind. Files are told by their names alone. nvcc points at a column of a line that
/// it prints: where that is the line of `source`, the text of the file `name`, the column is known.
std::vector<Remark> compiler_remarks(const std::string& log, const std::string& name,
                                     const std::string& source);

}  // namespace gridstride
