// Results as a table for a terminal, a log or a mail.
#pragma once

#include <string>

#include "common/terminal.h"
#include "grader/report/results.h"

namespace gridstride {

/// One table for each lab, below it what is to be said about stages that fall short, at the end the
/// score. Fits `style.width` columns: what matters least is left out first. With `verbose`, limits
/// and counters of every stage as well.
std::string to_table(const Results& results, const TextStyle& style, bool verbose = false);

/// The verdict in its colour, as the table shows it ("compile error").
std::string show(Verdict verdict, const TextStyle& style);

}  // namespace gridstride
