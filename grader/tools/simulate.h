// One program run on the simulated GPU, with what there is to say about it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/simulator/explain/explained.h"
#include "grader/tools/commands.h"

namespace gridstride::cli {

struct Simulated {
  int exit_code = 0;         ///< the program's own; 1 when that was 0 and mistakes were found
  bool has_report = false;   ///< false: it did not use the runtime, or did not end by itself
  std::string text;          ///< the report, JSON
  sim::Explained explained;  ///< its lines, with the sources that could be read
};

/// The texts of files that debug information names; of one that cannot be read, nothing.
std::map<std::string, std::string> program_sources(const std::vector<std::string>& files);

/// How `program` ended, where it left no report.
std::string about_no_report(const std::string& program, int exit_code);

/// Runs options.command, a program or a .cu file that is compiled first, and its arguments. Writes
/// options.report. The program's output goes where ours goes. Throws as the commands do.
Simulated simulate(const Places& places, const SimOptions& options);

}  // namespace gridstride::cli
