// Results as a table for a terminal, a log or a mail.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/terminal.h"
#include "grader/report/results.h"

namespace gridstride {

struct TableOptions {
  /// 1: of every stage what limits bound and what `counters` names; 2: all other counters as well.
  int verbose = 0;
  /// By lab, what its handout speaks of, in that order.
  std::map<std::string, std::vector<std::string>> counters = {};
  /// The stages are the reader's own: what helps with one that falls short is named beside it.
  bool own_stages = false;
};

/// One table for each lab, below it what is to be said about stages that fall short, at the end the
/// score. Fits `style.width` columns: what matters least is left out first.
std::string to_table(const Results& results, const TextStyle& style,
                     const TableOptions& options = {});

/// The verdict in its colour, as the table shows it ("compile error").
std::string show(Verdict verdict, const TextStyle& style);

/// A speedup in three significant digits, two after the point at most: "183x", "18.3x", "1.83x".
std::string factor(double value);

}  // namespace gridstride
