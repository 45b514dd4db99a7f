// What an explanation shows: a title, what came of the run, the report of the simulated GPU and the
// source that belongs to it. The same for a stage of a lab and for any program.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/terminal.h"

namespace gridstride::sim {

/// All texts may hold anything: the writers make them safe for where they go.
struct Explained {
  std::string title;      ///< "reduction/3_sequential", or the program
  std::string verdict;    ///< of a stage, "pass"; empty for a program
  std::string message;    ///< what the judge says about it, or what was compared; may be empty
  nlohmann::json report;  ///< report.h
  std::map<std::string, std::string>
      sources;  ///< text of those files of the report that may be shown
  /// What changed against the stage before; empty where nothing was compared.
  std::vector<std::string> comparison;
};

/// For a terminal: for each kernel what limits it, its lines with their costs, what to mend.
std::string to_text(const Explained& explained, const TextStyle& style);

/// One page without anything to load: heat-marked sources, roofline, tables.
std::string to_page(const std::vector<Explained>& all);

/// Sentences on what `now` costs more or less than `before`, both reports, of the stage named
/// `name`.
std::vector<std::string> compare(const nlohmann::json& before, const nlohmann::json& now,
                                 const std::string& name);

/// The lines of one kernel in one file, by number, and the text of each; without the source only
/// those that cost anything.
struct SourceLine {
  std::uint64_t number = 0;
  std::string text;
  nlohmann::json cost;  ///< an entry of "lines", or null
};
struct SourceListing {
  std::string file;
  std::vector<SourceLine> lines;
};
/// The part of the sources that a kernel runs through: from the first to the last of its lines in
/// each file, a few around them, the costliest file first.
std::vector<SourceListing> listings(const nlohmann::json& kernel,
                                    const std::map<std::string, std::string>& sources);

/// The file that most of a kernel's time goes to.
std::string main_file(const nlohmann::json& kernel);

}  // namespace gridstride::sim
